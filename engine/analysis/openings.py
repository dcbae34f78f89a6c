"""The names of openings, and how long a game follows theory; looked up by position, so transpositions count.

The table is lichess.org's (public domain; :file:`openings.tsv` names the source)."""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

import chess


@dataclass(frozen=True, slots=True)
class NamedOpening:
    """An opening: its code in the Encyclopaedia of Chess Openings, and its name."""

    eco: str
    name: str


@dataclass(frozen=True, slots=True)
class OpeningTable:
    """``names`` of positions, and all positions of ``theory``: those with names and those on the way to them."""

    names: dict[str, NamedOpening]
    theory: frozenset[str]


@cache
def table() -> OpeningTable:
    """The table in the package. Lines that end in mate have names, as traps; they are not theory."""
    names: dict[str, NamedOpening] = {}
    theory: set[str] = set()
    board, keys, previous = chess.Board(), [chess.Board().epd()], [""]
    rows = files("engine.analysis").joinpath("openings.tsv").read_text(encoding="utf-8").splitlines()
    for eco, name, moves in (row.split("\t") for row in rows if not row.startswith("#")):
        line = ["", *moves.split()]
        shared = next(
            (at for at, (new, old) in enumerate(zip(line, previous, strict=False)) if new != old), len(previous)
        )
        while len(keys) > shared:  # the rows are sorted, so most of a line is there from the row before
            board.pop()
            keys.pop()
        for san in line[shared:]:
            board.push_san(san)
            keys.append(board.epd())
        previous = line
        names[keys[-1]] = NamedOpening(eco, name)
        if not board.is_checkmate():
            theory.update(keys)
    return OpeningTable(names, frozenset(theory))


def book_moves(boards: Sequence[chess.Board]) -> list[bool]:
    """Whether each of a game's positions was reached by a move of theory; False for the first one.

    >>> board = chess.Board()
    >>> boards = [board.copy()]
    >>> for san in ("e4", "e5", "Ke2", "Ke7"):
    ...     board.push_san(san)
    ...     boards.append(board.copy())
    Move.from_uci('e2e4')
    Move.from_uci('e7e5')
    Move.from_uci('e1e2')
    Move.from_uci('e8e7')
    >>> book_moves(boards)
    [False, True, True, True, False]
    """
    keys = [board.epd() in table().theory for board in boards]
    return [False, *(before and after for before, after in itertools.pairwise(keys))]


def opening_of(boards: Sequence[chess.Board]) -> NamedOpening | None:
    """The opening of a game: the name of its last position that has one."""
    names = table().names
    return next((names[key] for key in map(chess.Board.epd, reversed(boards)) if key in names), None)
