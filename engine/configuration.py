"""How Numbat's own processes set up numba: without ``.numba_config.yaml``, and for compiled code that comes along.

numba reads such a file from the working directory. Tournament managers start engines in any folder; a file there could
keep them from starting, or make them slow. A program that only imports the engine has numba as it has set it up."""

import os
import sys
import warnings
from contextlib import suppress
from typing import Any


def ignore_config_files() -> None:
    """Before numba is imported: without a parser it only warns of the file, also when a compiler looks again."""
    modules: dict[str, Any] = sys.modules
    modules["yaml"] = None
    warnings.filterwarnings("ignore", "A Numba config file is found")


def ignores_config_files() -> bool:
    """Whether this process ignores them; the processes that it starts should then do so too."""
    modules: dict[str, Any] = sys.modules
    return modules.get("yaml", "") is None


_V2 = {"cx16", "popcnt", "sahf", "sse3", "sse4.1", "sse4.2", "ssse3"}

#: The levels of processors for which a folder may hold compiled code, best first, with the features that they have, as
#: LLVM names them (micro-architecture levels of the System V ABI for x86-64).
LEVELS = {
    "x86-64-v3": _V2 | {"avx", "avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe"},
    "x86-64-v2": _V2,
}


def use_kernels(folder: str) -> None:
    """Before numba is imported: load compiled code from ``folder/LEVEL``, which ``numbat warmup --all --into
    folder/LEVEL --cpu LEVEL`` has filled, for the best level that this processor has. If it has none, or the
    environment names a cache folder or a processor, nothing changes."""
    if os.environ.get("NUMBAT_CACHE_DIR") or {"NUMBA_CPU_NAME", "NUMBA_CPU_FEATURES"} & set(os.environ):
        return
    levels = [level for level in LEVELS if os.path.isdir(os.path.join(folder, level))]
    present: set[str] = set()
    if levels:
        from llvmlite.binding import get_host_cpu_features

        with suppress(RuntimeError):  # LLVM does not know this processor
            present = {name for name, exists in get_host_cpu_features().items() if exists}
    for level in levels:
        if present >= LEVELS[level]:
            os.environ["NUMBAT_CACHE_DIR"] = os.path.abspath(os.path.join(folder, level))
            os.environ |= {"NUMBA_CPU_NAME": level, "NUMBA_CPU_FEATURES": ""}
            return
