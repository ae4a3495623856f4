"""Our search game beside other suites: random legal moves, one core, in the same run.

None of the others is needed. Which are installed is found out by starting them; heavy ones (jax,
envpool, PufferLib) are in no extra.
"""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Literal
from unittest import mock

import numpy as np
from numpy.typing import NDArray

from unspoken.benchmarks.speed.timing import Chunk, best_rates, choosing, one_core, replaying
from unspoken.benchmarks.tables import Cell, Column, Table
from unspoken.envs import aidg_search_v0
from unspoken.envs.aidg_search.batch import Batch
from unspoken.envs.aidg_search.rules import MAX_TURNS
from unspoken.wrappers.vector import AidgSearchVectorEnv

BATCH = 4096
_LANES, _GAMES = 1024, 10
"""Lanes and games of each in one call that plays whole games."""
_ROUNDS = 4 * MAX_TURNS
"""How many rounds of random numbers or actions are drawn before, and used again and again."""


@dataclass(frozen=True)
class Peer:
    """One way of playing another suite's game.

    Attributes:
        name: suite and game.
        unit: what is counted, and how it is driven.
        gives: what each step hands out.
        install: how to get it; "" for ours.
        start: makes the game and returns what plays it; ImportError where it is not installed.
        batched: whether one call moves thousands of games.
    """

    name: str
    unit: str
    gives: str
    install: str
    start: Callable[[], Chunk]
    batched: bool = False

    def measure(self, seconds: float) -> float:
        """Steps a second on one core.

        Raises:
            ImportError: if it is not installed.
        """
        with one_core():
            return best_rates({self.name: self.start()}, seconds)[self.name]


def peers_tables(seconds: float) -> tuple[tuple[Table, Table], list[str]]:
    """Steps a second of ours and of all peers that are installed, and a line for each that is not.

    The first table has games that are stepped one by one, the second those of which one call moves
    thousands. Each peer's row says how many times as fast ours is, by its table's first row.

    Args:
        seconds: time for each.
    """
    chunks: dict[Peer, Chunk] = {}
    missing: list[str] = []
    with one_core():
        for peer in (*OURS, *PEERS):
            try:
                chunks[peer] = peer.start()
            except ImportError as error:
                missing.append(f"{peer.name} is left out: {error}. To have it: {peer.install}")
        rates = best_rates(chunks, seconds)
    titles = "Games stepped one by one", "Thousands of games a call"
    one, many = (
        _table(title, {peer: rate for peer, rate in rates.items() if peer.batched == batched})
        for title, batched in zip(titles, (False, True), strict=True)
    )
    return (one, many), missing


def _table(title: str, rates: dict[Peer, float]) -> Table:
    ours = next(iter(rates.values()))
    rows: list[dict[str, Cell]] = [
        {
            "peer": peer.name,
            "rate": rate,
            "ours": ours / rate,
            "unit": peer.unit,
            "gives": peer.gives,
        }
        for peer, rate in rates.items()
    ]
    columns = [
        Column("peer", "suite and game", left=True),
        Column("rate", "steps/s", "{:,.0f}"),
        Column("ours", "ours ×", "{:.1f}"),
        Column("unit", "a step, and how it is driven", left=True),
        Column("gives", "gives", left=True),
    ]
    name = "batched" if next(iter(rates)).batched else "stepped"
    return Table(name, f"{title}: random legal moves, one core, best of five", columns, rows)


def connect_four(kind: str) -> Any:
    """PettingZoo's connect_four_v3, "raw_env" or "env".

    Raises:
        ImportError: without pygame, which it needs; names the extra.
    """
    try:
        module = import_module("pettingzoo.classic.connect_four.connect_four")
    except ImportError as error:
        raise ImportError(
            'measuring beside connect_four needs the "speed" extra: pip install "unspoken[speed]"'
        ) from error
    return getattr(module, kind)()


def _connect_four(kind: str, play: Callable[..., Chunk], *args: int) -> Callable[[], Chunk]:
    return lambda: play(connect_four(kind), *args)


# Ours --------------------------------------------------------------------------------------


def search_env() -> Chunk:
    """Whole games of aidg_search_v0 as `env()` gives it."""
    env = aidg_search_v0.env()
    return replaying(env, 50, len(env.ontology.questions))


def search_steps() -> Chunk:
    """The step call of a batch of search games, with posterior, masks, rewards and auto-reset.

    Lanes ask 15 questions and lock on the last turn, all together, so that what was chosen for a
    few games is legal in all that follow.
    """
    batch = Batch(BATCH, holder="table")
    batch.reset(seed=0)
    actions = []
    for _ in range(_ROUNDS):
        actions.append(batch.sample("ask"))
        batch.step(actions[-1])

    def chunk() -> int:
        for each in actions:
            batch.step(each)
        return len(actions) * BATCH

    return chunk


def search_games(beliefs: Literal["weights", "candidates"] | None) -> Chunk:
    """Whole search games in one call: 15 random questions each, and a lock on the likeliest."""
    batch = Batch(_LANES, holder="table", beliefs=beliefs)
    batch.reset(seed=0)
    return lambda: batch.play(_GAMES, "ask").turns


def search_vector_env() -> Chunk:
    """`AidgSearchVectorEnv`, which adds observations for a network to `search_steps`."""
    env = AidgSearchVectorEnv(BATCH, autoreset_mode="SameStep")
    env.reset(seed=0)
    actions = []
    for _ in range(MAX_TURNS):
        actions.append(env.batch.sample("ask"))
        env.step(actions[-1])

    def chunk() -> int:
        for each in actions:
            env.step(each)
        return len(actions) * BATCH

    return chunk


# TextArena ---------------------------------------------------------------------------------


class _GameMaster:
    """Answers in the place of a paid model, which the game would ask over the network."""

    def __init__(self, model_name: str) -> None:
        self.model_name = model_name

    def __call__(self, prompt: str) -> str:
        return "Yes" if len(prompt) % 2 else "No"


def twenty_questions(kind: str, *, fresh: bool) -> Chunk:
    """TextArena's TwentyQuestions-v0: twenty questions and a guess a game.

    Args:
        kind: "-raw" or "" for the default wrappers.
        fresh: empty by hand, after each game, the lists that the env and its wrapper never do;
            otherwise 100 games are played before.

    Raises:
        ImportError: if TextArena is not installed.
    """
    textarena = import_module("textarena")
    with mock.patch.object(textarena.agents, "OpenRouterAgent", _GameMaster):
        env = textarena.make(f"TwentyQuestions-v0{kind}")
    kept = [env.env.gamemaster_history if kind == "" else env.gamemaster_history]
    questions = [f"Is it something that people {verb}?" for verb in ("eat", "wear", "ride", "buy")]
    moves = questions * 5 + ["[a thing]"]

    def chunk() -> int:
        env.reset(num_players=1)
        for move in moves:
            env.get_observation()
            env.step(move)
        if fresh:
            for one in (*kept, getattr(env, "full_observations", {})):
                one.clear()
        return len(moves)

    if not fresh:
        for _ in range(100):
            chunk()
    return chunk


# OpenSpiel ---------------------------------------------------------------------------------


def leduc_from_python() -> Chunk:
    """OpenSpiel's leduc_poker; chance moves count as steps.

    Raises:
        ImportError: if OpenSpiel is not installed.
    """
    game = import_module("pyspiel").load_game("leduc_poker")
    draws = np.random.default_rng(0).random(1 << 12).tolist()

    def chunk() -> int:
        state = game.new_initial_state()
        for draw in draws:
            if state.is_terminal():
                state.returns()
                state = game.new_initial_state()
            legal = state.legal_actions()  # all chances are equal here
            state.apply_action(legal[int(draw * len(legal))])
        return len(draws)

    return chunk


# Batched -----------------------------------------------------------------------------------


def cartpole() -> Chunk:
    """CartPole-v1 of envpool, one thread.

    Raises:
        ImportError: if envpool is not installed.
    """
    env = import_module("envpool").make(
        "CartPole-v1", env_type="gymnasium", num_envs=BATCH, num_threads=1
    )
    env.reset()
    return _rounds(env, 2, np.int32)


def pgx(name: str) -> Chunk:
    """A game of pgx: one jitted call a step, auto-reset, actions chosen inside.

    The random numbers and keys are drawn before: drawing them takes longer than the games.

    Raises:
        ImportError: if pgx is not installed.
    """
    jax = import_module("jax")
    numpy = jax.numpy
    env = import_module("pgx").make(name)
    advance = jax.vmap(import_module("pgx.experimental").auto_reset(env.step, env.init))
    rounds = jax.random.split(jax.random.PRNGKey(0), _ROUNDS)
    keys = jax.vmap(lambda key: jax.random.split(key, BATCH))(rounds)
    draws = jax.random.uniform(jax.random.PRNGKey(1), (_ROUNDS, BATCH))

    @jax.jit  # type: ignore[untyped-decorator]
    def step(state: Any, i: int) -> Any:
        legal = numpy.cumsum(state.legal_action_mask, axis=1)
        chosen = numpy.floor(draws[i] * legal[:, -1])[:, None]
        return advance(state, numpy.argmax(legal > chosen, axis=1).astype(numpy.int32), keys[i])

    state = jax.jit(jax.vmap(env.init))(keys[0])

    def chunk() -> int:
        nonlocal state
        for i in range(_ROUNDS):
            state = step(state, i)
        jax.block_until_ready(state)
        return _ROUNDS * BATCH

    return chunk


def puffer(name: str, kind: str, n_actions: int, **options: int) -> Chunk:
    """A C environment of PufferLib.

    Raises:
        ImportError: if it is not installed, or was built without its C environments.
    """
    # importing it leaves a link where one stands
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        module = import_module(f"pufferlib.ocean.{name}.{name}")
    env = getattr(module, kind)(num_envs=BATCH, **options)
    env.reset()
    return _rounds(env, n_actions, np.int64)


def _rounds(env: Any, n_actions: int, dtype: type) -> Chunk:
    rng = np.random.default_rng(0)
    actions: NDArray[Any] = rng.integers(n_actions, size=(_ROUNDS, BATCH)).astype(dtype)

    def chunk() -> int:
        for each in actions:
            env.step(each)
        return actions.size

    return chunk


_CONNECT = 'pip install "unspoken[speed]"'
_TEXTARENA = "pip install textarena"
_PGX = "pip install pgx jax (0.4 GB)"
_PUFFER = "pip install --no-build-isolation --no-deps pufferlib, with torch, a compiler and GitHub"
_CALL = f"one call moves {BATCH:,} games, auto-reset"
_QUESTION = "a question with its answer, from a stub in place of the paid game master"

_TURN = "a question with its answer, or a lock"

OURS = (
    Peer(
        "unspoken aidg_search_v0, env()",
        "a question, an answer or a lock; moves chosen before",
        "mask, text, infos, checks",
        "",
        search_env,
    ),
    Peer(
        "unspoken aidg_search, step of a batch",
        f"{_TURN}; {_CALL}",
        "mask, posterior, checks",
        "",
        search_steps,
        batched=True,
    ),
    Peer(
        "unspoken aidg_search, whole games",
        f"{_TURN}; {_GAMES} games of each of {_LANES:,} lanes a call",
        "posterior at the lock, outcome",
        "",
        lambda: search_games("weights"),
        batched=True,
    ),
    Peer(
        "unspoken aidg_search, whole games, certain answers",
        f"{_TURN}; {_GAMES} games of each of {_LANES:,} lanes a call",
        "words that fit, as bits; outcome",
        "",
        lambda: search_games("candidates"),
        batched=True,
    ),
    Peer(
        "unspoken AidgSearchVectorEnv",
        f"{_TURN}; {_CALL}",
        "mask, 102 numbers, infos",
        "",
        search_vector_env,
        batched=True,
    ),
)
"""Ours, the first of each table before the others."""

PEERS = (
    Peer(
        "PettingZoo connect_four_v3, raw_env",
        "a move; moves chosen before",
        "mask, board",
        _CONNECT,
        _connect_four("raw_env", replaying, 200),
    ),
    Peer(
        "PettingZoo connect_four_v3, env()",
        "a move; moves chosen before",
        "mask, board, checks",
        _CONNECT,
        _connect_four("env", replaying, 200),
    ),
    Peer(
        "PettingZoo connect_four_v3, env(), chosen",
        "a move, chosen from the mask",
        "mask, board, checks",
        _CONNECT,
        _connect_four("env", choosing),
    ),
    Peer(
        "TextArena TwentyQuestions-v0, raw",
        f"{_QUESTION}; emptied by hand after each game",
        "text",
        _TEXTARENA,
        lambda: twenty_questions("-raw", fresh=True),
    ),
    Peer(
        "TextArena TwentyQuestions-v0",
        f"{_QUESTION}; emptied by hand after each game",
        "text",
        _TEXTARENA,
        lambda: twenty_questions("", fresh=True),
    ),
    Peer(
        "TextArena TwentyQuestions-v0, used again",
        f"{_QUESTION}; from the 101st game on",
        "text",
        _TEXTARENA,
        lambda: twenty_questions("", fresh=False),
    ),
    Peer(
        "OpenSpiel leduc_poker, from Python",
        "a move, or a chance move",
        "legal actions",
        "pip install open_spiel",
        leduc_from_python,
    ),
    Peer(
        "envpool CartPole-v1",
        _CALL,
        "4 numbers",
        "pip install envpool (0.8 GB)",
        cartpole,
        batched=True,
    ),
    Peer("pgx kuhn_poker", _CALL, "mask, numbers", _PGX, lambda: pgx("kuhn_poker"), batched=True),
    Peer(
        "pgx leduc_holdem", _CALL, "mask, numbers", _PGX, lambda: pgx("leduc_holdem"), batched=True
    ),
    Peer(
        "PufferLib tripletriad",
        f"{_CALL}; actions 0 and 1, as its own measurement",
        "114 numbers",
        _PUFFER,
        lambda: puffer("tripletriad", "TripleTriad", 2, report_interval=128),
        batched=True,
    ),
    Peer(
        "PufferLib squared",
        _CALL,
        "121 bytes",
        _PUFFER,
        lambda: puffer("squared", "Squared", 5),
        batched=True,
    ),
)
"""All peers, in the order of the table."""
