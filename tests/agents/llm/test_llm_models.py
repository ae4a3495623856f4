"""Options of models from a file and from the command line."""

import json

import pytest
from support.openai_server import KEY

from unspoken.agents.llm.models import Models, current, read_models
from unspoken.agents.specs import SpecError, make_agent
from unspoken.envs.registry import game
from unspoken.judges.listeners.specs import make_listener
from unspoken.judges.sda.annotators.specs import make_annotator
from unspoken.judges.specs import make_arbiter

FILE = """
[models."*"]
max_tokens = 100
timeout = 30

[models."gpt-5*"]
temperature = "none"
reasoning_effort = "low"
max_tokens = 2000

[models."gpt-5-mini"]
reasoning_effort = "high"

[models."lab/[a-c]*"]
base_url = "http://gpu:8000/v1"
key_env = "LAB_KEY"
stop = ["END", "\\n\\n"]
system = "Be brief."
structured = true
retries = 2
extra_body = { top_k = 20, chat_template_kwargs = { enable_thinking = false } }
"""


@pytest.fixture
def models(tmp_path, monkeypatch):
    monkeypatch.setenv("LAB_KEY", "lab-0123456789")
    file = tmp_path / "models.toml"
    file.write_text(FILE)
    return lambda *args: read_models(file, args)


def test_later_sections_args_and_specs_win_in_this_order(models):
    assert models().options("other") == {"max_tokens": 100, "timeout": 30}
    assert models().options("gpt-5-mini") == {
        "max_tokens": 2000,
        "timeout": 30,
        "temperature": None,
        "reasoning_effort": "high",
    }
    with_args = models("max_tokens=7", "top_p=0.5")
    assert with_args.options("gpt-5")["max_tokens"] == 7
    with with_args.use():
        agent = make_agent("openai:gpt-5?reasoning_effort=medium&max_tokens=none", "aidg_search")
    assert agent.name == "openai:gpt-5?reasoning_effort=medium&max_tokens=none"
    assert agent.settings == {"top_p": 0.5, "reasoning_effort": "medium"}
    assert agent.server.timeout == 30
    assert make_agent("openai:gpt-5", "aidg_search").settings == {"temperature": 0.7}  # outside


def test_every_option_reaches_the_agent(models):
    with models().use():
        agent = make_agent("openai:lab/b-1", "aidg_search")
    assert agent.settings == {
        "temperature": 0.7,
        "max_tokens": 100,
        "stop": ["END", "\n\n"],
        "top_k": 20,
        "chat_template_kwargs": {"enable_thinking": False},
    }
    assert agent.server == ("http://gpu:8000/v1", 30, 2, "chat", "LAB_KEY")
    assert agent.structured is True
    assert "lab-0123456789" not in repr(vars(agent))


def test_a_spec_takes_every_option_too():
    body = '{"top_k": 20}'
    spec = (
        "openai:x?stop=END&system=Be brief.&structured=true&api=chat&key_env=OPENAI_API_KEY&"
        f"reasoning_effort=low&top_p=0.5&seed=3&max_tokens=9&temperature=1&timeout=9&retries=1&extra_body={body}"
    )
    agent = make_agent(spec, "aidg_search")
    assert agent.settings == {
        "temperature": 1,
        "max_completion_tokens": 9,
        "top_p": 0.5,
        "seed": 3,
        "reasoning_effort": "low",
        "stop": "END",
        "top_k": 20,
    }
    assert agent.structured is True


def test_all_that_asks_a_model_takes_what_it_has(models, openai_server):
    url = f"?base_url={openai_server.base_url}"
    with models().use():
        listener = make_listener(f"openai:lab/a{url}")  # has no `structured`, and so none is set
        arbiter = make_arbiter(f"openai:lab/a{url}&structured=false")
        annotator = make_annotator(f"openai:lab/a{url}")
    for built in (listener, arbiter, annotator):
        assert built.settings["stop"] == ["END", "\n\n"]
        assert built.settings["max_tokens"] == 100
        assert built.server == (openai_server.base_url, 30, 2, "chat", "LAB_KEY")
    assert arbiter._forms == []
    assert len(annotator._forms) == 2


def test_what_is_sent(models, openai_server, situation):
    with models().use():
        spec = f"openai:lab/a?base_url={openai_server.base_url}"
        agent = make_agent(spec, "aidg_search")
    agent.reset("seeker", game("aidg_search"), 0)
    agent.act(*situation())
    (body,) = openai_server.requests
    assert body["stop"] == ["END", "\n\n"]
    assert body["top_k"] == 20
    assert body["chat_template_kwargs"] == {"enable_thinking": False}
    assert body["messages"][0]["role"] == "system"
    assert body["messages"][0]["content"].endswith("\n\nBe brief.")
    assert agent.take_trace()[0]["messages"] == body["messages"]
    assert openai_server.keys == {"lab-0123456789"}


def test_two_endpoints_with_a_key_each(models, openai_server, make, situation):
    with models().use():
        lab = make_agent(f"openai:lab/a?base_url={openai_server.base_url}", "aidg_search")
    lab.reset("seeker", game("aidg_search"), 0)
    lab.act(*situation())
    make("seeker").act(*situation())
    assert openai_server.keys == {"lab-0123456789", KEY}


def test_a_key_that_is_not_there_is_named(models, monkeypatch):
    monkeypatch.delenv("LAB_KEY")
    with models().use(), pytest.raises(SpecError, match=r"lab/a needs a key: set LAB_KEY$"):
        make_agent("openai:lab/a", "aidg_search")


def test_as_data_and_back(models):
    given = models("temperature=0.2")
    data = json.loads(json.dumps(given.json()))
    assert "lab-0123456789" not in repr(data)
    again = Models(**data)
    assert again.json() == given.json()
    assert again.options("lab/a") == given.options("lab/a")
    assert current().options("lab/a") == {}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[models", "cannot be read"),
        ("x = 1", r"no place for x; write sections \[models\.\"MODEL\"\]"),
        ("", "it has no section"),
        ("[models]\nx = 1", r"\[models\.\"x\"\]: a section with temperature"),
        ("[models.x]\ntemprature = 1", r"\[models\.\"x\"\] has no option 'temprature'; options: t"),
        ("[models.x]\ntemperature = 3", r"\[models\.\"x\"\]: temperature=3: 0 to 2"),
        ("[models.x]\ntemperature = true", r"temperature = True is not a number or \"none\""),
        ("[models.x]\nmax_tokens = 1.5", r"max_tokens = 1.5 is not a whole number or \"none\""),
        ("[models.x]\nstop = [1]", "stop = \\[1\\] is not a text or a list of texts"),
        ("[models.x]\nextra_body = 3", "is not a text or a table"),
        ("[models.x]\nextra_body = { n = 3 }", "n cannot be set there"),
        ("[models.x]\nextra_body = '[]'", "a JSON object"),
        ('[models.x]\nstructured = "yes"', "structured = 'yes' is not true or false"),
        ('[models.x]\napi = "completions"', "api='completions': chat or responses"),
        ('[models.x]\napi = "responses"\nseed = 3', "seed=3: the responses API takes none"),
        ('[models.x]\nbase_url = "gpu"', "base_url='gpu': http://"),
    ],
)
def test_one_error_for_what_is_not_right(tmp_path, text, words):
    file = tmp_path / "models.toml"
    file.write_text(text)
    with pytest.raises(ValueError, match=rf"models\.toml.*{words}"):
        read_models(file)


@pytest.mark.parametrize(
    "line", ['api_key = "sk-secret"', 'key_env = "sk-secret"', "key_env = 3", 'key = "sk-secret"']
)
def test_keys_are_kept_out_of_files_and_messages(tmp_path, line):
    file = tmp_path / "models.toml"
    file.write_text(f"[models.x]\n{line}")
    with pytest.raises(ValueError, match="key") as error:
        read_models(file)
    assert "sk-secret" not in str(error.value)


@pytest.mark.parametrize(
    ("args", "options"),
    [
        (["temperature=0.2", "seed=3"], {"temperature": 0.2, "seed": 3}),
        (["temperature=none", "stop=END"], {"temperature": None, "stop": "END"}),
        (['stop=["a", "b"]'], {"stop": ["a", "b"]}),
        (['extra_body={"top_k": 1}'], {"extra_body": {"top_k": 1}}),
        (["structured=true"], {"structured": True}),
        (["reasoning_effort=5", "system=a=b"], {"reasoning_effort": "5", "system": "a=b"}),
    ],
)
def test_args(args, options):
    assert read_models(None, args).options("any") == options


@pytest.mark.parametrize("arg", ["temperature", "temprature=1", "temperature=warm", "seed=none=1"])
def test_args_that_are_not_right(arg):
    with pytest.raises(ValueError, match=r"^--model-args"):
        read_models(None, [arg])
