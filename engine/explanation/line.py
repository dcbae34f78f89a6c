"""A line of moves with its boards, and its effect on the material."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import chess

from engine.explanation.effort import spend
from engine.explanation.material import after_captures, balance, count

LINE_PLIES = 12  # plies of a line that are examined; later moves are rarely forced

#: Pawns that a minor piece is worth, and pawns that the loser may win back later if a piece was won.
_MINOR_PAWNS, _RETURNED_PAWNS = 3, 2

_MIN_FALLEN_SHARE = 0.6  # part of a gain that stands for all of it once it has fallen

#: Plies within which a line must win the claimed material. A pawn that queens may take longer.
PROOF_PLIES = 7


@dataclass(frozen=True)
class Line:
    """Moves from ``boards[0]``; ``boards[i + 1]`` follows ``moves[i]``. ``winner`` is the side it favours."""

    boards: tuple[chess.Board, ...]
    moves: tuple[chess.Move, ...]
    winner: chess.Color

    @classmethod
    def of(cls, board: chess.Board, moves: Sequence[chess.Move], winner: chess.Color | None = None) -> Line:
        """The line of ``moves`` from ``board``, cut at the horizon, the end of the game or an illegal move. ``winner``
        is the side to move unless it is given."""
        boards, played = [board], []
        for move in moves[:LINE_PLIES]:
            if not boards[-1].is_legal(move):
                break
            spend()
            after = boards[-1].copy()
            after.push(move)
            boards.append(after)
            played.append(move)
        return cls(tuple(boards), tuple(played), board.turn if winner is None else winner)

    def __len__(self) -> int:
        return len(self.moves)

    @property
    def final_board(self) -> chess.Board:
        """The final board."""
        return self.boards[-1]

    def turns(self) -> range:
        """The plies at which the winner moves."""
        return range(0 if self.boards[0].turn == self.winner else 1, len(self), 2)

    def captured(self, ply: int) -> chess.PieceType | None:
        """The type of piece that the move at ``ply`` captures; None for other moves."""
        board, move = self.boards[ply], self.moves[ply]
        if board.is_en_passant(move):
            return chess.PAWN
        return board.piece_type_at(move.to_square) if board.is_capture(move) else None

    def origin(self, square: chess.Square, first: int, last: int) -> chess.Square:
        """Where the piece that is on ``square`` at ``last`` stood at ``first``."""
        for move in reversed(self.moves[first:last]):
            square = move.from_square if move.to_square == square else square
        return square

    @cached_property
    def after_captures(self) -> tuple[chess.Board, ...]:
        """The boards, each after all profitable captures."""
        return tuple(map(after_captures, self.boards))

    def gain_on(self, board: chess.Board) -> int:
        """The pawns that the winner has won on ``board`` since ``boards[0]``."""
        return balance(board, self.winner) - balance(self.boards[0], self.winner)

    @cached_property
    def gains(self) -> tuple[int, ...]:
        """The pawns won on each board, pending captures included."""
        return tuple(map(self.gain_on, self.after_captures))

    @cached_property
    def returns(self) -> bool:
        """Whether a position of the line occurs in it again: nobody has won anything since."""
        return len({board.epd() for board in self.boards}) < len(self.boards)

    @cached_property
    def gain(self) -> int:
        """The pawns that the winner keeps: the smaller gain of the last two boards; 0 after a repetition."""
        return 0 if self.returns else min(self.gains[max(1, len(self) - 1) :], default=0)

    @cached_property
    def quoted_plies(self) -> int:
        """Plies until the gain is on the board for the rest of the line; all of them if a capture is pending."""
        ply = len(self)
        while ply > 1 and self.gain_on(self.boards[ply - 1]) >= self.gain:
            ply -= 1
        return ply

    @cached_property
    def certain_prefix(self) -> Line:
        """The beginning of the line that shows what the winner wins within :data:`PROOF_PLIES` plies and keeps to the
        end: later moves may win more. If its first move wins a piece and the others win less than that again, or all
        is less than a piece, it shows what the first move wins."""
        start, last = self.turns().start, len(self) - 1
        if last <= start:
            return self
        queens = any(self.moves[ply].promotion for ply in self.turns())
        least = self._kept(min(start + PROOF_PLIES, last))
        least = self._kept(last) if queens and least < _MINOR_PAWNS else least
        at_once = self._kept(start + 1)
        if (at_once > 0 and least < _MINOR_PAWNS) or (at_once >= _MINOR_PAWNS and least < 2 * at_once):
            least = at_once
        return self._until_won(least)

    @cached_property
    def first_gain(self) -> Line:
        """The beginning of the line that shows what the winner's first move wins and keeps to the end."""
        start = self.turns().start
        return self._until_won(self._kept(start + 1)) if len(self) > start + 1 else self

    def _kept(self, ply: int) -> int:
        """The pawns that the winner has won on the board ``ply`` and on all later ones. A capture pending on one board
        only, because the line goes on without it, takes nothing away."""
        inner = (sorted(self.gains[at - 1 : at + 2])[1] for at in range(ply + 1, len(self)))
        return min(self.gains[ply], *inner, self.gains[-1])

    def _until_won(self, least: int) -> Line:
        """The beginning of the line up to where the winner has won ``least`` pawns for good."""
        start, last = self.turns().start, len(self) - 1
        first = next(ply for ply in range(start + 1, last + 1) if self._kept(ply) >= least)
        shows = [self.gain_on(board) >= least for board in self.boards]
        most = least + _RETURNED_PAWNS if least >= _MINOR_PAWNS else least
        ends = [end for end in range(first + 1, last + 2) if least <= min(self.gains[end - 1 : end + 1]) <= most]
        return self.prefix(next((end for end in ends if all(shows[end : end + 2])), max(ends, default=last + 1)))

    def prefix(self, plies: int) -> Line:
        """The first ``plies`` of the line."""
        return Line(self.boards[: plies + 1], self.moves[:plies], self.winner)

    @cached_property
    def losses(self) -> tuple[Counter[chess.PieceType], Counter[chess.PieceType]]:
        """The pieces that the loser and the winner have lost at the end, by type; negative if one has more, as after a
        promotion. Pending captures count, unless the larger part of the gain has fallen and the rest may follow."""
        end = min((self.after_captures[-1], self.after_captures[max(1, len(self) - 1)]), key=self.gain_on)
        if self.gains[-1] > self.gain_on(self.final_board) >= max(_MINOR_PAWNS, _MIN_FALLEN_SHARE * self.gain):
            end = self.final_board
        loser, winner = (count(self.boards[0], color) for color in (not self.winner, self.winner))
        loser.subtract(count(end, not self.winner))
        winner.subtract(count(end, self.winner))
        return loser, winner
