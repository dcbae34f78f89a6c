"""What the fork server of :mod:`tests.forkserver` imports before it forks: numba, after its first compilation."""

import numba

numba.njit(lambda x: x + 1)(1)
