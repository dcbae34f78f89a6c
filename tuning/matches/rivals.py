"""Engines to compare this one with, as far as they are installed."""

import sys
from collections.abc import Callable, Sequence

from tuning.common.errors import EngineFailure, SetupError
from tuning.common.revisions import PROJECT
from tuning.matches.engines import EngineSpec

RIVALS = (
    EngineSpec("Stockfish", ("stockfish",)),
    EngineSpec("Stockfish at 2000", ("stockfish",), options={"UCI_LimitStrength": "true", "UCI_Elo": "2000"}),
    EngineSpec("Ethereal", ("ethereal-chess",)),
    EngineSpec("Toga II", ("toga2",), options={"OwnBook": "false"}),
    EngineSpec("sunfish", ("sunfish-uci",)),
)
"""Engines that Debian packages (and sunfish, ``pip install sunfish``).

In fast games Stockfish 15.1 at a higher ``UCI_Elo`` plays its best moves (see :mod:`tuning.levels.strength`).
"""


def numbat() -> EngineSpec:
    """The engine of this working tree, as it is."""
    return EngineSpec("Numbat", (sys.executable, str(PROJECT / "uci_main.py")))


def installed(names: Sequence[str], log: Callable[[str], None]) -> list[EngineSpec]:
    """The rivals of these names (all, if none are given) that are installed; ``log`` reports the others. Raises
    :class:`SetupError` for an unknown name, and if no rival is installed."""
    known = {rival.name.lower(): rival for rival in RIVALS}
    if unknown := [name for name in names if name.lower() not in known]:
        raise SetupError(f"--rivals: no rival is called {', '.join(unknown)}; the rivals are: {', '.join(known)}")
    found, missing = [], []
    for rival in [known[name.lower()] for name in names] or RIVALS:
        try:
            rival.resolved_command()
            found.append(rival)
        except EngineFailure as failure:
            missing.append(str(failure))
    if not found:
        raise SetupError(f"no rival is installed: {'; '.join(missing)}")
    for line in missing:
        log(f"skipped: {line}")
    return found
