"""Loads numba with settings under which the engine works.

numba would read ``.numba_config.yaml`` in the working directory. Tournament managers start engines in any folder; a
file there could keep them from starting, or make them slow. Variables of the environment (``NUMBA_…``) hold, and so do
all settings if the program loaded numba first."""

import sys
import warnings
from typing import Any


def load_numba() -> None:
    """Import numba. Without a parser it only warns of the file; unoptimised code cannot be kept in a cache."""
    if "numba" in sys.modules:
        return
    modules: dict[str, Any] = sys.modules
    yaml = {"yaml": modules["yaml"]} if "yaml" in modules else {}
    modules["yaml"] = None
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "A Numba config file is found")
            import numba
    finally:
        del modules["yaml"]
        modules.update(yaml)
    numba.config._config_fname = ""  # the compiler looks again
    numba.config.OPT = type(numba.config.OPT)(max(1, numba.config.OPT))


load_numba()
