"""What each turn of a finished game was worth to the one who had it, by the evaluators.

| game | measures of a turn |
| --- | --- |
| aidg_search | `bits`: entropy of the belief in the words that the answer took away |
| aidg_dialogue | `leak`: 1 if the reply gave the secret away, 0 if it was contained; `bits`: entropy of an outsider's belief in the facts that the reply took away; `violation`: 1 if the seeker broke its rules |
| sneak | `utility` and `leakage` (SNEAK 2.1): of a message to the listener `embedding`, of an answer by what it gave the right option |
| chameleon | `utility` and `leakage` of a clue heard alone, as a message of SNEAK; `accuse`, `vote`: 1 for the chameleon, 0 for another player; `guess`: 1 for the word |
| cross_examination | `bat` and `pat` of the answer (SDA equations 11 and 16) |

A question has the measures of the reply to it. What does not apply to a turn is left out. Words
that are in no menu give away no bits as far as is known here: a free question of the search game
counts when its bank holds it, a reply of the dialogue when it is a sentence of the menus. Nothing
here makes holders tell the truth; `on_lie="forfeit"` of the dialogue does.

The bits are differences of a potential, minus the entropy. Added with a constant weight and without
discount they shape the reward (Ng, Harada and Russell 1999) up to the entropy that is left when
the game ends, so a seeker that values bits far above winning is rewarded for asking on. The other
measures are no potentials: they change what is optimal.
"""  # noqa: E501 - a table

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from unspoken.envs.base import DialogueEnv, Message
from unspoken.envs.registry import GameSpec, role_of

Measures = dict[str, float]
Worth = dict[int, Measures]
"""Measures by the place of a line in the history."""

WEIGHTS: dict[str, dict[str, Measures]] = {
    "aidg_search": {"seeker": {"bits": 1.0}, "holder": {"bits": -1.0}},
    "aidg_dialogue": {
        "seeker": {"leak": 1.0, "bits": 1.0, "violation": -1.0},
        "holder": {"leak": -1.0, "bits": -1.0},
    },
    "sneak": {
        "speaker": {"utility": 1.0, "leakage": -1.0},
        "ally": {"utility": 1.0},
        "chameleon": {"leakage": 1.0},
    },
    "chameleon": {
        "player": {"utility": 1.0, "leakage": -1.0, "accuse": 1.0, "vote": 1.0},
        "chameleon": {"utility": 1.0, "guess": 1.0},
    },
    "cross_examination": {
        "questioner": {"bat": -1.0, "pat": 1.0},
        "witness": {"bat": 1.0, "pat": -1.0},
    },
}
"""What the reward of a turn counts of each measure, by game and part."""


def part_of(spec: GameSpec, env: DialogueEnv, seat: str) -> str:
    """The role of a seat; "chameleon" for the player that has this part."""
    special = spec.special and getattr(env, spec.special) == seat
    return spec.special if special else role_of(seat)


def check_weights(game: str, weights: Mapping[str, float]) -> None:
    """Refuse weights of what is not measured.

    Raises:
        ValueError: names the weight and what there is.
    """
    known = {name for part in WEIGHTS.get(game, {}).values() for name in part}
    unknown = sorted(weights.keys() - known)
    if unknown:
        raise ValueError(
            f"weights for {', '.join(unknown)}: {game} measures {', '.join(sorted(known))}"
        )


def measures(spec: GameSpec, env: DialogueEnv, seat: str) -> list[Measures]:
    """The measures of every turn that a seat had in a finished game, in order.

    Args:
        spec: the game and its options.
        env: with the game that is over.
        seat: whose turns; of a game that nothing is known of, they measure nothing.
    """
    own = env.info(seat)["speaker"]
    worth = _WORTH[spec.name](spec, env, seat) if spec.name in _WORTH else {}
    turns: list[Measures] = []
    for place, line in enumerate(env.history):
        if line.role == own:
            turns.append({})
        if turns:
            turns[-1] |= worth.get(place, {})
    return turns


def _search(spec: GameSpec, env: DialogueEnv, seat: str) -> Worth:
    from unspoken.agents.aidg_search.belief import Belief, Evidence, Manner, folder_of
    from unspoken.envs.aidg_search.ontology import load
    from unspoken.evaluator.aidg_search_reference import entropy

    folder = folder_of(spec)
    dealt = np.isin(load(folder).words, env.secrets())
    belief = Belief(folder, dealt, (Manner(error=float(spec.options.get("holder_noise", 0.0))),))
    worth: Worth = {}
    question = -1
    for place, line in enumerate(env.history):
        if line.role == "seeker":
            question = line.action
        elif line.move == "answer":
            before = entropy(belief.words)
            if question >= 0:  # open questions tell nothing that is known here
                belief.hear([Evidence(question, line.action)])
            worth[place] = {"bits": before - entropy(belief.words)}
    return worth


def _dialogue(spec: GameSpec, env: DialogueEnv, seat: str) -> Worth:
    from unspoken.agents.aidg_dialogue.reading import exchanges
    from unspoken.envs.aidg_dialogue.rules import LEAKS

    history = env.history
    replies = [place for place, line in enumerate(history) if line.role == "holder"]
    worth = {place: {"leak": float(history[place].move in LEAKS)} for place in replies}
    if role_of(seat) == "seeker":
        for place, line in enumerate(history):
            if line.role == "seeker":
                worth[place] = {"violation": float(line.move == "violation")}
    for place, bits in zip(replies, _bits(spec, exchanges(history)), strict=False):
        worth[place]["bits"] = bits
    return worth


def _bits(spec: GameSpec, heard: Iterable[Any]) -> Iterable[float]:
    """Bits that each reply gave away; none where several facts, or plain sentences, are hidden."""
    from unspoken.agents.aidg_dialogue.reading import book_of
    from unspoken.envs.aidg_dialogue.secrets import DEFAULT, load

    file = load(Path(spec.options.get("secrets", DEFAULT)))
    if spec.options.get("facts", 1) > 1 or not all(secret.structured for secret in file):
        return
    yield from (bits or 0.0 for bits in book_of(spec).bits(heard))


def _sneak(spec: GameSpec, env: Any, seat: str) -> Worth:
    from unspoken.envs.sneak.rules import leakage, utility

    instance = env.instance
    found = (env.payoffs() or {})[seat]
    worth: Worth = {}
    for place, line in enumerate(env.history):
        if line.role != role_of(seat):
            continue
        if line.move == "message":
            worth[place] = _heard_alone(instance, line.text)
        elif line.move == "choice":
            worth[place] = {"utility": utility(found, 1 + len(instance.decoys))}
        elif line.move == "guess":
            worth[place] = {"leakage": leakage(found, len(instance.words))}
    return worth


def _chameleon(spec: GameSpec, env: Any, seat: str) -> Worth:
    from unspoken.agents.chameleon.reading import charges
    from unspoken.agents.chameleon.reading import seat as place_of
    from unspoken.envs.chameleon.rules import Ending

    assert env.result is not None
    lone = getattr(env, spec.special)
    guessed = env.result.outcome == Ending.GUESSED
    worth: Worth = {}
    for place, line in enumerate(env.history):
        if line.role != seat:
            continue
        if line.move == "clue":
            worth[place] = _heard_alone(env.instance, line.text)
        elif line.move == "guess":
            worth[place] = {"guess": float(guessed)}
        elif seat != lone:
            for charge in charges([line], len(env.possible_agents)):
                worth[place] = {line.move: float(charge.against == place_of(lone))}
    return worth


def _heard_alone(instance: Any, text: str) -> Measures:
    """Utility and leakage of a text to the offline listeners."""
    from unspoken.envs.sneak.rules import leakage, utility
    from unspoken.judges.listeners.embedding import Embedding

    scores = Embedding().scores(instance, [text])
    ally, lone = (min(float(p[0]), 1.0) for p in (scores.p_ally, scores.p_chameleon))
    return {
        "utility": utility(ally, 1 + len(instance.decoys)),
        "leakage": leakage(lone, len(instance.words)),
    }


def _examination(spec: GameSpec, env: DialogueEnv, seat: str) -> Worth:
    from unspoken.envs.cross_examination.jury import COMMITMENTS
    from unspoken.evaluator.sda_reference import score

    labels = [turn.label for turn in env.info(seat)["turns"]]
    if not labels:
        return {}
    codes = [COMMITMENTS.index(label.commitment) for label in labels]
    rel, man, qual, const = ([label[i] for label in labels] for i in range(1, 5))
    scores = score(codes, rel, man, qual, const, [0, len(codes)])
    answers = _places(env.history, "witness")
    return {
        place: {"bat": float(bat), "pat": float(pat)}
        for place, bat, pat in zip(answers, scores.bat, scores.pat, strict=True)
    }


def _places(history: Iterable[Message], role: str) -> list[int]:
    return [place for place, line in enumerate(history) if line.role == role]


_WORTH: dict[str, Callable[[GameSpec, DialogueEnv, str], Worth]] = {
    "aidg_search": _search,
    "aidg_dialogue": _dialogue,
    "sneak": _sneak,
    "chameleon": _chameleon,
    "cross_examination": _examination,
}
