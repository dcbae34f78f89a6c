"""What one side of a game plays with: an evaluation, nodes and search parameters, asked for by name and value."""

from __future__ import annotations

from collections.abc import Mapping

from engine.evaluation.choice import Evaluation, choose
from engine.evaluation.nnue.file import NetError
from engine.messages import OptionError
from engine.options import OPTIONS, whole_number
from engine.search.tunables import Parameters

#: The options that choose the evaluation.
EVALUATION = ("EvalType", "EvalFile")

#: The option that gives a side its own number of nodes for a move. All other options are search parameters.
NODES = "nodes"


def evaluation_of(options: Mapping[str, str]) -> Evaluation:
    """The evaluation that ``options`` ask for by EvalType and EvalFile, else the engine's own.

    Raises :class:`OptionError`.
    """
    known = {option.name: option for option in OPTIONS}
    kind = str(known["EvalType"].parse(options["EvalType"]) if "EvalType" in options else known["EvalType"].default)
    file = options.get("EvalFile", "")
    if file and kind != "NNUE":
        raise OptionError(f"EvalFile {file} has no effect with EvalType {kind}: use EvalType=NNUE")
    try:
        return choose(kind, file)
    except NetError as error:
        raise OptionError(str(error)) from None


def parameters_of(options: Mapping[str, str]) -> Parameters:
    """The search parameters with those among ``options`` set. Raises :class:`OptionError`."""
    parameters = Parameters()
    for name, value in options.items():
        if name not in (*EVALUATION, NODES):
            number = whole_number(value)
            if number is None:
                raise OptionError(f"{name} cannot be '{value}': it takes a whole number")
            parameters.set(name, number)
    return parameters


def nodes_of(options: Mapping[str, str], usual: int) -> int:
    """The nodes that a side may visit for a move, ``usual`` if it does not say. Raises :class:`OptionError`."""
    if NODES not in options:
        return usual
    number = whole_number(options[NODES])
    if number is None or number < 1:
        raise OptionError(f"{NODES} cannot be '{options[NODES]}': it takes a whole number above zero")
    return number
