"""What a policy sees of SNEAK, computed from texts."""

import numpy as np
import pytest

from unspoken.agents.sneak.speakers import likely_decoys
from unspoken.agents.specs import make_agent
from unspoken.envs.registry import game
from unspoken.lexicon.vectors import similarity, vocabulary
from unspoken.training import choices
from unspoken.training.choices import Seat
from unspoken.wrappers.single import SingleAgent

SPEC = game("sneak")


@pytest.mark.parametrize("options", [{}, {"n_words": 4, "n_decoys": 2}])
def test_a_speaker_sees_what_its_message_tells(options) -> None:
    spec = SPEC.with_options(**options)
    env = spec.env()
    env.reset(seed=1, options={"secret": "bird/owl"})
    info = env.last()[-1]
    layout, seen = (
        f(spec, "speaker", *more)
        for f, more in ((choices.layout, ()), (choices._module(spec).see, (info,)))
    )
    rows = dict(zip(layout.option, seen.options.T, strict=True))
    own = similarity(vocabulary(), ["owl"])[:, 0]
    others = similarity(vocabulary(), [w for w in info["words"] if w != "owl"])
    decoys = likely_decoys("bird", tuple(sorted(info["words"])), options.get("n_decoys", 5))
    highest = similarity(decoys, ["owl"]).max()
    all_words = np.column_stack([own, others])
    assert rows["secret"] == pytest.approx(10 * own, abs=1e-4)
    assert rows["nearest other word"] == pytest.approx(10 * others.max(axis=1), abs=1e-4)
    assert rows["card"] == pytest.approx(10 * all_words.mean(axis=1), abs=1e-4)
    leak = 10 * (others.max(axis=1) - own)
    assert rows["behind another word"] == pytest.approx(np.minimum(leak, 0), abs=1e-4)
    short = 10 * (own - highest)
    assert rows["behind a decoy"] == pytest.approx(np.minimum(short, 0), abs=1e-4)
    assert seen.state == pytest.approx([0, 10 * highest], abs=1e-4)


@pytest.mark.parametrize("role", SPEC.roles)
def test_every_role_has_numbers_from_the_first_move_to_the_end(role) -> None:
    env = Seat(SingleAgent("sneak", role, "random", observation="text"), "options")
    layout = choices.layout(SPEC, role)
    assert layout.options == env.action_space.n
    rng = np.random.default_rng(0)
    for seed in range(3):
        seen, _ = env.reset(seed=seed)
        over = False
        while not over:
            assert seen.shape == (layout.size,)
            assert np.abs(seen).max() <= 10
            seen, _, over, _, _ = env.step(int(rng.choice(np.flatnonzero(env.action_masks()))))
        assert np.isfinite(seen).all()


def test_listeners_see_how_like_each_option_is() -> None:
    env = SPEC.env()
    env.reset(seed=1, options={"secret": "bird/owl"})
    speaker = make_agent("best", "sneak")
    speaker.reset("speaker", SPEC, 0)
    observation, _, _, _, info = env.last()
    env.step(speaker.act(observation, info))
    info = env.infos["chameleon_0"]
    seen = choices._module(SPEC).see(SPEC, "chameleon", info)
    n = len(info["words"])
    like = 10 * similarity(info["words"], [info["message"]])[:, 0]
    assert seen.options[:n, 1] == pytest.approx(like, abs=1e-4)
    assert seen.options[:n, 0].tolist() == [1] * n
    info = env.infos["ally_0"]
    seen = choices._module(SPEC).see(SPEC, "ally", info)
    n = len(info["messages"])
    assert seen.options[:n, 1] == pytest.approx(
        10 * similarity(info["messages"], ["owl"])[:, 0], abs=1e-4
    )
