"""What the endgame tables say of a position and of its moves."""

import chess
import pytest

from engine.explanation.english import sentence
from engine.explanation.tables import result_by

PAWN = chess.Board("8/1K6/3k4/8/8/2P5/8/8 w - - 0 1")


def said(outcome: int, kept: tuple[str, ...], board: chess.Board = PAWN) -> str | None:
    """What is said if the moves ``kept`` keep the ``outcome`` of ``board``, and others do not."""
    after = {board.copy(stack=False).epd(): outcome}
    for move in board.legal_moves:
        board.push(move)
        after[board.epd()] = -outcome if _name(board) in kept else -outcome + 1 + (outcome == 2)
        board.pop()
    found = result_by(lambda each: after[each.epd()], board, board.parse_san(kept[0]))
    return sentence(found) if found else None


def _name(board: chess.Board) -> str:
    before = board.copy()
    move = before.pop()
    return before.san(move)


@pytest.mark.parametrize(
    ("outcome", "kept", "text"),
    [
        (2, ("Kb6",), "White is winning according to the tablebases; only Kb6 wins."),
        (2, ("Kb6", "c4"), "White is winning according to the tablebases; only Kb6 and c4 win."),
        (2, ("c4", "Kb6", "Ka6", "Ka7"), "White is winning according to the tablebases; c4 and 3 other moves win."),
        (1, ("c4",), "The tablebases give White a win that the 50-move rule turns into a draw; only c4 keeps it."),
        (0, ("c4",), "It is a draw according to the tablebases; only c4 keeps it."),
        (-1, ("c4",), "The tablebases give White a loss that the 50-move rule turns into a draw."),
        (-2, ("c4",), "White is lost according to the tablebases."),
    ],
)
def test_the_result_is_told_and_the_moves_that_keep_it(outcome, kept, text):
    assert said(outcome, kept) == text


def test_moves_that_all_keep_the_result_are_not_listed():
    every = tuple(PAWN.san(move) for move in PAWN.legal_moves)
    assert said(2, every) == "White is winning according to the tablebases, after any move."


def test_mate_and_stalemate_need_no_table():
    board = chess.Board("k7/8/1K6/8/8/8/8/7R w - - 0 1")
    tables = {board.epd(): 2}
    found = result_by(lambda each: tables.get(each.epd()), board, board.parse_san("Rh8#"))
    assert found
    assert sentence(found) == "White is winning according to the tablebases; only Rh8# wins."
