"""Every tunable number of the search, in one table.

Plain Python without numba, so that the protocol layer can list them at once. Margins are in centipawns, depths in
plies; weights and terms of a reduction, the null move's too, in 1024ths; ReductionBase, ReductionDivisor and the moves
of late move pruning in hundredths; SingularMargin in tenths of a centipawn per ply. The UCI loop offers them as spin
options when the engine is started with ``--tune``. A maximum depth of 0, or a minimum depth of 99, disables the
heuristic; used to measure what it is worth.
"""

from __future__ import annotations

from typing import NamedTuple


class Param(NamedTuple):
    """A tunable: its default, the range for a tuner, and the size of its first step."""

    name: str
    default: int
    minimum: int
    maximum: int
    step: int


PARAMS = (
    Param("AspirationWindow", 21, 5, 60, 4),
    Param("AspirationFailHighReduction", 1, 0, 2, 1),
    # Whole-node pruning
    Param("ReverseFutilityDepth", 8, 0, 12, 1),
    Param("ReverseFutilityMargin", 72, 30, 150, 10),
    Param("ReverseFutilityImproving", 44, 0, 200, 15),
    Param("ReverseFutilityCutNode", 15, 0, 60, 5),
    Param("NullMoveDepth", 3, 1, 99, 1),
    Param("NullMoveBase", 4285, 2048, 6144, 256),
    Param("NullMoveSlope", 267, 100, 500, 30),
    Param("NullMoveBetaSlope", 13, 0, 40, 4),
    Param("NullMoveEvalDivisor", 194, 100, 400, 20),
    Param("NullMoveVerifyDepth", 15, 6, 99, 2),
    Param("ProbCutDepth", 5, 3, 99, 1),
    Param("ProbCutMargin", 173, 80, 350, 20),
    Param("SmallProbCutMargin", 386, 0, 1000, 50),
    Param("IterativeReductionDepth", 5, 2, 99, 1),
    Param("IterativeReductionStale", 5, 1, 99, 1),
    # Move pruning
    Param("LateMovePruningDepth", 8, 0, 12, 1),
    Param("LateMovePruningBase", 399, 100, 1000, 60),
    Param("LateMovePruningSlope", 106, 40, 200, 12),
    Param("LateMovePruningPv", 58, 0, 200, 10),
    Param("FutilityDepth", 9, 0, 12, 1),
    Param("FutilityBase", 83, 20, 250, 20),
    Param("FutilityMargin", 78, 30, 180, 12),
    Param("FutilityNoBest", 47, 0, 300, 20),
    Param("FutilityHistory", 8, 0, 64, 4),
    Param("HistoryPruningDepth", 6, 0, 10, 1),
    Param("HistoryPruningMargin", 3353, 1000, 8000, 400),
    Param("QuietSeeDepth", 9, 0, 12, 1),
    Param("QuietSeeMargin", 23, 8, 60, 4),
    Param("NoisySeeDepth", 7, 0, 12, 1),
    Param("NoisySeeMargin", 87, 30, 200, 12),
    Param("NoisyFutilityDepth", 7, 0, 12, 1),
    Param("NoisyFutilityBase", 204, 0, 500, 30),
    Param("NoisyFutilityMargin", 151, 30, 400, 30),
    Param("NoisyFutilityHistory", 15, 0, 64, 4),
    Param("CheckExemptDepth", 5, 1, 99, 1),
    # Won games
    Param("CheckExtensionAlpha", 400, 0, 32000, 50),
    Param("WonScore", 700, 0, 32000, 50),
    Param("WonPly", 9, 0, 240, 1),
    # Extensions
    Param("SingularDepth", 5, 4, 99, 1),
    Param("SingularMargin", 20, 5, 60, 4),
    Param("DoubleExtensions", 8, 0, 32, 1),
    Param("DoubleExtensionMargin", 17, 0, 100, 5),
    Param("TripleExtensionMargin", 107, 0, 30000, 15),
    # Reductions
    Param("ReductionBase", 72, 20, 150, 10),
    Param("ReductionDivisor", 213, 150, 350, 15),
    Param("ReductionNonPv", 574, 0, 2048, 130),
    Param("ReductionNotImproving", 545, 0, 2048, 130),
    Param("ReductionHistory", 9333, 3000, 16000, 1000),
    Param("ReductionNoisy", 1093, 0, 2048, 130),
    Param("ReductionNoisyHistory", 536, 0, 2048, 90),
    Param("ReductionCheck", 1049, 0, 2048, 130),
    Param("ReductionKiller", 916, 0, 2048, 130),
    Param("ReductionCutNode", 1240, 0, 3000, 200),
    Param("ReductionTtPv", 751, 0, 3000, 200),
    Param("ReductionCutoffCount", 961, 0, 3000, 200),
    Param("ReductionCorrection", 10, 0, 64, 3),
    Param("HindsightMargin", 142, 50, 400, 20),
    # Histories
    Param("HistoryBonus", 161, 60, 400, 20),
    Param("HistoryBonusOffset", 7, -400, 400, 40),
    Param("HistorySurprise", 2, 0, 3, 1),
    Param("HistoryBonusMax", 1651, 600, 4000, 200),
    Param("HistoryMalus", 213, 60, 400, 20),
    Param("HistoryMalusOffset", 91, -400, 400, 40),
    Param("HistoryMalusMax", 1855, 600, 4000, 200),
    Param("ParentBonus", 1032, 0, 3000, 150),
    Param("TableCutoffBonus", 916, 0, 3000, 150),
    Param("EarlyQuietMalus", 986, 0, 3000, 150),
    Param("Continuation1Weight", 1048, 0, 2048, 120),
    Param("Continuation2Weight", 969, 0, 2048, 120),
    Param("Continuation4Weight", 372, 0, 2048, 120),
    Param("CaptureHistoryWeight", 281, 0, 1024, 50),
    Param("GoodNoisyHistory", 15, 0, 64, 4),
    Param("CheckBonus", 8549, 0, 32000, 1500),
    Param("PawnThreatBonus", 4480, 0, 16384, 512),
    Param("AttackBonus", 3778, 0, 16384, 512),
    Param("CorrectionRate", 123, 30, 300, 16),
    Param("PawnCorrectionWeight", 1030, 0, 2560, 140),
    Param("NonPawnCorrectionWeight", 1178, 0, 2560, 140),
    Param("ContinuationCorrectionWeight", 974, 0, 2560, 140),
    # Scores
    Param("Rule50DampingPlies", 208, 0, 400, 20),
    # Quiescence
    Param("DeltaMargin", 200, 80, 400, 25),
    Param("QuiescenceSeeMargin", 22, -200, 200, 20),
    # Time: moves that the game may last; percent of the increment, of the optimum and of the clock; percent for the
    # share of nodes and for each stable iteration; per mille for ten centipawns lost
    Param("TimeMoves", 35, 12, 60, 3),
    Param("TimeIncrement", 71, 0, 150, 8),
    Param("TimeMaximum", 450, 150, 900, 40),
    Param("TimeMaximumShare", 55, 10, 60, 4),
    Param("TimeEffort", 118, 0, 250, 15),
    Param("TimeStability", 7, 0, 15, 1),
    Param("TimeTrend", 79, 0, 150, 10),
)
