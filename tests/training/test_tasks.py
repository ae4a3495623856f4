from __future__ import annotations

import pytest

from unspoken.training import choices, tasks


def test_the_packages_own_files_load_and_say_what_can_be_built():
    found = sorted(tasks.FOLDER.glob("*.toml"))
    assert found
    for file in found:
        name, _, role = file.stem.rpartition("_")
        task = tasks.load(name, role)
        assert choices.space(task.spec, role, task.view).shape[0] > 0
        assert task.spec.env() is not None


def test_arguments_go_before_the_file_and_none_does_not():
    task = tasks.load("aidg_search_v0", "seeker", opponents=["evasive"], steps=7, leg=None)
    assert (task.game, task.opponents, task.steps) == ("aidg_search", ("evasive",), 7)
    assert task.leg == tasks.load("aidg_search", "seeker").leg


def test_a_role_without_a_file_meets_the_games_usual_opponents():
    assert tasks.load("sneak", "ally", view="features").opponents == ("best", "embedding")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("step = 3", "unknown key step; known are anneal, envs, hidden"),
        ("steps = 0", "steps=0: whole numbers"),
        ("hidden = []", "hidden=.*: whole numbers"),
        ("opponents = []", "at least one agent"),
        ("view = 'words'", "view='words'"),
        ("steps =", "Invalid value"),
    ],
)
def test_what_is_wrong_in_a_file_is_named_with_the_file(tmp_path, text, message):
    file = tmp_path / "own.toml"
    file.write_text(text)
    with pytest.raises(ValueError, match=message) as error:
        tasks.load("aidg_search", "seeker", file)
    assert str(file) in str(error.value)


def test_a_file_that_is_not_there_is_no_silent_default(tmp_path):
    with pytest.raises(FileNotFoundError):
        tasks.load("aidg_search", "seeker", tmp_path / "none.toml")
