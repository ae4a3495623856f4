"""The analyses of the SDA paper, for annotated examinations of anybody's.

Agreement of annotators and of models with people (section 5, Table 2, Table 6), outcomes predicted
from BaT and PaT (7.1, 7.2, Table 3), cooperative beside adversarial examinations (section 6), and
scores of pairs of models compared (8.1, Tables 7 and 8). Every annotation counts: a turn that three
people labelled is three turns in regressions and distributions, as in the paper, though they hang
together.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise
from pathlib import Path
from statistics import fmean, median, stdev

import numpy as np

from unspoken.benchmarks import statistics as st
from unspoken.benchmarks.estimates import Row, attempt, estimate
from unspoken.benchmarks.tables import PERCENT, Column, Table, mean
from unspoken.evaluator.sda_reference import COMMITMENTS, PAPER, Variant, Weights
from unspoken.judges.sda.scorer import check_once, scores
from unspoken.judges.sda.transcripts import OUTCOMES, REASONS, Dialogue, Turn, separated

MAXIMS = ("rel", "man", "qual")
MEASURES = {
    "bat": ("BaT", "Spearman's rho"),
    "pat": ("PaT", "Spearman's rho"),
    "nrbat": ("NRBaT", "Spearman's rho"),
    "commitment": ("commitment", "Fleiss' κ"),
    "rel": ("relevance", "Randolph's κ"),
    "man": ("manner", "Randolph's κ"),
    "qual": ("quality", "Randolph's κ"),
    "const": ("consistency", "true-positive rate"),
    "outcome": ("outcome", "Fleiss' κ"),
    "reasons": ("reasons", "Jaccard"),
    "same_reasons": ("reasons", "share all give alike"),
}
"""What is compared and by which statistic, by its key in `measures`."""

Pair = tuple[str, str]
"""Two models that are compared: the first less the second."""
ModelScores = Mapping[str, Mapping[str, Mapping[str, float]]]
"""Scores by set (a trial, a side of it), model and metric."""


@dataclass(frozen=True)
class Annotation:
    """What one annotator made of one or more examinations.

    Attributes:
        dialogue: the examination; "" if it is several.
        annotator: who labelled it.
        turns: in order.
        bat: of each turn, float64 [N]; as are pat and nrbat, and as in `Scores`.
        pat: float64 [N].
        nrbat: float64 [N].
    """

    dialogue: str
    annotator: str
    turns: tuple[Turn, ...]
    bat: st.Floats
    pat: st.Floats
    nrbat: st.Floats


def annotate(
    dialogues: Sequence[Dialogue], weights: Weights = PAPER, variant: Variant = "equations"
) -> list[Annotation]:
    """Dialogues with their scores."""
    if not dialogues:
        return []
    scored = scores(dialogues, weights, variant)
    ends = np.cumsum([len(dialogue.turns) for dialogue in dialogues])[:-1]
    parts = zip(*(np.split(x, ends) for x in (scored.bat, scored.pat, scored.nrbat)), strict=True)
    return [
        Annotation(dialogue.id, dialogue.annotator, dialogue.turns, *part)
        for dialogue, part in zip(dialogues, parts, strict=True)
    ]


def joined(parts: Sequence[Annotation]) -> Annotation:
    """One annotator's examinations as one; each keeps the scores that it has by itself."""
    turns = tuple(turn for part in parts for turn in part.turns)
    columns = ([getattr(part, key) for part in parts] for key in ("bat", "pat", "nrbat"))
    return Annotation("", parts[0].annotator, turns, *map(np.concatenate, columns))


def analyse(
    people: Sequence[Annotation],
    models: Sequence[Annotation] = (),
    cooperative: Sequence[Annotation] = (),
    *,
    resamples: int = 1000,
    seed: int = 0,
) -> list[Table]:
    """Every table that there are data for.

    Args:
        people: examinations, and what people made of them.
        models: the same examinations, labelled by models.
        cooperative: direct examinations, to set beside those of `people`.
        resamples: of the bootstrap.
        seed: of the bootstrap.

    Raises:
        ValueError: if annotations of one examination are not of the same turns, one is there
            twice, or there is nothing to analyse; says what there would have to be.
    """
    for given in (people, models, cooperative):
        check_once((one.dialogue, one.annotator) for one in given)
    tables: list[Table] = []
    if any(len(group) > 1 for group in _by_dialogue(people).values()):
        tables.append(agreement(people))
    if models:
        tables.append(against_people(models, people))
    if {turn.outcome for one in people for turn in one.turns} >= set(OUTCOMES):
        tables += outcomes(people, resamples=resamples, seed=seed)
    if cooperative:
        tables += distributions(cooperative, people)
    if not tables:
        raise ValueError(
            "nothing to analyse: that takes an examination with two annotators, outcomes of both "
            "kinds, models, or cooperative examinations"
        )
    return tables


# Agreement --------------------------------------------------------------------------------------


def agreement(people: Sequence[Annotation]) -> Table:
    """Agreement over the examinations that more than one annotator has (Table 2).

    Examinations that the same people labelled count as one.

    Raises:
        ValueError: if there are none, or annotators did not label the same turns.
    """
    groups: dict[tuple[str, ...], list[Mapping[str, Annotation]]] = {}
    for own in _by_dialogue(people).values():
        if len(own) > 1:
            groups.setdefault(tuple(sorted(own)), []).append(own)
    if not groups:
        raise ValueError("no examination has two annotators: nothing to agree on")
    rows: list[Row] = []
    for names, shared in groups.items():
        for exam in shared:  # once they are joined nobody knows whose turn it was
            for one, other in pairwise(exam[name] for name in names):
                _same_turns(one, other)
        coders = [joined([own[name] for own in shared]) for name in names]
        values = measures(coders)
        group: Row = {"annotators": ", ".join(names), "turns": len(coders[0].turns)}
        for key, (measure, statistic) in MEASURES.items():
            rows.append(group | {"measure": measure, "statistic": statistic, "value": values[key]})
    columns = [
        Column("annotators", "annotators", left=True),
        Column("turns", "turns"),
        Column("measure", "measure", left=True),
        Column("statistic", "statistic", left=True),
        Column("value", "value", "{:.3f}"),
    ]
    return Table("agreement", "Agreement of annotators (SDA Table 2)", columns, rows)


def against_people(models: Sequence[Annotation], people: Sequence[Annotation]) -> Table:
    """Agreement of each model with people, an examination a row (8.1, Table 6).

    Each value is the mean over the people who labelled it; for consistency they are the truth.

    Raises:
        ValueError: if nobody labelled an examination that a model has, or not the same turns.
    """
    known = _by_dialogue(people)
    rows: list[Row] = []
    for model in models:
        if model.dialogue not in known:
            raise ValueError(f"no person labelled {model.dialogue!r}, which {model.annotator} has")
        pairs = [(model, person) for person in known[model.dialogue].values()]
        each = [measures(pair) | {"const": _found(truth=pair[1], found=pair[0])} for pair in pairs]
        row: Row = {"set": model.dialogue, "model": model.annotator, "turns": len(model.turns)}
        rows.append(row | {key: _mean(values[key] for values in each) for key in MEASURES})
    columns = [
        Column("set", "set", left=True),
        Column("model", "model", left=True),
        Column("turns", "turns"),
        *(Column(key, name, "{:.2f}") for key, (name, _) in MEASURES.items() if "_" not in key),
    ]
    title = "Agreement of models with people (SDA Table 6); statistics as in Table 2"
    return Table("against_people", title, columns, rows)


def measures(coders: Sequence[Annotation]) -> dict[str, float | None]:
    """All of MEASURES; None where one is not defined.

    Spearman's rho is the mean over pairs of annotators; the true-positive rate, too, each of a pair
    in turn being the truth; Jaccard's index is the mean over pairs and over the turns where either
    gives reasons.

    Raises:
        ValueError: if the annotators did not label the same turns.
    """
    for one, other in pairwise(coders):
        _same_turns(one, other)
    pairs = list(combinations(coders, 2))
    values = {
        key: _mean(attempt(_rho, getattr(a, key), getattr(b, key)) for a, b in pairs)
        for key in ("bat", "pat", "nrbat")
    }
    values["commitment"] = st.fleiss_kappa(_codings(coders, "commitment"), COMMITMENTS)
    for key in MAXIMS:
        values[key] = st.randolph_kappa(_codings(coders, key), (False, True))
    values["const"] = _mean(_found(*two) for a, b in pairs for two in ((a, b), (b, a)))
    judged = [turns for turns in zip(*_turns(coders), strict=True) if all(t.outcome for t in turns)]
    if not judged:
        return values | dict.fromkeys(("outcome", "reasons", "same_reasons"))
    verdicts = [[turn.outcome for turn in turns] for turns in zip(*judged, strict=True)]
    values["outcome"] = st.fleiss_kappa(verdicts, OUTCOMES)
    given = [[set(turn.reasons) for turn in turns] for turns in judged]
    both = [(a, b) for sets in given for a, b in combinations(sets, 2) if a | b]
    values["reasons"] = _mean(len(a & b) / len(a | b) for a, b in both)
    values["same_reasons"] = _mean(
        float(all(one == sets[0] for one in sets)) for sets in given if any(sets)
    )
    return values


def rankable(x: st.Floats) -> list[float]:
    """Scores to be ranked: those that are equal but for their last digits are ties."""
    return [round(value, 9) for value in x.tolist()]


# Outcomes ---------------------------------------------------------------------------------------


def outcomes(people: Sequence[Annotation], *, resamples: int = 1000, seed: int = 0) -> list[Table]:
    """Whether BaT and PaT tell whom a turn went to (7.1, 7.2, Table 3, Figure 7)."""
    x, won = predictors(people)
    title = f"Outcome of {len(won)} turns from BaT and PaT (SDA Table 3)"
    columns = [
        Column("predictor", "predictor", left=True),
        Column("beta", "β", "{:.2f}"),
        Column("error", "SE", "{:.2f}"),
        Column("odds", "odds ratio", "{:.2f}"),
        Column("p", "p", "{:.2g}"),
        Column("bootstrap_low", "bootstrap, low", "{:.2f}"),
        Column("bootstrap_high", "high", "{:.2f}"),
    ]
    try:
        model = st.logistic(x, won)
    except ValueError as error:
        return [Table("outcome", f"{title}: {error}", columns, []), conditioned(people)]
    samples = st.resample(
        list(zip(x.tolist(), won, strict=True)),
        lambda turns: st.logistic_coefficients(*zip(*turns, strict=True)),
        resamples=resamples,
        seed=seed,
    )
    found = samples[~np.isnan(samples).any(axis=1)]
    ends = [st.Interval(*row) for row in np.transpose(st.percentiles(found))] if len(found) else []
    rows: list[Row] = []
    for i, name in enumerate(("intercept", "BaT", "PaT")):
        beta = float(model.coefficients[i])
        interval = st.Interval(float(model.low[i]), float(model.high[i]))
        row: Row = {"predictor": name, **estimate("beta", beta, interval)}
        row |= {"error": float(model.errors[i]), "p": float(model.p[i])}
        if i:
            row |= estimate("odds", float(np.exp(beta)), st.Interval(*np.exp(interval).tolist()))
        if ends:
            row |= {"bootstrap_low": float(ends[i].low), "bootstrap_high": float(ends[i].high)}
        rows.append(row)
    title += f"; 95%: Wald, and {len(found)} resamples"
    if len(found) < resamples:
        title += f" of {resamples}: the others have no finite fit"
    return [Table("outcome", title, columns, rows), conditioned(people)]


def conditioned(people: Sequence[Annotation]) -> Table:
    """How well a model fits all turns, and those whose outcome has a reason (7.2).

    Each row is a regression of its own. "without" is the AUC of one of the turns that lack the
    reason; p of the difference takes both AUCs as independent, with DeLong's errors.
    """
    rows: list[Row] = []
    for reason in (None, *REASONS):
        x, won = predictors(people, reason)
        row: Row = {"reason": reason or "all turns", "turns": len(won), "won": mean(won)}
        rows.append(row)
        model = attempt(st.logistic, x, won)
        if model is None:
            continue
        area = st.auc(rankable(model.predicted), won)
        row |= {"aic": model.aic, "null_aic": model.null_aic, "tjur": model.tjur}
        row |= {"accuracy": model.accuracy, "p": model.p_model, "p_auc": area.p}
        row |= estimate("auc", area.value, st.Interval(area.low, area.high))
        x, won = predictors(people, reason, without=True)
        rest = attempt(st.logistic, x, won) if reason else None
        if rest is not None:
            other = st.auc(rankable(rest.predicted), won)
            z = (area.value - other.value) / np.hypot(area.error, other.error)
            row |= {"without": other.value, "p_difference": st.normal_p(float(z))}
    columns = [
        Column("reason", "reason", left=True),
        Column("turns", "turns"),
        Column("won", "witness's", PERCENT),
        Column("aic", "AIC", "{:.1f}"),
        Column("null_aic", "of intercept", "{:.1f}"),
        Column("tjur", "Tjur's R²", "{:.2f}"),
        Column("accuracy", "accuracy", PERCENT),
        Column("p", "p (LR)", "{:.2g}"),
        Column("auc", "AUC", "{:.2f}"),
        Column("p_auc", "p of it", "{:.2g}"),
        Column("without", "without", "{:.2f}"),
        Column("p_difference", "p of the difference", "{:.2g}"),
    ]
    title = "Fit by the reason given for the outcome (SDA 7.2); 95%: DeLong"
    return Table("reasons", title, columns, rows)


def predictors(
    people: Sequence[Annotation], reason: str | None = None, *, without: bool = False
) -> tuple[st.Floats, list[bool]]:
    """BaT and PaT, float64 [N, 2], and whether the witness won, of turns with an outcome.

    Args:
        people: the annotations.
        reason: only turns whose outcome has it among its reasons; all if None.
        without: only turns whose outcome lacks it.
    """
    kept = [
        (bat, pat, turn.outcome == "witness")
        for one in people
        for turn, bat, pat in zip(one.turns, one.bat.tolist(), one.pat.tolist(), strict=True)
        if turn.outcome and (reason is None or (reason in turn.reasons) is not without)
    ]
    x = np.array([row[:2] for row in kept], dtype=np.float64).reshape(-1, 2)
    return x, [won for *_, won in kept]


# Kinds of examinations --------------------------------------------------------------------------


def distributions(
    cooperative: Sequence[Annotation], adversarial: Sequence[Annotation]
) -> list[Table]:
    """Labels and scores of direct beside cross-examinations (section 6, Figures 5 and 6).

    The paper draws them and tests nothing. Here shares have Newcombe's interval of their
    difference and Fisher's exact p, scores have Cliff's delta with Mann and Whitney's p; p is
    Bonferroni's, over the rows of a table.
    """
    first, second = joined(cooperative), joined(adversarial)
    labels: list[Row] = []
    for what, has in _LABELS:
        a, b = ((sum(map(has, one.turns)), len(one.turns)) for one in (first, second))
        row: Row = {"label": what, "cooperative": a[0] / a[1], "adversarial": b[0] / b[1]}
        row |= estimate("difference", a[0] / a[1] - b[0] / b[1], st.newcombe(a, b))
        labels.append(row | {"p": min(1.0, len(_LABELS) * st.fisher(a, b))})
    numbers: list[Row] = []
    for what, of in _SCORES:
        values = [rankable(of(one)) for one in (first, second)]
        delta = st.cliffs_delta(*values)
        row = {"score": what, "delta": delta.value, "p": min(1.0, len(_SCORES) * delta.p)}
        for name, own in zip(("cooperative", "adversarial"), values, strict=True):
            row |= {name: fmean(own), f"{name}_sd": float(np.std(own))}
        numbers.append(row)
    n = f"{len(first.turns)} cooperative and {len(second.turns)} adversarial turns"
    return [
        Table(
            "labels",
            f"Labels of {n} (SDA Figure 5); 95%: Newcombe; p: Fisher, Bonferroni",
            [
                Column("label", "label", left=True),
                Column("cooperative", "cooperative", PERCENT),
                Column("adversarial", "adversarial", PERCENT),
                Column("difference", "difference", PERCENT),
                Column("p", "p", "{:.2g}"),
            ],
            labels,
        ),
        Table(
            "scores",
            f"Scores of {n} (SDA Figure 6); p: Mann-Whitney, Bonferroni",
            [
                Column("score", "score", left=True),
                Column("cooperative", "cooperative", "{:.2f}"),
                Column("cooperative_sd", "SD", "{:.2f}"),
                Column("adversarial", "adversarial", "{:.2f}"),
                Column("adversarial_sd", "SD", "{:.2f}"),
                Column("delta", "Cliff's delta", "{:.2f}"),
                Column("p", "p", "{:.2g}"),
            ],
            numbers,
        ),
    ]


_LABELS: list[tuple[str, Callable[[Turn], bool]]] = [
    *((name, lambda turn, name=name: turn.commitment == name) for name in COMMITMENTS),
    *(
        (f"{MEASURES[name][0]} violated", lambda turn, name=name: getattr(turn, name))
        for name in MAXIMS
    ),
    ("inconsistent", lambda turn: turn.const),
]
_SCORES: list[tuple[str, Callable[[Annotation], st.Floats]]] = [
    ("BaT", lambda one: one.bat),
    ("PaT", lambda one: one.pat),
    ("BaT - PaT", lambda one: one.bat - one.pat),
]


# Pairs of models --------------------------------------------------------------------------------


def comparisons(
    scored: ModelScores, pairs: Sequence[Pair], *, resamples: int = 10_000, seed: int = 0
) -> Table:
    """The first of each pair less the second, over all sets, a metric a row (Tables 7 and 8).

    p is that of a paired t-test, also with Bonferroni's correction over the metrics; the interval
    of the mean is a percentile bootstrap over pairs and sets.

    Raises:
        ValueError: if a pair is there twice or is one model, no set has both models of a pair, or
            there is no metric.
    """
    for i, (one, other) in enumerate(pairs):
        if one == other:
            raise ValueError(f"pair {one},{other}: a model cannot be compared with itself")
        if {one, other} in [set(pair) for pair in pairs[:i]]:
            raise ValueError(f"pair {one},{other}: is given twice, its differences count once")
        for name in (one, other):
            if not any(name in models for models in scored.values()):
                known = sorted({model for models in scored.values() for model in models})
                raise ValueError(f"no scores of {name!r}; there are those of {', '.join(known)}")
    every = [scores for models in scored.values() for scores in models.values()]
    metrics = list(dict.fromkeys(metric for scores in every for metric in scores))
    rows: list[Row] = []
    tests: list[st.Statistic | None] = []
    for metric in metrics:
        both = [
            (models[one][metric], models[other][metric])
            for models in scored.values()
            for one, other in pairs
            if metric in models.get(one, {}) and metric in models.get(other, {})
        ]
        if not both:
            continue
        differences = [round(a - b, 12) for a, b in both]  # 0.3 - 0.2 ties with 0.2 - 0.1
        row: Row = {
            "metric": metric,
            "n": len(both),
            "wins": sum(d > 0 for d in differences),
            "loses": sum(d < 0 for d in differences),
            "ties": sum(d == 0 for d in differences),
            "median": median(differences),
            "sd": stdev(differences) if len(both) > 1 else None,
        }
        interval = st.bootstrap(differences, fmean, resamples=resamples, seed=seed)
        row |= estimate("mean", fmean(differences), interval if len(both) > 1 else None)
        test = attempt(st.paired_t, differences, [0.0] * len(both))
        rows.append(row | {"p": test and test.p})
        tests.append(test)
    if not rows:
        raise ValueError("no set has a score of both models of a pair")
    for row, test in zip(rows, tests, strict=True):
        row["p_corrected"] = test and min(1.0, len(rows) * test.p)
    columns = [
        Column("metric", "metric", left=True),
        *(Column(key, key) for key in ("n", "wins", "loses", "ties")),
        Column("mean", "mean", "{:.3f}"),
        Column("median", "median", "{:.3f}"),
        Column("sd", "SD", "{:.3f}"),
        Column("p", "p (paired t)", "{:.2g}"),
        Column("p_corrected", "Bonferroni", "{:.2g}"),
    ]
    title = "First model of each pair less the second (SDA Tables 7, 8); 95%: bootstrap"
    return Table("comparisons", title, columns, rows)


def parse_pair(text: str) -> Pair:
    """Two models from "FIRST,SECOND".

    Raises:
        ValueError: if there are not two.
    """
    one, _, other = (part.strip() for part in text.partition(","))
    if not one or not other or "," in other:
        raise ValueError(f"pair {text!r}: write FIRST,SECOND, two names of models")
    return one, other


def read_scores(path: str | Path) -> dict[str, dict[str, dict[str, float]]]:
    """Scores of models from a CSV file with the columns set, model and one a metric.

    A cell that is empty, or "-", is no score.

    Raises:
        ValueError: if the file is not CSV in UTF-8, a column is missing or there twice, a score is
            no number, or a row comes twice; names it.
    """
    try:
        with open(path, encoding="utf-8-sig", newline="") as file:
            return _scored(csv.DictReader(file, strict=True), path)
    except UnicodeDecodeError as error:
        byte = error.object[error.start]
        raise ValueError(f"{path}: byte 0x{byte:02x} is not UTF-8: save it as UTF-8") from None
    except csv.Error as error:
        raise ValueError(f"{path} is not CSV: {error}") from None


def _scored(
    reader: csv.DictReader[str], path: str | Path
) -> dict[str, dict[str, dict[str, float]]]:
    scored: dict[str, dict[str, dict[str, float]]] = {}
    names = reader.fieldnames = [name.strip() for name in reader.fieldnames or ()]
    missing = [name for name in ("set", "model") if name not in names]
    if missing:
        there = f"there are {', '.join(names)}{separated(names)}"
        raise ValueError(f"{path}: no column {missing[0]!r}; {there}")
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise ValueError(f"{path}: two columns are called {twice!r}; keep one of them")
    for cells in reader:
        place = f"{path}, line {reader.line_num}"
        if None in cells or None in cells.values():
            raise ValueError(f"{place}: not the {len(names)} fields of the header")
        models = scored.setdefault(cells.pop("set"), {})
        model = cells.pop("model")
        if model in models:
            raise ValueError(f"{place}: a second row of {model!r} in its set")
        models[model] = dict(_numbers(cells, place))
    return scored


def _numbers(cells: Mapping[str, str], place: str) -> Iterator[tuple[str, float]]:
    for name, cell in cells.items():
        if cell.strip() in ("", "-"):
            continue
        try:
            number = float(cell)
        except ValueError:
            number = np.nan
        if not np.isfinite(number):
            raise ValueError(f"{place}, {name}: {cell!r} is not a number")
        yield name, number


# Within -----------------------------------------------------------------------------------------


def _by_dialogue(people: Sequence[Annotation]) -> dict[str, dict[str, Annotation]]:
    check_once((one.dialogue, one.annotator) for one in people)
    groups: dict[str, dict[str, Annotation]] = {}
    for one in people:
        groups.setdefault(one.dialogue, {})[one.annotator] = one
    return groups


def _same_turns(one: Annotation, other: Annotation) -> None:
    said = [[(turn.question, turn.answer) for turn in each.turns] for each in (one, other)]
    if said[0] == said[1]:
        return
    names = f"{one.annotator!r} and {other.annotator!r}"
    if len(said[0]) != len(said[1]):
        raise ValueError(
            f"{names} labelled {len(said[0])} and {len(said[1])} turns of {one.dialogue!r}: "
            "they must be the same turns"
        )
    turn = next(i for i, (a, b) in enumerate(zip(*said, strict=True), 1) if a != b)
    raise ValueError(f"{names} have different words in turn {turn} of {one.dialogue!r}")


def _turns(coders: Sequence[Annotation]) -> list[tuple[Turn, ...]]:
    return [one.turns for one in coders]


def _codings(coders: Sequence[Annotation], label: str) -> list[list[str | bool]]:
    return [[getattr(turn, label) for turn in one.turns] for one in coders]


def _found(truth: Annotation, found: Annotation) -> float | None:
    return st.true_positive_rate(*([turn.const for turn in one.turns] for one in (truth, found)))


def _rho(x: st.Floats, y: st.Floats) -> float:
    return st.spearman(rankable(x), rankable(y)).value


def _mean(values: Iterator[float | None]) -> float | None:
    return mean(value for value in values if value is not None)
