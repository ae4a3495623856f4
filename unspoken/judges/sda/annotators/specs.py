"""Annotators from specs, written as those of agents (`unspoken.agents.specs`).

rules    openai:gpt-5?style=few-shot    mylab.annotators:Careful
"""

from __future__ import annotations

from unspoken.agents.specs import SpecError, build
from unspoken.judges.sda.annotators.base import Annotator

KINDS = {
    "rules": "unspoken.judges.sda.annotators.rules:RuleBasedAnnotator",
    "openai": "unspoken.judges.sda.annotators.llm:LLMAnnotator",
    "local": "unspoken.judges.local:LocalAnnotator",
}
"""Where each kind of annotator is; the classes are loaded on first use."""


def make_annotator(spec: str) -> Annotator:
    """Build an annotator.

    Args:
        spec: see the module.

    Raises:
        SpecError: if the kind, an option or a value does not exist; lists what does.
        ImportError: if the annotator needs an extra that is not installed; names the extra.
    """
    annotator = build(spec, KINDS, "annotator")
    if not isinstance(annotator, Annotator):
        raise SpecError(f"annotator {spec!r} is no annotator: derive it from {Annotator.__name__}")
    return annotator
