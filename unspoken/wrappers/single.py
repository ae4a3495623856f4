"""One seat of a game as a `gymnasium.Env`; agents play the others.

```python
from unspoken.wrappers.single import SingleAgent
env = SingleAgent("aidg_search", "seeker", "table")
observation, info = env.reset(seed=0)
observation, reward, terminated, truncated, info = env.step(env.action_space.sample())
```
"""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Any, Literal

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, SyncVectorEnv, VectorEnv
from numpy.typing import NDArray

from unspoken.agents import features
from unspoken.agents.base import Agent, AgentFailure
from unspoken.agents.specs import OPPONENTS, make_agent, roles_of
from unspoken.envs.base import choose, one_line
from unspoken.envs.registry import GameSpec, game, role_of

Observation = Literal["features", "text", "both"]
Player = str | Agent
Opponent = Player | Sequence[Player] | Mapping[str, Player | Sequence[Player]]
"""Who plays: an agent or its spec; several, one of whom is drawn; or either by role."""

_MOST_DEALS = 1_000


class SingleAgent(gymnasium.Env[Any, Any]):
    """A role of a game against any agents, in menu mode.

    An episode is a game; a step is a move of the learner and all moves of others up to its next.
    Games that end before the learner has a move (a seeker may lock at once) are dealt again. An
    agent that fails voids the game: it is truncated, with reward 0. Opponents are never told how
    games ended, so that each game is like the first.

    `reset(seed=s)` deals the game that the PettingZoo env deals with that seed; all chance of the
    opponents follows from the seed, too.

    The observation is what `unspoken.agents.features` makes of the learner's view (float32 [n];
    `unspoken.agents.features.layout` names the numbers), its text, or both ("features", "text").
    `info` is the learner's info of the game, in which `action_mask`, int8 [m], says what is legal;
    `action_masks()`, bool [m], says the same, as sb3-contrib asks for it. They are all ones when
    the game is over. An illegal action ends the game with reward -1, or is taken for a pass in
    games that have one; then `info["faults"]` counts it.

    Args:
        game: the game's name, or its spec with options.
        role: the learner's.
        opponent: who plays the other seats: an agent, its spec, a list of which one is drawn for
            each seat and game, or any of these by role. By default `specs.OPPONENTS`.
        observation: "features", "text" or "both".
        sampling: "uniform", or the weights by which lists are drawn from, as many as each has.
        seat: the learner's where several have its role, such as "player_2"; drawn for each game
            if None.
        deal: options of every `reset`, such as `{"chameleon": "player_0"}`; those that `reset`
            is given go before them.
        render_mode: None, "ansi" or "human"; see `DialogueEnv`. "rgb_array", which
            stable-baselines3 asks of every registered env, is taken for None.
        options: of the game, such as `max_turns=8`.

    Raises:
        ValueError: if game, role, seat, an option or a weight does not exist or does not fit.
        SpecError: if there is no such agent.
    """

    metadata: dict[str, Any] = {"render_modes": ["ansi", "human"], "render_fps": 1}  # noqa: RUF012

    def __init__(
        self,
        game: str | GameSpec,
        role: str,
        opponent: Opponent | None = None,
        *,
        observation: Observation = "features",
        sampling: Literal["uniform"] | Sequence[float] = "uniform",
        seat: str | None = None,
        deal: Mapping[str, Any] | None = None,
        render_mode: str | None = None,
        **options: Any,
    ) -> None:
        choose("observation", observation, ("features", "text", "both"))
        if render_mode == "rgb_array":
            render_mode = None
        self.game = game = _spec(game, options)
        choose("role", role, game.roles)
        self._env = game.env(render_mode=render_mode)
        self.role = role
        self.render_mode = render_mode
        seats = self._env.possible_agents
        own = [agent for agent in seats if role_of(agent) == role]
        if seat is not None:
            choose("seat", seat, own)
        self._own = own if seat is None else [seat]
        self.seat = ""
        self._players = players_of(game, opponent, [a for a in seats if [a] != self._own])
        self._weights = _weights(sampling, self._players)
        self._deal = dict(deal or {})
        self._kind = observation
        self.observation_space = self._space(own[0])
        n = len(self._env.menu(own[0]))  # the role's own, not padded to the longest
        self.action_space = spaces.Discrete(n)
        self._mask = np.ones(n, np.int8)

    def _space(self, agent: str) -> spaces.Space[Any]:
        text = self._env.observation_space(agent)["observation"]
        if self._kind == "text":
            return text
        numbers = features.space(self.game, self.role)
        return numbers if self._kind == "features" else spaces.Dict(features=numbers, text=text)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Deal a game and let the others play up to the learner's first move.

        Args:
            seed: of the game and all opponents; None goes on with the present generators.
            options: of the game's `reset`, such as `{"secret": "owl"}`.

        Raises:
            ValueError: if an option is wrong, or an opponent does not play its role.
            AgentFailure: if an opponent fails before the learner's first move.
            RuntimeError: if no game comes to that move.
        """
        super().reset(seed=seed)
        if seed is not None or not hasattr(self, "_chance"):
            # the env has the same seed, and what it deals must not tell what opponents draw
            self._chance = self.np_random.spawn(1)[0]
        for _ in range(_MOST_DEALS):
            self._env.reset(seed=seed, options={**self._deal, **(options or {})})
            self._seat_players()
            self._play_others()
            if self._env.result is None:
                return self._seen()
            seed = None
        raise RuntimeError(
            f"{_MOST_DEALS} games of {self.game.name} ended before {self.role} had a move: "
            f"{self._env.result}; choose another opponent"
        )

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Make a move and let the others play up to the learner's next, or the end.

        Args:
            action: an index of the menu.

        Returns:
            What is seen, the learner's reward, terminated, truncated, and its info.

        Raises:
            AssertionError: if the action is not in the action space.
            gymnasium.error.ResetNeeded: if no game is on.
        """
        env = self._env
        if not self.seat or env.result is not None:
            raise gymnasium.error.ResetNeeded("call reset() first: no game is on")
        env.step(action)
        with suppress(AgentFailure):  # the game is void
            self._play_others()
        seen, info = self._seen()
        ended = env.terminations[self.seat]
        # an illegal move counts as both in PettingZoo; there is nothing to bootstrap from
        cut = env.truncations[self.seat] and not ended
        return seen, float(env.rewards[self.seat]), ended, cut, info

    def action_masks(self) -> NDArray[np.bool_]:
        """Which actions are legal now, bool [m]; all true when the game is over. A new array."""
        return self._mask.astype(np.bool_)

    def menu(self) -> tuple[str, ...]:
        """What each action says now."""
        return self._env.menu(self.seat)

    def render(self) -> Any:
        """The transcript so far ("ansi"); "human" prints lines as they are said."""
        return self._env.render()

    def close(self) -> None:
        """Release what the game holds."""
        self._env.close()

    def _seat_players(self) -> None:
        chance = self._chance
        self.seat = self._own[int(chance.integers(len(self._own)))]
        self._others: dict[str, Agent] = {}
        for agent, players in self._players.items():
            if agent == self.seat:
                continue
            place = int(chance.choice(len(players), p=self._weights)) if len(players) > 1 else 0
            player = players[place]
            player.reset(role_of(agent), self.game, int(chance.integers(1 << 31)))
            self._others[agent] = player

    def _play_others(self) -> None:
        env = self._env
        while env.result is None and env.agent_selection != self.seat:
            agent = env.agent_selection
            observation, _, _, _, info = env.last()
            assert observation is not None
            try:
                action = self._others[agent].act(observation, info)
            except AgentFailure as failure:
                env.void(one_line(f"{agent} failed: {failure}"))
                raise
            env.step(action)

    def _seen(self) -> tuple[Any, dict[str, Any]]:
        env = self._env
        info = env.last(observe=False)[-1] if env.result is None else env.infos[self.seat]
        numbers = features.encode(self.game, self.role, info) if self._kind != "text" else None
        if env.result is None:
            self._mask = info["action_mask"][: len(self._mask)]
        else:
            self._mask = np.ones_like(self._mask)
        info = {**info, "action_mask": self._mask.copy()}
        if env.faults[self.seat]:
            info["faults"] = env.faults[self.seat]
        if self._kind == "features":
            return numbers, info
        text = env.observe(self.seat)["observation"]
        return text if numbers is None else {"features": numbers, "text": text}, info


def make_vec(
    num_envs: int = 1,
    *,
    game: str | GameSpec,
    role: str,
    opponent: Opponent | None = None,
    autoreset_mode: AutoresetMode | str = AutoresetMode.SAME_STEP,
    **options: Any,
) -> VectorEnv[Any, Any, Any]:
    """Many games at once: as arrays where there is a batch of them, else one by one.

    The search game's seeker against "table" is a batch (`unspoken.wrappers.vector`), which has
    the same spaces; its holder draws mixed answers from a generator of its own, and its infos
    hold the mask and the ending only.

    Args:
        num_envs: how many.
        game: see `SingleAgent`, as the rest.
        role: the learner's.
        opponent: who plays the other seats.
        autoreset_mode: SAME_STEP or NEXT_STEP.
        options: of `SingleAgent` and of the game.
    """
    spec = _spec(game, {})
    opponents = dict(opponent) if isinstance(opponent, Mapping) else {"holder": opponent}
    batched = {"words", "max_turns", "holder_noise", "reward", "ontology", "render_mode"}
    given = {**spec.options, **options}
    if (spec.name, role) == ("aidg_search", "seeker") and given.keys() <= batched:
        default = OPPONENTS[spec.name]["holder"]
        if {k: default if v is None else v for k, v in opponents.items()} == {"holder": "table"}:
            from unspoken.wrappers.vector import AidgSearchVectorEnv

            return AidgSearchVectorEnv(num_envs, autoreset_mode=autoreset_mode, **given)
    one = partial(SingleAgent, spec, role, opponent, **options)
    return SyncVectorEnv([one] * num_envs, autoreset_mode=AutoresetMode(autoreset_mode))


def _spec(wanted: str | GameSpec, options: Mapping[str, Any]) -> GameSpec:
    spec = game(wanted) if isinstance(wanted, str) else wanted
    spec = spec.with_options(**options)
    if spec.options.get("utterances", "menu") != "menu":
        raise ValueError(
            f"utterances={spec.options['utterances']!r}: a single agent chooses from a menu"
        )
    return spec


def players_of(
    spec: GameSpec, opponent: Opponent | None, seats: Sequence[str]
) -> dict[str, list[Agent]]:
    """Agents of its own for every seat that may not be the learner's."""
    usual = OPPONENTS.get(spec.name, dict.fromkeys(spec.roles, "random"))
    by_role = opponent if isinstance(opponent, Mapping) else dict.fromkeys(spec.roles, opponent)
    unknown = sorted(by_role.keys() - set(spec.roles))
    if unknown:
        raise ValueError(
            f"opponent for {', '.join(unknown)}: {spec.name} has the roles {', '.join(spec.roles)}"
        )
    found = {}
    for seat in seats:
        role = role_of(seat)
        named = by_role.get(role)
        if named is None:
            named = usual[role]
        listed = [named] if isinstance(named, str | Agent) else list(named)
        if not listed:
            raise ValueError(f"opponent for {role}: an empty list; name one agent at least")
        found[seat] = [_player(player, spec, role) for player in listed]
    return found


def _player(player: Player, spec: GameSpec, role: str) -> Agent:
    made = make_agent(player, spec.name) if isinstance(player, str) else copy.deepcopy(player)
    if role not in roles_of(made, spec.roles):
        raise ValueError(
            f"opponent {made.name!r} does not play {role} in {spec.name}, only "
            f"{', '.join(roles_of(made, spec.roles)) or 'other roles'}"
        )
    return made


def _weights(
    sampling: Literal["uniform"] | Sequence[float], players: Mapping[str, Sequence[Agent]]
) -> NDArray[np.float64] | None:
    """Probabilities for lists of opponents; None for equal ones."""
    if isinstance(sampling, str):
        choose("sampling", sampling, ("uniform",))
        return None
    weights = np.asarray(sampling, np.float64)
    counts = {len(listed) for listed in players.values()} - {1}
    fits = weights.ndim == 1 and counts <= {len(weights)} and np.isfinite(weights).all()
    if not fits or not (weights >= 0).all() or not weights.sum() > 0:
        raise ValueError(
            f"sampling={sampling!r}: 'uniform', or a weight of 0 or more for each opponent of a "
            f"list ({', '.join(map(str, sorted(counts))) or 'there is none'}), not all 0"
        )
    return np.asarray(weights / weights.sum())
