"""Case files for these tests."""

import pytest
from cross_case import SMALL

from unspoken.envs.cross_examination.cases import load


@pytest.fixture
def written(tmp_path):
    """Writes a case file and gives its path."""

    def write(text, name="small.toml"):
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return path

    return write


@pytest.fixture
def small(written):
    return load(written(SMALL))
