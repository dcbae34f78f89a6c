"""Pins: a piece that cannot move or recapture because of the piece behind it."""

import chess

from engine.explanation.claims import Finding, Piece
from engine.explanation.line import Line
from engine.explanation.material import recaptures
from engine.play.captures import value


def find(line: Line, ply: int) -> Finding | None:
    """A pin that lets the winner capture something."""
    return _pinned_guard(line, ply) or _pinned_prey(line, ply)


def _pinned_guard(line: Line, ply: int) -> Finding | None:
    """A capture that only a pinned piece could punish."""
    prey = line.captured(ply)
    after, square = line.boards[ply + 1], line.moves[ply].to_square
    loser = not line.winner
    if prey is None or recaptures(after, square) or after.is_check():
        return None
    if value(prey) <= 1 and value(after.piece_type_at(square)) <= 1:
        return None
    for guard in after.attackers(loser, square):
        if after.piece_type_at(guard) != chess.KING and after.is_pinned(loser, guard):
            return Finding("pin", ply, ply, "guard", (Piece.at(after, guard),))
    return None


def _pinned_prey(line: Line, ply: int) -> Finding | None:
    """A piece pinned by the move, or attacked while pinned, that the winner captures with the next move."""
    if ply + 2 >= len(line) or not line.captured(ply + 2):
        return None
    board, move, capture = line.boards[ply + 1], line.moves[ply], line.moves[ply + 2]
    loser, square = not line.winner, capture.to_square
    reply = line.moves[ply + 1]
    worth = [value(board.piece_type_at(where)) for where in (reply.from_square, move.to_square)]
    if reply.to_square == square == move.to_square and worth[0] > worth[1]:
        square = reply.from_square  # the pinned piece captures the pinning one and is recaptured
    elif reply.to_square == square:
        return None
    if board.color_at(square) != loser:
        return None
    kind = board.piece_type_at(square)
    if kind == chess.PAWN or square not in board.attacks(move.to_square):
        return None
    ray = board.pin(loser, square)
    if ray == chess.BB_ALL:
        return None
    pinner = next(iter(chess.SquareSet(ray) & board.occupied_co[line.winner]), None)
    form = "pins" if pinner == move.to_square else "pinned"
    return Finding("pin", ply, ply + 2, form, (Piece.at(board, square),))
