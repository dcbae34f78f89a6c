"""Weights of the features: loading, saving, and ``term``, which adds one.

The middlegame and endgame values of a weight share one int64 (the endgame's in the upper half), so that one addition
counts both. ``term`` is the only way in which a feature enters the sum; given a trace it also records the count there,
so that tuning and play share one code. If the trace is None, numba compiles no recording."""

import json
from pathlib import Path
from typing import Annotated, Any, TypeAlias

import numpy as np

from engine.board.aliases import Color, PackedScore
from engine.board.types import U64
from engine.evaluation.classical.features import COUNT, GROUPS, PIECE_SQUARE
from engine.evaluation.classical.scaling import SCALE_CLASSES
from engine.evaluation.material import PIECE_NAMES, MaterialAccumulator
from engine.jit import Array, Record, i4, inlined, shared_record, structure

WEIGHTS_FILE = Path(__file__).parent.parent / "classical.json"

STAGES = ("middlegame", "endgame")


class _FeatureWeights(Record):
    """The value of each feature."""

    value: Annotated[Array[int], (COUNT,)]  # [feature] both stages
    scale: Annotated[Array[int], (SCALE_CLASSES,)]  # [class of endings] in 1 / SCALE_UNIT


WEIGHTS, weights = shared_record("numbat_classical", _FeatureWeights)


class TraceRecord(Record):
    """The count of each feature, for the tuner and for the table of terms."""

    count: Annotated[Array[Array[i4]], (2, COUNT)]  # [color][feature]
    scale_class: Annotated[Array[i4], (2,)]  # [color] the class if that colour were the stronger side
    accumulator: MaterialAccumulator  # of material.py, for the phase


TRACE = structure(TraceRecord)

Trace: TypeAlias = TraceRecord | None  # a trace, or None in play

_HALF = 1 << 32


@inlined
def term(trace: Trace, color: Color, feature: int, count: int) -> PackedScore:
    """Both values of ``count`` times ``feature``, for the sum of ``color``."""
    if trace is not None:
        trace.count[color, feature] += count
    return weights().value[U64(feature)] * count


def pack(values: np.ndarray) -> np.ndarray:
    """[stage]... as one number for both stages; sums of such numbers hold both sums."""
    return np.asarray(values[0] + values[1] * _HALF)


def unpack(packed: np.ndarray) -> np.ndarray:
    """The inverse of :func:`pack`."""
    low = (packed + _HALF // 2) % _HALF - _HALF // 2
    return np.array([low, (packed - low) // _HALF])


@inlined
def middlegame_of(packed: PackedScore) -> int:
    """The lower half as a signed number."""
    return ((packed + 0x8000_0000) & 0xFFFF_FFFF) - 0x8000_0000


@inlined
def endgame_of(packed: PackedScore) -> int:
    """The upper half."""
    return (packed + 0x8000_0000) >> 32


class WeightsError(ValueError):
    """A weights file that cannot be used; the message names the file and what is wrong with it."""


def read_weights(file: Path = WEIGHTS_FILE) -> tuple[np.ndarray, np.ndarray]:
    """The weights of a file: int64 [stage][feature] in centipawns, and the scale of each class of endings.

    The file holds ``material`` (by piece name: middlegame and endgame value), ``piece_square`` as in ``material.json``,
    ``features`` (by group: middlegame and endgame, in the shape of the group) and ``scale``. A missing group counts as
    zeros: it is new and has not been fitted. Raises :class:`WeightsError`."""
    try:
        table = json.loads(file.read_text(encoding="utf-8"))
        values = np.zeros((2, COUNT), np.int64)
        for group in GROUPS:
            for stage, name in enumerate(STAGES):
                if group.start == PIECE_SQUARE:
                    chosen = _piece_square(table, name)
                elif group.name in table["features"]:
                    chosen = _whole_numbers(table["features"][group.name][name], group.shape, f"{group.name} {name}")
                else:
                    continue
                values[stage, group.start : group.start + group.size] = chosen.ravel()
        scale = _whole_numbers(table["scale"], (SCALE_CLASSES,), "scale")
    except OSError as error:
        raise WeightsError(f"weights {file}: {error.strerror}") from None
    except KeyError as error:
        raise WeightsError(f"weights {file}: {error} is missing") from None
    except (TypeError, ValueError) as error:
        raise WeightsError(f"weights {file}: {error}") from None
    unknown = set(table["features"]) - {group.name for group in GROUPS}
    if unknown:
        raise WeightsError(f"weights {file}: no feature is called {sorted(unknown)[0]!r}")
    return values, scale


def _piece_square(table: Any, stage: str) -> np.ndarray:
    """Material and piece-square table together, [type][square], a1 first."""
    kinds = []
    for name in PIECE_NAMES:
        rows = _whole_numbers(table["piece_square"][name][stage], (8, 8), f"piece_square {name} {stage}")
        material = _whole_numbers(table["material"][name][stage], (), f"material {name} {stage}")
        kinds.append(rows[::-1].ravel() + material)
    return np.array(kinds)


def _whole_numbers(values: Any, shape: tuple[int, ...], name: str) -> np.ndarray:
    try:
        array = np.array(values)
    except ValueError:
        raise ValueError(f"{name} has rows of different length") from None
    if array.shape != shape:
        raise ValueError(f"{name} has the shape {array.shape}, not {shape}")
    if array.dtype.kind != "i" or (array.size and np.max(np.abs(array)) > 20_000):
        raise ValueError(f"{name} holds something other than whole numbers of centipawns")
    return array.astype(np.int64)


def set_weights(values: np.ndarray, scale: np.ndarray) -> None:
    """Play with these weights from now on. Existing pawn hash tables become invalid."""
    WEIGHTS["value"] = pack(values)
    WEIGHTS["scale"] = scale


def load_weights(file: Path = WEIGHTS_FILE) -> None:
    """Play with the weights of ``file``; on :class:`WeightsError` the present weights stay."""
    set_weights(*read_weights(file))


load_weights()
