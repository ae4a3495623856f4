"""Options of models from a file of the user's, so that specs stay short.

    [models."gpt-5*"]
    temperature = "none"
    reasoning_effort = "low"

    [models."lab/*"]
    base_url = "http://gpu:8000/v1"
    key_env = "LAB_KEY"          # name of the variable that holds the key, never the key
    extra_body = { top_k = 20 }

A name is a model's, or a pattern with `*`, `?` and `[…]`. All sections that fit count, the later
ones before the earlier ones; `--model-args` go before the file, and a spec's own options before
both. They hold for all that asks the model: agents, arbiters, listeners and annotators, as far as
each has the option.
"""

from __future__ import annotations

import json
import types
import typing
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, Self

from unspoken.agents.llm.prices import read_toml

_models: ContextVar[Models | None] = ContextVar("models", default=None)


class Models:
    """Options by model.

    Args:
        sections: options by name of a model or pattern, in the order of the file.
        args: options of all models, which go before those.
    """

    def __init__(
        self,
        sections: Mapping[str, Mapping[str, Any]] | None = None,
        args: Mapping[str, Any] | None = None,
    ) -> None:
        self.sections = {name: dict(section) for name, section in (sections or {}).items()}
        self.args = dict(args or {})

    def options(self, model: str) -> dict[str, Any]:
        """The options of a model."""
        found: dict[str, Any] = {}
        for name, section in self.sections.items():
            if name == model or fnmatchcase(model, name):
                found |= section
        return found | self.args

    def json(self) -> dict[str, Any]:
        """As data that JSON can hold."""
        return {"sections": self.sections, "args": self.args}

    @contextmanager
    def use(self) -> Iterator[Self]:
        """Have all models that are built in here from specs take these options."""
        token = _models.set(self)
        try:
            yield self
        finally:
            _models.reset(token)


def current() -> Models:
    """The options that hold here."""
    return _models.get() or Models()


def read_models(file: Path | None = None, args: Sequence[str] = ()) -> Models:
    """Read options of models.

    Args:
        file: the file; None for none.
        args: KEY=VALUE pairs for all models; a value is JSON, or a text.

    Raises:
        ValueError: if the file cannot be read, or an option does not exist or has a value that it
            cannot have; names the file, the section and what exists.
    """
    sections: dict[str, dict[str, Any]] = {}
    if file is not None:
        data = read_toml(file)
        given = data.pop("models", None)
        if data or not isinstance(given, dict):
            wrong = f"there is no place for {', '.join(data)}" if data else "it has no section"
            raise ValueError(f'{file}: {wrong}; write sections [models."MODEL"]')
        for name, section in given.items():
            where = f'{file}, [models."{name}"]'
            if not isinstance(section, dict):
                raise ValueError(f"{where}: a section with {', '.join(_options())}")
            sections[name] = _checked(section, where)
    pairs: dict[str, Any] = {}
    for pair in args:
        key, equals, value = pair.partition("=")
        if not equals:
            raise ValueError(f"--model-args {pair!r}: write KEY=VALUE")
        pairs[key] = _value(key, value)
    return Models(sections, _checked(pairs, "--model-args"))


def _options() -> dict[str, Any]:
    """All options of agents that are models, and their types; judges have some of them."""
    from unspoken.agents.llm.agent import LLMAgent
    from unspoken.agents.specs import known_options

    return known_options(LLMAgent)


def _checked(section: Mapping[str, Any], where: str) -> dict[str, Any]:
    from unspoken.agents.llm.agent import LLMAgent
    from unspoken.agents.llm.traffic import replaying

    known = _options()
    checked: dict[str, Any] = {}
    for key, value in section.items():
        if key not in known:
            hint = "; keys stay in the environment, name the variable with key_env"
            raise ValueError(
                f"{where} has no option {key!r}; options: {', '.join(known)}"
                + (hint if "key" in key.lower() else "")
            )
        hint = known[key]
        if value == "none" and type(None) in _parts(hint):
            checked[key] = None
        elif any(_fits(value, part) for part in _parts(hint)):
            checked[key] = value
        else:
            wanted = " or ".join(_called(part) for part in _parts(hint))
            shown = "" if key == "key_env" else f" = {value!r}"  # it may be the key itself
            raise ValueError(f"{where}: {key}{shown} is not {wanted}")
    try:
        with replaying(()):  # whether there is a key is looked at when the model is built
            LLMAgent("", **checked)
    except ValueError as error:
        raise ValueError(f"{where}: {error}") from error
    return checked


def _value(key: str, text: str) -> Any:
    """A value as the command line has it."""
    if str in _parts(_options().get(key, str)) and key not in ("stop", "extra_body"):
        return text
    try:
        return json.loads(text)
    except ValueError:
        return text


def _parts(hint: Any) -> tuple[Any, ...]:
    if typing.get_origin(hint) in (typing.Union, types.UnionType):
        return typing.get_args(hint)
    return (hint,)


def _fits(value: Any, kind: Any) -> bool:
    origin = typing.get_origin(kind) or kind
    if origin is list:
        return isinstance(value, list) and all(isinstance(part, str) for part in value)
    if isinstance(value, bool):
        return origin is bool
    return isinstance(value, (int, float) if origin is float else origin)


def _called(kind: Any) -> str:
    names = {"NoneType": '"none"', "str": "a text", "int": "a whole number", "float": "a number"}
    names |= {"bool": "true or false", "list": "a list of texts", "dict": "a table"}
    return names.get((typing.get_origin(kind) or kind).__name__, "a path")
