"""Arbiters from specs, written as those of agents (`unspoken.agents.specs`).

rules    openai:gpt-5?timeout=60    mylab.judges:Strict
"""

from __future__ import annotations

from unspoken.agents.specs import build
from unspoken.judges.base import Arbiter

KINDS = {
    "rules": "unspoken.judges.rule_based:RuleBasedArbiter",
    "openai": "unspoken.judges.llm:LLMArbiter",
    "local": "unspoken.judges.local:LocalArbiter",
}
"""Where each kind of arbiter is; the classes are loaded on first use."""


def make_arbiter(spec: str) -> Arbiter:
    """Build an arbiter.

    Args:
        spec: see the module.

    Raises:
        SpecError: if the kind, an option or a value does not exist; lists what does.
        ImportError: if the arbiter needs an extra that is not installed; names the extra.
    """
    arbiter: Arbiter = build(spec, KINDS, "arbiter")
    return arbiter
