"""numba's types, for signatures."""

from numba import boolean, int32, int64, types, uint8, uint32, uint64

__all__ = ["boolean", "int32", "int64", "types", "uint8", "uint32", "uint64"]
