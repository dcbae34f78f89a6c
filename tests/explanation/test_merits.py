"""What the best move in a position does, the lines being given."""

import chess
import pytest
from chess.engine import Cp, Mate, PovScore

from engine.explanation import merit_of
from engine.explanation.claims import Threat
from engine.explanation.tables import result_by
from tests.explanation.lines import moves, short


@pytest.mark.parametrize(
    ("fen", "line", "score", "claim"),
    [
        ("6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1", "Ra8#", Mate(1), "leads backRankMate 1"),
        (
            *("r5k1/5ppp/8/8/8/8/4QPPP/4R1K1 w - - 0 1", "Qe8+ Rxe8 Rxe8#"),
            *(Mate(2), "leads backRankMate 2"),
        ),
        ("8/8/8/8/8/5k2/7q/7K w - - 0 1", "Kxh2", Cp(0), "wins hanging/loose Q"),
        ("8/8/8/8/8/6k1/q7/7K w - - 0 1", "", Mate(-1), "None"),
        ("7k/8/5K2/8/8/8/8/R7 b - - 0 1", "Kg8 Ra8#", Mate(-2), "mated mated 2"),
        ("r3k3/2p5/8/3N4/8/8/8/4K3 w - - 0 1", "Nxc7+ Kd7 Nxa8 Kc8", Cp(900), "wins fork/fork RP"),
        ("6k1/8/8/8/8/1q6/3p4/6K1 b - - 0 1", "d1=Q+ Kg2 Qdd5+", Cp(2000), "wins promotion/now promotion"),
        (  # queens are exchanged: what is won is the new one
            "8/8/8/7P/1k6/p1q1K3/3Q4/8 w - - 0 30",
            *("Qxc3+ Kxc3 h6 Kb2 h7 Kc3 h8=Q+ Kc4 Qd4+ Kb3 Qa1", Cp(700), "wins promotion/later promotion"),
        ),
        (  # one rook is exchanged, the other is won
            *("2kr2nr/ppp5/8/6N1/8/8/5PPP/3R2K1 w - - 0 1", "Rxd8+ Kxd8 Nf7+ Ke7"),
            *(Cp(100), "wins line R"),
        ),
        ("8/r6k/2PP4/8/8/8/8/6K1 w - - 0 1", "c7 Rxc7 dxc7 Kg7 c8=Q Kf6", Cp(900), "None"),  # another pawn queens
        ("8/P7/8/8/3k4/8/8/1K5R w - - 0 1", "Rd1+ Kc4", Cp(1000), "None"),  # the pawn could have queened at once
        (chess.STARTING_FEN, "e4 e5", Cp(30), "None"),
        (  # a pawn is won in the line, but the score is not that of a side with a pawn more
            "r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/8/PPPP1PPP/RNBQK1NR w KQkq - 0 3",
            *("Nf3 Nf6 d3 Na5 Nxe5 Nxc4 Nxc4 d5", Cp(24), "None"),
        ),
        # A king that reaches the corner of a rook's pawn holds the draw.
        ("8/3k4/5B2/6K1/6R1/P7/6r1/8 b - - 0 71", "Rxg4+ Kxg4 Kc8 Kf5 Kb8", Cp(0), "drawn held"),
        ("k7/8/1K6/P7/8/8/3B4/8 w - - 0 72", "Bc3", Cp(0), "drawn held"),
        ("8/8/8/8/p7/1k6/8/K7 w - - 0 72", "Kb1", Cp(0), "drawn held"),
    ],
)
def test_what_the_best_move_does(fen, line, score, claim):
    board = chess.Board(fen)
    assert short(merit_of(board, moves(board, line), PovScore(score, board.turn))) == claim


def test_a_recapture_does_not_win_what_was_lost():
    board = chess.Board()
    for move in moves(board, "e4 e5 Nf3 Nc6 d4 exd4"):
        board.push(move)
    assert merit_of(board, moves(board, "Nxd4 Nxd4 Qxd4 d6"), PovScore(Cp(30), chess.WHITE)) is None


@pytest.mark.parametrize(
    ("fen", "move", "threat", "claim"),
    [
        ("6k1/5ppp/8/8/8/8/5PPP/R4RK1 w - - 0 1", "Rfd1", "Ra8#", (True, "None")),
        ("8/8/6k1/8/8/2K5/6p1/8 b - - 0 1", "Kf5", "g1=Q", (False, "None")),
        ("4k3/1p6/2n5/8/8/8/4B3/4K3 w - - 0 1", "Bb5", "Bxc6+", None),  # it would be taken back
        ("4k3/8/2n5/8/8/8/4B3/4K3 w - - 0 1", "Bf3", "Bxc6+", (False, "N@c6")),
        ("4k3/8/2n5/8/8/8/4B3/4K3 w - - 0 1", "Bf3", "Nd4", None),  # illegal
    ],
)
def test_a_threat_is_what_follows_a_pass(fen, move, threat, claim):
    board = chess.Board(fen)
    after = board.copy(stack=False)
    after.push_san(move)
    if threat != "Nd4":
        after.push(chess.Move.null())
    line = [board.parse_san(move)]
    found = merit_of(board, line, PovScore(Cp(100), board.turn), [after.parse_san(threat)])
    assert (found and isinstance(found, Threat) and (found.mate, short(found.gain))) == claim


PAWN = chess.Board("8/1K6/3k4/8/8/2P5/8/8 w - - 0 1")


@pytest.mark.parametrize(
    ("outcome", "kept"), [(2, ("Kb6",)), (2, ("c4", "Kb6", "Ka6")), (1, ("c4",)), (0, ("c4",)), (-1, ()), (-2, ())]
)
def test_tables_name_the_moves_that_keep_the_result(outcome, kept):
    after = {PAWN.epd(): outcome}
    for move in PAWN.legal_moves:
        board = PAWN.copy(stack=False)
        board.push(move)
        after[board.epd()] = -outcome if PAWN.san(move) in kept else -outcome + 1 + (outcome == 2)
    best = PAWN.parse_san(kept[0] if kept else "c4")
    found = result_by(lambda each: after[each.epd()], PAWN, best)
    assert found
    assert found.outcome == outcome
    assert {PAWN.san(move) for move in found.kept} == set(kept)
    assert not found.every


def test_mate_and_stalemate_need_no_table():
    board = chess.Board("k7/8/1K6/8/8/8/8/7R w - - 0 1")
    found = result_by(lambda each: {board.epd(): 2}.get(each.epd()), board, board.parse_san("Rh8#"))
    assert found
    assert [board.san(move) for move in found.kept] == ["Rh8#"]
