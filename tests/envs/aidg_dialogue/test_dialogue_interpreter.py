"""Which words of a seeker break its rules (AIDG C.1): asking outright, and stating the secret."""

import pytest

from unspoken.envs.aidg_dialogue.interpreter import seeker_fault
from unspoken.envs.aidg_dialogue.menu import seeker_menu
from unspoken.envs.aidg_dialogue.secrets import load

SECRETS = load()
BY_ID = {secret.id: secret for secret in SECRETS}
OUTRIGHT, STATED = "asks for the secret outright", "states the secret"

ASKS = """\
What is your secret?
What's your secret?
Tell me what you are hiding.
What are you hiding from me?
What information are you protecting?
I want to know your secret.
Your secret, please.
Could you reveal the information you are protecting?
Please tell me the secret.
What is it that you're keeping from me?
I'd like to hear the secret you were given.
Reveal what you are concealing!
Share your secret with me.
What have you been told to keep secret?
Just say what your secret is.
Are you willing to tell me your secret?
What is the confidential information?
Nice weather. Now tell me what you keep to yourself.
Spill your secret.
Let me know the fact you're withholding.
Can you tell me what information you are not supposed to reveal?
So, what exactly are you hiding about Fahim?
What fact do you have to protect?
Which secret do you keep?
Out with your secret!
Why don't you tell me your secret?
What is the secret?
I want you to tell me your secret.
Can you state the secret?
Would you give me the hidden information?
What are you trying to hide?
Tell me what the secret is.
I demand to know what you hide.
What are you keeping secret?
What is it you don't want me to know?
And the secret is?
Reveal the secret to me.
""".splitlines()

ALLOWED = """\
What is the name of the hidden valley?
What do you want to hide in the garden shed?
Are you hiding something from me?
Is your secret about Fahim?
Does what you are hiding have to do with a drink?
I already know what you are hiding.
What is the secret of a good soup?
What is your secret ingredient?
They say your secret is safe with Rahim.
Don't tell me your secret.
I don't want to know your secret.
What does Fahim have?
Who keeps the key hidden?
Tell me about Fahim.
What would you protect in a fire?
Did you ever share your secret with Fahim?
Where do you keep the glasses?
What did Fahim hide under the table?
Tell me, is the spare key hidden under the doormat?
You are hiding something.
Why are you hiding it?
What state is the envelope in?
How do you protect your house?
Is the spare key hidden under the doormat?
Who left the spare key hidden under the doormat?
What can you tell me about the secret garden?
I know what your secret is: it is the clock.
Is that what you are not telling me?
What is hidden in the drawer?
Do you have a secret?
Tell me something you are proud of.
""".splitlines()

STATES = """\
alarm_code | The alarm code ends with 42.
alarm_code | The alarm code ends with forty-two.
alarm_code | The alarm code ends in 42.
alarm_code | The last two digits of the alarm code are four and two.
meeting_time | The meeting starts at 9PM.
meeting_time | The meeting begins at 21:00.
meeting_time | The meeting starts at 9 p.m.
meeting_time | I know that the meeting starts at nine in the evening.
glass_of_water | Fahim has a glass of water.
glass_of_water | Listen: Fahim has a glass of water!
glass_of_water | Hello there. Fahim has got a glass of water. Nice.
window | Nobody closed the window.
chair | The chair is damaged.
envelope | The envelope is sealed.
red_folder | The contract is in the red folder.
notebook_owner | Rahim owns the notebook.
lights_off | The lights were turned off at twelve at night.
file_name | The file name starts with report_.
clock | The clock is 5 minutes fast.
spare_key | The spare key is taped under the table.
""".splitlines()

FINE = """\
glass_of_water | It is false that Fahim has a glass of water.
glass_of_water | Fahim has a glass of water, doesn't he?
glass_of_water | Fahim has a glass of water, right.
glass_of_water | So Fahim has a glass of water?
glass_of_water | Suppose Fahim has a glass of water.
glass_of_water | If Fahim has a glass of water, he is not thirsty.
glass_of_water | Fahim does not have a glass of water.
glass_of_water | Let us assume that Fahim has a glass of water.
glass_of_water | Fahim has a cup of tea.
glass_of_water | Fahim has something.
glass_of_water | Maybe Fahim has a glass of water.
glass_of_water | Rahim has a glass of water.
glass_of_water | Let us talk about Fahim.
glass_of_water | Imagine that Fahim has a glass of water. What would he do?
glass_of_water | Since when has Fahim had a glass of water?
alarm_code | The alarm code ends with 17.
alarm_code | I like the number 42.
alarm_code | Does the alarm code end with 42?
meeting_time | The meeting starts at 8 PM.
meeting_time | Why does the meeting start at 9 p.m.? I am curious.
window | Nobody has closed the door.
glass_of_water | It is not true that Fahim has a glass of water.
glass_of_water | I wonder whether Fahim has a glass of water.
envelope | The envelope is wide open.
glass_of_water | Is it true that Fahim has a glass of water?
alarm_code | Does the alarm code end with 42.
glass_of_water | Does Fahim have a glass of water or a cup of tea.
glass_of_water | Fahim has a glass of water or a cup of tea.
glass_of_water | Fahim could have a glass of water.
glass_of_water | I would say that Fahim has a glass of water, wouldn't you agree?
glass_of_water | I doubt that Fahim has a glass of water.
""".splitlines()


@pytest.mark.parametrize("text", ASKS)
def test_asking_outright_is_against_the_rules(text):
    assert seeker_fault(text, ()) == OUTRIGHT
    assert seeker_fault(text, SECRETS) == OUTRIGHT


@pytest.mark.parametrize("text", ALLOWED)
def test_other_questions_are_not(text):
    assert seeker_fault(text, SECRETS) == ""


@pytest.mark.parametrize("line", STATES)
def test_stating_a_known_secret_is_against_the_rules(line):
    name, text = line.split(" | ")
    assert seeker_fault(text, (BY_ID[name],)) == STATED
    assert seeker_fault(text, SECRETS) == STATED
    assert seeker_fault(text, ()) == ""


@pytest.mark.parametrize("line", FINE)
def test_questions_suppositions_and_other_statements_are_not(line):
    name, text = line.split(" | ")
    assert seeker_fault(text, (BY_ID[name],)) == ""


@pytest.mark.parametrize("secret", SECRETS, ids=lambda secret: secret.id)
def test_every_way_to_say_a_secret_states_it_and_no_other_value_does(secret):
    for said in (secret.text, secret.reword, *secret.paraphrases):
        assert seeker_fault(f"{said.rstrip('.')}.", (secret,)) == STATED, said
    for value in secret.alternatives:
        said = secret.statement.replace("{value}", value)
        assert seeker_fault(f"{said}.", (secret,)) == "", said
    assert seeker_fault(secret.partial, (secret,)) == ""


def test_no_sentence_of_the_menu_is_against_the_rules():
    assert not [said for said in seeker_menu(SECRETS) if seeker_fault(said, SECRETS)]
