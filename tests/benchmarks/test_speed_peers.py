"""Other suites: those that are installed are played, the others named."""

import numpy as np
import pytest

from unspoken.benchmarks.speed import peers
from unspoken.benchmarks.speed.peers import OURS, PEERS, Peer, peers_tables


def _missing(name: str, *_) -> None:
    raise ImportError(f"No module named {name!r}")


def test_names_are_all_different() -> None:
    assert len({peer.name for peer in (*OURS, *PEERS)}) == len(OURS) + len(PEERS)


def test_a_peer_that_is_missing_is_named_with_the_way_to_get_it(monkeypatch) -> None:
    def peer(name: str, steps: int, *, batched: bool = False) -> Peer:
        return Peer(name, "a step", "nothing", "", lambda: lambda: steps, batched)

    gone = Peer("gone", "a step", "nothing", "pip install gone", lambda: _missing("gone"))
    monkeypatch.setattr(peers, "OURS", (peer("one", 7), peer("many", 7, batched=True)))
    monkeypatch.setattr(peers, "PEERS", (peer("there", 7), gone, peer("more", 7, batched=True)))
    (stepped, batched), lines = peers_tables(0.01)
    assert [row["peer"] for row in stepped.rows] == ["one", "there"]
    assert [row["peer"] for row in batched.rows] == ["many", "more"]
    first, second = stepped.rows
    assert first["ours"] == 1
    assert second["ours"] == first["rate"] / second["rate"] > 0
    (line,) = lines
    assert "gone" in line
    assert "pip install gone" in line


def test_nothing_is_imported_before_it_is_measured(monkeypatch) -> None:
    monkeypatch.setattr(peers, "import_module", _missing)
    for peer in PEERS:
        with pytest.raises(ImportError):
            peer.start()


@pytest.mark.parametrize("peer", [*OURS, *PEERS], ids=lambda peer: peer.name)
def test_an_installed_peer_runs(peer: Peer) -> None:
    try:
        chunk = peer.start()
    except ImportError:
        pytest.skip("not installed")
    assert chunk() > 0
    assert chunk() > 0


def test_connect_four_is_played_whole() -> None:
    pytest.importorskip("pygame")
    chunk = next(peer for peer in PEERS if "raw_env" in peer.name).start()
    # a game takes 7 to 42 moves
    assert 200 * 7 <= chunk() <= 200 * 42


def test_twenty_questions_without_its_paid_model_and_without_growth(monkeypatch) -> None:
    pytest.importorskip("textarena")
    monkeypatch.delenv("OPENROUTER_API_KEY", raising=False)
    assert peers.twenty_questions("-raw", fresh=True)() == 21
    assert peers.twenty_questions("", fresh=True)() == 21


def test_actions_are_drawn_before_and_of_all_kinds() -> None:
    class Env:
        def __init__(self) -> None:
            self.seen: list[np.ndarray] = []

        def step(self, actions: np.ndarray) -> None:
            self.seen.append(actions)

    env = Env()
    assert peers._rounds(env, 5, np.int32)() == sum(map(len, env.seen))
    played = np.concatenate(env.seen)
    assert played.dtype == np.int32
    assert sorted(set(played.tolist())) == [0, 1, 2, 3, 4]
