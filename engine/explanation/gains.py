"""What was won or lost in a line, in words: the knight on c6, the exchange, the queen for a rook."""

from __future__ import annotations

from collections import Counter

import chess

from engine.explanation.line import Line
from engine.explanation.words import NAMES, counted, listed
from engine.play.exchange import value


def gain_text(line: Line) -> str:
    """What the winner of ``line`` wins; empty if it is less than a pawn.

    >>> board = chess.Board("4k3/8/2n5/8/8/8/6B1/4K3 w - - 0 1")
    >>> gain_text(Line.of(board, [chess.Move.from_uci("g2c6")]))
    'the knight on c6'
    """
    if line.gain < 1:
        return ""
    lost, paid, promoted = _net(line)
    if promoted:
        rest = +paid if sum(count * value(kind) for kind, count in (+paid).items()) >= 3 else None
        return f"a new queen for {_list(rest)}" if rest else "a new queen"
    lost, paid = +lost, +paid
    if not lost:
        return ""
    pieces_lost, pieces_paid = (pieces.total() - pieces[chess.PAWN] for pieces in (lost, paid))
    if lost[chess.ROOK] == 1 == pieces_lost and paid[chess.KNIGHT] + paid[chess.BISHOP] == 1 == pieces_paid:
        return _exchange(lost[chess.PAWN], paid[chess.PAWN])
    if pieces_paid and line.gain < 2:
        return ""  # such as a queen and a bishop for two rooks: who can say
    if lost[chess.QUEEN] or paid[chess.QUEEN]:
        lost[chess.PAWN] = paid[chess.PAWN] = 0
    return f"{_list(+lost, line)} for {_list(+paid)}" if +paid else _list(+lost, line)


def _exchange(gained: int, paid: int) -> str:
    if gained:
        return f"the exchange and {counted(chess.PAWN, gained)}"
    return f"the exchange for {counted(chess.PAWN, paid)}" if paid else "the exchange"


def _net(line: Line) -> tuple[Counter[chess.PieceType], Counter[chess.PieceType], int]:
    """What each side lost, without what was exchanged for its like, a bishop for a knight too; and how many queens the
    winner has more than before."""
    lost, paid = line.balance.loser.copy(), line.balance.winner.copy()
    shown = sum(line.moves[ply].promotion == chess.QUEEN for ply in line.turns())
    promoted = max(shown, -paid[chess.QUEEN])
    paid[chess.QUEEN] += promoted
    paid[chess.PAWN] -= promoted
    for kind in NAMES:
        _cancel(lost, paid, kind, kind)
    given = min(promoted, max(0, paid[chess.QUEEN]))  # the new queen itself was lost
    promoted -= given
    paid[chess.QUEEN] -= given
    paid[chess.PAWN] += given
    _cancel(lost, paid, chess.KNIGHT, chess.BISHOP)
    _cancel(lost, paid, chess.BISHOP, chess.KNIGHT)
    return lost, paid, promoted


def _cancel(
    lost: Counter[chess.PieceType], paid: Counter[chess.PieceType], one: chess.PieceType, other: chess.PieceType
) -> None:
    both = min(lost[one], paid[other])
    if both > 0:
        lost[one] -= both
        paid[other] -= both


def _list(pieces: Counter[chess.PieceType], line: Line | None = None) -> str:
    """The pieces in words; the only one with its square, or alone of its kind, if ``line`` shows it being taken."""
    kinds = sorted(pieces, reverse=True)
    minors = 0 if line is None else line.balance.loser[chess.KNIGHT] + line.balance.loser[chess.BISHOP]
    if minors > 1 and kinds in ([chess.KNIGHT], [chess.BISHOP]) and pieces[kinds[0]] == 1:
        return "a piece"  # which of them was exchanged, and which was lost?
    if line is not None and len(kinds) == 1 and pieces[kinds[0]] == 1 and kinds[0] != chess.PAWN:
        square = _where(line, kinds[0])
        if kinds[0] == chess.QUEEN:
            return "the queen"
        if square is not None:
            return f"the {NAMES[kinds[0]]} on {chess.square_name(square)}"
    return listed([counted(kind, pieces[kind]) for kind in kinds])


def _where(line: Line, kind: chess.PieceType) -> chess.Square | None:
    """Where the only piece of ``kind`` that the winner takes stood when its first move was due; None if unclear."""
    plies = [ply for ply in line.turns() if ply < line.shown and line.captured(ply) == kind]
    if len(plies) != 1:
        return None
    square = line.moves[plies[0]].to_square
    first = line.turns().start
    for ply in range(plies[0] - 1, first - 1, -1):
        if line.moves[ply].to_square == square:
            square = line.moves[ply].from_square
    here = line.boards[first]
    return square if here.piece_type_at(square) == kind and here.color_at(square) != line.winner else None
