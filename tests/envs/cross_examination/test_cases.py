"""The package's cases, one by one, and what the loader says of wrong ones."""

import itertools
import re

import numpy as np
import pytest
from cross_case import FACTS, LINKS, SMALL, TOPICS, exhibit, fact, link

from unspoken.envs.cross_examination.cases import (
    BEARINGS,
    CONTENTS,
    DEFAULT,
    MANNERS,
    CaseError,
    Stance,
    load,
    load_all,
)

CASES = load_all()
each_case = pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)


def worlds(case):
    """Every way the facts can be that the links allow, bool [worlds, F]; by trying them all."""
    n = len(case.facts)
    ways = (np.arange(2**n)[:, None] >> np.arange(n)) & 1 == 1
    fine = np.ones(2**n, bool)
    for entry in case.links:
        one, other = (ways[:, case.index(id_)] for id_ in entry.facts)
        fine &= ~one | (other if entry.kind == "implies" else ~other)
    return ways[fine]


def test_there_are_at_least_six():
    assert len(CASES) >= 6
    assert len({case.title for case in CASES}) == len(CASES)
    assert load_all() is load_all()


@each_case
def test_the_truth_is_a_way_that_the_facts_can_be(case):
    assert (worlds(case) == case.truth).all(1).any()


@each_case
def test_conflicts_are_the_pairs_that_no_world_has(case):
    n = len(case.facts)
    stances = [Stance(i, value) for i in range(n) for value in (False, True)]
    possible = worlds(case)
    holds = np.stack([possible[:, s.fact] == s.value for s in stances], axis=1).astype(int)
    together = holds.T @ holds  # in how many worlds two stances hold together
    assert [stance.place for stance in stances] == list(range(2 * n))
    assert (case.conflicts == (together == 0)).all()


@each_case
def test_a_case_is_a_game(case):
    assert 10 <= len(case.facts) <= 16
    assert 3 <= len(case.topics) <= 5
    assert len(case.links) >= 4
    for bearing in BEARINGS:
        assert sum(fact.bearing == bearing for fact in case.facts) >= 2
    telling = [case.helpful(e.proof.fact) is (not e.proof.value) for e in case.exhibits]
    assert len(telling) > 4
    assert sum(telling) >= 4
    helpful = [Stance(i, v) for i in range(len(case.facts)) if (v := case.helpful(i)) is not None]
    caught = [p for p in itertools.combinations(helpful, 2) if case.contradict(*p)]
    assert len(caught) >= 2
    lies = [s for s in helpful if case.truth[s.fact] != s.value]
    assert 0 < len(lies) < len(helpful)  # neither all of it is a lie nor nothing


@each_case
def test_sentences_say_one_thing(case):
    questions = [text for fact in case.facts for text in (fact.open, fact.leading)]
    assert len(set(questions)) == len(questions)
    for said in case.facts:
        assert said.open[0].isupper()
        assert said.leading[0].isupper()
        assert said.statement[0].isupper()
        assert len({said.yes, said.no, said.part}) == 3
    for topic in case.topics:
        assert topic.aside.endswith((".", "?"))
    assert all(entry.why.endswith(".") for entry in case.links)


@each_case
def test_the_public_view_has_nothing_hidden(case):
    public = case.public
    assert (public.id, public.truth, public.exhibits) == ("", (), ())
    assert (public.facts, public.links) == (case.facts, case.links)
    assert public == case.public != case
    assert len({case, case.public}) == 2
    assert repr(case) == f"Case({case.title!r})"


def test_a_user_file_is_read(written):
    case = load(written(SMALL, "letter.toml"))
    assert case.id == "letter"
    ids = [fact.id for fact in case.facts]
    assert ids == ["home", "office", "badge", "tired", "sunday", "guarded"]
    assert case.truth == (False, True, False, True, True, True)
    assert case.exhibits[0].proof == Stance(1, True)
    assert case.facts[1].part == "it was somewhere"
    assert [fact.known for fact in case.facts] == [False] * 4 + [True, False]


def test_conflicts_by_hand(small):
    home, office, badge = range(3)
    assert small.contradict(Stance(home, True), Stance(office, True))
    assert small.contradict(Stance(badge, True), Stance(office, False))
    assert small.contradict(Stance(badge, True), Stance(home, True))  # through office
    assert not small.contradict(Stance(home, False), Stance(office, False))
    assert small.contradict(Stance(home, True), Stance(home, False))
    assert not small.contradict(Stance(home, True), Stance(home, True))


def test_a_witness_has_words_of_its_own(written):
    own = '\n[manners.affirm]\nhedged = "Dunno, {yes} I guess."\n'
    case = load(written(SMALL + own))
    assert case.manners["affirm"]["hedged"] == "Dunno, {yes} I guess."
    assert case.manners["affirm"]["clear"] == "Yes, {yes}."
    assert set(case.manners) == set(CONTENTS)
    assert all(set(sentences) == set(MANNERS) for sentences in case.manners.values())


def test_a_folder_is_read_in_alphabetical_order(written, tmp_path):
    for name in ("b.toml", "a.toml"):
        written(SMALL, name)
    (tmp_path / "README.md").write_text("no case")
    assert [case.id for case in load_all(tmp_path)] == ["a", "b"]


def change(old, new):
    assert old in SMALL
    return SMALL.replace(old, new, 1)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("title = ", "is not valid TOML"),
        (change('goal = "Kim did not open it"\n', ""), "the file's head has no 'goal'; add it"),
        ('colour = "red"\n' + SMALL, "unknown key 'colour'; its keys are title, charge, witness"),
        (change('"Kim"', "7"), "the file's head: witness is 7; write a text on one line"),
        (change('"Kim"', '"Kim  Lee"'), "witness is 'Kim  Lee'; write a text on one line"),
        (change('"Kim"', '"{Kim}"'), "witness holds braces: '{Kim}'; leave them out"),
        ("fact = 3\n" + SMALL.replace(FACTS, ""), "fact must be written as [[fact]] tables"),
        (change('id = "place"', 'id = "state"'), "topic: the id 'state' stands twice"),
        (change('topic = "place"', 'topic = "plaice"'), "fact 'home': topic is 'plaice', not one"),
        (change('bearing = "helps"', 'bearing = "good"'), "fact 'home': bearing is 'good', not"),
        (change("truth = false", 'truth = "no"'), "fact 'home': truth is 'no'; write true or"),
        (change('yes = "it was home"\n', ""), "fact 'home' has no 'yes'; add it"),
        (change('open = "What of home?"', 'open = "Home."'), "open is no question; end it with"),
        (change('"it was home"', '"it was home."'), "fact 'home': yes ends with a stop; the game"),
        (change('id = "home"', 'id = "Home!"'), "fact 'Home!': an id is made of a-z, 0-9 and _"),
        (change('"What of office?"', '"What of home?"'), "open or leading 'What of home?' stands"),
        (change('no = "it was not home"', 'no = "it was home"'), "'it was home' stands twice"),
        (SMALL + fact("odd", "state", "neutral", False, known=True), "fact 'odd': known, but its"),
        (change('kind = "excludes"', 'kind = "forbids"'), "link number 1: kind is 'forbids'"),
        (change('"home", "office"]', '"home", "ofice"]'), "link number 1: facts is 'ofice', not"),
        (change('"home", "office"]', '"home"]'), "name two different facts, by their ids"),
        (change('"home", "office"]', '"home", "home"]'), "name two different facts"),
        (change('proves = "office"', 'proves = "desk"'), "exhibit 'the log': proves is 'desk'"),
        (SMALL + exhibit("the log", "home"), "exhibit: the name 'the log' stands twice"),
        (
            SMALL + link("implies", "home", "office"),
            "fact 'home': by the links it can never be so; take one of its links away",
        ),
        (
            SMALL + link("implies", "office", "badge"),
            "link ['office', 'badge']: implies, but 'office' is true and 'badge' is false",
        ),
        (
            SMALL + link("excludes", "office", "tired"),
            "link ['office', 'tired']: excludes, but 'office' is true and 'tired' is true",
        ),
        (
            SMALL.replace('"hurts"', '"neutral"').replace('"helps"', '"neutral"'),
            "no fact has the bearing 'helps'; a case needs facts of all three",
        ),
        (SMALL + TOPICS.replace("place", "spare", 1).split("\n\n")[0], "topic 'spare' has no fact"),
        (SMALL.replace(LINKS, ""), "a witness that says only what helps is never inconsistent"),
        (SMALL.replace(exhibit("the log", "office"), ""), "no exhibit tells against the witness"),
        (SMALL + exhibit("a note", "nobody"), "exhibit 'a note': proves is 'nobody'"),
        (SMALL + '\n[manners.shout]\nclear = "x"\n', "a content is 'shout', not one of"),
        (SMALL + '\n[manners.none]\nloud = "x"\n', "manners.none: a manner is 'loud', not one of"),
        (SMALL + '\n[manners.none]\nclear = "{yes}"\n', "clear must hold no slot and no other"),
        (SMALL + '\n[manners.deny]\nclear = "{yes}"\n', "manners.deny: clear must hold {no} and"),
        (SMALL + '\n[manners.deny]\nclear = "{no} }"\n', "manners.deny: clear must hold {no} and"),
        (SMALL + '\n[manners.deny]\noff_point = "{no}"\n', "must hold {no} and {aside} and no"),
        (SMALL + '\n[manners.none]\nvague = "I will not answer that."\n', "stands twice"),
        ("manners = 3\n" + SMALL, "manners must be written as [manners.affirm]"),
    ],
)
def test_a_wrong_file_is_refused_with_its_mistake(written, text, message):
    path = written(text)
    with pytest.raises(CaseError, match=re.escape(message)) as caught:
        load(path)
    assert str(caught.value).startswith(str(path))


def test_files_that_cannot_be_read(tmp_path):
    with pytest.raises(CaseError, match="cannot be read: No such file"):
        load(tmp_path / "none.toml")
    path = tmp_path / "latin.toml"
    path.write_bytes("title = 'Café'".encode("latin-1"))
    with pytest.raises(CaseError, match="is not UTF-8 text"):
        load(path)
    (tmp_path / "empty").mkdir()
    with pytest.raises(CaseError, match="holds no case: a case is a file"):
        load_all(tmp_path / "empty")


def test_the_readme_lists_the_cases():
    readme = (DEFAULT / "README.md").read_text(encoding="utf-8")
    assert re.findall(r"`(\w+)\.toml`", readme)[: len(CASES)] == [case.id for case in CASES]
