"""The rivals that a machine may have, and this engine among them."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from tuning.common.errors import EngineFailure
from tuning.common.revisions import PROJECT
from tuning.matches.engines import EngineSpec
from tuning.matches.limits import Limits

RIVALS = (
    EngineSpec("Stockfish", ("stockfish",)),
    *(
        EngineSpec(f"Stockfish at {elo}", ("stockfish",), options={"UCI_LimitStrength": "true", "UCI_Elo": str(elo)})
        for elo in (1500, 2000)
    ),
    EngineSpec("Ethereal", ("ethereal-chess",)),
    EngineSpec("Toga II", ("toga2",), options={"OwnBook": "false"}),
    EngineSpec("Glaurung", ("glaurung",), options={"OwnBook": "false"}),
    EngineSpec("GNU Chess", ("gnuchess", "-u"), options={"OwnBook": "false"}),
    EngineSpec("Phalanx", ("phalanx", "-b", "-"), protocol="xboard"),
    EngineSpec("Fairy-Max", ("fairymax",), protocol="xboard"),
    EngineSpec("sunfish", ("sunfish-uci",)),
)
"""Engines that Debian packages (and sunfish, ``pip install sunfish``), strongest and whole first.

In fast games Stockfish 15.1 at a higher ``UCI_Elo`` plays its best moves (:mod:`tuning.levels.strength` says why).
"""


def numbat(limits: Limits) -> EngineSpec:
    """The engine of this working tree, as it is."""
    return EngineSpec("Numbat", (sys.executable, str(PROJECT / "uci_main.py")), limits=limits)


def installed(rivals: Sequence[EngineSpec]) -> tuple[list[EngineSpec], list[str]]:
    """Those of the rivals that are here, and the names of those that are not."""
    here, absent = [], []
    for rival in rivals:
        try:
            rival.resolved_command()
        except EngineFailure as failure:
            absent.append(str(failure))
        else:
            here.append(rival)
    return here, absent
