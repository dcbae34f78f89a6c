"""When a move deserves praise: "!!", "!" and "only move", by rules that can be checked on the board.

only move  every other legal move would be a mistake at least
"!"        the only move if it is hard to see: not a reply to a check, no capture, no promotion and no piece brought
           to safety; or a sacrifice that is the best move while the next best is not winning anyway
"!!"       a sacrifice that is the only move

A sacrifice is praised only if its side does not stand worse after it.

A sacrifice leaves the opponent a capture that wins at least the exchange (two pawns), counted by the captures on
the board against what the move itself took, where another move would have kept that. A capture that parries a mate in
one is not a sacrifice.
"""

from __future__ import annotations

import chess

from engine.analysis.judge import Grade
from engine.explanation.standing import EDGE, WINNING
from engine.explanation.themes.threat import mate_in_one
from engine.play.captures import Captures, taken

#: The least material that a sacrifice gives, in pawns: the exchange.
SACRIFICE = 2


def praise(board: chess.Board, move: chess.Move, gap: float, points: float, next_best: float) -> Grade:
    """The grade of ``move``, the best on ``board``, which leaves its side ``points``; the next best costs ``gap`` and
    leaves ``next_best``."""
    only = gap >= Grade.MISTAKE.loss
    if (only or next_best < WINNING) and points >= 1 - EDGE and is_sacrifice(board, move):
        return Grade.BRILLIANT if only else Grade.GOOD
    if only:
        return Grade.ONLY if is_obvious(board, move) else Grade.GOOD
    return Grade.FINE


def is_sacrifice(board: chess.Board, move: chess.Move) -> bool:
    """Whether ``move`` gives material away that another move would have kept, and is not just the capture of a
    piece that threatens mate."""
    given = offered(board, move)
    if given < SACRIFICE or (board.is_capture(move) and not board.is_check() and mate_in_one(board)):
        return False
    kept = max(SACRIFICE - 1, given - SACRIFICE)  # what the others may give for this to be a choice
    return any(offered(board, other) <= kept for other in board.legal_moves if other != move)


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
