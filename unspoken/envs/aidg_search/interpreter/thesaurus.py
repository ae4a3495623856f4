"""Words and phrases that ask the same thing, for the loosest keys of a wording.

Each line is what is meant, then the ways to say it. A way is matched on the base forms of its
words, without articles; the longest match at a place counts. A meaning is written as one word or
several; one that stands on no line of its own is a mere name.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import pairwise

from unspoken.envs.aidg_search.interpreter.clean import word_set
from unspoken.envs.aidg_search.interpreter.lemmas import DONE, base

_WORDS = """
car: automobile
buy: purchase
buy_: purchased
in: during
to: in order to | so as to | for the purpose of
light source: source of light
hold together: keep together | fasten together
hold stuff together: keep stuff together | hold it together | keep it together
you: people | person | persons | human | humans | human being | human beings | someone |
  somebody | anyone | anybody | we | us | me | i | folk | folks | individual | individuals |
  a man | oneself
most you: the majority of people | a majority of people | the vast majority of people |
  nearly everyone | nearly everybody | almost everyone | almost everybody | the average person |
  a large majority of people | the majority of us | the majority of folks | most of us
one you: one person | a single person | a single human | one human | a single individual |
  a lone person | a person alone | an adult alone | one adult | a single adult
adult: grown-up | grown up | grown person | grown human | fully grown person | adult person |
  adult human | grown man | grown woman | full-grown person | fully-grown person | grownup
child: kid | youngster | boys and girls | young people
artist or painter: painter or another artist | painter or other artist |
  painters or other artists | artists such as painters | painters and artists |
  artists like painters
tourist: sightseer | holidaymaker | visitor | vacationer | traveller | traveler | tourists
animal: creature | beast
animal or meat: other animal or its meat
bird: avian | avian creature | avian species | feathered creature | avian animal
animal meat-eater: meat-eating animal
jewellery: jewelry | piece of jewellery | piece of jewelry | item of jewellery | item of jewelry
furniture: piece of furniture | item of furniture
home-furnishing: home furnishing | household furnishing | house furnishing | furnishing
food: foodstuff | kind of food | food item | edible
vehicle: means of transport | mode of transport | form of transport | means of transportation |
  mode of transportation | transportation vehicle | transport vehicle | form of transportation
tool: implement
job: task
part: portion | component | segment | section
part of: parts that make up | part that makes up | parts which make up | piece of
structure: construction | built structure | man-made structure
building: edifice
part of body: body part | bodily part | anatomical part | part of anatomy | part of human body |
  part of your anatomy | piece of human anatomy
clothes: clothing | apparel | garment | attire | clothing item | article of clothing |
  item of clothing | piece of clothing
wear: dress in
man-made: manmade | man made | human made | human-made | artificial | made by humans |
  made by people | made by man | made by mankind | made by human hands | made by human beings |
  made by a person | made by someone | manufactured by humans | manufactured by people |
  manufactured | produced by humans | produced by people | created by humans | created by people |
  built by humans | built by people | crafted by people | crafted by humans | of human making |
  of human origin | fabricated by humans | constructed by people | constructed by humans |
  the work of humans | the work of people | synthetic | human creation | a human creation |
  product of human hands | invented by humans
: rather than natural | rather than occurring naturally | as opposed to natural |
  as opposed to occurring naturally | instead of natural | rather than found in nature |
  as opposed to occurring in nature | instead of occurring naturally | and not natural |
  as opposed to being natural | rather than being natural | as opposed to naturally occurring |
  rather than by nature | as opposed to by nature | as opposed to found in nature
living-thing: living thing | living being | living creature | living organism | live organism |
  living entity | organism | lifeform | life form | form of life
alive: living | animate | currently living | a living thing now
fur: hair | fur or hair | hair or fur | hairy | furry
tooth: teeth
bigger: larger | greater in size | bigger in size | larger in size | of greater size |
  of larger size
taller: greater in height | higher in height | taller in height
big: large
sea: ocean | open sea | high seas
wild: in the wild | out in the wild | living wild | live wild | living in the wild
africa: african continent | african wilderness | the continent of africa | wilds of africa
meat: flesh
eat: consume | feed on | devour | dine on | prey on | ingest
before-eating: before it is eaten | before it gets eaten | before being eaten |
  before you eat it | before eating it | before eating | before consuming it |
  before consumption | before it is consumed | before you eat | before being consumed |
  prior to eating | prior to eating it | prior to consumption | before people eat it |
  before they eat it | before it can be eaten
raw: uncooked | without cooking | without cooking it | without being cooked | in its raw state |
  in raw form | in its raw form | while raw | without any cooking
peel: take the skin off | take skin off it | take its skin off | remove the skin |
  remove its skin | take the peel off | remove the peel | take off the skin | remove its peel |
  take off its skin | strip off its skin | peel off the skin | take the peel or skin off |
  remove its outer skin | remove the skin from it | take off the peel | remove the outer layer
seed: pip | seeds or pips | pips or seeds | seed or pip
slice: cut into slices | cut it into slices | slice up | cut up into slices | sliced up |
  cut in slices | slice it up | cut it up into slices
juicy: full of juice | succulent
taste: flavour | flavor
sweet: sweet-tasting | sugary
smell: odour | odor | scent | aroma | fragrance
strong smell: powerful smell | powerful odour | powerful odor | intense smell | strong odour |
  strong odor | strong scent | powerful scent | strong aroma | intense odour | pungent smell |
  strong-smelling | powerful aroma | noticeable smell
engine or motor: motor or engine
motorized: motorised | motor-driven | engine-driven | engine-powered | motor-powered
spin: rotate | revolve | whirl | spin round | spin around | go round | go around | turn round |
  rotating | revolving | turning
spin blade: blades that spin | blades that rotate | blades that go round | blades which spin |
  rotors | rotor blades | spinning rotors | rotor
carry: transport | convey | ferry | haul
place-to-place: from place to place | from one place to another | from one location to another |
  from one spot to another | from one point to another | from a to b | from point a to point b |
  from here to there | somewhere else | from location to location | around from place to place |
  from one place to the next | between places | to other places | from somewhere to somewhere else
by-itself: by itself | under its own steam | on its own steam | on its own | all by itself |
  on its own accord | of its own accord | under its own power | by its own power | unaided |
  without help | without any help | independently | all on its own | without outside help |
  without assistance | autonomously | without being pushed or carried | without being moved |
  unassisted | itself | with its own power | without anyone moving it | without anyone's help |
  on its own power
move by-itself: self-moving | self-propelled | self-propelling
more than five: over five | upwards of five | six or more | at least six | in excess of five |
  greater than five | 5 plus
at-once: at the same time | at one time | at a time | simultaneously | all at once | at once |
  together at once | in one go | at any one time | altogether
muscle: human muscle | human muscle power | muscle power | human muscles | human power |
  muscular power | muscular force | human strength | people's muscles | person's muscles |
  muscular effort | the power of human muscles | the power of muscles | muscle strength |
  your own muscles | the strength of human muscles
when-used: when it is used | when you use it | while you use it | when in use | while in use |
  when being used | while being used | when using it | while using it | when used |
  while it is used | when it is in use | while it is being used | when people use it |
  when it is being used | in use | when it gets used | when someone uses it | while using |
  when someone is using it | as you use it
when-sleeping: when sleeping | while sleeping | during sleep | when you sleep | while you sleep |
  when asleep | while asleep | when you are asleep | when you are sleeping | when people sleep |
  when they sleep | while they sleep | as you sleep | for sleeping | to sleep | in your sleep
road: highway | roadway | motorway
travel on road: drive on road | ride on road | drive along road
travel: sail | journey
water: surface of water | water's surface | surface of the water
seat: place to sit | somewhere to sit | seat to sit on | place for sitting | spot to sit |
  place for someone to sit | somewhere for people to sit | seating
rescue: rescue work | rescue operation | rescue mission
emergency: emergency situation | crisis
find_: to be found
find: see | come across | encounter | spot | run into | stumble upon | happen upon | discover |
  locate | notice | expect to see | expect to find | be likely to see | be likely to find |
  stumble across | meet with | meet | observe | catch sight of | get to see | chance upon |
  find oneself | expect to come across | bump into
find_: situated | positioned | seen | spotted | located | encountered | discovered | met
hot: high in temperature | of high temperature | at a high temperature
cold: low in temperature | of low temperature | at a low temperature
flow: stream
float: stay afloat | float on water | float in water | remain afloat | keep afloat |
  stay on the surface | stay on the surface of water | stay on top of the water |
  remain on the surface | float on the surface | be buoyant | buoyant | rest on the surface |
  float on the surface of water | stay above water | remain on top of the water |
  stay on the water's surface | stay on water | not sink | rather float than sink |
  float on top of the water | float rather than sink | float instead of sinking |
  remain on the surface of water | bob on the surface | stay at the surface
high-up: high above the ground | high up | up high | far above the ground |
  well above the ground | high off the ground | far off the ground | high up above the ground |
  high in the air | up in the air | high up in the air | way above the ground |
  a long way above the ground | a long way off the ground | far up above the ground |
  high over the ground | high up off the ground | way up high | at a great height |
  a great distance above the ground
through: right through | straight through
walk: walk around | walk about | stroll | stroll around | wander | wander around | walk round |
  go for a walk | wander about | stroll about | go walking | take a walk
fist: closed hand | closed fist | clenched hand | clenched fist | shut hand
completely: entirely | fully | wholly | totally
trouser pocket: pocket of trousers | pocket of pants | pants pocket | pocket of your trousers |
  jeans pocket
with-one-hand: with one hand | single-handed | one-handed | with a single hand |
  with only one hand | using one hand | using only one hand | with just one hand |
  using a single hand | single-handedly | one-handedly | using just one hand |
  with one hand only | with one hand alone | with one arm
lift: pick up | lift up | raise | hoist | pick it up | lift it up | lift off the ground |
  lift it off the ground | heave
too heavy: too weighty | overly heavy
long: elongated | lengthy
thin: slender | slim | narrow | skinny
round: rounded | circular | round-shaped | round in shape
rectangular: shaped like a rectangle | rectangle-shaped | a rectangle in shape |
  in the shape of a rectangle | rectangle | rectangular in shape
hollow: empty inside | empty on the inside | hollow inside | hollow on the inside | hollow within
sharp: pointy | pointed
point: tip | spike
sharp point: sharp bit | sharp end | sharp spot
soft: soft to the touch | soft to touch | squishy
hard: hard to the touch | hard to touch
easily: without trouble | with ease | without difficulty | without much effort
flexible: bendy | bendable | pliable | supple | easy to bend | easy to flex | pliant
fold: fold up
roll: roll up
close: shut
moving part: parts that move | mechanical parts that move | moving mechanical parts |
  mechanical moving parts | parts that are moving | moving parts mechanically
cloth: fabric | textile | woven material | textile material | cloth or fabric | fabric or cloth
cloth or wool: cloth or wool or another fabric | cloth or wool or other fabric | wool or cloth |
  cloth or wool or some other fabric | wool or fabric
make_ of: made of | made out of | made from | made up of | composed of | constructed from |
  constructed of | constructed out of | crafted from | crafted out of | formed of | formed from |
  manufactured from | fashioned from | fashioned out of | produced from | created from |
  produced out of | manufactured out of | comprised of | built from | built of | built out of |
  fabricated from
transparent: see-through | see through | clear enough to see through | clear
often: frequently | commonly
colour: color | hue
grey: gray
many: lots of | a lot of | plenty of | various | numerous | multiple | countless | several |
  all sorts of | all kinds of | a wide range of | a whole range of | a great many | a variety of |
  a range of | a wide variety of | loads of | many different | lots of different |
  several different | a large number of | a huge range of | various different | a broad range of |
  all manner of | a wide selection of | a large variety of | an array of | a great variety of |
  diverse
electricity: electric power | electrical power | electrical energy | electric current |
  electric energy | electrical current
use or hold electricity: need electricity or store it | need or store electricity |
  need or hold electricity | consume or store electricity | run on electricity or store it |
  use or store electricity | use electricity or store it | use electricity or hold it |
  hold or use electricity | store or use electricity | store or consume electricity |
  either use or hold electricity | run on or store electricity | run on electricity or hold it |
  need or store electricity | consume or hold electricity | contain or use electricity |
  use or contain electricity | use electric power or store it
electric: electrical | electronic
give-off: emit | give out | radiate | give forth | put out | generate
sound: noise
loud: noisy
loud sound: lot of noise | lot of sound
look-at: look at | view
picture: image | photo | photograph
record: capture
sound or picture: audio or picture | sound or video | audio or video | picture or sound |
  picture or audio | audio or image | sound or image | image or sound | image or audio |
  sound or photo | audio or photo
computer: pc | laptop | computers
magnetism: magnetic force | magnetic field | magnetic power | the force of magnetism |
  magnetic attraction
stuff: other things | other objects | other items | things | objects | items | something else |
  other stuff | belongings | goods | possessions | another thing | other belongings
liquid: fluid | a liquid such as water | a liquid like water
put it: place it | set it | lay it | put it down | set it down | place it down | lay it down |
  stick it
put stuff: place stuff | set stuff | lay stuff | rest stuff | put down stuff | set down stuff |
  put stuff down
put_: placed
on: aboard | on board | on board of | onto | upon | on-top-of | on top of | atop | on the top of |
  on its top | on the surface of
in: inside | inside of | into | within | in the inside of | in the interior of
under: below | beneath | underneath
ground: earth | soil | dirt
under ground: underground | under the soil | below the ground | beneath the soil |
  under the earth | below the surface of the ground | beneath the surface of the ground |
  below ground | beneath ground | beneath the surface of the earth |
  under the surface of the ground
hang: suspend | dangle
hang_: suspended
fasten_: mounted | affixed
fasten_ to: fixed to | fixed on
fasten it to: fix it to | fix it on | mount it on
wall: walls
warm: warm and cosy | cosy | cozy | warmer
protect: shield | guard | safeguard | defend | keep safe
protect you: provide protection for people | give people protection | keep people safe |
  offer protection to people | provide people with protection | give protection to people |
  offer people protection
in-rain: in rain | in the rain | in rainy weather | when it rains | when it is raining |
  on rainy days | on a rainy day | during rain | in wet weather | while it rains |
  while it is raining | when rain falls | if it rains | if it is raining | during rainfall |
  when there is rain
together: to each other | to one another | to something else
fasten: attach | join | bind | connect | secure
make hole: bore holes | drill holes | pierce holes | punch holes | make a hole | put a hole in |
  bore a hole | drill a hole | put holes in | poke holes
repair: fix | mend
build: construct
artist: artists
find way: find their way | find your way | find the way | find one's way | navigate |
  finding directions | work out the way | find the right way
traveller at sea: seafarer | sailor | sea traveller | mariner | travellers on the sea | seaman
every-day: every day | daily | on a daily basis | each day | every single day | day after day |
  each and every day | day in day out | day to day | in daily life | in everyday life |
  from day to day | on a day-to-day basis
in shop: in a store | at a store
from shop: from a store
shop sell: stores sell
shop have: stores have
regular: standard | average | typical | normal
: in general | as a rule
expensive: costly | pricey | high in price
lot of money: a lot | a fortune | a great deal of money | much money | plenty of money |
  a great deal | large amount of money
present: gift
give it as present: give it to someone as a present | give it to people as a present |
  offer it as a present | give it away as a present | buy it as a present |
  give it to others as a present | buy it as a present for others | give someone it as a present |
  buy it as a present for someone | hand it over as a present | present it as a gift
thousand year ago: a thousand years ago | 1000 years ago | a thousand years back |
  one thousand years ago | a millennium ago | 1000 years back | a thousand years in the past |
  at least a thousand years ago | more than a thousand years ago | over a thousand years ago |
  ten centuries ago
exist: be around | already exist
visit it: travel to see it | journey to see it | make a journey to visit it |
  make trips to see it | make trips to look at it | come to see it | go to see it |
  go and see it | travel to visit it | travel to look at it | come and see it |
  make a trip to see it | make a journey to see it | take trips to see it |
  go on trips to see it | flock to see it | make special trips to see it | journey to visit it |
  go on trips to look at it | come from far to see it | take trips to look at it |
  make trips just to look at it | make trips just to see it | go sightseeing at it |
  travel far to see it
live: dwell | reside
live in: inhabit | make its home in | have its home in | be native to | make their home in
house: home | household
in house: indoors | indoor
outdoors: outside | outdoor | out of doors | out in the open | in the open air | in the open |
  in the outdoors | in open air
rung or step: step or rung | rungs or steps | steps or rungs
body: human body | body of a human
upper half of body: upper body | top half of body | upper part of body
in middle of: halfway along | halfway down | midway along | halfway up | at the midpoint of |
  midway down | in the midpoint of | at the middle of | half way along | half way down | midway up
out-of-sight: out of sight | out of view | hidden from view | hidden | not visible | invisible |
  hidden from sight | where you can not see it | concealed | tucked away
in body: internal to the body | inside the body | within the body | in the interior of the body
winter or cold weather: cold weather or winter | cold-weather or winter | winter or cold-weather |
  wintry or cold weather | the winter or cold weather | winter or when it is cold |
  cold or winter weather | winter or in cold weather
hard floor: hard surface | hard ground | concrete floor | stone floor | tiled floor | solid floor
break: shatter | smash | crack | get broken | break into pieces | break apart | smash to pieces |
  shatter into pieces
if it hard floor: if you dropped it on a hard floor | if dropped on a hard floor |
  when dropped on a hard floor | if it fell on a hard floor | when it falls on a hard floor |
  if it fell onto a hard floor | if you drop it on a hard floor | if it falls on a hard floor |
  if it dropped on a hard floor | if it were dropped on a hard floor |
  if it was dropped on a hard floor | when you drop it on a hard floor |
  if it is dropped on a hard floor | if you let it fall on a hard floor | if it hit a hard floor |
  when it is dropped on a hard floor | if it landed on a hard floor |
  if it were to fall on a hard floor | if someone dropped it on a hard floor |
  if you were to drop it on a hard floor | after falling on a hard floor |
  if you let it drop on a hard floor | if you let go of it above a hard floor
link_ with: linked to | associated with | connected with | connected to | related to |
  closely linked with | closely linked to | closely connected with | closely associated with |
  closely related to | strongly associated with | strongly linked with | strongly linked to |
  strongly connected with | closely connected to | tied to | closely tied to | to do with |
  strongly related to | linked in people's minds with | associated to | bound up with
link it with: associate it with | connect it with | relate it to | link it to |
  link it in mind with
cover_: covered over
doctor or hospital: hospital or doctor | doctors and hospitals | hospitals and doctors |
  medical staff or hospitals | hospitals or medical staff | hospitals or physicians |
  medics or hospitals | physicians or hospitals | hospitals or medics | hospitals or medical staff
space or star: outer space or stars | stars or space | stars or outer space | space or stars
dangerous: hazardous | harmful | risky | perilous | unsafe | threatening | a danger | a hazard |
  a threat | a risk | a menace
dangerous to you: pose a threat to people | pose a danger to people | pose a risk to people |
  dangerous for people | harm people | hurt people | endanger people | put people in danger |
  cause harm to people | cause people harm | be a danger to people | injure people |
  hurt someone | pose a hazard to people | threaten human safety | pose a threat to human safety |
  harmful to people | be a threat to people | pose a danger to human safety | threaten people |
  do people harm | cause injury to people | a danger to people | a threat to people |
  hazardous to people | pose a threat to human life | do harm to people | put people at risk |
  put someone in danger | represent a danger to people
: in any way | at all | if you touched it | when you touch it | if you touch it | when touched |
  in terms of size | in terms of shape | in terms of colour | in terms of color | by any chance |
  in nature | in shape | in colour | in color | in texture | in appearance | right now |
  at the moment | at present | these days | as of now | as such | quite often | rather often |
  fairly often | pretty often | most of the time | a lot of the time | regularly | for sure |
  when it comes to size | when it comes to shape | size-wise | as far as size goes |
  in most cases | in many cases | tends to | tend to | in terms of taste | in terms of flavour |
  in terms of texture | in terms of weight | in terms of height | of some kind | of some sort |
  of any kind | usual use | by nature | by design | in terms of material | as far as shape goes |
  in terms of temperature | quite frequently | more often than not | often enough | colour-wise |
  color-wise | shape-wise | speaking of size | talking of size | in practice | to some people
"""

# Of the plain statement, which begins with who does it: "it have high temperature".
_STATEMENTS = """
it be hot: it have high temperature | it have hot temperature | it feel hot
it be cold: it have low temperature | it feel cold | it have cold temperature
it be soft: it feel soft
it be hard: it feel hard
it taste sweet: it have sweet taste | it be sweet | it be sweet in taste | it be sweet taste
it have strong smell: it smell strong | it smell strongly | it give-off strong smell |
  it produce strong smell | it be strong smell
it have wheel: it be on wheel | it stand on wheel | you find it on wheel | it run on wheel |
  it roll on wheel | it move on wheel | it travel on wheel
it have engine or motor: engine or motor drive it | engine or motor power it |
  you power it by engine or motor | it be motorized
it burn fuel: it consume fuel | it use fuel | it need fuel | it require fuel | it run on fuel |
  it consume fuel by burn it | it use up fuel by burn it | it use fuel by burn it |
  it run by burn fuel | it need fuel to burn | it need fuel to run | it require fuel to run |
  it need to burn fuel | it get its power by burn fuel | it work by burn fuel |
  you fuel it by burn fuel | it eat fuel by burn it | it eat fuel | it eat up fuel
muscle power it: muscle power it when-used | it run on muscle when-used |
  it use muscle when-used | you power it with muscle | it power by muscle | it run on muscle |
  it work by muscle | it run by muscle | it move by muscle | muscle move it | muscle drive it |
  muscle make it go | muscle make it work | muscle supply power for it |
  muscle provide power for it | it use muscle | it be muscle-powered | muscle supply its power |
  muscle propel it | it rely on muscle | it go by muscle | it operate by muscle |
  it get its power from muscle | muscle supply it with power | muscle provide its power |
  it use muscle to work | it need muscle to work | muscle supply power | muscle provide power
it give-off light: it make light | it produce light | it give light | it shine | it glow |
  it light up | it be light source | it serve as light source | it function as light source |
  it act as light source | it be source of light | it cast light | it be source light
it make sound: it produce sound | it give-off sound | it emit sound | you hear it |
  you can hear it
it be loud: it make loud sound | it produce loud sound | it make lot of sound | it be loud sound
it be transparent: you transparent it | you can transparent it | you can see through it |
  you can look through it | you see through it | you look through it | you can find through it |
  you find through it | it let you see through
it protect you: it be protect you | you use it to protect you | it keep you safe |
  it protect you from | you use it to protect you from | it keep you safe from |
  it give you protection | it provide protection | you use it to protect oneself
it keep you warm: it keep warm | it give you warmth | it provide warmth | it stay you warm |
  it warm you | it make you warm | it help you stay warm | it help you keep warm |
  it help keep you warm | you use it to keep warm | you use it to stay warm |
  you use it to keep you warm | it provide you with warmth | it make you feel warm |
  it let you stay warm | it help stay warm | it keep your body warm | it give warmth |
  it keep body warm
it be bendable: it be flexible | it bend easily | it flex easily | it bend or flex easily |
  it easily bend or flex | it easily bend | it bend with ease | you can bend or flex it easily |
  it be easily bend | it flex or bend easily | you can easily bend it
it be dangerous: you can get hurt by it | you get hurt by it | you be hurt by it |
  you can be injure by it | it hurt you | it can cause you harm | it be dangerous to you |
  it dangerous to you
it be expensive: it cost fortune | it have high price tag | it come at high price |
  it cost lot of money | it have high price | it cost lot | its price be high |
  you pay lot of money for it | it cost you lot of money | you have to pay lot of money for it |
  it cost lot of money to buy | it carry high price | it be high price | it need lot of money
it be hollow: its interior be hollow | be its interior hollow | be its inside hollow |
  its inside be hollow | it have hollow inside | its inside hollow
it be rectangular: it have rectangular shape | it be shape like rectangular
it be long and thin: it have long and thin shape | it have long thin shape | it be long thin
it be tool: it serve as tool
it come in many colour: you sell it in many colour | it be available in many colour |
  you make it in many colour | you find it in many colour | you can get it in many colour |
  you can buy it in many colour | it exist in many colour | you can find it in many colour |
  you get it in many colour | you buy it in many colour | it have many colour to choose from
it float: it float if you put it in water | it float if you put it on water |
  it float if you drop it in water | it float if you throw it in water |
  it float if it were put in water | it float if it be put in water |
  it float if you place it in water | it float when you put it in water |
  it float if it were in water | it float if you set it on water |
  it float if you lay it on water | it float if it be in water
you peel it before-eating: be its skin remove before-eating | you peel it to eat it
it have fur: you cover it with fur
it have leg: it stand on leg | it walk on leg
it have seed: it hold seed | it hold seed in
it can fly: it have power of flight | it have ability of flight | it can take to air |
  it can get airborne
it be building or structure: it be structure
you find it in garage or workshop: you store it in garage or workshop |
  you keep it in garage or workshop
you find it in kitchen: you store it in kitchen | you keep it in kitchen | you use it in kitchen |
  it be kitchen
you find it in bedroom: you store it in bedroom | you keep it in bedroom
you find it in bathroom: you store it in bathroom | you keep it in bathroom
you find it in office: you store it in office | you keep it in office
you find it in garden or park: you keep it in garden or park
you look-at stuff with it: you look-at stuff through it | you use it to look-at stuff |
  it be for look-at stuff | you use it to look-at
it be man-made: did you make it | you make it | did you create it | it be make_ by you |
  you create it
it use electricity: it run on electricity | it need electricity | it use electricity to work |
  it require electricity | it be electric | it need electricity to work | it work on electricity |
  electricity power it
it be vehicle: it serve as vehicle
it be decoration: it be decorative | you use it to decorate | you use it for decoration |
  it serve as decoration | you use it as decoration | it decorate | it be ornament |
  it be ornamental | it serve to decorate | it be for decoration | it be there for decoration |
  it have decorative purpose | it have decorative function | it be there to decorate |
  it serve decorative purpose | it decorate stuff | it be mean for decoration
it exist thousand year ago: it be thousand year ago
tourist visit it: you visit it as tourist | it attract tourist | it be tourist attraction |
  it draw tourist | tourist visit
you live in it: it be live in by you
it come in pair: you sell it as pair | it come as pair | you find it in pair |
  you find it as pair | it be in pair | you sell it in pair | it come in two |
  it be find in pair | you buy it in pair | you wear it in pair
it break if it hard floor: it break on hard floor if you drop it |
  it break on hard floor if it fall | it break if you drop it and it hard floor |
  if it hard floor break it
it fit in fist: you hide it in fist | you can hide it in fist |
  you can hide it completely in fist | you hide it completely in fist |
  it fit completely in fist | you can hold it in fist | you can close fist around it |
  you close fist around it | you can completely close fist around it |
  you can enclose it in fist | you can close hand around it |
  you can close fist around it completely | you can conceal it in fist | you fit it in fist |
  you can fit it in fist | you can hold it completely in fist | it be hide in fist |
  you can conceal it completely in fist | fist fit around it |
  you can close hand completely around it | you can enclose it completely in fist |
  fist can enclose it | you can cover it completely with fist | fist can close around it |
  it go in fist | you can wrap fist around it
it fit in trouser pocket: trouser pocket hold it | trouser pocket be big enough for it |
  you put it in trouser pocket | you can put it in trouser pocket |
  you can slip it in trouser pocket | you can fit it in trouser pocket |
  you can carry it in trouser pocket | it go in trouser pocket |
  you can keep it in trouser pocket | you can slide it in trouser pocket |
  you can stick it in trouser pocket | you carry it in trouser pocket |
  you fit it in trouser pocket | you can tuck it in trouser pocket | it slip in trouser pocket |
  you can stuff it in trouser pocket
it hold liquid: you keep liquid in it | you can keep liquid in it | you can fill it with liquid |
  you can pour liquid in it | you can put liquid in it | it contain liquid |
  you store liquid in it | you can store liquid in it | it can hold liquid |
  it can contain liquid | liquid stay in it | you can have liquid in it | it have liquid in it |
  you can carry liquid in it | it store liquid | it can store liquid | you use it to hold liquid |
  it can have liquid
you put stuff in it: you can put stuff in it | you keep stuff in it | you can keep stuff in it |
  you can store stuff in it | you store stuff in it | it store stuff | it hold stuff |
  it can hold stuff | it can store stuff | you can keep or carry stuff in it |
  you can carry or keep stuff in it | it be container | it contain stuff | it can contain stuff |
  you use it to store stuff | you use it to keep or carry stuff | you use it to keep stuff |
  you use it to hold stuff | it can carry stuff in | you can carry stuff in it |
  you can store or carry stuff in it | you can store or keep stuff in it | you carry stuff in it |
  it have room for stuff | you use it to keep or carry stuff in |
  you can carry or store stuff in it | it have stuff in it | it can keep stuff in it |
  it can have stuff | you can place stuff in it
you put stuff on it: you can put stuff on it | you can stand stuff on it | it support stuff |
  it can support stuff | it can carry stuff on it | stuff stand on it | stuff can stand on it |
  it hold stuff on it | stuff can go on it
it carry you: you use it to get place-to-place | you can use it to get place-to-place |
  you use it to get around | you ride it place-to-place | you carry you |
  it carry you place-to-place | it can carry you | it can carry you place-to-place |
  it take you place-to-place | it can take you place-to-place | it get you place-to-place |
  it can get you place-to-place | it carry you around | it can carry you around |
  it can carry you somewhere | it carry you somewhere | you use it to carry you |
  you use it to carry you place-to-place | it move you place-to-place |
  it can move you place-to-place | it can bring you place-to-place | it carry you about |
  it can carry you about | it can take you somewhere | it take you somewhere
it hold more than five you: it carry more than five you | it can carry more than five you |
  it can hold more than five you | it can take more than five you |
  it can carry or hold more than five you | it carry or hold more than five you |
  it can hold or carry more than five you | it take more than five you |
  more than five you can fit in it | more than five you fit in it |
  more than five you fit in or on it | more than five you can fit in or on it |
  more than five you can fit in|on it | more than five you be in it |
  more than five you can be in it | it fit more than five you | it can fit more than five you |
  it seat more than five you | it can seat more than five you |
  more than five you can ride in it | it accommodate more than five you |
  it can accommodate more than five you | more than five you can ride on it |
  more than five you can get in it | more than five you fit on it |
  it have room for more than five you | it have space for more than five you |
  more than five you ride in it | you can fit more than five you in it
it move by-itself: it move around by-itself | it move about by-itself |
  it move place-to-place by-itself | it get around by-itself | it get place-to-place by-itself |
  it get about by-itself | it travel by-itself | it go place-to-place by-itself |
  it travel place-to-place by-itself | it go somewhere by-itself |
  it able to get around by-itself | it change place by-itself
it travel on road: it drive on road | you find it travel on road | you find it go on road |
  you find it move on road | it go on road | it move on road | you travel it on road |
  you find it on road | it travel along road | you find it travel along road |
  you find it go along road | you find it move along road | it move along road |
  it go along road | it ride on road | you find it drive on road | you find it travel down road |
  it travel down road | it go down road | it run on road | you find it run on road |
  you find it go down road
it travel on or under water: it move on or under water | it go on or under water |
  it get around on or under water | it move through or on water | it travel in or on water |
  it travel under or on water
you use it in rescue or emergency: you use it for rescue or emergency |
  you use it in emergency or rescue | you use it for emergency or rescue |
  it be useful in emergency or rescue | it be for emergency or rescue |
  it serve in emergency or rescue
you use it in-rain: it be useful in-rain | you need it in-rain | it be for in-rain |
  you use it because of rain | it come in handy in-rain | you take it out in-rain
it record sound or picture: it can record sound or picture |
  you use it to record sound or picture | you can record sound or picture with it |
  it be able to record sound or picture | it be record device
you use it with computer: you connect it to computer | you plug it in computer |
  it go with computer | you use it alongside computer | it connect to computer |
  it be use with computer | you attach it to computer | you can use it with computer |
  you find connect to computer | you can connect it to computer |
  you find connect it to computer | it be computer accessory | it plug in computer |
  you fasten it to computer | it fasten to computer | you can fasten it to computer |
  you hook it up to computer | you use it at computer | you use it together with computer
it work by magnetism: it work with magnetism | it use magnetism | it use magnetism to work |
  it rely on magnetism | it rely on magnetism to work | it function by magnetism |
  it operate by magnetism | it depend on magnetism | it work through magnetism |
  it work on magnetism | it work thank to magnetism | it work because of magnetism |
  it make use of magnetism | magnetism make it work | magnetism be what make it work |
  it function through magnetism | it run on magnetism | it depend on magnetism to work
you use it every-day: you need it every-day | you use or need it every-day |
  you need or use it every-day
most you use it every-day: most you need it every-day | most you use or need it every-day |
  most you need or use it every-day
you use it when-sleeping: you sleep with it | you sleep on it | you sleep in it |
  it be for when-sleeping | you use it in bed | you need it when-sleeping |
  it be use when-sleeping
it lay egg: it reproduce through egg | it reproduce by mean of egg | it reproduce by lay egg |
  it produce egg | it breed by lay egg
it eat animal or meat: it eat meat or animal | it eat meat | it be carnivore | it be meat-eater |
  it be carnivorous | meat be part of its diet | it have diet of meat | it live on meat |
  it feed on meat | its diet include meat | it be predator of animal
it grow on tree: tree produce it | it come from tree | tree bear it | it come off tree |
  you grow it on tree | tree grow it | you find it grow on tree | it be fruit of tree |
  it hang on tree as it grow | you pick it from tree
it grow under ground: you grow it under ground | it grow in ground |
  you find it grow under ground | it develop under ground
you peel it before-eating: it peel before-eating | you have to peel it before-eating |
  you need to peel it before-eating | you must peel it before-eating
you find it in house: you keep it in house | it be in house | you have it in house
you find it outdoors: it be outdoors | you keep it outdoors | you use it outdoors
you buy it in shop: you buy it at shop | you buy it from shop | you sell it in shop |
  you sell it at shop | shop sell it | you can buy it in shop | you can buy it at shop |
  you can buy it from shop | you can get it in shop | you can get it at shop |
  you can find it on sale in shop | it be for sale in shop | it be available in shop |
  it be on sale in shop | shop have it for sale | you can pick it up in shop |
  it be available at shop | shop stock it | you can get it from shop
it stand on floor or ground: it lie on floor or ground | it stand or lie on floor or ground |
  it lie or stand on floor or ground | it rest on floor or ground | it be on floor or ground |
  you find it on floor or ground | it sit on floor or ground | you stand it on floor or ground |
  you put it on floor or ground | you find it stand or lie on floor or ground |
  you keep it on floor or ground | you find it rest on floor or ground |
  you find it stand on floor or ground | you place it on floor or ground
you fasten it on wall: you find it fasten on wall | you find it fasten to wall |
  you fasten it to wall | you hang it on wall | it hang on wall | you find it on wall |
  it be on wall | it go on wall | you mount it on wall | you find it fix on wall |
  you find it fix to wall | you find it hang on wall | you put it on wall |
  you attach it to wall | you fasten it to wall | you fasten it on wall | it fasten to wall |
  you put it up on wall
it hang from: it hang | you hang it from | you hang it up | you hang it | you find it hang from |
  you find it hang | it hang down from | it hang up from | it hang from somewhere |
  you hang it from somewhere | it hang down
it be in body: it lie in body | you find it in body | it sit in body
it be on head: you wear it on head
you give it as present: you give it as present to you | you get it as present |
  you receive it as present | it be present | it make good present | it be common present |
  it be popular present | you give it to you as present | you buy it to give it as present |
  you choose it as present | it serve as present | you buy it as present for you |
  you buy it for you as present
it be jewellery: you wear it as jewellery
you sit on it: you make it to sit on | you make it to sit | you can sit on it |
  you sit down on it | you use it to sit on | you use it to sit | it be for sit on |
  it be for sit | you can sit down on it | you use it to sit down on | you find sit on it
you wear it: you put it on | you put on it | you can put it on | you dress in it |
  you can wear it | it be for wear
you climb it: you climb up it | you climb on it | you climb up on it | you go climb on it
it be part of house: it form part of house | it belong to house
"""
_SKIPPED = word_set(
    "a an the any some your one's someone's such also actually really "
    "average ordinary regular "
    "standard normal their his her our my else quite basically essentially "
    "either comfortably "
    "usually often ordinarily commonly frequently typically normally "
    "generally usual typical "
    "common commonplace thing object item that which currently already "
    "nowadays presently other "
    "indeed people's just simply maybe perhaps possibly type kind "
    "sort anything somehow "
    "somewhat fairly"
)


class Thesaurus:
    """Phrases and what is put for them."""

    def __init__(self) -> None:
        self._single: dict[str, str] = {}
        self._phrases: dict[tuple[str, ...], list[tuple[list[str], list[str]]]] = {}
        entries = list(_entries(_WORDS))
        for meaning, ways in entries:
            for way in ways:
                if " " not in way and meaning:
                    self._single[base(way)] = meaning
                    if " " not in meaning and not meaning.endswith(DONE):
                        self._single[base(way) + DONE] = meaning + DONE
        for meaning, ways in entries:
            by = [self._single.get(base(w), base(w)) for w in meaning.split()]
            for way in ways:
                words = self.words(way)
                if len(words) > 1 and words != by:
                    self._phrases.setdefault(tuple(words[:2]), []).append((words, by))
        for phrases in self._phrases.values():
            phrases.sort(key=lambda phrase: -len(phrase[0]))

    def words(self, line: str) -> list[str]:
        """The base forms of a line, one word for each meaning, without articles."""
        single = self._single
        words = [base(w) for w in line.split() if w not in _SKIPPED]
        words = [single.get(w, w) for w in words if w not in _SKIPPED]
        return " ".join(words).split()

    def rewritten(self, words: list[str]) -> list[str]:
        """Put the meaning for each phrase, the longest first."""
        phrases = self._phrases
        for _ in range(3):
            if not any(pair in phrases for pair in pairwise(words)):
                return words
            out: list[str] = []
            i, n = 0, len(words)
            while i < n:
                for phrase, by in phrases.get((words[i], words[i + 1]) if i + 1 < n else (), ()):
                    if words[i : i + len(phrase)] == phrase:
                        out += by
                        i += len(phrase)
                        break
                else:
                    out.append(words[i])
                    i += 1
            words = out
        return words


def statements() -> Iterator[tuple[str, list[str]]]:
    """Statements that mean the same: one, and the others."""
    return _entries(_STATEMENTS)


def _entries(text: str) -> Iterator[tuple[str, list[str]]]:
    for line in text.strip().replace("\n ", "").split("\n"):
        meaning, _, ways = line.partition(":")
        yield meaning.strip(), [way.strip() for way in ways.split("|")]


@cache
def thesaurus() -> Thesaurus:
    """The one thesaurus there is."""
    return Thesaurus()
