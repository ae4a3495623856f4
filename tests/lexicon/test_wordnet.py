"""The table against NLTK, and the choices that are made with it."""

import subprocess
import sys
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unspoken.envs.sneak.instances import load
from unspoken.lexicon.senses import (
    category_synonyms,
    clustering,
    near_synonyms,
    random_words,
    sense_for,
    senses_for,
    synonyms,
)
from unspoken.lexicon.wordnet import (
    INVERSES,
    LEXFILES,
    PATH,
    SENSE_RELATIONS,
    SYNSET_RELATIONS,
    Synset,
    WordNetError,
    base_forms,
    derivations,
    keyword_specificity,
    keyword_typicality,
    path_similarity,
    readings,
    senses,
    spelling,
    synset,
    synsets,
    tag_count,
    wu_palmer,
)

# Made with NLTK 3.10.4's WordNetCorpusReader on the files of Debian's wordnet-base (WordNet 3.0):
# two synsets, a.wup_similarity(b), a.path_similarity(b). On 33,000 random pairs there was no
# difference either.
NLTK = """
dog.n.01 cat.n.01 0.8571428571 0.2000000000
dog.n.01 wolf.n.01 0.9285714286 0.3333333333
dog.n.01 dog.n.01 0.9285714286 1.0000000000
dog.n.01 animal.n.01 0.8750000000 0.3333333333
animal.n.01 dog.n.01 0.8750000000 0.3333333333
eagle.n.01 penguin.n.01 0.7692307692 0.1428571429
robin.n.01 bird.n.01 0.8333333333 0.2000000000
tiger.n.01 tiger.n.02 0.5217391304 0.0833333333
table.n.01 table.n.02 0.1333333333 0.0714285714
table.n.02 chair.n.01 0.8421052632 0.2500000000
car.n.01 bicycle.n.01 0.7272727273 0.2000000000
car.n.01 train.n.01 0.6666666667 0.1250000000
hammer.n.02 screwdriver.n.01 0.9000000000 0.3333333333
apple.n.01 orange.n.01 0.7826086957 0.2500000000
apple.n.01 hammer.n.02 0.3809523810 0.0714285714
france.n.01 italy.n.01 0.9000000000 0.3333333333
paris.n.01 london.n.01 0.9090909091 0.3333333333
january.n.01 july.n.01 0.8750000000 0.3333333333
anger.n.01 joy.n.01 0.8571428571 0.3333333333
love.n.01 hate.n.01 0.8571428571 0.3333333333
freedom.n.01 justice.n.01 0.5000000000 0.1428571429
chef.n.01 fireman.n.04 0.5714285714 0.1250000000
doctor.n.01 nurse.n.01 0.8695652174 0.2500000000
king.n.01 queen.n.02 0.5714285714 0.1250000000
policeman.n.01 chef.n.01 0.5454545455 0.1111111111
king.n.01 entity.n.01 0.2500000000 0.1428571429
entity.n.01 abstraction.n.06 0.6666666667 0.5000000000
theft.n.01 arson.n.01 0.4761904762 0.0833333333
chess.n.02 poker.n.02 0.7368421053 0.1666666667
red.n.01 blue.n.01 0.8750000000 0.3333333333
biology.n.01 chemistry.n.01 0.8571428571 0.2500000000
zeus.n.01 thor.n.01 0.8000000000 0.2000000000
aries.n.03 leo.n.03 0.8571428571 0.3333333333
rain.n.01 thunder.n.02 0.1111111111 0.0588235294
heart.n.02 liver.n.01 0.8750000000 0.3333333333
meter.n.01 mile.n.01 0.8000000000 0.2500000000
person.n.01 organism.n.01 0.9230769231 0.5000000000
lamb.n.01 lamb.n.05 0.2352941176 0.0714285714
metaphor.n.01 simile.n.01 0.8750000000 0.3333333333
dragon.n.01 unicorn.n.01 0.8000000000 0.2000000000
run.v.01 walk.v.01 0.2857142857 0.2500000000
eat.v.01 drink.v.01 0.3333333333 0.3333333333
kill.v.01 murder.v.01 0.6666666667 0.5000000000
think.v.01 believe.v.01 0.5714285714 0.2500000000
be.v.01 exist.v.01 0.5000000000 0.3333333333
sing.v.02 dance.v.02 0.2222222222 0.1250000000
give.v.01 take.v.08 0.5000000000 0.3333333333
change.v.01 move.v.02 0.5000000000 0.3333333333
hot.a.01 cold.a.01 0.5000000000 0.3333333333
dog.n.01 run.v.01 0.1428571429 0.0769230769
quickly.r.01 slowly.r.01 0.5000000000 0.3333333333
happy.a.01 happiness.n.01 0.1818181818 0.1000000000
"""
SIMILARITIES = [line.split() for line in NLTK.split("\n") if line]

numbers = st.integers(0, 117_658)


def names(found) -> set[str]:
    return {synset.name for synset in found}


@pytest.mark.parametrize(("a", "b", "wup", "path"), SIMILARITIES)
def test_similarities_are_nltks(a, b, wup, path) -> None:
    assert wu_palmer(synset(a), synset(b)) == pytest.approx(float(wup), abs=1e-9)
    assert path_similarity(synset(a), synset(b)) == pytest.approx(float(path), abs=1e-9)


# The next three: from NLTK as above.
@pytest.mark.parametrize(
    ("form", "pos", "bases"),
    [
        ("dogs", "n", "dog"),
        ("mice", "n", "mouse"),
        ("running", "n", "running"),
        ("running", "v", "run"),
        ("better", "a", "better good well"),
        ("geese", "n", "goose"),
        ("went", "v", "go"),
        ("churches", "n", "church"),
        ("axes", "n", "ax axis"),
        ("axes", "v", "axe ax"),
        ("leaves", "n", "leaf leave"),
        ("children", "n", "child"),
        ("happier", "a", "happy"),
        ("lying", "v", "lie"),
        ("lying", "a", ""),
    ],
)
def test_base_forms_are_nltks(form, pos, bases) -> None:
    assert list(base_forms(form, pos)) == bases.split()


@pytest.mark.parametrize(
    ("name", "low", "high", "counts"),
    [
        ("dog.n.01", 8, 13, [42, 0, 0]),
        ("hand.n.01", 7, 7, [215, 0, 0, 0]),
        ("orange.n.01", 8, 11, [4]),
        ("table.n.02", 8, 8, [25]),
        ("entity.n.01", 0, 0, [11]),
    ],
)
def test_depths_and_counts_are_nltks(name, low, high, counts) -> None:
    found = synset(name)
    assert (found.min_depth, found.max_depth) == (low, high)
    assert [sense.count for sense in found.senses] == counts
    assert found.count == sum(counts)


@pytest.mark.parametrize(
    ("name", "relation", "expected"),
    [
        ("dog.n.01", "hypernym", "domestic_animal.n.01 canine.n.02"),
        ("dog.n.01", "part_meronym", "flag.n.07"),
        ("table.n.02", "part_meronym", "tableware.n.01 tabletop.n.01 leg.n.03"),
        ("tree.n.01", "member_holonym", "forest.n.01"),
        ("tree.n.01", "substance_meronym", "sapwood.n.01 heartwood.n.01"),
        ("france.n.01", "instance_hypernym", "european_country.n.01"),
        ("hot.a.01", "attribute", "temperature.n.01"),
        ("verdict.n.01", "topic", "law.n.01"),
        ("snore.v.01", "entailment", "sleep.v.01"),
        ("kill.v.01", "cause", "die.v.01"),
    ],
)
def test_relations_are_nltks(name, relation, expected) -> None:
    assert names(synset(name).related(relation)) == set(expected.split())


def test_words_of_one_stem_and_opposites_are_nltks() -> None:
    def related(name, relation):
        return {other.word for other in synset(name).senses[0].related(relation)}

    assert related("happy.a.01", "antonym") == {"unhappy"}
    assert related("farmer.n.01", "derivation") == {"farm", "farmerette"}
    assert related("quickly.r.01", "pertainym") == {"quick"}


def test_the_table_is_whole() -> None:
    assert Synset(117_658).pos == "r"
    assert [sense.synset.name for sense in senses("Cat", "n")][:2] == ["cat.n.01", "guy.n.01"]
    assert synset("ice_cream.n.01").words == ("ice cream", "icecream")
    assert synset("able.a.01").lexfile == "adj.all"
    assert len(LEXFILES) == 45
    assert tag_count("dog", "n") == 42


def test_the_table_is_small_and_read_only_when_asked() -> None:
    assert PATH.stat().st_size < 4 * 2**20
    assert (PATH.parent / "LICENSE").read_text().count("Princeton") > 3
    code = """
import sys, unspoken.lexicon.wordnet as w
assert not w._table.cache_info().currsize
"""
    subprocess.run([sys.executable, "-c", code], check=True)


@given(numbers)
def test_every_synset_can_be_looked_up_by_its_name(number) -> None:
    found = Synset(number)
    assert synset(found.name) == found
    for sense in found.senses:
        assert sense in senses(sense.word, found.pos)
        assert sense.synset == found


@given(numbers, st.sampled_from([*SYNSET_RELATIONS, *INVERSES]))
def test_relations_lead_back(number, relation) -> None:
    back = {**INVERSES, **{b: a for a, b in INVERSES.items()}}.get(relation, relation)
    symmetric = ("similar", "attribute", "verb_group")
    for other in Synset(number).related(relation):
        if back != relation or relation in symmetric:
            assert Synset(number) in other.related(back)


@given(numbers, numbers)
def test_similarities_are_in_their_range(a, b) -> None:
    a, b = Synset(a), Synset(b)
    for similarity in (wu_palmer(a, b), path_similarity(a, b)):
        assert 0 < similarity <= 1
    assert path_similarity(a, b) == path_similarity(b, a)
    assert path_similarity(a, a) == 1


@given(numbers)
def test_ways_down_from_the_root_agree_with_depths(number) -> None:
    found = Synset(number)
    paths = found.hypernym_paths()
    assert min(map(len, paths)) == found.min_depth + 1
    assert max(map(len, paths)) == found.max_depth + 1
    assert {up for path in paths for up in path} == set(found.ancestors())
    for path in paths:
        for up, down in pairwise(path):
            assert up in (*down.related("hypernym"), *down.related("instance_hypernym"))


def test_a_broader_noun_is_less_specific() -> None:
    chain = [s.specificity for s in synset("beagle.n.01").hypernym_paths()[0]]
    assert chain == sorted(chain)
    assert chain[0] == 0
    assert chain[-1] == pytest.approx(np.log(np.exp(synset("poodle.n.01").specificity) * 5), 1e-6)
    with pytest.raises(WordNetError, match=r"run\.v\.01 is no noun"):
        _ = synset("run.v.01").specificity


def test_keywords_are_the_content_words_of_definitions() -> None:
    # "warm-blooded egg-laying vertebrates characterized by feathers and forelimbs …"
    assert {"warm", "egg", "feather", "wing"} <= set(synset("bird.n.01").keywords)
    assert synset("run.v.01").keywords == ()
    assert keyword_typicality("feather", "noun.animal") > 0.5
    assert keyword_typicality("feather", "noun.time") == 0
    assert keyword_specificity("feather") > keyword_specificity("water")


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: synset("dog"), "no synset 'dog'"),
        (lambda: synset("dog.n.99"), "no synset 'dog.n.99'"),
        (lambda: synset("dog.x.01"), "no synset"),
        (lambda: senses("dog", "x"), "no part of speech 'x'; parts of speech are n, v, a, r"),
        (lambda: synsets("dog", "x"), "no part of speech"),
        (lambda: synset("dog.n.01").related("father"), "no relation 'father'; relations are hyper"),
        (lambda: senses("dog")[0].related("hypernym"), "no relation 'hypernym' between words"),
        (lambda: keyword_specificity("xyzzy"), "no keyword 'xyzzy'"),
        (lambda: keyword_typicality("feather", "verb.body"), "no noun file 'verb.body'"),
    ],
)
def test_what_does_not_exist_is_named(call, message) -> None:
    with pytest.raises(WordNetError, match=message):
        call()


@pytest.mark.parametrize(
    ("said", "spelt"),
    [
        ("Ice-Cream", "ice cream"),
        ("café", "cafe"),
        ("teddy_bear", "teddy bear"),
        ("St  Patrick’s Day", "st patrick's day"),
        ("Blorp  Blorp", "blorp blorp"),
        ("привет", "привет"),
    ],
)
def test_spelling_is_wordnets(said, spelt) -> None:
    assert spelling(said) == spelt


@pytest.mark.parametrize(
    ("word", "of"),
    [
        ("bed", "bed"),
        ("rose", "rose"),
        ("number", "number"),
        ("forest", "forest"),
        ("building", "building build"),
        ("glasses", "glasses glass"),
        ("men", "man"),
        ("running", "running run"),
        ("dogs", "dog"),
        ("omen", "omen"),
        ("boss", "boss"),
        ("blorps", ""),
    ],
)
def test_only_readings_that_hold_are_kept(word, of) -> None:
    assert {base for base, _ in readings(word)} - {"men"} == set(of.split())


@pytest.mark.parametrize(
    ("word", "among", "not_among"),
    [
        ("farmer", "farm farming", "land"),
        ("teach", "teacher teaching teachable", "learn"),
        ("music", "musical musician", "tune"),
        ("France", "french", "Gallic"),
        ("gold", "golden", "auric"),
        ("golden", "gold", "aurous"),
        ("anger", "angry", "rage"),
        ("gray", "grey", "gravy"),
        ("strong", "strength strongly", "power"),
        ("scientist", "science", "physicist"),
        ("pride", "proud", "humble"),
        ("phone", "telephone", "call"),
        ("cat", "", "cast"),
        ("bed", "", "be being"),
        ("Italians", "", "pizza"),
        ("blorp", "", ""),
    ],
)
def test_derivations_have_the_stem(word, among, not_among) -> None:
    found = derivations(word)
    assert set(among.split()) <= found
    assert not set(not_among.split()) & found
    assert word.lower() not in found


@pytest.mark.parametrize(
    ("word", "category", "name"),
    [
        ("orange", "fruit", "orange.n.01"),
        ("orange", "color", "orange.n.02"),
        ("turkey", "meat", "turkey.n.04"),
        ("turkey", "country", "turkey.n.02"),
        ("bat", "mammal", "bat.n.01"),
        ("bat", ["sports equipment"], "cricket_bat.n.01"),
        ("table", "furniture", "table.n.02"),
        ("tiger", "mammal", "tiger.n.02"),
        ("Mars", "deity", "mars.n.02"),
        ("second", "unit of time", "second.n.01"),
        ("plane", ["vehicle"], "airplane.n.01"),
        ("chisel", ["xyzzy", "tool"], "chisel.n.01"),
    ],
)
def test_the_category_chooses_the_sense(word, category, name) -> None:
    found = sense_for(word, category)
    assert found is not None
    assert found.name == name


def test_members_choose_each_others_senses() -> None:
    words = ["verdict", "trial", "appeal", "sentence", "testimony", "bail", "blorp"]
    found = senses_for(words, "xyzzy")
    law = synset("law.n.01")
    assert found[0] == synset("verdict.n.01")
    assert names(found[2].related("topic")) == {"law.n.01"}
    assert found[2] == synset("appeal.n.02") or law in found[2].related("topic")
    assert found[3] == synset("conviction.n.02")
    assert found[-1] is None


def test_almost_every_word_of_the_data_has_a_sense_below_a_noun_of_its_category() -> None:
    # the README of the data names the exceptions
    outside = 0
    for category in load():
        tops = {top for noun in category.wordnet for top in synsets(noun, "n")}
        for sense in senses_for(category.words, category.wordnet):
            assert sense is not None
            outside += tops.isdisjoint(sense.ancestors())
    assert outside == 8


def test_clustering_is_the_mean_over_pairs() -> None:
    # by the table above: dog, wolf and cat, each in its animal sense
    expected = np.mean(
        [0.9285714286, 0.8571428571, wu_palmer(*map(synset, ("wolf.n.01", "cat.n.01")))]
    )
    assert clustering(["dog", "wolf", "cat"], "mammal") == pytest.approx(expected)
    assert clustering(["red", "blue"], "color") == pytest.approx(0.875)
    with pytest.raises(ValueError, match="needs two words"):
        clustering(["red", "blorp"], "color")


def test_clustered_categories_are_more_similar_than_mixed_ones() -> None:
    fish = clustering(["salmon", "trout", "herring", "carp"], "fish")
    mixed = clustering(["salmon", "hammer", "january", "envy"], "entity")
    assert fish > 0.8 > 0.4 > mixed


def test_synonyms_leave_the_word_out() -> None:
    assert synonyms("car", synset("car.n.01")) == ("automobile", "auto", "motorcar", "machine")
    assert synonyms("pigs", synset("hog.n.03"))[-1] == "Sus scrofa"
    assert near_synonyms("furniture", synset("furniture.n.01")) == ("furnishing",)
    assert near_synonyms("eagle", synset("eagle.n.01"))[:2] == ("bird of Jove", "bird of prey")


def test_every_category_can_be_called_something_else() -> None:
    assert category_synonyms("movie")[:2] == ("film", "picture")
    assert category_synonyms("xyzzy") == ()
    for category in load():
        found = category_synonyms(category.name, category.words, category.wordnet)
        assert found, category.name
        said = {word.casefold() for word in (category.name, *category.words)}
        assert said.isdisjoint(word.casefold() for word in found)


def test_random_words_are_the_same_for_a_seed_and_unrelated() -> None:
    birds = ["eagle", "owl", "duck"]
    drawn = random_words(100, np.random.default_rng(3), birds)
    assert drawn == random_words(100, np.random.default_rng(3), birds)
    assert len(set(drawn)) == 100
    bird = synset("bird.n.01")
    for word in drawn:
        assert word.isalpha()
        assert word.islower()
        assert tag_count(word, "n") > 0
        assert not any(bird in sense.ancestors() for sense in synsets(word, "n"))
    assert random_words(0, np.random.default_rng(0)) == ()
    with pytest.raises(ValueError, match="there are only 8751"):
        random_words(10**6, np.random.default_rng(0))


def test_relations_are_described() -> None:
    assert set(INVERSES.values()) <= {*SYNSET_RELATIONS, *SENSE_RELATIONS}
