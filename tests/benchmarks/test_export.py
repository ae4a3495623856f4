"""Runs in other formats: chats, tables, the command. Logs of inspect have a file of their own."""

import json
import re
import sqlite3
from contextlib import closing

import pytest
from support.openai_server import KEY, OpenAIServer
from test_cli import unspoken

from unspoken.benchmarks import tournament
from unspoken.benchmarks.export import chats, export
from unspoken.benchmarks.sneak import run as sneak
from unspoken.benchmarks.sneak.results import read_results
from unspoken.benchmarks.store import FILE
from unspoken.envs.registry import game

MODEL = "openai:toy"
PLAYERS = {
    "aidg_search": [MODEL, "rules", "table"],
    "aidg_dialogue": [MODEL, "rules"],
    "sneak": [MODEL, "best", "embedding"],
    "chameleon": [MODEL, "rules", "random"],
    "cross_examination": [MODEL, "rules"],
}
OPTIONS = {
    "aidg_dialogue": {"arbiter": "openai:judge", "max_turns": 3},
    "chameleon": {"discussion": 1},
    "cross_examination": {"max_turns": 3},
}


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """A run of each game and of the SNEAK benchmark, made with a model behind a local server."""
    base = tmp_path_factory.mktemp("runs")
    server = OpenAIServer()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("OPENAI_API_KEY", KEY)
        patch.setenv("OPENAI_BASE_URL", server.base_url)
        for name, players in PLAYERS.items():
            spec = game(name).with_options(**OPTIONS.get(name, {}))
            tournament.run(spec, players, base / name, rounds=1, seed=3)
        plan = sneak.plan([MODEL, "category"], ["embedding", "openai:ear"], limit=3)
        sneak.carry_out(plan, base / "benchmark")
    server.close()
    return base


@pytest.fixture(autouse=True)
def _without_a_key(monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)


def lines(folder, out, **how):
    made = export(folder, "jsonl", out, force=True, **how)
    rows = [json.loads(line) for line in made.path.read_text(encoding="utf-8").splitlines()]
    assert made.rows == {"chats": len(rows)}
    return rows, made


def ask(folder, query, *values):
    with closing(sqlite3.connect(folder / FILE)) as db:
        return db.execute(query, values).fetchall()


@pytest.mark.parametrize("name", PLAYERS)
def test_there_is_a_chat_for_each_game_and_player_that_said_something(runs, tmp_path, name) -> None:
    rows, made = lines(runs / name, tmp_path / "chats.jsonl")
    seats = ask(runs / name, "SELECT game, agent, player, reward FROM seats ORDER BY game, rowid")
    found = [(r["id"], r["seat"], r["player"], r["reward"]) for r in rows]
    assert set(found) <= set(seats)
    assert len(found) + made.left_out[chats.SILENT] == len(seats)
    assert made.left_out.keys() <= {chats.SILENT}
    assert {r["source"] for r in rows} == {"requests", "templates"}
    for row in rows:
        assert [set(message) for message in row["messages"]] == [{"role", "content"}] * len(
            row["messages"]
        )
        assert row["messages"][0]["role"] == "system"
        assert row["messages"][-1]["role"] == "assistant"
        query = "SELECT hidden, outcome, COALESCE(winner, ''), turn, seed FROM games WHERE id = ?"
        held = ask(runs / name, query, row["id"])[0]
        assert held == tuple(row[k] for k in ("secret", "outcome", "winner", "turns", "seed"))
        assert row["won"] == (row["reward"] > 0) or name == "sneak"
    keys = [row.keys() for row in rows]
    assert all(key == keys[0] for key in keys)


@pytest.mark.parametrize("name", PLAYERS)
def test_models_chats_are_their_last_requests(runs, tmp_path, name) -> None:
    rows, _ = lines(runs / name, tmp_path / "chats.jsonl")
    of_models = [row for row in rows if row["source"] == "requests"]
    assert {row["player"] for row in of_models} == {MODEL}
    for row in of_models:
        query = "SELECT messages, reply FROM calls WHERE game = ? AND agent = ? ORDER BY n"
        calls = ask(runs / name, query, row["id"], row["seat"])
        messages, reply = calls[-1]
        assert row["messages"] == [
            *json.loads(messages),
            {"role": "assistant", "content": reply},
        ]
        assert row["requests"] == len(calls)
        assert row["prompt_tokens"] == 11 * len(calls)


@pytest.mark.parametrize("name", PLAYERS)
def test_templates_tell_a_player_what_a_model_in_its_place_is_told(
    runs, tmp_path, monkeypatch, name
) -> None:
    """Models' seats are exported as if they were none: the prompts must be those they had."""
    sent, _ = lines(runs / name, tmp_path / "sent.jsonl")
    monkeypatch.setattr(chats, "calls_of", lambda calls, asked: [])
    made, _ = lines(runs / name, tmp_path / "made.jsonl")
    remade = {(row["id"], row["seat"]): row for row in made}
    compared = 0
    for row in sent:
        again = remade[row["id"], row["seat"]]
        assert again["source"] == "templates"
        if row["source"] == "requests" and not row["unreadable"]:
            assert again["messages"][:-1] == row["messages"][:-1]
            assert again["prompts"] == row["prompts"]
            compared += 1
    assert compared


def test_nobody_is_told_what_it_did_not_know(runs, tmp_path) -> None:
    tells = {
        "aidg_search": lambda row: row["secret"],
        "aidg_dialogue": lambda row: row["secret"],
        "chameleon": lambda row: f'The secret word is "{row["secret"]}"',
        "sneak": lambda row: f"The secret: {row['secret']}",
        "cross_examination": lambda row: ": not true (",
    }
    ignorant = {}
    for name, tell in tells.items():
        for row in lines(runs / name, tmp_path / "chats.jsonl")[0]:
            told = any(
                tell(row) in message["content"]
                for message in row["messages"]
                if message["role"] == "system" or name in ("aidg_search", "sneak")
                if message["role"] != "assistant"
            )
            assert told == row["knew_secret"], (name, row["seat"])
            ignorant[name] = ignorant.get(name, 0) + (not told)
    assert all(ignorant[name] for name in tells)


def test_a_line_for_each_request(runs, tmp_path) -> None:
    folder = runs / "aidg_dialogue"
    rows, _ = lines(folder, tmp_path / "chats.jsonl", each="request")
    calls = ask(folder, "SELECT game, agent, messages, reply FROM calls ORDER BY game, n")
    assert len(rows) == len(calls)
    for row, (id_, seat, messages, reply) in zip(rows, calls, strict=True):
        assert (row["id"], row["seat"]) == (id_, seat)
        assert row["messages"][:-1] == json.loads(messages)
        assert row["messages"][-1]["content"] == reply
    judged = [row for row in rows if row["seat"] == "arbiter"]
    assert judged
    assert {(row["player"], row["model"], row["knew_secret"]) for row in judged} == {
        ("arbiter", "judge", True)
    }


def test_chats_of_the_benchmark_with_what_messages_were_worth(runs, tmp_path) -> None:
    folder = runs / "benchmark"
    rows, made = lines(folder, tmp_path / "chats.jsonl")
    assert (made.what, made.done) == ("messages", 6)
    results = read_results(folder)
    for row in rows:
        speaker = results.speakers.index(row["player"])
        n = [i.id for i in results.instances].index(f"{row['category']}/{row['secret']}")
        for scores in row["scores"]:
            evaluator = results.evaluators.index(scores.pop("evaluator"))
            worth = results.values[speaker, evaluator, n].tolist()
            assert list(scores.values()) == pytest.approx(worth)
        _, turn, _ = row["messages"]
        assert f"The secret: {row['secret']}" in turn["content"]
        assert row["source"] == ("requests" if row["player"] == MODEL else "templates")
    by_instance = {}
    for row in rows:
        by_instance.setdefault(row["secret"], set()).add(row["messages"][1]["content"])
    assert all(len(turns) == 1 for turns in by_instance.values())  # everybody saw the same
    asked, _ = lines(folder, tmp_path / "asked.jsonl", each="request")
    assert {row["role"] for row in asked} == {"speaker", "evaluator"}
    assert len(asked) == len(ask(folder, "SELECT 1 FROM calls"))


def test_failed_games_and_silent_players(openai_server, monkeypatch, tmp_path) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("OPENAI_BASE_URL", openai_server.base_url)
    openai_server.trouble(1.0, seed=1, faults=("401",))
    tournament.run(game("aidg_search"), [MODEL, "table", "rules"], tmp_path / "run", rounds=1)
    rows, made = lines(tmp_path / "run", tmp_path / "chats.jsonl")
    assert made.missing == 0
    void = [id_ for (id_,) in ask(tmp_path / "run", "SELECT id FROM games WHERE outcome = 'void'")]
    assert len(void) == 3
    # in a void game only the one who asked before the model failed has said something
    assert made.left_out == {chats.SILENT: 2 * 3 - sum(row["id"] in void for row in rows)}
    assert all(row["player"] != MODEL for row in rows)
    assert KEY not in (tmp_path / "chats.jsonl").read_text()


def test_an_unfinished_run_says_what_is_missing(runs, tmp_path) -> None:
    tournament.run(game("aidg_search"), ["rules", "table", "random"], tmp_path / "r", limit=3)
    _, made = lines(tmp_path / "r", tmp_path / "chats.jsonl")
    # 5 rounds of: 2 seekers (rules, random) against 3 holders, but not against themselves
    assert (made.done, made.missing) == (3, 5 * 4 - 3)
    assert lines(runs / "aidg_dialogue", tmp_path / "chats.jsonl")[1].missing == 0  # without a key
    table = ask(tmp_path / "r", "SELECT value FROM meta WHERE key = 'agents'")
    assert json.loads(table[0][0]) == ["rules", "table", "random"]
    with closing(sqlite3.connect(tmp_path / "r" / FILE)) as db, db:
        db.execute("""UPDATE meta SET value = '["nobody:x"]' WHERE key = 'agents'""")
    assert lines(tmp_path / "r", tmp_path / "chats.jsonl")[1].missing is None


def test_without_the_extra_llm_models_chats_are_there(runs, tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(chats, "has_llm", lambda: False)
    rows, made = lines(runs / "chameleon", tmp_path / "chats.jsonl")
    assert {row["source"] for row in rows} == {"requests"}
    assert made.left_out == {chats.NO_EXTRA: 4 * made.done - len(rows)}


def test_a_game_that_does_not_replay_is_left_out(runs, tmp_path) -> None:
    tournament.run(game("aidg_search"), ["rules", "table"], tmp_path / "r", rounds=3)
    with closing(sqlite3.connect(tmp_path / "r" / FILE)) as db, db:
        db.execute("UPDATE moves SET move = 'whistle' WHERE game = 1 AND n = 2")
    rows, made = lines(tmp_path / "r", tmp_path / "chats.jsonl")
    assert {row["id"] for row in rows} == {0, 2}
    assert made.left_out == {chats.NO_REPLAY: 2}


def test_line_breaks_of_a_model_do_not_stop_a_replay(openai_server, monkeypatch, tmp_path) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("OPENAI_BASE_URL", openai_server.base_url)
    openai_server.play = lambda messages: "<think>Hm.</think>Well…\n\nIt is\thard to say."
    tournament.run(
        game("aidg_dialogue").with_options(max_turns=2), [MODEL, "rules"], tmp_path / "r", rounds=1
    )
    rows, made = lines(tmp_path / "r", tmp_path / "chats.jsonl")
    assert not made.left_out
    assert len(rows) == 2 * made.done
    assert rows[0]["messages"]


@pytest.mark.parametrize("name", [*PLAYERS, "benchmark"])
def test_tables_hold_what_the_store_holds(runs, tmp_path, name) -> None:
    pq = pytest.importorskip("pyarrow.parquet")
    made = export(runs / name, "parquet", tmp_path / "tables")
    assert made.path == tmp_path / "tables"
    card = (tmp_path / "tables" / "README.md").read_text()
    for sheet, count in made.rows.items():
        table = pq.read_table(tmp_path / "tables" / f"{sheet}.parquet")
        assert table.num_rows == count == ask(runs / name, f"SELECT COUNT(*) FROM {sheet}")[0][0]
        assert (f"- config_name: {sheet}\n  data_files: {sheet}.parquet\n" in card) == (count > 0)
        for field in table.schema:
            assert field.metadata[b"about"].decode() in card
            assert f"| `{field.name}` | " in card
        query = f"SELECT * FROM {sheet} ORDER BY 1, 2"
        with closing(sqlite3.connect(runs / name / FILE)) as db:
            db.row_factory = sqlite3.Row
            held = [dict(row) for row in db.execute(query)]
        rows = sorted(table.to_pylist(), key=lambda row: tuple(row.values())[:2])
        held.sort(key=lambda row: tuple(row.values())[:2])
        for row, old in zip(rows, held, strict=True):
            for key in row.keys() & old.keys():
                parsed = isinstance(row[key], list)
                assert row[key] == (json.loads(old[key]) if parsed else old[key]), key


def test_tables_open_in_pandas_and_datasets(runs, tmp_path) -> None:
    pytest.importorskip("pyarrow")
    pandas = pytest.importorskip("pandas")
    export(runs / "aidg_search", "parquet", tmp_path / "tables")
    games = pandas.read_parquet(tmp_path / "tables" / "games.parquet")
    seats = pandas.read_parquet(tmp_path / "tables" / "seats.parquet")
    won = seats.merge(games, left_on="game", right_on="id").query("role == winner")
    assert len(won) == len(games)
    assert (won.reward == 1).all()
    datasets = pytest.importorskip("datasets")
    calls = datasets.load_dataset(str(tmp_path / "tables"), "calls", split="train")
    held = ask(runs / "aidg_search", "SELECT messages FROM calls ORDER BY game, n")
    assert calls[0]["messages"] == json.loads(held[0][0])
    files = {"train": str(tmp_path / "tables" / "moves.parquet")}
    moves = datasets.load_dataset("parquet", data_files=files, split="train")
    assert len(moves) == ask(runs / "aidg_search", "SELECT COUNT(*) FROM moves")[0][0]
    made = export(runs / "benchmark", "parquet", tmp_path / "benchmark")
    for name, count in made.rows.items():
        if count:
            table = datasets.load_dataset(str(made.path), name, split="train")
            assert len(table) == count
    for name in ("aidg_search", "benchmark"):
        chat = export(runs / name, "jsonl", tmp_path)
        loaded = datasets.load_dataset("json", data_files=str(chat.path), split="train")
        assert loaded[0]["messages"][0]["role"] == "system"


def test_an_export_that_breaks_off_leaves_nothing(runs, tmp_path, monkeypatch) -> None:
    out = tmp_path / "chats.jsonl"
    export(runs / "sneak", "jsonl", out)
    before = out.read_bytes()

    def broken(*_):
        raise RuntimeError("no more")

    monkeypatch.setattr(chats._Tournament, "_row", broken)
    with pytest.raises(RuntimeError, match="no more"):
        export(runs / "sneak", "jsonl", out, force=True)
    assert out.read_bytes() == before
    assert [path.name for path in tmp_path.iterdir()] == ["chats.jsonl"]


def test_what_is_there_is_written_over_only_by_force(runs, tmp_path) -> None:
    export(runs / "sneak", "jsonl", tmp_path)
    assert (tmp_path / "sneak_v0.jsonl").exists()
    with pytest.raises(FileExistsError, match=r"sneak_v0\.jsonl is there already"):
        export(runs / "sneak", "jsonl", tmp_path)
    export(runs / "sneak", "jsonl", tmp_path, force=True)
    pytest.importorskip("pyarrow")
    with pytest.raises(FileExistsError, match="is there already"):
        export(runs / "sneak", "parquet", tmp_path)
    export(runs / "sneak", "parquet", tmp_path, force=True)
    assert (tmp_path / "sneak_v0.jsonl").exists()
    assert (tmp_path / "games.parquet").exists()


@pytest.mark.parametrize(
    ("folder", "how", "message"),
    [
        ("nowhere", {"to": "jsonl"}, "nowhere holds no run: there is no run.sqlite in it"),
        ("runs", {"to": "jsonl"}, "runs holds no run itself, but several; name one: "),
        ("runs/sneak", {"to": "csv"}, "--to='csv' does not exist; choose from ['jsonl', "),
        ("runs/sneak", {"to": "jsonl", "each": "word"}, "--each='word' does not exist"),
        ("runs/sneak", {"to": "parquet", "each": "request"}, "--each request: only of jsonl"),
        ("runs/sneak", {"to": "jsonl", "out": "x.csv"}, "x.csv: a file name that ends in .jsonl"),
        ("no", {"to": "jsonl"}, "is not a run of unspoken (file is not a database)"),
        ("empty", {"to": "jsonl"}, "is not a run of unspoken"),
    ],
)
def test_mistakes_are_named(runs, tmp_path, folder, how, message) -> None:
    (tmp_path / "runs").symlink_to(runs)
    (tmp_path / "no").mkdir()
    (tmp_path / "no" / FILE).write_text("no database at all, whatever it is called")
    (tmp_path / "empty").mkdir()
    sqlite3.connect(tmp_path / "empty" / FILE).close()
    how = {**how, "out": tmp_path / how.get("out", "out")}
    with pytest.raises((ValueError, OSError), match=re.escape(message)):
        export(tmp_path / folder, **how)
    assert not how["out"].exists()


def test_the_command(runs, tmp_path) -> None:
    words = ("export", str(runs / "benchmark"), "--to", "jsonl", "--out", str(tmp_path / "c.jsonl"))
    done = unspoken(*words)
    assert done.stdout.splitlines()[0] == f"{tmp_path / 'c.jsonl'}: 6 chats, of 6 messages"
    assert "the run is not finished: " in done.stdout
    again = unspoken(*words, ok=False)
    assert again.returncode == 1
    assert again.stderr.strip().startswith("unspoken: ")
    assert "is there already" in again.stderr
    assert len(again.stderr.strip().splitlines()) == 1
