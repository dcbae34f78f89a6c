"""Material and piece-square evaluation: the textbook weighted sum.

``Eval(s) = sum of w_i * f_i(s)``, where feature i counts one kind of piece on one square, White's minus Black's
(Shannon 1950), and each weight is the piece's classical value (1, 3, 3, 5, 9 pawns) plus a bonus for the square. Every
weight has a middlegame and an endgame value; the score is interpolated between them as pieces leave the board (tapered
evaluation).

The sum is updated incrementally: an :data:`ACCUMULATOR` per ply, each made from the previous one."""

import json
from pathlib import Path
from typing import Annotated

from engine.board.aliases import Move, Piece, Position, Score, Square
from engine.board.make import capture_square
from engine.board.moves import (
    castled_king_square,
    castled_rook_square,
    is_capture,
    is_castling,
    is_promotion,
    origin_of,
    promoted_type,
    target_of,
)
from engine.board.position import occupied_by_all, piece_on
from engine.board.types import BLACK, I64, KING, ONE, ROOK, WHITE
from engine.jit import Array, Record, i4, inlined, lsb, shared_record, structure

WEIGHTS_FILE = Path(__file__).with_name("material.json")

PIECE_NAMES = ("pawn", "knight", "bishop", "rook", "queen", "king")

FULL_PHASE = 24  # the phase of a full board; captures bring it down to 0, the bare endgame


class _Weight(Record):
    """Centipawns for White, and the piece's contribution to the phase."""

    middlegame: i4
    endgame: i4
    phase: i4
    unused: i4


class MaterialAccumulator(Record):
    """The running sums, from White's view."""

    middlegame: i4
    endgame: i4
    phase: i4


ACCUMULATOR = structure(MaterialAccumulator)


class _PieceSquareWeights(Record):
    """The values of all pieces."""

    piece_square: Annotated[Array[Array[_Weight]], (16, 64)]  # [piece][square]


WEIGHTS, weights = shared_record("numbat_material", _PieceSquareWeights)


def load_weights(file: Path = WEIGHTS_FILE) -> None:
    """Set :data:`WEIGHTS` from a JSON file. The file holds ``material`` (centipawns by piece name), ``phase`` (by piece
    name) and ``piece_square`` (by name and ``middlegame`` or ``endgame``, eight rows of eight centipawn values from
    White's view, eighth rank first). Raises OSError, KeyError or ValueError if it does not."""
    table = json.loads(file.read_text())
    for kind, name in enumerate(PIECE_NAMES):
        for stage in ("middlegame", "endgame"):
            rows = table["piece_square"][name][stage]
            for square in range(64):
                value = table["material"][name] + rows[7 - (square >> 3)][square & 7]
                WEIGHTS["piece_square"][WHITE << 3 | kind, square][stage] = value
                WEIGHTS["piece_square"][BLACK << 3 | kind, square ^ 56][stage] = -value
        for color in (WHITE, BLACK):
            WEIGHTS["piece_square"]["phase"][color << 3 | kind] = table["phase"][name]


@inlined
def add_feature(accumulator: MaterialAccumulator, piece: Piece, square: Square) -> None:
    """Add ``piece`` on ``square``."""
    weight = weights().piece_square[piece, square]
    accumulator.middlegame += weight.middlegame
    accumulator.endgame += weight.endgame
    accumulator.phase += weight.phase


@inlined
def remove_feature(accumulator: MaterialAccumulator, piece: Piece, square: Square) -> None:
    """Remove ``piece`` from ``square``."""
    weight = weights().piece_square[piece, square]
    accumulator.middlegame -= weight.middlegame
    accumulator.endgame -= weight.endgame
    accumulator.phase -= weight.phase


@inlined
def copy_accumulator(target: MaterialAccumulator, source: MaterialAccumulator) -> None:
    """Set ``target`` to ``source``, as a null move does."""
    target.middlegame = source.middlegame
    target.endgame = source.endgame
    target.phase = source.phase


@inlined
def refresh_accumulator(accumulator: MaterialAccumulator, position: Position) -> None:
    """Sum up the whole board."""
    accumulator.middlegame = 0
    accumulator.endgame = 0
    accumulator.phase = 0
    rest = occupied_by_all(position)
    while rest:
        square = lsb(rest)
        rest &= rest - ONE
        add_feature(accumulator, piece_on(position, square), square)


@inlined
def update_accumulator(
    target: MaterialAccumulator, source: MaterialAccumulator, position: Position, move: Move
) -> None:
    """Set ``target`` to ``source`` updated by ``move``, which has not been made on ``position`` yet."""
    copy_accumulator(target, source)
    us = I64(position.side)
    origin = origin_of(move)
    piece = piece_on(position, origin)
    remove_feature(target, piece, origin)
    if is_castling(move):
        add_feature(target, us << 3 | KING, castled_king_square(move))
        remove_feature(target, us << 3 | ROOK, target_of(move))
        add_feature(target, us << 3 | ROOK, castled_rook_square(move))
        return
    if is_capture(move):
        square = capture_square(move)
        remove_feature(target, piece_on(position, square), square)
    if is_promotion(move):
        piece = us << 3 | promoted_type(move)
    add_feature(target, piece, target_of(move))


@inlined
def material_value(accumulator: MaterialAccumulator, position: Position) -> Score:
    """Centipawns for the side to move."""
    phase = min(I64(accumulator.phase), I64(FULL_PHASE))
    total = I64(accumulator.middlegame) * phase + I64(accumulator.endgame) * (FULL_PHASE - phase)
    return (total if position.side == WHITE else -total) // FULL_PHASE


def explain(position: Position) -> list[tuple[str, int, int]]:
    """The sum by type of piece: name, White's share and Black's in centipawns, each from its owner's view."""
    phase = 0
    for square in range(64):
        phase += int(WEIGHTS["piece_square"]["phase"][position["board"][square], square])
    phase = min(phase, FULL_PHASE)
    shares = []
    for kind, name in enumerate(PIECE_NAMES):
        share = [0, 0]
        for color in (WHITE, BLACK):
            for square in range(64):
                if position["board"][square] == color << 3 | kind:
                    weight = WEIGHTS["piece_square"][color << 3 | kind, square]
                    middlegame, endgame = int(weight["middlegame"]), int(weight["endgame"])
                    value = (middlegame * phase + endgame * (FULL_PHASE - phase)) / FULL_PHASE
                    share[color] += round(value if color == WHITE else -value)
        shares.append((name, share[WHITE], share[BLACK]))
    return shares


load_weights()
