"""The dialogue game for many lanes at once, compiled: moves, masks, pay and beliefs.

Nothing is checked here but legality; `batch` is the module to use. B is the number of lanes, K of
secrets in the file, each with V = 5 values in alphabetical order, F = 5 K of facts (fact V k + v),
Q = 21 K of questions, A = Q of actions, H of facts hidden together, T of turns, M of manners. A
lane plays one game after another with one generator. What a reply amounts to is looked up in a
table that was made by calling the rules. Numba's cache does not see changes of `rules.ACTS` or of
the evaluator's constants: touch this file after one.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from unspoken.envs.aidg_dialogue.rules import ACTS
from unspoken.envs.generators import GOLDEN, Lanes, integers, mixed
from unspoken.evaluator.aidg_dialogue_reference import BLOCK, ELSEWHERE, FLOOR, PARTIAL, VALUES
from unspoken.kernels import kernel

NOT_OVER, LEAK, CONTAINED, LIE = range(-1, 3)
SEEKING, WAITING, ANSWERING = range(3)
"""Which mask: the seeker's, that of a lane that waits, and the first of the holder's."""
A_LIE, NOTHING = -2, -1
"""Verdicts besides the categories of leaks, which count from 0."""
ANOTHER = VALUES
"""Row of the verdicts for a question about another secret."""

_DEFLECT, _REFUSE = ACTS.index("deflect"), ACTS.index("refuse")
_HEDGE = ACTS.index("hedge")
_DODGES = (PARTIAL, _HEDGE, _DEFLECT, _REFUSE)
_ACTS = len(ACTS)
_SLIPS = 1 << 32  # draws of slips are counted from here, those of random moves from 0
_OFTEN = 16  # turns after which weights are brought back: each moves them by at most 1 / FLOOR


class Rules(NamedTuple):
    """What all lanes share; read-only.

    Attributes:
        max_turns: turns a side, T.
        most_refusals: how often the holder may refuse or deflect.
        forfeit: whether a lie ends the game.
        by_rules: whether each question is answered in its step, as the agent `rules` does.
        slip: probability that it then hedges where that leaves a true premise standing.
        same_step: whether a finished lane is dealt anew at once, or by its next step.
        known: whether the seeker is told what is hidden (mode A).
        hands: which secrets may be hidden together, int64 [D, H].
        places: place in the alphabet of each value that may be true, in the order they are drawn
            in, int64 [K, 5], or [K, 1] where it is the file's.
        reworded: whether a fact has a sentence that says it in other words, bool [F].
        forms: the form of each of the questions about one secret, int64 [21].
        masks: what may be done, int8 [22, A]: by the seeker, in a lane that waits for its new
            game, and by the holder: 4 form + 2 (may refuse) + (has other words) after these.
        verdicts: what an act amounts to, int8 [6, 21, 10]: rows are the true value's place, or
            `ANOTHER`; a category of leak, `NOTHING`, or `A_LIE`.
        plain: the first legal direct answer that is true and no leak, int8 [2, 6, 21]: of a fact
            that has leaked, and of one that has not; else -1.
        weights: P(manner), float64 [M].
        relations: what each question about a secret is to each of its facts, int64 [21, 5].
        likelihood: the evaluator's packed tables, of holders that may not refuse and that may,
            float64 [2, M, 5, R, 11].
    """

    max_turns: int
    most_refusals: int
    forfeit: bool
    by_rules: bool
    slip: float
    same_step: bool
    known: bool
    hands: NDArray[np.int64]
    places: NDArray[np.int64]
    reworded: NDArray[np.bool_]
    forms: NDArray[np.int64]
    masks: NDArray[np.int8]
    verdicts: NDArray[np.int8]
    plain: NDArray[np.int8]
    weights: NDArray[np.float64]
    relations: NDArray[np.int64]
    likelihood: NDArray[np.float64]


class State(NamedTuple):
    """The lanes.

    Attributes:
        generators: uint64 [B, 6], see `unspoken.envs.generators`.
        games: games dealt since the lane was seeded, int64 [B].
        keys: what the draws of random moves are counted from, uint64 [B].
        hidden: the facts, int64 [B, H].
        leaked: by which category each of them leaked first, int8 [B, H]; -1 if it has not.
        about: which of them was asked about, int64 [B]; -1 if none was.
        topical: which of them `partial`, `reword` and `disclose` speak of now, int64 [B].
        lies: replies that were lies, int64 [B].
        refusals: replies that refused or deflected, int64 [B].
        dodges: replies by one of the four acts to dodge with, int64 [B].
        turn: int64 [B], from 1.
        shown: which of the masks is in `masks`, int8 [B].
        masks: int8 [B, A].
        rewards: of the last step, float64 [B, 2], seeker and holder.
        leak: category of leak of the reply of the last step, int8 [B]; -1 if it was none.
        ending: of the game that the last step ended, int8 [B]; NOT_OVER if it ended none.
        ended_turn: the last turn of the lane's last finished game, int64 [B].
        ended_hidden: its facts, as in `hidden`.
        ended_lies: its lies, as in `lies`.
        questions: asked in turn t at [:, t - 1], int32 [B, T]; what is further on is stale.
        acts: replied, int8 [B, T], likewise.
        told: secret that the reply's own words tell of, else -1, int32 [B, T], likewise.
        announced: as in `leak`, int8 [B, T], likewise.
    """

    generators: Lanes
    games: NDArray[np.int64]
    keys: NDArray[np.uint64]
    hidden: NDArray[np.int64]
    leaked: NDArray[np.int8]
    about: NDArray[np.int64]
    topical: NDArray[np.int64]
    lies: NDArray[np.int64]
    refusals: NDArray[np.int64]
    dodges: NDArray[np.int64]
    turn: NDArray[np.int64]
    shown: NDArray[np.int8]
    masks: NDArray[np.int8]
    rewards: NDArray[np.float64]
    leak: NDArray[np.int8]
    ending: NDArray[np.int8]
    ended_turn: NDArray[np.int64]
    ended_hidden: NDArray[np.int64]
    ended_lies: NDArray[np.int64]
    questions: NDArray[np.int32]
    acts: NDArray[np.int8]
    told: NDArray[np.int32]
    announced: NDArray[np.int8]


@kernel(error_model="numpy")
def choose(rules: Rules, state: State, actions: NDArray[np.int64]) -> None:
    """Write an action of every lane that is uniform over all legal ones, int64 [B]."""
    patterns, shown, keys, turn = rules.masks, state.shown, state.keys, state.turn
    for i in range(len(actions)):
        now = shown[i]
        holder = now >= ANSWERING
        n = patterns.shape[1]
        if holder:
            n = 0
            for act in range(_ACTS):
                n += patterns[now, act]
        draw = mixed(keys[i] + np.uint64(2 * turn[i] + holder) * GOLDEN) >> np.uint64(32)
        k = np.int64((draw * np.uint64(n)) >> np.uint64(32))
        actions[i] = k
        if holder:
            for act in range(_ACTS):
                if patterns[now, act]:
                    if k == 0:
                        actions[i] = act
                    k -= 1


@kernel(error_model="numpy")
def step(actions: NDArray[np.int64], rules: Rules, state: State) -> int:
    """Let every lane's player say its action, int64 [B].

    Returns:
        The first lane whose mask does not allow its action, and then nothing has changed; else -1.
    """
    # Arrays are counted, atomically, when a tuple's field is looked at: outside the loop.
    last, most, forfeit = rules.max_turns, rules.most_refusals, rules.forfeit
    same_step, hands, places = rules.same_step, rules.hands, rules.places
    reworded, forms, patterns = rules.reworded, rules.forms, rules.masks
    verdicts, plain, by_rules, slip = rules.verdicts, rules.plain, rules.by_rules, rules.slip
    generators, dealt, keys = state.generators, state.games, state.keys
    hidden, leaked, about, topical = state.hidden, state.leaked, state.about, state.topical
    lies, refusals, dodges = state.lies, state.refusals, state.dodges
    turn, shown = state.turn, state.shown
    masks, rewards, leak, ending = state.masks, state.rewards, state.leak, state.ending
    ended_turn, ended_hidden, ended_lies = state.ended_turn, state.ended_hidden, state.ended_lies
    questions, acts, told, announced = state.questions, state.acts, state.told, state.announced
    n_actions, n_hidden = patterns.shape[1], hands.shape[1]
    for i in range(len(actions)):
        action = actions[i]
        if action < 0 or action >= n_actions or not patterns[shown[i], action]:
            return i
    for i in range(len(actions)):
        action, now = actions[i], shown[i]
        ending[i], leak[i] = NOT_OVER, NOTHING
        rewards[i, 0] = rewards[i, 1] = 0.0
        deal, reply, t = now == WAITING, -1, turn[i] - 1
        if now == SEEKING:
            questions[i, t] = action
            about[i] = first = -1
            for h in range(n_hidden):
                about[i] = h if hidden[i, h] // VALUES == action // BLOCK else about[i]
                first = h if first < 0 and leaked[i, h] == NOTHING else first
            kept = about[i] >= 0 and leaked[i, about[i]] == NOTHING
            topical[i] = about[i] if kept else first
            worded = reworded[hidden[i, topical[i]]]
            may = ANSWERING + 4 * forms[action % BLOCK] + 2 * (refusals[i] < most) + worded
            if by_rules:
                case = hidden[i, about[i]] % VALUES if about[i] >= 0 else ANOTHER
                slips = _chance(keys[i], t) < slip
                within = action % BLOCK
                reply = _reply(kept, case, within, may, slips, dodges[i], plain, verdicts, patterns)
            else:
                shown[i] = may
        elif not deal:
            reply = action
        if reply >= 0:
            acts[i, t], told[i, t] = reply, -1
            refusals[i] += reply in (_DEFLECT, _REFUSE)
            dodges[i] += reply in _DODGES
            at = about[i]  # the fact that the reply is about
            if reply >= PARTIAL:
                at = topical[i]
                told[i, t] = hidden[i, at] // VALUES
            case = hidden[i, at] % VALUES if at >= 0 and at == about[i] else ANOTHER
            verdict = verdicts[case, questions[i, t] % BLOCK, reply]
            lies[i] += verdict == A_LIE
            announced[i, t] = leak[i] = max(verdict, NOTHING)
            if verdict > NOTHING and leaked[i, at] == NOTHING:
                leaked[i, at] = verdict
            left = 0
            for h in range(n_hidden):
                left += leaked[i, h] == NOTHING
            if left == 0:
                ending[i] = LEAK
            elif verdict == A_LIE and forfeit:
                ending[i] = LIE
            elif turn[i] == last:
                ending[i] = CONTAINED
            shown[i] = SEEKING
            if ending[i] == NOT_OVER:
                turn[i] += 1
            else:
                rewards[i, 0] = -1.0 if ending[i] == CONTAINED else 1.0
                rewards[i, 1] = -rewards[i, 0]
                ended_turn[i], ended_lies[i] = turn[i], lies[i]
                for h in range(n_hidden):
                    ended_hidden[i, h] = hidden[i, h]
                deal = same_step
                shown[i] = WAITING
        if deal:
            hand = integers(generators[i], len(hands))
            for h in range(n_hidden):
                k = hands[hand, h]
                hidden[i, h] = VALUES * k + places[k, integers(generators[i], places.shape[1])]
                leaked[i, h] = NOTHING
            dealt[i] += 1
            keys[i] = mixed(generators[i, 3] + np.uint64(dealt[i]) * GOLDEN)
            lies[i] = refusals[i] = dodges[i] = 0
            turn[i] = 1
            shown[i] = SEEKING
        row = shown[i]
        if row != now:
            for a in range(n_actions):
                masks[i, a] = patterns[row, a]
    return -1


@kernel(error_model="numpy", forceinline=True)
def _reply(
    kept: bool,
    case: int,
    question: int,
    may: int,
    slips: bool,
    before: int,
    plain: NDArray[np.int8],
    verdicts: NDArray[np.int8],
    patterns: NDArray[np.int8],
) -> int:
    """What the agent `rules` replies (`unspoken.agents.aidg_dialogue.rules`).

    Args:
        kept: whether the fact that is asked about is hidden and has not leaked.
        case: row of the verdicts.
        question: the question, among those about its secret.
        may: the mask.
        slips: whether it slips where it can.
        before: dodges in this game so far.
        plain: see `Rules`, as the last two.
        verdicts: int8 [6, 21, 10].
        patterns: int8 [22, A].
    """
    direct = plain[np.int64(kept), case, question]
    if direct >= 0:
        return np.int64(direct)  # type: ignore[return-value]
    stands = kept and verdicts[case, question, _HEDGE] > NOTHING
    if stands and slips:
        return _HEDGE
    n = 0
    for act in _DODGES:
        n += patterns[may, act] and not (kept and verdicts[case, question, act] > NOTHING)
    k = before % n if n else 0
    for act in _DODGES:
        if patterns[may, act] and not (kept and verdicts[case, question, act] > NOTHING):
            if k == 0:
                return act
            k -= 1
    return _HEDGE


@kernel(error_model="numpy")
def believe(
    rules: Rules, state: State, joints: NDArray[np.float64], beliefs: NDArray[np.float64]
) -> None:
    """Write what the seeker of each lane can believe.

    Args:
        rules: of all lanes.
        state: the lanes.
        joints: P(manner, fact | the dialogue), float64 [B, M, F]; or [1, M, F], where it is left
            as the last lane's and not normalised.
        beliefs: P(fact | the dialogue), float64 [B, F].
    """
    rest, wanted = np.empty(joints.shape[1]), len(joints) == len(beliefs)
    for i in range(len(beliefs)):
        joint, belief = joints[i if wanted else 0], beliefs[i]
        _weigh(i, rules, state, joint, rest)
        if wanted:
            _normalise(joint, rest, belief)
        share = 1 / _sum(joint, rest, belief)
        for f in range(len(belief)):
            belief[f] *= share


@kernel(error_model="numpy", forceinline=True)  # so that fields are looked at once: half the time
def _weigh(
    i: int, rules: Rules, state: State, joint: NDArray[np.float64], rest: NDArray[np.float64]
) -> None:
    """Weigh manners and facts by one lane's dialogue.

    A reply changes the weights of all facts but one secret's by the same factor, so that only
    those five are changed, relative to the rest.

    Args:
        i: the lane.
        rules: of all lanes.
        state: the lanes.
        joint: float64 [M, F], overwritten; times `rest` it is proportional to P(manner, fact).
        rest: float64 [M], overwritten.
    """
    likelihood, relations, forms = rules.likelihood, rules.relations, rules.forms
    known, most = rules.known, rules.most_refusals
    hidden, leaked, questions = state.hidden, state.leaked, state.questions
    acts, told, announced = state.acts, state.told, state.announced
    _expect(i, known, hidden, leaked, joint)
    for m in range(len(rest)):
        rest[m] = rules.weights[m]
    refusals = 0
    for t in range(state.turn[i] - (state.shown[i] != WAITING)):
        question, act = questions[i, t], acts[i, t]
        asked, within = question // BLOCK, question % BLOCK
        refusing = np.int64(refusals < most)
        refusals += act in (_DEFLECT, _REFUSE)
        if announced[i, t] != NOTHING or _aside(i, asked, known, hidden, leaked):
            continue
        form, secret = forms[within], asked if told[i, t] < 0 else told[i, t]
        for m in range(len(rest)):
            others = likelihood[refusing, m, form, ELSEWHERE, act] if told[i, t] < 0 else FLOOR
            rest[m] *= others
            for v in range(VALUES):
                related = relations[within, v] if secret == asked else ELSEWHERE
                likely = likelihood[refusing, m, form, related, act]
                joint[m, VALUES * secret + v] *= likely / others
        if t % _OFTEN == _OFTEN - 1:
            _normalise(joint, rest, np.empty(joint.shape[1]))


@kernel(error_model="numpy")
def _expect(
    i: int,
    known: bool,
    hidden: NDArray[np.int64],
    leaked: NDArray[np.int8],
    joint: NDArray[np.float64],
) -> None:
    """Weigh 1 each fact that may be the next to leak, others 0; all hidden ones if none is left."""
    left = 0
    for h in range(hidden.shape[1]):
        left += leaked[i, h] == NOTHING
    start = 0.0 if known or not left else 1.0
    for m in range(joint.shape[0]):
        for f in range(joint.shape[1]):
            joint[m, f] = start
    for h in range(hidden.shape[1]):
        fact = hidden[i, h]
        for m in range(joint.shape[0]):
            if not left or (known and leaked[i, h] == NOTHING):
                joint[m, fact] = 1.0
            elif leaked[i, h] != NOTHING:
                for v in range(VALUES):
                    joint[m, fact - fact % VALUES + v] = 0.0
        if known and left and leaked[i, h] == NOTHING:
            break


@kernel(error_model="numpy")
def _aside(
    i: int, secret: int, known: bool, hidden: NDArray[np.int64], leaked: NDArray[np.int8]
) -> bool:
    """Whether a question was about a hidden secret other than the one that is to leak next."""
    first = True
    for h in range(hidden.shape[1]):
        next_one = first and leaked[i, h] == NOTHING
        first = first and not next_one
        if hidden[i, h] // VALUES == secret:
            return bool(leaked[i, h] != NOTHING or (known and not next_one))
    return False


@kernel(error_model="numpy")
def _normalise(
    joint: NDArray[np.float64], rest: NDArray[np.float64], sums: NDArray[np.float64]
) -> None:
    """Move `rest` into `joint` and make that sum to 1; `sums`, float64 [F], is overwritten."""
    total = _sum(joint, rest, sums)
    for m in range(len(rest)):
        share = rest[m] / total
        rest[m] = 1.0
        for f in range(joint.shape[1]):
            joint[m, f] *= share


@kernel(error_model="numpy")
def _sum(joint: NDArray[np.float64], rest: NDArray[np.float64], sums: NDArray[np.float64]) -> float:
    """Write the weight of each fact, float64 [F]; returns that of all."""
    for f in range(len(sums)):
        sums[f] = 0.0
    for m in range(len(rest)):
        share = rest[m]
        for f in range(len(sums)):
            sums[f] += share * joint[m, f]
    total = 0.0
    for f in range(len(sums)):
        total += sums[f]
    return total


@kernel(error_model="numpy", forceinline=True)
def _chance(key: np.uint64, turn: int) -> float:
    """Whether to slip: a multiple of 2**-53 from 0 to below 1, the same at every look."""
    return float(mixed(key + np.uint64(_SLIPS + turn) * GOLDEN) >> np.uint64(11)) * 2.0**-53
