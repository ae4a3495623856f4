"""Lies in free text end a game where they forfeit it, and never tell the seeker so."""

import pytest

from unspoken.envs import aidg_dialogue_v0


@pytest.mark.parametrize(
    ("question", "reply", "lie"),
    [
        ("Does Fahim have a glass of water?", "No, he doesn't.", True),
        ("What does Fahim have?", "Fahim has a cup of tea.", True),
        ("Fahim has a glass of water, doesn't he?", "No, that is not so.", True),
        ("What does Fahim have?", "I would rather talk about the weather.", False),
        ("Does Fahim have a cup of tea?", "No, he doesn't.", False),
    ],
)
def test_lies_are_found_in_free_text(question, reply, lie) -> None:
    env = aidg_dialogue_v0.env(utterances="free", on_lie="forfeit", mode="B")
    env.reset(seed=0, options={"secret": "glass_of_water"})
    env.step(question)
    env.step(reply)
    assert (env.unwrapped.result is not None) == lie
    if lie:
        assert (env.unwrapped.result.outcome, env.rewards["seeker_0"]) == ("lie", 1)
