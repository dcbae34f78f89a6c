"""The ``explain`` command: runs the searches and returns the explanation."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.messages import PositionError
from engine.uci.jobs import Searches

if TYPE_CHECKING:
    import chess

    from engine.api import Engine


def parse_explain(words: list[str]) -> str | None:
    """The move after ``explain``, None without one. Raises :class:`PositionError` for more than one word."""
    if len(words) > 1:
        raise PositionError(f"explain takes one move, or none, not '{' '.join(words)}'")
    return words[0] if words else None


class Explanation(Searches):
    """Explains ``move`` on ``board``, the move just played, or the best move. Raises :class:`PositionError` for an
    illegal move."""

    def __init__(self, engine: Engine, board: chess.Board, move: str | None) -> None:
        super().__init__(engine)
        from engine.api.explaining import asked_about

        self._move: chess.Move | None
        self._board, self._move, self._lead = (board, None, "") if move is None else asked_about(board, move)

    def run(self) -> str:
        """The explanation. Raises :class:`Stopped`, as unfinished searches explain nothing."""
        with self._engine.turn(self._since):
            return self._lead + self._engine.explain(self._board, self._move)
