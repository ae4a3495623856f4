"""What rational speech acts mean here, in plain NumPy.

Every function of `unspoken.evaluator.rsa` is here under the same name and equal to 1e-9, written
to be read; that module is the one to call. Source: Frank and Goodman 2012, Goodman and Frank 2016,
for messages that are true of a word to a degree. Throughout, W is the number of words and M of
messages that a speaker could have said. Words and messages meet in a table of log meanings: the
logarithm of how well each message fits each word, minus infinity where it cannot be said of it.

    L_0(w | m) ∝ meaning(w, m) · prior(w)
    S_k(m | w) ∝ exp(alpha · (log L_{k-1}(w | m) - cost(m)))
    L_k(w | m) ∝ S_k(m | w) · prior(w)

L_0 is the literal listener; L_k with k ≥ 1 the pragmatic one that reasons about the speaker S_k.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

MOST_RATIONAL = 1e6
"""Beyond this speakers are never in two minds, and numbers would overflow."""


def log_meaning(similarity: NDArray[np.floating], temperature: float) -> Floats:
    """Log meanings from similarities, `similarity / temperature`, in the same shape.

    Args:
        similarity: -1 to 1, of any shape.
        temperature: above 0; the lower, the more a difference in similarity means.

    Raises:
        ValueError: if the temperature is out of its range.
    """
    if not 0 < temperature < np.inf:
        raise ValueError(f"temperature={temperature}: above 0")
    return similarity.astype(np.float64) / temperature


def listener(
    meaning: Floats,
    depth: int = 0,
    alpha: float = 1.0,
    prior: Floats | None = None,
    cost: Floats | None = None,
) -> Floats:
    """L_depth(w | m): what a listener that hears a message takes the word to be.

    This is also the chameleon of SNEAK, which knows the words and hears one message.

    Args:
        meaning: log meanings, float64 [W, M]; each word and each message has a finite one.
        depth: 0 for the literal listener, 1 or more for pragmatic ones.
        alpha: how rational speakers are, above 0, up to `MOST_RATIONAL`.
        prior: P(w), float64 [W], above 0; uniform by default.
        cost: of each message, float64 [M], in nats; none by default.

    Returns:
        float64 [W, M]; columns sum to 1.

    Raises:
        ValueError: if an argument is out of its range, or shapes do not fit.
    """
    prior, cost = check(meaning, depth, alpha, prior, cost)
    return np.exp(_log_listener(meaning, depth, alpha, np.log(prior), cost))


def speaker(
    meaning: Floats,
    depth: int = 1,
    alpha: float = 1.0,
    prior: Floats | None = None,
    cost: Floats | None = None,
) -> Floats:
    """S_depth(m | w): what a speaker says who means a word and thinks of L_{depth-1}.

    Args:
        meaning: as `listener`.
        depth: 1 or more.
        alpha: as `listener`.
        prior: as `listener`.
        cost: as `listener`.

    Returns:
        float64 [W, M]; rows sum to 1.

    Raises:
        ValueError: if an argument is out of its range, or shapes do not fit.
    """
    prior, cost = check(meaning, depth, alpha, prior, cost, least=1)
    return np.exp(_log_speaker(meaning, depth, alpha, np.log(prior), cost))


def ally(heard: Floats) -> Floats:
    """Which of several messages comes from the speaker who knows the secret.

    One of the n messages, each of them equally likely, was said by a speaker who means the secret
    s; each of the others by a speaker who means a word drawn from the prior. With P(m) = Σ_w
    prior(w) S(m | w), the probability of all messages given that it is the i-th is

        S(m_i | s) · Π_{j≠i} P(m_j) = S(m_i | s) / P(m_i) · Π_j P(m_j),

    and S(m | s) / P(m) = L(s | m) / prior(s) by the definition of L. The product over all j and
    prior(s) are the same for every i, so P(i) ∝ L(s | m_i): nothing is approximated. The literal
    listener's meanings take the place of S.

    Args:
        heard: L(w | m_i), float64 [W, n], as `listener` gives it for these messages.

    Returns:
        float64 [W, n]; row w is P(i) if w is the secret, and sums to 1.

    Raises:
        ValueError: if a word has no message that can be said of it.
    """
    total = heard.sum(axis=1, keepdims=True)
    if not (total > 0).all():
        raise ValueError("a word that no message fits cannot be the secret")
    return np.asarray(heard / total)


def check(
    meaning: Floats,
    depth: int,
    alpha: float,
    prior: Floats | None,
    cost: Floats | None,
    least: int = 0,
) -> tuple[Floats, Floats]:
    """Refuse arguments that make no sense; prior and cost with their defaults filled in.

    Raises:
        ValueError: names the argument and its range.
    """
    if depth < least:
        raise ValueError(f"depth={depth}: {least} or more")
    check_alpha(alpha)
    if meaning.ndim != 2 or 0 in meaning.shape:
        raise ValueError(f"meaning {meaning.shape}: needs shape [words, messages]")
    said = np.isfinite(meaning)
    if not said.any(axis=0).all() or not said.any(axis=1).all():
        raise ValueError("meaning: every word and every message needs a finite log meaning")
    words, messages = meaning.shape
    prior = np.full(words, 1 / words) if prior is None else prior
    cost = np.zeros(messages) if cost is None else cost
    if prior.shape != (words,) or not (prior > 0).all():
        raise ValueError(f"prior: {words} probabilities above 0, one a word")
    if cost.shape != (messages,) or not np.isfinite(cost).all():
        raise ValueError(f"cost: {messages} numbers, one a message")
    return prior, cost


def check_alpha(alpha: float) -> None:
    """Refuse a rationality that makes no sense.

    Raises:
        ValueError: if it is out of its range.
    """
    if not 0 < alpha <= MOST_RATIONAL:
        raise ValueError(f"alpha={alpha}: above 0, up to {MOST_RATIONAL:g}")


def _log_listener(
    meaning: Floats, depth: int, alpha: float, log_prior: Floats, cost: Floats
) -> Floats:
    if depth > 0:
        meaning = _log_speaker(meaning, depth, alpha, log_prior, cost)
    joint = meaning + log_prior[:, None]
    # a rounded logarithm of a probability can be above 0
    return np.minimum(joint - np.logaddexp.reduce(joint, axis=0, keepdims=True), 0)


def _log_speaker(
    meaning: Floats, depth: int, alpha: float, log_prior: Floats, cost: Floats
) -> Floats:
    heard = _log_listener(meaning, depth - 1, alpha, log_prior, cost)
    useful = alpha * (heard - cost)
    return np.minimum(useful - np.logaddexp.reduce(useful, axis=1, keepdims=True), 0)
