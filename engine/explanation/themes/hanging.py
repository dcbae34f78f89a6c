"""Hanging piece: it can simply be taken."""

from __future__ import annotations

import chess

from engine.explanation.exchange import recaptures, value, winnable
from engine.explanation.line import Line
from engine.explanation.themes.finding import Finding
from engine.explanation.words import NAMES, man


def find(line: Line) -> Finding | None:
    """The winner's first move takes something for nothing, or for much less."""
    ply = line.turns().start
    if ply >= len(line) or not line.captured(ply) or line.gain < 1 or line.moves[ply].promotion:
        return None
    before, after, square = line.boards[ply], line.boards[ply + 1], line.moves[ply].to_square
    prey, taker = line.captured(ply), before.piece_type_at(line.moves[ply].from_square)
    if prey is None or taker is None or line.gains[ply + 1] < min(line.gain, value(prey) - value(taker), 1):
        return None
    if not recaptures(after, square):
        return Finding("hanging", ply, _cause(line, ply) or f"{line.san(ply)} takes it for nothing")
    if value(taker) < value(prey) and taker != chess.KING:
        return Finding("hanging", ply, f"{line.san(ply)} takes {_the(prey, square)} with a {NAMES[taker]}")
    if winnable(before, square) >= 1 and len(before.attackers(line.winner, square)) > 1:
        return Finding("hanging", ply, f"{line.san(ply)} takes {_the(prey, square)}, which is attacked too often")
    return None


def _the(kind: chess.PieceType, square: chess.Square) -> str:
    return f"the {NAMES[kind]} on {chess.square_name(square)}"


def _cause(line: Line, ply: int) -> str | None:
    """Why it hangs, where the move before made it hang."""
    if ply == 0 or line.boards[ply].is_en_passant(line.moves[ply]):
        return None
    board, mistake, square = line.boards[ply], line.moves[ply - 1], line.moves[ply].to_square
    if mistake.to_square == square:
        return f"{line.san(ply)} takes it, and nothing takes back"
    before = line.boards[ply - 1]
    if square in before.attacks(mistake.from_square) and not board.attackers(not line.winner, square):
        return f"after {line.san(ply - 1)} nothing guards {man(board, square)}, and {line.san(ply)} takes it"
    return None
