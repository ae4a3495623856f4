"""What SNEAK reads in free text: a speaker's message and its faults, and a listener's answer."""

from unspoken.envs.sneak.interpreter.answers import read_answer
from unspoken.envs.sneak.interpreter.messages import (
    MAX_WORDS,
    RULES,
    Reading,
    allowed,
    count_words,
    fault,
    read_message,
)

__all__ = [
    "MAX_WORDS",
    "RULES",
    "Reading",
    "allowed",
    "count_words",
    "fault",
    "read_answer",
    "read_message",
]
