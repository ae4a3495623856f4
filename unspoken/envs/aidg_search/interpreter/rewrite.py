"""Lists of rewriting rules that are quick to apply, however long they are.

Most rules are for lines that begin in a certain way. Which ones is read off their patterns, so
that the others are not even tried.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

Put = str | Callable[[re.Match[str]], str]
Rule = tuple[str, str, Put]

_WORD = r"([a-z]+|\((?:\?:)?[a-z|]+\))"
_OPENING = re.compile(rf"\^{_WORD} (?:{_WORD} )?")


class Rules:
    """Rules that are applied to a line one after the other, each once at most.

    Args:
        rules: for each rule the words of which one must occur in the line, as "one|other" ("" if
            there is no such word), its pattern, and what to put for it.
    """

    def __init__(self, rules: Iterable[Rule]) -> None:
        self._rules = [
            (_opening(pattern), [w for w in needs.split("|") if w], re.compile(pattern), by)
            for needs, pattern, by in rules
        ]
        self._for: dict[tuple[str, str], list[int]] = {}

    def __call__(self, line: str) -> str:
        """Apply the rules to a line."""
        done = -1
        while True:
            for at in self._these(line):
                if at <= done:
                    continue
                _, needs, pattern, by = self._rules[at]
                if needs:
                    for need in needs:
                        if need in line:
                            break
                    else:
                        continue
                match = pattern.search(line)
                if match is not None:
                    done = at
                    line = pattern.sub(by, line, count=1)
                    break  # it may begin in another way now
            else:
                return line

    def _these(self, line: str) -> list[int]:
        """The rules for lines that begin like this one."""
        first, _, rest = line.partition(" ")
        second = rest.partition(" ")[0]
        if second not in ("it", "you", "there"):
            second = ""
        if len(self._for) > 1000:  # of all the words that a line may begin with
            self._for.clear()
        found = self._for.get((first, second))
        if found is None:
            found = self._for[first, second] = [
                at
                for at, ((firsts, seconds), _, _, _) in enumerate(self._rules)
                if (not firsts or first in firsts)
                and (not seconds or second in seconds or (not second and _others(seconds)))
            ]
        return found


def _others(words: frozenset[str]) -> bool:
    return not words <= {"it", "you", "there"}


def _opening(pattern: str) -> tuple[frozenset[str], frozenset[str]]:
    """The words that a pattern's match begins with, and those that come next; empty for any."""
    match = _OPENING.match(pattern)
    if match is None:
        return frozenset(), frozenset()
    return _choices(match[1]), _choices(match[2] or "")


def _choices(group: str) -> frozenset[str]:
    return frozenset(group.replace("(?:", "").strip("()").split("|")) if group else frozenset()
