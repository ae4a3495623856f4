"""Which games there are. A new game is one folder and one line in `_BUILT_IN`.

Other distributions add theirs through the entry-point group `unspoken.games`; each entry point
loads a `GameSpec`.
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from unspoken.envs.base import DialogueEnv, Understood

ENTRY_POINTS = "unspoken.games"


def role_of(agent: str) -> str:
    """The role of a PettingZoo agent: "seeker" of "seeker_0"."""
    return agent.rpartition("_")[0]


@dataclass(frozen=True)
class GameSpec:
    """A game, the options it is played with, and who plays it.

    Attributes:
        name: the game's name without its version, "aidg_search".
        version: bumped when the same moves give another game.
        agents: the PettingZoo agents in seating order, by default; see `seats`.
        module: module with `env`, `raw_env` and, where it applies, `parallel_env`.
        summary: one line for lists.
        options: keyword arguments of the env.
        settings: what a complete design plays every pairing in, each as options of `reset`: the
            two modes of AIDG-I, for example.
        paired: whether designs give both seatings of a pair the same secret. AIDG-II deals its
            words without replacement within a tournament, so there they differ.
        special: where all seats have one role, the option of `reset` that says which seat has the
            special part; designs give it to everybody equally often.
        names: who sits where in the present game, agent to competitor's name; empty when players
            are not told. Reputations are kept by these names.
    """

    name: str
    version: int
    agents: tuple[str, ...]
    module: str
    summary: str = ""
    options: Mapping[str, Any] = field(default_factory=dict)
    settings: tuple[Mapping[str, str], ...] = ({},)
    paired: bool = True
    special: str = ""
    names: Mapping[str, str] = field(default_factory=dict)

    @property
    def roles(self) -> tuple[str, ...]:
        """The roles of the game, each once, in seating order."""
        return tuple(dict.fromkeys(map(role_of, self.agents)))

    @property
    def id(self) -> str:
        """Name and version as PettingZoo writes them: "aidg_search_v0"."""
        return f"{self.name}_v{self.version}"

    @property
    def seats(self) -> tuple[str, ...]:
        """The agents as this spec's options make them: some games seat as many as one likes."""
        return tuple(self._probe.possible_agents)

    def env(self, **options: Any) -> DialogueEnv:
        """A checked env with this spec's options, overridden by `options`.

        Raises:
            ValueError: if the game has no such option; lists those it has.
        """
        module = import_module(self.module)
        given = {**self.options, **options}
        known = inspect.signature(module.raw_env).parameters
        unknown = sorted(given.keys() - known)
        if unknown:
            raise ValueError(
                f"{self.name} has no option {', '.join(unknown)}; its options: {', '.join(known)}"
            )
        env: DialogueEnv = module.env(**given)
        return env

    def menu(self, role: str) -> tuple[str, ...]:
        """The canonical sentences of a role; index i is what action i says."""
        return self._probe.menu(f"{role}_0")

    def secrets(self) -> tuple[str, ...]:
        """What can be hidden, for designs that deal secrets themselves."""
        return self._probe.secrets()

    def understand(self, role: str, text: str, info: Mapping[str, Any]) -> Understood:
        """How the game would take a text said by `role` in the situation `info`."""
        return self._probe.understand(role, text, info)

    def with_options(self, **options: Any) -> GameSpec:
        """The same game with further env options."""
        return replace(self, options={**self.options, **options})

    @property
    def _probe(self) -> DialogueEnv:
        return _probe(self.name, json.dumps(dict(self.options), sort_keys=True, default=str))


@cache
def _probe(name: str, options: str) -> DialogueEnv:
    return games()[name].env(**json.loads(options))


_BUILT_IN = (
    GameSpec(
        "aidg_search",
        0,
        ("seeker_0", "holder_0"),
        "unspoken.envs.aidg_search_v0",
        "AIDG-II: find a word with yes/no/maybe questions and one lock",
        paired=False,
    ),
    GameSpec(
        "aidg_dialogue",
        0,
        ("seeker_0", "holder_0"),
        "unspoken.envs.aidg_dialogue_v0",
        "AIDG-I: make a holder leak a secret sentence in dialogue",
        settings=({"mode": "A"}, {"mode": "B"}),
    ),
    GameSpec(
        "sneak",
        0,
        ("speaker_0", "ally_0", "chameleon_0"),
        "unspoken.envs.sneak_v0",
        "SNEAK: one message that an ally understands and a chameleon does not",
    ),
    GameSpec(
        "chameleon",
        0,
        ("player_0", "player_1", "player_2", "player_3"),
        "unspoken.envs.chameleon_v0",
        "Chameleon: clues, a vote, and one player who does not know the word",
        special="chameleon",
    ),
    GameSpec(
        "cross_examination",
        0,
        ("questioner_0", "witness_0"),
        "unspoken.envs.cross_examination_v0",
        "SDA: a questioner, a witness with something to lose, and a jury that scores them",
    ),
)


@cache
def games() -> dict[str, GameSpec]:
    """All games by name: the package's own and those of other distributions."""
    found = {spec.name: spec for spec in _BUILT_IN}
    for point in entry_points(group=ENTRY_POINTS):
        spec: GameSpec = point.load()
        found.setdefault(spec.name, spec)
    return found


def game(name: str) -> GameSpec:
    """The game of a name, with or without its version.

    Raises:
        ValueError: if there is none; the message lists what exists.
    """
    for spec in games().values():
        if name in (spec.name, spec.id):
            return spec
    raise ValueError(f"there is no game {name!r}; choose from {', '.join(sorted(games()))}")
