"""Find the temperature of the offline listeners: the likeliest on clues out of WordNet.

    PYTHONPATH=. python tools/calibrate_listeners.py [static|use]

A clue is a word that WordNet relates to a noun: a part, whole or topic of it, a synonym, or the
most specific word of its definition. The chameleon of `embedding` is to tell which of twelve
sister nouns a clue belongs to, and its ally which of six clues, five of them of sister nouns,
belongs to a noun. For each temperature the mean log-likelihood is taken over the clues of a kind,
then over the kinds and both tasks. No word list, decoy or result of SNEAK takes part.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from unspoken.judges.listeners.similarity import Similarity, model
from unspoken.lexicon.morphology import tokens
from unspoken.lexicon.vectors import DATA
from unspoken.lexicon.wordnet import Synset, keyword_specificity, senses

WORDS, CLUES = 12, 6
TEMPERATURES = np.round(np.geomspace(0.04, 0.3, 30), 3)
KNOWN = dict.fromkeys((DATA / "words.txt").read_text(encoding="utf-8").splitlines())
"""Words with a vector of their own; others borrow one in WordNet, and so would be found there."""
RELATED = (
    "part_meronym",
    "part_holonym",
    "substance_meronym",
    "substance_holonym",
    "member_holonym",
    "topic",
)
Item = tuple[list[str], list[str]]
"""What is asked about, one text, and the choices, the right one first."""


def sisters(rng: np.random.Generator) -> Iterator[dict[str, Synset]]:
    """Twelve common nouns, in their first sense, that stand under one noun; each noun once."""
    under: dict[Synset, dict[str, Synset]] = {}
    for word in KNOWN:
        first = senses(word, "n")[:1]
        if first and first[0].word == word:
            meaning = first[0].synset
            for above, steps in meaning.ancestors().items():
                if 1 <= steps <= 2:
                    under.setdefault(above, {}).setdefault(word, meaning)
    used: set[str] = set()
    for above in sorted(under, key=lambda s: (len(under[s]), s)):
        free = [word for word in under[above] if word not in used]
        by_meaning = {under[above][word]: word for word in reversed(free)}
        if len(by_meaning) >= WORDS:
            drawn = rng.choice(sorted(by_meaning.values()), WORDS, replace=False).tolist()
            used.update(drawn)
            yield {word: under[above][word] for word in drawn}


def clues(word: str, meaning: Synset) -> dict[str, str]:
    """At most one clue of each kind."""
    parts = [other for relation in RELATED for other in meaning.related(relation)]
    keywords = sorted(meaning.keywords, key=keyword_specificity, reverse=True)
    kinds = {
        "part or topic": [w for other in parts for w in other.words],
        "synonym": meaning.words,
        "definition": keywords,
    }
    fit = {kind: [w for w in words if w in KNOWN and w != word] for kind, words in kinds.items()}
    return {kind: words[0] for kind, words in fit.items() if words}


def starts(text: str) -> set[str]:
    """How its words begin: clues that only look like a noun are none."""
    return {word[:4] for word in tokens(text)}


def items(seed: int = 0) -> dict[str, tuple[list[Item], list[Item]]]:
    """By kind of clue, the questions to the chameleon and those to the ally."""
    rng = np.random.default_rng(seed)
    found: dict[str, tuple[list[Item], list[Item]]] = {}
    for nouns in sisters(rng):
        given = {word: clues(word, meaning) for word, meaning in nouns.items()}
        for kind in ("part or topic", "synonym", "definition"):
            of_kind = {word: clue[kind] for word, clue in given.items() if kind in clue}
            often = Counter(of_kind.values())
            of_kind = {
                word: clue
                for word, clue in of_kind.items()
                if often[clue] == 1 and not starts(clue) & starts(" ".join(nouns))
            }
            chameleon, ally = found.setdefault(kind, ([], []))
            for word, clue in of_kind.items():
                chameleon.append(([clue], [word, *(w for w in nouns if w != word)]))
                others = sorted({c for c in of_kind.values() if c != clue})
                if len(others) >= CLUES - 1:
                    ally.append(([word], [clue, *rng.permutation(others)[: CLUES - 1].tolist()]))
    return found


def log_likelihood(
    similarity: Similarity, questions: list[Item]
) -> tuple[NDArray[np.float64], float]:
    """Mean log-likelihood at each temperature, and how often the likeliest choice is right."""
    cosines = np.stack([similarity(*question)[0] for question in questions]).astype(np.float64)
    logs = cosines / TEMPERATURES[:, None, None]
    right = logs[..., 0] - np.logaddexp.reduce(logs, axis=-1)
    return right.mean(axis=1), float((cosines.argmax(axis=1) == 0).mean())


def main() -> None:
    """Print the table."""
    name = sys.argv[1] if len(sys.argv) > 1 else "static"
    similarity = model(name)
    curves = []
    for kind, tasks in items().items():
        for task, questions in zip(("chameleon", "ally"), tasks, strict=True):
            curve, right = log_likelihood(similarity, questions)
            curves.append(curve)
            best = TEMPERATURES[curve.argmax()]
            print(
                f"{kind:14s} {task:10s} {len(questions):5d} questions, {right:.3f} right, "
                f"best T {best:.3f} ({curve.max():.3f})"
            )
    mean = np.mean(curves, axis=0)
    print(f"{name}: T = {TEMPERATURES[mean.argmax()]:.3f}, mean log-likelihood {mean.max():.3f}")


if __name__ == "__main__":
    main()
