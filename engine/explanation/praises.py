"""Why a move deserves praise: its sacrifice and the aim of it, what it wins, or what other moves would have cost."""

from dataclasses import replace
from typing import Literal

import chess

from engine.explanation.claims import Case, Claim, Drawn, Gain, Material, Mating, OnlyMove, Opposition, Piece, Sacrifice
from engine.explanation.gains import gain_of, net_losses, pieces
from engine.explanation.line import Line
from engine.explanation.material import balance
from engine.explanation.merits import wins
from engine.explanation.reasons import DRAWN, mating, reason_of, shows
from engine.explanation.sacrifices import SACRIFICE, sacrificed
from engine.explanation.standing import level
from engine.explanation.tables import Tables, result_by
from engine.explanation.themes import draw
from engine.play.captures import value

#: Part of a sacrificed piece's value that is enough in return to be the aim of the sacrifice.
_RETURN = 0.6

#: Costs of another move that are told.
_COSTS = (Mating, Drawn, Opposition, Material)

#: Moves of the sacrificing side in which an attack on the king must show, and those of them that must be part of it.
_MOVES, _ATTACKS = 4, 3


def praise_of(case: Case, tables: Tables | None = None) -> Claim | None:
    """Why the move of ``case``, the best on its board, is good: a sacrifice and its aim, a mate, material won, the
    result by ``tables``, or what the best other move would have cost. None if nothing is certain. Whether a move
    deserves praise is not decided here. Raises as :func:`~engine.explanation.reasons.reason_of`."""
    mates = case.has.mate()
    if mates is not None and mates < 0:
        return None
    if sacrifice := _sacrifice(case):
        return sacrifice
    line = case.praised
    if mates is not None and (case.had.mate() or 0) <= 0:
        return mating("leads", line, mates + 1)
    won = wins(line, case.has)
    if won and won.line.gain > max(0, case.best.gain):
        return won
    return (result_by(tables, case.board, case.move) if tables else None) or _only(case)


def _sacrifice(case: Case) -> Sacrifice | None:
    """The sacrifice that the move makes, and its aim."""
    line = case.praised
    offered = _given(line)
    if offered is None:
        return None
    piece, given = offered
    exchange = piece.kind == chess.ROOK and given == SACRIFICE
    claim = Sacrifice(line, piece, exchange, "standing", level=level(case.after))
    mates = case.has.mate()
    if mates is not None:
        return replace(claim, aim="mate", moves=mates + 1)
    ended = draw.ending(line)
    if ended and abs(case.has.score(mate_score=10_000)) <= DRAWN:
        return replace(claim, aim="draw")
    if gains := _return(case, piece):
        return replace(claim, aim="material", gains=gains)
    attacked, target = _attack(line)
    return replace(claim, aim="attack", target=target) if attacked else claim


def _given(line: Line) -> tuple[Piece, int] | None:
    """The piece that the first move of ``line`` sacrifices and what it costs in pawns: the piece that is taken in the
    line, else the most valuable one. None if it is no sacrifice."""
    given = sacrificed(line.boards[0], line.moves[0])
    if not given:
        return None
    reply = line.moves[1].to_square if len(line) > 1 else None
    square = reply if reply in given else max(given, key=lambda each: given[each])
    return Piece.at(line.boards[1], square), given[square]


def _return(case: Case, piece: Piece) -> Gain | None:
    """What the mover gets in its line for the sacrificed ``piece``, without pending captures: more than it gave, or a
    fair return."""
    line = case.praised
    if balance(line.last, case.mover) - balance(case.board, case.mover) < line.gain:
        return None
    if line.gain >= 1:
        return gain_of(line) if shows(case.has, line) else None
    won, paid, _ = net_losses(line)
    worth = sum(value(kind) * count for kind, count in (+won).items())
    if paid[piece.kind] < 1 or worth < max(3, _RETURN * value(piece.kind)):
        return None
    return Gain("list", pieces(+won), pieces(+paid))


def _attack(line: Line) -> tuple[bool, chess.Square | None]:
    """Whether the mover attacks the enemy king with most of its moves, and the first pawn of its shelter that falls."""
    part, target = 0, None
    turns = [ply for ply in line.turns() if ply < 2 * _MOVES]
    shelter = _near_king(line.boards[0], not line.winner) & chess.BB_RANKS[1 if line.winner == chess.BLACK else 6]
    for ply in turns:
        board, move = line.boards[ply], line.moves[ply]
        near = _near_king(board, not line.winner)
        attacked = near & line.boards[ply + 1].attacks(move.to_square)
        part += bool(attacked) or move.to_square in near or board.gives_check(move)
        if target is None and line.captured(ply) == chess.PAWN and move.to_square in shelter:
            target = move.to_square
    return len(turns) > 1 and part >= min(_ATTACKS, len(turns)), target


def _near_king(board: chess.Board, color: chess.Color) -> chess.SquareSet:
    king = board.king(color)
    assert king is not None
    return chess.SquareSet(chess.BB_KING_ATTACKS[king])


def _only(case: Case) -> OnlyMove | None:
    """What the move keeps, and what the best other move would have cost."""
    if not case.best.moves:
        return None
    board, move, line = case.board, case.move, case.praised
    other = Case(board, case.best.moves[0], line.moves, case.other_line, case.score, case.other_score, marked=True)
    cost = reason_of(other)
    missed = isinstance(cost, (Mating, Material)) and cost.verb == "misses"
    named = cost if isinstance(cost, _COSTS) and not missed else None
    had, has = level(case.before), level(case.after)
    if has <= had and named is None:
        return None
    quiet = not (board.is_check() or board.is_capture(move) or board.gives_check(move) or move.promotion)
    return OnlyMove(line, _aim(had, has, (case.had.mate() or 0) < 0), quiet, named)


def _aim(had: int, has: int, mated: bool) -> Literal["wins", "parries", "keeps", "holds", "balances", "good"]:
    """What only the move achieves, by the levels with the other move and with it; ``mated`` by the other one."""
    if mated:
        return "parries"
    if has <= had:
        return "good"
    if has == 3:
        return "wins"
    if has > 0:
        return "keeps"
    if had == -3:
        return "holds"
    return "balances" if has == 0 else "good"
