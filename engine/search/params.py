"""Every tunable number of the search, in one table.

Plain Python without numba, so that the UCI layer can list them at once. Margins are in centipawns, depths in plies;
weights and terms of a reduction, the null move's too, in 1024ths; ReductionBase, ReductionDivisor and the move counts
of late move pruning in hundredths; SingularMargin in tenths of a centipawn per ply. With ``--tune`` the UCI loop offers
them as spin options. A maximum depth of 0, or a minimum depth of 99, disables a heuristic, to measure its worth.
"""

from __future__ import annotations

from typing import Any, NamedTuple


class Param(NamedTuple):
    """A tunable: its default, the range for a tuner, and the size of its first step."""

    name: str
    default: int
    minimum: int
    maximum: int
    step: int


def _param(default: int, minimum: int, maximum: int, step: int) -> Any:
    return default, minimum, maximum, step


class Defaults:
    """The table: the default of each parameter with its range and step."""

    AspirationWindow: int = _param(21, 5, 60, 4)
    AspirationFailHighReduction: int = _param(1, 0, 2, 1)
    # Whole-node pruning
    ReverseFutilityDepth: int = _param(8, 0, 12, 1)
    ReverseFutilityMargin: int = _param(72, 30, 150, 10)
    ReverseFutilityImproving: int = _param(44, 0, 200, 15)
    ReverseFutilityCutNode: int = _param(15, 0, 60, 5)
    ReverseFutilityWorsening: int = _param(20, 0, 60, 5)
    NullMoveDepth: int = _param(3, 1, 99, 1)
    NullMoveBase: int = _param(4285, 2048, 6144, 256)
    NullMoveSlope: int = _param(267, 100, 500, 30)
    NullMoveBetaSlope: int = _param(13, 0, 40, 4)
    NullMoveEvalDivisor: int = _param(194, 100, 400, 20)
    NullMoveVerifyDepth: int = _param(15, 6, 99, 2)
    ProbCutDepth: int = _param(5, 3, 99, 1)
    ProbCutMargin: int = _param(173, 80, 350, 20)
    ProbCutDivisor: int = _param(120, 40, 32000, 20)
    SmallProbCutMargin: int = _param(386, 0, 1000, 50)
    IterativeReductionDepth: int = _param(5, 2, 99, 1)
    IterativeReductionStale: int = _param(5, 1, 99, 1)
    # Move pruning
    LateMovePruningDepth: int = _param(8, 0, 12, 1)
    LateMovePruningBase: int = _param(399, 100, 1000, 60)
    LateMovePruningSlope: int = _param(106, 40, 200, 12)
    LateMovePruningPv: int = _param(58, 0, 200, 10)
    FutilityDepth: int = _param(9, 0, 12, 1)
    FutilityBase: int = _param(83, 20, 250, 20)
    FutilityMargin: int = _param(78, 30, 180, 12)
    FutilityNoBest: int = _param(47, 0, 300, 20)
    FutilityHistory: int = _param(8, 0, 64, 4)
    HistoryPruningDepth: int = _param(6, 0, 10, 1)
    HistoryPruningMargin: int = _param(3353, 1000, 8000, 400)
    QuietSeeDepth: int = _param(9, 0, 12, 1)
    QuietSeeMargin: int = _param(23, 8, 60, 4)
    NoisySeeDepth: int = _param(7, 0, 12, 1)
    NoisySeeMargin: int = _param(87, 30, 200, 12)
    NoisyFutilityDepth: int = _param(7, 0, 12, 1)
    NoisyFutilityBase: int = _param(204, 0, 500, 30)
    NoisyFutilityMargin: int = _param(151, 30, 400, 30)
    NoisyFutilityHistory: int = _param(15, 0, 64, 4)
    CheckExemptDepth: int = _param(5, 1, 99, 1)
    # Won games
    CheckExtensionAlpha: int = _param(400, 0, 32000, 50)
    WonScore: int = _param(700, 0, 32000, 50)
    WonPly: int = _param(9, 0, 240, 1)
    # Extensions
    SingularDepth: int = _param(5, 4, 99, 1)
    LowDepthExtensionMargin: int = _param(25, 0, 32000, 10)
    SingularMargin: int = _param(20, 5, 60, 4)
    DoubleExtensions: int = _param(8, 0, 32, 1)
    DoubleExtensionMargin: int = _param(17, 0, 100, 5)
    TripleExtensionMargin: int = _param(107, 0, 30000, 15)
    # Reductions
    ReductionBase: int = _param(72, 20, 150, 10)
    ReductionDivisor: int = _param(213, 150, 350, 15)
    ReductionNonPv: int = _param(574, 0, 2048, 130)
    ReductionNotImproving: int = _param(545, 0, 2048, 130)
    ReductionHistory: int = _param(9333, 3000, 16000, 1000)
    ReductionNoisy: int = _param(1093, 0, 2048, 130)
    ReductionNoisyHistory: int = _param(536, 0, 2048, 90)
    ReductionCheck: int = _param(1049, 0, 2048, 130)
    ReductionCutNode: int = _param(1240, 0, 3000, 200)
    ReductionTtPv: int = _param(751, 0, 3000, 200)
    ReductionCutoffCount: int = _param(961, 0, 3000, 200)
    ReductionCorrection: int = _param(10, 0, 64, 3)
    HindsightMargin: int = _param(142, 50, 400, 20)
    # Histories
    HistoryBonus: int = _param(161, 60, 400, 20)
    HistoryBonusOffset: int = _param(7, -400, 400, 40)
    HistorySurprise: int = _param(2, 0, 3, 1)
    HistoryBonusMax: int = _param(1651, 600, 4000, 200)
    HistoryMalus: int = _param(213, 60, 400, 20)
    HistoryMalusOffset: int = _param(91, -400, 400, 40)
    HistoryMalusMax: int = _param(1855, 600, 4000, 200)
    ParentBonus: int = _param(1032, 0, 3000, 150)
    TableCutoffBonus: int = _param(916, 0, 3000, 150)
    EarlyQuietMalus: int = _param(986, 0, 3000, 150)
    Continuation1Weight: int = _param(1048, 0, 2048, 120)
    Continuation2Weight: int = _param(969, 0, 2048, 120)
    Continuation4Weight: int = _param(372, 0, 2048, 120)
    CaptureHistoryWeight: int = _param(281, 0, 1024, 50)
    GoodNoisyHistory: int = _param(15, 0, 64, 4)
    CheckBonus: int = _param(8549, 0, 32000, 1500)
    PawnThreatBonus: int = _param(4480, 0, 16384, 512)
    AttackBonus: int = _param(3778, 0, 16384, 512)
    CorrectionRate: int = _param(123, 30, 300, 16)
    PawnCorrectionWeight: int = _param(1030, 0, 2560, 140)
    NonPawnCorrectionWeight: int = _param(1178, 0, 2560, 140)
    ContinuationCorrectionWeight: int = _param(974, 0, 2560, 140)
    # Scores
    Rule50DampingPlies: int = _param(208, 0, 400, 20)
    # Quiescence
    DeltaMargin: int = _param(200, 80, 400, 25)
    QuiescenceSeeMargin: int = _param(22, -200, 200, 20)
    QuiescenceSeeHistory: int = _param(15, 0, 64, 4)
    # Time: expected number of moves; percent of the increment, of the optimum and of the clock; percent for the share
    # of nodes and for each stable iteration; per mille for ten centipawns lost
    TimeMoves: int = _param(35, 12, 60, 3)
    TimeIncrement: int = _param(71, 0, 150, 8)
    TimeMaximum: int = _param(450, 150, 900, 40)
    TimeMaximumShare: int = _param(55, 10, 60, 4)
    TimeEffort: int = _param(118, 0, 250, 15)
    TimeStability: int = _param(7, 0, 15, 1)
    TimeTrend: int = _param(79, 0, 150, 10)


#: All of them, in this order.
PARAMS = tuple(Param(name, *getattr(Defaults, name)) for name in Defaults.__annotations__)
