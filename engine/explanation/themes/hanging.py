"""Hanging piece: it can simply be taken."""

from __future__ import annotations

import chess

from engine.explanation.exchange import recaptures, winnable
from engine.explanation.line import Line
from engine.explanation.themes.finding import Finding
from engine.explanation.words import NAMES, the_piece
from engine.play.exchange import value


def find(line: Line) -> Finding | None:
    """The winner's first move takes something for nothing, or with something cheaper."""
    ply = line.turns().start
    if ply >= len(line) or line.moves[ply].promotion:
        return None
    before, after, square = line.boards[ply], line.boards[ply + 1], line.moves[ply].to_square
    prey, taker = line.captured(ply), before.piece_type_at(line.moves[ply].from_square)
    if prey is None or taker is None or not value(prey) - value(taker) <= line.gain <= value(prey) + 1:
        return None
    san, it = line.san(ply), f"the {NAMES[prey]} on {chess.square_name(square)}"
    if not recaptures(after, square):
        text = _cause(line, ply) or f"{san} takes {it}, and nothing can recapture"
    elif value(taker) < value(prey) and taker != chess.KING:
        text = f"{san} takes {it} with a {NAMES[taker]}"
    elif line.gain >= value(prey) and len(before.attackers(line.winner, square)) > 1 and winnable(before, square) >= 1:
        text = f"{san} takes {it}, which is attacked more often than it is defended"
    else:
        return None
    return Finding("hanging", ply, ply, text)


def _cause(line: Line, ply: int) -> str | None:
    """Why it hangs, if the move before made it hang."""
    if ply == 0 or line.boards[ply].is_en_passant(line.moves[ply]):
        return None
    before, board = line.boards[ply - 1], line.boards[ply]
    mistake, square = line.moves[ply - 1], line.moves[ply].to_square
    if mistake.to_square == square:
        return f"{line.san(ply)} takes {the_piece(board, square)}, and nothing can recapture"
    if square in before.attacks(mistake.from_square) and not board.attackers(not line.winner, square):
        return f"after {line.san(ply - 1)} nothing guards {the_piece(board, square)}, and {line.san(ply)} takes it"
    return None
