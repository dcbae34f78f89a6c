"""Hanging piece: it can simply be captured."""

import chess

from engine.explanation.claims import Finding, Piece
from engine.explanation.line import Line
from engine.explanation.material import recaptures, winnable
from engine.play.captures import value


def find(line: Line, ply: int) -> Finding | None:
    """The winner's first move captures something for nothing, or with something cheaper."""
    if ply != line.turns().start or line.moves[ply].promotion:
        return None
    before, after, square = line.boards[ply], line.boards[ply + 1], line.moves[ply].to_square
    prey, taker = line.captured(ply), before.piece_type_at(line.moves[ply].from_square)
    if prey is None or taker is None or not value(prey) - value(taker) <= line.gain <= value(prey) + 1:
        return None
    attackers, defenders = (len(before.attackers(color, square)) for color in (line.winner, not line.winner))
    if not recaptures(after, square):
        form = "unguarded" if _is_unguarded(line, ply) else "loose"
    elif value(taker) < value(prey) and taker != chess.KING:
        form = "cheaper"
    elif line.gain >= value(prey) and attackers > defenders > 0 and winnable(before, square) >= 1:
        form = "outnumbered"
    else:
        return None
    stood = square ^ 8 if before.is_en_passant(line.moves[ply]) else square
    return Finding("hanging", ply, ply, form, (Piece(prey, stood),), Piece.at(after, square))


def _is_unguarded(line: Line, ply: int) -> bool:
    """Whether the previous move left it unguarded."""
    if ply == 0 or line.boards[ply].is_en_passant(line.moves[ply]):
        return False
    mistake, square = line.moves[ply - 1], line.moves[ply].to_square
    if mistake.to_square == square or square not in line.boards[ply - 1].attacks(mistake.from_square):
        return False
    return not line.boards[ply].attackers(not line.winner, square)
