"""The options of one side of a game: evaluation, nodes and search parameters, by name and value."""

import hashlib
from collections.abc import Mapping
from typing import Any

from engine.evaluation.choice import OWN_NET, Evaluation, choose
from engine.jit import new_record
from engine.messages import OptionError, quoted
from engine.options import OPTIONS, whole_number
from engine.search.deepening import UNLIMITED
from engine.search.parameters import Parameters
from engine.search.state import CONTROL
from engine.search.transposition import TranspositionTable
from engine.search.worker import Worker

EVALUATION = ("EvalType", "EvalFile")  # the options that choose the evaluation

#: The options for a side's own nodes per move, and its own clock that runs on nodes. All others are search parameters.
NODES, CLOCK = "nodes", "clock"


def evaluation_of(options: Mapping[str, str]) -> Evaluation:
    """The evaluation chosen by EvalType and EvalFile, by default the engine's. Raises :class:`OptionError`."""
    known = {option.name: option for option in OPTIONS}
    kind = str(known["EvalType"].parse(options["EvalType"]) if "EvalType" in options else known["EvalType"].default)
    file = options.get("EvalFile", "")
    if file and kind != "NNUE":
        raise OptionError(f"EvalFile {file} has no effect with EvalType {kind}: use EvalType=NNUE")
    return choose(kind, file)


def own_network() -> str:
    """The network of this checkout: its name and the beginning of its digest."""
    return f"{OWN_NET.name} {hashlib.blake2b(OWN_NET.read_bytes(), digest_size=4).hexdigest()}"


def parameters_of(options: Mapping[str, str]) -> Parameters:
    """The search parameters with those among ``options`` set. Raises :class:`OptionError`."""
    parameters = Parameters()
    for name, value in options.items():
        if name not in (*EVALUATION, NODES, CLOCK):
            number = whole_number(value)
            if number is None:
                raise OptionError(f"{name} must be an integer, not {quoted(value)}")
            parameters.set(name, number)
    return parameters


def nodes_of(options: Mapping[str, str], usual: int) -> int:
    """The nodes per move of a side, by default ``usual``. Raises :class:`OptionError`."""
    if NODES not in options:
        return usual
    number = whole_number(options[NODES])
    if number is None or number < 1:
        raise OptionError(f"{NODES} must be an integer above 0, not {quoted(options[NODES])}")
    return number


def clock_of(options: Mapping[str, str], usual: tuple[int, int] | None) -> tuple[int, int] | None:
    """The clock of a side in nodes, for the game and per move, by default ``usual``. Raises :class:`OptionError`."""
    return parse_clock(options[CLOCK]) if CLOCK in options else usual


def parse_clock(text: str) -> tuple[int, int]:
    """The two numbers of BASE+INCREMENT in nodes. Raises :class:`OptionError`."""
    base, plus, increment = text.partition("+")
    numbers = whole_number(base), whole_number(increment if plus else "0")
    if numbers[0] is None or numbers[1] is None or numbers[0] < 1 or numbers[1] < 0:
        raise OptionError(f"{CLOCK} must be BASE+INCREMENT in nodes, such as 300000+3000, not {quoted(text)}")
    return numbers[0], numbers[1]


class Side:
    """A search worker with its own control record and transposition table, for ``options`` of the evaluation and search
    parameters. Raises :class:`OptionError` for invalid ones."""

    def __init__(self, options: Mapping[str, str], megabytes: int) -> None:
        self._control: Any = new_record(CONTROL)
        address = self._control.__array_interface__["data"][0]
        self.worker = Worker(address, evaluation_of(options), parameters_of(options))
        self._table = TranspositionTable(megabytes)

    def prepare(self, position: Any) -> None:
        """Forget all earlier searches; the next one starts from ``position``."""
        self.worker.clear()
        self._table.clear()
        self.worker.prepare(position, [], self._table, UNLIMITED)
