"""Records of games, kept as JSON and written as PGN."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import chess
import chess.pgn

from engine.printing import escaped
from engine.reading.games import Exporter
from tuning.common.errors import SetupError
from tuning.common.ledger import restored
from tuning.matches.openings import Opening


class MoveRecord(NamedTuple):
    """One move: UCI text, score text from the mover's view, depth, seconds used, nodes, seconds left."""

    move: str
    score: str | None
    depth: int
    seconds: float
    nodes: int
    left: float | None

    def comment(self) -> str:
        """``+0.35/12 0.510s, n=51234, tl=7.490s``: score/depth and time as cutechess and fastchess write them."""
        parts = [f"{self.score}/{self.depth} {self.seconds:.3f}s" if self.score else f"{self.seconds:.3f}s"]
        if self.nodes:
            parts.append(f"n={self.nodes}")
        if self.left is not None:
            parts.append(f"tl={self.left:.3f}s")
        return ", ".join(parts)


FAULTS = {"time": "time losses", "stall": "stalls", "illegal": "illegal moves", "disconnect": "disconnections"}
"""How an engine can lose without being beaten, and the heading each is counted under."""


@dataclass(slots=True)
class GameRecord:
    """One finished game: game ``index`` (0 or 1) of ``pair``.

    ``fault`` is one of :data:`FAULTS` for games lost by other means than chess, ``culprit`` the engine's name.
    ``pv_lines`` counts the principal variations that were checked, for White and Black, and ``pv_faults`` those
    found wrong, by kind; ``pv_examples`` quotes a few."""

    pair: int
    index: int
    white: str
    black: str
    opening: Opening
    result: str
    reason: str
    fault: str | None = None
    culprit: str | None = None
    detail: str = ""
    moves: list[MoveRecord] = field(default_factory=list)
    pv_lines: tuple[int, int] = (0, 0)
    pv_faults: tuple[dict[str, int], dict[str, int]] = field(default_factory=lambda: ({}, {}))
    pv_examples: list[str] = field(default_factory=list)
    started: str = ""

    @property
    def key(self) -> tuple[int, int]:
        return self.pair, self.index

    def score_of(self, engine: str) -> float:
        """Points of one of the two engines: 1, 0.5 or 0."""
        white = {"1-0": 1.0, "1/2-1/2": 0.5, "0-1": 0.0}[self.result]
        return white if engine == self.white else 1.0 - white

    @classmethod
    def read(cls, path: Path, data: Any) -> GameRecord:
        """The game in an event of the results file ``path``. Raises :class:`SetupError` for invalid data."""
        try:
            return restored(cls, data)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise SetupError(f"{path} contains an invalid game: {error!r}") from None

    def to_pgn(self, headers: Mapping[str, str]) -> str:
        """The game as PGN text, a comment after each move that an engine made."""
        game = chess.pgn.Game.without_tag_roster()
        date = self.started[:10].replace("-", ".") or "????.??.??"
        known = {"Event": "?", "Site": "?", "Date": date, "Round": f"{self.pair + 1}.{self.index + 1}",
                 "White": self.white, "Black": self.black, "Result": self.result}  # fmt: skip
        for name, value in {**known, **headers}.items():
            game.headers[name] = escaped(value, keep="")
        if self.opening.fen != chess.STARTING_FEN or self.opening.chess960:
            game.setup(chess.Board(self.opening.fen, chess960=self.opening.chess960))
        game.headers["PlyCount"] = str(len(self.opening.moves) + len(self.moves))
        game.headers["Termination"] = self.termination
        node: chess.pgn.GameNode = game
        for uci in self.opening.moves:
            node = node.add_variation(node.board().parse_uci(uci))
        board = node.board()
        for made in self.moves:
            move = board.parse_uci(made.move)
            board.push(move)
            node = node.add_variation(move, comment=made.comment())
        node.comment = ", ".join(part for part in (node.comment, self.reason) if part)
        exporter = Exporter(columns=100, headers=True, comments=True, variations=False)
        return str(game.accept(exporter)) + "\n\n"

    @property
    def termination(self) -> str:
        if self.fault == "time":
            return "time forfeit"
        if self.fault == "illegal":
            return "illegal move"
        if self.fault:
            return "abandoned"
        return "adjudication" if "adjudication" in self.reason else "normal"
