"""Build `unspoken/data/wordnet/wordnet.npz` from the WordNet 3.0 database files.

    apt-get install wordnet-base
    PYTHONPATH=. python tools/build_wordnet.py [/usr/share/wordnet]

The same database gives the same file, byte for byte. Its arrays are described in
`unspoken/data/wordnet/README.md`.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

TARGET = Path(__file__).parents[1] / "unspoken" / "data" / "wordnet" / "wordnet.npz"
FILES = {"n": "noun", "v": "verb", "a": "adj", "r": "adv"}
SYNSET_RELATIONS = {
    "@": "hypernym",
    "@i": "instance_hypernym",
    "#m": "member_holonym",
    "#s": "substance_holonym",
    "#p": "part_holonym",
    "&": "similar",
    "=": "attribute",
    "^": "also",
    "$": "verb_group",
    "*": "entailment",
    ">": "cause",
    ";c": "topic",
    ";r": "region",
    ";u": "usage",
}
SENSE_RELATIONS = {"!": "antonym", "+": "derivation", "\\": "pertainym", "<": "participle"}
SYMMETRIC = {"similar", "attribute", "verb_group", "antonym", "derivation"}
DERIVED = {"~", "~i", "%m", "%s", "%p", "-c", "-r", "-u"}
"""The other end of a relation that is kept; every one of them has its partner in the database."""

SAYS_LITTLE = """
the and that with for who which from have has be any one two three four five some other not but
when where whose while than more most less least all both each every such same another can may
might must will would should could do it its his her him their them they he she you your this
these those there then often sometimes usually especially particularly very also only just even
well much many few several various certain etc someone somebody something anyone anything
everything nothing no so up out off over like about against without
use make give take get come go become include consist contain end effect particular ready numerous
equal basis distinction main source service need proper suitable combination simple function lack
pair classification term purpose characterize involve relate concern refer regard consider typical
specific general usual common similar different distinct respect sense means manner order place
result exist occur suit serve intend require relative suitability condition aspect case number name
composite contact perform essential part kind type sort form set unit act thing object class group
member own apply reckon adopt determine design relieve course dimension
"""
STOP_WORDS = set(SAYS_LITTLE.split())
"""Function words, and words that definitions of all sorts of things are made with."""
EXAMPLES = re.compile(
    r'"[^"]*"|\((?:as|such as|like|including|e\.?g\.?|especially) [^)]*\)|such as .*'
)
"""What definitions name as examples, or quote."""


def build(folder: Path) -> dict[str, NDArray[np.generic]]:
    """All arrays of the table."""
    synsets: list[tuple[str, list[str]]] = []  # its key, pos and offset, and its data fields
    for pos, file in FILES.items():
        for line in (folder / f"data.{file}").read_text().splitlines():
            if not line.startswith("  "):
                fields = line.partition(" | ")[0].split()
                synsets.append((pos + fields[0], fields))
    number = {key: i for i, (key, _) in enumerate(synsets)}

    members = [
        [fields[4 + 2 * i].partition("(")[0] for i in range(int(fields[3], 16))]
        for _, fields in synsets
    ]
    size = np.array([len(words) for words in members])
    first = np.concatenate([[0], np.cumsum(size)])
    words = sorted(
        {word for names in members for word in names},
        key=lambda word: (word.lower().replace("_", " "), word),
    )
    word_number = {word: i for i, word in enumerate(words)}
    of_lemma: dict[tuple[int, str], list[int]] = {}  # two senses where only case differs
    for i, names in enumerate(members):
        for j, word in enumerate(names):
            of_lemma.setdefault((i, word.lower()), []).append(int(first[i]) + j)

    rank = np.zeros(first[-1], np.uint8)
    for pos, file in FILES.items():
        for line in (folder / f"index.{file}").read_text().splitlines():
            if not line.startswith("  "):
                fields = line.split()
                for i, offset in enumerate(fields[6 + int(fields[3]) :], 1):
                    rank[of_lemma[number[pos + offset], fields[0]]] = i
    count = np.zeros(first[-1], np.uint16)
    keys = sense_keys([fields for _, fields in synsets], number)
    for line in (folder / "cntlist.rev").read_text().splitlines():
        key, _, tags = line.split()
        if key in keys:  # some are left over from older databases
            count[keys[key]] = int(tags)

    links: dict[str, set[tuple[int, int]]] = {
        name: set() for name in (*SYNSET_RELATIONS.values(), *SENSE_RELATIONS.values())
    }
    for i, (_, fields) in enumerate(synsets):
        pointers = fields[4 + 2 * int(size[i]) :]
        for p in range(int(pointers[0])):
            symbol, offset, pos, ends = pointers[1 + 4 * p : 5 + 4 * p]
            j = number[pos + offset]
            if symbol in SYNSET_RELATIONS:
                name, link = SYNSET_RELATIONS[symbol], (i, j)
            elif symbol in SENSE_RELATIONS:
                name = SENSE_RELATIONS[symbol]
                source, target = (int(end, 16) - 1 for end in (ends[:2], ends[2:]))
                link = (int(first[i]) + source, int(first[j]) + target)
            elif symbol in DERIVED:
                continue
            else:
                raise ValueError(f"unknown pointer {symbol!r} in {fields[:6]}")
            links[name].add(tuple(sorted(link)) if name in SYMMETRIC else link)  # type: ignore[arg-type]

    arrays: dict[str, NDArray[np.generic]] = {
        "words": np.frombuffer("\n".join(words).replace("_", " ").encode("ascii"), np.uint8),
        "new_lemma": np.packbits([a.lower() != b.lower() for a, b in pairwise(["", *words])]),
        "lexfile": np.array([int(fields[1]) for _, fields in synsets], np.uint8),
        "satellite": np.packbits([fields[2] == "s" for _, fields in synsets]),
        "size": size.astype(np.uint8),
        "sense_word": np.array([word_number[w] for names in members for w in names], np.int32),
        "sense_rank": rank,
        "sense_count": count,
        "exceptions": np.frombuffer(exceptions(folder).encode("ascii"), np.uint8),
    }
    for name, pairs in links.items():
        source, target = np.array(sorted(pairs), np.int32).T
        arrays[f"{name}_source"] = np.diff(source, prepend=0).astype(np.uint32)
        arrays[f"{name}_target"] = target - source
    return arrays


def sense_keys(synsets: list[list[str]], number: dict[str, int]) -> dict[str, int]:
    """The number of every sense by its sense key, as `man 5 senseidx` defines it."""
    keys: dict[str, int] = {}
    sense = -1
    for fields in synsets:
        head = ":"
        if fields[2] == "s":
            size = int(fields[3], 16)
            pointers = fields[5 + 2 * size :]
            at = pointers.index("&")
            cluster = synsets[number[pointers[at + 2] + pointers[at + 1]]]
            head = f"{cluster[4].partition('(')[0].lower()}:{int(cluster[5], 16):02d}"
        for i in range(4, 4 + 2 * int(fields[3], 16), 2):
            sense += 1
            word, lex_id = fields[i].partition("(")[0].lower(), int(fields[i + 1], 16)
            kind = "nvars".index(fields[2]) + 1
            keys[f"{word}%{kind}:{fields[1]}:{lex_id:02d}:{head}"] = sense
    return keys


def exceptions(folder: Path) -> str:
    """The irregular forms, one a line: part of speech, form, base forms, separated by tabs."""
    return "\n".join(
        "\t".join([pos, *line.split()]).replace("_", " ")
        for pos, file in FILES.items()
        for line in (folder / f"{file}.exc").read_text().splitlines()
    )


def keywords(folder: Path) -> dict[str, NDArray[np.generic]]:
    """The content words of the definitions of nouns; needs the rest of the table in its place."""
    from unspoken.lexicon.morphology import lemma, tokens
    from unspoken.lexicon.wordnet import tag_count

    found = []
    for line in (folder / "data.noun").read_text().splitlines():
        if not line.startswith("  "):
            definition = EXAMPLES.sub(" ", line.partition(" | ")[2])
            lemmas = [lemma(token) for token in tokens(definition) if len(token) > 2]
            found.append(list(dict.fromkeys(word for word in lemmas if word.isalpha())))
    frequency = Counter(word for words in found for word in words)
    vocabulary = sorted(
        word
        for word, n in frequency.items()
        if 10 <= n <= 0.015 * len(found)
        and word not in STOP_WORDS
        and sum(tag_count(word, pos) for pos in "nva") >= max(3, tag_count(word, "r"))
    )
    number = {word: i for i, word in enumerate(vocabulary)}
    kept = [[number[word] for word in words if word in number] for words in found]
    return {
        "keywords": np.frombuffer("\n".join(vocabulary).encode("ascii"), np.uint8),
        "keyword": np.array([i for numbers in kept for i in numbers], np.uint16),
        "keyword_size": np.array([len(numbers) for numbers in kept], np.uint8),
    }


if __name__ == "__main__":
    source = Path(sys.argv[1] if sys.argv[1:] else "/usr/share/wordnet")
    table = build(source)
    np.savez_compressed(TARGET, **table)  # type: ignore[arg-type]
    np.savez_compressed(TARGET, **table, **keywords(source))  # type: ignore[arg-type]
    print(f"{TARGET}: {TARGET.stat().st_size / 2**20:.2f} MiB")
