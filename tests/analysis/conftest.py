"""Engines for the tests of this folder, and games with faults that everybody can see."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any, ClassVar

import chess
import pytest
from chess.engine import Cp, Limit, Mate, PovScore, Score

from engine import Analysis, Engine
from engine.analysis import jobs
from tests.run_python import REPOSITORY

#: Scholar's mate with a note and a variation of its author, fool's mate, and a stalemate that throws a queen away.
GAMES = """\
[Event "Casual"]
[White "Ann"]
[Black "Bob"]
[Result "1-0"]

1. e4 e5 2. Qh5 {early} Nc6 3. Bc4 Nf6 (3... g6 4. Qf3) 4. Qxf7# 1-0

[Event "Second"]
[White "Cid"]
[Black "Dee"]
[Result "0-1"]

1. f3 e5 2. g4 $2 Qh4# 0-1

[Event "Third"]
[White "Eve"]
[Black "Fox"]
[Result "1/2-1/2"]
[FEN "7k/8/6K1/8/8/8/5Q2/8 w - - 0 1"]
[SetUp "1"]

1. Qf7 1/2-1/2
"""

#: A game with many faults.
LONG = """

1. e4 e5 2. Ba6 Nxa6 3. Nf3 Qg5 4. Nxg5 b6 5. Qf3 Bb7 6. Qxf7+ Kd8 7. Qxf8# 1-0
"""


@pytest.fixture(scope="session")
def numbat() -> Iterator[Engine]:
    with Engine(hash=2) as running:
        yield running


#: Centipawns.
PIECES = {chess.PAWN: 100, chess.KNIGHT: 300, chess.BISHOP: 300, chess.ROOK: 500, chess.QUEEN: 900}


def worth(board: chess.Board, plies: int, taken: int | None = None) -> tuple[Score, tuple[chess.Move, ...]]:
    """The best score within ``plies`` for the side to move, by mates and material, and the line that leads to it; where
    a piece has been ``taken`` at the end, it may be taken back."""
    if board.is_checkmate():
        return Mate(-0), ()
    if plies:
        return max(lines(board, plies), key=lambda line: line[0], default=(Cp(0), ()))
    counts = [len(board.pieces(piece, board.turn)) - len(board.pieces(piece, not board.turn)) for piece in PIECES]
    balance = Cp(sum(count * points for count, points in zip(counts, PIECES.values(), strict=True)))
    takes = [] if taken is None else board.generate_legal_captures(to_mask=chess.BB_SQUARES[taken])
    for move in sorted(takes, key=lambda move: board.piece_type_at(move.from_square) or 0)[:1]:
        board.push(move)
        balance = max(balance, -worth(board, 0, taken)[0])
        board.pop()
    return balance, ()


def lines(board: chess.Board, plies: int) -> list[tuple[Score, tuple[chess.Move, ...]]]:
    """The same of each legal move."""
    found = []
    for move in board.legal_moves:
        taken = move.to_square if board.is_capture(move) else None
        board.push(move)
        score, line = worth(board, plies - 1, taken)
        board.pop()
        mate = score.mate()
        score = -score if mate is None else Mate(1 - mate) if mate <= 0 else Mate(-mate)
        found.append((score, (move, *line)))
    return found


@cache
def ranked(fen: str, chess960: bool) -> list[tuple[Score, tuple[chess.Move, ...]]]:
    """The lines of a position, best first."""
    return sorted(lines(chess.Board(fen, chess960=chess960), 2), key=lambda line: line[0], reverse=True)


class ByMaterial:
    """In place of an engine: material and mates two plies deep, at once. ``asked`` are the positions as FEN and the
    limits of all searches."""

    asked: ClassVar[list[tuple[str, Limit]]] = []

    def __init__(self, **options: Any) -> None:
        """Like an engine it takes options, and has none."""

    def __enter__(self) -> "ByMaterial":
        return self

    def __exit__(self, *error: object) -> None:
        """Nothing is to be closed."""

    def new_game(self) -> None:
        """Nothing is to be forgotten."""

    def table_outcome(self, board: chess.Board) -> None:
        """There are no tables."""

    def analyse(
        self, board: chess.Board, limit: Limit, multipv: int | None = None, root_moves: list[chess.Move] | None = None
    ) -> Any:
        self.asked.append((board.fen(), limit))
        found = [
            Analysis(PovScore(score, board.turn), line, depth=limit.depth or (limit.nodes or 9).bit_length())
            for score, line in ranked(board.fen(), board.chess960)
            if root_moves is None or line[0] in root_moves
        ]
        return found[0] if multipv is None else found[:multipv]


@pytest.fixture
def scripted(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, Limit]]:
    """``numbat analyse`` annotates games in this process with :class:`ByMaterial`; what that is asked."""
    monkeypatch.setattr(jobs, "Engine", ByMaterial)
    monkeypatch.setattr(ByMaterial, "asked", [])
    return ByMaterial.asked


@pytest.fixture
def pgn(tmp_path: Path) -> Path:
    """A file with :data:`GAMES`."""
    path = tmp_path / "games.pgn"
    path.write_text(GAMES, encoding="utf-8")
    return path


def on_terminal(*words: object, typed: bytes = b"") -> bytes:
    """What ``uci_main.py`` with ``words`` shows on a terminal of 80 columns that knows no escape sequences."""
    ours, theirs = os.openpty()
    child = subprocess.Popen(
        [sys.executable, REPOSITORY / "uci_main.py", *map(str, words)],
        env=os.environ | {"TERM": "dumb", "COLUMNS": "80"}, stdin=theirs, stdout=theirs, stderr=theirs,
    )  # fmt: skip
    os.close(theirs)
    os.write(ours, typed)
    shown = b""
    with suppress(OSError):  # the end
        while data := os.read(ours, 1 << 16):
            shown += data
    os.close(ours)
    assert child.wait(300) == 0, shown
    return shown
