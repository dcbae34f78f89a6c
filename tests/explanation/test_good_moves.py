"""What the best move in a position does, and why a move is praised, the lines being given."""

import chess
import pytest
from chess.engine import Cp, PovScore

from engine.explanation import merit_of, praise_of
from engine.explanation.claims import Threat
from engine.explanation.good_moves import result_by
from tests.explanation.lines import board_of, case_of, cases, moves, score, short


@pytest.mark.parametrize(("fen", "line", "value", "claim"), cases("merit"))
def test_what_the_best_move_does(fen, line, value, claim):
    board = board_of(fen)
    assert short(merit_of(board, moves(board, line), PovScore(score(value), board.turn))) == claim


@pytest.mark.parametrize(("case", "claim"), [(cells, claim) for *cells, claim in cases("praise")])
def test_why_a_move_is_praised(case, claim):
    assert short(praise_of(case_of(*case))) == claim


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
        ("4k3/8/2n5/8/8/8/6B1/4K3 w - - 0 1", "Kf2", "Bxc6+", None),  # as before the move
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
