"""What the endgame tables say of a position, and which moves keep its result."""

from __future__ import annotations

from collections.abc import Callable

import chess

from engine.explanation.effort import step
from engine.explanation.words import listed, side

#: What the endgame tables say of a board for its side to move, 2 (won) to -2 (lost); None if they say nothing.
Tables = Callable[[chess.Board], int | None]

#: Moves that are named, if no others keep the result.
_NAMED = 3


def result_by(tables: Tables, board: chess.Board, best: chess.Move) -> str | None:
    """What ``tables`` say of ``board``, in a sentence that begins with the ``best`` move if it keeps a win or a draw;
    None if they say nothing.

    >>> lone = chess.Board("8/8/8/8/8/2k5/1p6/1K6 w - - 0 1")
    >>> result_by(lambda each: 0, lone, chess.Move.from_uci("b1a2"))
    'It is a draw according to the endgame tables, after any move.'
    """
    outcome = tables(board)
    if outcome is None:
        return None
    if outcome < 0:
        saved = ", but for the 50-move rule" if outcome == -1 else ""
        return f"{side(board.turn)} is lost according to the endgame tables{saved}."
    kept = [move for move in (best, *board.legal_moves) if _keeps(tables, board, move, outcome)]
    kept = list(dict.fromkeys(kept))
    all_keep = len(kept) == board.legal_moves.count()
    if outcome == 0:
        says = "It is a draw according to the endgame tables"
        what = "keep it" if len(kept) > 1 else "keeps it"
    else:
        rule = ", but for the 50-move rule" if outcome == 1 else ""
        says = f"{side(board.turn)} is winning according to the endgame tables{rule}"
        what = "win" if len(kept) > 1 else "wins"
    if all_keep or not kept:
        return f"{says}, after any move." if all_keep else f"{says}."
    if len(kept) <= _NAMED:
        return f"{says}; only {listed([board.san(move) for move in kept])} {what}."
    return f"{says}; {board.san(best)} and {len(kept) - 1} other moves {what}."


def _keeps(tables: Tables, board: chess.Board, move: chess.Move, outcome: int) -> bool:
    step()
    after = board.copy(stack=False)
    after.push(move)
    if after.is_checkmate():
        return outcome == 2
    found = 0 if after.is_stalemate() or after.is_insufficient_material() else tables(after)
    return found is not None and -found == outcome
