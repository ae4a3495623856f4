"""A listener that is a language model: `openai:MODEL?method=sample&n=20&…`."""

from __future__ import annotations

import asyncio
import math
import random
import re
import zlib
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from string import ascii_uppercase
from typing import Any, NamedTuple, Unpack, cast

import numpy as np

from unspoken.agents.base import AgentFailure
from unspoken.agents.llm.client import Call, Refused, Steps, arun, run
from unspoken.agents.llm.model import LanguageModel, Settings
from unspoken.agents.llm.prompts import Prompts
from unspoken.agents.llm.replies import visible
from unspoken.envs.registry import game
from unspoken.envs.sneak.instances import Instance
from unspoken.judges.listeners.base import Distribution
from unspoken.judges.llm import inert

METHODS = ("logprobs", "sample")

_ROLES = ("ally_listener", "chameleon_listener")
_AROUND = " \t\r\n().:,;*\"'`▁ĠĊ"
"""What a tokenizer or a model may put around a label; the last three stand for blanks."""
_SAID = re.compile(r"[\W_]*([A-Z])(?:[^\w\s]|\s*(?:\n|$))")
"""A label at the start of a reply; not the first word of "A bird" or "I think"."""
_TRY_SAMPLING = (
    "use a server that gives log-probabilities, or estimate them with method=sample (and n=…)"
)


class Labels(NamedTuple):
    """What log-probabilities of a first token say of labels.

    Attributes:
        p: float64 [n], over the labels, sums to 1.
        bounded: how many of them the server did not mention.
        mass: what those have of `p`, 0 to 1: the most that they can have.
    """

    p: Distribution
    bounded: int
    mass: float


class LabelCall(Call, total=False):
    """A request for a label: an entry of a listener's trace.

    Attributes:
        bounded: as `Labels.bounded`; only where log-probabilities were read.
        mass: as `Labels.mass`; likewise.
    """

    bounded: int
    mass: float


class LLMListener(LanguageModel):
    """A `Listener` that asks a language model for a label (SNEAK 2.3 and appendix A).

    With method "logprobs" a question is one request for one token. The probabilities of all
    tokens that are a label, with whatever stands around it, are added up and normalised over the
    labels. A label among those that the server does not mention has at most the probability of
    the least likely token that it does, and at most its part of what those leave of 1; it is
    given that bound (`bounded`, `bounded_mass`, and in the trace). With method "sample" the same
    question is asked n times at temperature 1 and the answers are counted; its error is up to
    0.5 / sqrt(n).

    The order of the labels is drawn at random for each question, and for each sample, by a seed
    that is made of the instance and the message. The key is `OPENAI_API_KEY`; it is never kept in
    the listener.

    Args:
        model: the model's name on its server.
        name: for reports; "openai:MODEL" by default.
        method: "logprobs" or "sample".
        n: how many samples a question takes; 1 or more.
        top_logprobs: how many tokens the server is asked for; 1 to 20, which is the most that
            OpenAI gives.
        temperature: of log-probabilities, 0 to 2. None leaves it to the server, with either
            method.
        settings: see `unspoken.agents.llm.model.Settings`; `max_tokens` is one by default, or with
            "sample" not limited, and `seed` is one more for each further sample.

    Attributes:
        method: how its probabilities come about: "logprobs", or "sample (n=…)".
        answers: how many distributions it has given.
        bounded: how many labels of these the server did not mention.
        bounded_mass: the most that such labels had of one distribution, 0 to 1.
        sleep: what waits between attempts of `ally` and `chameleon`.
        asleep: what waits between attempts of `aally` and `achameleon`.

    Raises:
        ValueError: if an option is out of its range, a template is not valid, or there is neither
            a key nor a server of one's own.
    """

    def __init__(
        self,
        model: str,
        name: str | None = None,
        *,
        method: str = "logprobs",
        n: int = 20,
        top_logprobs: int = 20,
        temperature: float | None = 0.0,
        **settings: Unpack[Settings],
    ) -> None:
        if method not in METHODS:
            raise ValueError(f"method={method!r}: {' or '.join(METHODS)}")
        if n < 1:
            raise ValueError(f"n={n}: 1 or more samples")
        if not 1 <= top_logprobs <= 20:
            raise ValueError(f"top_logprobs={top_logprobs}: 1 to 20")
        sampling = method == "sample"
        if sampling and temperature is not None:
            temperature = 1.0  # elsewhere the shares are not the model's probabilities
        if not sampling and settings.get("max_tokens") is None:
            settings["max_tokens"] = 1
        super().__init__(model, name or f"openai:{model}", temperature=temperature, **settings)
        self.method = f"sample (n={n})" if sampling else "logprobs"
        self.answers = 0
        self.bounded = 0
        self.bounded_mass = 0.0
        self.asleep: Callable[[float], Awaitable[object]] = asyncio.sleep
        self._samples = n if sampling else 0
        self._top = top_logprobs
        self._seed = settings.get("seed")
        for role in _ROLES:
            self._templates(role)

    def ally(self, instance: Instance, message: str) -> Distribution:
        """See `Listener.ally`.

        Raises:
            AgentFailure: if the model gives no label, or the server no answer; says how to mend
                it.
        """
        return run(self._ally(instance, message), self.sleep)

    async def aally(self, instance: Instance, message: str) -> Distribution:
        """As `ally`, without blocking the running loop."""
        return await arun(self._ally(instance, message), self.asleep)

    def chameleon(self, instance: Instance, message: str) -> Distribution:
        """See `Listener.chameleon`.

        Raises:
            AgentFailure: as `ally`.
        """
        return run(self._chameleon(instance, message), self.sleep)

    async def achameleon(self, instance: Instance, message: str) -> Distribution:
        """As `chameleon`, without blocking the running loop."""
        return await arun(self._chameleon(instance, message), self.asleep)

    def _ally(self, instance: Instance, message: str) -> Steps[Distribution]:
        told = {"words": [inert(word) for word in instance.words], "secret": inert(instance.secret)}
        choices = (message, *instance.decoys)
        return self._answer(_ROLES[0], instance, message, choices, told)

    def _chameleon(self, instance: Instance, message: str) -> Steps[Distribution]:
        told = {"message": inert(message)}
        return self._answer(_ROLES[1], instance, message, instance.words, told)

    def _answer(
        self,
        role: str,
        instance: Instance,
        message: str,
        choices: Sequence[str],
        told: Mapping[str, Any],
    ) -> Steps[Distribution]:
        if len(choices) > len(ascii_uppercase):
            raise ValueError(f"{instance.id}: {len(choices)} choices, labels for 26")
        key = f"{role}\n{instance.id}\n{message}".encode()
        rng = np.random.default_rng(zlib.crc32(key))  # not of waits, which must not move the order
        labels = ascii_uppercase[: len(choices)]

        def question() -> tuple[list[dict[str, str]], list[int]]:
            order = rng.permutation(len(choices)).tolist()
            shown = [(label, inert(choices[i])) for label, i in zip(labels, order, strict=True)]
            info = {"category": inert(instance.category), "choices": shown, "labels": list(labels)}
            state = {"turn": 1, "history": ()}
            return self._templates(role).conversation({**info, **told, **state}), order

        if self._samples:
            p = yield from self._counted(question, len(choices), random.random)
        else:
            messages, order = question()
            p = np.empty(len(choices))
            p[order] = yield from self._read(messages, labels, random.random)
        self.answers += 1
        return p

    def _read(
        self, messages: list[dict[str, str]], labels: str, jitter: Callable[[], float]
    ) -> Steps[Distribution]:
        try:
            reply = yield from self._ask(messages, jitter, logprobs=True, top_logprobs=self._top)
        except Refused as error:
            raise AgentFailure(f"{error}; if it refuses logprobs: {_TRY_SAMPLING}") from error
        if reply.logprobs is None:
            self._trace[-1]["unreadable"] = True
            raise AgentFailure(f"{self.name}: no log-probabilities came; {_TRY_SAMPLING}")
        found = read_labels(reply.logprobs, labels)
        if found is None:
            self._trace[-1]["unreadable"] = True
            raise AgentFailure(
                f"{self.name}: no label among its likeliest first tokens, but {reply.text!r}; a "
                "model that begins otherwise can be asked with method=sample"
            )
        call = cast(LabelCall, self._trace[-1])
        call["bounded"], call["mass"] = found.bounded, found.mass
        self.bounded += found.bounded
        self.bounded_mass = max(self.bounded_mass, found.mass)
        return found.p

    def _counted(
        self,
        question: Callable[[], tuple[list[dict[str, str]], list[int]]],
        n: int,
        jitter: Callable[[], float],
    ) -> Steps[Distribution]:
        counts: Counter[int] = Counter()
        for sample in range(self._samples):
            messages, order = question()
            # one seed for all would make some servers say the same each time
            own: dict[str, Any] = {} if self._seed is None else {"seed": self._seed + sample}
            reply = yield from self._ask(messages, jitter, **own)
            said = _SAID.match(visible(reply.text))
            if said and said[1] in ascii_uppercase[:n]:
                counts[order[ascii_uppercase.index(said[1])]] += 1
            else:
                self._trace[-1]["unreadable"] = True
        if not counts:
            raise AgentFailure(
                f"{self.name}: none of {self._samples} samples began with a label; the last was "
                f"{reply.text[:100]!r}"
            )
        return np.array([counts[i] for i in range(n)]) / counts.total()

    def _templates(self, role: str) -> Prompts:
        # made anew, since templates cannot be copied or pickled; jinja keeps what it has read
        prompts = Prompts(self.prompts, game("sneak"), role)
        self.prompts_version = prompts.version
        return prompts


def read_labels(logprobs: Mapping[str, float], labels: str) -> Labels | None:
    """The distribution over labels that log-probabilities of a first token give.

    Args:
        logprobs: by token, 0 or less; the likeliest tokens.
        labels: the labels, a letter each.

    Returns:
        None if no token is a label.
    """
    weights = np.zeros(len(labels))
    missing = np.ones(len(labels), np.bool_)
    for token, logprob in logprobs.items():
        label = token.strip(_AROUND)
        if len(label) == 1 and label in labels:
            weights[labels.index(label)] += math.exp(logprob)
            missing[labels.index(label)] = False
    if not weights.any():
        return None
    left = max(0.0, 1 - sum(map(math.exp, logprobs.values())))
    weights[missing] = min(math.exp(min(logprobs.values())), left / max(1, missing.sum()))
    p = weights / weights.sum()
    return Labels(p, int(missing.sum()), float(p[missing].sum()))
