"""When a move deserves praise: "!!", "!" and "only move", by rules that can be checked on the board.

only move  every other legal move would be a mistake at least
"!"        the only move if it is hard to see: no capture, no promotion, no piece brought to safety and no reply to a
           check; or a sacrifice that is better than every other move
"!!"       a sacrifice that is the only move

No move is praised if the next best keeps a clear advantage, too, and no reply to a check with three legal moves or
fewer is an only move. A sacrifice is praised only if its side does not stand worse
after it.

A sacrifice leaves the opponent a capture that wins at least the exchange (two pawns), counted by the captures on
the board against what the move itself took, where another move would have kept that. The capture of a piece that takes
part in a mate in one is not a sacrifice.
"""

from __future__ import annotations

import chess
from chess.engine import Score

from engine.analysis.judge import Grade, cost, grade_of, points
from engine.explanation.standing import EDGE
from engine.explanation.themes.threat import mate_in_one
from engine.play.captures import Captures, taken

#: The least material that a sacrifice gives, in pawns: the exchange.
SACRIFICE = 2

#: Replies to a check that are easy to choose from.
_FEW = 3

#: The expected points of a clear advantage, and the difference of two moves that are as good as each other.
_CLEAR, EQUAL = 0.7, 0.02


def praise(board: chess.Board, move: chess.Move, score: Score, next_best: Score) -> Grade:
    """The grade of ``move``, the best on ``board``, whose side has ``score`` with it and ``next_best`` without it."""
    if points(next_best) >= _CLEAR or cost(score, next_best) < EQUAL:
        return Grade.FINE
    only = grade_of(score, next_best) in (Grade.MISTAKE, Grade.BLUNDER)
    if points(score) >= 1 - EDGE and is_sacrifice(board, move):
        return Grade.BRILLIANT if only else Grade.GOOD
    if not only or (board.is_check() and board.legal_moves.count() <= _FEW):
        return Grade.FINE
    return Grade.ONLY if is_obvious(board, move) else Grade.GOOD


def is_sacrifice(board: chess.Board, move: chess.Move) -> bool:
    """Whether ``move`` gives material away that another move would have kept, and is not just the capture of a
    piece that threatens mate."""
    given = offered(board, move)
    if given < SACRIFICE or _parries_mate(board, move):
        return False
    kept = max(SACRIFICE - 1, given - SACRIFICE)  # what the others may give for this to be a choice
    return any(offered(board, other) <= kept for other in board.legal_moves if other != move)


def _parries_mate(board: chess.Board, move: chess.Move) -> bool:
    """Whether the opponent threatens mate in one and ``move`` captures a piece that takes part in it."""
    mate = mate_in_one(board) if board.is_capture(move) and not board.is_check() else None
    if mate is None:
        return False
    mated = board.copy(stack=False)
    mated.push(chess.Move.null())
    mated.push(mate)
    return mate.from_square == move.to_square or not (mated.remove_piece_at(move.to_square) and mated.is_checkmate())


def is_obvious(board: chess.Board, move: chess.Move) -> bool:
    """Whether a player sees ``move`` at once: a reply to a check, a capture, a promotion, a piece brought to safety."""
    if board.is_check() or board.is_capture(move) or move.promotion:
        return True
    waiting = board.copy(stack=False)
    waiting.push(chess.Move.null())
    return Captures(waiting).won_on(move.from_square) > 0


def is_recapture(board: chess.Board, move: chess.Move) -> bool:
    """Whether ``move`` is a recapture."""
    if not board.move_stack or board.move_stack[-1].to_square != move.to_square:
        return False
    previous = board.copy(stack=1)
    return previous.is_capture(previous.pop())


def offered(board: chess.Board, move: chess.Move) -> int:
    """The pawns that the opponent wins by his best capture after ``move``, less what the move itself took.

    >>> board = chess.Board("6k1/8/4p3/3p4/8/8/3R4/6K1 w - - 0 1")
    >>> offered(board, chess.Move.from_uci("d2d5")), offered(board, chess.Move.from_uci("d2d4"))
    (4, 0)
    """
    after = board.copy(stack=False)
    after.push(move)
    targets = {reply.to_square for reply in after.generate_legal_captures()}
    return max(map(Captures(after).won_on, targets), default=0) - taken(board, move)
