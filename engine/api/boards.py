"""An engine's position, set from FENs and, by their bitboards, from python-chess's boards."""

from collections.abc import Callable, Sequence
from typing import Any

import chess

from engine.api.types import check_board
from engine.board.fen import needs_chess960, set_fen
from engine.board.notation import find_move, play_moves, to_uci
from engine.board.perft import perft
from engine.board.setup import new_position
from engine.fen import START_FEN, square_name
from engine.messages import PERFT, PositionError, quoted
from engine.options import find
from engine.play.boards import board_of, put_board
from engine.play.selector import MoveSelector


class PositionMixin:
    """The part of :class:`engine.Engine` that sets and reports its position."""

    _position: Any
    _selector: MoveSelector
    _values: dict[str, Any]

    def _refuse_closed(self) -> None:
        raise NotImplementedError

    def set_position(self, fen: str | None, moves: Sequence[str] = ()) -> None:
        """Set the position: ``fen`` (None for the start position) and the ``moves`` played from it.

        Raises :class:`PositionError`, which names the fault; the previous position then stays."""
        position = self._read(fen)
        play_moves(position, moves)
        self._set_position(position)

    def _read(self, fen: str | None) -> Any:
        if fen is not None and not isinstance(fen, str):
            raise TypeError(f"a FEN is a str, not {quoted(fen)}; set_board takes a chess.Board")
        position = new_position()
        set_fen(position, START_FEN if fen is None else fen, self._values["UCI_Chess960"])
        return position

    def _set_position(self, position: Any) -> None:
        self._refuse_closed()
        self._position = position

    def fen(self) -> str:
        """The position as FEN, with an en passant square only where a capture is legal; rights that only Chess960 has
        are written by the files of the rooks."""
        return self.board().fen(shredder=needs_chess960(self._position))

    def key(self) -> int:
        """The position's Zobrist key: Polyglot's, where an en passant square counts only if a capture is legal."""
        return int(self._position["key"])

    def checkers(self) -> list[str]:
        """The squares of the pieces that give check."""
        checkers = int(self._position["checkers"])
        return [square_name(square) for square in range(64) if checkers >> square & 1]

    def explain_evaluation(self) -> str:
        """A table of the evaluation in pawns: each term for White, Black, and together."""
        return self._selector.evaluation.table(self._position)

    def perft(
        self, depth: int, threads: int = 1, on_move: Callable[[str, int], None] | None = None, stop: Any = None
    ) -> int:
        """Count the leaves of the tree of legal moves (see :func:`engine.board.perft.perft`). Raises ValueError for a
        ``depth`` or a number of ``threads`` out of range."""
        if fault := PERFT.fault("depth", depth):
            raise ValueError(fault)
        return perft(self._position, depth, int(find("Threads").checked(threads) or 1), on_move, stop)

    def set_board(self, board: chess.Board) -> None:
        """Set the position from a python-chess board with the moves played on it; Chess960 if the board says
        so.

        Raises :class:`PositionError`, also for a board of another variant."""
        self._set_position(position_of(board, self._values["UCI_Chess960"]))

    def board(self) -> chess.Board:
        """The position as a python-chess board (without the moves that led to it)."""
        return board_of(self._position)

    def board_after(self, fen: str | None, moves: Sequence[str] = ()) -> chess.Board:
        """The board of :meth:`set_position` with the ``moves`` that led to it; the engine's position stays.

        Raises :class:`PositionError`."""
        position = self._read(fen)
        board = board_of(position)
        for text in moves:
            move = to_uci(find_move(position, text), board.chess960)
            play_moves(position, [text])
            board.push_uci(move)
        return board

    def is_legal(self, move: str) -> bool:
        """Whether ``move``, in UCI notation with castling in either form, is legal in the position."""
        return find_move(self._position, move) != 0


def position_of(board: chess.Board, chess960: bool = False) -> Any:
    """``board`` as a position record, with the moves since the last capture or pawn move.

    Raises :class:`PositionError`, also for a board of another variant, and TypeError for anything but a board."""
    check_board(board)
    if board.uci_variant != "chess":
        raise PositionError(f"the variant {board.uci_variant} is not supported")
    moves = board.move_stack[-board.halfmove_clock :] if board.halfmove_clock > 0 else []
    if not all(moves):  # a null move, over which the engine's history cannot go back
        moves = []
    root = board
    if moves:
        root = board.root() if len(moves) == len(board.move_stack) else board.copy(stack=len(moves)).root()
    position = new_position()
    put_board(position, root, chess960 or board.chess960)
    if moves:
        play_moves(position, [move.uci() for move in moves])
    return position


def record_of(given: object) -> Any:
    """A FEN or a board as a position record. Raises the same exceptions as :func:`position_of`."""
    if not isinstance(given, str | chess.Board):
        raise TypeError(f"expected a FEN (str) or a chess.Board, not {quoted(given)}")
    if isinstance(given, chess.Board):
        return position_of(given)
    position = new_position()
    set_fen(position, given)
    return position
