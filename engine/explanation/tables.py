"""A board's tablebase result, and the moves that keep it."""

from collections.abc import Callable

import chess

from engine.explanation.claims import TableResult
from engine.explanation.effort import spend
from engine.explanation.line import Line

#: Looks a board up in the tablebases: 2 (won) to -2 (lost) for the side to move; None if it is not found.
Tables = Callable[[chess.Board], int | None]


def result_by(tables: Tables, board: chess.Board, best: chess.Move) -> TableResult | None:
    """The result of ``board`` by ``tables`` with the moves that keep a win or a draw, ``best`` first if it does; None
    if the board is not found."""
    outcome = tables(board)
    if outcome is None or outcome < 0:
        return None if outcome is None else TableResult(Line.of(board, []), outcome)
    moves = dict.fromkeys((best, *board.legal_moves))
    kept = tuple(move for move in moves if _keeps(tables, board, move, outcome))
    return TableResult(Line.of(board, []), outcome, kept, len(kept) == len(moves))


def _keeps(tables: Tables, board: chess.Board, move: chess.Move, outcome: int) -> bool:
    spend()
    after = board.copy(stack=False)
    after.push(move)
    if after.is_checkmate():
        return outcome == 2
    found = 0 if after.is_stalemate() or after.is_insufficient_material() else tables(after)
    return found is not None and -found == outcome
