"""Episodes in the form that trainers of language models take.

| library | what it takes |
| --- | --- |
| TRL, `GRPOTrainer` (1.16) | `train_dataset=Dataset.from_list(rows(episodes, seeds))`, `rollout_func=trl_rollout(episodes)`, `reward_funcs=[outcome_reward, turn_reward]` |
| verifiers 0.4, `verifiers.v1` | `examples/unspoken_game.py`: a taskset and its `Env` |
| verifiers 0.2, `MultiTurnEnv` | `multi_turn_env(episodes, seeds)` |

None of them is imported here before its function is called.
"""  # noqa: E501 - a table

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from typing import Any

from unspoken.wrappers.episodes import Chat, Conversation, Episodes

Ids = list[int]
Generate = Callable[[Any, list[Ids]], tuple[list[Ids], list[list[float]] | None]]
"""A trainer and B prompts as tokens, to B completions and, if known, their log-probabilities."""


def rows(episodes: Episodes, seeds: Iterable[int]) -> list[dict[str, Any]]:
    """A data set of games: "prompt" in conversational form, "game", "role", "seed".

    Trainers hand a rollout nothing but the prompt, so the first message carries the seed in its
    "name", which chat templates leave out.
    """
    return [
        {
            "prompt": [{**message, "name": f"seed-{seed}"} for message in chat.messages],
            "game": episodes.game.id,
            "role": episodes.role,
            "seed": seed,
        }
        for seed in seeds
        for chat in [episodes.start(seed)]
    ]


def trl_rollout(
    episodes: Episodes, generate: Generate | None = None
) -> Callable[[list[Chat], Any], dict[str, list[Any] | None]]:
    """A `rollout_func` for TRL's `GRPOTrainer`: one game for each prompt of `rows`.

    The games of a batch go on together, one generation for all of them a turn. `env_mask` keeps
    what others say out of the loss. Chats that grow beyond `max_completion_length` end without a
    winner. The reward functions get "outcome", "turn_rewards" and "episode".

    Args:
        episodes: the game.
        generate: the model; by default the trainer's own way to generate, by vLLM or not.
    """
    produce = generate or _trainer_generate

    def rollout(prompts: list[Chat], trainer: Any) -> dict[str, list[Any] | None]:
        tokenizer = trainer.processing_class
        chats = [episodes.start(int(prompt[0]["name"].rpartition("-")[2])) for prompt in prompts]
        firsts = [_tokens(tokenizer, chat.messages) for chat in chats]
        said: list[Ids] = [[] for _ in chats]
        masks: list[Ids] = [[] for _ in chats]
        logs: list[list[float]] | None = [[] for _ in chats]
        while live := [i for i, chat in enumerate(chats) if not chat.over]:
            made, found = produce(trainer, [firsts[i] + said[i] for i in live])
            logs = None if found is None else logs
            for place, i in enumerate(live):
                room = trainer.max_completion_length - len(said[i])
                reply = made[place][:room]
                said[i] += reply
                masks[i] += [1] * len(reply)
                text = tokenizer.decode(reply, skip_special_tokens=True)
                more = _following(tokenizer, reply, chats[i].say(text))
                if len(reply) + len(more) >= room and not chats[i].over:
                    chats[i].stop("the chat is too long")
                    more = []
                said[i] += more
                masks[i] += [0] * len(more)
                if logs is not None and found is not None:
                    logs[i] += [*found[place][: len(reply)], *[0.0] * len(more)]
        played = [chat.episode() for chat in chats]
        return {
            "prompt_ids": firsts,
            "completion_ids": said,
            "logprobs": logs,
            "env_mask": masks,
            "outcome": [episode.outcome for episode in played],
            "turn_rewards": [episode.rewards for episode in played],
            "episode": played,
        }

    return rollout


def outcome_reward(outcome: list[float], **_: Any) -> list[float]:
    """What the games paid: a reward function for TRL, with `trl_rollout`."""
    return outcome


def turn_reward(turn_rewards: list[list[float]], **_: Any) -> list[float]:
    """The sums of the rewards of the turns: a reward function for TRL, with `trl_rollout`."""
    return [sum(rewards) for rewards in turn_rewards]


def multi_turn_env(episodes: Episodes, seeds: Iterable[int], **options: Any) -> Any:
    """A `verifiers.MultiTurnEnv` (0.2) of the game, with the rubric of its rewards.

    The rubric adds the outcome and the rewards of the turns; each step of a trajectory has the
    reward of its turn, too, and `state["episode"]` is the `Episode`. What the trainer's own limits
    cut short ends without a winner.

    Args:
        episodes: the game.
        seeds: of the games in the data set.
        options: of `verifiers.MultiTurnEnv`.

    Raises:
        ImportError: if verifiers is missing, or has no `MultiTurnEnv` any more.
    """
    try:
        import verifiers as vf  # type: ignore[import-not-found, unused-ignore]
        from datasets import Dataset  # type: ignore[import-not-found, unused-ignore]

        base = vf.MultiTurnEnv
    except (ImportError, AttributeError) as error:
        raise ImportError(
            'MultiTurnEnv needs pip install "verifiers>=0.2,<0.3" and its parts; for later ones '
            "see examples/unspoken_game.py"
        ) from error

    def outcome(state: Any) -> float:
        return float(state["episode"].outcome)

    def turns(state: Any) -> float:
        return float(sum(state["episode"].rewards))

    class GameEnv(base):  # type: ignore[misc, valid-type]
        """One game a rollout; opponents speak in `env_response`."""

        async def setup_state(self, state: Any) -> Any:
            state["conversation"] = await asyncio.to_thread(episodes.start, state["info"]["seed"])
            return state

        async def env_response(self, messages: Any, state: Any, **_: Any) -> Any:
            reply = str(messages[-1].content or "")
            more = await asyncio.to_thread(state["conversation"].say, reply)
            if not more:
                state["final_env_response"] = []
            return [vf.UserMessage(content=message["content"]) for message in more]

        @vf.cleanup  # type: ignore[untyped-decorator, unused-ignore]
        async def settle(self, state: Any) -> None:
            chat: Conversation = state.pop("conversation")
            if not chat.over:
                chat.stop(str(state.get("stop_condition") or "cut short"))
            state["episode"] = episode = chat.episode()
            for step, reward in zip(state["trajectory"], episode.rewards, strict=False):
                step["reward"] = reward

    data = [
        {"prompt": chat.messages, "info": {"seed": seed}, "answer": ""}
        for seed in seeds
        for chat in [episodes.start(seed)]
    ]
    rubric = vf.Rubric(funcs=[outcome, turns], weights=[1.0, 1.0])
    return GameEnv(dataset=Dataset.from_list(data), rubric=rubric, **options)


def _trainer_generate(trainer: Any, prompts: list[Ids]) -> tuple[list[Ids], Any]:
    # what TRL's own loop over tool calls does; there is no public way to continue a chat
    found: tuple[list[Ids], Any] = trainer._generate_single_turn(prompts, None, {}, 1)
    return found


def _tokens(tokenizer: Any, chat: Chat, *, ask: bool = True) -> Ids:
    found: Ids = tokenizer.apply_chat_template(
        chat, add_generation_prompt=ask, tokenize=True, return_dict=False
    )
    return found


def _following(tokenizer: Any, reply: Ids, more: Chat) -> Ids:
    """What follows on a reply, as tokens: the end of its turn if it has none, and the messages.

    The chat is never tokenized anew, since a text has more than one tokenization and templates
    leave reasoning out of earlier replies. What a template puts around the messages is found with
    a stand-in for the chat before them.
    """
    if not more:
        return []
    before = [{"role": "user", "content": "?"}, {"role": "assistant", "content": "!"}]
    known, whole = _tokens(tokenizer, before, ask=False), _tokens(tokenizer, [*before, *more])
    end = tokenizer.eos_token_id
    if end in known:  # templates may write a line break after it, which the model does not
        known = known[: len(known) - known[::-1].index(end)]
        closing = [] if reply and reply[-1] == end else [end]
    else:
        closing = []
    if whole[: len(known)] != known:
        raise ValueError("this chat template writes earlier messages anew as a chat goes on")
    return closing + whole[len(known) :]
