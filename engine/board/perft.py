"""Perft: the number of leaves of the tree of legal moves. The test of move generation, and its benchmark."""

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import Annotated, Any

import numpy as np

from engine.board.aliases import Depth, MoveList, Position
from engine.board.make import make_move, unmake_move
from engine.board.movegen import ALL_MOVES, count_moves, generate_moves
from engine.board.notation import list_moves, to_uci
from engine.board.setup import copy_position, play_move
from engine.board.types import I64
from engine.jit import Array, Record, int64, kernel, load_relaxed, new_record, record_type, structure, u8

MAX_DEPTH = 21


class Perft(Record):
    """The working memory of one perft thread."""

    position: Position
    stop_address: u8  # of an int64; nonzero ends the count early
    moves: Annotated[Array[MoveList], (MAX_DEPTH,)]  # [depth left]


PERFT = structure(Perft)


@kernel(int64(record_type(PERFT), int64), deferred=True)
def count_leaves(work: Perft, depth: Depth) -> int:
    """Leaves ``depth`` >= 1 plies below ``work.position``; moves of the last ply are counted, not made."""
    position = work.position
    if depth <= 1:
        return count_moves(position)
    if depth > 4 and load_relaxed(work.stop_address) != 0:
        return 0
    moves = work.moves[depth]
    count = generate_moves(position, moves, I64(0), ALL_MOVES)
    leaves = 0
    for index in range(count):
        move = I64(moves.move[index])
        make_move(position, move)
        leaves += count_leaves(work, depth - 1)
        unmake_move(position, move)
    return leaves


def perft(
    position: Position,
    depth: int,
    threads: int = 1,
    on_move: Callable[[str, int], None] | None = None,
    stop: Any = None,
) -> int:
    """Count the leaves of the tree ``depth`` plies deep below ``position``, with ``threads`` sharing the root moves.
    ``on_move`` gets each root move in UCI notation with its count, in the order of generation. ``stop`` is an int64
    array whose first element, set to 1, ends the count early (the result is then too low)."""
    if not 0 <= depth < MAX_DEPTH:
        raise ValueError(f"perft depth {depth} is not in 0..{MAX_DEPTH - 1}")
    if depth == 0:
        return 1
    flag = np.zeros(1, np.int64) if stop is None else stop
    chess960 = bool(position["chess960"])

    def count(move: int) -> int:
        work = new_record(PERFT)
        work["stop_address"] = flag.ctypes.data
        copy_position(work["position"], position)
        play_move(work["position"], move)
        return int(count_leaves(work, depth - 1)) if depth > 1 else 1

    total = 0
    moves = list_moves(position)
    with ThreadPoolExecutor(max_workers=max(1, threads)) as pool:
        try:
            for move, leaves in zip(moves, _shares(pool, count, moves), strict=True):
                total += leaves
                if on_move:
                    on_move(to_uci(move, chess960), leaves)
        except BaseException:
            flag[0] = 1  # closing the pool waits for its threads
            raise
    return total


def _shares(pool: ThreadPoolExecutor, count: Callable[[int], int], moves: list[int]) -> Iterable[int]:
    """The leaves below each of ``moves``, counted in the threads of ``pool``, or here if the system refuses threads."""
    try:
        return pool.map(count, moves)
    except RuntimeError:
        pool.shutdown(wait=False, cancel_futures=True)
        return map(count, moves)
