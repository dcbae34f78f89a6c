"""What a position is like where nothing happens at once: who stands better, who has more material, the better pawns,
more room, whose king is pressed. What is said of these is so now and stays so along the best line."""

from __future__ import annotations

from dataclasses import dataclass

import chess
from chess.engine import PovScore

from engine.explanation.comparison import STANDS, level
from engine.explanation.exchange import settled
from engine.explanation.imbalance import imbalance
from engine.explanation.line import Line
from engine.explanation.passed import passed_pawns
from engine.explanation.reasons import expectation
from engine.explanation.terms import LASTING, aspects
from engine.explanation.words import listed, side

#: Plies of the best line along which something must stay as it is, and that the line must have at least.
_FAR, _LEAST = 8, 4

#: Centipawns by which one side must be better off in an aspect at each of these points.
_CLEAR = {"passed": 20, "structure": 15, "mobility": 30, "pressure": 40}

#: Aspects that are told at most.
_MOST = 2

#: Expected points by which the next best move may fall short to be hardly worse, and from which it is clearly so.
HARDLY, CLEARLY = 0.01, 0.2


@dataclass(frozen=True, slots=True)
class Feature:
    """An ``aspect`` of a position in which ``color`` is better off, by so many centipawns at least along a line."""

    aspect: str
    color: chess.Color
    margin: int


def outlook(line: Line, score: PovScore, other: tuple[chess.Move, PovScore] | None = None) -> str:
    """The first move of the best ``line`` against the ``other``, next best one with its score, how the game stands,
    and what speaks for each side.

    >>> from chess.engine import Cp
    >>> board = chess.Board("4k3/p4ppp/8/8/8/8/PPP3PP/4K3 w - - 0 1")
    >>> line = Line.of(board, [chess.Move.from_uci(move) for move in ("e1e2", "e8e7", "e2e3", "e7e6")])
    >>> outlook(line, PovScore(Cp(150), chess.WHITE))
    'Ke2 is the best move; White is clearly better. White is a pawn up and has a passed pawn.'
    """
    board = line.boards[0]
    stands = level(expectation(score.white(), board.fullmove_number))
    standing = f"{side(stands > 0)} {STANDS[abs(stands)]}" if stands else "the game is about even"
    facts = _facts(line)
    against = stands and set(facts) == {stands < 0}
    return f"{_choice(line, score, other)}; {standing}{', although' if against else '.'} {_sentence(facts)}".rstrip()


def _choice(line: Line, score: PovScore, other: tuple[chess.Move, PovScore] | None) -> str:
    board, san = line.boards[0], line.san(0)
    if board.legal_moves.count() == 1:
        return f"{san} is the only move"
    if other is None:
        return f"{san} is the best move"
    best, next_best = (expectation(each.pov(board.turn), board.fullmove_number) for each in (score, other[1]))
    if best - next_best <= HARDLY:
        return f"{san} is the best move, {board.san(other[0])} is hardly worse"
    return f"{san} is {'clearly ' if best - next_best >= CLEARLY else ''}the best move"


def _facts(line: Line) -> dict[chess.Color, list[str]]:
    """What speaks for each side at the beginning of the best ``line``, in clauses; nothing that is not sure."""
    said: dict[chess.Color, list[str]] = {}
    if found := _material(line):
        said.setdefault(found[0], []).append(found[1])
    for feature in features(line):
        said.setdefault(feature.color, []).append(_words(line.boards[0], feature))
    if (pair := _bishops(line)) is not None:
        said.setdefault(pair, []).append("has the two bishops")
    return said


def _sentence(facts: dict[chess.Color, list[str]]) -> str:
    parts = [f"{side(color)} {listed(_joined(clauses))}" for color, clauses in facts.items()]
    return f"{'; '.join(parts)}." if parts else ""


def _joined(clauses: list[str]) -> list[str]:
    """The ``clauses``, with but one "has"."""
    had = listed([clause.removeprefix("has ") for clause in clauses if clause.startswith("has ")])
    return [*(clause for clause in clauses if not clause.startswith("has ")), *([f"has {had}"] if had else [])]


def _material(line: Line) -> tuple[chess.Color, str] | None:
    """Who has more, unless that changes along ``line``."""
    found = imbalance(line.boards[0])
    return found if all(imbalance(settled(board)) == found for board in line.boards[: _FAR + 1]) else None


def _bishops(line: Line) -> chess.Color | None:
    """Who alone has two bishops, and keeps them along ``line``."""
    for color in chess.COLORS:
        two = [len(board.pieces(chess.BISHOP, color)) == 2 > len(board.pieces(chess.BISHOP, not color))
               for board in map(settled, line.boards[: _FAR + 1])]  # fmt: skip
        if all(two):
            return color
    return None


def features(line: Line) -> list[Feature]:
    """The aspects, two at most, in which one side is clearly better off all along ``line``, the clearest first."""
    if len(line) < _LEAST:
        return []
    points = [aspects(settled(board), LASTING) for board in line.boards[: _FAR + 1]]
    found = []
    for aspect, clear in _CLEAR.items():
        whites = [point[chess.WHITE][aspect] - point[chess.BLACK][aspect] for point in points]
        margin = max(min(whites), -max(whites))
        if margin >= clear and (aspect != "passed" or passed_pawns(line.boards[0], whites[0] > 0)):
            found.append(Feature(aspect, whites[0] > 0, margin))
    return sorted(found, key=lambda feature: -feature.margin / _CLEAR[feature.aspect])[:_MOST]


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
