"""The search parameters: every tunable number of the search, and the record through which kernels read them.

Margins are in centipawns, depths in plies; weights and terms of a reduction, the null move's too, in 1024ths;
ReductionBase, ReductionDivisor and the move counts of late move pruning in hundredths; SingularMargin in tenths of a
centipawn per ply. With ``--tune`` the UCI loop offers them as spin options. A maximum depth of 0, or a minimum depth of
99, disables a heuristic, to measure its worth."""

import math
from collections.abc import Mapping
from typing import Annotated, Any, NamedTuple

import numpy as np

from engine.jit import Array, Record, i4, new_record, structure
from engine.messages import OptionError, quoted

_DEPTHS, _MOVES = 64, 64


class Tunable(NamedTuple):
    """A parameter for a tuner: its default, its range, and the size of the first step."""

    name: str
    default: int
    minimum: int
    maximum: int
    step: int


def _tunable(default: int, minimum: int, maximum: int, step: int) -> Any:
    return default, minimum, maximum, step


class ParametersRecord(Record):
    """The values that kernels read. A worker has the address of its record, so engines in one process, and the two
    sides of a game, may use different ones."""

    AspirationWindow: int = _tunable(19, 5, 60, 4)
    # Whole-node pruning
    ReverseFutilityDepth: int = _tunable(8, 0, 12, 1)
    ReverseFutilityMargin: int = _tunable(78, 30, 150, 10)
    ReverseFutilityImproving: int = _tunable(35, 0, 200, 15)
    ReverseFutilityCutNode: int = _tunable(13, 0, 60, 5)
    ReverseFutilityWorsening: int = _tunable(18, 0, 60, 5)
    ReverseFutilityGain: int = _tunable(60, 0, 200, 15)
    NullMoveDepth: int = _tunable(3, 1, 99, 1)
    NullMoveBase: int = _tunable(4364, 2048, 6144, 256)
    NullMoveSlope: int = _tunable(260, 100, 500, 30)
    NullMoveMargin: int = _tunable(0, -200, 400, 20)
    NullMoveBetaSlope: int = _tunable(15, 0, 40, 4)
    NullMoveEvalDivisor: int = _tunable(202, 100, 400, 20)
    NullMoveVerifyDepth: int = _tunable(15, 6, 99, 2)
    ProbCutDepth: int = _tunable(5, 3, 99, 1)
    ProbCutMargin: int = _tunable(178, 80, 350, 20)
    ProbCutDivisor: int = _tunable(121, 40, 32000, 20)
    SmallProbCutMargin: int = _tunable(414, 0, 1000, 50)
    IterativeReductionDepth: int = _tunable(5, 2, 99, 1)
    IterativeReductionStale: int = _tunable(5, 1, 99, 1)
    # Move pruning
    LateMovePruningDepth: int = _tunable(8, 0, 12, 1)
    LateMovePruningBase: int = _tunable(421, 100, 1000, 60)
    LateMovePruningSlope: int = _tunable(107, 40, 200, 12)
    LateMovePruningPv: int = _tunable(64, 0, 200, 10)
    FutilityDepth: int = _tunable(9, 0, 12, 1)
    FutilityBase: int = _tunable(80, 20, 250, 20)
    FutilityMargin: int = _tunable(76, 30, 180, 12)
    FutilityNoBest: int = _tunable(42, 0, 300, 20)
    FutilityHistory: int = _tunable(9, 0, 64, 4)
    HistoryPruningDepth: int = _tunable(6, 0, 10, 1)
    HistoryPruningMargin: int = _tunable(3565, 1000, 8000, 400)
    QuietSeeDepth: int = _tunable(9, 0, 12, 1)
    QuietSeeMargin: int = _tunable(20, 8, 60, 4)
    NoisySeeDepth: int = _tunable(6, 0, 12, 1)
    NoisySeeMargin: int = _tunable(83, 30, 200, 12)
    NoisyFutilityDepth: int = _tunable(7, 0, 12, 1)
    NoisyFutilityBase: int = _tunable(220, 0, 500, 30)
    NoisyFutilityMargin: int = _tunable(137, 30, 400, 30)
    NoisyFutilityHistory: int = _tunable(13, 0, 64, 4)
    CheckExemptDepth: int = _tunable(5, 1, 99, 1)
    # Won games
    CheckExtensionAlpha: int = _tunable(410, 0, 32000, 50)
    WonScore: int = _tunable(702, 0, 32000, 50)
    WonPly: int = _tunable(9, 0, 240, 1)
    # Extensions
    SingularDepth: int = _tunable(5, 4, 99, 1)
    LowDepthExtensionMargin: int = _tunable(27, 0, 32000, 10)
    SingularMargin: int = _tunable(22, 5, 60, 4)
    DoubleExtensions: int = _tunable(8, 0, 32, 1)
    DoubleExtensionMargin: int = _tunable(17, 0, 100, 5)
    TripleExtensionMargin: int = _tunable(98, 0, 30000, 15)
    # Reductions
    ReductionBase: int = _tunable(68, 20, 150, 10)
    ReductionDivisor: int = _tunable(225, 150, 350, 15)
    ReductionNonPv: int = _tunable(505, 0, 2048, 130)
    ReductionNotImproving: int = _tunable(558, 0, 2048, 130)
    ReductionHistory: int = _tunable(9219, 3000, 16000, 1000)
    ReductionNoisy: int = _tunable(1011, 0, 2048, 130)
    ReductionNoisyHistory: int = _tunable(585, 0, 2048, 90)
    ReductionCheck: int = _tunable(980, 0, 2048, 130)
    ReductionCutNode: int = _tunable(1315, 0, 3000, 200)
    ReductionTtPv: int = _tunable(667, 0, 3000, 200)
    ReductionCutoffCount: int = _tunable(803, 0, 3000, 200)
    ReductionCorrection: int = _tunable(10, 0, 64, 3)
    HindsightMinGain: int = _tunable(0, -100, 150, 15)
    HindsightMargin: int = _tunable(141, 50, 400, 20)
    # Histories
    HistoryBonus: int = _tunable(164, 60, 400, 20)
    HistoryBonusOffset: int = _tunable(12, -400, 400, 40)
    HistorySurprise: int = _tunable(2, 0, 3, 1)
    HistoryBonusMax: int = _tunable(1670, 600, 4000, 200)
    HistoryMalus: int = _tunable(216, 60, 400, 20)
    HistoryMalusOffset: int = _tunable(136, -400, 400, 40)
    HistoryMalusMax: int = _tunable(1866, 600, 4000, 200)
    ParentBonus: int = _tunable(933, 0, 3000, 150)
    TableCutoffBonus: int = _tunable(824, 0, 3000, 150)
    EarlyQuietMalus: int = _tunable(991, 0, 3000, 150)
    Continuation1Weight: int = _tunable(1093, 0, 2048, 120)
    Continuation2Weight: int = _tunable(941, 0, 2048, 120)
    Continuation4Weight: int = _tunable(367, 0, 2048, 120)
    CaptureHistoryWeight: int = _tunable(284, 0, 1024, 50)
    GoodNoisyHistory: int = _tunable(17, 0, 64, 4)
    CheckBonus: int = _tunable(7994, 0, 32000, 1500)
    PawnThreatBonus: int = _tunable(4462, 0, 16384, 512)
    AttackBonus: int = _tunable(3858, 0, 16384, 512)
    CorrectionRate: int = _tunable(124, 30, 300, 16)
    PawnCorrectionWeight: int = _tunable(1026, 0, 2560, 140)
    NonPawnCorrectionWeight: int = _tunable(1228, 0, 2560, 140)
    ContinuationCorrectionWeight: int = _tunable(972, 0, 2560, 140)
    # Scores
    Rule50DampingPlies: int = _tunable(201, 0, 400, 20)
    # Quiescence
    DeltaMargin: int = _tunable(192, 80, 400, 25)
    QuiescenceSeeMargin: int = _tunable(30, -200, 200, 20)
    QuiescenceSeeHistory: int = _tunable(16, 0, 64, 4)
    # Time: expected number of moves; percent of the increment, of the optimum and of the clock; percent for the share
    # of nodes and for each stable iteration; per mille for ten centipawns lost
    TimeMoves: int = _tunable(35, 12, 60, 3)
    TimeIncrement: int = _tunable(71, 0, 150, 8)
    TimeMaximum: int = _tunable(450, 150, 900, 40)
    TimeMaximumShare: int = _tunable(55, 10, 60, 4)
    TimeEffort: int = _tunable(118, 0, 250, 15)
    TimeStability: int = _tunable(7, 0, 15, 1)
    TimeTrend: int = _tunable(79, 0, 150, 10)
    # Computed from ReductionBase and ReductionDivisor
    reduction: Annotated[Array[Array[i4]], (_DEPTHS, _MOVES)]  # [depth][move number] in 1024ths of a ply


PARAMETERS = structure(ParametersRecord)

TUNABLES = tuple(
    Tunable(name, *row) for name, row in vars(ParametersRecord).items() if name in ParametersRecord.__annotations__
)

_BY_NAME = {tunable.name: tunable for tunable in TUNABLES}

_LOGARITHMS = np.array([0.0, *map(math.log, range(1, max(_DEPTHS, _MOVES)))])

#: [depth][move number] log(depth) * log(move number), to which reductions are proportional (as in Stockfish).
_GROWTH = np.outer(_LOGARITHMS[:_DEPTHS], _LOGARITHMS[:_MOVES])


class Parameters:
    """The search parameters, by default or as ``values`` has them by name; kernels read ``record``.

    Raises the same exceptions as :meth:`set`."""

    def __init__(self, values: Mapping[str, int] | None = None) -> None:
        self.record: Any = new_record(PARAMETERS)
        #: The address of the record, for workers, which must keep this object alive.
        self.address = int(self.record.__array_interface__["data"][0])
        for tunable in TUNABLES:
            self.record[tunable.name] = tunable.default
        self._fill_reductions()
        for name, value in (values or {}).items():
            self.set(name, value)

    def set(self, name: str, value: int) -> None:
        """Set one parameter from the next search on. Raises :class:`OptionError` for a bad ``name`` or ``value``."""
        tunable = _BY_NAME.get(name)
        if tunable is None:
            raise OptionError(f"unknown parameter {quoted(name)}")
        if not isinstance(value, int) or not tunable.minimum <= value <= tunable.maximum:
            raise OptionError(f"{name} must be an integer from {tunable.minimum} to {tunable.maximum}, not {value!r}")
        self.record[name] = value
        if name in ("ReductionBase", "ReductionDivisor"):
            self._fill_reductions()

    def _fill_reductions(self) -> None:
        base, divisor = self.record["ReductionBase"] / 100, self.record["ReductionDivisor"] / 100
        self.record["reduction"][1:, 1:] = (1024 * (base + _GROWTH / divisor))[1:, 1:]
