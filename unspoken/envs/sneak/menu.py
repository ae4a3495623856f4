"""The sentences that SNEAK's moves are said in.

The speaker's menu is the vocabulary of messages, the same in every game; the ally's holds the
messages of the present game and the chameleon's its words, each with a label.
"""

from __future__ import annotations

from collections.abc import Sequence

from unspoken.envs.sneak.instances import Instance
from unspoken.lexicon.vectors import vocabulary

SPEAKER = "speaker_0"
ALLY = "ally_0"
CHAMELEON = "chameleon_0"

_HOW = 'its label, or give probabilities, such as "A: 0.7, B: 0.3".'


def label(index: int) -> str:
    """The label of an option: A, B, …, Z, AA, … in order."""
    return (label(index // 26 - 1) if index >= 26 else "") + chr(ord("A") + index % 26)


def choices(options: Sequence[str], length: int = 0) -> tuple[str, ...]:
    """A listener's menu: its options with their labels, and "" up to a length."""
    said = tuple(f"{label(i)}) {option}" for i, option in enumerate(options))
    return said + ("",) * (length - len(said))


def menus(n_messages: int, n_words: int) -> dict[str, tuple[str, ...]]:
    """The menu of each agent before a game is dealt; the listeners' are as long as they get."""
    return {
        SPEAKER: vocabulary(),
        ALLY: choices(("(a message)",) * n_messages),
        CHAMELEON: choices(("(a word)",) * n_words),
    }


def briefs(instance: Instance) -> dict[str, str]:
    """What each agent's observation begins with: the rules in short, and what it may know."""
    card = f"The category is {instance.category}; the words are {', '.join(instance.words)}."
    secret = f'The secret is "{instance.secret}".'
    return {
        SPEAKER: (
            f"You are the speaker. {card} {secret} Say one message of one to five words by which "
            "your ally, who knows the secret, can tell that you know it too, but from which the "
            "chameleon, who does not, cannot tell which word it is. Do not say the secret or a "
            "form of it, do not spell it or describe its letters, give no initials and no "
            "translation.\n"
        ),
        ALLY: (
            f"You are the ally. {card} {secret} You hear {len(instance.decoys) + 1} messages. One "
            "comes from the speaker, who knows the secret, the others from somebody who does not. "
            f"Say which is the speaker's: {_HOW}\n"
        ),
        CHAMELEON: (
            f"You are the chameleon. {card} One of the words is the secret; the speaker knows "
            "which, you do not. You hear the speaker's message. Say which word is the secret: "
            f"{_HOW}\n{_listed(instance.words)}"
        ),
    }


def heard(messages: Sequence[str]) -> str:
    """What the ally's observation goes on with when there is something to hear."""
    return f"The messages:\n{_listed(messages)}"


def overheard(message: str) -> str:
    """What the chameleon's observation goes on with."""
    return f"The speaker's message: {message}\n"


def _listed(options: Sequence[str]) -> str:
    return "".join(f"{line}\n" for line in choices(options))
