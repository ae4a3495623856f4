"""What clues of Chameleon tell, in plain NumPy.

Every function of `unspoken.evaluator.chameleon` is here under the same name and equal to 1e-9,
written to be read; that module is the one to call. N is the number of players, W of words on the
card, C of clues that were given, in order; A of alternatives to them, n of texts.

The model: whoever knows the word w gives clue m with probability

    S(m | w) = exp(s(m, w) / T) / Σ_a exp(s(a, w) / T),

where s is the similarity, a runs over the alternatives, and T is a temperature: the literal
speaker of rational speech acts (Goodman and Frank 2016). The chameleon k listens with the same
model. Before its clue number c it believes q_c(v) ∝ Π S(m_b | v), over the clues b < c of others,
all words being equally likely at first; then it speaks as if the word were v with probability
q_c(v), and less closely, which is F(m | v): S with a higher temperature. So the clues have, if k
is the chameleon and w the word, the probability

    P(clues | k, w) = Π_{c not by k} S(m_c | w) · Π_{c by k} Σ_v q_c(v) F(m_c | v).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from unspoken.evaluator.rsa_reference import Floats, log_meaning

Whole = NDArray[np.integer[Any]]

TEMPERATURE = 0.1
"""Of speakers, for the package's vectors: the likeliest, to one digit, on the clues out of WordNet
of `tools/calibrate_listeners.py`, with the vocabulary as the alternatives."""

VAGUE = 2 * TEMPERATURE
"""Of chameleons. Who does not know the word cannot keep as close to it: a clue that fits no word
of the card speaks against its speaker, which it would not if both spoke alike."""

TIE = 1e-9
"""Log probabilities that differ by no more are equal."""


@dataclass(frozen=True, slots=True, eq=False)
class Position:
    """What was said so far, and what somebody knows.

    Attributes:
        speech: log S(m_c | w) of the clues in the order in which they were given, float64 [C, W].
        faked: log F(m_c | w), float64 [C, W]; `speech` makes both.
        speakers: who gave them, whole numbers [C], 0 to N - 1.
        suspects: how likely each player is the chameleon by all but the clues, as everybody sees
            it: the prior times the likelihood of votes, accusations, reputations; float64 [N], 0
            or more, up to a common factor.
        secret: index of the word, for one who knows it; None for one who does not.
        player: who knows this: an honest player if it knows the word, else the chameleon. None
            for somebody who only listens.

    Raises:
        ValueError: if something is out of its range; names it.
    """

    speech: Floats
    faked: Floats
    speakers: Whole
    suspects: Floats
    secret: int | None = None
    player: int | None = None

    def __post_init__(self) -> None:
        players = len(self.suspects)
        for name, said in (("speech", self.speech), ("faked", self.faked)):
            if said.ndim != 2 or said.shape[1] < 2 or not np.isfinite(said).all():
                raise ValueError(f"{name} {said.shape}: finite, [clues, 2 or more words]")
        if self.speech.shape != self.faked.shape:
            raise ValueError(f"faked {self.faked.shape}: {self.speech.shape}, as speech is")
        clues, words = self.speech.shape
        seated = (self.speakers >= 0) & (self.speakers < players)
        if self.speakers.shape != (clues,) or not seated.all():
            raise ValueError(f"speakers={self.speakers!r}: one a clue, 0 to {players - 1}")
        if self.secret is not None and not 0 <= self.secret < words:
            raise ValueError(f"secret={self.secret}: None, or 0 to {words - 1}")
        if self.player is not None and not 0 <= self.player < players:
            raise ValueError(f"player={self.player}: None, or 0 to {players - 1}")
        if not (np.isfinite(self.suspects) & (self.suspects >= 0)).all() or not self.possible.any():
            raise ValueError(f"suspects={self.suspects!r}: 0 or more, and somebody above 0")

    @property
    def possible(self) -> Floats:
        """`suspects` as far as the one who knows this cannot rule them out, float64 [N]."""
        weights = self.suspects.astype(np.float64)
        if self.player is not None:
            own = np.arange(len(weights)) == self.player
            weights[own if self.secret is not None else ~own] = 0
        return weights


class Posterior(NamedTuple):
    """Who the chameleon is and what the word is.

    Attributes:
        chameleon: probability of each player, float64 [N], sums to 1.
        word: probability of each word, float64 [W], sums to 1.
    """

    chameleon: Floats
    word: Floats


class Outlook(NamedTuple):
    """What giving each of n clues would lead to; both float64 [n], 0 to 1.

    Attributes:
        suspicion: how likely the speaker would be the chameleon to those who know the word and
            nothing else; expected, where the speaker does not know it.
        leak: probability that the chameleon would name the word if it had to guess by what it
            then believes; 0 where the speaker is the chameleon.
    """

    suspicion: Floats
    leak: Floats


def speech(
    similarity: NDArray[np.floating],
    alternatives: NDArray[np.floating],
    temperature: float = TEMPERATURE,
) -> Floats:
    """Log S(m | w), or with `temperature=VAGUE` log F(m | w); float64 [n, W].

    Args:
        similarity: of n texts with the words, [n, W], -1 to 1.
        alternatives: of all that could be said with the words, [A, W], at least one.
        temperature: above 0.

    Raises:
        ValueError: if there are no alternatives or the temperature is out of its range.
    """
    if not len(alternatives):
        raise ValueError("alternatives: at least one")
    total = np.logaddexp.reduce(log_meaning(alternatives, temperature), axis=0)
    return np.asarray(log_meaning(similarity, temperature) - total)


def posterior(position: Position) -> Posterior:
    """Who the chameleon is and what the word is, to the one whose position it is."""
    p = joint(position)
    return Posterior(p.sum(axis=1), p.sum(axis=0))


def joint(position: Position) -> Floats:
    """P(k, w): player k is the chameleon and w the word, float64 [N, W], sums to 1.

    All words of the card are equally likely at first, to one who does not know the word.
    """
    logs = _log_likelihood(position) + _log(position.possible)[:, None]
    if position.secret is not None:
        logs[:, np.arange(logs.shape[1]) != position.secret] = -np.inf
    return np.exp(_normal(logs))


def seen(position: Position) -> Floats:
    """P(k | w), who the chameleon is to one who knows the word and nothing else, float64 [W, N]."""
    logs = _log_likelihood(position) + _log(position.suspects)[:, None]
    return np.asarray(np.exp(logs - np.logaddexp.reduce(logs, axis=0)).T)


def doubts(position: Position) -> Floats:
    """How much each clue speaks against its speaker, float64 [C, W].

    log of P(clue | its speaker is the chameleon) / P(clue | it is honest and w the word).
    """
    found = np.empty(position.speech.shape)
    for c, speaker in enumerate(position.speakers):
        believed = _believed(position, speaker, c)
        found[c] = np.logaddexp.reduce(believed + position.faked[c]) - position.speech[c]
    return found


def outlook(position: Position, candidates: Floats, faked: Floats) -> Outlook:
    """What giving each candidate now would lead to.

    Args:
        position: of the player who is to give a clue.
        candidates: log S(m | w) of what it can say, float64 [n, W].
        faked: log F(m | w) of it, float64 [n, W].

    Raises:
        ValueError: if the position is nobody's, or shapes do not fit.
    """
    me = check_candidates(position, candidates, faked)
    known = joint(position)
    suspicion, leak = np.zeros(len(candidates)), np.zeros(len(candidates))
    for i in range(len(candidates)):
        after = replace(
            position,
            speech=np.vstack([position.speech, candidates[i]]),
            faked=np.vstack([position.faked, faked[i]]),
            speakers=np.append(position.speakers, me),
        )
        suspicion[i] = known.sum(axis=0) @ seen(after)[:, me]
        if position.secret is not None:
            for k in range(len(known)):
                heard = np.exp(_believed(after, k, len(after.speakers)))
                leak[i] += known[k].sum() * heard[position.secret]
    return Outlook(suspicion, leak)


def evaluate_batch(positions: Sequence[Position]) -> list[dict[str, float]]:
    """Score of each side in each position, -1 to 1: its expected reward if the vote were now.

    Everybody is taken to accuse the player who is likeliest to be the chameleon to those who know
    the word and nothing else, and a chameleon that is caught to name the likeliest word by the
    clues of others. Equals share. The expectation is over what the position leaves open.
    """
    scores = []
    for position in positions:
        players, words = len(position.suspects), position.speech.shape[1]
        caught = _shares(_log(seen(position))).T
        hits = np.array(
            [_shares(_believed(position, k, len(position.speakers))) for k in range(players)]
        ).reshape(players, words)
        honest = 2 * float((joint(position) * caught * (1 - hits)).sum()) - 1
        scores.append({"honest": honest, "chameleon": -honest})
    return scores


def check_candidates(position: Position, candidates: Floats, faked: Floats) -> int:
    """Refuse candidates that make no sense; the index of who is to speak.

    Raises:
        ValueError: as `outlook`.
    """
    if position.player is None:
        raise ValueError("player=None: only a player gives clues")
    words = position.speech.shape[1]
    for name, said in (("candidates", candidates), ("faked", faked)):
        if said.shape != (len(candidates), words) or not np.isfinite(said).all():
            raise ValueError(f"{name} {said.shape}: finite, [texts, {words} words]")
    return position.player


def _believed(position: Position, k: int, c: int) -> Floats:
    """Log q_c: what player k, not knowing the word, makes of the first c clues, [W]."""
    others = np.arange(len(position.speakers)) < c
    others &= position.speakers != k
    return _normal(position.speech[others].sum(axis=0))


def _log_likelihood(position: Position) -> Floats:
    """Log P(clues | k, w), [N, W]."""
    found = np.zeros((len(position.suspects), position.speech.shape[1]))
    for k in range(len(found)):
        for c, speaker in enumerate(position.speakers):
            if speaker == k:
                found[k] += np.logaddexp.reduce(_believed(position, k, c) + position.faked[c])
            else:
                found[k] += position.speech[c]
    return found


def _shares(logs: Floats) -> Floats:
    """Shares of the greatest along the last axis; equals share."""
    most = logs >= logs.max(axis=-1, keepdims=True) - TIE
    return np.asarray(most / most.sum(axis=-1, keepdims=True))


def _normal(logs: Floats) -> Floats:
    return np.asarray(logs - np.logaddexp.reduce(logs, axis=None))


def _log(weights: Floats) -> Floats:
    with np.errstate(divide="ignore"):
        return np.log(weights)
