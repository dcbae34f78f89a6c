"""Names for arguments and results of kernels, for annotations. numba ignores them; readers and type checkers do not.

Compiled, every number is int64 except bitboards and keys, which are uint64; records are passed by reference."""

from typing import Annotated, TypeAlias

from engine.board.types import MAX_MOVES
from engine.jit import Array, Record, i4, u1, u8

Square: TypeAlias = int  # 0 for a1 to 63 for h8
Color: TypeAlias = int  # WHITE or BLACK
PieceType: TypeAlias = int  # PAWN .. KING, NO_TYPE for an empty square
Piece: TypeAlias = int  # ``color << 3 | type``, EMPTY for an empty square
Bitboard: TypeAlias = int  # a set of squares, as the bits ``1 << square``
Key: TypeAlias = int  # a Zobrist key
Move: TypeAlias = int  # see :mod:`engine.board.moves`; 0 for none

#: Centipawns, with mates and tablebase wins at the ends of the scale (see :mod:`engine.search.scores`).
Score: TypeAlias = int

#: A middlegame and an endgame score in one number (see :mod:`engine.evaluation.classical.weights`).
PackedScore: TypeAlias = int

Depth: TypeAlias = int  # remaining depth in plies
Ply: TypeAlias = int  # plies from the root
Flag: TypeAlias = int  # 0 or 1, where a kernel's signature or a record needs a number
HISTORY = 1024  # maximum history: the game's positions plus the longest line of the search


class Undo(Record):
    """Irreversible state, saved by make_move and restored by unmake_move. The keys also serve to detect repetitions."""

    key: u8
    pawn_key: u8
    nonpawn_key: Annotated[Array[u8], (2,)]  # [color]
    checkers: u8
    pinned_straight: u8
    pinned_diagonal: u8
    rule50: i4
    since_null: i4
    captured: u1
    castling: u1
    en_passant: u1


class Position(Record):
    """A position, with all that the rules need."""

    pieces: Annotated[Array[u8], (6,)]  # [type] both colours
    colors: Annotated[Array[u8], (2,)]  # [color]
    key: u8  # Polyglot's Zobrist key, except for an idle en passant square
    pawn_key: u8  # pawns only
    nonpawn_key: Annotated[Array[u8], (2,)]  # [color] all pieces except pawns
    checkers: u8  # enemy pieces giving check
    pinned_straight: u8  # lines (with the pinner) of own pieces pinned on ranks and files
    pinned_diagonal: u8  # the same on diagonals
    board: Annotated[Array[u1], (64,)]  # [square] piece, EMPTY for none
    castling_mask: Annotated[Array[u1], (64,)]  # [square] rights that survive a move from or to it
    castling_rook: Annotated[Array[u1], (4,)]  # [right] square of the rook, NO_SQUARE for none at the start
    side: u1  # colour to move
    castling: u1  # rights as bits: 2 * color on the king's side, the next one on the queen's
    en_passant: u1  # target square of an en passant capture, EP_PSEUDO if none is legal, else NO_SQUARE
    chess960: u1  # castling is written as the king taking the rook
    rule50: i4  # plies since a capture or pawn move
    since_null: i4  # plies since a null move
    fullmove: i4  # move number of the game
    ply: i4  # plies in history
    history: Annotated[Array[Undo], (HISTORY,)]  # [ply]


class MoveList(Record):
    """A list of moves with a sort value each; the caller that fills it keeps ``count``."""

    move: Annotated[Array[i4], (MAX_MOVES,)]
    value: Annotated[Array[i4], (MAX_MOVES,)]
