"""The material won in a line: the knight on c6, the exchange, the queen for a rook."""

from collections import Counter

import chess

from engine.explanation.claims import Gain, GainKind, Pieces
from engine.explanation.line import Line
from engine.explanation.material import material


def gain_of(line: Line, whole: Line | None = None) -> Gain | None:
    """The gain of the winner of ``line``; None if it is less than a pawn, or unclear. ``line`` may be the beginning of
    a ``whole`` one in which more is won: what the winner has lost only until then is not paid for good.

    >>> board = chess.Board("4k3/8/2n5/8/8/8/6B1/4K3 w - - 0 1")
    >>> gain_of(Line.of(board, [chess.Move.from_uci("g2c6")]))
    Gain(kind='piece', won=((2, 1),), paid=(), square=42)
    """
    if line.gain < 1:
        return None
    lost, paid, promoted = net_losses(line)
    lost, paid = +lost, +paid
    if whole is not None and whole.gain > line.gain:
        paid &= +net_losses(whole)[1]
    if promoted:
        return Gain("promotion", (), pieces(paid) if material(paid) - material(lost) >= 3 else ())
    if not lost:
        return None
    if exchange := exchange_of(lost, paid):
        return exchange
    if paid.total() > paid[chess.PAWN] and line.gain < 2:
        return None  # unclear, such as a queen and a bishop for two rooks
    if lost[chess.QUEEN] or paid[chess.QUEEN]:
        lost[chess.PAWN] = paid[chess.PAWN] = 0
    won = pieces(+lost)
    kind, square = _which(line, *won[0])
    return Gain(kind, won, pieces(+paid), square) if len(won) == 1 else Gain("list", won, pieces(+paid))


def exchange_of(won: Counter[chess.PieceType], paid: Counter[chess.PieceType]) -> Gain | None:
    """The gain of a rook for a minor piece, and pawns; None if it is another. A type must not be in both counts."""
    if won[chess.ROOK] != 1 or won.total() - won[chess.PAWN] != 1:
        return None
    if paid[chess.KNIGHT] + paid[chess.BISHOP] != 1 or paid.total() - paid[chess.PAWN] != 1:
        return None
    pawns = won[chess.PAWN] - paid[chess.PAWN]
    more, less = (((chess.PAWN, count),) if count > 0 else () for count in (pawns, -pawns))
    return Gain("exchange", ((chess.ROOK, 1), *more), less)


def pieces(counts: Counter[chess.PieceType]) -> Pieces:
    """The counted types with their numbers, the most valuable first."""
    return tuple((kind, counts[kind]) for kind in sorted(counts, reverse=True))


def net_losses(line: Line) -> tuple[Counter[chess.PieceType], Counter[chess.PieceType], int]:
    """The net losses of loser and winner, equal trades (also bishop for knight) cancelled, and the new queens."""
    lost, paid = (counts.copy() for counts in line.losses)
    shown = sum(line.moves[ply].promotion == chess.QUEEN for ply in line.turns())
    promoted = max(shown, -paid[chess.QUEEN])
    paid[chess.QUEEN] += promoted
    paid[chess.PAWN] -= promoted
    cancel(lost, paid)
    given = min(promoted, max(0, paid[chess.QUEEN]))  # the new queen itself was lost
    promoted -= given
    paid[chess.QUEEN] -= given
    paid[chess.PAWN] += given
    return lost, paid, promoted


def cancel(one: Counter[chess.PieceType], other: Counter[chess.PieceType]) -> None:
    """Take out of both counts what is in both, then a bishop for a knight."""
    alike = zip(chess.PIECE_TYPES, chess.PIECE_TYPES, strict=True)
    for mine, theirs in (*alike, (chess.KNIGHT, chess.BISHOP), (chess.BISHOP, chess.KNIGHT)):
        both = max(0, min(one[mine], other[theirs]))
        one[mine] -= both
        other[theirs] -= both


def _which(line: Line, kind: chess.PieceType, count: int) -> tuple[GainKind, chess.Square | None]:
    """The kind of a gain of ``count`` pieces of type ``kind`` alone, and the square where a single one stood."""
    minors = line.losses[0][chess.KNIGHT] + line.losses[0][chess.BISHOP]
    if count > 1 or kind == chess.PAWN:
        return "list", None
    if minors > 1 and kind in (chess.KNIGHT, chess.BISHOP):
        return "minor", None
    square = None if kind == chess.QUEEN else _where(line, kind)
    return "list" if square is None and kind != chess.QUEEN else "piece", square


def _where(line: Line, kind: chess.PieceType) -> chess.Square | None:
    """Where the only captured piece of type ``kind`` stood before the winner's first move; None if unclear."""
    if line.losses[0][kind] != 1:
        return None  # one may have been exchanged and another won
    plies = [ply for ply in line.turns() if ply < line.quoted_plies and line.captured(ply) == kind]
    if len(plies) != 1:
        return None
    first = line.turns().start
    here, square = line.boards[first], line.origin(line.moves[plies[0]].to_square, first, plies[0])
    return square if here.piece_type_at(square) == kind and here.color_at(square) != line.winner else None
