"""What lasts in a position: what one side has more of, now and all along the best line."""

from __future__ import annotations

import chess

from engine.explanation.facts import Facts, Feature, Gain
from engine.explanation.imbalance import imbalance
from engine.explanation.line import Line
from engine.explanation.passed import passed_pawns
from engine.explanation.terms import LASTING, aspects

#: Plies of the best line along which something must stay as it is, and that the line must have at least.
_FAR, _LEAST = 8, 4

#: Centipawns by which one side must be better off in an aspect at each of these points.
_CLEAR = {"passed": 20, "structure": 15, "mobility": 30, "pressure": 40}

#: Aspects that are told at most.
_MOST = 2


def advantages(line: Line) -> dict[chess.Color, Facts]:
    """What speaks for each side at the beginning of the best ``line``; nothing that is not sure."""
    found: dict[chess.Color, Facts] = {}
    if ahead := _material(line):
        found[ahead[0]] = (ahead[1],)
    for feature in (*features(line), *_bishops(line)):
        found[feature.color] = (*found.get(feature.color, ()), feature)
    return found


def _material(line: Line) -> tuple[chess.Color, Gain] | None:
    """Who has more, unless that changes along ``line``."""
    found = imbalance(line.boards[0])
    return found if all(imbalance(board) == found for board in line.settled[: _FAR + 1]) else None


def _bishops(line: Line) -> tuple[Feature, ...]:
    """The two bishops, if one side alone has them and keeps them along ``line``."""
    for color in chess.COLORS:
        two = [len(board.pieces(chess.BISHOP, color)) == 2 > len(board.pieces(chess.BISHOP, not color))
               for board in line.settled[: _FAR + 1]]  # fmt: skip
        if all(two):
            return (Feature("bishops", color),)
    return ()


def features(line: Line) -> list[Feature]:
    """The aspects, two at most, in which one side is clearly better off all along ``line``, the clearest first."""
    found = []
    for aspect, values in _along(line).items():
        color = values[0] > 0
        own, other = (len(passed_pawns(line.boards[0], each)) for each in (color, not color))
        counts = (own, other) if aspect == "passed" else (0, 0)
        if _lasts(values, _CLEAR[aspect]) and (own or aspect != "passed"):
            found.append(Feature(aspect, color, min(map(abs, values)), counts))
    return sorted(found, key=lambda feature: -feature.margin / _CLEAR[feature.aspect])[:_MOST]


def _along(line: Line) -> dict[str, list[int]]:
    """For each aspect what White has more of it, in centipawns, after each move of ``line``; nothing if it is short."""
    if len(line) < _LEAST:
        return {}
    points = [aspects(board, LASTING) for board in line.settled[: _FAR + 1]]
    return {aspect: [point[chess.WHITE][aspect] - point[chess.BLACK][aspect] for point in points] for aspect in LASTING}


def _lasts(values: list[int], clear: int) -> bool:
    return min(values) >= clear or max(values) <= -clear


def gained(played: Line, best: Line, color: chess.Color) -> Facts:
    """What speaks for ``color`` all along ``played`` and less all along ``best``."""
    sign = 1 if color else -1
    other = _along(best)
    found = [
        feature
        for feature in (features(played) if other else [])
        if feature.color == color and feature.margin > max(sign * value for value in other[feature.aspect])
    ]
    pair = [feature for feature in _bishops(played) if feature.color == color and feature not in _bishops(best)]
    return (*found, *pair)
