"""Polyglot books: moves counted over games in PGN, and the file."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

import chess
import chess.pgn
from chess.polyglot import ENTRY_STRUCT, zobrist_hash

from engine import reading
from engine.reading import ReadError
from tuning.common.errors import SetupError
from tuning.common.files import write_whole

GREATEST_WEIGHT = 0xFFFF
"""Of an entry; if a position has a heavier move, all its moves are scaled down."""

POINTS = {"1-0": (2, 0), "1/2-1/2": (1, 1), "0-1": (0, 2)}
"""Half points for White and Black."""


class Tally:
    """Games and score of each move in each position: ``counts[key][raw move]`` is ``[games, half points]``. Moves are
    encoded as in the book."""

    def __init__(self, plies: int) -> None:
        self.plies = plies
        self.games = 0
        self.counts: dict[int, dict[int, list[int]]] = {}

    def add(self, game: chess.pgn.Game) -> bool:
        """Count one game; False, and nothing counted, if it has no result."""
        points = POINTS.get(game.headers.get("Result", "*"))
        if points is None:
            return False
        self.games += 1
        board = game.board()
        for move in game.mainline_moves():
            if len(board.move_stack) >= self.plies:
                break
            moves = self.counts.setdefault(zobrist_hash(board), {})
            count = moves.setdefault(encode(board, move), [0, 0])
            count[0] += 1
            count[1] += points[0 if board.turn == chess.WHITE else 1]
            board.push(move)
        return True

    def entries(self, min_games: int) -> list[tuple[int, int, int]]:
        """Key, raw move and weight of every move played in ``min_games`` games, in the order of a book."""
        result = []
        for key, moves in self.counts.items():
            kept = {raw: half for raw, (games, half) in moves.items() if games >= min_games and half > 0}
            heaviest = max(kept.values(), default=0)
            for raw, half in kept.items():
                weight = half if heaviest <= GREATEST_WEIGHT else max(1, half * GREATEST_WEIGHT // heaviest)
                result.append((key, raw, weight))
        return sorted(result, key=lambda entry: (entry[0], -entry[2], entry[1]))


def encode(board: chess.Board, move: chess.Move) -> int:
    """``move`` as Polyglot writes it: target, origin and promotion in 6, 6 and 3 bits, castling as king takes rook."""
    target = chess.Move.from_uci(board.uci(move, chess960=True)).to_square
    promotion = move.promotion - 1 if move.promotion else 0
    return target | move.from_square << 6 | promotion << 12


def write_book(path: Path, entries: Iterable[tuple[int, int, int]]) -> int:
    """Write ``entries`` atomically; return their number."""
    packed = [ENTRY_STRUCT.pack(key, raw, weight, 0) for key, raw, weight in entries]
    write_whole(path, b"".join(packed))
    return len(packed)


def read_games(path: Path, tally: Tally, complain: Callable[[str], None], advance: Callable[[int], None]) -> None:
    """Count the games in ``path``; ``advance`` gets the offset in the file. Faulty games count up to the fault."""
    found = None
    try:
        for found in reading.read_games(path, complain, advance):
            if not tally.add(found.game):
                complain(f"{path}:{found.line}: game {found.number}: no result, skipped")
    except ReadError as error:
        raise SetupError(str(error)) from None
    if found is None:
        complain(f"{path}: no game in it")


def why_empty(tally: Tally, min_games: int) -> str:
    """Why the book would be empty."""
    if not tally.games:
        return "there is no game with a result"
    return f"no scoring move was played in {min_games} of {tally.games} games (--min-games)"


def size_of(path: Path) -> int:
    """The size of a file in bytes. Raises :class:`SetupError`."""
    try:
        return path.stat().st_size
    except OSError as error:
        raise SetupError(f"{path}: {error.strerror}") from None
