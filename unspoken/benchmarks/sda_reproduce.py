"""The SDA paper checked against its published annotations and against itself.

What follows from annotations is computed twice: from the BaT and PaT columns that were published
with them, and from the labels by the paper's equations; regressions once more with weights that the
paper does not state, which give its Table 3. The rest follows from figures that the paper prints
(`data/sda/published.toml`) and stands in a column of its own. A figure agrees when ours rounds to
the printed digits; no formula is bent to make one agree. The annotations are not part of the
package; those by models may lie beside those by people, or be left out.
"""

from __future__ import annotations

import csv
import os
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.resources import files
from itertools import product
from math import sqrt
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np

from unspoken.benchmarks import sda
from unspoken.benchmarks import statistics as st
from unspoken.benchmarks.figures import Figure, agrees
from unspoken.benchmarks.tables import Cell, Column, Table
from unspoken.evaluator.sda_reference import Variant, Weights, standardised
from unspoken.judges.sda.scorer import scores
from unspoken.judges.sda.transcripts import Dialogue, TranscriptError, Turn, read

VARIABLE = "UNSPOKEN_CPD"
SOURCE = "github.com/asherz720/SDA-Strategic-Dialogue-Assessment"
SHARED, CONTROL = "WMT_D_annotations", "control_human_annotated"
"""The examination that three people annotated, and the direct one."""
FILES = (
    SHARED,
    "WMT_P_annotations",
    CONTROL,
    *(f"enron_defense_{i}" for i in (1, 2)),
    *(f"enron_prosecution_{i}" for i in (1, 2, 3)),
    *(f"simpson_defense_{i}" for i in (5, 6, 7, 8)),
    *(f"simpson_prosecution_{i}" for i in (8, 9, 12)),
)

HALVES = "weights 0.5"
PRINTED = "printed"
COLUMNS = ("published", "equations", HALVES, PRINTED)
"""What a figure can be recomputed from: the published columns, the labels by the equations, the
labels as the columns were made but with weights of 0.5 for relevance, manner and quality, and the
paper's other figures."""

_Ours = float | str | None
_WAYS: tuple[Variant, Variant] = ("published", "equations")
_FITS = (*_WAYS, HALVES)

_ABSENT = f"not in the folder; model_annotations of {SOURCE} has it"
_SIGNS = (
    "by the magnitudes of Table 6: its minus signs are mostly noise of the typesetting (people's "
    "BaT is -0.65 there, 0.65 in Table 2), but some must be real"
)
_FIT = (
    "the paper states weights 0.4, 0.4, 0.2 for relevance, manner, quality, and its published "
    "columns and Table 2 have them; Table 3 was evidently fitted with 0.5 each, the scores made as "
    "the columns are. Also tried, and not it: 0.5, 0.5, 0.2; 0.5, 0.5, 0; 0.4, 0.4, 0.4; 1/3 each; "
    "1 each; all of these by the equations"
)
_CONST = "by the equations eight inconsistent answers cost 7 to 10 each, and move its β"
_ENDS = "with 0.5 the profile likelihood gives three of the four printed ends; Wald's are"
_BOOTSTRAP = (
    "with weights 0.5 the rest of Table 3 agrees, but for the last digits of AIC and of an end of "
    "PaT's interval; the paper does not say how it resampled, and the "
    "ends move by some hundredths from seed to seed"
)
_TEST = "the paper does not say what was tested"


@dataclass(frozen=True)
class Row:
    """A figure of the paper, recomputed in one or more ways.

    Attributes:
        where: table or section.
        what: what it says.
        printed: as the paper prints it.
        ours: what comes out, a value each of `ways`; None where it cannot be computed.
        why: what is known of a figure that differs or cannot be recomputed.
        ways: of COLUMNS: what it comes from. The published columns and the equations give the same
            where only labels play a part.
    """

    where: str
    what: str
    printed: str
    ours: Sequence[_Ours]
    why: str = ""
    ways: Sequence[str] = _WAYS

    @property
    def verdict(self) -> str:
        """Whether the figure follows.

        "agrees"; "agrees with weights 0.5" where those give it and not every way does; otherwise
        "published only", "equations only" or "published and equations only"; "differs"; or "not
        recomputable".
        """
        verdicts = {figure.verdict for figure in self._figures().values()}
        if len(verdicts) == 1:
            return verdicts.pop()
        giving = [way for way, figure in self._figures().items() if figure.verdict == "agrees"]
        return f"agrees with {HALVES}" if HALVES in giving else f"{' and '.join(giving)} only"

    def row(self) -> dict[str, Cell]:
        """For the table; "…_value" is ours before rounding."""
        row: dict[str, Cell] = {"where": self.where, "what": self.what, "paper": self.printed}
        for way, figure in self._figures().items():
            row |= {way: figure.shown, f"{way}_value": figure.ours}
        agrees = self.verdict == "agrees"
        return row | {"verdict": self.verdict, "why": None if agrees else self.why}

    def _figures(self) -> dict[str, Figure]:
        return {
            way: Figure(self.where, self.what, self.printed, value)
            for way, value in zip(self.ways, self.ours, strict=True)
        }


def reproduce(folder: str | Path | None = None, *, resamples: int = 1000, seed: int = 0) -> Table:
    """Every figure of the paper that its annotations or its own figures decide, one a row.

    Args:
        folder: where the published annotations by people are; the environment's UNSPOKEN_CPD if
            None. Those by models are taken from `model_annotations` in it or beside it.
        resamples: of the bootstrap of Table 3; the paper's number by default.
        seed: of every bootstrap.

    Raises:
        ValueError: if there is no folder, or a file is wrong.
        FileNotFoundError: if a file is missing; both say where they come from.
    """
    title = (
        "SDA, recomputed from its published columns, by its equations, with weights of 0.5 "
        "(regressions), or from its other printed figures"
    )
    columns = [
        Column(name, name, left=name not in ("paper", *COLUMNS))
        for name in ("where", "what", "paper", *COLUMNS, "verdict", "why")
    ]
    rows = figures(folder, resamples=resamples, seed=seed)
    return Table("reproduce_sda", title, columns, [row.row() for row in rows])


def figures(folder: str | Path | None = None, *, resamples: int = 1000, seed: int = 0) -> list[Row]:
    """The rows of `reproduce`, by subject; arguments and errors as there."""
    text = (files("unspoken.data") / "sda" / "published.toml").read_text(encoding="utf-8")
    p = tomllib.loads(text)
    corpus = load(folder)
    models = load_models(p, corpus, folder)
    parts = (
        _columns(corpus),
        _counts(p, corpus),
        _agreement(p, corpus),
        _regression(p, corpus, resamples, seed),
        _reasons(p, corpus),
        _kinds(corpus),
        _advantage(corpus),
        _models(p, corpus, models),
        _compared(p, models, seed),
        _example(p),
    )
    return [row for part in parts for row in part]


# Annotations ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Corpus:
    """The published annotations.

    Attributes:
        dialogues: of all files, in order.
        ways: the same with scores, by how these were made: "published" or "equations".
        columns: published bat, pat, NRBaT and NRA, float64 [N, 4], of each of `dialogues`.
    """

    dialogues: tuple[Dialogue, ...]
    ways: Mapping[str, Sequence[sda.Annotation]]
    columns: Sequence[st.Floats]

    def fitted(self) -> dict[str, list[sda.Annotation]]:
        """The shared examination, whose outcomes the paper fits, by way and with weights of 0.5."""
        own = [dialogue for dialogue in self.dialogues if dialogue.id == SHARED]
        halves = Weights(rel=0.5, man=0.5, qual=0.5)
        return self.of(SHARED) | {HALVES: sda.annotate(own, halves, "published")}

    def of(self, *names: str) -> dict[str, list[sda.Annotation]]:
        """The annotations of these files, by way."""
        return {
            way: [one for one in every if one.dialogue in names] for way, every in self.ways.items()
        }


def load(folder: str | Path | None = None) -> Corpus:
    """The published annotations of a folder; arguments and errors as of `reproduce`."""
    given = _folder(folder)
    paths = [given / f"{name}.csv" for name in FILES]
    missing = [path.name for path in paths if not path.exists()]
    if missing:
        raise FileNotFoundError(
            f"{given} lacks {', '.join(missing)}, of the annotations that {SOURCE} publishes"
        )
    dialogues: list[Dialogue] = []
    columns: list[st.Floats] = []
    for path in paths:
        own = [replace(dialogue, id=path.stem) for dialogue in read(path)]
        dialogues += own
        columns += [_read_columns(path, _SCORES, dialogue.annotator) for dialogue in own]
    equations = sda.annotate(dialogues)
    published = [
        replace(one, bat=bat, pat=pat, nrbat=_nrbat(bat, pat))
        for one, (bat, pat, *_) in zip(equations, (c.T for c in columns), strict=True)
    ]
    return Corpus(tuple(dialogues), dict(zip(_WAYS, (published, equations), strict=True)), columns)


def _folder(folder: str | Path | None) -> Path:
    given = folder or os.environ.get(VARIABLE)
    if not given:
        raise ValueError(
            f"the annotations published with the SDA paper are needed: {SOURCE} has them; give "
            f"their folder, or set {VARIABLE}"
        )
    return Path(given)


def _read_columns(path: Path, names: Sequence[str], annotator: str | None = None) -> st.Floats:
    try:
        with open(path, encoding="utf-8-sig", newline="") as file:
            return np.array(
                [
                    [float(row[name]) for name in names]
                    for row in csv.DictReader(file)
                    if annotator is None or row["annotator"] == annotator
                ]
            )
    except (KeyError, ValueError) as error:
        raise ValueError(f"{path} lacks the scores {', '.join(names)}: {error}") from None


def _nrbat(bat: st.Floats, pat: st.Floats) -> st.Floats:
    return standardised(bat.cumsum()) - standardised(pat.cumsum())


# Annotations by models --------------------------------------------------------------------------


_Scored = dict[str, dict[str, dict[str, dict[str, float]]]]
"""Agreement with people by way, block of Table 6, model and metric."""


@dataclass(frozen=True)
class Models:
    """What models made of the examinations that people annotated.

    Attributes:
        agreement: with people, over all turns of a set together.
        apart: the same, as the mean over the examinations of a set.
        areas: AUC of the outcomes that a model gives the shared examination, by model.
        folders: how many a model has for a set, of those that Table 6 needs.
        problems: why some of them could not be used, one each.
    """

    agreement: _Scored
    apart: _Scored
    areas: Mapping[str, float]
    folders: int
    problems: Sequence[str]


def load_models(
    p: dict[str, Any], corpus: Corpus, folder: str | Path | None = None
) -> Models | None:
    """The annotations by models of a folder, or of `model_annotations` beside it; None without.

    A set of a model is left out if one of its files is missing or wrong.

    Args:
        p: the published figures.
        corpus: the annotations by people.
        folder: as of `reproduce`.
    """
    given = _folder(folder).resolve()
    roots = [above / "model_annotations" for above in (given, given.parent)]
    root = next((root for root in roots if root.is_dir()), None)
    if root is None:
        return None
    agreement: _Scored = {way: {} for way in _WAYS}
    apart: _Scored = {way: {} for way in _WAYS}
    areas: dict[str, float] = {}
    problems: list[str] = []
    folders = 0
    for block, (name, ids) in zip(p["table_6"], _SETS.items(), strict=True):
        for label, model in zip(_labels(p), _MODELS, strict=True):
            paths = {one: root / name / model / f"{_WITNESSES.get(one, one)}.csv" for one in ids}
            if not any(path.exists() for path in paths.values()):
                continue
            folders += 1
            try:
                pairs = [_pair(path, corpus.of(one)) for one, path in paths.items()]
            except (OSError, ValueError) as error:
                problems.append(" ".join(str(error).split()))
                continue
            for way in _WAYS:
                own, people = _pooled([pair[way] for pair in pairs])
                agreement[way].setdefault(block, {})[label] = _agrees(own, people)
                each = [_agrees(*pair[way]) for pair in pairs]
                apart[way].setdefault(block, {})[label] = {
                    metric: fmean(values[metric] for values in each if metric in values)
                    for metric in set().union(*each)
                }
            if name == "WMT_D":
                areas[label] = _area(own, people)
    return Models(agreement, apart, areas, folders, problems)


_Pair = tuple[sda.Annotation, Sequence[sda.Annotation]]
"""What a model made of an examination, and what people did."""


def _pair(path: Path, people: Mapping[str, Sequence[sda.Annotation]]) -> dict[str, _Pair]:
    """A model's file and people's, by way, with the turns that both have in people's order.

    Turns belong together by their question: some files have them in another order.
    """
    own, *others = read(path)
    if others:
        raise TranscriptError(path, why=f"holds {len(others) + 1} examinations instead of one")
    name, theirs = people["equations"][0].dialogue, people["equations"][0].turns
    place = {key: i for i, key in enumerate(_questions(own.turns))}
    both = [(i, place[key]) for i, key in enumerate(_questions(theirs)) if key in place]
    if len(both) < 2:
        raise TranscriptError(path, why=f"has {len(both)} questions that people annotated")
    kept, order = map(list, zip(*both, strict=True))
    turns = tuple(
        replace(own.turns[j], question=theirs[i].question, answer=theirs[i].answer) for i, j in both
    )
    bat, pat = _read_columns(path, _SCORES[:2]).T
    (equations,) = sda.annotate([replace(own, id=name, turns=turns)])
    published = replace(equations, bat=bat[order], pat=pat[order], nrbat=_nrbat(bat, pat)[order])
    return {
        way: (model, [_only(person, kept) for person in people[way]])
        for way, model in zip(_WAYS, (published, equations), strict=True)
    }


def _questions(turns: Sequence[Turn]) -> list[tuple[str, int]]:
    """What tells turns apart: the question, and how many before have the same."""
    texts = [" ".join(turn.question.split()) for turn in turns]
    return [(text, texts[:i].count(text)) for i, text in enumerate(texts)]


def _only(one: sda.Annotation, kept: list[int]) -> sda.Annotation:
    turns = tuple(one.turns[i] for i in kept)
    return replace(one, turns=turns, bat=one.bat[kept], pat=one.pat[kept], nrbat=one.nrbat[kept])


def _pooled(pairs: Sequence[_Pair]) -> _Pair:
    """All examinations of a set as one."""
    own, people = zip(*pairs, strict=True)
    return sda.joined(own), [sda.joined(parts) for parts in zip(*people, strict=True)]


def _agrees(own: sda.Annotation, people: Sequence[sda.Annotation]) -> dict[str, float]:
    """Table 6's metrics that are defined; where nobody is inconsistent, a rate is 0 there."""
    (row,) = sda.against_people([own], people).rows
    values = {**row, "const": row["const"] or 0.0}
    return {name: _number(values[key]) for name, key in _KEYS.items() if values[key] is not None}


def _area(own: sda.Annotation, people: Sequence[sda.Annotation]) -> float:
    """AUC of a model's outcomes, of every annotation by people."""
    both = [
        (mine.outcome == "witness", theirs.outcome == "witness")
        for person in people
        for mine, theirs in zip(own.turns, person.turns, strict=True)
        if mine.outcome and theirs.outcome
    ]
    return st.auc([mine for mine, _ in both], [theirs for _, theirs in both]).value


def _labels(p: dict[str, Any]) -> list[str]:
    """The models of Table 6 in its order, by the names of its first block."""
    first = next(iter(p["table_6"].values()))
    return [row[0] for row in first[1:]]


# The paper's sections ---------------------------------------------------------------------------


def _columns(corpus: Corpus) -> Iterator[Row]:
    """How many of the published scores follow from the published labels."""
    whys = (
        "the published BaT of a detrimental answer leaves out a violation of quality",
        "the published PaT of the shared examination leaves out inconsistency; one other file has "
        "it, which a variant for all files cannot",
        "the sums differ wherever a BaT or a PaT before does",
        "",
    )
    kept: dict[str, list[list[int]]] = {}
    for way in _WAYS:
        scored = scores(corpus.dialogues, variant=way)
        ours = np.stack([scored.bat, scored.pat, scored.nrbat, scored.nra], axis=1)
        gaps = np.abs(ours - np.concatenate(corpus.columns))
        kept[way] = (gaps <= 1e-9).tolist()
    total = len(kept["equations"])
    for i, what in enumerate(("BaT", "PaT", "NRBaT (net_ZNRBaT)", "NRA")):
        counts = [sum(row[i] for row in kept[way]) for way in _WAYS]
        yield Row("annotations", f"turns with our {what}", str(total), counts, whys[i])


def _counts(p: dict[str, Any], corpus: Corpus) -> Iterator[Row]:
    """Table 1, and what was annotated (section 5)."""
    table, text = p["table_1"], p["text"]
    for name, (defense, prosecution, total, share) in table.items():
        yield _printed("Table 1", f"{name}, pairs", total, defense + prosecution)
        yield _printed("Table 1", f"{name}, defense", share, defense / (defense + prosecution))
    yield _printed("2", "pairs", text["pairs"], sum(a + b for a, b, *_ in table.values()))
    cross = [dialogue for dialogue in corpus.dialogues if dialogue.id != CONTROL]
    n = sum(len(dialogue.turns) for dialogue in cross)
    once = {dialogue.id: len(dialogue.turns) for dialogue in cross}
    why = (
        f"“around 800”: annotations of turns in cross-examinations; {sum(once.values())} turns, "
        f"for three people have {once[SHARED]} of them in common"
    )
    yield _row("5", "annotated turns", text["turns"], n, why)
    why = "“around 150”; so many are published"
    yield _row("5", "turns of the shared examination", text["shared"], once[SHARED], why)


def _agreement(p: dict[str, Any], corpus: Corpus) -> Iterator[Row]:
    """Table 2."""
    shared = corpus.of(SHARED)
    values = {way: sda.measures(people) for way, people in shared.items()}
    people = shared["equations"]
    first, second = people[:2]
    found = [
        st.true_positive_rate(*([turn.const for turn in one.turns] for one in pair))
        for pair in ((first, second), (first, people[2]), (second, people[2]))
    ]
    rate = fmean(rate for rate in found if rate is not None)
    alike = sda.measures([first, second])["reasons"] or 0.0
    whys = {
        "nrbat": "the sums of PaT differ, where answers are inconsistent",
        "bat": "published BaT leaves out quality in some detrimental answers",
        "qual": "cut off in the paper, where others are rounded",
        "const": f"both ways round; {rate:.0%} if only the earlier of each pair is the truth",
        "reasons": f"mean over the pairs of three people; {alike:.2f} is that of "
        f"{first.annotator} and {second.annotator}",
        "same_reasons": "share of the turns to which all three give the same reasons",
    }
    for key, (name, statistic) in sda.MEASURES.items():
        ours = [values[way][key] for way in _WAYS]
        yield Row("Table 2", f"{name}, {statistic}", p["table_2"][key], ours, whys.get(key, ""))


def _regression(p: dict[str, Any], corpus: Corpus, resamples: int, seed: int) -> Iterator[Row]:
    """Section 7.1, Table 3."""
    people = corpus.fitted()
    tables = {way: sda.outcomes(people[way], resamples=resamples, seed=seed) for way in _FITS}
    ends = {way: st.profile(*sda.predictors(people[way])) for way in _FITS}
    printed = p["table_3"]
    keys = (
        "beta",
        "error",
        "odds",
        "beta_low",
        "beta_high",
        "p",
        "bootstrap_low",
        "bootstrap_high",
    )
    names = (
        "β",
        "SE",
        "odds ratio",
        "β, low end (profile likelihood)",
        "β, high end (profile likelihood)",
        "p",
        "bootstrap, low end",
        "bootstrap, high end",
    )
    for i, predictor in enumerate(("BaT", "PaT"), start=1):
        for key, name, figure in zip(keys, names, printed[predictor], strict=True):
            fits = [tables[way][0].rows[i] for way in _FITS]
            ours = [_number(row.get(key)) for row in fits]
            why = f"{_FIT}; {_CONST}" if predictor == "PaT" else _FIT
            if key in ("beta_low", "beta_high"):
                why += f"; {_ENDS} {', '.join(f'{x:.3f}' for x in ours)}"
                ours = [ends[way][i][key == "beta_high"] for way in _FITS]
            elif key.startswith("bootstrap"):
                why = _BOOTSTRAP
            yield Row("Table 3", f"{predictor}, {name}", figure, ours, why, _FITS)
    fit = {way: tables[way][1].rows[0] for way in _FITS}
    for key, name in (
        ("aic", "AIC"),
        ("null_aic", "AIC of the intercept alone"),
        ("tjur", "Tjur's R²"),
        ("accuracy", "accuracy"),
    ):
        ours = [_number(fit[way][key]) for way in _FITS]
        yield Row("Table 3", name, printed["fit"][key], ours, _FIT, _FITS)
    for key, name, figure in zip(
        ("auc", "auc_low", "auc_high", "p_auc"),
        ("AUC", "AUC, low end (DeLong)", "AUC, high end (DeLong)", "p of AUC"),
        printed["auc"],
        strict=True,
    ):
        ours = [_number(fit[way][key]) for way in _FITS]
        yield Row("Table 3", name, figure, ours, _FIT, _FITS)


def _reasons(p: dict[str, Any], corpus: Corpus) -> Iterator[Row]:
    """Section 7.2; the bars of Figure 7 have no numbers."""
    fits = {
        way: {row["reason"]: row for row in sda.conditioned(people).rows}
        for way, people in corpus.fitted().items()
    }
    for reason, name, expected in (
        ("logic", "logical arguments", "higher"),
        ("emotion", "personal emotions", "lower"),
    ):
        areas = [[_number(fits[way][key]["auc"]) for key in (reason, "all turns")] for way in _FITS]
        shown = ", ".join(f"{own:.2f} against {every:.2f}" for own, every in areas)
        ours = ["higher" if own > every else "lower" for own, every in areas]
        yield Row("7.2", f"AUC given {name} ({shown})", expected, ours, ways=_FITS)
        for key, what in (
            ("p_auc", "of the AUC against one half"),
            ("p_difference", "of the AUC against that without"),
        ):
            ours_p = [_number(fits[way][reason][key]) for way in _FITS]
            yield Row("7.2", f"p given {name}, {what}", p["text"][reason], ours_p, _TEST, _FITS)


def _kinds(corpus: Corpus) -> Iterator[Row]:
    """Section 6, Figures 5 and 6: what it says of direct and cross-examinations."""
    control = corpus.of(CONTROL)
    for name, chosen in (
        ("all cross-examinations", [name for name in FILES if name != CONTROL]),
        ("the cross-examination of the same witness", [SHARED]),
    ):
        cross = corpus.of(*chosen)
        tables = {way: sda.distributions(control[way], cross[way]) for way in _WAYS}
        for row in tables["equations"][0].rows:
            label = str(row["label"])
            if label == "detrimental" or label.endswith("violated"):
                own, other = _number(row["cooperative"]), _number(row["adversarial"])
                what = f"{label}: direct {own:.1%}, {name} {other:.1%}"
                yield _row("6", what, "rarer", "rarer" if own < other else "not rarer")
            if label.endswith("violated"):
                what = f"{label} in {name}, against kept ({other:.1%})"
                yield _row("6", what, "rarer", "rarer" if other < 0.5 else "not rarer")
        net = [tables[way][1].rows[-1] for way in _WAYS]
        for key, expected, opposite in (
            ("", "higher", "not higher"),
            ("_sd", "narrower", "not narrower"),
        ):
            pairs = [[_number(row[f"{kind}{key}"]) for kind in _KINDS] for row in net]
            shown = " and ".join(f"{own:.2f} against {other:.2f}" for own, other in pairs)
            holds = [own < other if key else own > other for own, other in pairs]
            what = f"{'spread' if key else 'mean'} of BaT - PaT: direct, against {name} ({shown})"
            yield Row("6", what, expected, [expected if true else opposite for true in holds])


def _advantage(corpus: Corpus) -> Iterator[Row]:
    """Section 7.3: NRA beside NRBaT."""
    shared = corpus.of(SHARED)
    own = [dialogue for dialogue in corpus.dialogues if dialogue.id == SHARED]
    nra = np.split(scores(own).nra, len(own))
    steps, rhos = _fluctuation(nra), _rho(nra)
    others = {way: [one.nrbat for one in people] for way, people in shared.items()}
    moves = [_fluctuation(others[way]) for way in _WAYS]
    what = "mean step of NRA in its deviations ({:.2f}), against NRBaT's ({:.2f} and {:.2f})"
    ours = ["larger" if steps > other else "not larger" for other in moves]
    why = "over the whole shared examination; the paper looks at a few turns"
    yield Row("7.3", what.format(steps, *moves), "larger", ours, why)
    known = [_rho(others[way]) for way in _WAYS]
    what = "agreement on NRA, Spearman's rho ({:.2f}), against NRBaT's ({:.2f} and {:.2f})"
    ours = ["lower" if rhos < other else "not lower" for other in known]
    yield Row("7.3", what.format(rhos, *known), "lower", ours)
    why = "no questions about medication are among the turns that three people annotated"
    yield _row("7.3", "NRA and NRBaT on medication (Figure 8)", "a drawing", None, why)


def _models(p: dict[str, Any], corpus: Corpus, models: Models | None) -> Iterator[Row]:
    """Tables 5 and 6, and the means of 8.1."""
    areas = p["table_5"].values()
    if models is None or not models.areas:
        span = f"{min(areas)} to {max(areas)}"
        what = f"AUC of outcomes that {len(areas)} models predict"
        yield _row("Table 5", what, span, None, _ABSENT)
    else:
        yield _areas(p, models)
    yield _printed("7.1", "best AUC of them", p["text"]["best_auc"], max(map(float, areas)))
    if models is None:
        n = sum(len(rows) for rows in p["table_6"].values()) - 1
        what = f"agreement of models with people, {n} rows"
        yield _row("Table 6", what, "8 scores each", None, _ABSENT)
    else:
        yield from _table_6(p, models)
    yield _quality(p, corpus)
    people = next(rows[0] for rows in p["table_6"].values())
    for name, printed, key in zip(
        _METRICS, people[1:], ("bat", "pat", "nrbat", "commitment", *sda.MAXIMS), strict=False
    ):
        why = "the minus sign is noise of the typesetting"
        by_table_2 = float(p["table_2"][key])
        yield _printed(
            "Table 6", f"people, {name}, by Table 2", printed.strip("*"), by_table_2, why
        )
    scored = _magnitudes(p)
    kept = {model for pair in p["pairs"]["reasoning"] for model in pair}
    for metric, printed in p["text_means"].items():
        values = [
            own[metric]
            for models in scored.values()
            for model, own in models.items()
            if model in kept
        ]
        what = f"mean of Table 4's models, {metric}, by Table 6"
        yield _printed("8.1", what, printed, fmean(values), _SIGNS)


def _areas(p: dict[str, Any], models: Models) -> Row:
    """Table 5 by the models' annotations of the shared examination."""
    names = {name.lower(): name for name in models.areas}
    printed = {names[name.lower()]: x for name, x in p["table_5"].items() if name.lower() in names}
    off = {name: x for name, x in printed.items() if not agrees(x, models.areas[name])}
    shown = ", ".join(f"{name} {models.areas[name]:.2f} not {x}" for name, x in off.items())
    what = f"AUC of outcomes that models predict: figures of {len(printed)} models"
    why = f"of all three people's annotations together; {shown}"
    return _row("Table 5", what, str(len(printed)), len(printed) - len(off), why)


def _table_6(p: dict[str, Any], models: Models) -> Iterator[Row]:
    """Table 6 by the models' annotations: how many figures of a set and metric agree."""
    why = "; ".join([*models.problems[:3], *(["…"] if len(models.problems) > 3 else [])])
    what = "folders of models without a wrong or missing file"
    used = models.folders - len(models.problems)
    yield _row("annotations", what, str(models.folders), used, why)
    gaps: dict[str, list[tuple[float, str]]] = {way: [] for way in _WAYS}
    for block, rows in p["table_6"].items():
        scored = {way: models.agreement[way].get(block, {}) for way in _WAYS}
        n = len(scored["equations"])
        if not n:
            what = f"{block}: agreement of models with people"
            yield _row("Table 6", what, f"{len(_MODELS)} models", None, _ABSENT)
            continue
        printed = dict(zip(_labels(p), rows[-len(_MODELS) :], strict=True))
        cells = {
            (name, metric): cell.strip("*").replace("--", "-")
            for name in scored["equations"]
            for metric, cell in zip(_KEYS, printed[name][1:], strict=True)
        }
        for metric in _KEYS:
            same = {
                of: [
                    sum(
                        metric in values
                        and agrees(cells[name, metric].strip("-"), abs(values[metric]))
                        for name, values in scores[way].get(block, {}).items()
                    )
                    for way in _WAYS
                ]
                for of, scores in (("all", models.agreement), ("each", models.apart))
            }
            what = f"{block}, {metric}: figures of {n} models, whatever their sign"
            why = f"over all turns of the set; {same['each'][0]} and {same['each'][1]} as the mean"
            why += " over its examinations; the paper does not say which"
            yield Row("Table 6", what, str(n), same["all"], why)
        for way in _WAYS:
            gaps[way] += [
                (
                    abs(abs(values[metric]) - abs(float(cells[name, metric]))),
                    f"{name}, {block}, {metric}: {values[metric]:.2f} not {cells[name, metric]}",
                )
                for name, values in scored[way].items()
                for metric in _KEYS
                if metric in values
                and not agrees(cells[name, metric].strip("-"), abs(values[metric]))
            ]
        minus = [key for key, cell in cells.items() if cell.startswith("-")]
        found = [sum(scored[way][name].get(x, 0.0) < 0 for name, x in minus) for way in _WAYS]
        what = f"{block}: figures with a minus that are negative"
        why = "most minus signs are noise of the typesetting"
        if minus:
            yield Row("Table 6", what, str(len(minus)), found, why)
    most = ["; ".join(text for _, text in sorted(gaps[way], reverse=True)[:4]) for way in _WAYS]
    why = f"the four largest of {len(gaps['published'])} and {len(gaps['equations'])}"
    yield Row("Table 6", "largest differences", "none", [text or "none" for text in most], why)


def _quality(p: dict[str, Any], corpus: Corpus) -> Row:
    """Qual in Table 6, if models never found quality violated; takes people's labels alone."""
    kept = total = 0
    for (_, rows), ids in zip(p["table_6"].items(), _SETS.values(), strict=True):
        people = zip(*([[*corpus.of(one)["equations"]] for one in ids]), strict=True)
        flags = [[turn.qual for turn in sda.joined(parts).turns] for parts in people]
        kappa = fmean(st.randolph_kappa([x, [False] * len(x)], (False, True)) for x in flags)
        cells = [row[1:][list(_KEYS).index("Qual")].strip("-*") for row in rows[-len(_MODELS) :]]
        kept += sum(agrees(cell, kappa) for cell in cells)
        total += len(cells)
    what = "Qual: figures that follow if no model ever finds quality violated"
    why = (
        "wherever we looked, quality_binary of models is 0 even if quality_rate says untruthful; "
        "then these figures measure how seldom people find a violation"
    )
    return _row("Table 6", what, str(total), kept, why)


def _compared(p: dict[str, Any], models: Models | None, seed: int) -> Iterator[Row]:
    """Tables 7 and 8, and what 8.1 says of them."""
    scored = _magnitudes(p)
    every = p["pairs"]["reasoning"]
    some = [pair for pair in every if p["pairs"]["left_out"] not in pair]
    for table, pairs, text, who in (
        ("table_7", p["pairs"]["size"], "text_size", "larger"),
        ("table_8", some, "text_reasoning", "reasoning"),
    ):
        where = table.replace("_", " ").capitalize()
        printed = p[table]
        n = sum(map(int, printed["BaT"][0].split(", ")))
        full = len(scored) * len(pairs if table == "table_7" else every)
        why = (
            f"Table 4 has {len(every)} pairs; without Gemini-2.5-Flash there are so many, and "
            "the counts of Rel and Man come out"
        )
        yield _printed(where, "comparisons, by Table 4", str(n), full, why)
        ours = {row["metric"]: row for row in sda.comparisons(scored, pairs, seed=seed).rows}
        for metric, (counts, *numbers) in printed.items():
            row = ours[metric]
            what = f"{who} models, {metric}"
            shown = ", ".join(str(row[key]) for key in ("wins", "loses", "ties"))
            why = _SIGNS
            if metric in ("Rel", "Man", "Qual"):
                why = "by Table 6, to which this does not quite go back"
            if metric == "NRBaT" and table == "table_7":
                why += "; if those of Enron's defense witness are: 10, 12, 2, median -0.02"
            yield _printed(where, f"{what}: wins, loses, ties", counts, shown, why)
            for key, name, number in zip(
                ("mean", "median", "sd", "mean_low", "mean_high"),
                ("mean", "median", "SD", "low end", "high end"),
                numbers,
                strict=True,
            ):
                moves = name.endswith("end") and metric in ("Rel", "Man")
                told = "a bootstrap's ends move so much from seed to seed" if moves else why
                yield _printed(where, f"{what}: {name}", number, _number(row[key]), told)
        yield from _recompared(where, who, printed, pairs, models, seed)
        for metric, (*numbers, star) in p[text].items():
            _, mean, _, sd, low, high = printed[metric]
            for name, number, other in zip(
                ("mean", "low end", "high end"), numbers, (mean, low, high), strict=True
            ):
                what = f"{who} models, {metric}: {name}, by {where}"
                yield _printed("8.1", what, number, float(other), f"{where} prints {other}")
            expected = "significant" if star else "not significant"
            yield _printed(
                "8.1",
                f"{who} models, {metric}: paired t, Bonferroni, possible by {where}",
                expected,
                _possible(expected, mean, sd, n, len(printed)),
                f"|t| of the printed mean and SD, of {n} comparisons and {len(printed)} metrics",
            )


def _recompared(
    where: str,
    who: str,
    printed: dict[str, list[str]],
    pairs: Sequence[sda.Pair],
    models: Models | None,
    seed: int,
) -> Iterator[Row]:
    """Table 7 or 8 by the models' annotations, as far as both models of a pair are there."""
    sets = list(models.agreement["equations"].values()) if models else []
    here = [pair for pair in pairs if any(own.keys() >= set(pair) for own in sets)]
    if models is None or not here:
        what = f"{who} models, by their annotations"
        yield _row(where, what, f"{len(printed)} metrics", None, _ABSENT)
        return
    tables = {
        way: {row["metric"]: row for row in sda.comparisons(scored, here, seed=seed).rows}
        for way, scored in models.agreement.items()
    }
    for metric, (counts, mean, *_) in printed.items():
        rows = [tables[way][metric] for way in _WAYS if metric in tables[way]]
        if len(rows) < len(_WAYS):
            continue
        n = sum(map(int, counts.split(", ")))
        what = f"{who} models, {metric}, by their annotations"
        shown = [", ".join(str(row[key]) for key in ("wins", "loses", "ties")) for row in rows]
        means = [_number(row["mean"]) for row in rows]
        if rows[0]["n"] != n:
            why = f"{rows[0]['n']} of {n} comparisons are in the folder, which give {shown[0]} and "
            why += f"{shown[1]}; means {means[0]:.2f} and {means[1]:.2f}"
            yield _row(where, f"{what}: wins, loses, ties", counts, None, why)
        else:
            yield Row(where, f"{what}: wins, loses, ties", counts, shown, _POOLED)
            yield Row(where, f"{what}: mean", mean, means, _POOLED)


def _example(p: dict[str, Any]) -> Iterator[Row]:
    """Appendix C: the second of four turns."""
    labels = [("beneficial", False), ("detrimental", True), ("neutral", True), ("none", False)]
    turns = tuple(
        Turn("?", "…", commitment, rel=False, man=man, qual=False, const=False)
        for commitment, man in labels
    )
    scored = scores([Dialogue("appendix C", turns)])
    c = p["appendix_c"]
    sums = {"BaT": scored.sum_bat, "PaT": scored.sum_pat}
    for (name, values), key in zip(sums.items(), ("sum_bat", "sum_pat"), strict=True):
        for turn, (printed, ours) in enumerate(zip(c[key], values.tolist(), strict=True), 1):
            yield _printed("Appendix C", f"sum of {name}, turn {turn}", printed, ours)
    yield _printed(
        "Appendix C", "BaT, turn 2 (|f_c|, where equation 11 has f_c)", c["bat"], scored.bat[1]
    )
    yield _printed("Appendix C", "PaT, turn 2", c["pat"], scored.pat[1])
    for i, (name, values) in enumerate(sums.items()):
        why = "both means are exchanged"
        yield _printed(
            "Appendix C", f"mean of the sums of {name}", c["means"][i], values.mean(), why
        )
        why = f"that is the variance of the sums of BaT, {scored.sum_bat.var():.2f}"
        deviation = float(values.std())
        yield _printed(
            "Appendix C", f"deviation of the sums of {name}", c["deviations"][i], deviation, why
        )
    why = "follows from the exchanged means and the variance"
    yield _printed("Appendix C", "NRBaT, turn 2", c["nrbat"], float(scored.nrbat[1]), why)


# Within -----------------------------------------------------------------------------------------

_KINDS = ("cooperative", "adversarial")
_METRICS = ("BaT", "PaT", "NRBaT", "Commit", "Rel", "Man", "Qual")
_KEYS = dict(
    zip(
        (*_METRICS, "Const"),
        ("bat", "pat", "nrbat", "commitment", *sda.MAXIMS, "const"),
        strict=True,
    )
)
"""Table 6's columns, and what they are in `sda.measures`."""
_SCORES = ("bat", "pat", "net_ZNRBaT", "NRA")
_SETS = {
    name: tuple(file for file in FILES if file.startswith(start))
    for name, start in {
        "WMT_D": "WMT_D",
        "WMT_P": "WMT_P",
        "enron_d": "enron_defense",
        "enron_p": "enron_prosecution",
        "simpson_d": "simpson_defense",
        "simpson_p": "simpson_prosecution",
    }.items()
}
"""Folders of models' annotations in the order of Table 6, and people's files on the same turns."""
_WITNESSES = {SHARED: "JM_ofshe", "WMT_P_annotations": "JM_detective"}
"""Files that models' folders name otherwise."""
_MODELS = (
    "gpt-4o-mini",
    "gemini-flash",
    "qwen2.5-7b",
    "qwen2.5-32b",
    "qwen2.5-32b__few-shot",
    "qwen2.5-32b__constitution",
    "llama-3.1-8b",
    "llama-3.3-70b",
    "o3-mini",
    "gemini-flash-thinking",
    "r1-distill-qwen-7b",
    "qwq-32b",
    "qwq-32b__few-shot",
    "qwq-32b__constitution",
    "r1-distill-llama-8b",
    "r1-distill-llama-70b",
)
"""Folders of models in the order of Table 6's rows."""
_POOLED = "over all turns of a set together; the paper does not say how it joins examinations"


def _row(where: str, what: str, printed: str, ours: _Ours, why: str = "") -> Row:
    """A figure of annotations in which the scores of turns play no part."""
    return Row(where, what, printed, (ours, ours), why)


def _printed(where: str, what: str, printed: str, ours: _Ours, why: str = "") -> Row:
    """A figure that others in the paper decide, without any annotations."""
    return Row(where, what, printed, (ours,), why, (PRINTED,))


def _number(value: Cell) -> float:
    if not isinstance(value, (int, float)):
        raise ValueError(f"the published annotations do not give a figure: {value!r}")
    return float(value)


def _fluctuation(series: Sequence[st.Floats]) -> float:
    """Mean step from turn to turn, in deviations of the series."""
    return fmean(float(np.abs(np.diff(x)).mean() / x.std()) for x in series)


def _rho(series: Sequence[st.Floats]) -> float:
    pairs = [(a, b) for i, a in enumerate(series) for b in series[i + 1 :]]
    return fmean(st.spearman(sda.rankable(a), sda.rankable(b)).value for a, b in pairs)


def _magnitudes(p: dict[str, Any]) -> dict[str, dict[str, dict[str, float]]]:
    """Table 6 without its signs: by set, model and metric."""
    names = p["table_6_names"]
    return {
        block: {
            names.get(model, model): {
                metric: float(cell.strip("-*"))
                for metric, cell in zip(_METRICS, cells[:-1], strict=True)
            }
            for model, *cells in rows
        }
        for block, rows in p["table_6"].items()
    }


def _possible(expected: str, mean: str, sd: str, n: int, metrics: int) -> str:
    """`expected`, if some mean and SD that round to the printed ones give it; else the other."""
    spans = [(abs(float(x)) - 0.005, abs(float(x)) + 0.005) for x in (mean, sd)]
    found = {
        "significant" if metrics * st.t_p(m / s * sqrt(n), n - 1) < 0.05 else "not significant"
        for m, s in product(*spans)
    }
    return expected if expected in found else found.pop()
