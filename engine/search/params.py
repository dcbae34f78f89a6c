"""Every tunable number of the search, in one table.

Plain Python without numba, so that the UCI layer can list them at once. Margins are in centipawns, depths in plies;
weights and terms of a reduction, the null move's too, in 1024ths; ReductionBase, ReductionDivisor and the move counts
of late move pruning in hundredths; SingularMargin in tenths of a centipawn per ply. With ``--tune`` the UCI loop offers
them as spin options. A maximum depth of 0, or a minimum depth of 99, disables a heuristic, to measure its worth."""

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

    AspirationWindow: int = _param(19, 5, 60, 4)
    # Whole-node pruning
    ReverseFutilityDepth: int = _param(8, 0, 12, 1)
    ReverseFutilityMargin: int = _param(78, 30, 150, 10)
    ReverseFutilityImproving: int = _param(35, 0, 200, 15)
    ReverseFutilityCutNode: int = _param(13, 0, 60, 5)
    ReverseFutilityWorsening: int = _param(18, 0, 60, 5)
    NullMoveDepth: int = _param(3, 1, 99, 1)
    NullMoveBase: int = _param(4364, 2048, 6144, 256)
    NullMoveSlope: int = _param(260, 100, 500, 30)
    NullMoveBetaSlope: int = _param(15, 0, 40, 4)
    NullMoveEvalDivisor: int = _param(202, 100, 400, 20)
    NullMoveVerifyDepth: int = _param(15, 6, 99, 2)
    ProbCutDepth: int = _param(5, 3, 99, 1)
    ProbCutMargin: int = _param(178, 80, 350, 20)
    ProbCutDivisor: int = _param(121, 40, 32000, 20)
    SmallProbCutMargin: int = _param(414, 0, 1000, 50)
    IterativeReductionDepth: int = _param(5, 2, 99, 1)
    IterativeReductionStale: int = _param(5, 1, 99, 1)
    # Move pruning
    LateMovePruningDepth: int = _param(8, 0, 12, 1)
    LateMovePruningBase: int = _param(421, 100, 1000, 60)
    LateMovePruningSlope: int = _param(107, 40, 200, 12)
    LateMovePruningPv: int = _param(64, 0, 200, 10)
    FutilityDepth: int = _param(9, 0, 12, 1)
    FutilityBase: int = _param(80, 20, 250, 20)
    FutilityMargin: int = _param(76, 30, 180, 12)
    FutilityNoBest: int = _param(42, 0, 300, 20)
    FutilityHistory: int = _param(9, 0, 64, 4)
    HistoryPruningDepth: int = _param(6, 0, 10, 1)
    HistoryPruningMargin: int = _param(3565, 1000, 8000, 400)
    QuietSeeDepth: int = _param(9, 0, 12, 1)
    QuietSeeMargin: int = _param(20, 8, 60, 4)
    NoisySeeDepth: int = _param(6, 0, 12, 1)
    NoisySeeMargin: int = _param(83, 30, 200, 12)
    NoisyFutilityDepth: int = _param(7, 0, 12, 1)
    NoisyFutilityBase: int = _param(220, 0, 500, 30)
    NoisyFutilityMargin: int = _param(137, 30, 400, 30)
    NoisyFutilityHistory: int = _param(13, 0, 64, 4)
    CheckExemptDepth: int = _param(5, 1, 99, 1)
    # Won games
    CheckExtensionAlpha: int = _param(410, 0, 32000, 50)
    WonScore: int = _param(702, 0, 32000, 50)
    WonPly: int = _param(9, 0, 240, 1)
    # Extensions
    SingularDepth: int = _param(5, 4, 99, 1)
    LowDepthExtensionMargin: int = _param(27, 0, 32000, 10)
    SingularMargin: int = _param(22, 5, 60, 4)
    DoubleExtensions: int = _param(8, 0, 32, 1)
    DoubleExtensionMargin: int = _param(17, 0, 100, 5)
    TripleExtensionMargin: int = _param(98, 0, 30000, 15)
    # Reductions
    ReductionBase: int = _param(68, 20, 150, 10)
    ReductionDivisor: int = _param(225, 150, 350, 15)
    ReductionNonPv: int = _param(505, 0, 2048, 130)
    ReductionNotImproving: int = _param(558, 0, 2048, 130)
    ReductionHistory: int = _param(9219, 3000, 16000, 1000)
    ReductionNoisy: int = _param(1011, 0, 2048, 130)
    ReductionNoisyHistory: int = _param(585, 0, 2048, 90)
    ReductionCheck: int = _param(980, 0, 2048, 130)
    ReductionCutNode: int = _param(1315, 0, 3000, 200)
    ReductionTtPv: int = _param(667, 0, 3000, 200)
    ReductionCutoffCount: int = _param(803, 0, 3000, 200)
    ReductionCorrection: int = _param(10, 0, 64, 3)
    HindsightMargin: int = _param(141, 50, 400, 20)
    # Histories
    HistoryBonus: int = _param(164, 60, 400, 20)
    HistoryBonusOffset: int = _param(12, -400, 400, 40)
    HistorySurprise: int = _param(2, 0, 3, 1)
    HistoryBonusMax: int = _param(1670, 600, 4000, 200)
    HistoryMalus: int = _param(216, 60, 400, 20)
    HistoryMalusOffset: int = _param(136, -400, 400, 40)
    HistoryMalusMax: int = _param(1866, 600, 4000, 200)
    ParentBonus: int = _param(933, 0, 3000, 150)
    TableCutoffBonus: int = _param(824, 0, 3000, 150)
    EarlyQuietMalus: int = _param(991, 0, 3000, 150)
    Continuation1Weight: int = _param(1093, 0, 2048, 120)
    Continuation2Weight: int = _param(941, 0, 2048, 120)
    Continuation4Weight: int = _param(367, 0, 2048, 120)
    CaptureHistoryWeight: int = _param(284, 0, 1024, 50)
    GoodNoisyHistory: int = _param(17, 0, 64, 4)
    CheckBonus: int = _param(7994, 0, 32000, 1500)
    PawnThreatBonus: int = _param(4462, 0, 16384, 512)
    AttackBonus: int = _param(3858, 0, 16384, 512)
    CorrectionRate: int = _param(124, 30, 300, 16)
    PawnCorrectionWeight: int = _param(1026, 0, 2560, 140)
    NonPawnCorrectionWeight: int = _param(1228, 0, 2560, 140)
    ContinuationCorrectionWeight: int = _param(972, 0, 2560, 140)
    # Scores
    Rule50DampingPlies: int = _param(201, 0, 400, 20)
    # Quiescence
    DeltaMargin: int = _param(192, 80, 400, 25)
    QuiescenceSeeMargin: int = _param(30, -200, 200, 20)
    QuiescenceSeeHistory: int = _param(16, 0, 64, 4)
    # Time: expected number of moves; percent of the increment, of the optimum and of the clock; percent for the share
    # of nodes and for each stable iteration; per mille for ten centipawns lost
    TimeMoves: int = _param(35, 12, 60, 3)
    TimeIncrement: int = _param(71, 0, 150, 8)
    TimeMaximum: int = _param(450, 150, 900, 40)
    TimeMaximumShare: int = _param(55, 10, 60, 4)
    TimeEffort: int = _param(118, 0, 250, 15)
    TimeStability: int = _param(7, 0, 15, 1)
    TimeTrend: int = _param(79, 0, 150, 10)


PARAMS = tuple(Param(name, *getattr(Defaults, name)) for name in Defaults.__annotations__)
