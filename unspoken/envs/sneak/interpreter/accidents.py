"""English words that look like a secret of ours by chance."""

from __future__ import annotations

_ACCIDENTS = """
adamant antagonist antagonistic antagonize antarctic antelope anthem armada ashore ashram bedlam
blatant boston bowel bowler bowling budget bundle bungee bunker bunting bushel button canada
canary cancer cancerous candid candle cannon cannot canola canteen canton cantonal cantor canvas
canvass canyon capability capable caprice capsize captor carapace carbide carbine carmine
carnation carousel carpenter carpentry carpet carpeting carrot carton cartoon cartridge carver
castile catheter charitable compassion compassionate concave confine constable constrain contain
content contestant cotton countdown covenant crossword crowded cubism cupola dampen decorum
denounce deviant diagram diameter discount discover discovery dismay dormant earnest earthen
endanger endear finesse forgettable gallant garnet genteel gentile grammar hamburg hamburger
hamlet hammer hammock hamstring handsome happen hatred hemlock hostile houston impart important
impunity industrial infertile infrared inkling intermittent itself kindred lacking legally legate
legend legion leonardo levant linear literally literate liverpool magnet magpie mammoth margin
martin massacre massage maxim mayhem mayor mayoral million monogram moscow pageant parameter
password peasant penchant pending penguin peninsular pension penultimate perimeter pigeon
platelet pleasure plumage plummet pollock princeton program pronouncement proverb pumpkin pundit
pungent ragtag rampart rapidly rapport raptor reappear rebellion redefine redress refrain
regrettable reinforce replace reptile respond restart restrain retrain robinson rosemary sacred
scarface seamstress season seesaw sergeant shamrock singleton sonnet starboard starling start
startup supervise surveil tenant thousand timber tinker tireless tiresome topology trumpet
turnpike tyrant unstable vacant valiant vanguard vigilant wallaby warlock warsaw washington
wedlock wellington whisker winston
"""
CHANCE = frozenset(_ACCIDENTS.split())
"""English words in which a word of the categories stands by chance."""

_LOOKALIKES = """
arm: armor armored armorer armour
brake: bracken braky
bus: busy busyness
canyon: canon
cola: colon colonic colorectal
corporal: corporality corporate corporation corporeal corporeality
cow: coward cowardly cower
dash: dah
ear: earl earliness early earlyish
earl: ear earliness early earlyish
ginger: gingerly
grater: grateful
hat: hate hated
hate: hat hatless
hoe: holy
honey: hone
hood: hoodlum
hut: hutch
letter: let
liver: live liveable lively liveness livery
Mars: mar mare marl marly marred
mass: mess
palace: palate palatine
pear: pearl pearly
pearl: pear
phone: phoney phony
pie: piebald pied
plum: plumate plume plumed plumose
poker: poke pokey
pop: pope popish popishly
pun: puniness puny
queen: queer queerly queerness
rand: randy
rap: rape raped
ruby: rube rubify
school: shoal
slipper: slider slippery
Spanish: span
star: stare
temple: temporal
tin: tine tined tininess tiny
trumpet: trump
van: vane vaned
"""
STRANGERS = {
    secret: frozenset(words.split())
    for secret, _, words in (line.partition(":") for line in _LOOKALIKES.split("\n"))
}
"""What `lexicon.derivations` takes for kin of these secrets, and is not."""
