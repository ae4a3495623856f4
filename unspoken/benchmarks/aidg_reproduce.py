"""The AIDG paper checked against itself: its figures, recomputed from those that it publishes.

The published figures are in `data/aidg/published.toml`. A figure agrees when ours rounds to the
printed digits; no formula is bent to make one agree.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterator
from importlib.resources import files
from math import comb
from statistics import fmean, median, pstdev, stdev
from typing import Any

from unspoken.benchmarks import statistics as st
from unspoken.benchmarks.figures import Figure, agrees, compare
from unspoken.benchmarks.tables import Table
from unspoken.envs.aidg_search.rules import MAX_TURNS, multiplier
from unspoken.rating.elo import START, K, expected_score, update

_Ours = float | str | None
_Rows = Iterator[tuple[str, str, str, _Ours] | tuple[str, str, str, _Ours, str]]

_EXPERIMENTS = ("AIDG-I", "AIDG-II")
_SILENT = "turns of single games are not published"


def reproduce() -> Table:
    """Every figure of the paper that its own published figures decide, one a row."""
    return compare("reproduce_aidg", "AIDG, recomputed from its own figures", figures())


def figures() -> list[Figure]:
    """The rows of `reproduce`, by subject."""
    text = (files("unspoken.data") / "aidg" / "published.toml").read_text(encoding="utf-8")
    p = tomllib.loads(text)
    parts = (_counts, _ratings, _modes, _search, _across, _elo)
    return [Figure(*row) for part in parts for row in part(p)]


# The paper's sections ---------------------------------------------------------------------------


def _counts(p: dict[str, Any]) -> _Rows:
    """Sections 4.2 to 5.2: games, turns and win rates."""
    design, table, text = p["design"], p["table_2"], p["text"]
    games, turns, held = table["games"], table["turns"], table["holder_wins"]
    n, rounds = design["models"], design["tournaments"]
    full = [rounds * comb(n, 2) * 2 * 2, rounds * n * (n - 1)]
    yield "4.2, eq. 4", "AIDG-I, games a tournament", design["per_tournament"], full[0] / rounds
    yield "4.2, eq. 4", "AIDG-I, games", design["total"][0], full[0]
    yield "4.2, eq. 5", "AIDG-II, games", design["total"][1], full[1]
    why = f"{full[0] - games[0]} games of the design are missing; the paper does not say why"
    yield "Table 2", "AIDG-I, games, by eq. 4", str(games[0]), full[0], why
    yield "Abstract", "games", text["games"], sum(games)
    yield "4.3", "dialogue turns", text["turns"], sum(turns)
    for i, name in enumerate(_EXPERIMENTS):
        yield "Table 2", f"{name}, average depth", table["depth"][i], turns[i] / games[i]
        rate = held[i] / games[i]
        yield "Table 2", f"{name}, win rate of seekers", table["seeker_rate"][i], 1 - rate
        yield "Table 2", f"{name}, win rate of holders", table["holder_rate"][i], rate
    low, high = _ending_turns(p)
    why = (
        f"games with a lock (Table 7) and disqualified ones (Table 10) end on turns that add up to "
        f"so much, {low / games[1]:.1f} a game; {low - games[1]}–{high - games[1]} without the last"
    )
    yield "Table 2", "AIDG-II, turns, by Tables 7 and 10", f"{turns[1]:,}", f"{low:,}–{high:,}", why
    share = sum(held) / sum(games)
    yield "5.1", "wins of seekers", text["seeker_wins"][0], sum(games) - sum(held)
    yield "5.1", "wins of seekers, share", text["seeker_wins"][1], 1 - share
    yield "5.1", "wins of holders", text["holder_wins"][0], sum(held)
    yield "5.1", "wins of holders, share", text["holder_wins"][1], share
    first, second = zip(held, games, strict=True)
    chi = st.chi_squared(first, second)
    change = held[1] / games[1] - held[0] / games[0]
    yield "5.2", "difference of holders' win rates", text["difference"], change
    yield "5.2", "χ² of it, with Yates' correction", text["chi_squared"][0], chi.value
    yield "5.2", "p of it", text["chi_squared"][1], chi.p


def _ratings(p: dict[str, Any]) -> _Rows:
    """Tables 3, 4 and 12."""
    text, printed = p["text"], p["table_3"]
    c1, v1, c2, v2 = _table_12(p)
    c, v = _mean(c1, c2), _mean(v1, v2)
    d = [st.paired_d(v1, c1), st.paired_d(v2, c2)]
    advantage = [fmean(v1) - fmean(c1), fmean(v2) - fmean(c2), fmean(v) - fmean(c)]
    tests = [st.paired_t(v1, c1), st.paired_t(v2, c2), st.paired_t(v, c)]
    for i, name in enumerate((*_EXPERIMENTS, "combined")):
        effect = d[i] if i < 2 else fmean(d)
        note = " (mean of both)" if i == 2 else ""
        yield "Table 3", f"{name}, defense advantage", printed["advantage"][i], advantage[i]
        yield "Table 3", f"{name}, Cohen's d, paired{note}", printed["d"][i], effect
        note = " (of mean ratings)" if i == 2 else ""
        yield "Table 3", f"{name}, p of paired t{note}", printed["p"][i], tests[i].p
    why = "4.07 is the mean of both d; the mean ratings themselves have this d"
    yield "Table 3", "combined, Cohen's d of mean ratings", printed["d"][2], st.paired_d(v, c), why
    yield "Abstract", "ELO advantage on defense (AIDG-I)", text["advantage"], advantage[0]
    yield "1", "Cohen's d of both experiments", text["least_d"], min(d)
    gaps = [b - a for a, b in zip(c, v, strict=True)]
    yield "5.1", "smallest gap", text["smallest_gap"], min(gaps)
    why = "the paper subtracts its rounded columns"
    order = list(p["table_12"])
    for name, row in p["table_4"].items():
        i = order.index(name)
        yield "Table 4", f"{name}, C_ELO", row[0], c[i]
        yield "Table 4", f"{name}, V_ELO", row[1], v[i]
        yield "Table 4", f"{name}, gap", row[2], gaps[i], why
    ranks = [1 + sum(other > c[order.index(name)] for other in c) for name in p["table_4"]]
    yield "Table 4", "ranks by C_ELO", "1, 2, 3, 4, 5, 6", ", ".join(map(str, ranks))
    sds = p["table_4_deviation"]
    why = f"the column's sample deviation; the population's is {pstdev(c):.1f}"
    yield "Table 4", "deviation of C_ELO", sds["c"], stdev(c), why
    yield "Table 4", "deviation of V_ELO, population", sds["v"], pstdev(v)
    yield "5.7", "lowest V_ELO", text["v_range"][0], min(v)
    yield "5.7", "highest V_ELO", text["v_range"][1], max(v)
    for i, (name, row) in enumerate(p["table_12"].items()):
        yield "Table 12", f"{name}, mean C", row[4], c[i]
        yield "Table 12", f"{name}, mean V", row[5], v[i]
    why = f"their mean; the median is {median(v):.1f}"
    yield "Appendix G", "centre of mean V", text["centre_of_v"], fmean(v), why
    for name, ratings in zip(_EXPERIMENTS, (c1 + v1, c2 + v2), strict=True):
        yield "F.9", f"{name}, mean of all ratings, as at the start", text["start"], fmean(ratings)


def _modes(p: dict[str, Any]) -> _Rows:
    """Section 5.3, Tables 5 and 13."""
    table, text = p["table_5"], p["text"]
    first, second = zip(table["wins"], table["games"], strict=True)
    total = p["table_2"]["games"][0]
    yield "Table 5", "games of both modes", str(total), sum(table["games"])
    yield "Table 5", "win rate, mode A", table["rate"][0], first[0] / first[1]
    yield "Table 5", "win rate, mode B", table["rate"][1], second[0] / second[1]
    wins = str(total - p["table_2"]["holder_wins"][0])
    yield "Table 5", "wins of seekers in both modes, 5.2's", wins, sum(table["wins"])
    for what, printed, ours in zip(
        ("odds ratio", "odds ratio, low end (Woolf)", "odds ratio, high end (Woolf)"),
        table["odds"],
        st.odds_ratio(first, second)[:3],
        strict=True,
    ):
        yield "Table 5", what, printed, ours
    yield "Table 5", "p of Fisher's exact test", table["p"], st.fisher(first, second)
    ratio = (first[0] / first[1]) / (second[0] / second[1])
    why = "that is the ratio of the odds; this is the ratio of the win rates"
    yield "Abstract", "confirmation “more effective”", text["more_effective"], ratio, why
    games = p["design"]["tournaments"] * (p["design"]["models"] - 1)
    for i, mode in enumerate("AB"):
        most = sum(_most_wins(row[i], games) for row in p["table_13"].values())
        what = f"wins, mode {mode}: at most, by Table 13 and eq. 4"
        why = f"no more wins of at most {games} games a model round to the printed percentages"
        yield "Table 5", what, str(table["wins"][i]), most, why
    for name, (a, b, printed) in p["table_13"].items():
        yield "Table 13", f"{name}, difference of modes", printed, (a - b) / 100


def _search(p: dict[str, Any]) -> _Rows:
    """Sections 5.4 to 5.6, Tables 6, 7 and 10."""
    text, locks, table, six = p["text"], p["table_7"], p["table_10"], p["table_6"]
    games = p["table_2"]["games"][1]
    *early, final = locks.values()
    correct = sum(n[1] for n in locks.values())
    disqualified = games - sum(n[0] for n in locks.values())
    for what, key, n in (
        ("correct guess", "correct", correct),
        ("disqualification", "disqualified", disqualified),
        ("wrong lock", "wrong_lock", sum(n[0] - n[1] for n in early)),
        ("wrong final guess", "wrong_final", final[0] - final[1]),
    ):
        yield "Table 6", f"{what}, by Table 7 ({n} of {games})", six[key], n / games
    lost = games - correct
    why = f"{disqualified} of {games} games; these are the {lost} that seekers lost"
    yield "Abstract", "disqualified, of failures", text["failures"], disqualified / lost, why
    rates = [row[0] / 100 for row in table.values()]
    wins = [row[1] / 100 for row in table.values()]
    yield "Table 6", "disqualification, by Table 10", six["disqualified"], fmean(rates)
    yield "Table 6", "correct guess, by Table 10", six["correct"], fmean(wins)
    r = st.pearson(rates, wins).value
    yield "5.4", "r of disqualification and win rate", text["disqualified_and_won"], r
    turns = [float(row[2]) for name, row in table.items() if len(row) > 2 and "Granite" not in name]
    yield "5.4", "turn of violation, larger models, least", text["violation_turns"][0], min(turns)
    yield "5.4", "turn of violation, larger models, most", text["violation_turns"][1], max(turns)
    sizes = p["table_1"]
    rho = st.spearman(list(sizes.values()), [table[name][0] for name in sizes])
    why = f"over the {len(sizes)} models with a published size"
    yield (
        "5.5",
        "rho of size and disqualification",
        text["size_and_disqualified"][0],
        rho.value,
        why,
    )
    yield "5.5", "p of it, exact", text["size_and_disqualified"][1], rho.p, why
    yield "5.6", "AIDG-I, mean turn of seekers' wins", text["win_turn_1"], None, _SILENT
    why = f"{_SILENT}; by Table 7 the median lies within 13 to 15"
    yield "5.6", "AIDG-II, median turn of seekers' wins", text["win_turn_2"], None, why
    for name, (n, won, rate, mean) in locks.items():
        yield "Table 7", f"{name}, win rate", rate, won / n
        if name.startswith("final"):
            yield "Table 7", f"{name}, multiplier", mean, multiplier(MAX_TURNS)
        else:
            at = " or ".join(f"{s / n:.2f}" for s in _totals(n, mean, _m))
            why = f"{_SILENT}; possible, if the mean turn is {at}"
            yield "Table 7", f"{name}, mean multiplier", mean, None, why
    for name, row in table.items():
        if len(row) > 2:
            yield "Table 10", f"{name}, mean turn of violation", row[2], None, _SILENT


def _across(p: dict[str, Any]) -> _Rows:
    """Sections 5.8 and 5.9."""
    text = p["text"]
    c1, v1, c2, v2 = _table_12(p)
    v, c = st.spearman(v1, v2), st.spearman(c1, c2)
    yield "5.8", "rho of V_ELO, I and II", text["v_across"][0], v.value
    why = "2 of the 720 orders of six are so extreme; the t approximation gives 0 at |rho| = 1"
    yield "5.8", "p of it, exact", text["v_across"][1], v.p, why
    yield "5.8", "rho of C_ELO, I and II", text["c_across"], c.value
    z, p_of_z = text["maybe"]
    why = (
        "the numbers of answers behind Table 11's shares are not published; of 1,663, about 254 "
        "would have to be from games that holders lost"
    )
    yield "5.9", "z of “maybe”, 22.0% against 10.7%", z, None, why
    yield "5.9", "p of that z", p_of_z, st.normal_p(float(z))


def _elo(p: dict[str, Any]) -> _Rows:
    """Sections 3.3 and appendix F: the formulas at work."""
    f = p["formulas"]
    for turn, printed in f["multiplier"].items():
        where = "3.3" if printed.endswith("×") else "F.4, F.5"
        yield where, f"M({turn})", printed, multiplier(int(turn))
    yield "F.2", "expected score of equals", f["equal"], expected_score(START, START)
    e = expected_score(START + 400, START)
    yield "F.2", "odds at 400 points", f["odds_of_400"], e / (1 - e)
    example = f["example"]
    e, weight = expected_score(1400, 1600), multiplier(10)
    c, v = update(1400, 1600, 1, weight)
    rounded = K * weight * (1 - round(e, 3))
    yield "F.5", "expected score of the seeker", example["expected"], e
    why = f"the paper rounds the expected score first: then it is {rounded:.2f}"
    yield "F.5", "gain of the seeker", example["gain"], c - 1400, why
    yield "F.5", "C_ELO after the game", example["c"], c
    why = f"misprint: numbers lost their first characters; {1600 - rounded:.2f} if E is rounded"
    yield "F.5", "V_ELO after the game", example["v"], v, why


# Within -----------------------------------------------------------------------------------------


def _table_12(p: dict[str, Any]) -> list[list[float]]:
    return [[row[i] for row in p["table_12"].values()] for i in range(4)]


def _mean(first: list[float], second: list[float]) -> list[float]:
    return [(a + b) / 2 for a, b in zip(first, second, strict=True)]


def _m(turn: float) -> float:
    return (17 - turn) / 8  # M of a mean turn is the mean of M, since M is linear


def _totals(n: int, printed: str, of: Callable[[float], float]) -> list[int]:
    """What the turns of n games can add up to, if `of` their mean is printed so."""
    return [s for s in range(n, MAX_TURNS * n + 1) if agrees(printed, of(s / n))]


def _ending_turns(p: dict[str, Any]) -> tuple[int, int]:
    """Least and most that the ending turns of all AIDG-II games add up to."""
    games = p["design"]["tournaments"] * (p["design"]["models"] - 1)
    totals = [_totals(n, mean, _m) for n, _, _, mean in p["table_7"].values()]
    totals += [
        _totals(row[0] * games // 100, row[2], lambda turn: turn)
        for row in p["table_10"].values()
        if len(row) > 2
    ]
    return sum(map(min, totals)), sum(map(max, totals))


def _most_wins(percent: int, games: int) -> int:
    """Most wins of at most so many games that are printed as this percentage."""
    return max(
        wins
        for n in range(1, games + 1)
        for wins in range(n + 1)
        if abs(100 * wins / n - percent) <= 0.5
    )
