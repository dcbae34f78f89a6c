"""Forced mates are found at their true distance, with the whole line; draws by rule are worth nothing."""

import chess
import pytest

from engine.api import Engine
from engine.messages import Limits, Score
from tests.search.positions import DRAWS, MATES


@pytest.mark.parametrize(("fen", "moves"), [mate[1:] for mate in MATES], ids=[mate[0] for mate in MATES])
def test_a_forced_mate_is_found_with_its_line(engine: Engine, fen: str, moves: int) -> None:
    board = chess.Board(fen)
    plies = 2 * moves - 1 if moves > 0 else -2 * moves
    info = engine.search(board, Limits(mate=moves, nodes=3_000_000) if moves > 0 else Limits(depth=14))
    assert info.score == Score(mate=moves)
    assert len(info.pv) == plies
    for move in info.pv:
        board.push_uci(move)
    assert board.is_checkmate()


def test_queen_offer_that_mates_is_found(engine: Engine) -> None:
    """Win At Chess 14: the check after the offer is so far below alpha that pruning may leave it out."""
    board = chess.Board("r2rb1k1/pp1q1p1p/2n1p1p1/2bp4/5P2/PP1BPR1Q/1BPN2PP/R5K1 w - - 0 1")
    info = engine.search(board, Limits(nodes=400_000))
    assert board.san(chess.Move.from_uci(info.pv[0])) == "Qxh7+"
    assert info.score.mate is not None


@pytest.mark.parametrize(
    ("fen", "moves"),
    [
        ("8/2pB4/6p1/1PK2pPb/1P3pk1/5N1p/4Q2P/8 w - - 0 1", 4),
        ("8/2p2p2/2P1kPp1/4P1p1/3P2p1/2PK2P1/Bp1P4/b7 b - - 0 1", -4),
    ],
    ids=["two moves of a bishop prepare it", "a king walks to the mate"],
)
def test_quiet_moves_lead_to_mate_in_a_won_game(engine: Engine, fen: str, moves: int) -> None:
    """Neither was found in 3,000,000 nodes while quiet moves that win nothing were pruned against a won score."""
    info = engine.search(chess.Board(fen), Limits(nodes=3_000_000))
    assert info.score == Score(mate=moves)


@pytest.mark.parametrize(("fen", "depth"), [draw[1:] for draw in DRAWS], ids=[draw[0] for draw in DRAWS])
def test_a_draw_by_rule_is_worth_nothing(engine: Engine, fen: str, depth: int) -> None:
    assert engine.search(chess.Board(fen), Limits(depth=depth)).score == Score(cp=0)


def test_pinned_en_passant_does_not_hide_a_repetition(engine: Engine) -> None:
    moves = "h7h5 e3d4 g7g6 d4e3 g6g7 e3d4 g7g6 d4e3"
    engine.set_position("6k1/6rp/8/6P1/8/4Q1K1/8/8 b - - 0 1", moves.split())
    result = engine.go(Limits(depth=8))
    assert result.bestmove == "g6g7"
    assert result.info.score == Score(cp=0)


def test_pawn_move_resets_the_clock(engine: Engine) -> None:
    board = chess.Board("7k/8/8/8/8/7P/2Q5/K7 w - - 99 80")
    info = engine.search(board, Limits(depth=6))
    assert info.pv[0] in ("h3h4",)
    assert info.score.mate is not None or (info.score.cp is not None and info.score.cp > 250)


#: Black is a queen down and can bring the start position about for the third time.
A_QUEEN_DOWN = "rnb1kbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
SHUFFLE = ("g1f3", "g8f6", "f3g1", "f6g8")


def test_a_third_repetition_across_the_game_is_a_draw(engine: Engine) -> None:
    board = chess.Board(A_QUEEN_DOWN)
    for move in (*SHUFFLE, *SHUFFLE[:3]):
        board.push_uci(move)
    assert engine.search(board, Limits(depth=7)).score == Score(cp=0)
    assert engine.play(board, Limits(depth=7)) == chess.Move.from_uci("f6g8")
    assert engine.search(board.copy(stack=False), Limits(depth=5)).score.cp < -400
