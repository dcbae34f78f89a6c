"""When a move deserves praise: "!!", "!" and "only move", by rules that a reader can check on the board.

only move  every other legal move would be a mistake at least
"!"        the only move if it is hard to see: not a reply to a check, no capture, no promotion and no piece brought
           to safety; or a sacrifice that is the best move while the next best is not winning anyway
"!!"       a sacrifice that is the only move

A sacrifice leaves the opponent a capture that wins at least an exchange (two pawns), counted by the exchanges on
the board against what the move itself took, where another move would have kept that.
"""

from __future__ import annotations

import chess

from engine.analysis.judge import Grade
from engine.explanation.standing import WINNING
from engine.play.exchange import Captures, taken

#: A sacrifice gives at least so much, in pawns: the exchange.
SACRIFICE = 2


def praise(board: chess.Board, move: chess.Move, gap: float, next_best: float) -> Grade:
    """The grade of ``move``, the best on ``board``; the next best costs ``gap`` and leaves ``next_best`` points."""
    only = gap >= Grade.MISTAKE.loss
    if (only or next_best < WINNING) and is_sacrifice(board, move):
        return Grade.BRILLIANT if only else Grade.GOOD
    if only:
        return Grade.ONLY if is_obvious(board, move) else Grade.GOOD
    return Grade.FINE


def is_sacrifice(board: chess.Board, move: chess.Move) -> bool:
    """Whether ``move`` gives material away that another move would have kept."""
    return offered(board, move) >= SACRIFICE and any(
        offered(board, other) < SACRIFICE for other in board.legal_moves if other != move
    )


def is_obvious(board: chess.Board, move: chess.Move) -> bool:
    """Whether a player sees ``move`` at once: a reply to a check, a capture, a promotion, a piece brought to safety."""
    if board.is_check() or board.is_capture(move) or move.promotion:
        return True
    waiting = board.copy(stack=False)
    waiting.push(chess.Move.null())
    return Captures(waiting).won_on(move.from_square) > 0


def is_recapture(board: chess.Board, move: chess.Move) -> bool:
    """Whether ``move`` takes back what has just taken."""
    if not board.move_stack or board.move_stack[-1].to_square != move.to_square:
        return False
    former = board.copy(stack=1)
    return former.is_capture(former.pop())


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
