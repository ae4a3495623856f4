"""One seat of a game as a gymnasium env, through `SingleAgent` and through gymnasium's registry."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env, data_equivalence
from gymnasium.vector import SyncVectorEnv
from support.players import Asker, Down

import unspoken.gym
from unspoken.agents import features
from unspoken.agents.base import AgentFailure, BaseAgent
from unspoken.agents.specs import SpecError, make_agent
from unspoken.envs.registry import game, games
from unspoken.wrappers.single import SingleAgent
from unspoken.wrappers.vector import AidgSearchVectorEnv

SEATS = [(name, role) for name, spec in games().items() for role in spec.roles]
QUIET = "ignore:.*:UserWarning"


class Locker(BaseAgent):
    """Locks the last word of the menu at once."""

    def __init__(self, name="locker"):
        super().__init__(name)

    def act(self, observation, info):
        return int(np.flatnonzero(info["action_mask"])[-1])


def play(env, seed, games=2) -> list:
    """Everything that is seen in some games of random legal moves."""
    rng = np.random.default_rng(seed)
    seen = []
    for number in range(games):
        observation, info = env.reset(seed=seed if number == 0 else None)
        seen.append((observation, info))
        over = False
        while not over:
            masks = env.action_masks()
            assert masks.any()
            assert masks.dtype == np.bool_
            np.testing.assert_array_equal(masks, info["action_mask"])
            assert info["action_mask"].dtype == np.int8
            step = env.step(int(rng.choice(np.flatnonzero(masks))))
            seen.append(step)
            observation, _, terminated, truncated, info = step
            over = terminated or truncated
        assert env.action_masks().all()
    return seen


@pytest.mark.filterwarnings(QUIET)
@pytest.mark.parametrize(("name", "role"), SEATS)
def test_gymnasium_accepts_every_seat(name, role) -> None:
    check_env(SingleAgent(name, role, "random", render_mode="ansi"), skip_render_check=True)


@pytest.mark.filterwarnings(QUIET)
@pytest.mark.parametrize("observation", ["text", "both"])
def test_gymnasium_accepts_texts(observation) -> None:
    env = SingleAgent("aidg_search", "holder", "random", observation=observation)
    check_env(env, skip_render_check=True)


@pytest.mark.parametrize(("name", "role"), SEATS)
def test_stable_baselines_accepts_every_seat(name, role) -> None:
    checker = pytest.importorskip("stable_baselines3.common.env_checker")
    checker.check_env(SingleAgent(name, role, "random"))


@pytest.mark.parametrize(("name", "role"), SEATS)
def test_a_seed_tells_everything(name, role) -> None:
    made = [SingleAgent(name, role, "random", observation="both") for _ in range(2)]
    made[1].reset(seed=99)
    first, second = (play(env, 5) for env in made)
    assert data_equivalence(first, second, exact=True)
    assert not data_equivalence(first, play(made[0], 6), exact=True)


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda e: pickle.loads(pickle.dumps(e))])
@pytest.mark.parametrize(("name", "role"), SEATS)
def test_a_copy_in_mid_game_goes_on_alike(name, role, copied) -> None:
    env = SingleAgent(name, role, "random")
    env.reset(seed=3)
    twin = copied(env)
    over = False
    while not over:
        action = int(np.flatnonzero(env.action_masks())[0])
        one, other = env.step(action), twin.step(action)
        assert data_equivalence(one, other, exact=True)
        over = one[2] or one[3]
    assert data_equivalence(env.reset(), twin.reset(), exact=True)


@pytest.mark.parametrize(("name", "role"), SEATS)
def test_it_is_the_game_of_the_same_seed(name, role) -> None:
    spec = game(name)
    env, plain = SingleAgent(spec, role, "random", observation="both"), spec.env()
    seen, info = env.reset(seed=2)
    plain.reset(seed=2)
    for message in info["history"]:
        plain.step(message.action)
    if not plain.history and role != plain.agent_selection.rpartition("_")[0]:
        return  # moves that are not heard yet, in sneak
    if plain.agent_selection == env.seat:
        assert seen["text"] == plain.observe(env.seat)["observation"]
        numbers = features.encode(spec, role, plain.infos[env.seat])
        np.testing.assert_array_equal(seen["features"], numbers)


def test_rewards_and_ends() -> None:
    env = SingleAgent("aidg_search", "seeker", "table", reward="decay")
    menu = game("aidg_search").menu("seeker")
    for word, turn, paid in (("tiger", 1, 2.0), ("chair", 1, -2.0), ("tiger", 2, 15 / 8)):
        env.reset(seed=0, options={"secret": "tiger"})
        for _ in range(turn - 1):
            _, reward, terminated, truncated, _ = env.step(0)
            assert (reward, terminated, truncated) == (0, False, False)
        _, reward, terminated, truncated, info = env.step(menu.index(f"lock: {word}"))
        assert (reward, terminated, truncated) == (pytest.approx(paid), True, False)
        assert info["result"].turn == turn
    with pytest.raises(gymnasium.error.ResetNeeded):
        env.step(0)


def test_an_illegal_move_ends_the_game() -> None:
    env = SingleAgent("aidg_search", "seeker", "table", max_turns=2)
    env.reset(seed=0)
    env.step(0)
    _, reward, terminated, truncated, info = env.step(0)  # the last turn is for locks
    assert (reward, terminated, truncated) == (-1, True, False)
    assert info["result"].outcome == "void"
    env.reset()
    with pytest.raises(AssertionError, match="action 999 is not in the action space"):
        env.step(999)


def test_an_illegal_move_is_a_pass_where_there_is_one() -> None:
    env = SingleAgent("chameleon", "player", "random", seat="player_1")
    env.reset(seed=0)
    illegal = int(np.flatnonzero(~env.action_masks())[0])
    _, _, _, _, info = env.step(illegal)
    assert info["faults"] == 1


def test_a_game_that_an_agent_fails_in_is_cut_short() -> None:
    env = SingleAgent("aidg_search", "seeker", Down())
    env.reset(seed=0)
    _, reward, terminated, truncated, info = env.step(0)
    assert (reward, terminated, truncated) == (0, False, True)
    assert info["result"].reason == "holder_0 failed: the provider is down"
    env = SingleAgent("aidg_search", "holder", Down())
    with pytest.raises(AgentFailure, match="the provider is down"):
        env.reset(seed=0)
    with pytest.raises(gymnasium.error.ResetNeeded):
        env.step(0)


def test_games_without_a_move_are_dealt_again() -> None:
    env = SingleAgent("aidg_search", "holder", "support.players:Asker?questions=0")
    with pytest.raises(RuntimeError, match="ended before holder had a move"):
        env.reset(seed=0)
    often = SingleAgent(
        "aidg_search", "holder", [Locker(), Asker()], sampling=[0.9, 0.1], observation="text"
    )
    for seed in range(10):
        text, info = often.reset(seed=seed)
        assert "Seeker (turn 1)" in text
        assert info["action_mask"].all()


def test_opponents_are_drawn_by_their_weights() -> None:
    def questions(sampling) -> set:
        env = SingleAgent(
            "aidg_search",
            "holder",
            [make_agent("rules", "aidg_search"), "greedy"],
            sampling=sampling,
        )
        return {env.reset(seed=seed)[1]["history"][0].action for seed in range(12)}

    rules, greedy = questions([1, 0]), questions([0, 1])
    assert (len(rules), len(greedy)) == (1, 1)
    assert questions("uniform") == rules | greedy


def test_opponents_by_role_and_by_default() -> None:
    env = SingleAgent("sneak", "speaker", {"ally": "embedding", "chameleon": ["random", "rsa"]})
    assert {seat: len(players) for seat, players in env._players.items()} == {
        "ally_0": 1,
        "chameleon_0": 2,
    }
    default = SingleAgent("aidg_search", "seeker")
    assert [p.name for p in default._players["holder_0"]] == ["table"]


def test_what_is_handed_out_is_not_used_again() -> None:
    env = SingleAgent("aidg_search", "seeker", "table")
    seen, info = env.reset(seed=0)
    before = seen.copy()
    info["action_mask"][:] = 0
    seen[:] = 7
    again, _, _, _, _ = env.step(0)
    assert again.max() <= 1
    assert env.action_masks().any()
    np.testing.assert_array_equal(env.reset(seed=0)[0], before)


def test_seats_are_fixed_or_drawn() -> None:
    drawn = SingleAgent("chameleon", "player", "random")
    taken = set()
    for seed in range(20):
        drawn.reset(seed=seed)
        taken.add(drawn.seat)
    assert taken == {f"player_{seat}" for seat in range(4)}
    deal = {"chameleon": "player_2"}
    fixed = SingleAgent("chameleon", "player", "rules", seat="player_2", deal=deal, players=5)
    for seed in range(3):
        _, info = fixed.reset(seed=seed)
        assert (fixed.seat, info["chameleon"], len(info["players"])) == ("player_2", True, 5)
    _, info = fixed.reset(seed=0, options={"chameleon": "player_0"})
    assert not info["chameleon"]


def test_render_shows_the_transcript() -> None:
    env = SingleAgent("aidg_search", "seeker", "table", render_mode="ansi")
    env.reset(seed=0)
    env.step(0)
    assert env.render().startswith(f"Seeker (turn 1): {env.menu()[0]}\nHolder (turn 1): ")
    env.close()


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        ({"role": "spy"}, ValueError, "role='spy' does not exist; choose from"),
        ({"observation": "pixels"}, ValueError, "observation='pixels' does not exist"),
        ({"seat": "seeker_7"}, ValueError, "seat='seeker_7' does not exist"),
        ({"opponent": "greedier"}, SpecError, "no agent 'greedier' for aidg_search"),
        ({"opponent": {"spy": "table"}}, ValueError, "opponent for spy: aidg_search has the roles"),
        ({"opponent": []}, ValueError, "opponent for holder: an empty list"),
        ({"role": "holder", "opponent": "table"}, ValueError, "'table' does not play seeker"),
        ({"sampling": "often"}, ValueError, "sampling='often' does not exist"),
        ({"opponent": ["table", "evasive"], "sampling": [1]}, ValueError, r"each opponent.*\(2\)"),
        ({"opponent": ["table", "evasive"], "sampling": [0, 0]}, ValueError, "not all 0"),
        ({"utterances": "free"}, ValueError, "utterances='free': a single agent chooses"),
        ({"turns": 3}, ValueError, "aidg_search has no option turns; its options"),
    ],
)
def test_wrong_arguments(given, error, message) -> None:
    with pytest.raises(error, match=message):
        SingleAgent("aidg_search", **{"role": "seeker", **given})


@pytest.mark.parametrize("name", games())
def test_every_game_is_registered(name) -> None:
    spec = game(name)
    env = gymnasium.make(unspoken.gym.gym_id(spec))
    assert env.unwrapped.role == spec.roles[0]
    assert env.spec.id == unspoken.gym.gym_id(spec)


@pytest.mark.filterwarnings(QUIET)
def test_make_takes_role_opponent_and_options() -> None:
    env = gymnasium.make(
        "unspoken.gym:unspoken/AidgSearch-v0", role="seeker", opponent="table", max_turns=4
    )
    _, info = env.reset(seed=0)
    assert env.get_wrapper_attr("action_masks")().sum() == info["action_mask"].sum()
    assert env.unwrapped.game.options["max_turns"] == 4
    assert gymnasium.make("unspoken/AidgSearch-v0", role="holder").action_space.n == 3


def test_make_vec_takes_the_batch_where_there_is_one() -> None:
    make = gymnasium.make_vec
    batched = make("unspoken/AidgSearch-v0", 3, role="seeker", opponent="table", max_turns=4)
    assert isinstance(batched, AidgSearchVectorEnv)
    single = gymnasium.make("unspoken/AidgSearch-v0", role="seeker", opponent="table")
    assert batched.single_observation_space == single.observation_space
    assert batched.single_action_space == single.action_space
    for given in ({"opponent": "evasive"}, {"role": "holder"}, {"observation": "both"}):
        assert isinstance(make("unspoken/AidgSearch-v0", 2, **given), SyncVectorEnv)
    envs = make("unspoken/Chameleon-v0", 2, opponent="random")
    observations, _ = envs.reset(seed=0)
    assert observations in envs.observation_space
    for _ in range(6):
        masks = np.stack(envs.call("action_masks"))
        envs.step(np.array([np.flatnonzero(mask)[0] for mask in masks]))
    envs.close()


@pytest.mark.filterwarnings(QUIET)
def test_make_vec_in_processes() -> None:
    envs = gymnasium.make_vec(
        "unspoken/AidgSearch-v0", 2, "async", role="holder", opponent="greedy"
    )
    envs.reset(seed=0)
    observations, _, _, _, infos = envs.step(np.array([0, 1]))
    assert observations in envs.observation_space
    assert infos["action_mask"].shape == (2, 3)
    envs.close()


@pytest.mark.filterwarnings(QUIET)
def test_stable_baselines_makes_registered_envs() -> None:
    util = pytest.importorskip("stable_baselines3.common.env_util")
    masking = pytest.importorskip("sb3_contrib.common.maskable.utils")
    env = util.make_vec_env("unspoken/AidgSearch-v0", 2, env_kwargs={"role": "holder"}, seed=0)
    env.reset()
    np.testing.assert_array_equal(masking.get_action_masks(env), np.ones((2, 3)))


def test_importing_the_package_does_not_load_gymnasium() -> None:
    code = "import sys, unspoken; sys.exit('gymnasium' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_maskable_ppo_trains_and_asks_for_the_mask() -> None:
    contrib = pytest.importorskip("sb3_contrib")
    masking = pytest.importorskip("sb3_contrib.common.maskable.utils")
    env = SingleAgent("aidg_search", "seeker", "table", max_turns=3, words=["tiger", "chair"])
    assert masking.is_masking_supported(env)
    model = contrib.MaskablePPO("MlpPolicy", env, n_steps=32, batch_size=32, n_epochs=1, seed=0)
    model.learn(64)
    seen, _ = env.reset(seed=0)
    action, _ = model.predict(seen, action_masks=env.action_masks())
    assert env.action_masks()[int(action)]
