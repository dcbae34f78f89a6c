"""What a good move does: mate, win material, threaten, sacrifice for an aim, or avoid the cost of other moves."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

import chess
from chess.engine import PovScore, Score

from engine.explanation.claims import (
    Case,
    Claim,
    Drawn,
    Gain,
    Material,
    Mating,
    OnlyMove,
    Opposition,
    Piece,
    Sacrifice,
    TableResult,
    Tables,
    Threat,
)
from engine.explanation.effort import spend
from engine.explanation.line import Line
from engine.explanation.material import material
from engine.explanation.material_won import gain_of, net_losses, pieces
from engine.explanation.mistakes import mating, previous_capture, reason_of
from engine.explanation.sacrifices import MIN_SACRIFICE_PAWNS, sacrificed
from engine.explanation.tactics import Win
from engine.explanation.themes import draw
from engine.explanation.verdicts import level
from engine.play.captures import value

_THREAT_PLIES = 3  # plies of a threat to mention: the capture, the reply and the result
_MIN_RETURN_SHARE = 0.6  # part of a sacrificed piece's value that is enough in return to be the aim of the sacrifice

#: Moves of the sacrificing side within which an attack on the king must show, and how many must be part of it.
_MAX_ATTACK_MOVES, _MIN_ATTACK_MOVES = 4, 3


def merit_of(
    board: chess.Board, line: Sequence[chess.Move], score: PovScore, threat: Sequence[chess.Move] = ()
) -> Claim | None:
    """What the first move of ``line`` does on ``board``; None if nothing is certain. ``threat`` is how the same side
    would continue if the other one passed."""
    best = Line.of(board, line)
    if not best.moves:
        return None
    relative = score.pov(board.turn)
    mates = relative.mate()
    if mates is not None:
        return mating("leads", best, mates) if mates > 0 else Mating("mated", best, -mates)
    if found := _wins(best, relative):
        return found
    ended = draw.ending(best)
    if relative.score() == 0 and ended is not None and ended[0] == "corner":
        return Drawn("held", best, ended[1])
    return _threat(board, best, threat)


def _wins(best: Line, score: Score) -> Material | None:
    """What the first move of ``best``, whose winner has this ``score``, wins by force."""
    win, lost = Win(best, score), value(previous_capture(best.boards[0], best.moves[0]))
    if win.pawns > lost and win.shown and win.gain and win.finding:  # a recapture must win more than was lost
        return Material("wins", win.proof, win.gain, win.finding)
    return None


def _threat(board: chess.Board, best: Line, threat: Sequence[chess.Move]) -> Claim | None:
    """The threat behind a quiet best move."""
    after = best.boards[1].copy(stack=False)
    if not threat or after.is_check() or best.captured(0) or best.moves[0].promotion:
        return None
    after.push(chess.Move.null())
    line = Line.of(after, threat[:_THREAT_PLIES])
    if not line.moves:  # it is not legal
        return None
    if line.final_board.is_checkmate() and len(line) == 1:
        return Threat(best, line, mate=True)
    if line.moves[0].promotion:
        return Threat(best, line)
    before = Line.of(board, line.moves)
    new = len(before) < len(line) or before.gain < line.gain
    return Threat(best, line, gain) if new and line.gain >= 2 and line.captured(0) and (gain := gain_of(line)) else None


def result_by(tables: Tables, board: chess.Board, best: chess.Move) -> TableResult | None:
    """The result of ``board`` by ``tables`` with the moves that keep it (``best`` first); None if not found."""
    outcome = tables(board)
    if outcome is None:
        return None
    moves = tuple(dict.fromkeys((best, *board.legal_moves))) if outcome >= 0 else ()
    kept = tuple(move for move in moves if _keeps(tables, board, move, outcome))
    return TableResult(Line.of(board, []), outcome, kept, every=bool(kept) and kept == moves)


def _keeps(tables: Tables, board: chess.Board, move: chess.Move, outcome: int) -> bool:
    spend()
    after = board.copy(stack=False)
    after.push(move)
    if after.is_checkmate():
        return outcome == 2
    found = 0 if after.is_stalemate() or after.is_insufficient_material() else tables(after)
    return found is not None and -found == outcome


def praise_of(case: Case, tables: Tables | None = None) -> Claim | None:
    """Why the move of ``case``, the best on its board, is good: a sacrifice and its aim, a mate, material won, the
    result by ``tables``, or what the best other move would have cost. None if nothing is certain. Whether a move
    deserves praise is not decided here. Raises the exceptions of :func:`~engine.explanation.mistakes.reason_of`."""
    mates = case.has.mate()
    if mates is not None and mates < 0:
        return None
    if sacrifice := _sacrifice(case):
        return sacrifice
    line = case.praised_line
    if mates is not None and (case.had.mate() or 0) <= 0:
        return mating("leads", line, mates + 1)
    won = _wins(line, case.has)
    if won and won.line.gain > max(0, case.best_line.gain):
        return won
    return (result_by(tables, case.board, case.move) if tables else None) or _only(case)


def _sacrifice(case: Case) -> Sacrifice | None:
    """The sacrifice that the move makes, and its aim: of several pieces the one that is not regained, else the one
    that costs most. Also None if the side is worse and has no aim."""
    line, given = case.praised_line, sacrificed(case.board, case.move)
    if not given:
        return None
    reply = line.moves[1].to_square if len(line) > 1 else None
    square = max(given, key=lambda each: given[each])
    if reply in given and net_losses(line)[1][Piece.at(line.boards[1], reply).kind] > 0:
        square = reply
    piece = Piece.at(line.boards[1], square)
    exchange = piece.kind == chess.ROOK and given[square] == MIN_SACRIFICE_PAWNS
    claim = Sacrifice(line, piece, exchange, "standing", level=level(case.after))
    mates = case.has.mate()
    if mates is not None:
        return replace(claim, aim="mate", moves=mates + 1)
    ended = draw.ending(line)
    if ended and draw.is_level(case.has):
        return replace(claim, aim="draw")
    if gains := _return(case, piece):
        return replace(claim, aim="material", gains=gains)
    attacked, target = _attack(line)
    if attacked:
        return replace(claim, aim="attack", target=target)
    return claim if claim.level >= 0 else None


def _return(case: Case, piece: Piece) -> Gain | None:
    """What the mover's line gets for the sacrificed ``piece``, without pending captures: more, or a fair return."""
    line = case.praised_line
    if line.gain_on(line.final_board) < line.gain:
        return None
    if line.gain >= 1:
        return gain_of(line) if Win(line, case.has).shown else None
    won, paid, _ = net_losses(line)
    if paid[piece.kind] < 1 or material(+won) < max(3, _MIN_RETURN_SHARE * value(piece.kind)):
        return None
    return Gain("list", pieces(+won), pieces(+paid))


def _attack(line: Line) -> tuple[bool, chess.Square | None]:
    """Whether the mover attacks the enemy king with most of its moves, and the first pawn of its shelter that falls."""
    part, target = 0, None
    turns = [ply for ply in line.turns() if ply < 2 * _MAX_ATTACK_MOVES]
    shelter = _near_king(line.boards[0], not line.winner) & chess.BB_RANKS[1 if line.winner == chess.BLACK else 6]
    for ply in turns:
        board, move = line.boards[ply], line.moves[ply]
        near = _near_king(board, not line.winner)
        attacked = near & line.boards[ply + 1].attacks(move.to_square)
        part += bool(attacked) or move.to_square in near or board.gives_check(move)
        if target is None and line.captured(ply) == chess.PAWN and move.to_square in shelter:
            target = move.to_square
    return len(turns) > 1 and part >= min(_MIN_ATTACK_MOVES, len(turns)), target


def _near_king(board: chess.Board, color: chess.Color) -> chess.SquareSet:
    king = board.king(color)
    assert king is not None
    return chess.SquareSet(chess.BB_KING_ATTACKS[king])


def _only(case: Case) -> OnlyMove | None:
    """The claim that the move keeps the standing, which the best other move would have cost."""
    if not case.best_line.moves:
        return None
    board, move, line = case.board, case.move, case.praised_line
    other = Case(board, case.best_line.moves[0], line.moves, case.other_line, case.score, case.other_score, marked=True)
    cost = reason_of(other)
    missed = isinstance(cost, (Mating, Material)) and cost.verb in ("misses", "regains")  # by this move
    missed = missed or (isinstance(cost, Drawn) and cost.missed)
    named = cost if isinstance(cost, (Mating, Drawn, Opposition, Material)) and not missed else None
    had, has = level(case.before), level(case.after)
    if has <= had and named is None:
        return None
    quiet = not (board.is_check() or board.is_capture(move) or board.gives_check(move) or move.promotion)
    return OnlyMove(line, _aim(had, has, (case.had.mate() or 0) < 0), quiet, named)


def _aim(had: int, has: int, mated: bool) -> Literal["wins", "parries", "keeps", "holds", "balances", "good"]:
    """What only the move achieves, by the levels with the other move and with it; ``mated`` by the other one."""
    if mated:
        return "parries"
    if has == 3 > had:
        return "wins"
    if has > 0 >= had:
        return "keeps"
    if had == -3 and has in (-1, 0):
        return "holds"
    return "balances" if had < has == 0 else "good"
