"""What clues of Chameleon tell, as compiled kernels, which release the GIL.

The functions are those of `unspoken.evaluator.chameleon_reference`, where their meaning and their
sources are written down; nothing is compiled before its first call. What each player would believe
as the chameleon is carried along from clue to clue, so that a position costs C x N x W steps.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from unspoken.evaluator.chameleon_reference import (
    TEMPERATURE,
    TIE,
    VAGUE,
    Outlook,
    Position,
    Posterior,
    check_candidates,
    speech,
)
from unspoken.evaluator.rsa_reference import Floats
from unspoken.kernels import kernel

__all__ = [
    "TEMPERATURE",
    "VAGUE",
    "Outlook",
    "Position",
    "Posterior",
    "doubts",
    "evaluate_batch",
    "joint",
    "outlook",
    "posterior",
    "seen",
    "speech",
]

Indices = NDArray[np.int64]
_NOBODY = _NOTHING = -1


def posterior(position: Position) -> Posterior:
    """Who the chameleon is and what the word is, to the one whose position it is."""
    p = joint(position)
    return Posterior(p.sum(axis=1), p.sum(axis=0))


def joint(position: Position) -> Floats:
    """P(k, w): player k is the chameleon and w the word, float64 [N, W], sums to 1."""
    heard, _, weights = _heard(position)
    return _joint(heard, weights, *_knowledge(position))


def seen(position: Position) -> Floats:
    """P(k | w), who the chameleon is to one who knows the word and nothing else, float64 [W, N]."""
    heard, _, weights = _heard(position)
    return _seen(heard, weights)


def doubts(position: Position) -> Floats:
    """How much each clue speaks against its speaker, in nats, float64 [C, W]."""
    _, expected, _ = _heard(position)
    return expected[:, None] - position.speech


def outlook(position: Position, candidates: Floats, faked: Floats) -> Outlook:
    """What giving each candidate now would lead to.

    Args:
        position: of the player who is to give a clue.
        candidates: log S(m | w) of what it can say, float64 [n, W].
        faked: log F(m | w) of it, float64 [n, W].

    Raises:
        ValueError: if the position is nobody's, or shapes do not fit.
    """
    check_candidates(position, candidates, faked)
    heard, _, weights = _heard(position)
    secret, player = _knowledge(position)
    chameleon, word = posterior(position)
    given = (np.ascontiguousarray(said, np.float64) for said in (candidates, faked))
    return Outlook(*_outlook(heard, weights, chameleon, word, secret, player, *given))


def evaluate_batch(positions: Sequence[Position]) -> list[dict[str, float]]:
    """Score of each side in each position, -1 to 1: its expected reward if the vote were now."""
    scores = []
    for position in positions:
        heard, _, weights = _heard(position)
        honest = 2 * _caught(heard, weights, joint(position)) - 1
        scores.append({"honest": honest, "chameleon": -honest})
    return scores


def _heard(position: Position) -> tuple[Floats, Floats, Floats]:
    """What `_listen` gives."""
    speakers = position.speakers.astype(np.int64)
    speech = np.ascontiguousarray(position.speech, np.float64)
    faked = np.ascontiguousarray(position.faked, np.float64)
    return _listen(speech, faked, speakers, position.suspects.astype(np.float64))


def _knowledge(position: Position) -> tuple[int, int]:
    return (
        _NOTHING if position.secret is None else position.secret,
        _NOBODY if position.player is None else position.player,
    )


@kernel
def _listen(
    speech: Floats, faked: Floats, speakers: Indices, suspects: Floats
) -> tuple[Floats, Floats, Floats]:
    """What each player would make of the words by the clues of others, and of its own by that.

    The first, float64 [N, W], is Σ log S(m_c | w) over the clues of others; the second, float64
    [C], log Σ_v q_c(v) F(m_c | v). The third, float64 [N], is how likely each player is the
    chameleon by all but the clues, times how likely its own clues then are; a logarithm, too.
    """
    heard = np.zeros((len(suspects), speech.shape[1]))
    expected = np.empty(len(speakers))
    weights = np.log(suspects)
    for c in range(len(speakers)):
        expected[c] = _expected(heard[speakers[c]], faked[c])
        weights[speakers[c]] += expected[c]
        for k in range(len(suspects)):
            if speakers[c] != k:
                for w in range(speech.shape[1]):
                    heard[k, w] += speech[c, w]
    return heard, expected, weights


@kernel
def _joint(heard: Floats, weights: Floats, secret: int, player: int) -> Floats:
    p = np.empty_like(heard)
    highest = -np.inf
    for k in range(len(p)):
        ruled_out = player != _NOBODY and (k == player) == (secret != _NOTHING)
        for w in range(p.shape[1]):
            if ruled_out or (secret != _NOTHING and secret != w):
                p[k, w] = -np.inf
            else:
                p[k, w] = weights[k] + heard[k, w]
                highest = max(highest, p[k, w])
    total = 0.0
    for k in range(len(p)):
        for w in range(p.shape[1]):
            p[k, w] = np.exp(p[k, w] - highest)
            total += p[k, w]
    for k in range(len(p)):
        for w in range(p.shape[1]):
            p[k, w] /= total
    return p


@kernel
def _seen(heard: Floats, weights: Floats) -> Floats:
    p = np.empty((heard.shape[1], len(weights)))
    for w in range(len(p)):
        highest = -np.inf
        for k in range(len(weights)):
            p[w, k] = weights[k] + heard[k, w]
            highest = max(highest, p[w, k])
        total = 0.0
        for k in range(len(weights)):
            p[w, k] = np.exp(p[w, k] - highest)
            total += p[w, k]
        p[w] /= total
    return p


@kernel
def _outlook(
    heard: Floats,
    weights: Floats,
    chameleon: Floats,
    word: Floats,
    secret: int,
    player: int,
    candidates: Floats,
    faked: Floats,
) -> tuple[Floats, Floats]:
    suspicion, leak = np.zeros(len(candidates)), np.zeros(len(candidates))
    logs = np.empty(len(weights))
    for i in range(len(candidates)):
        said = weights[player] + _expected(heard[player], faked[i])
        for w in range(len(word)):
            if word[w] > 0:
                for k in range(len(weights)):
                    own = said if k == player else weights[k] + candidates[i, w]
                    logs[k] = own + heard[k, w]
                suspicion[i] += word[w] * np.exp(logs[player] - _log_sum(logs))
        if secret != _NOTHING:
            for k in range(len(weights)):
                if chameleon[k] > 0:
                    learnt = heard[k, secret] + candidates[i, secret]
                    leak[i] += chameleon[k] * np.exp(learnt - _log_dot(heard[k], candidates[i]))
    return suspicion, leak


@kernel
def _caught(heard: Floats, weights: Floats, known: Floats) -> float:
    """Probability that the chameleon is accused and misses the word."""
    logs = np.empty(len(weights))
    caught = 0.0
    for w in range(heard.shape[1]):
        for k in range(len(weights)):
            logs[k] = weights[k] + heard[k, w]
        for k in range(len(weights)):
            caught += known[k, w] * _share(logs, k) * (1 - _share(heard[k], w))
    return caught


@kernel
def _share(logs: Floats, place: int) -> float:
    """One's share of the greatest; equals share."""
    highest = -np.inf
    for log in logs:
        highest = max(highest, log)
    equals = 0
    for log in logs:
        equals += log >= highest - TIE
    return 1 / equals if logs[place] >= highest - TIE else 0.0


@kernel
def _expected(heard: Floats, said: Floats) -> float:
    """Logarithm of Σ_v q(v) exp(said[v]), where q ∝ exp(heard)."""
    return _log_dot(heard, said) - _log_sum(heard)


@kernel
def _log_dot(a: Floats, b: Floats) -> float:
    """Logarithm of Σ exp(a + b), without an array of the sums."""
    highest = -np.inf
    for i in range(len(a)):
        highest = max(highest, a[i] + b[i])
    total = 0.0
    for i in range(len(a)):
        total += np.exp(a[i] + b[i] - highest)
    return float(highest + np.log(total))


@kernel
def _log_sum(logs: Floats) -> float:
    highest = -np.inf
    for log in logs:
        highest = max(highest, log)
    total = 0.0
    for log in logs:
        total += np.exp(log - highest)
    return float(highest + np.log(total))
