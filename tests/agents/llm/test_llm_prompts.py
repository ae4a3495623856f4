"""The prompts: what is in them, what never is, and how users change them."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from unspoken.agents.base import AgentFailure
from unspoken.agents.llm.prompts import DEFAULT, Prompts
from unspoken.envs.base import Message
from unspoken.envs.registry import GameSpec, game

SPEC = game("aidg_search")
QUESTIONS = SPEC.menu("seeker")[:20]


def conversation(role, info, menu=(), spec=SPEC, folder=None):
    return Prompts(folder, spec, role).conversation(info, menu)


def text_of(messages):
    return "\n".join(message["content"] for message in messages)


def game_after(situation, turns, **options):
    actions = [text for question in QUESTIONS[:turns] for text in (question, "no")]
    return situation(*actions, **options)[1]


def test_the_seekers_rules(situation):
    system, first = conversation("seeker", situation()[1])
    assert system["role"] == "system"
    assert first["role"] == "user"
    for words in ("yes/no", "maybe", "lock: WORD", "16 turns", "guess", "only once"):
        assert words in system["content"]
    assert "Turn 1 of 16" in first["content"]


def test_the_holders_rules(situation):
    system, question = conversation("holder", situation(QUESTIONS[0])[1])
    for words in ('"lamp"', "yes, no or maybe", "truth"):
        assert words in system["content"]
    assert question == {"role": "user", "content": QUESTIONS[0]}


def test_the_seeker_never_sees_the_secret(situation):
    for turns in range(16):
        assert "lamp" not in text_of(conversation("seeker", game_after(situation, turns)))


def test_lines_alternate_and_none_is_left_out(situation):
    messages = conversation("seeker", game_after(situation, 3))
    assert [m["role"] for m in messages[1:]] == ["user", "assistant"] * 3 + ["user"]
    assert tuple(m["content"] for m in messages[2::2]) == QUESTIONS[:3]
    assert all(m["content"].startswith("no\n") for m in messages[3::2])
    _, info = situation(QUESTIONS[0], "yes", QUESTIONS[1], "no", QUESTIONS[2])
    messages = conversation("holder", info)
    said = [QUESTIONS[0], "yes", QUESTIONS[1], "no", QUESTIONS[2]]
    assert [m["content"] for m in messages[1:]] == said


@pytest.mark.parametrize("role", ["seeker", "holder"])
def test_each_request_begins_with_the_one_before(situation, role):
    before = []
    for turns in range(15):
        extra = (QUESTIONS[turns],) if role == "holder" else ()
        said = [text for question in QUESTIONS[:turns] for text in (question, "maybe")]
        messages = conversation(role, situation(*said, *extra)[1])
        assert messages[: len(before)] == before
        before = messages


@pytest.mark.parametrize("max_turns", [2, 16, 20])
def test_only_the_last_turn_asks_for_the_final_guess(situation, max_turns):
    spec = SPEC.with_options(max_turns=max_turns)
    for turns in range(max_turns):
        info = game_after(situation, turns, max_turns=max_turns)
        messages = conversation("seeker", info, spec=spec)
        final = [m for m in messages[1:] if "final guess is due now" in m["content"]]
        assert final == ([messages[-1]] if turns == max_turns - 1 else [])
        assert f"of {max_turns}" in messages[-1]["content"]


def test_a_spent_turn_is_explained():
    info = {"turn": 2, "history": (Message(1, "seeker", "", "invalid", -1),)}
    *_, said, now = conversation("seeker", info)
    assert said == {"role": "assistant", "content": "(nothing)"}
    assert "The turn is used up" in now["content"]


def test_a_holder_that_may_try_again_is_told():
    question = Message(1, "seeker", "Is it alive?", "question", 3)
    violation = Message(1, "holder", "Well, no.", "violation", -1)
    info = {"turn": 1, "history": (question, violation), "secret": "lamp"}
    assert "yes, no or maybe" in conversation("holder", info)[-1]["content"]


def test_a_menu_is_listed(situation):
    system = conversation("seeker", situation()[1], menu=("Is it alive?", "lock: lamp"))[0]
    assert "Is it alive?\nlock: lamp\n" in system["content"]


def test_what_people_say_is_not_a_template(situation):
    said = "{{ info.secret }}{% raw %}"
    info = situation(QUESTIONS[0], "no")[1] | {"history": (Message(1, "seeker", said, "", -1),)}
    assert conversation("seeker", info)[2]["content"] == said


def test_a_folder_overrides_file_by_file(tmp_path, situation):
    (tmp_path / "aidg_search").mkdir()
    (tmp_path / "aidg_search" / "seeker.turn.jinja").write_text("Nummer {{ turn }}")
    (tmp_path / "unreadable.jinja").write_text("Wie bitte? {{ problem }}")
    info = situation()[1]
    system, first = conversation("seeker", info, folder=tmp_path)
    assert system == conversation("seeker", info)[0]
    assert first["content"] == "Nummer 1"
    complaint = Prompts(tmp_path, SPEC, "seeker").unreadable("hm", "Nonsense.")
    assert complaint[1]["content"] == "Wie bitte? Nonsense."
    assert complaint[0] == {"role": "assistant", "content": "hm"}


def test_a_game_with_a_system_prompt_alone(tmp_path):
    spec = GameSpec("riddle", 0, ("sphinx_0", "guest_0"), "riddle_v0")
    with pytest.raises(ValueError, match=r"write riddle/guest\.system\.jinja in a folder"):
        Prompts(None, spec, "guest")
    (tmp_path / "riddle").mkdir()
    (tmp_path / "riddle" / "guest.system.jinja").write_text("You are the {{ role }}.")
    info = {"turn": 1, "history": (Message(1, "sphinx", "What walks?", "riddle", 0),)}
    system, now = conversation("guest", info, spec=spec, folder=tmp_path)
    assert system["content"] == "You are the guest."
    assert now["content"] == "sphinx: What walks?\nTurn 1. It is your turn."


def test_faults_in_templates_are_reported_with_their_place(tmp_path, situation):
    folder = tmp_path / "a" / "aidg_search"
    folder.mkdir(parents=True)
    (folder / "seeker.turn.jinja").write_text("\n{% if %}")
    with pytest.raises(ValueError, match=r"seeker\.turn\.jinja, line 2"):
        Prompts(tmp_path / "a", SPEC, "seeker")
    folder = tmp_path / "b" / "aidg_search"
    folder.mkdir(parents=True)
    (folder / "seeker.turn.jinja").write_text("{{ info.secret }}")
    with pytest.raises(AgentFailure, match=r"seeker\.turn\.jinja: .*secret"):
        conversation("seeker", situation()[1], folder=tmp_path / "b")


def version(folder, steps=(), role="seeker", spec=SPEC):
    return Prompts(folder, spec, role, steps).version


def test_the_version_is_of_the_texts_in_use(tmp_path):
    assert version(None) == version(tmp_path)
    assert len(version(None)) == 8
    assert version(None) != version(None, role="holder")
    assert version(None) != version(None, ("cot",)) != version(None, ("cot", "rmr"))
    place = tmp_path / "aidg_search"
    place.mkdir()
    text = (DEFAULT / "aidg_search" / "seeker.turn.jinja").read_text()
    (place / "seeker.turn.jinja").write_text(text)
    (place / "seeker.cot.jinja").write_text("Think.")
    assert version(tmp_path) == version(None)  # the same words, and no method that has others
    assert version(tmp_path, ("cot",)) != version(None, ("cot",))
    (tmp_path / "b" / "aidg_search").mkdir(parents=True)
    (tmp_path / "b" / "aidg_search" / "seeker.turn.jinja").write_text(text + "!")
    assert version(tmp_path / "b") != version(None)


def test_the_version_is_the_same_in_every_process(tmp_path):
    code = (
        "from unspoken.agents.llm.prompts import Prompts\n"
        "from unspoken.envs.registry import game\n"
        "print(Prompts(None, game('aidg_search'), 'seeker', ('cot', 'rmr')).version)"
    )
    for seed in ("1", "2"):
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        done = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, env=environment
        )
        assert done.stdout.strip() == version(None, ("cot", "rmr")), done.stderr


def test_the_version_is_of_what_is_included_too(tmp_path):
    for name, rules in (("a", "Be brief."), ("b", "Be long.")):
        place = tmp_path / name / "aidg_search"
        place.mkdir(parents=True)
        (place / "seeker.turn.jinja").write_text("{% include 'rules.jinja' %} Turn {{ turn }}.")
        (tmp_path / name / "rules.jinja").write_text("{% include 'more.jinja' %}")
        (tmp_path / name / "more.jinja").write_text(rules)
    assert version(tmp_path / "a") != version(tmp_path / "b")


def test_the_version_is_in_the_trace(make, situation):
    agent = make("seeker", method="cot")
    agent.act(*situation())
    (call, *_) = agent.take_trace()
    assert call["prompts"] == version(None, ("cot",))


def test_faults_in_the_templates_of_methods_are_found_at_the_start(tmp_path, make):
    (tmp_path / "aidg_search").mkdir()
    (tmp_path / "aidg_search" / "seeker.verify.jinja").write_text("{% if %}")
    make("seeker", prompts=tmp_path, method="rmr")
    with pytest.raises(ValueError, match=r"seeker\.verify\.jinja, line 1"):
        make("seeker", prompts=tmp_path, method="cot+sets")


def test_the_readme_names_every_variable_in_use():
    readme = (DEFAULT / "README.md").read_text(encoding="utf-8")
    for variable in ("spec", "role", "info", "menu", "turn", "said", "last", "reply", "problem"):
        assert f"| `{variable}` |" in readme
    for template in (DEFAULT / "methods").iterdir():
        assert f"`{template.stem}`" in readme
    assert Path(DEFAULT, "aidg_search").is_dir()
