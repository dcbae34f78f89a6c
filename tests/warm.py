"""Imported by the fork server of :mod:`tests.nursery` before it forks: numba, ready to compile."""

import numba

numba.njit(lambda x: x + 1)(1)
