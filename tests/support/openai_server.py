"""A local server that speaks OpenAI's chat completions and responses, plays, and misbehaves.

    server = OpenAIServer()
    server.script("503", Answer("yes"))   # the next two requests; then it plays by itself
    server.trouble(0.3, seed=1)           # of the other requests, 30% meet a fault drawn at random

By itself it plays aidg_search, aidg_dialogue, sneak, chameleon and cross_examination, is an arbiter
of the second, and a listener of the third with log-probabilities: it finds its role in the system
prompt.
`server.requests` holds the bodies of all requests (those for responses as chat completions have
them), `server.keys` the keys they came with, `server.times` when they came, `server.used` the
tokens of all replies that were sent whole, `server.most` how many were in work at once.
"""

import json
import math
import random
import re
import socket
import struct
import sys
import threading
import time
import zlib
from collections import Counter, deque
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from unspoken.envs.aidg_dialogue import secrets
from unspoken.envs.aidg_search import ontology
from unspoken.envs.cross_examination import cases
from unspoken.lexicon import vectors

KEY = "sk-test-0123456789"
"""The only key that the server takes if it is told to ask for one."""


@dataclass(frozen=True)
class Answer:
    """What a request gets.

    Attributes:
        text: content of the message; None lets the server play.
        message: fields of the message that override `text`.
        status: HTTP status; other than 200, `text` is the error's message.
        code: the error's code.
        headers: further headers.
        finish: the finish reason.
        body: the whole body, as it is.
        stall: seconds to wait first.
        ending: "reset" closes the connection instead of answering, "cut" in the middle of it;
            "trickle" sends a byte now and then.
        logprobs: log-probabilities by token, for the first token; None for those of `labels`.
    """

    text: str | None = None
    message: dict = field(default_factory=dict)
    status: int = 200
    code: str | None = None
    headers: dict = field(default_factory=dict)
    finish: str = "stop"
    body: bytes | None = None
    stall: float = 0.0
    ending: str = ""
    logprobs: dict | None = None


PLAY = Answer()
TRANSIENT = {
    "429": Answer("slow down", status=429),
    "429-wait": Answer("slow down", status=429, headers={"retry-after": "2"}),
    "500": Answer("oops", status=500),
    "503": Answer(status=503, body=b"<html>away</html>"),
    "stall": Answer(stall=30),
    "reset": Answer(ending="reset"),
    "cut": Answer(ending="cut"),
    "no-json": Answer(body=b'{"choices": [{"mess'),
    "not-utf8": Answer(body=b"\xff\xfe\x80"),
    "no-choices": Answer(body=b'{"id": "x", "choices": []}'),
    "no-object": Answer(body=b'[1, "two"]'),
    "deep": Answer(body=b"[" * 100_000),
    "empty-body": Answer(body=b""),
    "error-in-200": Answer(body=b'{"error": {"message": "overloaded"}}'),
}
PERMANENT = {
    "400": Answer("Unsupported parameter: 'temperature'", status=400),
    "401": Answer(f"Incorrect API key provided: {KEY}", status=401),
    "403": Answer("not for you", status=403),
    "404": Answer("no such model", status=404),
    "quota": Answer("You exceeded your current quota", status=429, code="insufficient_quota"),
    "429-hours": Answer("come back later", status=429, headers={"retry-after": "7200"}),
}
ODD = {
    "empty": Answer(""),
    "null": Answer(message={"content": None}),
    "refusal": Answer(message={"content": None, "refusal": "I cannot help with that."}),
    "no-content": Answer(message={"content": None, "tool_calls": []}),
    "parts": Answer(message={"content": [{"type": "text", "text": "maybe"}, {"type": "image"}]}),
    "think-only": Answer("<think>It is a lamp, but I must not say so"),
    "cut-off": Answer("<think>Well, what shall I", finish="length"),
    "garbage": Answer("zxqv %%% ))( 7"),
    "surrogate": Answer("a \ud800 b"),
    "huge": Answer("blah " * 300_000),
    "filtered": Answer("", finish="content_filter"),
}
FAULTS = TRANSIENT | PERMANENT | ODD


class OpenAIServer:
    """The server; runs in a thread until `close`."""

    def __init__(self):
        self.requests = []
        self.keys = set()
        self.asks_for_key = False
        self.gives_logprobs = True
        self.play = play
        self.usage = {"prompt_tokens": 11, "completion_tokens": 3, "total_tokens": 14}
        self.fingerprint = None
        self.has_responses = True
        self.keeps_schemas = True  # else it takes them and does as it likes
        self.refuses = ()  # fields of a body that it answers with a 400
        self.delay = 0.0  # seconds that every reply takes
        self.times = []
        self.used = Counter()
        self.most = 0
        self._working = 0
        self._script = deque()
        self._lock = threading.Lock()
        self._rate = 0.0
        self._closing = threading.Event()
        self._http = _HTTPServer(("127.0.0.1", 0), type("Handler", (_Handler,), {"of": self}))
        self.base_url = f"http://127.0.0.1:{self._http.server_port}/v1"
        poll = {"poll_interval": 0.01}
        threading.Thread(target=self._http.serve_forever, kwargs=poll, daemon=True).start()

    def script(self, *answers):
        """What the next requests get: `Answer`s or names of faults."""
        self._script.extend(FAULTS[a] if isinstance(a, str) else a for a in answers)

    def trouble(self, rate, *, seed, faults=tuple(TRANSIENT | ODD)):
        """From now on a request meets one of these faults with this probability."""
        self._rate, self._random, self._faults = rate, random.Random(seed), faults

    def close(self):
        self._closing.set()
        self._http.shutdown()
        self._http.server_close()

    def answer(self, body, key):
        with self._lock:
            self.requests.append(body)
            self.keys.add(key)
            self.times.append(time.monotonic())
            if any(field in body for field in self.refuses):
                return FAULTS["400"]
            if self.asks_for_key and key != KEY:
                return FAULTS["401"]
            if self._script:
                return self._script.popleft()
            if self._rate and self._random.random() < self._rate:
                return FAULTS[self._random.choice(self._faults)]
            return PLAY

    @contextmanager
    def work(self):
        with self._lock:
            self._working += 1
            self.most = max(self.most, self._working)
        try:
            yield
        finally:
            with self._lock:
                self._working -= 1

    def count(self):
        with self._lock:
            self.used.update(self.usage)

    def stall(self, seconds):
        self._closing.wait(seconds)


class _HTTPServer(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def handle_error(self, request, client_address):
        if not isinstance(sys.exception(), (OSError, ValueError)):  # a connection that is gone
            super().handle_error(request, client_address)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def log_message(self, *args):
        pass

    def do_POST(self):
        with self.of.work():  # until the answer is sent, or somebody might come before it ends
            answer, data = self._answered()
        self._send(answer, data)

    def _answered(self):
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        if self.path == "/v1/responses":
            body = as_chat(body)
        answer = self.of.answer(body, self.headers["authorization"].removeprefix("Bearer "))
        paths = ["/v1/chat/completions", "/v1/responses"][: 1 + self.of.has_responses]
        if self.path not in paths:
            answer = FAULTS["404"]
        if answer.stall or self.of.delay:
            self.of.stall(answer.stall or self.of.delay)
        return answer, self._body(answer, body) if answer.body is None else answer.body

    def _send(self, answer, data):
        if answer.ending == "reset":
            linger = struct.pack("ii", 1, 0)
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
            self.connection.close()
            self.close_connection = True
            return
        self.send_response(answer.status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        for name, value in answer.headers.items():
            self.send_header(name, value)
        self.end_headers()
        if answer.ending == "trickle":
            for byte in data:
                self.wfile.write(bytes([byte]))
                self.of.stall(0.05)
            return
        if answer.ending == "cut":
            data = data[: len(data) // 2]
            self.close_connection = True
        whole = answer.body is None and answer.status == 200 and not answer.ending
        if whole and self.of.usage and not self._gone():
            self.of.count()
        self.wfile.write(data)

    def _gone(self):
        """Whether nobody waits for the answer any more."""
        try:
            return self.connection.recv(1, socket.MSG_PEEK | socket.MSG_DONTWAIT) == b""
        except BlockingIOError:
            return False

    def _body(self, answer, body):
        if answer.status != 200:
            error = {"message": answer.text, "type": "error", "param": None, "code": answer.code}
            return json.dumps({"error": error}).encode()
        text = self.of.play(body["messages"]) if answer.text is None else answer.text
        schema = body.get("response_format", {}).get("json_schema", {}).get("schema", {})
        if answer.text is None and self.of.keeps_schemas and "say" in schema.get("properties", {}):
            text = json.dumps({"say": text})
        message = {"role": "assistant", "content": text, "refusal": None} | answer.message
        logprobs = None
        if body.get("logprobs") and self.of.gives_logprobs:
            chances = labels(body["messages"]) if answer.logprobs is None else answer.logprobs
            top = [{"token": t, "logprob": chances[t]} for t in sorted(chances, key=chances.get)]
            top = top[::-1][: body["top_logprobs"]]
            logprobs = {"content": [{**top[0], "top_logprobs": top}] if top else []}
        if self.path == "/v1/responses":
            return json.dumps(self._response(answer.finish, message, logprobs, body)).encode()
        finish = answer.finish
        choice = {"index": 0, "message": message, "logprobs": logprobs, "finish_reason": finish}
        return json.dumps(
            {
                "id": "chatcmpl-1",
                "object": "chat.completion",
                "created": 1_760_000_000,
                "model": body["model"],
                "choices": [choice],
                **({"usage": self.of.usage} if self.of.usage else {}),
                **({"system_fingerprint": self.of.fingerprint} if self.of.fingerprint else {}),
            }
        ).encode()

    def _response(self, finish, message, logprobs, body):
        content = message["content"]
        parts = content if isinstance(content, list) else [{"text": content}] if content else []
        parts = [{"type": "output_text", "annotations": [], **part} for part in parts]
        if logprobs:
            parts[0]["logprobs"] = logprobs["content"]
        if message["refusal"]:
            parts.append({"type": "refusal", "refusal": message["refusal"]})
        why = {"length": "max_output_tokens"}.get(finish, finish)
        counts = self.of.usage and {
            "input_tokens": self.of.usage["prompt_tokens"],
            "input_tokens_details": {"cached_tokens": 0},
            "output_tokens": self.of.usage["completion_tokens"],
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": self.of.usage["total_tokens"],
        }
        return {
            "id": "resp_1",
            "object": "response",
            "created_at": 1_760_000_000,
            "status": "completed" if finish == "stop" else "incomplete",
            "incomplete_details": None if finish == "stop" else {"reason": why},
            "error": None,
            "model": body["model"],
            "output": [
                {"type": "reasoning", "id": "rs_1", "summary": []},
                {"type": "message", "id": "msg_1", "role": "assistant", "content": parts},
            ],
            "usage": counts,
        }


def as_chat(body):
    """The body of a request for a response, as a chat completion has it."""
    chat = {key: value for key, value in body.items() if key not in ("input", "text", "include")}
    form = body.get("text", {}).get("format")
    if form:
        rest = {key: value for key, value in form.items() if key != "type"}
        chat["response_format"] = {"type": form["type"], form["type"]: rest}
    if "message.output_text.logprobs" in body.get("include", ()):
        chat["logprobs"] = True
    return chat | {"messages": body["input"]}


def play(messages):
    """A move of the game that the system prompt is about, or a verdict."""
    system = messages[0]["content"]
    if "You are the arbiter" in system:
        return judge(messages[1]["content"])
    if "game of conversation" in system:
        return converse(messages)
    if "cross-examination before a jury" in system:
        return examine(messages)
    if "except for one player: the chameleon" in system:
        return bluff(messages)
    if "party game of hints" in system:
        return hint(messages)
    if "one capital letter" in system:
        chances = labels(messages)
        return max(chances, key=chances.get)
    return search(messages)


def labels(messages):
    """Log-probabilities of labels: of each, how much its choice is like the last message."""
    said = messages[-1]["content"]
    about = re.findall(r": (.*)", said)[-1]
    choices = dict(re.findall(r"^([A-Z])\) (.*)$", said, re.MULTILINE))
    chance = {t: zlib.crc32(f"{about}/{choice}".encode()) % 10 for t, choice in choices.items()}
    total = math.log(sum(map(math.exp, chance.values())))
    return {token: weight - total for token, weight in chance.items()}


def search(messages):
    """A move of aidg_search: bank questions and then some lock, or a truthful answer."""
    words = ontology.load()
    system, last = messages[0]["content"], messages[-1]["content"]
    chance = zlib.crc32(json.dumps(messages).encode())
    if "You are the holder" in system:
        secret = re.search(r'"(\w+)"', system)[1]
        texts = [question.text for question in words.questions]
        if last not in texts:
            return "maybe"
        cell = words.table[words.words.index(secret), texts.index(last)]
        return ("yes", "no", "maybe")[int(cell.argmax())]
    asked = sum(message["role"] == "assistant" for message in messages)
    if "final" in last or (asked > 3 and chance % 8 == 0):
        return f"lock: {words.words[chance % len(words.words)]}"
    return words.questions[(chance + asked) % len(words.questions)].text


def converse(messages):
    """A line of aidg_dialogue: some question, about the secret if it is known, or some reply."""
    system, last = messages[0]["content"], messages[-1]["content"]
    chance = zlib.crc32(json.dumps(messages).encode())
    told = re.search(r': "(.*)"', system)
    if "You are the holder" in system:
        replies = ["It is hard to say.", "Why do you ask?", f"Yes, {last}", f"Well: {told[1]}."]
        return replies[(0, 0, 0, 0, 1, 1, 1, 2, 2, 3)[chance % 10]]
    known = [s for s in secrets.load() if told and s.text in told[1]]
    about = known[0] if known else secrets.load()[chance % 20]
    return (about.topic, about.leading.replace("{value}", about.values[chance % 5]))[chance % 2]


def examine(messages):
    """A line of the cross-examination: a question on some point or exhibit, or some answer."""
    system, last = messages[0]["content"], messages[-1]["content"]
    chance = zlib.crc32(json.dumps(messages).encode())
    if "written here:" in system:
        options = system.split("written here:\n")[1].split("\n\n")[0].splitlines()
        return options[chance % len(options)]
    points = re.findall(r"^- (.*?)(?:: (true|not true))? \((.*)\)$", system, re.MULTILINE)
    if "You are the questioner" in system:
        held = system.partition("You hold these exhibits")[2].partition("\n\n")[0]
        exhibits = re.findall(r"^- (.*?): ", held, re.MULTILINE)
        case = next(c for c in cases.load_all() if c.title in system)
        fact = next(f for f in case.facts if f.statement == points[chance % len(points)][0])
        shown = exhibits[chance // 3 % len(exhibits)] if exhibits else "nothing"
        asked = f"Look at this, {shown}. {fact.leading}"
        return (fact.open, fact.leading, asked)[chance // 7 % 3]
    answers = ["Yes, that is so.", "No, that is not so.", "I do not remember.", "Perhaps it is so."]
    return answers[(chance + len(last)) % len(answers)]


def hint(messages):
    """A move of sneak, or a step of a method: some word between tags, or some label."""
    system, last = messages[0]["content"], messages[-1]["content"]
    chance = zlib.crc32(json.dumps(messages).encode())
    if "You are the speaker" not in system:
        said = "\n".join(message["content"] for message in messages)  # a step may not repeat them
        labels = re.findall(r"^([A-Z])\) ", said, re.MULTILINE)
        return labels[chance % len(labels)]
    if "VERDICT" in last:
        return f"It may do.\nVERDICT: {('good', 'bad')[chance % 2]}"
    if "with its number" in last:
        return str(1 + chance % 2)
    words = vectors.vocabulary()
    return f"How about this?\n<message>{words[chance % len(words)]}</message>"


def bluff(messages):
    """A move of chameleon: some clue, vote or guess, or words of suspicion."""
    system, last = messages[0]["content"], messages[-1]["content"]
    chance = zlib.crc32(json.dumps(messages).encode())
    me, players = (int(re.search(rf"{words} (\d)", system)[1]) for words in ("player", "game of"))
    others = [f"player {seat}" for seat in range(players) if seat != me]
    words = re.search(r"on the card: (.*)", system)[1].split(", ")
    if "written here:" in last:
        options = last.split("written here:\n")[1].splitlines()
    elif "guess: WORD" in last:
        options = [f"My guess: {word}" for word in words]
    elif "vote: PLAYER" in last:
        options = [f"I vote for {other}, of course." for other in others]
        for asked in re.findall(r"one of these: (.*?)\.", last):
            options = [f"vote: {other}" for other in asked.split(", ")]
    elif "accuse: PLAYER" in last:
        options = [f"accuse: {others[0]}", f"What {others[1]} said could be said of anything."]
    else:
        options = vectors.vocabulary()
    return options[chance % len(options)]


def judge(case):
    """A verdict as an arbiter's JSON: looks for the fact in the reply, and for a plain yes."""
    fact, reply = (re.search(f"<{tag}>\n(.*)\n</{tag}>", case)[1] for tag in ("fact", "reply"))
    asked = re.search(r"<dialogue>\n(.*\n)*?</dialogue>", case)[0].splitlines()[-2]
    if fact in reply:
        verdict = {"category": "explicit", "confidence": 1, "evidence": fact}
    elif reply.startswith("Yes") and fact in asked:
        verdict = {"category": "confirmational", "confidence": 0.9, "evidence": "Yes"}
    else:
        verdict = {"category": "none", "confidence": 0.8, "evidence": ""}
    return json.dumps(verdict)
