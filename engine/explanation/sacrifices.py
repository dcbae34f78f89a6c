"""Sacrifices: the material that a move offers, by the captures on the board.

A sacrifice leaves the opponent a capture that wins at least the exchange, counted against what the move itself took,
where another move would have kept that. A move that parries a mate in one is not a sacrifice."""

import chess

from engine.explanation.effort import spend
from engine.explanation.themes.threat import mate_in_one
from engine.play.captures import Captures, immediate_gain

MIN_SACRIFICE_PAWNS = 2  # the least material that a sacrifice gives, in pawns: the exchange


def sacrificed(board: chess.Board, move: chess.Move) -> dict[chess.Square, int]:
    """The squares of the pieces that ``move`` sacrifices, and what each costs in pawns; empty if it is no sacrifice."""
    given = {square: pawns for square, pawns in _offers(board, move).items() if pawns >= MIN_SACRIFICE_PAWNS}
    given = {square: pawns for square, pawns in given.items() if _can_take(board, move, square, pawns)}
    if not given or _parries_mate(board, move):
        return {}
    # what the others may give for this to be a choice
    kept = max(MIN_SACRIFICE_PAWNS - 1, max(given.values()) - MIN_SACRIFICE_PAWNS)
    others = (other for other in board.legal_moves if other != move)
    return given if any(offered(board, other) <= kept for other in others) else {}


def offered(board: chess.Board, move: chess.Move) -> int:
    """The pawns that the opponent wins by the best capture after ``move``, less what the move itself took.

    >>> board = chess.Board("6k1/8/4p3/3p4/8/8/3R4/6K1 w - - 0 1")
    >>> offered(board, chess.Move.from_uci("d2d5")), offered(board, chess.Move.from_uci("d2d4"))
    (4, 0)
    """
    return max(_offers(board, move).values(), default=-immediate_gain(board, move))


def _offers(board: chess.Board, move: chess.Move) -> dict[chess.Square, int]:
    """The squares of the opponent's captures after ``move``, with what each wins in pawns, less what ``move`` took."""
    spend()
    after, won = board.copy(stack=False), immediate_gain(board, move)
    after.push(move)
    captures = Captures(after)
    targets = {reply.to_square for reply in after.generate_legal_captures() if after.piece_type_at(reply.to_square)}
    return {square: captures.won_on(square) - won for square in targets}


def _can_take(board: chess.Board, move: chess.Move, square: chess.Square, pawns: int) -> bool:
    """Whether a piece can capture on ``square`` after ``move`` and leaves none behind it that is worth ``pawns``."""
    after = board.copy(stack=False)
    after.push(move)
    for reply in after.generate_legal_captures(to_mask=chess.BB_SQUARES[square]):
        after.push(reply)
        left = chess.BB_SQUARES[reply.from_square]
        moves = after.generate_legal_captures()
        opened = [each for each in moves if chess.between(each.from_square, each.to_square) & left]
        if max(map(Captures(after).exchange, opened), default=0) < pawns:
            return True
        after.pop()
    return False


def _parries_mate(board: chess.Board, move: chess.Move) -> bool:
    """Whether the opponent threatens mate in one and ``move`` gives no check, or captures a piece that takes part."""
    mate = None if board.is_check() else mate_in_one(board)
    if mate is None or not board.gives_check(move):
        return mate is not None
    mated = board.copy(stack=False)
    mated.push(chess.Move.null())
    mated.push(mate)
    captured = mated.remove_piece_at(move.to_square)
    return mate.from_square == move.to_square or (captured is not None and not mated.is_checkmate())
