"""Scores, means, bootstrap and tables, on numbers that can be checked by hand."""

import numpy as np
import pytest
from scipy import stats as scipy_stats

from unspoken.benchmarks.sneak import analysis as tables
from unspoken.benchmarks.sneak.design import fingerprint, in_order
from unspoken.benchmarks.sneak.relations import relation
from unspoken.benchmarks.sneak.results import Clusters, Results, averaged, estimates
from unspoken.benchmarks.sneak.store import Evaluation, Message
from unspoken.envs.sneak.instances import Category, Instance, instances, load
from unspoken.envs.sneak.rules import score
from unspoken.lexicon.senses import clustering, sense_for

BIRDS = Category("bird", "concrete", ("owl", "duck", "hen"), ("wing", "egg", "nest"), ("bird",))
MOODS = Category(
    "feeling", "abstract", ("joy", "fear", "anger"), ("deep", "mind", "mood"), ("feeling",)
)
CATEGORIES = (BIRDS, MOODS)


def results(values, speakers, evaluators, messages=()) -> Results:
    config = {"speakers": list(speakers), "evaluators": list(evaluators), "seed": 0}
    found = instances(CATEGORIES)
    return Results(config, CATEGORIES, found, tuple(messages), np.array(values, dtype=float))


def by(table, **wanted):
    (row,) = [r for r in table.rows if all(r[key] == value for key, value in wanted.items())]
    return row


# Scores -----------------------------------------------------------------------------------------


def test_scores_by_hand() -> None:
    # |M| = 6: (1/2 - 1/6) / (5/6) = 2/5; |W| = 12: (1/4 - 1/12) / (11/12) = 2/11
    ally = [0.5, 0.1, 0.1, 0.1, 0.1, 0.1]
    chameleon = [0.25, *[0.75 / 11] * 11]
    useful, leaked, soft, binary = score(ally, chameleon, 0)
    assert (useful, leaked) == pytest.approx((2 / 5, 2 / 11))
    assert soft == pytest.approx(2 / 5 * 9 / 11)
    assert binary == 0  # both found it
    assert score(ally, chameleon, 1)[1:] == pytest.approx((0, 2 / 5, 1))
    assert score([1 / 6] * 6, [1 / 12] * 12, 3) == pytest.approx((0, 0, 0, 1 / 6 * 11 / 12))


# Order ------------------------------------------------------------------------------------------


def test_every_beginning_is_spread_over_the_categories() -> None:
    everything = instances(load())
    ordered = in_order(everything, 4)
    assert sorted(i.id for i in ordered) == sorted(i.id for i in everything)
    assert len({i.category for i in ordered[:117]}) == 117
    assert len({i.category for i in ordered[117:234]}) == 117
    assert ordered == in_order(everything, 4) != in_order(everything, 5)
    assert fingerprint(everything) != fingerprint(everything[:-1])


# Means and bootstrap ----------------------------------------------------------------------------


def test_means_leave_out_what_is_missing() -> None:
    values = np.array([[1.0, 0.0], [np.nan, 0.5], [0.5, np.nan]])
    means, samples = Clusters(["a", "a", "b"], resamples=50).means(values)
    assert means == pytest.approx([0.75, 0.25])
    assert samples.shape == (50, 2)
    assert set(np.round(samples[:, 0], 6)) <= {1.0, 0.75, 0.5}
    assert averaged(values, over=1) == pytest.approx([0.5, 0.5, 0.5])
    assert np.isnan(averaged(np.full((2, 2), np.nan), over=0)).all()


def test_interval_agrees_with_scipy_where_every_category_has_one_instance() -> None:
    rng = np.random.default_rng(0)
    values = rng.beta(2, 3, size=(200, 4))
    clusters = Clusters([str(n) for n in range(200)], resamples=4000)
    row = estimates(*clusters.means(values))
    theirs = scipy_stats.bootstrap(
        (values[:, 1],), np.mean, n_resamples=4000, method="percentile", rng=1
    ).confidence_interval
    assert row["leakage_low"] == pytest.approx(theirs.low, abs=0.004)
    assert row["leakage_high"] == pytest.approx(theirs.high, abs=0.004)


def test_instances_that_say_the_same_within_a_category_do_not_narrow_an_interval() -> None:
    rng = np.random.default_rng(0)
    values = rng.random((20, 4))
    names = [str(n) for n in range(20)]
    once = estimates(*Clusters(names).means(values))
    often = estimates(*Clusters(np.repeat(names, 5).tolist()).means(np.repeat(values, 5, axis=0)))
    assert often == pytest.approx(once)


def test_one_category_has_no_interval() -> None:
    row = estimates(*Clusters(["a", "a"]).means(np.array([[1.0, 0, 0, 0], [0.5, 0, 0, 0]])))
    assert row == {"utility": 0.75, "leakage": 0, "soft": 0, "binary": 0}


# Tables -----------------------------------------------------------------------------------------


def message(id_, speaker, instance, text="", fault="", **more) -> Message:
    return Message(id_, speaker, instance, text, text, fault, **more)


def test_leaderboard_averages_evaluators_and_counts_faults() -> None:
    values = np.zeros((2, 2, 6, 4))
    values[0, 0] = [0.8, 0.4, 0.2, 0.0]
    values[0, 1] = [0.4, 0.2, 0.6, 1.0]
    values[1, :, 0] = np.nan
    values[1, :, 2:] = [0.9, 0.5, 0.5, 0.5]
    failed = {"x": Evaluation(reason="x failed: away"), "y": Evaluation((1.0, 0.0), (0.5, 0.5))}
    messages = [message(n, "a", i.id, "m") for n, i in enumerate(instances(CATEGORIES))]
    messages += [
        message(6, "b", "bird/owl", fault="void", reason="b failed: no answer"),
        message(7, "b", "bird/duck", fault="parse"),
        message(8, "b", "bird/hen", "hens", fault="inflection"),
        message(9, "b", "feeling/joy", "fun", evaluations=failed),
    ]
    table = tables.leaderboard(results(values, "ab", "xy", messages))
    assert [row["speaker"] for row in table.rows] == ["a", "b"]
    a, b = table.rows
    assert [a[key] for key in ("utility", "leakage", "soft", "binary")] == pytest.approx(
        [0.6, 0.3, 0.4, 0.5]
    )
    assert b["utility"] == pytest.approx(0.9 * 4 / 5)  # 1 void, 1 of the five left is worth 0
    counts = ("messages", "refused", "unparsable", "void", "unevaluated")
    assert [b[key] for key in counts] == [4, 1, 1, 1, 1]
    assert [a[key] for key in counts] == [6, 0, 0, 0, 0]
    refused = tables.refusals(results(values, "ab", "xy", messages))
    assert refused.rows == [{"speaker": "a", "inflection": 0}, {"speaker": "b", "inflection": 1}]


def test_reference_baselines_stand_beside_the_papers() -> None:
    values = np.zeros((4, 1, 6, 4))
    values[0] = [0.10, 0.10, 0.05, 0.05]
    values[1] = [0.30, 0.05, 0.30, 0.30]
    values[2] = [0.75, 0.70, 0.20, 0.20]
    values[3] = 1.0
    names = ("random", "category?x=1", "synonym", "best")
    figures, order = tables.beside_paper(results(values, names, ["x"]))
    assert len(figures.rows) == 3 * 4
    row = by(figures, speaker="category?x=1", metric="utility")
    assert (row["ours"], row["paper"]) == pytest.approx((0.30, 0.3149))
    assert row["distance"] == pytest.approx(-0.0149)
    verdicts = {row["what"]: row["verdict"] for row in order.rows}
    # Table 2, SoftScore: 6.71 random, 12.31 synonym, 28.43 category
    assert by(order, what="by SoftScore")["paper"] == "random < synonym < category"
    assert verdicts == dict.fromkeys(
        ("by utility", "by leakage", "by SoftScore", "by BinaryScore"), "agrees"
    )
    values[1, ..., 1] = 0.12
    _, order = tables.beside_paper(results(values, names, ["x"]))
    row = by(order, what="by leakage")  # Table 2: 7.89 random, 7.56 category
    assert (row["ours"], row["verdict"]) == ("random < category < synonym", "differs")
    assert row["why"] == "random less category: +0.3 points in the paper, -2.0 here"
    only_two, *none = tables.beside_paper(results(values[:2], names[:2], ["x"]))
    assert (len(only_two.rows), none) == (8, [])


def test_concrete_and_abstract_apart() -> None:
    values = np.zeros((1, 2, 6, 4))
    values[:, :, :3], values[:, :, 3:] = 0.2, 0.8
    values[0, 1] += 0.1
    table = tables.by_kind(results(values, "a", "xy"))
    assert by(table, kind="concrete")["soft"] == pytest.approx(0.25)
    assert by(table, kind="abstract")["soft"] == pytest.approx(0.85)
    assert [row["categories"] for row in table.rows] == [1, 1]


@pytest.mark.parametrize(
    ("said", "secret", "category", "expected"),
    [
        ("auto", "car", "vehicle", "synonym"),
        ("cars", "car", "vehicle", "synonym"),
        ("vehicle", "car", "vehicle", "hypernym"),
        ("taxi", "car", "vehicle", "hyponym"),
        ("truck", "car", "vehicle", "co-hyponym"),
        ("bumper", "car", "vehicle", "meronym"),
        ("tree", "trunk", "plant part", "holonym"),
        ("angry", "anger", "feeling", "derivation"),
        ("very big", "size", "property", "other"),
        ("big", "size", "property", "attribute"),
        ("xyzzy", "car", "vehicle", "other"),
    ],
)
def test_relations_as_wordnet_has_them(said, secret, category, expected) -> None:
    assert relation(said, secret, sense_for(secret, category)) == expected


def test_relation_table_means_by_relation() -> None:
    values = np.zeros((1, 1, 6, 4))
    values[0, 0, 0], values[0, 0, 1], values[0, 0, 2] = 0.9, 0.5, 0.1
    messages = [
        message(0, "a", "bird/owl", "bird of prey"),
        message(1, "a", "bird/duck", "waterfowl"),
        message(2, "a", "bird/hen", "eggs"),
        message(3, "a", "feeling/joy", "joys", "inflection"),
    ]
    table = tables.by_relation(results(values, "a", "x", messages))
    assert by(table, relation="hypernym")["soft"] == pytest.approx(0.7)
    assert {row["relation"]: row["messages"] for row in table.rows} == {"hypernym": 2, "other": 1}


def test_self_bias_by_hand() -> None:
    names = ("openai:a", "openai:b", "random", "openai:a?method=cot")
    values = np.zeros((4, 2, 6, 4))
    values[:, 0] = np.array([0.9, 0.5, 0.1, 0.7])[:, None, None]
    values[:, 1] = np.array([0.6, 0.4, 0.0, 0.6])[:, None, None]
    table = tables.self_bias(results(values, names, ("openai:a", "openai:c")))
    row = by(table, evaluator="openai:a", metric="SoftScore")
    assert (row["self"], row["others"], row["difference"]) == pytest.approx((0.8, 0.5, 0.3))
    assert row["elsewhere"] == pytest.approx(0.2)  # openai:c sees 0.6 against 0.4
    assert len(table.rows) == 4


def test_evaluators_that_agree_and_one_that_does_not() -> None:
    one = np.array([0.1, 0.2, 0.3, 0.6])
    means = np.stack([one, one + 0.2, one[::-1]], axis=1)[..., None].repeat(4, axis=2)
    deviation, rank = tables.robustness(means, "xyz")
    spread = np.mean([np.std(row, ddof=1) for row in means[:, :, 0]])
    assert deviation.rows[0]["utility"] == pytest.approx(spread)
    assert [row["soft"] for row in rank.rows] == pytest.approx([1, -1, -1])


def test_published_evaluators_agree_as_scipy_has_it() -> None:
    # computed apart from Table 10 by scipy.stats.spearmanr and numpy.std
    table = tables.published()["table_10"]
    means = np.array(list(table.values()), dtype=float).reshape(-1, 4, 4)[..., :3]
    deviation, rank = tables.robustness(means.swapaxes(1, 2) / 100, ("Mistral", "Llama", "Qwen"))
    assert deviation.rows[0]["utility"] == pytest.approx(0.0776315709)
    for key, rhos in (("utility", [0.9802, 0.9551, 0.9562]), ("leakage", [0.8599, 0.928, 0.9539])):
        assert [row[key] for row in rank.rows] == pytest.approx(rhos, abs=5e-5)


def test_categories_and_their_similarity() -> None:
    values = np.zeros((2, 1, 6, 4))
    values[0, 0, :3], values[1, 0, :3] = 0.2, 0.4
    table = tables.by_category(results(values, "ab", "x"))
    birds, moods = table.rows
    assert (birds["category"], moods["category"]) == ("bird", "feeling")
    assert birds["utility"] == pytest.approx(0.3)
    assert moods["similarity"] == clustering(MOODS.words, "feeling")
    r = tables.similarity(results(values, "ab", "x"))
    assert {row["speaker"] for row in r.rows} == {"all", "a", "b"}
    assert by(r, speaker="all", kind="all")["categories"] == 2
    assert by(r, speaker="all", kind="all")["utility"] is None  # two points have no r


def test_correlation_over_categories_is_scipys() -> None:
    rng = np.random.default_rng(2)
    categories = load()[:40]
    found = instances(categories)
    values = rng.random((2, 2, len(found), 4))
    config = {"speakers": ["a", "b"], "evaluators": ["x", "y"], "seed": 0}
    run = Results(config, categories, found, (), values)
    per_category = tables.by_category(run)
    similar = [row["similarity"] for row in per_category.rows]
    useful = [row["utility"] for row in per_category.rows]
    row = by(tables.similarity(run), speaker="all", kind="all")
    theirs = scipy_stats.pearsonr(similar, useful)
    assert (row["utility"], row["utility_p"]) == pytest.approx((theirs.statistic, theirs.pvalue))
    first = [n for n, i in enumerate(found) if i.category == categories[0].name]
    expected = np.mean(values[:, :, first, 0])
    assert by(per_category, category=categories[0].name)["utility"] == pytest.approx(expected)
    assert isinstance(found[0], Instance)
