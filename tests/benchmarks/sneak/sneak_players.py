"""Speakers and listeners of which one knows what they do."""

import time

import numpy as np

from unspoken.agents.base import AgentFailure, BaseAgent


class Fixed(BaseAgent):
    """Says a text; `{secret}` and `{category}` in it are filled in."""

    def __init__(self, name="fixed", *, text: str = "", pause: float = 0.0) -> None:
        super().__init__(name, quick=False)
        self.text, self.pause = text, pause

    def act(self, observation, info):
        time.sleep(self.pause)
        return self.text


class Choosing(BaseAgent):
    """Says something legal from the menu, by chance."""

    def __init__(self, name="choosing") -> None:
        super().__init__(name)

    def act(self, observation, info):
        return int(self.rng.choice(np.flatnonzero(info["menu_mask"])))


class Failing(BaseAgent):
    """Fails on every second word."""

    def __init__(self, name="failing", *, how: str = "failure") -> None:
        super().__init__(name)
        self.how = how

    def act(self, observation, info):
        if self.rng.random() < 0.5:
            return "plain message"
        raise AgentFailure("no answer") if self.how == "failure" else KeyError("oops")


class Model(Fixed):
    """Leaves a trace, as language models do."""

    def take_trace(self):
        return [{"messages": [], "reply": self.text, "usage": {"prompt_tokens": 7}}]


class Ally:
    roles = frozenset({"ally"})

    def __init__(self, name="ally") -> None:
        self.name = name

    def reset(self, role, spec, seed):
        pass

    act = observe = reset


class Sure:
    """A listener: `found` on the message and `leaked` on the secret, the rest spread evenly."""

    def __init__(self, *, found: float = 1.0, leaked: float = 0.0) -> None:
        self.name = "sure"
        self.found, self.leaked = found, leaked

    def ally(self, instance, message):
        return _peak(1 + len(instance.decoys), 0, self.found)

    def chameleon(self, instance, message):
        secret = instance.words.index(instance.secret)
        return _peak(len(instance.words), secret, self.leaked)


class Longing:
    """A listener that likes long messages, and takes the message for the longest word."""

    name = "longing"

    def ally(self, instance, message):
        return _normal([len(m) for m in (message, *instance.decoys)])

    def chameleon(self, instance, message):
        return _normal([1 / (1 + abs(len(word) - len(message))) for word in instance.words])


class Broken(Sure):
    """A listener that breaks on concrete categories and gives no distribution on others."""

    def ally(self, instance, message):
        if instance.kind == "concrete":
            raise ZeroDivisionError("1 / 0")
        return np.ones(6)


class Asking(Longing):
    """The same, asked as language models are."""

    def __init__(self) -> None:
        self.trace = []

    async def aally(self, instance, message):
        bound = {"bounded": 2, "mass": 0.125}
        self.trace.append({"messages": [], "reply": f"ally {message}", "usage": None} | bound)
        return self.ally(instance, message)

    async def achameleon(self, instance, message):
        self.trace.append({"messages": [], "reply": f"chameleon {message}", "usage": None})
        return self.chameleon(instance, message)

    def take_trace(self):
        trace, self.trace = self.trace, []
        return trace


def _peak(n, place, p):
    return np.where(np.arange(n) == place, p, (1 - p) / (n - 1))


def _normal(weights):
    weights = np.array(weights, dtype=float)
    return weights / weights.sum()
