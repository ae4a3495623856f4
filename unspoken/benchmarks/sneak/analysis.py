"""The tables of a run of the benchmark: Tables 2 and 10 of the paper, and its sections 4 and E.

All metrics are shares, 0 to 1, written in percent. A message that the rules refuse, or in which
there is none to read, reaches nobody: it is worth 0 in every metric and is counted apart. Where a
speaker or an evaluator failed there is nothing to count. Intervals are percentiles of a bootstrap
that draws whole categories.
"""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unspoken.benchmarks import statistics as st
from unspoken.benchmarks.estimates import Row, attempt
from unspoken.benchmarks.figures import Figure, compare
from unspoken.benchmarks.sneak.relations import RELATIONS, relation
from unspoken.benchmarks.sneak.results import METRICS, Clusters, Results, averaged, estimates
from unspoken.benchmarks.sneak.store import UNPARSABLE, VOID
from unspoken.benchmarks.tables import PERCENT, Column, Table
from unspoken.envs.sneak.instances import Category
from unspoken.lexicon.senses import clustering, senses_for

REFERENCE = {
    "random": "Random word",
    "category": "Category-Synonym",
    "synonym": "Secret-Synonym",
}
"""The kinds of speaker that are the paper's reference baselines, and their names in Table 2."""

HEADINGS = dict(zip(METRICS, ("utility", "leakage", "SoftScore", "BinaryScore"), strict=True))
COLUMNS = tuple(Column(key, heading, PERCENT) for key, heading in HEADINGS.items())
_SPEAKER = Column("speaker", "speaker", left=True)
_SAME = 1e-9
_R, _P = "{:+.2f}", "{:.2g}"


@cache
def published() -> dict[str, Any]:
    """The figures that the paper prints."""
    path = files("unspoken.data").joinpath("sneak", "published.toml")
    return tomllib.loads(path.read_text(encoding="utf-8"))


def kind_of(spec: str) -> str:
    """What a spec names apart from its options: "openai:gpt-5" of "openai:gpt-5?method=cot"."""
    return spec.partition("?")[0]


def run_tables(results: Results) -> list[Table]:
    """What a run's report shows."""
    tables = [leaderboard(results)]
    if len(results.evaluators) > 1:
        tables.append(by_evaluator(results))
    if any(kind_of(speaker) in REFERENCE for speaker in results.speakers):
        tables += beside_paper(results)
    if any(m.fault and m.fault not in (VOID, UNPARSABLE) for m in results.messages):
        tables.append(refusals(results))
    tables += [by_kind(results), by_relation(results)]
    if any(kind_of(e) in map(kind_of, results.speakers) for e in results.evaluators):
        tables.append(self_bias(results))
    return tables


def more_tables(results: Results) -> list[Table]:
    """What takes the extra "stats": robustness of the evaluators (4.1), categories (4.2)."""
    tables = [by_category(results), similarity(results)]
    if len(results.evaluators) > 1:
        tables = [*robustness(averaged(results.values, over=2), results.evaluators), *tables]
    return tables


def leaderboard(results: Results) -> Table:
    """Table 2: the four metrics, averaged over the evaluators, speakers ranked by SoftScore."""
    means, samples = _clusters(results).means(results.values)
    faults = {name: Counter[str]() for name in results.speakers}
    for message in results.messages:
        faults[message.speaker][message.fault] += 1
    rows: list[Row] = []
    for s, name in enumerate(results.speakers):
        counts = faults[name]
        void, unparsable, fine = counts[VOID], counts[UNPARSABLE], counts[""]
        rows.append(
            {
                "speaker": name,
                **_over_evaluators(means[s], samples[:, s]),
                "messages": counts.total(),
                "refused": counts.total() - void - unparsable - fine,
                "unparsable": unparsable,
                "void": void,
                "unevaluated": _unevaluated(results, name),
            }
        )
    rows.sort(key=lambda row: -(row["soft"] if isinstance(row["soft"], float) else -1.0))
    counted = ("messages", "refused", "unparsable", "void", "unevaluated")
    columns = [_SPEAKER, *COLUMNS, *(Column(key, key) for key in counted)]
    n = len(results.evaluators)
    by = f"averaged over {n} evaluators" if n > 1 else "one evaluator"
    title = (
        f"Means over instances, {by} (SNEAK Table 2);"
        " refused and unparsable count as 0; 95%: bootstrap over categories"
    )
    return Table("scores", title, columns, rows)


def by_evaluator(results: Results) -> Table:
    """Table 10: the same by each evaluator."""
    means, samples = _clusters(results).means(results.values)
    rows: list[Row] = [
        {"speaker": name, "evaluator": evaluator, **estimates(means[s, e], samples[:, s, e])}
        for s, name in enumerate(results.speakers)
        for e, evaluator in enumerate(results.evaluators)
    ]
    columns = [_SPEAKER, Column("evaluator", "evaluator", left=True), *COLUMNS]
    title = "The same by evaluator (SNEAK Table 10); 95%: bootstrap over categories"
    return Table("evaluators", title, columns, rows)


def beside_paper(results: Results) -> list[Table]:
    """The reference baselines beside the paper's, and whether they come in the same order."""
    paper = {name: np.array(row, dtype=float) / 100 for name, row in published()["table_2"].items()}
    means = averaged(_clusters(results).means(results.values)[0], over=1)
    ours: dict[str, st.Floats] = {}
    rows: list[Row] = []
    for s, name in enumerate(results.speakers):
        theirs = REFERENCE.get(kind_of(name))
        if theirs is None:
            continue
        ours.setdefault(theirs, means[s])
        for k, key in enumerate(METRICS):
            value = None if np.isnan(means[s, k]) else float(means[s, k])
            rows.append(
                {
                    "speaker": name,
                    "row": theirs,
                    "metric": HEADINGS[key],
                    "ours": value,
                    "paper": float(paper[theirs][k]),
                    "distance": None if value is None else value - float(paper[theirs][k]),
                }
            )
    columns = [
        _SPEAKER,
        Column("row", "in the paper", left=True),
        Column("metric", "metric", left=True),
        Column("ours", "ours", PERCENT),
        Column("paper", "paper", PERCENT),
        Column("distance", "distance", "{:+.1%}"),
    ]
    title = (
        "Reference baselines beside SNEAK Table 2, whose words, decoys and evaluators are others; "
        "distance in points"
    )
    tables = [Table("paper", title, columns, rows)]
    if len(ours) == len(REFERENCE):
        figures = [
            Figure(
                "Table 2",
                f"by {HEADINGS[key]}",
                _order(paper, k),
                _order(ours, k),
                _turned(paper, ours, k),
            )
            for k, key in enumerate(METRICS)
        ]
        tables.append(compare("order", "Order of the reference baselines, lowest first", figures))
    return tables


def _order(means: dict[str, st.Floats], k: int) -> str:
    kinds = sorted(REFERENCE, key=lambda kind: float(means[REFERENCE[kind]][k]))
    return " < ".join(kinds)


def _turned(paper: dict[str, st.Floats], ours: dict[str, st.Floats], k: int) -> str:
    """How far apart those are that come the other way round."""
    told = []
    for (first, a), (second, b) in combinations(REFERENCE.items(), 2):
        theirs, own = (100 * float(means[a][k] - means[b][k]) for means in (paper, ours))
        if theirs * own <= 0:
            told.append(
                f"{first} less {second}: {theirs:+.1f} points in the paper, {own:+.1f} here"
            )
    return "; ".join(told)


def refusals(results: Results) -> Table:
    """How often each rule refused a message."""
    refused = [m for m in results.messages if m.fault and m.fault not in (VOID, UNPARSABLE)]
    counts = Counter((m.speaker, m.fault) for m in refused)
    rules = sorted({message.fault for message in refused})
    rows: list[Row] = [
        {"speaker": name, **{rule: counts[name, rule] for rule in rules}}
        for name in results.speakers
    ]
    columns = [_SPEAKER, *(Column(rule, rule) for rule in rules)]
    return Table("refusals", "Messages refused, by rule", columns, rows)


def by_kind(results: Results) -> Table:
    """Concrete and abstract categories apart (4.2), for all speakers together and for each."""
    kinds = np.array([instance.kind for instance in results.instances])
    groups = dict(zip(results.speakers, results.values, strict=True))
    if len(groups) > 1:
        groups = {"all": averaged(results.values, over=0), **groups}
    rows: list[Row] = []
    for name, values in groups.items():
        for kind in sorted(set(kinds.tolist())):
            clusters = _clusters(results, kinds == kind)
            means, samples = clusters.means(values[..., kinds == kind, :])
            row: Row = {"speaker": name, "kind": kind, "categories": clusters.n}
            rows.append(row | _over_evaluators(means, samples))
    columns = [
        _SPEAKER,
        Column("kind", "categories", left=True),
        Column("categories", "number"),
        *COLUMNS,
    ]
    title = "Concrete and abstract categories (SNEAK 4.2); 95%: bootstrap over categories"
    return Table("kinds", title, columns, rows)


def by_relation(results: Results) -> Table:
    """What a message is to the secret by WordNet, and what such messages are worth (E.3).

    Only messages that the rules allow; the paper's own classes, by people, are finer.
    """
    senses = {
        (category.name, word): sense
        for category in results.categories
        for word, sense in zip(
            category.words, senses_for(category.words, _nouns(category)), strict=True
        )
    }
    place = {instance.id: n for n, instance in enumerate(results.instances)}
    values = averaged(results.values, over=1)
    worth: dict[str, list[st.Floats]] = {name: [] for name in RELATIONS}
    for message in results.messages:
        if message.fault:
            continue
        n = place[message.instance]
        instance = results.instances[n]
        meant = senses[instance.category, instance.secret]
        name = relation(message.message, instance.secret, meant)
        worth[name].append(values[results.speakers.index(message.speaker), n])
    rows: list[Row] = []
    for name, found in worth.items():
        known = [four for four in found if not np.isnan(four).any()]
        if known:
            means = dict(zip(METRICS, np.mean(known, axis=0).tolist(), strict=True))
            rows.append({"relation": name, "messages": len(known), **means})
    columns = [
        Column("relation", "the message is", left=True),
        Column("messages", "messages"),
        *COLUMNS,
    ]
    title = "Relation of message and secret in WordNet, all speakers (after SNEAK E.3)"
    return Table("relations", title, columns, rows)


def self_bias(results: Results) -> Table:
    """Evaluators that are also speakers: their own messages and others' (E.2).

    An evaluator and a speaker are the same if their specs are, apart from options. The others are
    all speakers but the reference baselines. Since own messages may really be better or worse, the
    difference that the other evaluators see between the same messages is set beside it.
    """
    means = _clusters(results).means(results.values)[0]
    kinds = np.array([kind_of(name) for name in results.speakers])
    rivals = ~np.isin(kinds, list(REFERENCE))
    rows: list[Row] = []
    for e, evaluator in enumerate(results.evaluators):
        own = kinds == kind_of(evaluator)
        if not own.any():
            continue
        seen = _difference(means[:, e], own, rivals)
        rest = np.delete(means, e, axis=1)
        elsewhere = _difference(averaged(rest, over=1), own, rivals) if rest.size else None
        for k, key in enumerate(METRICS):
            row: Row = {"evaluator": evaluator, "metric": HEADINGS[key]}
            row |= zip(("self", "others", "difference"), (_cell(x) for x in seen[k]), strict=True)
            row["elsewhere"] = None if elsewhere is None else _cell(elsewhere[k, 2])
            rows.append(row)
    columns = [
        Column("evaluator", "evaluator", left=True),
        Column("metric", "metric", left=True),
        Column("self", "own messages", PERCENT),
        Column("others", "others'", PERCENT),
        Column("difference", "difference", "{:+.1%}"),
        Column("elsewhere", "the same by other evaluators", "{:+.1%}"),
    ]
    return Table("self_bias", "Evaluators on their own messages (SNEAK E.2)", columns, rows)


def _difference(means: st.Floats, own: NDArray[np.bool_], rivals: NDArray[np.bool_]) -> st.Floats:
    """Means of own messages, of others' and their difference, [4, 3]."""
    mine, theirs = (averaged(means[who], over=0) for who in (own, rivals & ~own))
    return np.stack([mine, theirs, mine - theirs], axis=1)


def robustness(means: st.Floats, evaluators: Sequence[str]) -> list[Table]:
    """How far evaluators agree (4.1): spread of their means, and rank correlation of speakers.

    Args:
        means: [speakers, evaluators, 4].
        evaluators: their names, at least two.
    """
    spread = np.nanmean(means.std(axis=1, ddof=1), axis=0)
    title = "Sample deviation over evaluators, averaged over speakers (SNEAK 4.1)"
    deviation = Table(
        "deviation", title, COLUMNS, [dict(zip(METRICS, spread.tolist(), strict=True))]
    )
    rows: list[Row] = []
    for (i, first), (j, second) in combinations(enumerate(evaluators), 2):
        row: Row = {"first": first, "second": second, "speakers": len(means)}
        for k, key in enumerate(METRICS):
            known = ~np.isnan(means[:, [i, j], k]).any(axis=1)
            pair = means[known, i, k].tolist(), means[known, j, k].tolist()
            rho = attempt(st.spearman, *pair)
            row[key] = rho and rho.value
        rows.append(row)
    columns = [
        Column("first", "evaluators", left=True),
        Column("second", "", left=True),
        Column("speakers", "speakers"),
        *(Column(key, heading, "{:.3f}") for key, heading in HEADINGS.items()),
    ]
    title = "Spearman's rho of the speakers' means between evaluators (SNEAK 4.1)"
    return [deviation, Table("rank_correlation", title, columns, rows)]


def by_category(results: Results) -> Table:
    """Every category: how similar its words are, and means over instances and speakers."""
    names, similar, values = _categories(results)
    together = averaged(values, over=0)
    rows: list[Row] = [
        {
            "category": name,
            "kind": kind,
            "similarity": _cell(similar[c]),
            **{key: _cell(together[c, k]) for k, key in enumerate(METRICS)},
        }
        for c, (name, kind) in enumerate(names)
    ]
    rows.sort(key=lambda row: str(row["category"]))
    columns = [
        Column("category", "category", left=True),
        Column("kind", "kind", left=True),
        Column("similarity", "similarity", "{:.3f}"),
        *COLUMNS,
    ]
    return Table("categories", "By category, all speakers together", columns, rows)


def similarity(results: Results) -> Table:
    """Pearson's r of the words' WordNet similarity with the metrics, over categories (4.2)."""
    names, similar, values = _categories(results)
    kinds = np.array([kind for _, kind in names])
    groups = {"all": averaged(values, over=0), **dict(zip(results.speakers, values, strict=True))}
    rows: list[Row] = []
    for name, of_speaker in groups.items():
        for kind in ("all", "concrete", "abstract"):
            taken = (kinds == kind) | (kind == "all")
            row: Row = {"speaker": name, "kind": kind}
            for k, key in enumerate(METRICS):
                known = taken & ~np.isnan(similar) & ~np.isnan(of_speaker[:, k])
                row["categories"] = int(known.sum())
                r = _pearson(similar[known], of_speaker[known, k])
                row[key], row[f"{key}_p"] = r and r.value, r and r.p
            rows.append(row)
    columns = [_SPEAKER, Column("kind", "categories", left=True), Column("categories", "number")]
    for key, heading in HEADINGS.items():
        columns += [Column(key, heading, _R), Column(f"{key}_p", "p", _P)]
    title = (
        "Pearson's r of the average Wu-Palmer similarity of a category's words with its mean "
        "metrics (SNEAK 4.2)"
    )
    return Table("clustering", title, columns, rows)


# Within -----------------------------------------------------------------------------------------


def _clusters(results: Results, kept: NDArray[np.bool_] | None = None) -> Clusters:
    categories = np.array([instance.category for instance in results.instances])
    return Clusters(list(categories if kept is None else categories[kept]))


def _over_evaluators(means: st.Floats, samples: st.Floats) -> Row:
    return estimates(averaged(means, over=0), averaged(samples, over=1))


def _categories(results: Results) -> tuple[list[tuple[str, str]], st.Floats, st.Floats]:
    """Name and kind, similarity of the words, and means [speakers, categories, 4] of categories."""
    values = averaged(results.values, over=1)
    in_use = [c for c in results.categories if any(i.category == c.name for i in results.instances)]
    similar = [attempt(clustering, c.words, _nouns(c)) for c in in_use]
    means = [
        averaged(values[:, [i.category == c.name for i in results.instances]], over=1)
        for c in in_use
    ]
    known = np.array([np.nan if x is None else x for x in similar])
    return [(c.name, c.kind) for c in in_use], known, np.stack(means, axis=1)


def _pearson(x: st.Floats, y: st.Floats) -> st.Statistic | None:
    """Pearson's r; None where it has none, as of values that differ by rounding errors only."""
    if any(len(values) < 3 or np.ptp(values) < _SAME for values in (x, y)):
        return None
    return st.pearson(x.tolist(), y.tolist())


def _nouns(category: Category) -> Sequence[str]:
    """The WordNet nouns that say which senses a category's words have."""
    return category.wordnet or (category.name,)


def _unevaluated(results: Results, speaker: str) -> int:
    """Evaluations of a speaker's messages that failed."""
    own = (message for message in results.messages if message.speaker == speaker)
    return sum(bool(e.reason) for message in own for e in message.evaluations.values())


def _cell(value: Any) -> float | None:
    return None if np.isnan(value) else float(value)
