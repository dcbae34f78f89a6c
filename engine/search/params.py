"""Every number of the search that a tuner may turn, in one table.

Plain Python without numba, so that the protocol layer can list them at once. Margins are centipawns, depths
plies. The UCI loop offers them as spin options when the engine is started with ``--tune``.
"""

from __future__ import annotations

from typing import NamedTuple


class Param(NamedTuple):
    """A tunable: its default, the range a tuner may use, and the size of a first step."""

    name: str
    default: int
    minimum: int
    maximum: int
    step: int


PARAMS = (
    Param("AspirationStart", 18, 5, 60, 4),
    Param("ReverseFutilityDepth", 8, 4, 12, 1),
    Param("ReverseFutilityMargin", 75, 30, 150, 10),
    Param("ReverseFutilityImproving", 60, 0, 150, 10),
    Param("NullMoveBase", 4, 2, 6, 1),
    Param("NullMoveDivisor", 4, 2, 8, 1),
    Param("NullMoveEvalDivisor", 200, 100, 400, 20),
    Param("LateMoveBase", 4, 1, 10, 1),
    Param("LateMoveDepth", 8, 3, 12, 1),
    Param("ReductionBase", 70, 20, 150, 10),
    Param("ReductionDivisor", 220, 150, 350, 15),
    Param("ReductionHistory", 7000, 3000, 16000, 800),
    Param("HistoryBonus", 180, 60, 400, 20),
    Param("HistoryBonusMax", 1800, 600, 4000, 150),
    Param("DeltaMargin", 180, 80, 400, 25),
)
