"""Exact values of captures, in pawns: exchanges on one square, and a quiescence search by material alone.

Only legal moves count. The search's :func:`engine.board.see.see_ge` ignores some pins and only compares."""

from typing import Annotated

import numpy as np

from engine.board.aliases import Move, MoveList, PieceType, Ply, Position, Square
from engine.board.make import capture_square, make_move, unmake_move
from engine.board.movegen import ALL_MOVES, NOISY_MOVES, generate_moves
from engine.board.moves import is_capture, is_castling, is_promotion, origin_of, promoted_type, target_of
from engine.board.position import type_on
from engine.board.types import I64, PAWN, PIECE_VALUES, QUEEN, ZERO
from engine.jit import Array, Record, i4, inlined, int64, kernel, popcount, record_type, structure

#: Pawns by piece type, the empty square last. A king is worth more than all other pieces, as it cannot be given up.
VALUES = np.array([*PIECE_VALUES, 100, 0, 0], np.int64)

MATED, WORST = -500, -1000  # the value of being checkmated, and a lower bound of all values
QUIESCENCE_PLIES = 10  # maximum depth of the quiescence search, in plies
MAX_CAPTURES = 64  # maximum number of captures in an exchange: more than there are pieces to take


class _Ply(Record):
    moves: MoveList
    line: Annotated[Array[i4], (QUIESCENCE_PLIES + 1,)]
    length: int


class CaptureSearch(Record):
    """The state of the kernels, and the limits of :func:`material_quiescence`; if ``aborted``, its result is void."""

    position: Position
    nodes: int
    node_limit: int
    deepest: int  # the last ply, up to QUIESCENCE_PLIES
    aborted: int
    stack: Annotated[Array[_Ply], (QUIESCENCE_PLIES + 1,)]  # [ply]
    captures: Annotated[Array[int], (MAX_CAPTURES,)]  # of an exchange, and the material that each wins
    gains: Annotated[Array[int], (MAX_CAPTURES,)]


CAPTURE_SEARCH = structure(CaptureSearch)
CAPTURE_SEARCH_T = record_type(CAPTURE_SEARCH)


@inlined
def _immediate_gain(position: Position, move: Move) -> int:
    """Material that ``move`` wins immediately, in pawns: the captured piece, and the gain by promotion."""
    won = VALUES[type_on(position, capture_square(move))] if is_capture(move) else I64(0)
    return won + VALUES[promoted_type(move)] - VALUES[PAWN] if is_promotion(move) else won


@inlined
def _cheapest_capture(position: Position, moves: MoveList, target: Square) -> Move:
    """The capture on ``target`` by the least valuable piece, 0 if there is none; pawns promote to a queen."""
    best, least = I64(0), I64(1 << 30)
    for index in range(generate_moves(position, moves, I64(0), NOISY_MOVES)):
        move = I64(moves.move[index])
        if target_of(move) == target and is_capture(move):
            cost = VALUES[type_on(position, origin_of(move))] * 8 - (promoted_type(move) if is_promotion(move) else 0)
            cost = cost * 64 - origin_of(move)
            if cost < least:
                best, least = move, cost
    return best


@inlined
def _exchange_from(work: CaptureSearch, move: Move) -> int:
    """The static exchange value of ``move``: both sides capture on its square, cheapest piece first, if that pays."""
    position, target, plies = work.position, target_of(move), I64(0)
    while move != 0 and plies < MAX_CAPTURES:
        work.gains[plies] = _immediate_gain(position, move)
        work.captures[plies] = move
        make_move(position, move)
        plies += 1
        move = _cheapest_capture(position, work.stack[0].moves, target)
    won = I64(0)
    while plies > 0:
        plies -= 1
        unmake_move(position, I64(work.captures[plies]))
        won = work.gains[plies] - max(won, I64(0))
    return won


@kernel(int64(CAPTURE_SEARCH_T, int64, int64, int64), deferred=True)
def exchange(work: CaptureSearch, origin: Square, target: Square, promoted: PieceType) -> int:
    """The static exchange value of a legal move; castling wins 0. ``promoted`` is -1 except for promotions."""
    moves = work.stack[0].moves
    for index in range(generate_moves(work.position, moves, I64(0), ALL_MOVES)):
        move = I64(moves.move[index])
        becomes = promoted_type(move) if is_promotion(move) else I64(-1)
        if origin_of(move) == origin and target_of(move) == target and becomes == promoted and not is_castling(move):
            return _exchange_from(work, move)
    return I64(0)


@kernel(int64(CAPTURE_SEARCH_T, int64), deferred=True)
def won_on(work: CaptureSearch, target: Square) -> int:
    """The best static exchange value of a capture on ``target``; captures are optional, so at least 0."""
    move = _cheapest_capture(work.position, work.stack[0].moves, target)
    return max(_exchange_from(work, move), I64(0)) if move != 0 else I64(0)


@inlined
def _balance(position: Position) -> int:
    """The material of the side to move less that of the other side."""
    own, other = position.colors[position.side], position.colors[position.side ^ 1]
    total = I64(0)
    for kind in range(PAWN, QUEEN + 1):
        pieces = position.pieces[kind]
        total += VALUES[kind] * (popcount(own & pieces) - popcount(other & pieces))
    return total


@inlined
def _sort(position: Position, moves: MoveList, count: int) -> None:
    """Most valuable victims first, then least valuable attackers."""
    for index in range(count):
        move = I64(moves.move[index])
        value = VALUES[type_on(position, origin_of(move))] - 10 * _immediate_gain(position, move)
        value = (value << 12) - (origin_of(move) << 6) - target_of(move)
        place = index
        while place > 0 and moves.value[place - 1] > value:
            moves.value[place], moves.move[place] = moves.value[place - 1], moves.move[place - 1]
            place -= 1
        moves.value[place], moves.move[place] = value, move


@kernel(int64(CAPTURE_SEARCH_T, int64, int64, int64), deferred=True)
def material_quiescence(work: CaptureSearch, alpha: int, beta: int, ply: Ply) -> int:
    """The balance for the side to move after all profitable captures and promotions, with their ``line``. Fail-soft. A
    side that is not in check may stand pat, and does so unless it gains."""
    position, here = work.position, work.stack[ply]
    here.length = 0
    work.nodes += 1
    if work.nodes > work.node_limit:
        work.aborted = 1
        return I64(0)
    standing = _balance(position)
    in_check = position.checkers != ZERO
    if not in_check and (standing >= beta or ply == work.deepest):
        return standing
    count = generate_moves(position, here.moves, I64(0), ALL_MOVES if in_check else NOISY_MOVES)
    if in_check and count == 0:
        return I64(MATED)
    if ply == work.deepest:
        return standing
    best = I64(WORST) if in_check else standing
    alpha = max(alpha, best)
    _sort(position, here.moves, count)
    for index in range(count):
        move = I64(here.moves.move[index])
        if not in_check and not is_capture(move) and promoted_type(move) != QUEEN:
            continue
        if not in_check and standing + _immediate_gain(position, move) <= alpha:
            continue
        make_move(position, move)
        value = -material_quiescence(work, -beta, -alpha, ply + 1)
        unmake_move(position, move)
        if work.aborted != 0:
            return I64(0)
        if value > best:
            best = value
            alpha = max(alpha, best)
            below = work.stack[ply + 1]
            here.line[0] = move
            for after in range(below.length):
                here.line[after + 1] = below.line[after]
            here.length = below.length + 1
            if alpha >= beta:
                break
    return best
