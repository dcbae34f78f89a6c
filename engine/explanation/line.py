"""A line of moves with its boards, and what it does to the material."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import chess

from engine.explanation.effort import step
from engine.explanation.exchange import balance, settled
from engine.play.exchange import VALUES

#: Plies of a line that are looked at; what comes later is rarely forced.
HORIZON = 12


@dataclass(frozen=True)
class Line:
    """Moves from ``boards[0]``; ``boards[i + 1]`` stands after ``moves[i]``. ``winner`` is the side it is good for."""

    boards: tuple[chess.Board, ...]
    moves: tuple[chess.Move, ...]
    winner: chess.Color

    @classmethod
    def of(cls, board: chess.Board, moves: Sequence[chess.Move], winner: chess.Color | None = None) -> Line:
        """The line of ``moves`` from ``board``, cut at the horizon, at the game's end and at an illegal move.

        ``winner`` is the side to move unless it is given.
        """
        boards, played = [board], []
        for move in moves[:HORIZON]:
            if not boards[-1].is_legal(move):
                break
            step()
            after = boards[-1].copy()
            after.push(move)
            boards.append(after)
            played.append(move)
        return cls(tuple(boards), tuple(played), board.turn if winner is None else winner)

    def __len__(self) -> int:
        return len(self.moves)

    @property
    def last(self) -> chess.Board:
        """The board at the end."""
        return self.boards[-1]

    def san(self, ply: int) -> str:
        """The move at ``ply`` in standard algebraic notation."""
        return self.boards[ply].san(self.moves[ply])

    def sans(self, first: int, last: int) -> str:
        """The moves from ``first`` up to, but not including, ``last``."""
        return " ".join(self.san(ply) for ply in range(first, min(last, len(self))))

    def turns(self) -> range:
        """The plies at which the winner moves."""
        return range(0 if self.boards[0].turn == self.winner else 1, len(self), 2)

    def captured(self, ply: int) -> chess.PieceType | None:
        """What the move at ``ply`` captures."""
        board, move = self.boards[ply], self.moves[ply]
        if board.is_en_passant(move):
            return chess.PAWN
        return board.piece_type_at(move.to_square) if board.is_capture(move) else None

    @cached_property
    def settled(self) -> tuple[chess.Board, ...]:
        """The boards, each after the captures that pay."""
        return tuple(map(settled, self.boards))

    @cached_property
    def gains(self) -> tuple[int, ...]:
        """For each board the pawns that the winner has won since ``boards[0]``, with the captures that stand open."""
        start = balance(self.boards[0], self.winner)
        return tuple(balance(board, self.winner) - start for board in self.settled)

    @cached_property
    def gain(self) -> int:
        """The pawns that the winner has won for good: at the end, and no more than a move before it."""
        return min(self.gains[max(1, len(self) - 1) :], default=0)

    @cached_property
    def secured(self) -> int:
        """How many plies it takes until the gain is there and stays."""
        ply = len(self)
        while ply > 0 and self.gains[ply - 1] >= self.gain:
            ply -= 1
        return ply

    @cached_property
    def shown(self) -> int:
        """How many plies it takes until the gain is on the board and stays; all of them if a capture stands open."""
        start = balance(self.boards[0], self.winner)
        ply = len(self)
        while ply > 1 and balance(self.boards[ply - 1], self.winner) - start >= self.gain:
            ply -= 1
        return ply

    @cached_property
    def losses(self) -> tuple[Counter[chess.PieceType], Counter[chess.PieceType]]:
        """The pieces that the loser and the winner have fewer of at the end, by kind."""
        end = min(
            (self.settled[-1], self.settled[max(1, len(self) - 1)]), key=lambda board: balance(board, self.winner)
        )
        return _lost(self.boards[0], end, not self.winner), _lost(self.boards[0], end, self.winner)


def _lost(start: chess.Board, end: chess.Board, color: chess.Color) -> Counter[chess.PieceType]:
    """The pieces ``color`` has fewer of; negative if it has more, as after a promotion."""
    counts = Counter[chess.PieceType]()
    for kind in VALUES:
        counts[kind] = len(start.pieces(kind, color)) - len(end.pieces(kind, color))
    return counts
