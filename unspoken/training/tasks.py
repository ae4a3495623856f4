"""What is to be learnt, and how: TOML files of hyperparameters."""

from __future__ import annotations

import dataclasses
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal

from unspoken.agents.specs import OPPONENTS
from unspoken.envs.base import choose
from unspoken.envs.registry import GameSpec, game
from unspoken.training.choices import View

FOLDER = files("unspoken.data") / "training"
"""The package's own files, `GAME_ROLE.toml`."""


@dataclass(frozen=True)
class Task:
    """A role of a game, whom it is learnt against, and the hyperparameters.

    Attributes:
        game: the game's name.
        role: the learner's.
        opponents: specs of those who have the other seats; one is drawn for each seat and game.
        steps: moves of the learner in all.
        leg: moves between checkpoints; seeds are set and games begun anew at each.
        envs: games in play at once.
        anneal: whether the learning rate falls to 0, leg by leg.
        view: what the policy sees: "options" or "features".
        scorer: how options are scored: "network" or "linear"; see `unspoken.training.policy`.
        hidden: sizes of the hidden layers.
        options: of the game, in training and evaluation.
        ppo: further arguments of MaskablePPO.

    Raises:
        ValueError: if a value is out of its range; names it.
    """

    game: str
    role: str
    opponents: tuple[str, ...]
    steps: int = 200_000
    leg: int = 20_000
    envs: int = 8
    anneal: bool = False
    view: View = "options"
    scorer: Literal["network", "linear"] = "network"
    hidden: tuple[int, ...] = (32,)
    options: Mapping[str, Any] = field(default_factory=dict)
    ppo: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        choose("role", self.role, game(self.game).roles)
        choose("view", self.view, ("options", "features"))
        choose("scorer", self.scorer, ("network", "linear"))
        for name, values in (
            ("steps", [self.steps]),
            ("leg", [self.leg]),
            ("envs", [self.envs]),
            ("hidden", self.hidden),
        ):
            if not values or not all(isinstance(v, int) and v >= 1 for v in values):
                raise ValueError(f"{name}={getattr(self, name)!r}: whole numbers of 1 or more")
        if not self.opponents:
            raise ValueError("opponents=(): name at least one agent")

    @property
    def spec(self) -> GameSpec:
        """The game as it is played."""
        return game(self.game).with_options(**self.options)


def load(name: str, role: str, file: Path | None = None, **given: Any) -> Task:
    """The task of a file.

    Args:
        name: the game's.
        role: the learner's.
        file: a TOML file whose keys are those of `Task`, the tables `options` and `ppo` among
            them; the package's own for this game and role if None, or nothing but the defaults
            where there is none.
        given: what goes before the file; None does not.

    Raises:
        ValueError: if a key is unknown or a value does not fit; names the file.
    """
    name = game(name).name
    own = FOLDER / f"{name}_{role}.toml"
    place = own if file is None else file
    text = place.read_text(encoding="utf-8") if file or own.is_file() else ""
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ValueError(f"{place}: {error}") from None
    known = {f.name for f in dataclasses.fields(Task)} - {"game", "role"}
    if unknown := sorted(data.keys() - known):
        raise ValueError(
            f"{place}: unknown key {', '.join(unknown)}; known are {', '.join(sorted(known))}"
        )
    data |= {key: value for key, value in given.items() if value is not None}
    usual = [who for other, who in OPPONENTS.get(name, {}).items() if other != role] or ["random"]
    data["opponents"] = tuple(data.get("opponents", usual))
    data["hidden"] = tuple(data.get("hidden", Task.hidden))
    try:
        return Task(name, role, **data)
    except ValueError as error:
        raise ValueError(f"{place}: {error}") from None
