"""Agents from specs: `kind`, `kind:argument`, `kind?option=value&…`, or `module:Class`.

random    greedy    table?error=0.2    openai:gpt-5?temperature=0.7    mylab.agents:Sphinx
"""

from __future__ import annotations

import copy
import inspect
import re
import typing
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl

from unspoken.agents.base import Agent

if TYPE_CHECKING:
    from unspoken.envs.registry import GameSpec

ANY = ""
"""Key of the kinds that play every game."""

KINDS: dict[str, dict[str, str]] = {
    ANY: {
        "random": "unspoken.agents.random:RandomAgent",
        "human": "unspoken.agents.human:HumanAgent",
        "openai": "unspoken.agents.llm.agent:LLMAgent",
        "local": "unspoken.agents.llm.local:LocalAgent",
        "sb3": "unspoken.agents.sb3:SB3Agent",
        "rl": "unspoken.agents.rl:RLAgent",
    },
    "aidg_search": {
        "greedy": "unspoken.agents.aidg_search.seekers:Greedy",
        "lookahead": "unspoken.agents.aidg_search.seekers:Lookahead",
        "rules": "unspoken.agents.aidg_search.seekers:Rules",
        "table": "unspoken.agents.aidg_search.holders:Table",
        "evasive": "unspoken.agents.aidg_search.holders:Evasive",
        "reputation": "unspoken.agents.aidg_search.reputation:Reputation",
    },
    "aidg_dialogue": {
        "rules": "unspoken.agents.aidg_dialogue.rules:Rules",
        "greedy": "unspoken.agents.aidg_dialogue.greedy:Greedy",
        "reputation": "unspoken.agents.aidg_dialogue.reputation:Reputation",
        "vague": "unspoken.agents.aidg_dialogue.holders:Vague",
        "refuse": "unspoken.agents.aidg_dialogue.holders:Refuse",
    },
    "sneak": {
        "random": "unspoken.agents.sneak.speakers:RandomWord",
        "category": "unspoken.agents.sneak.speakers:CategorySynonym",
        "synonym": "unspoken.agents.sneak.speakers:SecretSynonym",
        "best": "unspoken.agents.sneak.speakers:Best",
        "rsa": "unspoken.agents.sneak.rsa:RSA",
        "embedding": "unspoken.agents.sneak.listeners:Embedding",
        "reputation": "unspoken.agents.sneak.reputation:Reputation",
    },
    "chameleon": {
        "rules": "unspoken.agents.chameleon.rules:Rules",
        "rsa": "unspoken.agents.chameleon.rsa:RSA",
        "reputation": "unspoken.agents.chameleon.reputation:Reputation",
    },
    "cross_examination": {
        "rules": "unspoken.agents.cross_examination.rules:Rules",
        "search": "unspoken.agents.cross_examination.search:Search",
        "reputation": "unspoken.agents.cross_examination.reputation:Reputation",
    },
}
"""Where each kind of agent is, by game; the classes are loaded on first use."""

ARGUMENT = {"openai": "MODEL", "sb3": "FILE.zip"}
"""Kinds whose spec goes on after a colon, and with what."""

MAY_HAVE = {"local": "FILE.gguf"}
"""Kinds whose spec may go on so."""

DEFAULTS = {
    "aidg_search": ("random", "rules", "greedy", "lookahead", "reputation", "table", "evasive"),
    "aidg_dialogue": ("random", "rules", "greedy", "reputation", "vague", "refuse"),
    "sneak": ("random", "category", "synonym", "best", "reputation", "rsa", "embedding"),
    "chameleon": ("random", "rules", "rules?nerve=0", "rsa", "reputation"),
    "cross_examination": ("random", "rules", "search", "reputation"),
}
"""The scripted agents that play when a user names nobody; see `defaults`."""

OPPONENTS = {
    "aidg_search": {"seeker": "greedy", "holder": "table"},
    "aidg_dialogue": {"seeker": "greedy", "holder": "rules"},
    "sneak": {"speaker": "best", "ally": "embedding", "chameleon": "embedding"},
    "chameleon": {"player": "rsa"},
    "cross_examination": {"questioner": "search", "witness": "rules"},
}
"""Who has each role against a person when nobody is named."""


class SpecError(ValueError):
    """A spec that names no agent; the message says what exists."""


def kinds(game: str) -> dict[str, str]:
    """The kinds of agent that play a game, with their import paths."""
    return KINDS[ANY] | KINDS.get(game, {})


def defaults(spec: GameSpec) -> tuple[list[str], str]:
    """Who plays when a user names nobody, and a line on who is left out, "" for nobody.

    `rl` plays where the package brings a policy for the game, its extra is installed, and the
    policy fits the game's options. Nothing of the extra is imported where it does not.
    """
    from unspoken.agents import rl

    found = list(DEFAULTS.get(spec.name, ("random",)))
    if not rl.shipped(spec.name):
        return found, ""
    if not rl.installed():
        return found, "rl is left out: it needs the extra, pip install 'unspoken[rl]'"
    agent = make_agent("rl", spec.name)
    try:
        for role in roles_of(agent, spec.roles):
            agent.reset(role, spec, 0)
    except ValueError as error:
        return found, f"{spec.name}: rl is left out: {error}"
    return [*found, "rl"], ""


def make_agent(spec: str, game: str) -> Agent:
    """Build an agent.

    Args:
        spec: see the module; the agent's name is the spec itself.
        game: name of the game it is to play.

    Raises:
        SpecError: if the kind, an option or a value does not exist; lists what does.
        ImportError: if the agent needs an extra that is not installed; names the extra.
    """
    agent: Agent = build(spec, kinds(game), "agent", f" for {game}", name=spec, game=game)
    if not all(callable(getattr(agent, method, None)) for method in ("reset", "act", "observe")):
        raise SpecError(f"agent {spec!r} is no agent: it has no reset, act and observe")
    agent.name = spec
    return agent


def make_agents(specs: Sequence[str], game: str, what: str = "agents") -> dict[str, Agent]:
    """Build agents, each by its spec, that can be copied for each of many games.

    Args:
        specs: each once.
        game: name of the game they are to play.
        what: what messages call them.

    Raises:
        ValueError: if there are none, one is given twice or cannot be copied.
        SpecError: as `make_agent`.
        ImportError: as `make_agent`.
    """
    check_once(specs, what)
    agents = {spec: make_agent(spec, game) for spec in specs}
    for name, agent in agents.items():
        try:
            copy.deepcopy(agent)
        except Exception as error:
            raise ValueError(f"agent {name!r} cannot be copied for each game: {error}") from error
    return agents


def check_once(specs: Sequence[str], what: str) -> None:
    """Refuse no specs, and those that are given twice.

    Args:
        specs: what was given.
        what: what messages call them.

    Raises:
        ValueError: names those at fault.
    """
    if not specs:
        raise ValueError(f"no {what}: name at least one")
    twice = sorted({spec for spec in specs if list(specs).count(spec) > 1})
    if twice:
        raise ValueError(f"{what} given twice: {', '.join(twice)}; each once is enough")


def build(spec: str, kinds: Mapping[str, str], what: str, place: str = "", **given: Any) -> Any:
    """Build what a spec names.

    Args:
        spec: see the module.
        kinds: import paths by kind.
        what: what messages call it.
        place: where it belongs, for messages.
        given: further arguments, for those that take them.

    Raises:
        SpecError: as `make_agent`.
        ImportError: as `make_agent`.
    """
    head, _, query = spec.partition("?")
    kind, _, argument = head.partition(":")
    path = kinds.get(kind)
    if path is None:
        if not re.fullmatch(r"[\w.]+:\w+", head):
            raise SpecError(
                f"there is no {what} {spec!r}{place}; choose from {_listed(kinds)}, "
                "or an import path (module:Class)"
            )
        path, argument = head, ""
    elif bool(argument) != (kind in ARGUMENT) and not (argument and kind in MAY_HAVE):
        raise SpecError(f"{what} {spec!r}: write {_written(kind)}")
    where = f"{what} {spec!r}"
    load = _load(path, where)
    try:
        taken = inspect.signature(load).parameters
    except ValueError:  # some built-in types have none
        taken = inspect.signature(lambda: None).parameters
    # models have options in a file of the user's, too; what the spec says goes before it
    usual = load.usual_options(argument) if hasattr(load, "usual_options") else {}
    options = _options(load, query, where, usual)
    given = {key: value for key, value in given.items() if key in taken}
    try:
        return load(*([argument] if argument else []), **given, **options)
    except (TypeError, ValueError) as error:
        raise SpecError(f"{where}: {error}") from error


def roles_of(agent: Agent, all_roles: tuple[str, ...]) -> tuple[str, ...]:
    """The roles an agent plays: its `roles` attribute, all of the game's where it has none."""
    roles = getattr(agent, "roles", None)
    return all_roles if roles is None else tuple(role for role in all_roles if role in roles)


def _listed(kinds: Mapping[str, str]) -> str:
    return ", ".join(map(_written, sorted(kinds)))


def _written(kind: str) -> str:
    if kind in MAY_HAVE:
        return f"{kind} (or {kind}:{MAY_HAVE[kind]})"
    return f"{kind}:{ARGUMENT[kind]}" if kind in ARGUMENT else kind


def _load(path: str, where: str) -> Callable[..., Any]:
    module, _, name = path.partition(":")
    try:
        found: Callable[..., Any] = getattr(import_module(module), name)
    except ModuleNotFoundError as error:
        if error.name is None or not module.startswith(error.name):
            raise
        raise SpecError(f"{where}: there is no module {module!r}") from error
    except AttributeError as error:
        raise SpecError(f"{where}: module {module!r} has no {name!r}") from error
    return found


def _options(
    load: Callable[..., Any], query: str, where: str, usual: Mapping[str, Any]
) -> dict[str, Any]:
    known = known_options(load)
    options = {key: value for key, value in usual.items() if key in known}
    for key, value in parse_qsl(query, keep_blank_values=True):
        if key not in known:
            raise SpecError(
                f"{where} has no option {key!r}; its options: {', '.join(known) or 'none'}"
            )
        options[key] = _convert(value, known[key], f"{where}: {key}={value!r}")
    return options


def known_options(load: Callable[..., Any]) -> dict[str, Any]:
    """Options of what a spec names, and their types; those of base classes where it says Any."""
    classes = load.__mro__ if inspect.isclass(load) else ()
    makers = [vars(c)["__init__"] for c in classes if "__init__" in vars(c)] or [load]
    known: dict[str, Any] = {}
    for make in makers:
        hints, rest = typing.get_type_hints(make), None
        for name, parameter in inspect.signature(make).parameters.items():
            hint = hints.get(name, str)
            if parameter.kind is parameter.KEYWORD_ONLY and name not in ("name", "quick"):
                known.setdefault(name, hint)
            elif parameter.kind is parameter.VAR_KEYWORD:
                rest = hint
        if typing.get_origin(rest) is typing.Unpack:
            known = {**known, **typing.get_type_hints(*typing.get_args(rest)), **known}
        if rest is not Any:
            break
    return known


def _convert(value: str, hint: Any, where: str) -> Any:
    types = typing.get_args(hint) or (hint,)
    if type(None) in types and value.lower() == "none":
        return None
    wanted = [t for t in types if t is not type(None)]
    if bool in wanted:
        try:
            return {"true": True, "1": True, "false": False, "0": False}[value.lower()]
        except KeyError:
            raise SpecError(f"{where} is neither true nor false") from None
    for number in (int, float):
        if number in wanted:
            try:
                return number(value)
            except ValueError:
                if number is float or float not in wanted:
                    raise SpecError(f"{where} is not a number ({number.__name__})") from None
    return value
