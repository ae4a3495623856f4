"""What a message is to a secret, by WordNet (after SNEAK E.3)."""

from __future__ import annotations

from unspoken.lexicon.wordnet import Synset, derivations, synsets

RELATIONS = (
    "synonym",
    "hypernym",
    "hyponym",
    "meronym",
    "holonym",
    "attribute",
    "derivation",
    "co-hyponym",
    "other",
)
"""What the message can be of the secret; the first that holds counts."""

_LINKS = {
    "meronym": ("part_meronym", "member_meronym", "substance_meronym"),
    "holonym": ("part_holonym", "member_holonym", "substance_holonym"),
    "attribute": ("attribute",),
}


def relation(message: str, secret: str, meant: Synset | None) -> str:
    """What a message is of the secret: one of `RELATIONS`.

    A message is taken in any of its senses; one of several words has a relation only if WordNet
    has it as a whole.

    Args:
        message: any text.
        secret: the word.
        meant: the sense that the secret has in its category, if WordNet has one.
    """
    said = set(synsets(message))
    if meant is not None:
        if meant in said:
            return "synonym"
        if said & meant.ancestors().keys():
            return "hypernym"
        if any(meant in sense.ancestors() for sense in said):
            return "hyponym"
        for name, links in _LINKS.items():
            if said & {other for link in links for other in meant.related(link)}:
                return name
    if message.casefold() in derivations(secret):
        return "derivation"
    if meant is not None and any(_parents(meant) & _parents(sense) for sense in said):
        return "co-hyponym"
    return "other"


def _parents(sense: Synset) -> set[Synset]:
    return {*sense.related("hypernym"), *sense.related("instance_hypernym")}
