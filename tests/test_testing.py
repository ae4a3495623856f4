"""`check_game` passes a plain correct game and names every fault that is planted in it."""

from __future__ import annotations

import copy
import functools
import random
import re
from typing import Any, ClassVar

import numpy as np
import pytest
from gymnasium import spaces
from gymnasium.utils import EzPickle, seeding
from pettingzoo import AECEnv

from unspoken.envs.aidg_search.env import AidgSearchEnv
from unspoken.testing import GameFault, TextDtypeView, check_game

NUMBERS = ("zero", "one", "two", "three", "four", "five")
HIGHER, LOWER = len(NUMBERS), len(NUMBERS) + 1
SENTENCES = (*NUMBERS, "higher", "lower")
GUESSERS = ("guesser_0", "guesser_1")
KEEPER = "keeper_0"
ROUNDS = 6
FEE = 0.25


class NumberGame(AECEnv):
    """Two guessers in turn name a hidden number; the keeper says higher or lower, or lies.

    Each answer pays the keeper a fee of the guesser's. Who names the number takes 1 from the
    keeper; after six guesses the keeper takes 1 from each.
    """

    metadata: ClassVar[dict[str, Any]] = {
        "name": "number_v0",
        "render_modes": ["ansi"],
        "is_parallelizable": False,
    }

    def __init__(self, render_mode: str | None = None) -> None:
        self.metadata = copy.deepcopy(type(self).metadata)
        self.render_mode = render_mode
        self.possible_agents = [*GUESSERS, KEEPER]
        n = len(SENTENCES)
        self._observation_space = spaces.Dict(
            observation=spaces.Text(600, min_length=1, charset="abcdefghijklmnopqrstuvwxyz_:012. "),
            action_mask=spaces.Box(0, 1, (n,), np.int8),
        )
        self._action_spaces = {agent: spaces.Discrete(n) for agent in self.possible_agents}

    def observation_space(self, agent):
        return self._observation_space

    def action_space(self, agent):
        return self._action_spaces[agent]

    def reset(self, seed=None, options=None):
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self._skip_agent_selection = None
        self.guesses = 0
        self.winner = None
        self.history = []
        self.agent_selection = GUESSERS[0]
        self.secret = (options or {}).get("secret") or self.draw(seed)
        self.infos = {agent: self.info(agent) for agent in self.agents}

    def draw(self, seed):
        if seed is not None:
            self.np_random, _ = seeding.np_random(seed)
        return NUMBERS[int(self.np_random.integers(len(NUMBERS)))]

    def observe(self, agent):
        return {"observation": self.text(agent), "action_mask": self.mask(agent)}

    def text(self, agent):
        brief = f"the number is {self.secret}. " if agent == KEEPER else "find the number. "
        return brief + "".join(f"{speaker}: {text}. " for speaker, text in self.history)

    def over(self):
        return self.winner is not None

    def mask(self, agent):
        mask = np.zeros(len(SENTENCES), np.int8)
        if agent == self.agent_selection and not self.over():
            mask[HIGHER:] = agent == KEEPER
            mask[:HIGHER] = agent != KEEPER
        return mask

    def info(self, agent):
        info = {"history": list(self.history), "action_mask": self.mask(agent)}
        return info | ({"secret": self.secret} if agent == KEEPER else {})

    def step(self, action):
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        if not self.mask(agent)[action]:
            raise ValueError(f"{SENTENCES[action]} is not legal for {agent}")
        self.begin_step(agent)
        self.play(agent, action)
        self.infos = {other: self.info(other) for other in self.agents}
        self.end_step(agent)

    def begin_step(self, agent):
        self._cumulative_rewards[agent] = 0.0
        self._clear_rewards()

    def play(self, agent, action):
        self.history.append((agent, SENTENCES[action]))
        guesser = GUESSERS[(self.guesses - 1) % 2]
        if agent == KEEPER:
            self.rewards[KEEPER] += FEE
            self.rewards[guesser] -= FEE
            self.agent_selection = GUESSERS[self.guesses % 2]
            if self.guesses == ROUNDS:
                self.finish(KEEPER)
            return
        self.guesses += 1
        self.agent_selection = KEEPER
        if SENTENCES[action] == self.secret:
            self.finish(agent)

    def finish(self, winner):
        self.winner = winner
        if winner == KEEPER:
            self.rewards[KEEPER] += 2.0
            for guesser in GUESSERS:
                self.rewards[guesser] -= 1.0
        else:
            self.rewards[winner] += 1.0
            self.rewards[KEEPER] -= 1.0
        self.terminations = dict.fromkeys(self.agents, True)

    def end_step(self, agent):
        self._accumulate_rewards()
        if self.over():
            self._deads_step_first()

    def render(self):
        return "".join(f"{speaker}: {text}\n" for speaker, text in self.history)

    def close(self):
        pass


def result_of(env: NumberGame) -> dict[str, float]:
    """What a finished game pays, from who won after how many guesses."""
    env = env.unwrapped
    answered = [env.guesses // 2, env.guesses // 2]
    if env.winner == KEEPER:
        prize = {GUESSERS[0]: -1.0, GUESSERS[1]: -1.0, KEEPER: 2.0}
    else:
        answered[1 - env.guesses % 2] -= env.guesses % 2 == 0
        prize = dict.fromkeys(env.possible_agents, 0.0) | {env.winner: 1.0, KEEPER: -1.0}
    fees = {guesser: -FEE * n for guesser, n in zip(GUESSERS, answered, strict=True)}
    fees[KEEPER] = FEE * sum(answered)
    return {agent: prize[agent] + fees[agent] for agent in env.possible_agents}


def secret_of(env: NumberGame) -> tuple[str, str]:
    return KEEPER, env.unwrapped.secret


check = functools.partial(
    check_game, seeds=(0, 1), secret_of=secret_of, secrets=NUMBERS, result_of=result_of
)


# The faults, one a class ---------------------------------------------------------------------


class NeverZeroesCumulative(NumberGame):
    def begin_step(self, agent):
        self._clear_rewards()


class NeverAccumulates(NumberGame):
    def _accumulate_rewards(self):
        pass


class ZeroesAfterAccumulating(NumberGame):
    def begin_step(self, agent):
        self._clear_rewards()

    def end_step(self, agent):
        super().end_step(agent)
        self._cumulative_rewards[agent] = 0.0


class NeverClears(NumberGame):
    def begin_step(self, agent):
        self._cumulative_rewards[agent] = 0.0


class DeadsStepAnyhow(NumberGame):
    def _deads_step_first(self):
        pass


class OutgrowsItsSpace(NumberGame):
    def text(self, agent):
        return super().text(agent) + "padding" * 20 * len(self.history)


class NewSpaces(NumberGame):
    def action_space(self, agent):
        return spaces.Discrete(len(SENTENCES))


class GlobalNumpyRandom(NumberGame):
    def draw(self, seed):
        return NUMBERS[np.random.randint(len(NUMBERS))]


class SeedsGlobalRandom(NumberGame):
    def draw(self, seed):
        random.seed(seed)
        return random.choice(NUMBERS)


class HashOrder(NumberGame):
    def text(self, agent):
        return super().text(agent) + ". ".join(set(NUMBERS))


class OneMaskBuffer(NumberGame):
    buffer = None

    def observe(self, agent):
        mask = super().mask(agent)
        if self.buffer is None:
            self.buffer = mask
        self.buffer[:] = mask
        return {"observation": self.text(agent), "action_mask": self.buffer}


class SharesItsHistory(NumberGame):
    def info(self, agent):
        return super().info(agent) | {"history": self.history}


class KeepsItsMasks(NumberGame):
    """Hands out the arrays that it plays by."""

    def reset(self, seed=None, options=None):
        self.kept = {}
        super().reset(seed, options)

    def mask(self, agent):
        key = agent if agent == self.agent_selection and not self.over() else None
        return self.kept.setdefault((agent, key), super().mask(agent))


class MovesForAll(NumberGame):
    def mask(self, agent):
        mask = super().mask(agent)
        return mask if mask.any() else np.ones_like(mask)


class MovesForTheDead(NumberGame):
    def over(self):
        return False

    def end_step(self, agent):
        self._accumulate_rewards()
        if any(self.terminations.values()):
            self._deads_step_first()


class BooleanMask(NumberGame):
    def mask(self, agent):
        return super().mask(agent).astype(bool)


class ShortMask(NumberGame):
    def mask(self, agent):
        return super().mask(agent)[:-1]


class CountsInItsMask(NumberGame):
    def mask(self, agent):
        return super().mask(agent) * np.int8(2)


class NoMoves(NumberGame):
    def mask(self, agent):
        return super().mask(agent) * np.int8(agent != KEEPER)


class OtherMaskInInfo(NumberGame):
    def info(self, agent):
        mask = super().mask(agent)
        mask[: mask.argmax() + 1] = 0
        return super().info(agent) | {"action_mask": mask}


class EmptyFirstInfo(NumberGame):
    def reset(self, seed=None, options=None):
        super().reset(seed, options)
        self.infos = {agent: {} for agent in self.agents}


class DeafToSeeds(NumberGame):
    def draw(self, seed):
        return super().draw(0)


class CountsItsInstances(NumberGame):
    made = 0

    def __init__(self, render_mode=None):
        super().__init__(render_mode)
        CountsItsInstances.made += 1
        self.number = self.made

    def info(self, agent):
        return super().info(agent) | {"number": self.number}


class LeaksIntoTheNextGame(NumberGame):
    def draw(self, seed):
        before = getattr(self, "index", 0)
        self.index = (NUMBERS.index(super().draw(seed)) + before) % len(NUMBERS)
        return NUMBERS[self.index]


class PilesUp(NumberGame):
    def reset(self, seed=None, options=None):
        self.log = getattr(self, "log", [])
        super().reset(seed, options)

    def play(self, agent, action):
        super().play(agent, action)
        self.log.append(action)


class RefusesUnknownOptions(NumberGame):
    def reset(self, seed=None, options=None):
        if set(options or ()) - {"secret"}:
            raise ValueError("unknown option")
        super().reset(seed, options)


class PaysTooLittle(NumberGame):
    def finish(self, winner):
        super().finish(winner)
        self.rewards[KEEPER] /= 2


class PaysTwice(NumberGame):
    def finish(self, winner):
        super().finish(winner)
        super().finish(winner)


class EndsOneByOne(NumberGame):
    def finish(self, winner):
        super().finish(winner)
        self.terminations[KEEPER] = False

    def _was_dead_step(self, action):
        self.terminations[KEEPER] = True
        super()._was_dead_step(action)


class TwoFlags(NumberGame):
    def finish(self, winner):
        super().finish(winner)
        self.terminations[KEEPER], self.truncations[KEEPER] = False, True


class NeverEnds(NumberGame):
    def finish(self, winner):
        self.guesses = 0


class RaisesOnALegalMove(NumberGame):
    def finish(self, winner):
        raise RuntimeError("out of paper")


class Ez(NumberGame, EzPickle):
    def __init__(self, render_mode=None):
        EzPickle.__init__(self, render_mode)
        NumberGame.__init__(self, render_mode)


class HoldsALock(NumberGame):
    def __init__(self, render_mode=None):
        super().__init__(render_mode)
        self.client = (line for line in NUMBERS)


class ShallowCopies(NumberGame):
    def __deepcopy__(self, memo):
        return copy.copy(self)


class ObservesAndCounts(NumberGame):
    def reset(self, seed=None, options=None):
        self.observed = 0
        super().reset(seed, options)

    def observe(self, agent):
        self.observed += 1
        return super().observe(agent)


class ObservesAndDraws(NumberGame):
    def observe(self, agent):
        self.np_random.random()
        return super().observe(agent)

    def info(self, agent):
        return super().info(agent) | {"state": str(self.np_random.bit_generator.state)}


class ClassLevelMetadata(NumberGame):
    def __init__(self, render_mode=None):
        super().__init__(render_mode)
        self.metadata = type(self).metadata


class ShallowMetadata(NumberGame):
    def __init__(self, render_mode=None):
        super().__init__(render_mode)
        self.metadata = dict(type(self).metadata)


class WritesOnItsClass(NumberGame):
    metadata: ClassVar[dict[str, Any]] = copy.deepcopy(NumberGame.metadata)

    def __init__(self, render_mode=None):
        super().__init__(render_mode)
        WritesOnItsClass.metadata["render_modes"].append("human")


class SecretInObservation(NumberGame):
    def text(self, agent):
        return super().text(agent) + ("" if agent == KEEPER else f"not {self.secret}")


class SecretInObservationLate(NumberGame):
    """A hint that gives the secret away without naming it."""

    def text(self, agent):
        even = NUMBERS.index(self.secret) % 2 == 0
        return super().text(agent) + ("warm." if even and len(self.history) > 2 else "cold.")


class SecretInInfo(NumberGame):
    def info(self, agent):
        return super().info(agent) | {"deep": [{"down": (0, {self.secret})}]}


class SecretInMask(NumberGame):
    def mask(self, agent):
        mask = super().mask(agent)
        if mask[0] and self.guesses == 1:
            mask[(NUMBERS.index(self.secret) + 1) % len(NUMBERS)] = 0
        return mask


class SecretInRepr(NumberGame):
    def __repr__(self):
        return f"NumberGame({self.secret})"


class SecretInStr(NumberGame):
    def __str__(self):
        return f"NumberGame({self.secret})"


class SecretInRender(NumberGame):
    def render(self):
        return super().render() + f"({self.secret})"


class SecretInErrorOfStep(NumberGame):
    def step(self, action):
        if action is not None and action >= len(SENTENCES):
            raise IndexError(f"no action {action} in {self.__dict__}")
        super().step(action)


class SecretBehindAnError(NumberGame):
    def step(self, action):
        try:
            super().step(action)
        except IndexError as error:
            error.add_note(self.secret)
            raise ValueError("no such action") from error


class SecretInErrorOfReset(NumberGame):
    def reset(self, seed=None, options=None):
        before = getattr(self, "secret", None)
        super().reset(seed, options)
        if self.secret not in NUMBERS:
            raise ValueError(f"{self.secret} cannot take the place of {before}")


# Faults on the last turn, which random play does not reach: most of the moves end the game.

WIDE = 12


class LongGame(NumberGame):
    """Guessers may also give up, in many words; then the keeper wins."""

    def __init__(self, render_mode=None):
        super().__init__(render_mode)
        n = len(SENTENCES) + WIDE
        self._observation_space = spaces.Dict(
            observation=self._observation_space["observation"],
            action_mask=spaces.Box(0, 1, (n,), np.int8),
        )
        self._action_spaces = {agent: spaces.Discrete(n) for agent in self.possible_agents}

    def mask(self, agent):
        mask = super().mask(agent)
        return np.concatenate([mask, np.full(WIDE, mask[0])])

    def step(self, action):
        agent = self.agent_selection
        if action is None or action < len(SENTENCES):
            super().step(action)
            return
        self.begin_step(agent)
        self.finish(KEEPER)
        self.infos = {other: self.info(other) for other in self.agents}
        self.end_step(agent)


def result_of_long(env):
    game = env.unwrapped
    fees = (game.guesses + 1) // 2, game.guesses // 2
    if game.winner != KEEPER:
        return result_of(env)
    paid = {guesser: -1.0 - FEE * n for guesser, n in zip(GUESSERS, fees, strict=True)}
    return paid | {KEEPER: 2.0 + FEE * game.guesses}


class LateSecret(LongGame):
    def text(self, agent):
        return super().text(agent) + (self.secret if self.guesses == ROUNDS else "")


class LateReward(LongGame):
    def play(self, agent, action):
        super().play(agent, action)
        self.rewards[KEEPER] += 0.5 * (self.guesses == ROUNDS)


class LateRefusal(LongGame):
    def play(self, agent, action):
        if self.guesses == ROUNDS and action == LOWER:
            raise ValueError("say higher")
        super().play(agent, action)


class FinesLegalMoves(LongGame):
    """Ends the game at one of the legal moves as PettingZoo does at an illegal one."""

    def play(self, agent, action):
        super().play(agent, action)
        if self.guesses == ROUNDS - 1 and agent == KEEPER and action == HIGHER:
            self.winner = KEEPER
            self.rewards = dict.fromkeys(self.agents, 0.0) | {KEEPER: -1.0}
            self.terminations = dict.fromkeys(self.agents, True)
            self.truncations = dict.fromkeys(self.agents, True)


class GoesOnForGood(LongGame):
    """Nobody has to end the game: guessers may guess as long as they like."""

    def play(self, agent, action):
        self.guesses %= 2
        super().play(agent, action)
        self.history = self.history[-4:]


LATE = [
    (LateSecret, ["secret"], "view['observation']['observation']"),
    (LateReward, ["returns"], "beside its result"),
    (LateRefusal, ["play", "mask"], "say higher"),
    (FinesLegalMoves, ["mask"], "ends the game as illegal"),
]


class SearchWithLateSecret(AidgSearchEnv):
    def _next(self):
        super()._next()
        if self._game.turn == 15:
            self._transcript += f"hint {self._game.secret}\n"


class SearchWithLateQuestions(AidgSearchEnv):
    def _next(self):
        super()._next()
        if self._game.final and self.agent_selection == "seeker_0":
            self._legal = self._question_moves


class SearchWithLateRewards(AidgSearchEnv):
    def _answer(self, *args):
        super()._answer(*args)
        if self._game.turn > 10:
            self.rewards["seeker_0"] += 0.1


class SearchWithSecretInErrors(AidgSearchEnv):
    def _index(self, agent, action):
        try:
            return super()._index(agent, action)
        except AssertionError as error:
            raise AssertionError(f"{error}, {self._game.secret}") from None


FAULTS = [
    (NeverZeroesCumulative, "last reward", "reward of last()"),
    (NeverAccumulates, "last reward", "reward of last()"),
    (ZeroesAfterAccumulating, "last reward", "reward of last()"),
    (NeverClears, "clear", "_clear_rewards"),
    (DeadsStepAnyhow, "dead first", "_deads_step_first"),
    (OutgrowsItsSpace, "space", "is not in Dict("),
    (NewSpaces, "space", "action_space is not one and the same"),
    (GlobalNumpyRandom, "random", "global state of random"),
    (SeedsGlobalRandom, "random", "global state of random"),
    (OneMaskBuffer, "aliasing", "observation['action_mask']"),
    (SharesItsHistory, "aliasing", "info['history']"),
    (KeepsItsMasks, "written mask", "observe('guesser_0')"),
    (MovesForAll, "mask", "off turn"),
    (MovesForTheDead, "mask", "off turn"),
    (BooleanMask, "mask", "expected 'int8', saw 'bool'"),
    (ShortMask, "mask", "type and shape[1]"),
    (CountsInItsMask, "mask", "values but 0 and 1"),
    (NoMoves, "mask", "no legal action on turn (agent keeper_0"),
    (OtherMaskInInfo, "mask", "beside that in the observation"),
    (EmptyFirstInfo, "info", "the first info is empty"),
    (DeafToSeeds, "seed", "the same game as seed 0"),
    (CountsItsInstances, "instance", "['number']"),
    (LeaksIntoTheNextGame, "reset", "again on the same instance"),
    (PilesUp, "growth", "after 5 and 50 games"),
    (RefusesUnknownOptions, "options", "unknown option"),
    (PaysTooLittle, "returns", "beside its result"),
    (PaysTwice, "returns", "beside its result"),
    (EndsOneByOne, "ending", "['terminated']"),
    (TwoFlags, "ending", "agent keeper_0"),
    (NeverEnds, "play", "does not end in max_steps=300"),
    (RaisesOnALegalMove, "play", "out of paper"),
    (Ez, "deepcopy", "copied at step 0"),
    (HoldsALock, "pickle", "generator"),
    (ShallowCopies, "deepcopy", "copied at step"),
    (ObservesAndCounts, "observe", "its pickle differs"),
    (ObservesAndDraws, "observe", "observe() changes the env"),
    (ClassLevelMetadata, "metadata", "shares metadata with its class"),
    (ShallowMetadata, "metadata", "shares metadata['render_modes'] with its class"),
    (WritesOnItsClass, "metadata", "WritesOnItsClass.metadata['render_modes']"),
    (SecretInObservation, "secret", "view['observation']['observation']"),
    (SecretInObservationLate, "secret", "view['observation']['observation']"),
    (SecretInInfo, "secret", "view['info']['deep']"),
    (SecretInMask, "secret", "['action_mask']"),
    (SecretInRepr, "secret", "view['repr']"),
    (SecretInStr, "secret", "view['str']"),
    (SecretInRender, "secret", "view['render']"),
    (SecretInErrorOfStep, "secret", "view['errors']['step(8)']"),
    (SecretBehindAnError, "secret", "view['errors']['step(8)']"),
    (SecretInErrorOfReset, "secret", "view['errors'][\"reset("),
]


def test_a_correct_game_passes():
    check(NumberGame)


def test_a_correct_game_passes_by_its_name_and_without_options():
    check_game(f"{NumberGame.__module__}:NumberGame", seeds=(3,), hash_seeds=())
    check(functools.partial(NumberGame, render_mode="ansi"), seeds=(4,), hash_seeds=())


@pytest.mark.parametrize(
    ("game", "fault", "words"), FAULTS, ids=[game.__name__ for game, _, _ in FAULTS]
)
def test_a_planted_fault_is_named(game, fault, words):
    with pytest.raises(GameFault, match=re.escape(words)) as caught:
        check(game, hash_seeds=(), max_steps=300)
    assert caught.value.fault == fault
    assert str(caught.value).startswith(f"{fault}: ")


def test_a_correct_game_that_random_play_ends_early_passes():
    check(LongGame, result_of=result_of_long, hash_seeds=())


@pytest.mark.parametrize(
    ("game", "faults", "words"), LATE, ids=[game.__name__ for game, _, _ in LATE]
)
def test_a_fault_on_the_last_turn_is_named(game, faults, words):
    with pytest.raises(GameFault, match=re.escape(words)) as caught:
        check(game, result_of=result_of_long, hash_seeds=())
    assert caught.value.fault in faults


@pytest.mark.parametrize("utterances", ["menu", "free"])
@pytest.mark.parametrize(
    ("game", "faults"),
    [
        (SearchWithLateSecret, ["secret"]),
        (SearchWithLateQuestions, ["play", "mask"]),
        (SearchWithLateRewards, ["last reward"]),
        (SearchWithSecretInErrors, ["secret"]),
    ],
)
def test_a_fault_late_in_a_game_of_ours_is_named(game, faults, utterances):
    make = functools.partial(game, checked=True, utterances=utterances)
    with pytest.raises(GameFault) as caught:
        check_game(make, seeds=(0,), hash_seeds=())
    assert caught.value.fault in faults


def test_a_game_that_nobody_has_to_end_still_ends():
    check(GoesOnForGood, result_of=None, hash_seeds=(), seeds=(0,))


def test_hash_order_is_named():
    with pytest.raises(GameFault, match=r"^hash seed: PYTHONHASHSEED=1 and 2") as caught:
        check(HashOrder, secrets=NUMBERS[:1])
    assert (caught.value.fault, caught.value.step) == ("hash seed", 0)


def test_the_message_says_who_when_and_what():
    with pytest.raises(GameFault) as caught:
        check(TwoFlags, hash_seeds=())
    fault = caught.value
    assert (fault.agent, fault.expected, fault.seen) == (KEEPER, True, False)
    assert fault.step > 0
    assert str(fault).endswith(f"(agent keeper_0, step {fault.step}): expected True, saw False")


@pytest.mark.parametrize("game", [SecretInObservation, SecretInInfo, SecretInRepr, SecretInRender])
def test_a_named_secret_is_found_without_the_secret_option(game):
    with pytest.raises(GameFault, match="the secret '") as caught:
        check(game, secrets=None, hash_seeds=())
    assert caught.value.fault == "secret"


def test_a_correct_game_passes_without_the_secret_option():
    check(NumberGame, secrets=None, hash_seeds=())


def test_a_game_without_chance_need_not_hear_seeds():
    check(DeafToSeeds, chance=False, hash_seeds=())


def test_masks_of_ones_off_turn_are_asked_for():
    check(MovesForAll, nonzero_mask=True, hash_seeds=())
    with pytest.raises(GameFault, match="off turn"):
        check(NumberGame, nonzero_mask=True, hash_seeds=())


@pytest.mark.parametrize("env_fn", [lambda: NumberGame(), functools.partial(lambda: NumberGame())])
def test_hash_seeds_need_an_importable_function(env_fn):
    with pytest.raises(ValueError, match=r"give 'module:function'.*or hash_seeds=\(\)"):
        check(env_fn)
    check(env_fn, hash_seeds=())


def test_the_global_random_state_is_left_alone():
    random.seed(5)
    np.random.seed(5)
    expected = random.random(), np.random.random()
    random.seed(5)
    np.random.seed(5)
    check(NumberGame, seeds=(0,), hash_seeds=())
    assert (random.random(), np.random.random()) == expected


def test_the_dtype_view_changes_nothing_but_the_type_of_strings():
    game, view = NumberGame(), TextDtypeView(NumberGame())
    for env in (game, view):
        env.reset(seed=0)
        env.step(1)
    plain, dressed = game.observe(KEEPER), view.observe(KEEPER)
    assert dressed["observation"] == plain["observation"]
    assert dressed["observation"].dtype == view.observation_space(KEEPER)["observation"].dtype
    np.testing.assert_array_equal(dressed["action_mask"], plain["action_mask"])
    assert view.observation_space(KEEPER).contains(dressed)
    assert (view.rewards, view.agent_selection) == (game.rewards, game.agent_selection)
