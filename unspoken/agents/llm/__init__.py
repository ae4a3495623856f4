"""Agents that are language models behind an OpenAI-compatible server.

`LLMAgent` plays any role of any game that has prompt templates (`unspoken/data/prompts`). What it
asked and what it got is in the `Call` dicts of `LLMAgent.take_trace`.
"""

try:
    import jinja2  # noqa: F401
    import openai  # noqa: F401
except ImportError as error:
    raise ImportError('the LLM agents need the "llm" extra: pip install "unspoken[llm]"') from error

from unspoken.agents.llm.agent import LLMAgent
from unspoken.agents.llm.client import Call

__all__ = ["Call", "LLMAgent"]
