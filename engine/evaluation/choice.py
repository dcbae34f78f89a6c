"""The chosen evaluation: its kind, and for NNUE the network."""

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from engine.board.aliases import Position
from engine.board.types import WHITE
from engine.evaluation import material
from engine.evaluation.classical import explain as classical
from engine.evaluation.endgames import is_rook_pawn_draw, mop_up_value, opposite_bishops_value
from engine.evaluation.evaluator import CLASSICAL, CLASSICAL_SIGNATURE, KINDS, NNUE, classical_value_of
from engine.evaluation.nnue import plain
from engine.evaluation.nnue.file import Net, read_net
from engine.evaluation.nnue.network import new_net_record
from engine.jit import address_of

OWN_NET = Path(__file__).parent / "nnue" / "numbat.nnue"  # the network that comes with the engine

#: A term of an evaluation in centipawns: name, White's share, Black's (None if it has none), the total for White.
Term = tuple[str, int | None, int | None, int]


@cache
def _own_net() -> tuple[Net, Any]:
    net = read_net(OWN_NET)
    return net, new_net_record(net)


@dataclass(frozen=True, slots=True)
class Evaluation:
    """A kind of :mod:`engine.evaluation.evaluator`, with its network and the record made from it."""

    kind: int
    net: Net | None = None
    record: Any = None

    def install(self, evaluator: Any) -> None:
        """Make the EVALUATOR record ``evaluator`` use this evaluation, for as long as this object is kept."""
        evaluator["kind"] = self.kind
        if self.kind == CLASSICAL:
            evaluator["classical_function"] = address_of(classical_value_of, CLASSICAL_SIGNATURE)
        evaluator["net_address"] = self.record.__array_interface__["data"][0] if self.kind == NNUE else 0

    def explain(self, position: Position) -> list[Term]:
        """The terms that add up to the value."""
        if is_rook_pawn_draw(position):
            return [("draw", None, None, 0)]
        if self.net is not None:
            if mop_up := int(mop_up_value(position)):
                return [("mop-up", None, None, mop_up)]
            terms: list[Term] = list(plain.explain(self.net, position))
            sign = 1 if int(position["side"]) == WHITE else -1
            value = sum(term[3] for term in terms)
            drawish = sign * int(opposite_bishops_value(position, sign * value)) - value
            return [*terms, ("bishops", None, None, drawish)] if drawish else terms
        shares = classical.explain(position) if self.kind == CLASSICAL else material.explain(position)
        return [(name, white, black, white - black) for name, white, black in shares]

    def value(self, position: Position) -> int:
        """Centipawns for the side to move: the sum of the terms."""
        total = sum(term[3] for term in self.explain(position))
        return total if int(position["side"]) == WHITE else -total

    def table(self, position: Position) -> str:
        """The terms as a table for users: in pawns, for White, Black and together."""
        if self.kind == CLASSICAL:
            return classical.classical_table(position)
        return evaluation_table(self.explain(position))


def choose(kind: str, file: str) -> Evaluation:
    """The evaluation called ``kind`` (see KINDS), with the network in ``file``, or the engine's own if that is empty.
    Raises :class:`engine.evaluation.nnue.file.NetError`."""
    number = KINDS.index(kind)
    net = read_net(Path(file)) if file else None  # reports a bad file when the option is set, not at the next search
    if number != NNUE:
        return Evaluation(number)
    if net is None:
        return Evaluation(number, *_own_net())
    return Evaluation(number, net, new_net_record(net))


def evaluation_table(terms: list[Term]) -> str:
    """The ``terms`` as a table in pawns, with their sum."""
    rule = "-----------+--------+--------+-------"
    whites, blacks = [term[1] for term in terms], [term[2] for term in terms]
    total = sum(term[3] for term in terms)
    lines = ["      term |  White |  Black |  Total", rule, *(_row(*term) for term in terms), rule]
    lines.append(_row("sum", _total(whites), _total(blacks), total))
    return "\n".join([*lines, "(pawns, from White's view)"])


def _total(shares: list[int | None]) -> int | None:
    """The sum of the shares if every term has one, else None."""
    known = [share for share in shares if share is not None]
    return sum(known) if len(known) == len(shares) else None


def _row(name: str, white: int | None, black: int | None, total: int) -> str:
    shares = (f"{share / 100:6.2f}" if share is not None else "  --  " for share in (white, black))
    return f"{name:>10} | {' | '.join(shares)} | {total / 100:6.2f}"
