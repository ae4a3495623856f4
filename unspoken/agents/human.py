"""A person at the terminal."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from unspoken.agents.base import Agent, AgentFailure, BaseAgent, sentences
from unspoken.agents.specs import make_agent
from unspoken.envs.registry import GameSpec, role_of

HELP = "? lists what the menu offers, ? WORDS what it offers with these words"


class HumanAgent(BaseAgent):
    """Shows what was said since its last move and asks for the next; any game, any role.

    An utterance that the game cannot take is refused with the game's reason and asked for again.

    Args:
        name: how tables call it.
        ask: reads one line after a prompt; `input` if None.
        show: writes one line; `print` if None.
    """

    def __init__(
        self,
        name: str = "human",
        ask: Callable[[str], str] | None = None,
        show: Callable[[str], None] | None = None,
    ) -> None:
        super().__init__(name, quick=False)
        self._ask = ask or input
        self._show = show or print

    def reset(self, role: str, spec: GameSpec, seed: int) -> None:
        """Begin a game in a role."""
        super().reset(role, spec, seed)
        self._seen = 0
        self._begins = True

    def act(self, observation: Mapping[str, Any], info: Mapping[str, Any]) -> int | str:
        """The person's move.

        Raises:
            AgentFailure: if the input ends.
        """
        history = info["history"]
        if self._begins:
            self._begins = False
            self._show(observation["observation"].strip())
            self._show(f"({HELP})")
        else:
            for message in history[self._seen :]:
                if message.role != info["speaker"]:
                    self._show(f"{message.role}: {message.text}")
        self._seen = len(history)
        while True:
            try:
                text = self._ask(f"[turn {info['turn']}] {info['speaker']}: ").strip()
            except EOFError:
                raise AgentFailure("the input ended") from None
            if text.startswith("?"):
                self._offer(sentences(self.spec, self.role, info), text[1:].lower().split())
                continue
            action, problem = self.spec.understand(self.role, text, info)
            if not problem and (action >= 0 or "menu_mask" in info):
                return text if "menu_mask" in info else action
            self._show(problem or "That is not in the menu.")

    def _offer(self, menu: Sequence[str], words: list[str]) -> None:
        for sentence in menu:
            if sentence and all(word in sentence.lower() for word in words):
                self._show(f"  {sentence}")


def play(spec: GameSpec, role: str, against: Mapping[str, str], seed: int | None) -> None:
    """One game of a person against agents, in the terminal.

    Args:
        spec: the game.
        role: the person's role; where several seats have it, chance says which one is theirs.
        against: specs of the other players, by role.
        seed: of the game; None for a new one each time.

    Raises:
        ValueError: if the game has no such role.
        SpecError: if there is no such agent.
    """
    if role not in spec.roles:
        raise ValueError(f"{spec.name} has no role {role!r}; choose from {', '.join(spec.roles)}")
    rng = np.random.default_rng(seed)
    env = spec.env(utterances="free")
    env.reset(seed=int(rng.integers(2**31)))
    own = str(rng.choice([agent for agent in spec.seats if role_of(agent) == role]))
    players: dict[str, Agent] = {
        agent: HumanAgent() if agent == own else make_agent(against[role_of(agent)], spec.name)
        for agent in spec.seats
    }
    for agent, player in players.items():
        player.reset(role_of(agent), spec, int(rng.integers(2**31)))
    while env.result is None:
        agent = env.agent_selection
        try:
            env.step(players[agent].act(env.observe(agent), env.infos[agent]))
        except AgentFailure as error:
            env.void(str(error))
    last, result = env.history[-1:], env.result
    for message in last:
        if message.role not in (role, own):
            print(f"{message.role}: {message.text}")
    won = "nobody wins" if result.winner is None else f"the {result.winner} wins"
    reason = f" ({result.reason})" if result.reason else ""
    print(f"{result.outcome.replace('_', ' ')}{reason} on turn {result.turn}: {won}")
    print(f"the secret was: {env.secret}")
