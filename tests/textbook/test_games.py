"""The games: their rules, their known results and what they refuse."""

from math import inf

import chess
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.textbook import MAX, MIN, alpha_beta, minimax_decision, mtdf, negamax
from engine.textbook.games import Bones, ExplicitTree, Othello, TicTacToe
from engine.textbook.games.chess import Chess
from engine.textbook.games.othello import PASS
from tests.textbook.test_algorithms import KIWIPETE

GAMES = [TicTacToe(), Bones(9), Othello(4), Othello(8), ExplicitTree(), Chess(), Chess(KIWIPETE)]


@given(st.sampled_from(GAMES), st.randoms(use_true_random=False))
def test_the_protocol_holds_along_random_games(game, random):
    state = game.initial()
    for _ in range(30):
        if game.is_terminal(state):
            assert -inf < game.utility(state) < inf
            break
        assert -inf < game.evaluate(state) < inf
        before, action = game.key(state), random.choice(game.actions(state))
        child = game.result(state, action)
        assert game.to_move(child) == -game.to_move(state)
        assert game.key(state) == before, "a state was changed in place"
        assert hash(game.key(child)) != hash(before)
        state = child


def test_tictactoe_is_a_draw_of_255168_games():
    assert alpha_beta(TicTacToe()).value == mtdf(TicTacToe()).value == 0
    corner, edge, centre = (minimax_decision(TicTacToe(), s) for s in ("X........", ".X.......", "....X...."))
    assert corner.value == edge.value == centre.value == 0
    assert 4 * corner.leaves + 4 * edge.leaves + centre.leaves == 255_168


@pytest.mark.parametrize("heap", range(13))
def test_bones_are_lost_where_four_divides_the_heap(heap):
    outcome = negamax(Bones(heap))
    assert outcome.value == (-1 if heap % 4 == 0 else 1)
    if heap % 4:
        assert outcome.move == heap % 4


def test_small_othello_is_lost_by_eight():
    assert mtdf(Othello(4)).value == -8  # 3 discs to 11, as the literature has it


def test_othello_moves_flip_lines():
    game = Othello(8)
    start = game.initial()
    assert start[0].count("X") == start[0].count("O") == 2
    assert game.actions(start) == [19, 26, 37, 44]
    board, player = game.result(start, 19)
    assert player == MIN
    assert (board.count("X"), board.count("O")) == (4, 1)
    level = [start]
    for expected in (4, 12, 56, 244, 1396):  # the counts that Othello programs publish
        level = [game.result(state, action) for state in level for action in game.actions(state)]
        assert len(level) == expected


def test_othello_passes_and_ends():
    game = Othello(4)
    assert game.actions(("XO" + "." * 14, MIN)) == [PASS]
    assert game.result(("XO" + "." * 14, MIN), PASS) == ("XO" + "." * 14, MAX)
    assert game.is_terminal(("X" * 16, MAX))
    assert game.utility(("X" * 10 + "O" * 6, MIN)) == 4


@pytest.mark.parametrize(
    ("fen", "depth", "leaves"),
    [(chess.STARTING_FEN, 3, 8902), (KIWIPETE, 2, 2039), ("8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", 3, 2812)],
)
def test_minimax_leaves_on_chess_are_perft(fen, depth, leaves):
    assert minimax_decision(Chess(fen), None, depth).leaves == leaves


def test_chess_counts_material_and_mate():
    game = Chess()
    assert game.evaluate(chess.Board()) == 0
    assert game.evaluate(chess.Board("4k3/p7/8/8/8/8/8/QRBNK3 w - - 0 1")) == 9 + 5 + 3 + 3 - 1
    mated = chess.Board("R5k1/5ppp/8/8/8/8/8/6K1 b - - 0 1")
    assert game.is_terminal(mated)
    assert game.utility(mated) == 1000
    stalemated = chess.Board("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1")
    assert game.is_terminal(stalemated)
    assert game.utility(stalemated) == 0


def test_chess_promises_follow_mvv_lva():
    game, board = Chess(), chess.Board("4k3/P7/8/3q4/2P1Q3/4p3/8/2N1K3 w - - 0 1")
    promise = {m.uci(): game.promise(board, m) for m in board.legal_moves}
    assert promise["c4d5"] > promise["e4d5"] > promise["a7a8q"] > promise["e4e3"] > promise["c1b3"] == 0
    assert promise["a7a8q"] > promise["a7a8n"] > 0
    en_passant = chess.Board("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1")
    assert game.promise(en_passant, chess.Move.from_uci("e5d6")) > 0
