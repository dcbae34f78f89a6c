"""Pawn structure: isolated, doubled, backward, connected and passed pawns, cached in a hash table by pawn key.

Structures rarely change from node to node, so most probes hit."""

from typing import Annotated

from engine.board.aliases import Bitboard, Color, PackedScore, Position, Square
from engine.board.attacks import all_pawn_attacks, forward, pawn_attacks
from engine.board.position import bit
from engine.board.types import I64, ONE, U64, ZERO
from engine.evaluation.classical.features import (
    BACKWARD,
    CANDIDATE,
    DOUBLED,
    ISOLATED,
    PASSED,
    PHALANX,
    PIECE_SQUARE,
    SUPPORTED,
)
from engine.evaluation.classical.view import View, ahead, beside, file_of, relative_rank, relative_square
from engine.evaluation.classical.weights import Trace, term
from engine.jit import Array, Record, inlined, lsb, popcount, structure, u8

PAWN_ENTRIES = 8192  # entries of the hash (a power of two)


class PawnEntry(Record):
    """The terms of one pawn structure. A zeroed entry is correct for its key, that of no pawns at all."""

    key: u8
    score: int  # White's terms minus Black's, both stages
    passed: u8
    pawn_span: Annotated[Array[u8], (2,)]


class PawnTable(Record):
    """One thread's pawn hash table, and the view of the position it evaluates."""

    entry: Annotated[Array[PawnEntry], (PAWN_ENTRIES,)]
    maps: View


PAWN_TABLE = structure(PawnTable)


@inlined
def _pawn(trace: Trace, us: Color, square: Square, own: Bitboard, enemy: Bitboard) -> tuple[PackedScore, Bitboard]:
    """The terms of one pawn, and its bit if it is passed."""
    here = bit(square)
    front = ahead(here, us)
    neighbours = beside(file_of(square))
    rank = relative_rank(us, square)
    free = 1 if front & enemy == ZERO else 0
    friends = neighbours & own
    stop = forward(here, us)
    score = term(trace, us, PIECE_SQUARE + relative_square(us, square), 1)
    if front & own:
        score += term(trace, us, DOUBLED, 1)
    supporters = pawn_attacks(us ^ 1, square) & own
    side_by_side = beside(here) & own
    if supporters:
        score += term(trace, us, SUPPORTED + rank, 1)
    if side_by_side:
        score += term(trace, us, PHALANX + rank, 1)
    behind = ~ahead(here | beside(here), us) & neighbours  # neighbours no further ahead than this pawn
    if friends == ZERO:
        score += term(trace, us, ISOLATED + free, 1)
    elif behind & own == ZERO and all_pawn_attacks(enemy, us ^ 1) & stop:
        score += term(trace, us, BACKWARD + free, 1)
    guards = beside(front) & enemy
    if free == 1 and front & own == ZERO:
        if guards == ZERO:
            return score + term(trace, us, PASSED + rank, 1), here
        if popcount(behind & own) >= popcount(guards):
            score += term(trace, us, CANDIDATE + rank, 1)
    return score, ZERO


@inlined
def _structure(trace: Trace, us: Color, own: Bitboard, enemy: Bitboard) -> tuple[PackedScore, Bitboard]:
    """The terms of all pawns of a colour, and the passed ones."""
    score, passed = I64(0), ZERO
    rest = own
    while rest:
        square = lsb(rest)
        rest &= rest - ONE
        value, is_passed = _pawn(trace, us, square, own, enemy)
        score += value
        passed |= is_passed
    return score, passed


@inlined
def pawn_span(pawns: Bitboard, color: Color) -> Bitboard:
    """Squares that ``pawns`` attack now or after advancing."""
    attacks = all_pawn_attacks(pawns, color)
    return attacks | ahead(attacks, color)


@inlined
def pawn_terms(trace: Trace, pawn_table: PawnTable, position: Position) -> PackedScore:
    """White's terms of pawn structure minus Black's; sets the view's passed pawns and pawn spans."""
    view = pawn_table.maps
    entry = pawn_table.entry[position.pawn_key & U64(PAWN_ENTRIES - 1)]
    if entry.key != position.pawn_key or trace is not None:
        white, black = view.pawns[0], view.pawns[1]
        white_score, white_passed = _structure(trace, I64(0), white, black)
        black_score, black_passed = _structure(trace, I64(1), black, white)
        entry.key = position.pawn_key
        entry.score = white_score - black_score
        entry.passed = white_passed | black_passed
        entry.pawn_span[0] = pawn_span(white, 0)
        entry.pawn_span[1] = pawn_span(black, 1)
    view.passed = entry.passed
    view.pawn_span[0] = entry.pawn_span[0]
    view.pawn_span[1] = entry.pawn_span[1]
    return entry.score
