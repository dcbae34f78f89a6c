"""Keeps ``.numba_config.yaml`` files out of Numbat's own processes.

numba reads one from the working directory. Tournament managers start engines in any folder; a file there could keep
them from starting, or make them slow. A program that only imports the engine has numba as it has set it up."""

import sys
import warnings
from typing import Any


def ignore_config_files() -> None:
    """Before numba is imported: without a parser it only warns of the file, also when a compiler looks again."""
    modules: dict[str, Any] = sys.modules
    modules["yaml"] = None
    warnings.filterwarnings("ignore", "A Numba config file is found")


def ignores_config_files() -> bool:
    """Whether this process does, and so should those that it starts."""
    modules: dict[str, Any] = sys.modules
    return modules.get("yaml", "") is None
