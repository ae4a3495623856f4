"""The evaluator's kernels beside what one core can do and beside the same in NumPy."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from unspoken.benchmarks.speed.limits import Limits, fastest, measure
from unspoken.benchmarks.speed.timing import Chunk, one_core
from unspoken.benchmarks.tables import Cell, Column, Table
from unspoken.evaluator.aidg_search_reference import Floats

LOG, EXP = 27, 36
"""Operations of one p log2(p) and of one exponential, as `unspoken.evaluator.intrinsics` counts."""

_BATCH = 255
_WIDTH = 8


@dataclass(frozen=True)
class Kernel:
    """A kernel and the same in NumPy, which both do `count` evaluations.

    Attributes:
        name: what is evaluated.
        run: the kernel.
        numpy: the reference; None where it would take seconds.
        count: evaluations in one run.
        flops: arithmetic operations of one, by its formula; None where it is mostly decisions.
        bytes: what one reads of tables, by its formula, where these do not fit the nearest cache.
        level: where it reads them.
    """

    name: str
    run: Callable[[], object]
    numpy: Callable[[], object] | None
    count: int
    flops: float | None = None
    bytes: float | None = None
    level: str = "L3"


def kernels() -> list[Kernel]:
    """All kernels with inputs of usual sizes: 100 words and the package's own questions."""
    return [*_search(), *_lookahead(), *_bitsets(), *_rational(), *_dialogue(), *_trials()]


def kernel_table(seconds: float = 2.0, limits: Limits | None = None) -> Table:
    """Evaluations a second of every kernel, and the share of the core that they reach.

    NumPy's matrix products take all cores unless OPENBLAS_NUM_THREADS is 1.

    Args:
        seconds: time for each kernel, and as much for its form in NumPy.
        limits: what was measured before.
    """
    found = limits or measure(seconds)
    rows = [_row(kernel, found, seconds) for kernel in kernels()]
    columns = [
        Column("kernel", "kernel", left=True),
        Column("rate", "evaluations/s", "{:,.0f}"),
        Column("ratio", "NumPy ×", "{:.1f}"),
        Column("flops", "flops each", "{:,.0f}"),
        Column("gflops", "Gflop/s", "{:.1f}"),
        Column("peak", "of peak", "{:.0%}"),
        Column("bytes", "bytes each", "{:,.0f}"),
        Column("level", "of", left=True),
        Column("bandwidth", "of reading", "{:.0%}"),
    ]
    title = f"Kernels on one core: peak {found.flops / 1e9:.0f} Gflop/s"
    return Table("kernels", title, columns, rows)


def growth_table(seconds: float = 1.0) -> Table:
    """Evaluations of information gain a second as batch, words and questions grow.

    Args:
        seconds: time for each measurement.
    """
    from unspoken.evaluator import aidg_search

    sizes = [(batch, 100, 128) for batch in (1, 3, 30, 300, 3000)]
    sizes += [(300, words, 128) for words in (25, 50, 200, 400)]
    sizes += [(300, 100, questions) for questions in (32, 512, 2048)]
    rng = np.random.default_rng(0)
    chunks: dict[tuple[int, int, int], Chunk] = {}
    for batch, words, questions in sizes:
        table = rng.dirichlet(np.ones(3), (words, questions))
        packed, beliefs = aidg_search.pack(table), rng.dirichlet(np.ones(words), batch)
        run = partial(aidg_search.information_gain, beliefs, packed)
        chunks[batch, words, questions] = _chunk(run, batch * questions)
    with one_core():
        rates = fastest(chunks, seconds)
    usual = rates[300, 100, 128]
    rows: list[dict[str, Cell]] = [
        {
            "batch": b,
            "words": w,
            "questions": q,
            "rate": rate,
            "ratio": rate / usual,
            "words_rate": rate * w,
        }
        for (b, w, q), rate in rates.items()
    ]
    columns = [
        Column("batch", "batch", "{:,}"),
        Column("words", "words", "{:,}"),
        Column("questions", "questions", "{:,}"),
        Column("rate", "evaluations/s", "{:,.0f}"),
        Column("ratio", "ratio", "{:.2f}"),
        Column("words_rate", "× words", "{:,.0f}"),
    ]
    title = "Information gain of one question for one belief, one core"
    return Table("growth", title, columns, rows)


def _row(kernel: Kernel, limits: Limits, seconds: float) -> dict[str, Cell]:
    chunks = {"kernel": _chunk(kernel.run, kernel.count)}
    if kernel.numpy:
        chunks["numpy"] = _chunk(kernel.numpy, kernel.count)
    with one_core():
        rates = fastest(chunks, seconds)
    rate = rates["kernel"]
    row: dict[str, Cell] = {"kernel": kernel.name, "rate": rate}
    if kernel.numpy:
        row["ratio"] = rate / rates["numpy"]
    if kernel.flops is not None:
        row |= {"flops": kernel.flops, "gflops": rate * kernel.flops / 1e9}
        row["peak"] = rate * kernel.flops / limits.flops
    if kernel.bytes is not None:
        row |= {"bytes": kernel.bytes, "level": kernel.level}
        row["bandwidth"] = rate * kernel.bytes / limits.reads[kernel.level]
    return row


def _chunk(run: Callable[[], object], count: int) -> Chunk:
    def chunk() -> int:
        run()
        return count

    return chunk


def _beliefs(words: int, batch: int) -> Floats:
    return np.random.default_rng(0).dirichlet(np.ones(words), batch)


def _search() -> list[Kernel]:
    from unspoken.evaluator import aidg_search, aidg_search_reference

    packed = aidg_search.packaged()
    words, _, questions = packed.shape
    beliefs = _beliefs(words, _BATCH)
    one = beliefs[0]
    flops = 8 * words + 3 * LOG + 2  # four sums over words, three logarithms
    return [
        Kernel(
            "information gain, a question for a belief, in a batch",
            lambda: aidg_search.information_gain(beliefs, packed),
            lambda: aidg_search_reference.information_gain(beliefs, packed),
            _BATCH * questions,
            flops,
            32 * words / 3,  # four numbers a word, read for three beliefs
        ),
        Kernel(
            "the same, of a single belief",
            lambda: aidg_search.information_gain(one, packed),
            lambda: aidg_search_reference.information_gain(one, packed),
            questions,
            flops,
            32 * words,
        ),
        Kernel(
            "entropy of a belief, in a batch",
            lambda: aidg_search.entropy(beliefs),
            lambda: aidg_search_reference.entropy(beliefs),
            _BATCH,
            LOG * words,
            8 * words,
            "L2",
        ),
    ]


def _lookahead() -> list[Kernel]:
    """Best actions where every answer stays possible, so that the tree is a full one."""
    from unspoken.envs.aidg_search.ontology import load
    from unspoken.evaluator import aidg_search, aidg_search_reference

    packed = aidg_search.pack(aidg_search.likelihood(load().table, 0.2))
    words, _, questions = packed.shape
    position = aidg_search.Position(_beliefs(words, 1)[0], 3, packed=packed)
    gain, child = questions * (8 * words + 3 * LOG + 2), words * (3 + LOG)
    found = []
    for depth in (1, 2, 3):
        inner = sum((3 * _WIDTH) ** level for level in range(1, depth))
        leaves = (3 * _WIDTH) ** depth
        found.append(
            Kernel(
                f"best action, lookahead {depth}",
                partial(aidg_search.best_action, position, depth, _WIDTH),
                partial(aidg_search_reference.best_action, position, depth, _WIDTH)
                if depth < 3
                else None,
                1,
                (2 + inner) * gain + (inner + leaves) * child,
                packed.nbytes * (2 + inner / 3),
            )
        )
    return found


def _bitsets() -> list[Kernel]:
    from unspoken.envs.aidg_search.ontology import load
    from unspoken.evaluator import aidg_search_bits as bits
    from unspoken.evaluator import aidg_search_reference

    table = np.eye(3)[load().table.argmax(axis=-1)]
    words, questions, _ = table.shape
    rng = np.random.default_rng(0)
    left = rng.random((_BATCH, words)) < rng.random((_BATCH, 1))
    left[:, 0] = True
    sets, packed = bits.sets(left), bits.pack(table)
    dense = aidg_search_reference.pack(aidg_search_reference.likelihood(table))
    beliefs = left / left.sum(axis=1, keepdims=True)
    return [
        Kernel(
            "information gain where answers are certain, bitsets",
            lambda: bits.information_gain(sets, packed),
            lambda: aidg_search_reference.information_gain(beliefs, dense),
            _BATCH * questions,
        )
    ]


def _rational() -> list[Kernel]:
    from unspoken.evaluator import rsa, rsa_reference, sneak, sneak_reference

    rng = np.random.default_rng(0)
    words, texts, decoys, others = 16, 96, 3, 60
    meaning = np.log(rng.random((100, 300)))
    similarity, played = rng.uniform(-1, 1, (texts, words)), np.arange(decoys)
    rest = np.arange(texts - others, texts)
    step = EXP + 5  # shift, compare, exponential, add, shift
    chosen = 2 * (1 + others) + decoys  # columns in the two tables of a candidate

    def leaks(module: Any) -> object:
        return module.soft_scores(similarity, played, None, rest, temperature=0.12, depth=1)

    return [
        Kernel(
            "rational listener of depth 1, 100 words × 300 messages",
            lambda: rsa.listener(meaning, 1),
            lambda: rsa_reference.listener(meaning, 1),
            1,
            meaning.size * (3 * step + EXP),
            3 * 3 * meaning.nbytes,  # three times heard or spoken, three times gone through
            "L2",
        ),
        Kernel(
            "leak of a SNEAK message, listeners of depth 1",
            lambda: leaks(sneak),
            lambda: leaks(sneak_reference),
            texts,
            3 * step * words * chosen,
        ),
    ]


def _dialogue() -> list[Kernel]:
    from unspoken.evaluator import aidg_dialogue, aidg_dialogue_reference

    packed = aidg_dialogue.packaged()
    shape = aidg_dialogue.prior(np.ones(20, np.bool_)).shape
    joints = _beliefs(shape[0] * shape[1], 32).reshape(32, *shape)
    return [
        Kernel(
            "information gain in the dialogue game, all questions of a belief",
            lambda: aidg_dialogue.information_gain(joints, packed),
            lambda: aidg_dialogue_reference.information_gain(joints, packed),
            len(joints),
        )
    ]


def _trials() -> list[Kernel]:
    from unspoken.envs.cross_examination.cases import load_all
    from unspoken.envs.cross_examination.rules import Examination
    from unspoken.evaluator import (
        cross_examination,
        cross_examination_reference,
        sda,
        sda_reference,
    )

    case = load_all()[0]
    position = cross_examination.position_of(Examination(case, (0, 1), 12))
    rng = np.random.default_rng(0)
    turns = 20_000
    labels: Sequence[Any] = (
        rng.integers(0, 4, turns),
        *(rng.random((4, turns)) < 0.3),
        np.arange(0, turns + 1, 20),
    )
    return [
        Kernel(
            "best question of a cross-examination, lookahead 1",
            lambda: cross_examination.best_question(position, 1),
            lambda: cross_examination_reference.best_question(position, 1),
            1,
        ),
        Kernel(
            "scores of a turn by the jury's rules (SDA)",
            lambda: sda.score(*labels),
            lambda: sda_reference.score(*labels),
            turns,
            30,
            8 * 7 + 6,
        ),
    ]
