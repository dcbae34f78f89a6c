"""What lasts in a position: what one side has more of, now and all along the best line, in plain words."""

from __future__ import annotations

from dataclasses import dataclass

import chess

from engine.explanation.imbalance import imbalance
from engine.explanation.line import Line
from engine.explanation.passed import passed_pawns
from engine.explanation.terms import LASTING, aspects
from engine.explanation.words import listed, side

#: Plies of the best line along which something must stay as it is, and that the line must have at least.
_FAR, _LEAST = 8, 4

#: Centipawns by which one side must be better off in an aspect at each of these points.
_CLEAR = {"passed": 20, "structure": 15, "mobility": 30, "pressure": 40}

#: Aspects that are told at most.
_MOST = 2


@dataclass(frozen=True, slots=True)
class Feature:
    """An ``aspect`` of a position in which ``color`` is better off, by so many centipawns at least along a line."""

    aspect: str
    color: chess.Color
    margin: int


def advantages(line: Line) -> dict[chess.Color, str]:
    """What speaks for each side at the beginning of the best ``line``, in clauses; nothing that is not sure."""
    said: dict[chess.Color, list[str]] = {}
    if found := _material(line):
        said.setdefault(found[0], []).append(found[1])
    for feature in features(line):
        said.setdefault(feature.color, []).append(_words(line.boards[0], feature))
    if (pair := _bishops(line)) is not None:
        said.setdefault(pair, []).append("has the two bishops")
    return {color: _joined(clauses) for color, clauses in said.items()}


def _joined(clauses: list[str]) -> str:
    """The ``clauses``, with but one "has"."""
    had = listed([clause.removeprefix("has ") for clause in clauses if clause.startswith("has ")])
    return listed([*(clause for clause in clauses if not clause.startswith("has ")), *([f"has {had}"] if had else [])])


def _material(line: Line) -> tuple[chess.Color, str] | None:
    """Who has more, unless that changes along ``line``."""
    found = imbalance(line.boards[0])
    return found if all(imbalance(board) == found for board in line.settled[: _FAR + 1]) else None


def _bishops(line: Line) -> chess.Color | None:
    """Who alone has two bishops, and keeps them along ``line``."""
    for color in chess.COLORS:
        two = [len(board.pieces(chess.BISHOP, color)) == 2 > len(board.pieces(chess.BISHOP, not color))
               for board in line.settled[: _FAR + 1]]  # fmt: skip
        if all(two):
            return color
    return None


def features(line: Line) -> list[Feature]:
    """The aspects, two at most, in which one side is clearly better off all along ``line``, the clearest first."""
    found = [
        Feature(aspect, values[0] > 0, min(map(abs, values)))
        for aspect, values in _along(line).items()
        if _lasts(values, _CLEAR[aspect]) and (aspect != "passed" or passed_pawns(line.boards[0], values[0] > 0))
    ]
    return sorted(found, key=lambda feature: -feature.margin / _CLEAR[feature.aspect])[:_MOST]


def _along(line: Line) -> dict[str, list[int]]:
    """For each aspect what White has more of it, in centipawns, after each move of ``line``; nothing if it is short."""
    if len(line) < _LEAST:
        return {}
    points = [aspects(board, LASTING) for board in line.settled[: _FAR + 1]]
    return {aspect: [point[chess.WHITE][aspect] - point[chess.BLACK][aspect] for point in points] for aspect in LASTING}


def _lasts(values: list[int], clear: int) -> bool:
    return min(values) >= clear or max(values) <= -clear


def gained(played: Line, best: Line, color: chess.Color) -> str:
    """What speaks for ``color`` all along ``played`` and less all along ``best``, as clauses; empty if nothing does."""
    sign = 1 if color else -1
    other = _along(best)
    clauses = []
    for feature in features(played) if other else []:
        if feature.color == color and feature.margin > max(sign * value for value in other[feature.aspect]):
            clauses.append(_words(played.boards[0], feature))
    if _bishops(played) == color != _bishops(best):
        clauses.append("has the two bishops")
    return _joined(clauses)


def _words(board: chess.Board, feature: Feature) -> str:
    match feature.aspect:
        case "passed":
            return _passed(board, feature.color)
        case "pressure":
            return f"presses on {side(not feature.color)}'s king"
        case "structure":
            return "has the better pawn structure"
        case _:
            return "has more room for its pieces"


def _passed(board: chess.Board, color: chess.Color) -> str:
    own, other = (len(passed_pawns(board, each)) for each in (color, not color))
    if other:
        return "has the better passed pawn" if own == 1 else "has the better passed pawns"
    return "has a passed pawn" if own == 1 else "has passed pawns"
