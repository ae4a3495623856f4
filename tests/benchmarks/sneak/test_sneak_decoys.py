"""Decoys that a model writes, against the local server."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.openai_server import KEY, Answer

from unspoken.agents.base import AgentFailure
from unspoken.agents.specs import SpecError
from unspoken.benchmarks.sneak.decoys import make_writer, read_decoys, write_decoys
from unspoken.envs.sneak.instances import Category, load, toml

FRUIT = Category(
    "fruit", "concrete", ("apple", "pear", "plum"), ("a", "b", "c", "d", "e"), ("fruit",)
)
TOOL = Category("tool", "concrete", ("hammer", "saw", "file"), ("v", "w", "x", "y", "z"))
SWEET = ("sweet", "juicy", "grows on trees", "breakfast", "basket", "ripe")
HARD = ("workshop", "metal", "repairs", "tool box", "handle", "garage")


def tagged(*decoys) -> Answer:
    return Answer("\n".join(f"<decoy>{decoy}</decoy>" for decoy in decoys))


@pytest.fixture
def writer(openai_server, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("OPENAI_BASE_URL", openai_server.base_url)
    made = make_writer("openai:model?timeout=5")
    made.sleep = lambda seconds: None
    return made


def test_five_are_taken_in_order(openai_server, writer) -> None:
    openai_server.script(tagged(*SWEET))
    assert writer.decoys(FRUIT) == SWEET[:5]
    (request,) = openai_server.requests
    asked = request["messages"][-1]["content"]
    assert "Category: fruit" in asked
    assert "apple, pear, plum" in asked
    assert "Write 10 decoys" in asked
    assert not any(f"\n{decoy}\n" in asked for decoy in FRUIT.decoys)


def test_more_are_asked_for_until_there_are_five(openai_server, writer) -> None:
    openai_server.script(
        tagged("sweet", "apples", "fruit salad", "pear tree", "one two three four five six"),
        "503",
        Answer("<think><decoy>ripe</decoy></think> none"),
        tagged("sweet", "juicy", "basket", "ripe", "breakfast"),
    )
    assert writer.decoys(FRUIT) == ("sweet", "juicy", "basket", "ripe", "breakfast")
    first, _, third, fourth = openai_server.requests
    assert len(first["messages"]) == 2
    asked = third["messages"][-1]["content"]
    assert "Write 8 new decoys" in asked
    assert "have these decoys already:\nsweet\n" in asked
    assert "'apples'" in asked
    assert "'apples'" not in fourth["messages"][-1]["content"]


def test_a_model_that_has_no_more_is_said_to(openai_server, writer) -> None:
    openai_server.script(*[tagged("sweet", "fruit")] * 6)
    with pytest.raises(AgentFailure, match=r"1 of 5 decoys for 'fruit' after 6 requests"):
        writer.decoys(FRUIT)
    openai_server.script("401")
    with pytest.raises(AgentFailure, match="check OPENAI_API_KEY"):
        writer.decoys(FRUIT)


def test_the_file_is_gone_on_with(openai_server, writer, tmp_path) -> None:
    path, seen = tmp_path / "mine.toml", []
    openai_server.script(tagged(*SWEET), *[tagged("metal")] * 6)
    with pytest.raises(AgentFailure, match="1 of 5 decoys for 'tool'"):
        write_decoys(writer, (FRUIT, TOOL), path)
    openai_server.script(tagged(*HARD))
    write_decoys(writer, (FRUIT, TOOL), path, lambda *counts: seen.append(counts))
    assert seen == [(1, 2), (2, 2)]
    load.cache_clear()
    fruit, tool = load(path)
    assert fruit.decoys == SWEET[:5]
    assert (fruit.words, fruit.kind, fruit.wordnet) == (FRUIT.words, FRUIT.kind, FRUIT.wordnet)
    assert tool.decoys == ("workshop", "metal", "repairs", "handle", "garage")
    assert KEY not in path.read_text()


def test_specs_of_writers(monkeypatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    with pytest.raises(SpecError, match="there is no writer of decoys 'gpt'; choose from openai"):
        make_writer("gpt")
    with pytest.raises(SpecError, match="OPENAI_API_KEY"):
        make_writer("openai:model")


@given(st.lists(st.text(st.characters(codec="utf-8", exclude_characters="<>")), max_size=5))
def test_decoys_are_read_from_anything(decoys) -> None:
    text = "words " + " or ".join(f"<Decoy >{decoy}</ decoy>" for decoy in decoys)
    assert read_decoys(text) == [" ".join(decoy.split()) for decoy in decoys]


_words = st.text(
    st.characters(codec="utf-8", exclude_categories=["Cs"]), min_size=1, max_size=8
).filter(lambda text: text.strip() == text)


@given(st.lists(_words, min_size=5, max_size=8, unique_by=str.casefold))
def test_a_file_of_categories_reads_back(tmp_path_factory, words) -> None:
    name, *rest = words
    category = Category(name, "abstract", tuple(rest[:3]), tuple(rest[3:]), (name,))
    path = tmp_path_factory.mktemp("toml") / "categories.toml"
    path.write_text(toml([category]), encoding="utf-8", newline="")
    assert load(path) == (category,)
