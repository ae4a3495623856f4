"""Listeners from specs, written as those of agents (`unspoken.agents.specs`).

embedding    embedding?model=use    rsa?depth=1    openai:qwen3?base_url=…    mylab.judges:Ear
"""

from __future__ import annotations

from unspoken.agents.specs import SpecError, build
from unspoken.judges.listeners.base import Listener

KINDS = {
    "embedding": "unspoken.judges.listeners.embedding:Embedding",
    "rsa": "unspoken.judges.listeners.rsa:RSA",
    "openai": "unspoken.judges.listeners.llm:LLMListener",
    "local": "unspoken.judges.local:LocalListener",
}
"""Where each kind of listener is; the classes are loaded on first use."""


def make_listener(spec: str) -> Listener:
    """Build a listener.

    Args:
        spec: see the module; the listener's name is the spec itself.

    Raises:
        SpecError: if the kind, an option or a value does not exist; lists what does.
        ImportError: if the listener needs an extra that is not installed; names the extra.
    """
    listener: Listener = build(spec, KINDS, "listener", name=spec)
    if not all(callable(getattr(listener, method, None)) for method in ("ally", "chameleon")):
        raise SpecError(f"listener {spec!r} is no listener: it has no ally and chameleon")
    listener.name = spec
    return listener
