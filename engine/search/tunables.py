"""The search parameters as the kernels see them: a shared record, one field for each row of ``PARAMS``."""

from __future__ import annotations

import math

from engine.jit import shared_record, structure
from engine.messages import OptionError
from engine.search.params import PARAMS

_DEPTHS, _MOVES = 64, 64

TUNABLES, tunables = shared_record(
    "numbat_tunables",
    structure(
        *((param.name, "i8") for param in PARAMS),
        ("reduction", "i4", (_DEPTHS, _MOVES)),  # [depth][move number] in 1024ths of a ply
    ),
)


def _fill_reductions() -> None:
    """Reductions grow with the logarithms of depth and move number, as in Stockfish and its kin."""
    base, divisor = TUNABLES["ReductionBase"] / 100, TUNABLES["ReductionDivisor"] / 100
    for depth in range(1, _DEPTHS):
        for number in range(1, _MOVES):
            plies = base + math.log(depth) * math.log(number) / divisor
            TUNABLES["reduction"][depth, number] = int(1024 * plies)


def set_param(name: str, value: int) -> None:
    """Set one parameter, for every search of this process.

    Raises :class:`OptionError` where ``name`` is none or ``value`` out of its range.
    """
    for param in PARAMS:
        if param.name == name:
            if not isinstance(value, int) or not param.minimum <= value <= param.maximum:
                raise OptionError(f"{name} takes a whole number from {param.minimum} to {param.maximum}, not {value!r}")
            TUNABLES[name] = value
            _fill_reductions()
            return
    raise OptionError(f"unknown parameter '{name}'")


for _param in PARAMS:
    TUNABLES[_param.name] = _param.default
_fill_reductions()
