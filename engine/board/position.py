"""The position record, and putting pieces on it and taking them off."""

from engine.board.aliases import Bitboard, Color, MoveList, Piece, PieceType, Position, Square
from engine.board.attacks import between, bishop_attacks, knight_attacks, pawn_attacks, rook_attacks
from engine.board.tables import tables
from engine.board.types import BISHOP, EMPTY, EP_PSEUDO, I64, KING, KNIGHT, NO_TYPE, ONE, PAWN, QUEEN, ROOK, U64, ZERO
from engine.jit import inlined, lsb, record_type, structure

GAME_HISTORY = 640  # plies of the game's history at which its older half is dropped

POSITION = structure(Position)
POSITION_T = record_type(POSITION)

MOVE_LIST = structure(MoveList)


@inlined
def bit(square: Square) -> Bitboard:
    """The bitboard of one square."""
    return ONE << U64(square)


@inlined
def piece_on(position: Position, square: Square) -> Piece:
    """The piece on ``square`` as int64, EMPTY for none."""
    return I64(position.board[square])


@inlined
def type_on(position: Position, square: Square) -> PieceType:
    """The type of the piece on ``square``, NO_TYPE for none."""
    return I64(position.board[square]) & 7


@inlined
def occupied_by_all(position: Position) -> Bitboard:
    """All occupied squares."""
    return position.colors[0] | position.colors[1]


@inlined
def king_square(position: Position, color: Color) -> Square:
    """The square of the king of ``color``."""
    return lsb(position.pieces[KING] & position.colors[color])


@inlined
def has_pieces(position: Position, color: Color) -> bool:
    """Whether ``color`` has any piece besides king and pawns."""
    return (position.colors[color] & ~(position.pieces[PAWN] | position.pieces[KING])) != ZERO


@inlined
def _toggle_keys(position: Position, piece: Piece, square: Square) -> None:
    key = tables().piece_key[piece, square]
    position.key ^= key
    if piece & 7 == PAWN:
        position.pawn_key ^= key
    else:
        position.nonpawn_key[piece >> 3] ^= key


@inlined
def put_piece(position: Position, piece: Piece, square: Square) -> None:
    """Put ``piece`` on an empty square, and update the keys."""
    mask = bit(square)
    position.pieces[piece & 7] |= mask
    position.colors[piece >> 3] |= mask
    position.board[square] = piece
    _toggle_keys(position, piece, square)


@inlined
def remove_piece(position: Position, piece: Piece, square: Square) -> None:
    """Take ``piece`` off ``square``, and update the keys."""
    mask = bit(square)
    position.pieces[piece & 7] ^= mask
    position.colors[piece >> 3] ^= mask
    position.board[square] = EMPTY
    _toggle_keys(position, piece, square)


@inlined
def move_piece_without_keys(position: Position, piece: Piece, origin: Square, target: Square) -> None:
    """Move ``piece`` without updating keys, which unmaking restores from the history."""
    mask = bit(origin) | bit(target)
    position.pieces[piece & 7] ^= mask
    position.colors[piece >> 3] ^= mask
    position.board[origin] = EMPTY
    position.board[target] = piece


@inlined
def _sort_snipers(snipers: Bitboard, king: Square, own: Bitboard) -> tuple[Bitboard, Bitboard]:
    """The ``snipers`` that give check, and the lines (with the sniper) on which the others pin a piece of ``own``. A
    sniper is an enemy slider that would attack the king if only enemy pieces were on the board: with none of our pieces
    in between it gives check, with one in between it pins that piece."""
    checkers, pins = ZERO, ZERO
    while snipers:
        sniper = lsb(snipers)
        snipers &= snipers - ONE
        path = between(king, sniper)
        blockers = path & own
        if blockers == ZERO:
            checkers |= bit(sniper)
        elif blockers & (blockers - ONE) == ZERO:
            pins |= path | bit(sniper)
    return checkers, pins


@inlined
def update_checks(position: Position) -> None:
    """Find the checkers of the side to move and the lines on which its pieces are pinned."""
    us = I64(position.side)
    own, enemy = position.colors[us], position.colors[us ^ 1]
    pieces = position.pieces
    king = lsb(pieces[KING] & own)
    checkers = enemy & ((pawn_attacks(us, king) & pieces[PAWN]) | (knight_attacks(king) & pieces[KNIGHT]))
    snipers = rook_attacks(king, enemy) & (pieces[ROOK] | pieces[QUEEN]) & enemy
    straight_checkers, straight = _sort_snipers(snipers, king, own)
    snipers = bishop_attacks(king, enemy) & (pieces[BISHOP] | pieces[QUEEN]) & enemy
    diagonal_checkers, diagonal = _sort_snipers(snipers, king, own)
    checkers |= straight_checkers | diagonal_checkers
    position.checkers = checkers
    position.pinned_straight = straight
    position.pinned_diagonal = diagonal


@inlined
def pins_of(position: Position, color: Color) -> Bitboard:
    """The lines (with the pinner) on which pieces of ``color`` are pinned."""
    own, enemy = position.colors[color], position.colors[color ^ 1]
    pieces, king = position.pieces, king_square(position, color)
    snipers = rook_attacks(king, enemy) & (pieces[ROOK] | pieces[QUEEN])
    snipers |= bishop_attacks(king, enemy) & (pieces[BISHOP] | pieces[QUEEN])
    return _sort_snipers(snipers & enemy, king, own)[1]


@inlined
def en_passant_is_legal(position: Position, us: Color, king: Square, origin: Square, target: Square) -> bool:
    """Whether the king is safe after an en passant capture. Two pawns leave the board at once, so the stored pins and
    checks do not apply; slider attacks are recomputed."""
    captured = bit(target ^ 8)
    pieces = position.pieces
    if position.checkers & ~captured & (pieces[PAWN] | pieces[KNIGHT]):
        return False
    enemy = position.colors[us ^ 1]
    occupied = (occupied_by_all(position) ^ bit(origin) ^ captured) | bit(target)
    if rook_attacks(king, occupied) & (pieces[ROOK] | pieces[QUEEN]) & enemy:
        return False
    return bishop_attacks(king, occupied) & (pieces[BISHOP] | pieces[QUEEN]) & enemy == ZERO


@inlined
def set_en_passant(position: Position, us: Color, target: Square) -> None:
    """Let ``us`` capture en passant on ``target`` if a pawn stands ready, marked EP_PSEUDO if no capture is legal.
    ``checkers`` may be those before a double push, which neither gives nor evades a check by knight or other pawn."""
    takers = pawn_attacks(us ^ 1, target) & position.pieces[PAWN] & position.colors[us]
    if takers != ZERO:
        position.en_passant = target | EP_PSEUDO
    while takers:
        if en_passant_is_legal(position, us, king_square(position, us), lsb(takers), target):
            position.en_passant = target
        takers &= takers - ONE


@inlined
def recompute_keys(position: Position) -> None:
    """Set all keys from the board; the incremental keys must agree with them."""
    position.key = tables().castling_key[I64(position.castling)]
    position.key ^= tables().en_passant_key[I64(position.en_passant)]
    if position.side == 0:
        position.key ^= tables().side_key
    position.pawn_key = ZERO
    position.nonpawn_key[0] = ZERO
    position.nonpawn_key[1] = ZERO
    for square in range(64):
        piece = piece_on(position, square)
        if piece & 7 != NO_TYPE:
            _toggle_keys(position, piece, square)
