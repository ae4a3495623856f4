"""What judges by a model that runs here (`unspoken.agents.llm.local`): `local?context=…`."""

from __future__ import annotations

from unspoken.agents.llm.local import Local
from unspoken.judges.listeners.llm import LLMListener
from unspoken.judges.llm import LLMArbiter
from unspoken.judges.sda.annotators.llm import LLMAnnotator


class LocalArbiter(Local, LLMArbiter):
    """An `LLMArbiter` whose model runs here; see `Local`."""

    LONGEST = 256


class LocalListener(Local, LLMListener):
    """An `LLMListener` whose model runs here; see `Local`."""

    LONGEST = None
    REUSE = False


class LocalAnnotator(Local, LLMAnnotator):
    """An `LLMAnnotator` whose model runs here; see `Local`."""

    LONGEST = 256
