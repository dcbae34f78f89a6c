"""Adjudication: games decided early by both scores, by a long draw score, or by tablebase.

The defaults are those of the big testing sites: resignation at 6 pawns for 3 moves, a draw at 0.2 pawns for
8 moves from move 34 on.
"""

from dataclasses import dataclass

import chess
import chess.syzygy

from tuning.common.errors import SetupError


@dataclass(frozen=True, slots=True)
class Adjudication:
    """When to end a game early. Scores are centipawns; a count of 0 switches a rule off.

    ``resign_both``: the winner must see it too. One engine's wrong evaluation then costs no honest result."""

    resign_moves: int = 3
    resign_score: int = 600
    resign_both: bool = True
    draw_from: int = 34
    draw_moves: int = 8
    draw_score: int = 20
    tablebases: str | None = None
    max_moves: int = 0

    def __post_init__(self) -> None:
        for name in ("resign_moves", "resign_score", "draw_from", "draw_moves", "draw_score", "max_moves"):
            if getattr(self, name) < 0:
                raise SetupError(f"adjudication: {name.replace('_', ' ')} cannot be negative: {getattr(self, name)}")


def parse_rule(words: list[str], keys: dict[str, str], flag: str) -> dict[str, int]:
    """Read ``off`` or words such as ``movecount=3 score=600`` into fields of :class:`Adjudication`."""
    if words == ["off"]:
        return {keys["movecount"]: 0}
    fields = {}
    for word in words:
        key, _, value = word.partition("=")
        try:
            fields[keys[key]] = int(value)
        except (KeyError, ValueError):
            known = ", ".join(f"{key}=N" for key in keys)
            raise SetupError(f"{flag}: {word!r} is not 'off' or one of {known}") from None
    return fields


class Referee:
    """Follows the scores of one game and decides when to end it."""

    def __init__(self, rules: Adjudication, tablebase: chess.syzygy.Tablebase | None = None) -> None:
        self._rules = rules
        self._tablebase = tablebase
        self._losing = {chess.WHITE: 0, chess.BLACK: 0}
        self._winning = {chess.WHITE: 0, chess.BLACK: 0}
        self._quiet_plies = 0

    def note(self, side: chess.Color, score: int | None) -> None:
        """Record the score of the move of ``side``, from its own view; ``None`` if it gave none."""
        rules = self._rules
        known = score is not None
        value = score if score is not None else 0
        self._losing[side] = self._losing[side] + 1 if known and value <= -rules.resign_score else 0
        self._winning[side] = self._winning[side] + 1 if known and value >= rules.resign_score else 0
        self._quiet_plies = self._quiet_plies + 1 if known and abs(value) <= rules.draw_score else 0

    def verdict(self, board: chess.Board) -> tuple[str, str] | None:
        """``(result, reason)`` if the game is decided after the last move on ``board``."""
        rules = self._rules
        if rules.resign_moves:
            for loser in (chess.WHITE, chess.BLACK):
                agreed = not rules.resign_both or self._winning[not loser] >= rules.resign_moves
                if self._losing[loser] >= rules.resign_moves and agreed:
                    return won(not loser, "wins by adjudication")
        if rules.draw_moves and board.fullmove_number > rules.draw_from and self._quiet_plies >= 2 * rules.draw_moves:
            return "1/2-1/2", "Draw by adjudication"
        if self._tablebase is not None and (known := self._probe(board)) is not None:
            return known
        if rules.max_moves and board.fullmove_number > rules.max_moves:
            return "1/2-1/2", f"Draw by adjudication: {rules.max_moves} moves"
        return None

    def _probe(self, board: chess.Board) -> tuple[str, str] | None:
        """The tablebase's verdict, if it is exact: right after a capture or pawn move, without castling."""
        assert self._tablebase is not None
        if board.halfmove_clock or chess.popcount(board.occupied) > 7 or board.castling_rights:
            return None
        wdl = self._tablebase.get_wdl(board)
        if wdl is None:
            return None
        if abs(wdl) < 2:  # Blessed losses and cursed wins are drawn by the 50-move rule.
            return "1/2-1/2", "Draw by adjudication: tablebase"
        return won(board.turn if wdl > 0 else not board.turn, "wins by adjudication: tablebase")


def won(side: chess.Color, how: str) -> tuple[str, str]:
    """The result and the reason if ``side`` wins."""
    return ("1-0", f"White {how}") if side == chess.WHITE else ("0-1", f"Black {how}")
