"""Reading of free text: labelled utterances, and properties that hold of any text."""

import copy
import pickle
import string

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unspoken.envs.aidg_search.interpreter import Interpreter, interpreter
from unspoken.envs.aidg_search.ontology import load

ONTOLOGY = load()
READER = interpreter()
INDEX = {question.id: i for i, question in enumerate(ONTOLOGY.questions)}
Q, OPEN, BAD = "question", "open_question", "invalid"

LOCKS = {
    "lock: chair": "chair",
    "LOCK: chair": "chair",
    "Lock - chair": "chair",
    "lock chair": "chair",
    "Lock Chair.": "chair",
    "lock: [chair]": "chair",
    "lock: 'the chair'": "chair",
    "lock: “chair”": "chair",
    "**lock:** chair.": "chair",
    "**Lock: Chair**": "chair",
    "`lock: chair`": "chair",
    "My final answer is lock: chair": "chair",
    "I lock chair": "chair",
    "I'd like to lock in: chair": "chair",
    "I'm locking in chair.": "chair",
    "I'll lock in the chair!": "chair",
    "Let me lock chair": "chair",
    "Locking in: chair": "chair",
    "LOCK(chair)": "chair",
    "lock = chair": "chair",
    "lock → chair": "chair",
    "<lock>chair</lock>": "chair",
    "lock\uff1a chair": "chair",
    "lock: chairs": "chair",
    "lock: scissor": "scissors",
    "lock: a pair of scissors": "scissors",
    "lock: paint brush": "paintbrush",
    "lock: tomatoes": "tomato",
    "lock: chair 🎉": "chair",
    "🔒 lock: chair": "chair",
    "lock: chair because it has four legs": "chair",
    "lock: chair, since people sit on it": "chair",
    "lock: chair (four legs, people sit on it)": "chair",
    "lock: an apple": "apple",
    "lock: my guess is chair": "chair",
    "Lock my guess: chair": "chair",
    "lock: it's a chair": "chair",
    "lock: couch": "couch",
    "lock: plane": "plane",
    "lock: car": "car",
    "lock: table lamp": "table lamp",
    "lock: c-h-a-i-r": "chair",
    "Based on the answers it must be furniture.\n\nlock: chair": "chair",
    "Is it a chair? I am sure now. lock: chair": "chair",
    "lock: chair. Am I right?": "chair",
    "lock: chair\nI'm confident it's the chair!": "chair",
    "lock: chair. It's the chair, right?": "chair",
    "Final answer: lock: chair": "chair",
    "<think>It could be a table. lock: table</think>lock: chair": "chair",
    '{"lock": "chair"}': "chair",
    '```json\n{"action": "lock", "word": "chair"}\n```': "chair",
    '{"reasoning": "lock: table?", "lock": "chair"}': "chair",
    "Lock:\nchair": "chair",
    "I am not sure, but lock: chair": "chair",
    "I've made up my mind, so I lock in the word chair.": "chair",
}

BAD_LOCKS = [
    "lock:",
    "lock: [your guess]",
    "lock: WORD",
    "lock: <word>",
    "lock: not a chair",
    "lock: anything but chair",
    "lock: chair or table",
    "lock: chair, table",
    "lock: chair / table",
    "lock: either a chair or a sofa",
    "I'm not ready to lock chair yet.",
    "I won't lock chair.",
]

GUESSES = {
    "Is it a chair?": "chair",
    "is it the Chair": "chair",
    "IS IT A CHAIR": "chair",
    "Could this be some sort of chair?": "chair",
    "It's the chair, right?": "chair",
    "chair?": "chair",
    "Chair.": "chair",
    "chairs?": "chair",
    "A chair?": "chair",
    "My guess is chair": "chair",
    "My guess: chair": "chair",
    "My guess is that it's a chair.": "chair",
    "I think it's a chair": "chair",
    "I believe the secret word is chair.": "chair",
    "Is the word 'chair'?": "chair",
    'Is the secret word "chair"?': "chair",
    "Is the answer CHAIR": "chair",
    "Would you call it a chair?": "chair",
    "Would you say it's a chair?": "chair",
    "Is it called a chair?": "chair",
    "Is it something people call a chair?": "chair",
    "Is it commonly known as a chair?": "chair",
    "Is it a chair or a table?": "chair",
    "Is it one of these: chair, table, lamp?": "chair",
    "Is it either a table or a chair?": "table",
    "Is it a piece of furniture, specifically a chair?": "chair",
    "Is it a kitchen chair?": "chair",
    "Is it a comfortable old wooden chair?": "chair",
    "Is it a hat worn in winter?": "hat",
    "Is it a hat that people wear?": "hat",
    "Is it a hat people wear in winter?": "hat",
    "Is it a button on a keyboard?": "button",
    "Is it a bridge spanning a river?": "bridge",
    "Would I be right if I said chair?": "chair",
    "Am I right that it's a chair?": "chair",
    "it's not a chair, is it?": "chair",
    "Is it not a chair?": "chair",
    "Isn't it a chair?": "chair",
    "Are you thinking of a chair?": "chair",
    "Did you pick the chair?": "chair",
    "Do you mean an airplane?": "airplane",
    "Do you have a chair in mind?": "chair",
    "Is a chair what you're thinking of?": "chair",
    "Is chair the word?": "chair",
    "Is 'chair' the secret word?": "chair",
    "Is chair correct?": "chair",
    "Does the word spell c-h-a-i-r?": "chair",
    "Is it a C H A I R?": "chair",
    "Could it possibly be an ordinary elephant?": "elephant",
    "Might it be an elephant?": "elephant",
    "Can it be an elephant?": "elephant",
    "Is it an aeroplane?": "airplane",
    "Is it a motorbike?": "motorcycle",
    "Is it a type of chair?": "chair",
    "Is it a piece of cheese?": "cheese",
    "Is it bread?": "bread",
    "Are they scissors?": "scissors",
    "Is it a pair of scissors?": "scissors",
    "Is it a paint brush?": "paintbrush",
    "Is it an orange?": "orange",
    "Is it your knee?": "knee",
    "Is this thing you're thinking of a tiger?": "tiger",
    "Is the object a tiger?": "tiger",
    "So, is the mystery item an umbrella?": "umbrella",
    "Should I lock chair?": "chair",
    "If I said lock: chair, would I be right?": "chair",
    "What about a chair?": "chair",
    "How about chair?": "chair",
    "Is it alive? Is it a tiger?": "tiger",
    "Is it alive? My guess is tiger.": "tiger",
    "Question: Is it a chair?": "chair",
    "**Is it a chair?**": "chair",
    '{"question": "Is it a chair?"}': "chair",
    "Is it the same as a chair?": "chair",
    "Final answer: chair": "chair",
    "Is it a statue or a sculpture?": "statue",
    "Is it an animal that is a tiger?": None,
    "Is it furniture called a chair?": "chair",
    "I'd say it's a chair.": "chair",
    "Is it a chair by any chance?": "chair",
    "Is it a chair? (yes/no/maybe)": "chair",
    "Is it \u0430 \u0441hair?": "chair",  # Cyrillic letters
    "Is it a bicycle, motorcycle or skateboard?": "bicycle",
    "Tell me whether it is a chair.": "chair",
}
GUESSES = {text: word for text, word in GUESSES.items() if word}

FAIR = [
    "Is it bigger than a chair?",
    "Would you find it next to a chair?",
    "Is it part of a bicycle?",
    "Is it made from an apple?",
    "Can you put it on a table?",
    "Is it used with a hammer?",
    "Is it like a chair?",
    "Is it similar to a hat?",
    "Is it found in a castle?",
    "Is it worn with a belt?",
    "Do you see it in a river?",
    "Is it orange?",
    "Is it orange in colour?",
    "Is it orange or blue?",
    "Does it have a zipper?",
    "Is it a chair leg?",
    "Is it a drill bit?",
    "Does it live in a cave?",
    "Is it a mountain animal?",
    "Is it a vehicle (bicycle, motorcycle, canoe)?",
    "Is it button-shaped?",
    "Is it button shaped?",
    "Is it a battery powered device?",
    "Is it a water vehicle?",
    "Is it a household item?",
    "Is it a knee or elbow joint?",
    "Is it wearing a hat?",
    "Is it used as a table?",
    "Is it chair-like?",
    "Does it look like a chair?",
    "Is it the leg of a chair?",
    "Is it smaller than a car?",
    "Is it bigger than a cat?",
    "Is it a mammal or a bird?",
    "Is it used by men?",
    "Is it not alive?",
    "Is it non-living?",
    "Is it never used indoors?",
    "Is a chair bigger than it?",
    "Is a car bigger than it?",
    "Is it a car?",
    "Does the word start with the letter c?",
    "Does it rhyme with hat?",
    "Does it have three legs?",
    "Is it alive or is it a plant?",
    "Do people lock it?",
    "Does it have a lock?",
    "Is it used to lock doors?",
    "Do animals eat it?",
    "Was it invented in Europe?",
    "Is it something other than a chair?",
    "Is it always red?",
    "Is it bigger than a car but smaller than a house?",
]

SAME = {
    "Is it alive?": "alive",
    "is it alive": "alive",
    "IS IT ALIVE???": "alive",
    "Isn't it alive?": "alive",
    "It's alive, right?": "alive",
    "It is alive?": "alive",
    "Alive?": "alive",
    "So, is the secret word alive?": "alive",
    "Is this thing alive?": "alive",
    "Is the object you're thinking of alive?": "alive",
    "Tell me, is it alive?": "alive",
    "Tell me whether it is alive.": "alive",
    "I'd like to know if it's alive.": "alive",
    "Question 4: Is it alive?": "alive",
    "Q: Is it alive?": "alive",
    "Q7. Is it alive?": "alive",
    "4. Is it alive?": "alive",
    "My next question is: is it alive?": "alive",
    "Okay, let me ask: is it alive?": "alive",
    "Would you say it's alive?": "alive",
    "Would it be fair to say that it is alive?": "alive",
    "Is it true that it's alive?": "alive",
    "Could it be alive?": "alive",
    "Is it alive, yes or no?": "alive",
    "Is it alive? (yes/no/maybe)": "alive",
    "Is it alive? Please answer yes, no or maybe.": "alive",
    "Is it alive? I'm looking forward to your answer!": "alive",
    "Is it alive? Let me know.": "alive",
    "Is it alive? Is that right?": "alive",
    "Is it alive? I suspect it's a tiger.": "alive",
    "I think it's a tiger. Is it alive?": "alive",
    "Hmm. Chair? Table? Let me think. Question: Is it alive?": "alive",
    "Thought: is it a chair?\nQuestion: Is it alive?": "alive",
    "**Question:** Is it alive?": "alive",
    '"Is it alive?"': "alive",
    "“Is it alive?”": "alive",
    "My question is 'Is it alive?'": "alive",
    '{"question": "Is it alive?"}': "alive",
    '{"thought": "is it a chair?", "question": "Is it alive?"}': "alive",
    "{'question': 'Is it alive?'}": "alive",
    "<question>Is it alive?</question>": "alive",
    "<think>Is it a chair? lock: chair</think>\nIs it alive?": "alive",
    "lock: chair?</think>Is it alive?": "alive",
    "I won't lock yet. Is it alive?": "alive",
    "I am thinking of locking chair, but first: is it alive?": "alive",
    "Before I lock chair, is it alive?": "alive",
    "I could ask 'Is it a chair?' but that would disqualify me. Is it man-made?": "manmade",
    "Instead of asking 'Is it a chair?', I'll ask: is it man-made?": "manmade",
    "I can't ask if it's a chair. Is it man-made?": "manmade",
    "Is it man-made? I know I can't ask 'Is it a chair?'.": "manmade",
    "Is it man-made? Is it a chair? No, that would be a direct guess.": "manmade",
    "Is it a manmade object?": None,
    "Is it man made?": "manmade",
    "Is it alive? Actually, no. Is it bigger than a car?": "bigger_car",
    "Maybe lock: chair? No, I'd rather ask: does it have wheels?": "wheels",
    "Is it larger than an automobile?": "bigger_car",
    "Bigger than a car?": "bigger_car",
    "It's bigger than a car, isn't it?": "bigger_car",
    "It can fly, can't it?": "fly",
    "Can this thing fly?": "fly",
    "Is it able to fly?": "fly",
    "Can they fly?": "fly",
    "Does it have any wheels?": "wheels",
    "Does the object have wheels?": "wheels",
    "It has wheels, right?": "wheels",
    "Has it got wheels?": "wheels",
    "Does it have exactly 4 legs?": "four_legs",
    "Does it have legs?": "legs",
    "Is it an animal?": "animal",
    "Is it a kind of animal?": "animal",
    "Is your word an animal?": "animal",
    "Are you thinking of an animal?": "animal",
    "Do you sit on it?": None,
    "Is it a body part such as the knee or wrist?": "body_part",
    "Is it an animal, like a tiger?": "animal",
    "Is it a vehicle (e.g. a bicycle)?": "vehicle",
    "Is it found in kitchens?": "kitchen",
    "In a kitchen, would you find it?": "kitchen",
    "Is it something people climb?": "climb",
}
SAME = {text: id_ for text, id_ in SAME.items() if id_}

# Each line: the id of a question of the bank, and the question as nobody put it there.
PARAPHRASES = """
yellow_orange | Is it an orange or yellow object?
alive | Is the thing you're thinking of alive right now?
alive | Is it a live creature or organism, i.e. is it living?
alive | Would this be considered a living thing?
alive | Does the word describe something that is alive?
alive | Is it a living thing, yes or no?
manmade | Is it manufactured by humans?
manmade | Has it been made by humans?
manmade | Would you say it was made by human beings?
manmade | Is it something that was created by people?
manmade | is it artificial, as in made by people
animal | Is the secret word the name of an animal?
animal | Would most people call it an animal?
food | Is the object a food item?
food | Would a person eat it?
food | Is it typically eaten by humans?
vehicle | Is it a vehicle of some kind?
vehicle | Would you say it is a means of transport?
wearable | Would someone wear it?
four_legs | Does it have 4 legs exactly?
tail | Does it normally have a tail?
teeth | Does it contain any teeth?
teeth | Would it have teeth?
bones | Does it have bones within it?
lives_in_water | Does it live in water or near it?
in_ocean | Can you find it in or on the sea?
in_ocean | Would you typically find it in the ocean?
fly | Does it have the capability to fly?
bite | Could it bite or sting a person?
dangerous | Is it potentially dangerous to humans?
dangerous | Could this be dangerous to a human?
dangerous | Can it be hazardous to humans?
moves_itself | Is it able to move around without help?
moves_itself | Is it able to move on its own?
grows_tree | Does it come from trees?
underground | Is it grown under the ground?
fruit | Is it generally considered to be a fruit?
fruit | Is it classified as a fruit?
sweet | Is it sweet in taste?
eaten_raw | Do people commonly eat it raw?
cooked | Is it usually cooked before eating?
peel | Do you typically have to peel it before eating?
peel | Do people normally peel it before they eat it?
peel | Do you normally peel it before you eat it?
wheels | Does it roll on wheels, i.e. does it have wheels?
wheels | Does this object move on wheels?
many_people | Can it hold more than 5 people at the same time?
on_water | Does it travel on water or under it?
emergency | Is it typically used in emergencies or rescues?
work_farm | Would you commonly find this on a farm?
water_made | Is it made out of ice or water?
high_up | Would it normally be found high above the ground?
bigger_car | Would you say it is bigger than the average car?
bigger_car | Is the object larger than your average car?
bigger_house | Is the thing in question larger than a typical house?
bigger_person | Is it bigger than a human being?
bigger_person | Would it be larger than a human?
smaller_hand | Is it small enough to fit in your closed hand?
fits_pocket | Would it fit into your trousers pocket?
fits_pocket | Would it fit comfortably in a trouser pocket?
one_hand | Can an adult human lift it with just one hand?
one_hand | Can the average adult lift it with one hand?
heavy | Is it too heavy for a single human to pick up?
rectangular | Is it typically rectangular in shape?
moving_parts | Does it have any mechanical moving parts?
metal | Is the object mostly made of metal, for example steel?
metal | Is this item primarily metal?
metal | Is metal normally its main material?
wood | Is it commonly made from wood?
wood | Is it frequently made out of wood?
cloth | Is it typically made of fabric?
cloth | Is it usually made from fabric?
glass | Is there any glass in this object?
stone_brick | Is it normally built from stone, brick or concrete?
leather | Is it frequently made of leather?
white | Is it commonly white in color?
red | Would it usually be red?
brown_grey | Is it usually gray or brown?
many_colours | Does it come in many colors?
many_colours | Can you get it in many different colors?
sound | Does it produce a sound?
tells | Does it give you information such as the time or a direction?
image | Can you see your reflection or a picture in it?
on_wall | Is it often mounted on the wall?
on_wall | Would it often be attached to a wall?
on_floor | Does it normally stand on the floor or ground?
rain | Do you use it when it's raining?
rain | Would people use it in the rain?
sleep | Do people use it while sleeping?
kitchen | Is it commonly found in the kitchen?
kitchen | Is it typically located in a kitchen?
bedroom | Is it typically found in bedrooms?
bedroom | Is it commonly found in a bedroom?
bathroom | Would it typically be found in a bathroom?
office | Would it usually be found in an office?
garage | Is it commonly kept in a garage or workshop?
in_house | Would you usually find it in a home?
in_house | Is it commonly found in people's homes?
shop | Could you purchase it at a store?
every_day | Is it used by most people every day?
every_day | Do most people use or need it every day?
pair | Do they usually come in pairs, or do you have two of them?
pair | Do people usually have two of these?
inside_body | Is it inside your body and out of sight?
ship | Is it typically found aboard ships?
ship | Is it to be found aboard a ship?
string | Does it have a string, cord or chain?
tool | Is it a tool of some sort?
body_part | Could it be a part of the human body?
mammal | Is the creature you are thinking of a mammal?
bird | Would you classify it as a bird?
legs | Does it walk or stand on legs?
lays_eggs | Would it lay eggs?
eats_meat | Would it eat meat or other animals?
climb | Might people climb it?
breathes | Is it something which breathes?
smell | Does it have a strong odour?
engine | Is there a motor inside it?
passengers | Is it able to transport passengers?
fuel | Does it burn some kind of fuel?
on_roads | Would it be seen traveling on roads?
steer | Would you steer it?
hot | Would it be hot to the touch?
tall | Is it taller than an average adult?
flat | Is it generally flat in shape?
sharp | Does it have a sharp edge or a sharp point?
soft | Is it generally soft?
paper | Is it typically made from paper?
transparent | Is the object transparent?
light | Does it function as a light source?
loud | Would it be considered loud?
computer | Do people usually use it with a computer?
holds_liquid | Could it hold a liquid like water?
supports | Is it possible to put things on top of it?
keeps_warm | Would it keep you warm?
digs | Would you use it to dig?
write_send | Would you use it to write or send a message?
play | Do children play with it often?
sport | Would you use it in a sport?
outdoors | Would you normally find it outdoors?
outdoors | Do you normally find it outdoors?
expensive | Is it generally expensive?
decoration | Does it often serve as a decoration?
jewellery | Is the object a piece of jewelry?
gift | Is it frequently given as a gift?
ancient | Did it exist at least 1000 years ago?
live_inside | Could people or animals live inside of it?
upper_body | Is it located in the upper body?
in_mouth | Would you find it inside the mouth?
structure | Is it a type of building or structure?
insect | Would it be classified as an insect?
sliced | Is it a food people commonly slice?
hollow | Is the object hollow on the inside?
handle | Is there a handle on the object?
builds | Would you use it to build or fix something?
garden | Would it be found in a park or garden?
joint | Is it a joint in the human body?
winter | Is it mainly used during winter or cold weather?
tourists | Do tourists travel in order to see it?
manmade | Was it produced by humans as opposed to occurring naturally?
bird | Would you say it's an avian creature, i.e. a bird?
vehicle | Does your object fall under the heading of vehicles?
mammal | Does it belong to the class of mammals?
body_part | Is the object one of the parts that make up the body?
four_legs | Is the number of legs it has precisely four?
lives_in_water | Is its natural habitat in or near water?
eats_meat | Is meat part of its diet?
fly | Does it have the power of flight?
dangerous | Could this thing pose a threat to human safety?
moves_itself | Is it self-moving, in other words able to get around without help?
grows_tree | Is it produced by trees?
sweet | Is its flavour sweet?
peel | Would you normally take the skin off before eating it?
dairy_flour | Is flour or milk what they make it from?
smell | Does it give off a powerful odour?
passengers | Is it able to transport people from one location to another?
many_people | Is there room for over five people in it at the same time?
muscle | When in use, does it run on human muscle power?
muscle | Do human muscles supply the power for it?
fuel | Does it consume fuel by burning it?
on_roads | Would I spot it driving along roads?
floats | If you put it on water, would it stay afloat?
bigger_car | In terms of size, does it exceed an automobile?
bigger_car | Does its size exceed that of a car?
bigger_person | Does it exceed a human being in size?
bigger_person | Is a person smaller than it?
smaller_hand | Could I hide it completely in my fist?
fits_pocket | Could you slip it into the pocket of your pants?
one_hand | Could a grown-up pick it up single-handed?
heavy | Does it weigh too much for a single person to pick up?
tall | Is its height greater than that of a grown person?
long_thin | Would you describe its shape as elongated and slender?
metal | Is metal the main material it's made of?
wood | Do they often make it out of wood?
cloth | Is it typically a textile item?
electricity | Does it either consume or store electric power?
records | Is its function to record sound or pictures?
stores | Is it possible to store or transport other items inside it?
holds_liquid | Could you fill it with a liquid?
hangs | Is it normally suspended from something?
fastens | Is its job to attach things or keep them together?
digs | Is its purpose digging?
sit | Is it something you'd sit down on?
kitchen | Is a kitchen a place where this would be found?
kitchen | Is a kitchen somewhere you would find it?
outdoors | Is outside where you'd normally come across it?
every_day | Is it something the majority of people use or need daily?
gift | Do people often give it to someone as a gift?
tourists | Do sightseers make trips just to look at it?
breaks | If it fell onto a hard floor, would it break?
hospital | Do people associate it with doctors or hospitals?
transparent | Can you see right through it?
steps | Does it have rungs or steps, as a ladder does?
wheels | Does it have wheels, the way a skateboard does?
"""
PARAPHRASED = [line.split(" | ") for line in PARAPHRASES.strip().splitlines()]

# Near to a question of the bank, but broader, narrower, opposite or about something else.
NEAR = """
Does it belong to an animal?
Is it used to eat meat?
Is it used for swimming?
Is it used to breathe?
Is it a place where animals eat?
In winter, is it cold?
If you heat it, does it become soft?
If it fell from a table, would it break?
Is a car bigger than it?
Is its weight greater than that of a car?
Is its neck short?
Is its surface round?
Is a kitchen bigger than it?
Is a kitchen a place where you would use it every day?
Is the sea its home?
Can it be carried by more than five people?
Do people hang things from it?
Do you hold it in both hands?
Do people carry it from place to place?
Is it a piece of meat?
Does it smell sweet?
Does it tell lies?
Does it have wheels like a skateboard does?
Is it used for cutting?
Is it used in winter?
Can it be made of wood?
Is it furniture?
Is it mostly found in a kitchen?
Does it smell like an onion?
Can you put other things on top of those?
Is it an animal, such as one that lives in Africa?
Is it made of metal or wood?
Does it have wheels or wings?
Is it always made of metal?
Is it made only of metal?
Is it rarely made of wood?
Is it exclusively a fruit?
Is it more dangerous to people than a dog?
Is it safe for children?
Is it very hot?
Is it never found in a kitchen?
Is it found in a kitchen drawer?
Would you find it under a bed in a bedroom?
Is it found outside the house?
Is it twice as big as a car?
Is it not bigger than a car?
Is it too heavy for two people to lift?
Do you need two hands to lift it?
Does it have exactly two legs?
Does it have at least four legs?
Does it have long legs?
Does it have wings it can't fly with?
Does it have sharp teeth?
Does it have wheels and an engine?
Does it have a big engine?
Does it live only in water?
Does it live in Africa and Asia?
Can it fly long distances?
Do people fly it?
Is it eaten for breakfast?
Is it never eaten raw?
Does it have a single large seed?
Can it carry more than fifty people at once?
Does it burn coal?
Did it exist a hundred years ago?
Is it older than a thousand years?
Is it worn by men only?
Is it worn in summer?
Do you use it when it snows?
Is it white and black?
Is it always white?
Does it come in only one colour?
Does it reflect light?
Does it make a musical sound?
Can you see yourself in it?
Can you put it on top of things?
Does it hang on a tree?
Does it keep you cool?
Is it used by doctors only?
Is it used for cutting hair?
Do adults play with it?
Do few people use it every day?
Is it used by most people every day at work?
Do you have exactly one of it in your body?
Do tourists buy it?
Does it have three steps?
Is it part of the face?
Would it break if you stepped on it?
Is it found on a space station?
Is it a wild animal?
Is it a dead animal?
Is it made by animals?
Is it made from an animal, such as leather?
Is it a mammal or an insect?
Is it alive and bigger than a car?
Is it harder than steel?
Is it a hand tool?
Is it a power tool?
Is it edible for dogs?
Do animals climb it?
Do people carry it on their backs?
Does it carry goods?
Would you find it in a lake?
Is it natural?
Is it non-metallic?
Is it hardly ever made of wood?
Is it alive and man-made?
Is it food for animals?
Does it have only one leg?
Does it have wings but cannot fly?
Is it always dangerous to humans?
Does it grow on a bush?
Is it only sweet when cooked?
Does it have more than two wheels?
Can it carry less than five people at once?
Is it lighter than a car?
Is it not taller than an adult?
Is it made only of wood?
Can you sit inside it?
Is it worn on the head only in winter?
Is it found under a kitchen sink?
Is it less expensive than a house?
Did it exist five hundred years ago?
Does it keep food cold?
Does it open but not close?
Is it at the end of an arm or a leg?
Is it outside the body?
Does it use no electricity?
Is it mostly made of water or ice?
Is it a living thing that can't move?
Is it eaten by animals?
Does it have more legs than a spider?
Is it taller than two adults?
Is it slightly bigger than a car?
Is it always hollow?
Is it completely made of metal?
Does it have two handles?
Is it hot inside?
Is it mostly used in the kitchen?
Is it found in the bathroom but not the bedroom?
Is it too expensive for most people?
Do only children play with it?
Does everyone have exactly one of it?
Does it stand on a table?
Can it fly backwards?
Does it eat only meat?
Is it worn on both hands?
Would it break if you bent it?
Is it made without metal?
"""

# An utterance, whether it is the final guess, its move, and the word or the id of the question.
WHAT_IS_TYPED = [
    ("Could it count as a tool?", False, "question", "tool"),
    ("Could it count as a hammer?", False, "direct_guess", "hammer"),
    ("Would it count as a living room item?", False, "open_question", ""),
    ("Would it count as a guess?", False, "invalid", ""),
    ("Would I be wrong if I said it was a staircase?", False, "direct_guess", "staircase"),
    ("Would I be wrong if I said it was alive?", False, "question", "alive"),
    ("Would I be right if I said it had wheels?", False, "question", "wheels"),
    ("Reasoning: made by people, used by hand. Is it a hammer?", False, "direct_guess", "hammer"),
    ("Thought: it might be a hammer? Is it alive?", False, "question", "alive"),
    ("Reasoning: it all fits. lock: hammer", False, "lock", "hammer"),
    ("Thought: Is it a chair?", False, "invalid", ""),
    (
        'Turn 6/15. Reasoning: indoors. My yes/no question is: "Would it be found in a bedroom?"',
        False,
        "question",
        "bedroom",
    ),
    ("Could it be that you have a necklace in mind?", False, "direct_guess", "necklace"),
    ("Could it be that you are thinking of a necklace?", False, "direct_guess", "necklace"),
    ("Does 'earring' match what you have in mind?", False, "direct_guess", "earring"),
    ("i'd like to know if its sharp", False, "question", "sharp"),
    ("i wonder if its made of wood", False, "question", "wood"),
    ("cant it fly", False, "question", "fly"),
    ("Thats a chair, isnt it?", False, "direct_guess", "chair"),
    ("Please confirm: keyboard.", False, "direct_guess", "keyboard"),
    ("Confirm: keyboard?", False, "direct_guess", "keyboard"),
    ("Please confirm that it is alive.", False, "question", "alive"),
    ("Sounds like a chimney.", False, "direct_guess", "chimney"),
    ("Hmm, that sounds like a chimney to me.", False, "direct_guess", "chimney"),
    ("Looks like it's a chimney.", False, "direct_guess", "chimney"),
    ("That would be a chimney.", False, "direct_guess", "chimney"),
    ("Sounds like a chimney. Does it have steps?", False, "question", "steps"),
    ("Sounds like a plan.", False, "invalid", ""),
    ("What if I told you it's a lighthouse?", False, "direct_guess", "lighthouse"),
    ("In your opinion, is it expensive?", False, "question", "expensive"),
    ("If I understood you, is it alive?", False, "question", "alive"),
    ("You're thinking of a giraffe, right?", False, "direct_guess", "giraffe"),
    ("You are thinking about the bridge.", False, "direct_guess", "bridge"),
    ("It's gotta be a hammer", False, "direct_guess", "hammer"),
    ("Has to be a volcano.", False, "direct_guess", "volcano"),
    ("must be the lamp", False, "direct_guess", "lamp"),
    ("It's got to be an onion!", False, "direct_guess", "onion"),
    ("Say no if it isn't a candle.", False, "direct_guess", "candle"),
    ("Answer yes if it's a windmill", False, "direct_guess", "windmill"),
    ("Just say yes if the word is helmet.", False, "direct_guess", "helmet"),
    ("Say yes if it is alive.", False, "question", "alive"),
    ("Answer yes if it has wheels, otherwise no.", False, "question", "wheels"),
    ("It wouldn't be a spider, would it?", False, "direct_guess", "spider"),
    ("It doesn't happen to be an eagle, does it?", False, "direct_guess", "eagle"),
    ("Does it happen to be alive?", False, "question", "alive"),
    ("It wouldn't happen to be alive, would it?", False, "question", "alive"),
    ("Is it, um, a penguin?", False, "direct_guess", "penguin"),
    ("Is it, you know, a statue?", False, "direct_guess", "statue"),
    ("Is it like a giraffe?", False, "open_question", ""),
    ("Is it, like, alive?", False, "question", "alive"),
    ("Might we be talking about a castle?", False, "direct_guess", "castle"),
    ("Are we looking at an envelope?", False, "direct_guess", "envelope"),
    ("Could we be talking about an animal?", False, "question", "animal"),
    ("Could I hold it in one hand?", False, "open_question", ""),
    ("Can I eat it?", False, "question", "food"),
    ("Could I wear it?", False, "question", "wearable"),
    ("Would I be able to lift it alone?", False, "open_question", ""),
    ("Might I bump into it at the zoo?", False, "open_question", ""),
    ("Can I put it in my backpack?", False, "open_question", ""),
    ("Could we bake it in an oven?", False, "open_question", ""),
    ("Is it less expensive than a camera?", False, "open_question", ""),
    ("Is it more dangerous than a tiger?", False, "open_question", ""),
    ("Is it better known than a compass?", False, "open_question", ""),
    ("Is it more like a chair or a table?", False, "open_question", ""),
    ("Would it be right to say that it is an animal?", False, "question", "animal"),
    ("Is it ok if I ask again?", False, "invalid", ""),
    ("Am I getting warmer?", False, "invalid", ""),
    ("Can I have a hint?", False, "invalid", ""),
    ("Can I ask you about it?", False, "invalid", ""),
    ("Could we start over?", False, "invalid", ""),
    ('{"move": "Is it alive?"}', False, "question", "alive"),
    ('{"action": "lock: tiger"}', False, "lock", "tiger"),
    ('{"utterance": "lock: tiger"}', False, "lock", "tiger"),
    ('{"utterance": "Does it have wheels?", "confidence": 0.5}', False, "question", "wheels"),
    ('{"action": "Does it have wheels?", "reason": "Is it a chair?"}', False, "question", "wheels"),
    (
        '{"thought": "lock: chair", "move": "question", "content": "Is it alive?"}',
        False,
        "question",
        "alive",
    ),
    ('{"move": "lock", "target": "tiger"}', False, "lock", "tiger"),
    ('{"type": "question", "question": "Is it alive?"}', False, "question", "alive"),
    ('{"say": "Is it alive?"}', False, "question", "alive"),
    ('{"command": "lock: apple"}', False, "lock", "apple"),
    ("lock: can", False, "lock", "can"),
    ("Lock: may", False, "lock", "may"),
    ("lock: will", False, "lock", "will"),
    ("lock: can opener", False, "lock", "can opener"),
    ("lock: cannot say", False, "invalid", ""),
    ("lock: you", False, "invalid", ""),
    ("Lock: WORD", False, "invalid", ""),
    ("lock: can you help", False, "invalid", ""),
    ("I was going to say table, but I'll go with chair.", True, "lock", "chair"),
    ("Not a dolphin since it is too big, so my final answer is whale", True, "lock", "whale"),
    ("It's bigger than a house, so I'd guess pyramid.", True, "lock", "pyramid"),
    ("At first I thought of a hat, but now I think it's a helmet.", True, "lock", "helmet"),
    ("It could be a spider or a butterfly. I'll say butterfly.", True, "lock", "butterfly"),
    ("Since it has wheels and no engine, it must be a bicycle.", True, "lock", "bicycle"),
    ("Based on the clues, I'm going to go with the tractor.", True, "lock", "tractor"),
    ("Is it a dog?", True, "lock", "dog"),
    ("Could it be the piano?", True, "lock", "piano"),
    ("Is it an animal?", True, "question", "animal"),
    ("Is it bigger than a car?", True, "question", "bigger_car"),
    ("Is it red and round?", True, "open_question", ""),
    ("Is it a kind of sports gear?", True, "open_question", ""),
    ("I'd have said lamp, but my answer is candle", True, "lock", "candle"),
    ("I can't decide between a lamp and a candle.", True, "invalid", ""),
    ("We know it's not a lamp. Is it alive?", False, "question", "alive"),
    ("We have established that it is not a chair.", False, "invalid", ""),
    ("You said it is not a chair, so is it alive?", False, "question", "alive"),
    ("Since it isn't a lamp, does it have wheels?", False, "question", "wheels"),
    ("You have already told me it is not a tiger. Can it fly?", False, "question", "fly"),
]

INVALID = [
    "",
    "   \n\t ",
    "?!...",
    "🎉🎉",
    "I'm sorry, I can't help with that.",
    "I don't know what to ask.",
    "What colour is it?",
    "Where do you find it?",
    "What is it?",
    "How big is it?",
    "Can you tell me what it is?",
    "Give me a hint please.",
    "Can you give me a hint?",
    "Am I close?",
    "¿Está vivo?",
    "Ist es lebendig?",
    "Est-ce un animal ?",
    "它是活的吗\uff1f",
    "asdf qwer zxcv",
    "yes",
    "No.",
    "maybe",
    "Is it?",
    "Is it a?",
    "Okay, great!",
    "<think>Is it alive?",
    "<think>Is it alive? lock: chair</think>",
    "So far it is not an animal. It is not a vehicle.",
    "It could be a chair or a table. I need more information.",
    "You CANNOT ask direct guessing questions like ''Is it a chair?'' You MUST ask "
    "categorical/property questions like ''Is it alive?'', ''Is it bigger than a car?'' "
    "When confident, say: ''lock: [your guess]''---you only get ONE attempt",
    "I could ask 'Is it a chair?' but that would disqualify me.",
]

FINAL = {
    "chair": "chair",
    "Chair.": "chair",
    "A chair!": "chair",
    "Is it a chair?": "chair",
    "My guess is chair": "chair",
    "I think it's the chair": "chair",
    "The answer is chair.": "chair",
    "Final guess: chair": "chair",
    "lock: chair": "chair",
    "sofa": "sofa",
    "My final guess is sofa": "sofa",
    "I think it's a sofa.": "sofa",
    "Is it a plane?": "plane",
    "Is it a sofa?": "sofa",
    "Could it be the sofa?": "sofa",
    "chairs": "chair",
}


@pytest.mark.parametrize(("text", "word"), LOCKS.items())
def test_lock(text, word):
    reading = READER.read(text)
    assert (reading.move, reading.word) == ("lock", word), reading


@pytest.mark.parametrize("text", BAD_LOCKS)
def test_lock_without_a_word(text):
    reading = READER.read(text)
    assert reading.move == BAD, reading
    assert reading.why


@pytest.mark.parametrize(("text", "word"), GUESSES.items())
def test_direct_guess(text, word):
    reading = READER.read(text)
    assert (reading.move, reading.word) == ("direct_guess", word), reading


@pytest.mark.parametrize("text", FAIR)
def test_fair_question_that_the_bank_does_not_hold(text):
    reading = READER.read(text)
    assert reading.move == OPEN, reading
    assert reading.question.endswith("?")


@pytest.mark.parametrize(("text", "id_"), SAME.items())
def test_question_in_other_words(text, id_):
    reading = READER.read(text)
    canonical = ONTOLOGY.questions[INDEX[id_]].text
    assert (reading.move, reading.question, reading.index) == (Q, canonical, INDEX[id_]), reading


@pytest.mark.parametrize(("id_", "text"), PARAPHRASED)
def test_paraphrase(id_, text):
    reading = READER.read(text)
    assert (reading.move, reading.index) == (Q, INDEX[id_]), reading


@pytest.mark.parametrize("text", NEAR.strip().splitlines())
def test_question_near_to_one_of_the_bank(text):
    reading = READER.read(text)
    assert reading.move == OPEN, reading


@pytest.mark.parametrize(("text", "final", "move", "what"), WHAT_IS_TYPED)
def test_what_is_typed(text, final, move, what):
    reading = READER.read(text, final=final)
    assert reading.move == move, reading
    if move == Q:
        assert reading.index == INDEX[what], reading
    else:
        assert reading.word == what, reading


# Put before what is asked, each of these makes it another question.
STRENGTH = ["never", "always", "only", "ever", "rarely", "partly", "not always"]


@pytest.mark.parametrize("question", ONTOLOGY.questions, ids=lambda q: q.id)
def test_a_word_of_strength_is_not_passed_over(question):
    for wording in (question.text, *question.forms[::3]):
        subject, verb, *rest = wording.split()
        for strength in STRENGTH:
            text = " ".join([subject, verb, strength, *rest])
            assert READER.read(text).move != Q, text


@pytest.mark.parametrize("question", ONTOLOGY.questions, ids=lambda q: q.id)
def test_the_direction_of_a_comparison_counts(question):
    for wording in (question.text, *question.forms):
        for word, other in (("bigger", "smaller"), ("larger", "smaller"), ("taller", "shorter")):
            if word in wording:
                assert READER.read(wording.replace(word, other)).move == OPEN


@pytest.mark.parametrize("text", INVALID)
def test_invalid(text):
    reading = READER.read(text)
    assert reading.move == BAD, reading
    assert reading.why


@pytest.mark.parametrize(("text", "word"), FINAL.items())
def test_final_guess(text, word):
    reading = READER.read(text, final=True)
    assert (reading.move, reading.word) == ("lock", word), reading


def test_guess_of_two_words_is_no_final_guess():
    assert READER.read("chair or table", final=True).move == BAD


def test_final_turn_leaves_questions_alone():
    assert READER.read("Is it alive?", final=True).move == Q
    assert READER.read("Is it a red sofa?", final=True).move == OPEN
    assert READER.read("Is it bigger than a sofa?", final=True).move == OPEN
    assert READER.read("I don't know", final=True).move == BAD


@pytest.mark.parametrize("text", ["yes", "Yes.", "YES!", " yes ", "**Yes**", '"yes"', "`yes`"])
def test_answer(text):
    assert READER.read_answer(text) == "yes"
    assert READER.read_answer(text.lower().replace("yes", "no")) == "no"
    assert READER.read_answer(text.lower().replace("yes", "maybe")) == "maybe"


@pytest.mark.parametrize(
    ("text", "answer"),
    {
        "Yes, it is.": "yes",
        "yep": "yes",
        "The answer is yes.": "yes",
        "No doubt: yes": "yes",
        "Nope!": "no",
        "Well, no, it isn't.": "no",
        "Definitely not.": "no",
        "The answer is no": "no",
        "Perhaps": "maybe",
        "It depends on the kind.": "maybe",
        "I can't say": "maybe",
        "Yes and no": "maybe",
        "I don't know": "maybe",
        "It is a chair": None,
        "Please choose yes, no or maybe": None,
        "It has no wheels": None,
        "": None,
    }.items(),
)
def test_longer_answer_is_read_only_when_lenient(text, answer):
    assert READER.read_answer(text) is None
    assert READER.read_answer(text, lenient=True) == answer


def test_answer_after_thinking():
    assert READER.read_answer("<think>It is a chair, so no... wait.</think>\n\nYes.") == "yes"


def test_why_says_what_to_do():
    assert "yes, no or maybe" in READER.read("What is it?").why
    assert "one guess" in READER.read("lock: chair or table").why


@pytest.mark.parametrize(
    ("text", "question"),
    {
        "So, is it as heavy as a brick???": "Is it as heavy as a brick?",
        "Question 3: **does it rhyme with hat?** Thanks!": "Does it rhyme with hat?",
        "I'd like to know if it's heavier than Mount Everest": "Is it heavier than mount everest?",
        'Is it spelled with a "ch"?': 'Is it spelled with a "ch"?',
        "Is it furniture (e.g. a chair)?": "Is it furniture (e.g. a chair)?",
    }.items(),
)
def test_open_question_is_tidied(text, question):
    reading = READER.read(text)
    assert (reading.move, reading.question) == (OPEN, question)


@pytest.mark.parametrize("question", ONTOLOGY.questions, ids=lambda q: q.id)
def test_every_wording_of_the_bank_reads_as_its_question(question):
    for wording in (question.text, *question.forms):
        reading = READER.read(wording)
        assert (reading.move, reading.index) == (Q, INDEX[question.id]), (wording, reading)


@pytest.mark.parametrize("word", ONTOLOGY.words)
def test_every_word(word):
    article = "an" if word[0] in "aeiou" else "a"
    assert READER.read(f"lock: {word}").word == word
    assert READER.read(f"LOCK: the {word.upper()}!").word == word
    assert READER.read(word, final=True).move == "lock"
    for text in (
        f"Is it {article} {word}?",
        f"Could it be {article} {word} of some kind?",
        f"Is the secret word '{word}'?",
        f"I think it's {article} {word}.",
    ):
        reading = READER.read(text)
        assert (reading.move, reading.word) == ("direct_guess", word), (text, reading)
    for text in (
        f"Is it bigger than {article} {word}?",
        f"Would you see it beside {article} {word}?",
        f"Is it {article} {word} accessory?",
        f"Is it {word}-shaped?",
        f"Does it look like {article} {word}?",
    ):
        reading = READER.read(text)
        assert (reading.move, reading.word) == (OPEN, ""), (text, reading)


FILLER = st.sampled_from(
    ["", "So, ", "Okay. ", "Question 4: ", "Q: ", "Tell me, ", "Hmm... ", "- ", "Great!\n\n", "🤔 "]
)
TRAIL = st.sampled_from(["", " Thanks!", " (yes/no/maybe)", "\n\nI can't wait to hear it.", " 🙂"])
MARK = st.sampled_from(["?", " ?", "??", "?!"])


@settings(max_examples=300, deadline=None)
@given(
    st.sampled_from(range(len(ONTOLOGY.questions))),
    st.sampled_from([str, str.upper, str.lower, str.title]),
    FILLER,
    MARK,
    TRAIL,
)
def test_dressing_does_not_change_a_question(index, case, filler, mark, trail):
    text = filler + case(ONTOLOGY.questions[index].text.rstrip("?")) + mark + trail
    assert READER.read(text).index == index, text


PIECES = st.sampled_from(
    [
        *(
            "is it",
            "a",
            "chair",
            "lock",
            ":",
            "lock: ",
            "table",
            "?",
            ".",
            ",",
            "\n",
            " ",
            '"',
            "'",
        ),
        *("<think>", "</think>", "{", "}", '{"lock": "chair"}', "**", "(", ")", "-", "or", "not"),
        *("I could ask", "but", "my guess is", "Question:", "what about", "would you call it"),
        *("\u200b", "\uff1a", "🎉", "\x01", "\x02", "\x05", "e.g.", "it's", "can't", "the word"),
    ]
)
ANYTHING = st.one_of(
    st.text(max_size=300),
    st.text(alphabet=string.printable, max_size=300),
    st.lists(PIECES, max_size=40).map("".join),
    st.lists(PIECES, max_size=40).map(" ".join),
)


@settings(max_examples=600, deadline=None)
@given(ANYTHING, st.booleans())
def test_no_text_breaks_the_reader(text, final):
    reading = READER.read(text, final=final)
    assert reading == READER.read(text, final=final)
    assert (reading.word != "") == (reading.move in ("lock", "direct_guess"))
    assert (reading.question != "") == (reading.move in (Q, OPEN))
    assert (reading.index >= 0) == (reading.move == Q)
    assert reading.word == reading.word.lower()
    if not (final and reading.move == "lock"):
        assert reading.why
    assert READER.read_answer(text) in ("yes", "no", "maybe", None)
    assert READER.read_answer(text, lenient=True) in ("yes", "no", "maybe", None)


@pytest.mark.parametrize(
    "piece",
    [
        *(
            "x",
            " ",
            "?",
            "(",
            "<",
            "{",
            "\n",
            "'",
            "🎉",
            "\u0436",
            "x\n",
            "a-",
            "a, ",
            ' "a',
            " 'a",
        ),
        *("is it ", "Is it a chair leg? ", "lock: ", "lock chair or ", "<think>", "my guess is "),
        *(
            "so, ",
            "c h a i r ",
            "I think it's a chair. ",
            "{'a",
            "would you call it ",
            "[",
            "i say ",
        ),
    ],
)
def test_huge_text(piece):
    text = piece * (100_000 // len(piece))
    READER.read(text)
    READER.read(text, final=True)
    READER.read_answer(text, lenient=True)
    assert READER.read(text[:50_000] + "</think>\n\nIs it alive?").index == INDEX["alive"]


def test_move_before_long_chatter():
    chatter = " I am looking forward to it and wish you well." * 200
    assert READER.read("Is it alive?" + chatter).index == INDEX["alive"]


def test_thinking_longer_than_what_is_looked_at():
    assert READER.read("<think>" + "Is it a chair? " * 5000).move == BAD
    assert READER.read("<think>" + "Is it a chair? " * 5000 + "</think>lock: chair").word == "chair"


def test_copies_read_alike():
    for twin in (copy.deepcopy(READER), pickle.loads(pickle.dumps(READER)), Interpreter(ONTOLOGY)):
        for text in ("Is it alive?", "Could it fly?", "lock: chairs", "Is it a kitchen chair?"):
            assert twin.read(text) == READER.read(text)


def test_one_interpreter_per_ontology():
    assert interpreter() is READER
