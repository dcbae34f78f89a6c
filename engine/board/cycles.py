"""Upcoming repetitions: whether one move of the side to move can reach an earlier position.

The keys of two positions that differ by one reversible move differ by that move's two piece keys and the side's key.
All such differences are kept in a cuckoo hash table, each in one of two slots. So two look-ups find whether the
difference to an earlier key is a move, and which (Marcel van Kervinck's idea)."""

from typing import Annotated

import numpy as np

from engine.board.aliases import Ply, Position
from engine.board.position import occupied_by_all
from engine.board.tables import BISHOP_STEPS, ROOK_STEPS, TABLES, ray
from engine.board.types import BISHOP, BLACK, I64, KING, KNIGHT, QUEEN, ROOK, U64, WHITE, ZERO
from engine.jit import Array, Record, inlined, shared_record, u8

_SLOTS = 8192  # of the table
_MASK = U64(_SLOTS - 1)
_SECOND_SHIFT = U64(13)  # a key's first slot is its lowest bits, its second one the bits above them


class _Cycles(Record):
    """The cuckoo table."""

    key: Annotated[Array[u8], (_SLOTS,)]  # key difference of a reversible move, 0 for an empty slot
    line: Annotated[Array[u8], (_SLOTS,)]  # the squares between its two, which must be empty
    ends: Annotated[Array[u8], (_SLOTS,)]  # its two squares; the moving piece stands on one


CYCLES, cycles = shared_record("numbat_cycles", _Cycles)


def _reversible_moves() -> list[tuple[int, int, int]]:
    """Each reversible move of any piece on the empty board, in one direction: its key difference, line and ends."""
    moves = []
    side = int(TABLES["side_key"])
    between, piece_keys = TABLES["between"].tolist(), TABLES["piece_key"].tolist()
    steps = {BISHOP: BISHOP_STEPS, ROOK: ROOK_STEPS, QUEEN: BISHOP_STEPS + ROOK_STEPS}
    for kind in (KNIGHT, BISHOP, ROOK, QUEEN, KING):
        for square in range(64):
            if kind in (KNIGHT, KING):
                targets = int(TABLES["knight" if kind == KNIGHT else "king"][square])
            else:
                targets = sum(1 << target for step in steps[kind] for target in ray(square, step))
            for target in range(square + 1, 64):
                if targets >> target & 1:
                    line = between[square][target]
                    for color in (WHITE, BLACK):
                        keys = piece_keys[color << 3 | kind]
                        moves.append((keys[square] ^ keys[target] ^ side, line, 1 << square | 1 << target))
    return moves


def _fill() -> None:
    """Put each move into its first slot; an entry displaced from there moves to its other slot."""
    mask, second = int(_MASK), int(_SECOND_SHIFT)
    places = [(0, 0, 0)] * _SLOTS
    for move in _reversible_moves():
        place = move[0] & mask
        while move[0]:
            places[place], move = move, places[place]
            place = (move[0] >> second & mask) if place == move[0] & mask else move[0] & mask
    for column, name in enumerate(("key", "line", "ends")):
        CYCLES[name] = np.array([entry[column] for entry in places], np.uint64)


@inlined
def has_upcoming_repetition(position: Position, ply: Ply) -> bool:
    """Whether the side to move can repeat a position that occurred since the root, which lies ``ply`` plies back."""
    reach = min(I64(position.rule50), I64(position.since_null), ply - 1)
    if reach < 3:
        return False
    occupied = occupied_by_all(position)
    own = position.colors[U64(position.side)]
    distance = 3
    while distance <= reach:
        difference = position.key ^ position.history[position.ply - distance].key
        place = difference & _MASK
        if cycles().key[place] != difference:
            place = difference >> _SECOND_SHIFT & _MASK
        if (
            cycles().key[place] == difference
            and cycles().line[place] & occupied == ZERO
            and cycles().ends[place] & own != ZERO
        ):
            return True
        distance += 2
    return False


_fill()
