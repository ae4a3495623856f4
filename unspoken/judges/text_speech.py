"""The former place of `unspoken.judges.rule_based.speech`, for what still imports from here."""

from unspoken.judges.rule_based.speech import raw_sentences

__all__ = ["raw_sentences"]
