"""The pure rules: rounds, hidden votes, ties and ends, by hand and as a state machine."""

from __future__ import annotations

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from unspoken.envs.chameleon.rules import MAX_PLAYERS, MIN_PLAYERS, TIES, Chameleon, Ending, leaders

A, B, C, D = "player_0", "player_1", "player_2", "player_3"
FOUR = (A, B, C, D)


def dealt(players=FOUR, chameleon=B, **options) -> Chameleon:
    return Chameleon(players, chameleon, "dog", **options)


def at_vote(**options) -> Chameleon:
    game = dealt(**options)
    while game.phase != "vote":
        game.speak()
    return game


def vote(game: Chameleon, *targets: str | None) -> Chameleon:
    for target in targets:
        game.vote(target)
    return game


def ended(game: Chameleon) -> tuple:
    result = game.result
    return result.outcome, result.winner, result.winners, result.turn


HONEST, LONE = (A, C, D), (B,)


@pytest.mark.parametrize(
    ("votes", "found"),
    [
        ([], ()),
        ([None, None], ()),
        ([A], (A,)),
        ([C, A], (A, C)),
        ([C, A, C, None], (C,)),
        ([D, D, A, A, B], (A, D)),
    ],
)
def test_leaders(votes, found):
    assert leaders([("somebody", target) for target in votes]) == found


def test_everybody_speaks_once_a_round_in_their_order():
    game = dealt((C, D, A, B), clue_rounds=2, discussion=1)
    seen = []
    while game.phase != "vote":
        seen.append((game.turn, game.phase, game.to_move))
        game.speak()
    rounds = [(1, "clue"), (2, "clue"), (3, "discussion")]
    assert seen == [(*r, player) for r in rounds for player in (C, D, A, B)]
    assert (game.turn, game.to_move) == (4, C)


def test_without_discussion_the_vote_follows_the_clues():
    assert at_vote().turn == 2
    assert at_vote(clue_rounds=3).turn == 4


# What four votes lead to: the chameleon is player 1, the order is 0, 1, 2, 3.
@pytest.mark.parametrize(
    ("votes", "accused"),
    [
        ((B, A, B, B), B),
        ((B, None, None, None), B),
        ((B, A, B, A), None),
        ((B, C, A, None), None),
        ((None, None, None, None), None),
        ((C, C, B, C), C),
        ((D, None, D, B), D),
    ],
)
def test_whom_a_vote_finds(votes, accused):
    game = vote(at_vote(), *votes)
    assert game.accused == accused
    assert game.votes == tuple(zip(FOUR, votes, strict=True))
    if accused == B:
        assert (game.phase, game.to_move, game.turn, game.result) == ("guess", B, 3, None)
    else:
        assert ended(game) == (Ending.ESCAPED, "chameleon", LONE, 2)


@pytest.mark.parametrize(
    ("word", "end"),
    [
        ("dog", (Ending.GUESSED, "chameleon", LONE, 3)),
        ("cat", (Ending.CAUGHT, "honest", HONEST, 3)),
        (None, (Ending.CAUGHT, "honest", HONEST, 3)),
    ],
)
def test_the_guess_of_a_caught_chameleon(word, end):
    game = vote(at_vote(), B, A, B, B)
    game.guess(word)
    assert ended(game) == end


def test_votes_are_hidden_until_the_last_one_is_cast():
    game = vote(at_vote(), B, A, B)
    assert (game.votes, game.accused, game.to_move, game.turn) == ((), None, D, 2)
    vote(game, None)
    assert game.votes == ((A, B), (B, A), (C, B), (D, None))


def test_nobody_votes_for_themselves():
    game = at_vote()
    assert game.candidates(A) == (B, C, D)
    assert game.candidates(C) == (A, B, D)


@pytest.mark.parametrize(("lots", "accused"), [((D, B, A, C), B), ((C, A, B, D), A)])
def test_a_lot_among_the_tied(lots, accused):
    game = vote(at_vote(tie="random", lots=lots), B, A, B, A)
    assert game.accused == accused
    assert (game.result is None) == (accused == B)


def test_a_lot_needs_a_vote():
    game = vote(at_vote(tie="random", lots=FOUR), None, None, None, None)
    assert (game.accused, game.result.outcome) == (None, Ending.ESCAPED)


def test_one_more_vote_among_the_tied():
    game = vote(at_vote(tie="revote"), B, A, B, A)
    assert (game.phase, game.turn, game.to_move, game.tied) == ("vote", 3, A, (A, B))
    assert [game.candidates(voter) for voter in FOUR] == [(B,), (A,), (A, B), (A, B)]
    vote(game, B, A, B)
    first = ((A, B), (B, A), (C, B), (D, A))
    assert game.votes == first
    vote(game, B)
    assert game.votes == (*first, (A, B), (B, A), (C, B), (D, B))
    assert (game.accused, game.turn) == (B, 4)
    game.guess("cat")
    assert ended(game) == (Ending.CAUGHT, "honest", HONEST, 4)


def test_the_second_tie_accuses_nobody():
    game = vote(at_vote(tie="revote"), B, A, B, A, B, A, B, A)
    assert game.accused is None
    assert ended(game) == (Ending.ESCAPED, "chameleon", LONE, 3)


def test_abstentions_alone_are_no_tie():
    game = vote(at_vote(tie="revote"), None, None, None, None)
    assert ended(game) == (Ending.ESCAPED, "chameleon", LONE, 2)


def test_a_void_game_has_no_winner():
    game = at_vote()
    game.void("timeout")
    assert ended(game) == (Ending.VOID, None, (), 2)
    assert game.result.reason == "timeout"


class Play(RuleBasedStateMachine):
    """Any game beside what is counted here, in another way: names by seat, votes in columns."""

    @initialize(
        n=st.integers(MIN_PLAYERS, MAX_PLAYERS),
        clue_rounds=st.integers(1, 2),
        discussion=st.integers(0, 2),
        tie=st.sampled_from(TIES),
        data=st.data(),
    )
    def deal(self, n, clue_rounds, discussion, tie, data):
        names = [f"player_{i}" for i in range(n)]
        self.n, self.spoken, self.rounds, self.tie = n, 0, clue_rounds + discussion, tie
        self.clue_rounds = clue_rounds
        self.order = tuple(data.draw(st.permutations(names)))
        self.lots = tuple(data.draw(st.permutations(names)))
        self.chameleon = data.draw(st.sampled_from(names))
        self.game = Chameleon(
            self.order, self.chameleon, "dog", clue_rounds, discussion, tie, self.lots
        )
        self.ballots: list[list[str | None]] = [[]]

    def playing(self, *phases):
        return self.game.result is None and self.game.phase in phases

    @precondition(lambda self: self.playing("clue", "discussion"))
    @rule()
    def speak(self):
        self.game.speak()
        self.spoken += 1

    @precondition(lambda self: self.playing("vote"))
    @rule(data=st.data())
    def vote(self, data):
        game = self.game
        candidates = game.candidates(game.to_move)
        assert candidates
        assert set(candidates) == set(game.tied or self.order) - {game.to_move}
        # few names, so that ties come about
        some = st.sampled_from(candidates[:2])
        target = data.draw(st.one_of(some, st.sampled_from(candidates), st.none()))
        before = game.votes
        game.vote(target)
        self.ballots[-1].append(target)
        if len(self.ballots[-1]) < self.n:
            assert game.votes == before
            assert game.result is None
        else:
            self.count()

    def count(self):
        game, ballot = self.game, self.ballots[-1]
        cast = [target for target in ballot if target]
        columns = {player: cast.count(player) for player in self.order}
        top = [p for p in self.order if cast and columns[p] == max(columns.values())]
        flat = [target for one in self.ballots for target in one]
        assert game.votes == tuple(zip(self.order * len(self.ballots), flat, strict=True))
        if len(top) > 1 and self.tie == "revote" and len(self.ballots) == 1:
            assert set(game.tied) == set(top)
            assert game.result is None
            self.ballots.append([])
            return
        if len(top) > 1 and self.tie == "random":
            top = [min(top, key=self.lots.index)]
        accused = top[0] if len(top) == 1 else None
        assert game.accused == accused
        if accused == self.chameleon:
            assert game.phase == "guess"
        else:
            assert game.result.outcome == Ending.ESCAPED

    @precondition(lambda self: self.playing("guess"))
    @rule(word=st.sampled_from(["dog", "cat", None]))
    def guess(self, word):
        assert self.game.to_move == self.chameleon
        self.game.guess(word)
        assert self.game.result.outcome == (Ending.GUESSED if word == "dog" else Ending.CAUGHT)

    @precondition(lambda self: self.game.result is not None)
    @rule()
    def over(self):
        """A finished game has nothing left to do."""

    @invariant()
    def a_round_is_one_of_everybody(self):
        game = getattr(self, "game", None)
        if game is None:
            return
        if game.result is None and game.phase != "guess":
            assert game.to_move == self.order[(self.spoken + len(self.ballots[-1])) % self.n]
        done = self.spoken // self.n
        if done < self.rounds:
            assert game.turn == done + 1
            assert game.phase == ("clue" if done < self.clue_rounds else "discussion")
        else:
            assert game.turn == self.rounds + len(self.ballots) + (game.phase == "guess")
        if game.result is not None:
            lone = game.result.winner == "chameleon"
            won = {p for p in self.order if (p == self.chameleon) == lone}
            assert game.result.winners == tuple(sorted(won))
            assert game.result.turn == game.turn
            assert (game.accused == self.chameleon) == (game.result.outcome != Ending.ESCAPED)


TestPlay = Play.TestCase
TestPlay.settings = settings(max_examples=60, stateful_step_count=50)
