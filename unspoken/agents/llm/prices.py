"""What tokens cost: a price table that is the user's own file.

No prices are shipped, since they change. The file is TOML; prices are for a million tokens:

    currency = "USD"

    [prices."gpt-5*"]
    input = 1.25
    output = 10.0
    cached_input = 0.125   # what the server had in its cache; as `input` if left out

A name is a model's, or a pattern with `*`, `?` and `[…]`. Of several that fit, the last holds.
"""

from __future__ import annotations

import math
import tomllib
from collections.abc import Mapping
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, NamedTuple

MILLION = 1_000_000


class Price(NamedTuple):
    """What a million tokens cost, in the table's currency.

    Attributes:
        input: tokens of the prompt.
        output: tokens of the reply, reasoning included.
        cached_input: tokens of the prompt that the server had in its cache.
    """

    input: float
    output: float
    cached_input: float

    def cost(self, usage: Mapping[str, int]) -> float:
        """What a usage costs.

        Args:
            usage: as `unspoken.agents.llm.replies.Reply` has it.
        """
        prompt, cached = usage.get("prompt_tokens", 0), usage.get("cached_tokens", 0)
        completion = usage.get("completion_tokens", 0)
        cached = min(cached, prompt)
        return (
            (prompt - cached) * self.input + cached * self.cached_input + completion * self.output
        ) / MILLION


class Prices:
    """A price table.

    Args:
        table: prices by name of a model or pattern.
        currency: what they are in; only shown.
        file: where they stand; for messages.
    """

    def __init__(
        self, table: Mapping[str, Price], currency: str = "USD", file: Path | None = None
    ) -> None:
        self._table = dict(table)
        self.currency = currency
        self.file = file

    def of(self, model: str) -> Price | None:
        """A model's price; None if the table has none."""
        fitting = [price for name, price in self._table.items() if fnmatchcase(model, name)]
        # a name in full is meant as it is, although brackets in it may be no pattern of it
        return self._table.get(model) or (fitting[-1] if fitting else None)


def read_prices(file: Path) -> Prices:
    """Read a price table.

    Raises:
        ValueError: if it cannot be read, or something in it is not as the module says; names the
            file, the place and what is wanted.
    """
    data = read_toml(file)
    table = data.pop("prices", {})
    currency = data.pop("currency", "USD")
    if data or not isinstance(table, dict) or not isinstance(currency, str):
        wrong = ", ".join(data) or ("currency" if isinstance(table, dict) else "prices")
        raise ValueError(
            f'{file}: {wrong} is not as it should be; it has currency = "…" and sections '
            f'[prices."MODEL"] with {", ".join(Price._fields)}'
        )
    return Prices(
        {name: _price(file, name, price) for name, price in table.items()}, currency, file
    )


def read_toml(file: Path) -> dict[str, Any]:
    """A TOML file of the user's.

    Raises:
        ValueError: if it cannot be read; says why.
    """
    try:
        return tomllib.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ValueError(f"{file} cannot be read: {error}") from error


def _price(file: Path, name: str, given: Any) -> Price:
    where = f'{file}, [prices."{name}"]'
    if not isinstance(given, dict):
        raise ValueError(f"{where}: a section with {', '.join(Price._fields)}")
    for key, value in given.items():
        if key not in Price._fields:
            raise ValueError(f"{where}: there is no {key!r}; it has {', '.join(Price._fields)}")
        number = isinstance(value, (int, float)) and not isinstance(value, bool)
        if not number or not 0 <= value < math.inf:
            raise ValueError(
                f"{where}: {key} = {value!r} is no price of a million tokens, 0 or more"
            )
    for key in ("input", "output"):
        if key not in given:
            raise ValueError(f"{where}: {key} is missing")
    return Price(**{"cached_input": given["input"], **given})
