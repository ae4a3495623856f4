"""Fixtures that several parts of the tests share."""

import os

import pytest
from hypothesis import settings
from support.openai_server import OpenAIServer

# Machines are shared: no time limit an example. CI tries the same examples each time.
settings.register_profile("unspoken", deadline=None, derandomize=bool(os.environ.get("CI")))
settings.load_profile("unspoken")


@pytest.fixture
def openai_server():
    """A local OpenAI-compatible server that plays; see its module for how to make it fail."""
    server = OpenAIServer()
    yield server
    server.close()
