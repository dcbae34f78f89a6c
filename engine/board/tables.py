"""Lookup tables of the rules: attacks from each square, lines between squares, Zobrist keys.

They are one record, :data:`TABLES`, filled by numpy when this module is imported; kernels reach it by ``tables()``.
Slider attacks are indexed by the occupied squares on a slider's rays, gathered by PEXT where that is fast and by magic
multiplication elsewhere (Pradu Kannan's fancy magics; the same array serves both). Zobrist keys are built from the
published constants of the Polyglot book format."""

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Annotated

import chess.polyglot
import numpy as np

from engine.board.aliases import Bitboard
from engine.board.types import NO_TYPE, ONE, U64
from engine.jit import HAVE_PEXT, Array, Record, shared_record, u8


class Slider(Record):
    """One slider on one square: the squares that can block it, and where its attack sets begin."""

    mask: u8
    magic: u8
    shift: u8
    start: u8


class Tables(Record):
    """All tables."""

    rook: Annotated[Array[Slider], (64,)]  # [square]
    bishop: Annotated[Array[Slider], (64,)]  # [square]
    pawn: Annotated[Array[Array[u8]], (2, 64)]  # [color][square] squares a pawn attacks
    knight: Annotated[Array[u8], (64,)]  # [square]
    king: Annotated[Array[u8], (64,)]  # [square]
    between: Annotated[Array[Array[u8]], (64, 64)]  # [square][square] squares strictly between, 0 if not aligned
    piece_key: Annotated[Array[Array[u8]], (16, 64)]  # [piece][square]
    castling_key: Annotated[Array[u8], (16,)]  # [castling rights]
    en_passant_key: Annotated[Array[u8], (256,)]  # [square], 0 for none and where it is EP_PSEUDO
    side_key: u8
    attacks: Annotated[Array[u8], (107_648,)]  # [start + index] attack sets of rooks and bishops


TABLES, tables = shared_record("numbat_tables", Tables)

ROOK_STEPS = ((1, 0), (-1, 0), (0, 1), (0, -1))
BISHOP_STEPS = ((1, 1), (1, -1), (-1, 1), (-1, -1))
_KNIGHT_STEPS = ((1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2))


def ray(square: int, step: tuple[int, int]) -> list[int]:
    """The squares from ``square`` (exclusive) to the edge in the direction ``step`` = (files, ranks)."""
    squares = []
    file, rank = (square & 7) + step[0], (square >> 3) + step[1]
    while 0 <= file < 8 and 0 <= rank < 8:
        squares.append(8 * rank + file)
        file, rank = file + step[0], rank + step[1]
    return squares


def _bits(squares: Iterable[int]) -> Bitboard:
    return U64(sum(1 << square for square in squares))


def blocker_sets(mask: int) -> np.ndarray:
    """All subsets of ``mask``; the one whose PEXT under ``mask`` is i stands at index i."""
    squares = [square for square in range(64) if mask >> square & 1]
    index = np.arange(1 << len(squares), dtype=np.uint64)
    sets = np.zeros_like(index)
    for bit, square in enumerate(squares):
        sets |= ((index >> U64(bit) & ONE) << U64(square)).astype(np.uint64, copy=False)
    return sets


def slider_attacks(square: int, steps: Sequence[tuple[int, int]], occupied: np.ndarray) -> np.ndarray:
    """Attack sets of a slider on ``square``, one for each set of occupied squares in ``occupied``."""
    attacks = np.zeros_like(occupied)
    for step in steps:
        is_open = np.ones_like(occupied)  # 1 as long as nothing stands in the way, then 0
        for target in map(U64, ray(square, step)):
            attacks |= is_open << target
            is_open &= ~(occupied >> target)
    return attacks


def relevant_squares(square: int, steps: Sequence[tuple[int, int]]) -> int:
    """The squares whose occupancy changes the attacks of a slider on ``square``: its rays without their ends."""
    return int(sum(1 << target for step in steps for target in ray(square, step)[:-1]))


def _fill_sliders() -> None:
    magics = json.loads(Path(__file__).with_name("magics.json").read_text())
    start = 0
    for name, steps in (("rook", ROOK_STEPS), ("bishop", BISHOP_STEPS)):
        for square in range(64):
            mask = relevant_squares(square, steps)
            blockers = blocker_sets(mask)
            magic, shift = U64(int(magics[name][square], 16)), U64(64 - mask.bit_count())
            entry = TABLES[name][square]
            entry["mask"], entry["magic"], entry["shift"], entry["start"] = mask, magic, shift, start
            index = np.arange(len(blockers)) if HAVE_PEXT else blockers * magic >> shift
            TABLES["attacks"][start : start + len(blockers)][index] = slider_attacks(square, steps, blockers)
            start += len(blockers)


def _fill_steps() -> None:
    for square in range(64):
        for name, steps in (("knight", _KNIGHT_STEPS), ("king", ROOK_STEPS + BISHOP_STEPS)):
            TABLES[name][square] = _bits(ray(square, step)[0] for step in steps if ray(square, step))
        for color, forward in enumerate((1, -1)):
            paths = [ray(square, (side, forward)) for side in (1, -1)]
            TABLES["pawn"][color, square] = _bits(path[0] for path in paths if path)
        for step in ROOK_STEPS + BISHOP_STEPS:
            ahead = ray(square, step)
            for distance, target in enumerate(ahead):
                TABLES["between"][square, target] = _bits(ahead[:distance])


def _fill_keys() -> None:
    constants = np.array(chess.polyglot.POLYGLOT_RANDOM_ARRAY, np.uint64)
    for color in range(2):
        for kind in range(NO_TYPE):
            polyglot_piece = 2 * kind + 1 - color
            TABLES["piece_key"][color << 3 | kind] = constants[64 * polyglot_piece :][:64]
    for rights in range(16):
        for right in range(4):
            if rights >> right & 1:
                TABLES["castling_key"][rights] ^= constants[768 + right]
    TABLES["en_passant_key"][:64] = np.tile(constants[772:780], 8)
    TABLES["side_key"] = constants[780]


_fill_sliders()
_fill_steps()
_fill_keys()
