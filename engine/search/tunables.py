"""The search parameters for the kernels: a record with one field for each row of ``PARAMS``.

Every worker has the address of one, so engines in one process, and the two sides of a game, may use different values.
"""

import math
from collections.abc import Mapping
from typing import Annotated, Any

import numpy as np

from engine.jit import Array, Record, i4, new_record, structure
from engine.messages import OptionError, quoted
from engine.search.params import PARAMS, Defaults

_DEPTHS, _MOVES = 64, 64


class Params(Defaults, Record):
    """The search parameters, and the reductions computed from them."""

    reduction: Annotated[Array[Array[i4]], (_DEPTHS, _MOVES)]  # [depth][move number] in 1024ths of a ply


TUNABLES = structure(Params)

_KNOWN = {param.name: param for param in PARAMS}

_LOGARITHMS = np.array([0.0, *map(math.log, range(1, max(_DEPTHS, _MOVES)))])

#: [depth][move number] log(depth) * log(move number), to which reductions are proportional (as in Stockfish).
_GROWTH = np.outer(_LOGARITHMS[:_DEPTHS], _LOGARITHMS[:_MOVES])


class Parameters:
    """Search parameters: the defaults except for ``values`` by name. Kernels read ``record``. Raises as :meth:`set`."""

    def __init__(self, values: Mapping[str, int] | None = None) -> None:
        self.record: Any = new_record(TUNABLES)
        #: The address of the record, for workers, which must keep this object alive.
        self.address = int(self.record.__array_interface__["data"][0])
        for param in PARAMS:
            self.record[param.name] = param.default
        self._fill_reductions()
        for name, value in (values or {}).items():
            self.set(name, value)

    def set(self, name: str, value: int) -> None:
        """Set one parameter from the next search on. Raises :class:`OptionError` for a bad ``name`` or ``value``."""
        param = _KNOWN.get(name)
        if param is None:
            raise OptionError(f"unknown parameter {quoted(name)}")
        if not isinstance(value, int) or not param.minimum <= value <= param.maximum:
            raise OptionError(f"{name} takes a whole number from {param.minimum} to {param.maximum}, not {value!r}")
        self.record[name] = value
        if name in ("ReductionBase", "ReductionDivisor"):
            self._fill_reductions()

    def _fill_reductions(self) -> None:
        base, divisor = self.record["ReductionBase"] / 100, self.record["ReductionDivisor"] / 100
        self.record["reduction"][1:, 1:] = (1024 * (base + _GROWTH / divisor))[1:, 1:]
