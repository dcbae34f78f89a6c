"""The meaning of a score: the chances to win, draw and lose, and the normalized centipawns that users see.

The model is the usual one of engine testing: at a given move of the game the chance to win is a logistic function of
the score, ``1 / (1 + exp((a - score) / b))``, and the chance to lose is the same of the negated score; ``a`` is the
score that wins half of the games, ``b`` the spread. Both are polynomials of the move number. Displayed scores are
normalized so that 100 centipawns win half of the games at move 32, whatever the units of the evaluation.

The coefficients are in ``wdl.json``; ``python -m tuning.wdl`` fits them to the engine's own games."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine.board.types import LIGHT_SQUARES

FILE = Path(__file__).with_name("wdl.json")

REFERENCE_MOVE = 32  # the move of the game at which 100 centipawns win half of the games

_LIGHT = int(LIGHT_SQUARES)

MIN_SPREAD = 5.0  # the smallest spread in centipawns: below it the fit would be a step


@dataclass(frozen=True, slots=True)
class Model:
    """The coefficients of ``a`` and ``b``, lowest power first, in centipawns of the evaluation; the variable of the
    polynomials is the move number, clamped to ``moves`` (first and last), divided by :data:`REFERENCE_MOVE`."""

    a: tuple[float, ...]
    b: tuple[float, ...]
    moves: tuple[int, int]

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Model:
        first, last = data["moves"]
        return cls(tuple(data["a"]), tuple(data["b"]), (first, last))

    def at(self, move: int) -> tuple[float, float]:
        """``a`` and ``b`` at a move of the game, counted from 1."""
        first, last = self.moves
        time = min(max(move, first), last) / REFERENCE_MOVE
        return _polynomial(self.a, time), max(_polynomial(self.b, time), MIN_SPREAD)

    @property
    def pawn(self) -> float:
        """Centipawns of the evaluation that are displayed as 100."""
        return self.at(REFERENCE_MOVE)[0]

    def normalize(self, score: int) -> int:
        """The ``score`` of the evaluation in normalized centipawns."""
        return round(100 * score / self.pawn)

    def chances(self, score: int, move: int) -> tuple[int, int, int]:
        """Win, draw and loss in thousandths, for the side with this ``score`` of the evaluation."""
        a, b = self.at(move)
        win = round(1000 * _logistic((score - a) / b))
        loss = round(1000 * _logistic((-score - a) / b))
        return win, 1000 - win - loss, loss


def _polynomial(coefficients: Sequence[float], x: float) -> float:
    return sum(coefficient * x**power for power, coefficient in enumerate(coefficients))


def _logistic(x: float) -> float:
    return 1 / (1 + math.exp(-x)) if x > -700 else 0.0


def can_win(pieces: Sequence[int], own: int) -> bool:
    """Whether a side has the material to win by force: more than a minor piece, bishops of one colour, or two knights
    against no pawns. ``pieces`` are bitboards of both sides by type, from pawns to queens; ``own`` is the side's."""
    pawns, knights, bishops, rooks, queens = pieces[:5]
    if own & (pawns | rooks | queens):
        return True
    if own & knights:
        return bool(own & bishops) or (own & knights).bit_count() > (1 if pawns else 2)
    return bool(own & bishops & _LIGHT) and bool(own & bishops & ~_LIGHT)


def limit_by_material(chances: tuple[int, int, int], can_win: bool, can_lose: bool) -> tuple[int, int, int]:
    """``chances`` of a side when it or its opponent has no material to win: that side's wins become draws, and as many
    of the other's, so that the expected points stay unless they exceed a draw.

    >>> limit_by_material((270, 460, 270), True, False), limit_by_material((700, 260, 40), True, False)
    ((0, 1000, 0), (660, 340, 0))
    """
    win, _, loss = chances
    if not can_win:
        win, loss = 0, max(loss - win, 0)
    if not can_lose:
        win, loss = max(win - loss, 0), 0
    return win, 1000 - win - loss, loss


MODEL = Model.from_json(json.loads(FILE.read_text(encoding="utf-8")))  # the model of this engine
