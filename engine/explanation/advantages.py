"""Lasting advantages: what one side has more of, now and all along the best line."""

from collections import Counter

import chess

from engine.explanation.claims import Facts, Feature, FeatureAspect, Gain
from engine.explanation.gains import exchange_of, pieces
from engine.explanation.line import Line
from engine.explanation.material import balance
from engine.explanation.terms import LASTING, aspects

#: Plies of the best line along which an advantage must persist, and the least length of the line.
_FAR, _LEAST = 8, 4

#: Centipawns by which one side must be better off in an aspect at each of these points.
_CLEAR: dict[FeatureAspect, int] = {"passed": 20, "structure": 15, "mobility": 30, "pressure": 40}

#: Pawns of material beside which other advantages mean little.
_DECISIVE = 3

#: Pawns of material from which a side is ahead, whatever the pieces.
_AHEAD = 2

#: The most aspects to mention.
_MOST = 2


def advantages(line: Line) -> tuple[tuple[chess.Color, Facts], ...]:
    """The certain advantages of each side at the beginning of the best ``line``."""
    found: dict[chess.Color, Facts] = {}
    if ahead := _material(line):
        found[ahead[0]] = (ahead[1],)
    for feature in () if decides(line.boards[0]) else (*features(line), *_bishops(line)):
        found[feature.color] = (*found.get(feature.color, ()), feature)
    return tuple(found.items())


def decides(board: chess.Board) -> bool:
    """Whether one side has so much more material that nothing else matters."""
    return abs(balance(board, chess.WHITE)) >= _DECISIVE


def _material(line: Line) -> tuple[chess.Color, Gain] | None:
    """The side ahead in material, unless that changes along ``line``."""
    found = imbalance(line.boards[0])
    return found if all(imbalance(board) == found for board in line.settled[: _FAR + 1]) else None


def _bishops(line: Line) -> tuple[Feature, ...]:
    """The bishop pair, if only one side has it and keeps it along ``line``."""
    for color in chess.COLORS:
        two = [len(board.pieces(chess.BISHOP, color)) == 2 > len(board.pieces(chess.BISHOP, not color))
               for board in line.settled[: _FAR + 1]]  # fmt: skip
        if all(two):
            return (Feature("bishops", color),)
    return ()


def features(line: Line) -> list[Feature]:
    """At most two aspects in which one side is clearly better off all along ``line``, the clearest first."""
    found = []
    for aspect, values in _along(line).items():
        color = values[0] > 0
        own, other = (len(passed_pawns(line.boards[0], each)) for each in (color, not color))
        counts = (own, other) if aspect == "passed" else (0, 0)
        if _lasts(values, _CLEAR[aspect]) and (own or aspect != "passed"):
            found.append(Feature(aspect, color, min(map(abs, values)), counts))
    return sorted(found, key=lambda feature: -feature.margin / _CLEAR[feature.aspect])[:_MOST]


def _along(line: Line) -> dict[FeatureAspect, list[int]]:
    """White's advantage in each aspect, in centipawns, after each move of ``line``; empty if the line is short."""
    if len(line) < _LEAST:
        return {}
    points = [aspects(board, LASTING) for board in line.settled[: _FAR + 1]]
    return {aspect: [point[chess.WHITE][aspect] - point[chess.BLACK][aspect] for point in points] for aspect in LASTING}


def _lasts(values: list[int], clear: int) -> bool:
    return min(values) >= clear or max(values) <= -clear


def gained(played: Line, best: Line, color: chess.Color) -> Facts:
    """The advantages that ``color`` has all along ``played``, and to a lesser degree all along ``best``."""
    sign = 1 if color else -1
    other = _along(best)
    found = [
        feature
        for feature in (features(played) if other else [])
        if feature.color == color and feature.margin > max(sign * value for value in other[feature.aspect])
    ]
    pair = [feature for feature in _bishops(played) if feature.color == color and feature not in _bishops(best)]
    return (*found, *pair)


def _surplus(board: chess.Board, color: chess.Color) -> Counter[chess.PieceType]:
    """How many more pieces of each type ``color`` has, negative if fewer; a knight and a bishop cancel."""
    found = Counter[chess.PieceType]()
    for kind in chess.PIECE_TYPES:
        found[kind] = len(board.pieces(kind, color)) - len(board.pieces(kind, not color))
    if found[chess.KNIGHT] * found[chess.BISHOP] < 0:
        both = min(abs(found[chess.KNIGHT]), abs(found[chess.BISHOP]))
        for kind in (chess.KNIGHT, chess.BISHOP):
            found[kind] -= both if found[kind] > 0 else -both
    return found


def imbalance(board: chess.Board) -> tuple[chess.Color, Gain] | None:
    """The side ahead by two pawns, else that with the more valuable piece, and its gain; None if material is balanced.

    >>> imbalance(chess.Board("4k3/5ppp/8/8/8/2N5/5P2/4K3 w - - 0 1"))
    (True, Gain(kind='list', won=((2, 1),), paid=((1, 2),), square=None))
    """
    lead = balance(board, chess.WHITE)
    most = max(chess.COLORS, key=lambda each: max(+_surplus(board, each), default=0))
    color = lead > 0 if abs(lead) >= _AHEAD else most
    more, less = +_surplus(board, color), +_surplus(board, not color)
    if not more:
        return None
    return color, exchange_of(more, less) or Gain("list", pieces(more), pieces(less))


def passed_pawns(board: chess.Board, color: chess.Color) -> chess.SquareSet:
    """The passed pawns of ``color``: no enemy pawn ahead on their file or an adjacent one.

    >>> [chess.square_name(square) for square in passed_pawns(chess.Board("4k3/5p2/8/8/8/8/P4P2/4K3 w - - 0 1"), True)]
    ['a2']
    """
    others = board.pieces(chess.PAWN, not color)
    return chess.SquareSet(
        square
        for square in board.pieces(chess.PAWN, color)
        if not any(_stops(other, square, color) for other in others)
    )


def _stops(other: chess.Square, square: chess.Square, color: chess.Color) -> bool:
    """Whether a pawn on ``other`` blocks or guards the path of a pawn of ``color`` on ``square``."""
    beside = abs(chess.square_file(other) - chess.square_file(square)) <= 1
    ahead = chess.square_rank(other) - chess.square_rank(square)
    return beside and (ahead if color else -ahead) > 0
