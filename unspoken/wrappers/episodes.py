"""Games as chats of a language model, with a reward for every turn.

```python
from unspoken.wrappers.episodes import Episodes
episodes = Episodes("aidg_search", "seeker", "table")
episode = episodes.play(generate, seed=0)  # generate(messages) -> str
episode.messages, episode.rewards, episode.outcome
```
The prompts are those of the LLM agents (`unspoken/data/prompts`), so that what is trained here
plays there (extra `llm`). What trainers take is in `unspoken.wrappers.trainers`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gymnasium.utils import seeding

from unspoken.agents.base import Agent, AgentFailure
from unspoken.envs.base import MAX_UTTERANCE, choose, one_line
from unspoken.envs.registry import GameSpec, game, role_of
from unspoken.wrappers.single import Opponent, players_of
from unspoken.wrappers.turn_rewards import WEIGHTS, Measures, check_weights, measures, part_of

Chat = list[dict[str, str]]
"""Messages, each with its "role" ("system", "user" or "assistant") and its "content"."""

_MOST_DEALS = 1_000


@dataclass(frozen=True, slots=True)
class Episode:
    """A game as one of its players had it.

    Attributes:
        messages: the chat; the replies are the assistant's, as it wrote them.
        rewards: of each reply, in order: its measures by the weights; the outcome is not in them.
        outcome: what the game paid in the end.
        measures: of each reply; see `unspoken.wrappers.turn_rewards`.
        metadata: "game", "role", "part", "seat", "seed", "secret", "opponents" by seat, and how
            the game ended: "ending", "winner", "reason", "turn".
    """

    messages: Chat
    rewards: list[float]
    outcome: float
    measures: list[Measures]
    metadata: dict[str, Any]

    @property
    def prompt(self) -> Chat:
        """The messages before the first reply."""
        return self.messages[: self._start]

    @property
    def completion(self) -> Chat:
        """The first reply and all that follows."""
        return self.messages[self._start :]

    @property
    def _start(self) -> int:
        roles = [message["role"] for message in self.messages]
        return roles.index("assistant") if "assistant" in roles else len(roles)


class Episodes:
    """Episodes of one role of a game against any agents, in free text.

    The same seed is the same game with the same opponents as `SingleAgent.reset(seed=…)` deals.
    Each episode has an env and opponents of its own, so that many can be under way at once.

    Args:
        game: the game's name, or its spec with options.
        role: the model's.
        opponent: as `SingleAgent` takes it.
        seat: the model's where several have its role; drawn for each game if None.
        deal: options of every `reset`, such as `{"secret": "owl"}`.
        weights: what the reward of a turn counts of each measure; by default
            `turn_rewards.WEIGHTS`.
        prompts: folder of prompt templates that go before the package's; or None.
        options: of the game, such as `max_turns=8`.

    Raises:
        ValueError: if game, role, seat, an option or a weight does not exist or does not fit.
        ImportError: if the extra `llm` is not installed.
    """

    def __init__(
        self,
        game: str | GameSpec,
        role: str,
        opponent: Opponent | None = None,
        *,
        seat: str | None = None,
        deal: Mapping[str, Any] | None = None,
        weights: Mapping[str, float] | None = None,
        prompts: str | Path | None = None,
        **options: Any,
    ) -> None:
        from unspoken.agents.llm.prompts import Prompts

        self.game = _free(game, options)
        choose("role", role, self.game.roles)
        self.role = role
        seats = self.game.seats
        own = [agent for agent in seats if role_of(agent) == role]
        if seat is not None:
            choose("seat", seat, own)
        self._own = own if seat is None else [seat]
        self._others = [agent for agent in seats if [agent] != self._own]
        self._opponent = opponent
        players_of(self.game, opponent, self._others)  # refuses those that do not fit
        self._deal = dict(deal or {})
        check_weights(self.game.name, weights or {})
        self._weights = weights
        self.prompts = Prompts(None if prompts is None else Path(prompts), self.game, role)

    def start(self, seed: int) -> Conversation:
        """Deal a game and let the others play up to the model's first turn.

        Raises:
            AgentFailure: if an opponent fails before that.
            RuntimeError: if no game comes to that turn.
        """
        return Conversation(self, seed)

    def play(self, generate: Callable[[Chat], str], seed: int) -> Episode:
        """Play a game.

        Args:
            generate: the model: what it replies to a chat. It may keep the chat, which is its own.
            seed: of the game and all opponents.
        """
        chat = self.start(seed)
        while not chat.over:
            chat.say(generate([{**message} for message in chat.messages]))
        return chat.episode()

    async def aplay(self, generate: Callable[[Chat], Awaitable[str]], seed: int) -> Episode:
        """As `play`, with a model that is awaited; opponents never block the loop."""
        chat = await asyncio.to_thread(self.start, seed)
        while not chat.over:
            reply = await generate([{**message} for message in chat.messages])
            await asyncio.to_thread(chat.say, reply)
        return chat.episode()

    def weights(self, part: str) -> Mapping[str, float]:
        """What the reward of a turn counts of each measure, for a role or part."""
        if self._weights is not None:
            return self._weights
        return WEIGHTS.get(self.game.name, {}).get(part, {})


class Conversation:
    """One game under way, as the chat of the model that plays in it; made by `Episodes.start`.

    Attributes:
        messages: the chat so far; the last message asks for a reply, unless the game is over.
        seat: the model's.
        seed: of the game.
    """

    def __init__(self, episodes: Episodes, seed: int) -> None:
        self._episodes = episodes
        self._env = episodes.game.env()
        self.seed = seed
        chance = seeding.np_random(seed)[0].spawn(1)[0]
        players = players_of(episodes.game, episodes._opponent, episodes._others)
        self._others: dict[str, Agent] = {}
        dealt: int | None = seed
        for _ in range(_MOST_DEALS):
            self._env.reset(seed=dealt, options=episodes._deal)
            self.seat = episodes._own[int(chance.integers(len(episodes._own)))]
            for agent, listed in players.items():
                if agent == self.seat:
                    self._others.pop(agent, None)
                    continue
                player = listed[int(chance.choice(len(listed))) if len(listed) > 1 else 0]
                player.reset(role_of(agent), episodes.game, int(chance.integers(1 << 31)))
                self._others[agent] = player
            self._play_others()
            if not self.over:
                break
            dealt = None
        else:
            raise RuntimeError(
                f"{_MOST_DEALS} games of {episodes.game.name} ended before {episodes.role} had a "
                f"turn: {self._env.result}; choose another opponent"
            )
        self.messages: Chat = episodes.prompts.conversation(self._env.infos[self.seat])
        self._replies = 0

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return self._env.result is not None

    def say(self, reply: str) -> Chat:
        """Take the model's reply and play on up to its next turn.

        Args:
            reply: as the model wrote it. The others hear it without `<think>…</think>`; what is
                no move goes by the game's own rules.

        Returns:
            The messages that follow on it: one, which asks for the next reply, or none when the
            game is over. They are in `messages`, too.

        Raises:
            RuntimeError: if the game is over.
        """
        from unspoken.agents.llm.replies import visible

        if self.over:
            raise RuntimeError("the game is over; start another")
        self.messages.append({"role": "assistant", "content": reply})
        self._replies += 1
        self._env.step(visible(reply)[:MAX_UTTERANCE])
        try:
            self._play_others()
        except AgentFailure:
            return []  # the game is void
        if self.over:
            return []
        asked = self._episodes.prompts.conversation(self._env.infos[self.seat])[-1:]
        self.messages += asked
        return asked

    def stop(self, reason: str) -> None:
        """End the game without a winner, because the model can say no more."""
        self._env.void(reason)

    def episode(self) -> Episode:
        """What came of the game.

        Raises:
            RuntimeError: if it is not over.
        """
        env, episodes, result = self._env, self._episodes, self._env.result
        if result is None:
            raise RuntimeError("the game is not over")
        spec = episodes.game
        part = part_of(spec, env, self.seat)
        weights = episodes.weights(part)
        # votes that nobody has heard are in no history when a game is void
        found = measures(spec, env, self.seat)
        found += [{} for _ in range(self._replies - len(found))]
        return Episode(
            self.messages,
            [sum((weights.get(n, 0.0) * x for n, x in turn.items()), 0.0) for turn in found],
            float(env.rewards[self.seat]),
            found,
            {
                "game": spec.id,
                "role": episodes.role,
                "part": part,
                "seat": self.seat,
                "seed": self.seed,
                "secret": env.secret,
                "opponents": {agent: player.name for agent, player in self._others.items()},
                "ending": str(result.outcome),
                "winner": result.winner,
                "reason": result.reason,
                "turn": result.turn,
            },
        )

    def _play_others(self) -> None:
        env = self._env
        while env.result is None and env.agent_selection != self.seat:
            agent = env.agent_selection
            try:
                action = self._others[agent].act(env.observe(agent), env.infos[agent])
            except AgentFailure as failure:
                env.void(one_line(f"{agent} failed: {failure}"))
                raise
            env.step(action)


def _free(wanted: str | GameSpec, options: Mapping[str, Any]) -> GameSpec:
    spec = game(wanted) if isinstance(wanted, str) else wanted
    spec = spec.with_options(**options)
    if spec.options.get("utterances", "free") != "free":
        raise ValueError(f"utterances={spec.options['utterances']!r}: a language model talks")
    return spec.with_options(utterances="free")
