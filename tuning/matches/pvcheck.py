"""Checks principal variations: every move legal, none after the end of the game, mates as announced."""

from collections import Counter
from collections.abc import Hashable, Iterable

import chess

from tuning.matches.info import InfoLine

KINDS = {
    "illegal": "illegal move in a line",
    "after end": "moves after mate, stalemate or a draw",
    "mate": "mate lines that do not mate as announced",
}
"""The kinds of wrong lines, as reports count them."""


def position_key(board: chess.Board) -> Hashable:
    """Equal for positions that count as repetitions."""
    return (
        board.pawns, board.knights, board.bishops, board.rooks, board.queens, board.kings,
        board.occupied_co[chess.WHITE], board.occupied_co[chess.BLACK], board.turn, board.clean_castling_rights(),
        board.ep_square if board.has_legal_en_passant() else None,
    )  # fmt: skip


class PvChecker:
    """Checks the lines of one game; call it for its positions in order.

    Successive lines share most of their moves, so each is walked only from where it leaves the one before."""

    def __init__(self) -> None:
        self.lines = {chess.WHITE: 0, chess.BLACK: 0}
        self.faults: dict[chess.Color, Counter[str]] = {chess.WHITE: Counter(), chess.BLACK: Counter()}
        self.examples: list[str] = []

    def check(self, board: chess.Board, seen: Counter[Hashable], thoughts: Iterable[InfoLine]) -> None:
        """Check all lines of the search of ``board``; ``seen`` counts the game's positions including this one."""
        walk = board.copy(stack=False)
        walked: list[str] = []
        keys: list[Hashable] = []
        checked: set[tuple[str, ...]] = set()
        for thought in thoughts:
            if not thought.pv:
                continue
            self.lines[board.turn] += 1
            mate = thought.mate if not thought.bound else None
            if mate is None and thought.pv in checked:
                continue
            checked.add(thought.pv)
            kind = self._walk(walk, walked, keys, seen, thought.pv)
            if kind is None and mate:
                plies = 2 * mate - 1 if mate > 0 else -2 * mate
                if len(thought.pv) != plies or not walk.is_checkmate():
                    kind = "mate"
            if kind is not None:
                self.faults[board.turn][kind] += 1
                if len(self.examples) < 5:
                    score = thought.score_text
                    self.examples.append(f"{KINDS[kind]}: {board.fen()} {score} pv {' '.join(thought.pv)}")

    @staticmethod
    def _walk(
        walk: chess.Board, walked: list[str], keys: list[Hashable], seen: Counter[Hashable], pv: tuple[str, ...]
    ) -> str | None:
        """Play ``pv`` on ``walk``, the position after ``walked``; return the kind of its fault."""
        shared = 0
        for old, new in zip(walked, pv, strict=False):
            if old != new:
                break
            shared += 1
        while len(walked) > shared:
            walk.pop()
            walked.pop()
            keys.pop()
        for text in pv[shared:]:
            try:
                move = walk.parse_uci(text)
            except ValueError:
                over = not any(walk.legal_moves)
                return "after end" if over else "illegal"
            if not move:
                return "illegal"
            if keys and _drawn(walk, keys, seen):
                return "after end"
            walk.push(move)
            walked.append(text)
            keys.append(position_key(walk))
        return None


def _drawn(board: chess.Board, keys: list[Hashable], seen: Counter[Hashable]) -> bool:
    """Whether the rules end the game in ``board``, reached in the line by positions ``keys``."""
    if board.halfmove_clock >= 100 or board.is_insufficient_material():
        return True
    return board.halfmove_clock >= 4 and seen[keys[-1]] + keys.count(keys[-1]) >= 3
