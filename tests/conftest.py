"""Fixtures that several parts of the tests share."""

import pytest
from support.openai_server import OpenAIServer


@pytest.fixture
def openai_server():
    """A local OpenAI-compatible server that plays; see its module for how to make it fail."""
    server = OpenAIServer()
    yield server
    server.close()
