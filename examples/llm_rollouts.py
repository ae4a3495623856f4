"""Episodes for training a language model: chats with a reward for every turn.

    pip install "unspoken[llm]"
    python examples/llm_rollouts.py                # a stand-in for a model, offline
    python examples/llm_rollouts.py --roles all

With TRL (`pip install "trl>=1.16"`), the same episodes train a model:

    from datasets import Dataset
    from trl import GRPOTrainer
    from unspoken.wrappers.trainers import outcome_reward, rows, trl_rollout, turn_reward

    GRPOTrainer(
        "Qwen/Qwen3-0.6B",
        train_dataset=Dataset.from_list(rows(episodes, range(1000))),
        rollout_func=trl_rollout(episodes),
        reward_funcs=[outcome_reward, turn_reward],
    ).train()

For verifiers see `unspoken_game.py`.
"""

from __future__ import annotations

import argparse
import textwrap
from collections.abc import Callable
from itertools import islice

from unspoken.envs.registry import games
from unspoken.wrappers.episodes import Chat, Episode, Episodes

REPLIES = {
    ("aidg_search", "seeker"): ["Is it alive?", "Can you hold it in one hand?", "lock: hammer"],
    ("aidg_search", "holder"): ["maybe"],
    ("aidg_dialogue", "seeker"): [
        "What does Fahim have?",
        "Since when has Fahim had a glass of water?",
    ],
    ("aidg_dialogue", "holder"): ["I would rather talk about something else."],
    ("sneak", "speaker"): ["<message>something old</message>"],
    ("sneak", "ally"): ["A: 0.7, B: 0.3"],
    ("sneak", "chameleon"): ["B"],
    ("chameleon", "player"): ["something old", "vote: player 0", "guess: lord"],
    ("cross_examination", "questioner"): ["Where were you that evening?"],
    ("cross_examination", "witness"): ["<think>Careful.</think>I do not remember."],
}
"""What the stand-in says in its first turns; then the last of it, again and again."""


def generate_from(replies: list[str]) -> Callable[[Chat], str]:
    """A model that is none, as `Episodes.play` takes it: from a chat to a reply."""

    def generate(chat: Chat) -> str:
        said = sum(message["role"] == "assistant" for message in chat)
        return replies[min(said, len(replies) - 1)]

    return generate


def show(episode: Episode, width: int = 96) -> None:
    """Print an episode, each reply with its reward; system prompts are cut short."""
    told = episode.metadata
    print(f"\n=== {told['game']} as {told['part']}: {told['ending']}, {episode.outcome:+.2f} ===")
    rewards = iter(zip(episode.rewards, episode.measures, strict=True))
    for message in episode.messages:
        text = " / ".join(message["content"].split("\n"))
        print(textwrap.shorten(f"{message['role']:>9}: {text}", width, placeholder=" …"))
        if message["role"] == "assistant":
            reward, measures = next(rewards)
            named = ", ".join(f"{name} {value:.3f}" for name, value in measures.items())
            print(f"           reward {reward:+.3f}  ({named or 'nothing measured'})")


def main() -> None:
    """Play one game of each kind."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("--roles", choices=["first", "all"], default="first")
    parser.add_argument("--seed", type=int, default=3)
    arguments = parser.parse_args()
    for name, spec in games().items():
        for role in islice(spec.roles, None if arguments.roles == "all" else 1):
            episodes = Episodes(name, role)
            show(episodes.play(generate_from(REPLIES[name, role]), seed=arguments.seed))


if __name__ == "__main__":
    main()
