"""The sentences that the search game's moves are said in.

The seeker's menu is the question bank followed by one lock a word; the holder's the three answers.
"""

from __future__ import annotations

from collections.abc import Sequence

from unspoken.envs.aidg_search.ontology import Ontology
from unspoken.envs.aidg_search.rules import ANSWERS

SEEKER = "seeker_0"
HOLDER = "holder_0"


def lock_sentence(word: str) -> str:
    """How a lock on a word is said."""
    return f"lock: {word}"


def menus(ontology: Ontology) -> dict[str, tuple[str, ...]]:
    """The menu of each agent: Q questions and W locks, and the three answers."""
    questions = tuple(q.text for q in ontology.questions)
    return {SEEKER: questions + tuple(map(lock_sentence, ontology.words)), HOLDER: ANSWERS}


def briefs(secret: str, max_turns: int, words: Sequence[str] = ()) -> dict[str, str]:
    """What each agent's observation begins with: the rules in short, and the holder's word.

    Args:
        secret: the holder's word.
        max_turns: question turns plus the final guess.
        words: what the secret may be, for the seeker; not mentioned if there are none.
    """
    candidates = f"The word is one of these: {', '.join(words)}.\n" if words else ""
    return {
        SEEKER: (
            "You are the seeker. The holder has a secret word, a concrete thing. Find it with "
            f"yes/no questions about its properties, {max_turns - 1} at most. Never guess it in a "
            'question: that loses. When you are sure say "lock: WORD"; you have one lock. '
            f"On turn {max_turns} you must lock.\n{candidates}"
        ),
        HOLDER: (
            f'You are the holder. The secret word is "{secret}". Answer every question truthfully '
            'with one word: "yes", "no" or "maybe".\n'
        ),
    }
