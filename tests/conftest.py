"""Fixtures that several parts of the tests share."""

import os

import pytest
from hypothesis import settings
from support.openai_server import KEY, OpenAIServer

# Machines are shared: no time limit an example. CI tries the same examples each time.
settings.register_profile("unspoken", deadline=None, derandomize=bool(os.environ.get("CI")))
settings.load_profile("unspoken")


@pytest.fixture
def openai_server():
    """A local OpenAI-compatible server that plays; see its module for how to make it fail."""
    server = OpenAIServer()
    yield server
    server.close()


@pytest.fixture
def model_key(monkeypatch):
    """What language models need of the environment, and nothing else of the tester's."""
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)


@pytest.fixture
def waits():
    """Seconds that something would have slept."""
    return []
