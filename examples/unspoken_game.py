"""A game as an environment of verifiers (0.4, `verifiers.v1`): a taskset and its `Env`.

    pip install "unspoken[llm]" "verifiers>=0.4"
    PYTHONPATH=examples vf-eval unspoken-game --env.taskset.game sneak --env.taskset.role speaker

verifiers finds this module by its name, so it has to be importable; its chats run with `uv`. For
verifiers 0.2 see `unspoken.wrappers.trainers.multi_turn_env`.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

import verifiers.v1 as vf

from unspoken.wrappers.episodes import Episodes

__all__ = ["GameEnv", "GameTaskset"]


class GameConfig(vf.TasksetConfig):
    """Which game, which role, and against whom; how many games."""

    game: str = "aidg_search"
    role: str = "seeker"
    opponent: str | None = None
    games: int = 1000


class GameData(vf.TaskData):
    """A game to be played, by its seed."""

    game: str
    role: str
    opponent: str | None
    seed: int


class GameTask(vf.Task[GameData, vf.State, vf.TaskConfig]):
    """The rewards are the env's: they come from the game."""


class GameTaskset(vf.Taskset[GameTask, GameConfig]):
    """Games by their seeds, from 0."""

    def load(self) -> Iterator[GameTask]:
        """Every game, with the prompt of its first turn."""
        own = self.config
        for seed in range(own.games):
            system, user = episodes(own.game, own.role, own.opponent).start(seed).messages
            yield GameTask(
                GameData(
                    name=f"{own.game}/{own.role}/{seed}",
                    system_prompt=system["content"],
                    prompt=user["content"],
                    game=own.game,
                    role=own.role,
                    opponent=own.opponent,
                    seed=seed,
                ),
                own.task,
            )


class GameEnvConfig(vf.EnvConfig):
    """The model has one seat; the game's own agents have the others."""

    player: vf.AgentConfig = vf.AgentConfig(harness={"id": "null"}, runtime={"type": "subprocess"})


class GameEnv(vf.Env[GameEnvConfig]):
    """The game and its opponents are the model's user."""

    async def run(self, task: Any, agents: Any) -> None:
        """Play the game, and record its rewards."""
        data = task.data
        chat = episodes(data.game, data.role, data.opponent).start(data.seed)
        async with agents.player.interaction(task) as interaction:
            segment = await interaction.turn()
            while not segment.terminated:
                more = chat.say(segment.last_reply)
                if not more:
                    break
                segment = await interaction.turn(more[0]["content"])
        if not chat.over:
            chat.stop("the model can say no more")
        episode = chat.episode()
        trace = interaction.trace
        trace.record_reward("outcome", episode.outcome, 1.0)
        trace.record_reward("turns", sum(episode.rewards), 1.0)
        trace.info["episode"] = {**episode.metadata, "rewards": episode.rewards}


@cache
def episodes(game: str, role: str, opponent: str | None) -> Episodes:
    """The games of a config."""
    return Episodes(game, role, opponent)
