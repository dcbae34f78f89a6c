"""Making and unmaking moves: the only code that changes a position while a search runs."""

from engine.board.aliases import Color, Key, Move, Piece, Position, Square
from engine.board.attacks import pawn_attacks
from engine.board.moves import (
    DOUBLE_PUSH,
    EN_PASSANT,
    castled_king_square,
    castled_rook_square,
    is_capture,
    is_castling,
    is_promotion,
    kind_of,
    origin_of,
    promoted_type,
    target_of,
)
from engine.board.position import (
    move_piece_without_keys,
    piece_on,
    put_piece,
    remove_piece,
    set_en_passant,
    update_checks,
)
from engine.board.tables import tables
from engine.board.types import EMPTY, I64, KING, NO_SQUARE, ONE, PAWN, ROOK, U64
from engine.jit import inlined


@inlined
def _push_undo(position: Position, captured: Piece) -> None:
    """Push the state that :func:`unmake_move` cannot recompute."""
    undo = position.history[position.ply]
    undo.key = position.key
    undo.pawn_key = position.pawn_key
    undo.nonpawn_key[0] = position.nonpawn_key[0]
    undo.nonpawn_key[1] = position.nonpawn_key[1]
    undo.checkers = position.checkers
    undo.pinned_straight = position.pinned_straight
    undo.pinned_diagonal = position.pinned_diagonal
    undo.rule50 = position.rule50
    undo.since_null = position.since_null
    undo.captured = captured
    undo.castling = position.castling
    undo.en_passant = position.en_passant
    position.ply += 1


@inlined
def _pop_undo(position: Position) -> Piece:
    """Pop what :func:`_push_undo` pushed; return the captured piece."""
    position.ply -= 1
    undo = position.history[position.ply]
    position.key = undo.key
    position.pawn_key = undo.pawn_key
    position.nonpawn_key[0] = undo.nonpawn_key[0]
    position.nonpawn_key[1] = undo.nonpawn_key[1]
    position.checkers = undo.checkers
    position.pinned_straight = undo.pinned_straight
    position.pinned_diagonal = undo.pinned_diagonal
    position.rule50 = undo.rule50
    position.since_null = undo.since_null
    position.castling = undo.castling
    position.en_passant = undo.en_passant
    return I64(undo.captured)


@inlined
def capture_square(move: Move) -> Square:
    """The square of the captured piece: behind the target for en passant, else the target."""
    return target_of(move) ^ 8 if kind_of(move) == EN_PASSANT else target_of(move)


@inlined
def _clear_en_passant(position: Position) -> None:
    if position.en_passant != NO_SQUARE:
        position.key ^= tables().en_passant_key[I64(position.en_passant)]
        position.en_passant = NO_SQUARE


@inlined
def key_after(position: Position, move: Move) -> Key:
    """The key after ``move``, for prefetching: without castling, promotion, en passant and lost castling rights."""
    origin, target = origin_of(move), target_of(move)
    piece_key = tables().piece_key[piece_on(position, origin)]
    key = position.key ^ tables().side_key ^ piece_key[origin] ^ piece_key[target]
    captured = piece_on(position, target)
    if captured != EMPTY:
        key ^= tables().piece_key[captured, target]
    return key


@inlined
def key_after_null(position: Position) -> Key:
    """The key after a null move, without the effect of a lost en passant square."""
    return position.key ^ tables().side_key


@inlined
def _castle(position: Position, us: Color, move: Move) -> None:
    king, rook = us << 3 | KING, us << 3 | ROOK
    remove_piece(position, king, origin_of(move))
    remove_piece(position, rook, target_of(move))
    put_piece(position, king, castled_king_square(move))
    put_piece(position, rook, castled_rook_square(move))


@inlined
def make_move(position: Position, move: Move) -> None:
    """Make a legal ``move``; updates keys, clocks, checkers and pins."""
    us = I64(position.side)
    origin, target = origin_of(move), target_of(move)
    piece = piece_on(position, origin)
    captured = I64(EMPTY)
    if is_capture(move):
        captured = piece_on(position, capture_square(move))
    _push_undo(position, captured)
    position.rule50 += 1
    position.since_null += 1
    position.fullmove += us
    _clear_en_passant(position)

    if is_castling(move):
        _castle(position, us, move)
    else:
        if captured != EMPTY:
            remove_piece(position, captured, capture_square(move))
            position.rule50 = 0
        remove_piece(position, piece, origin)
        if is_promotion(move):
            put_piece(position, us << 3 | promoted_type(move), target)
        else:
            put_piece(position, piece, target)
        if piece & 7 == PAWN:
            position.rule50 = 0
            if kind_of(move) == DOUBLE_PUSH:
                behind = target ^ 8
                if pawn_attacks(us, behind) & position.pieces[PAWN] & position.colors[us ^ 1]:
                    set_en_passant(position, us ^ 1, behind)
                    position.key ^= tables().en_passant_key[I64(position.en_passant)]

    rights = I64(position.castling)
    kept = rights & I64(position.castling_mask[origin]) & I64(position.castling_mask[target])
    if kept != rights:
        position.key ^= tables().castling_key[rights] ^ tables().castling_key[kept]
        position.castling = kept
    position.side = us ^ 1
    position.key ^= tables().side_key
    update_checks(position)


@inlined
def unmake_move(position: Position, move: Move) -> None:
    """Take back ``move``, the last one made."""
    us = I64(position.side) ^ 1
    position.side = us
    position.fullmove -= us
    captured = _pop_undo(position)
    origin, target = origin_of(move), target_of(move)
    if is_castling(move):
        _uncastle(position, us, move)
        return
    if is_promotion(move):
        promoted = ONE << U64(target)
        position.pieces[promoted_type(move)] ^= promoted
        position.pieces[PAWN] |= promoted
        move_piece_without_keys(position, us << 3 | PAWN, target, origin)
    else:
        move_piece_without_keys(position, piece_on(position, target), target, origin)
    if captured != EMPTY:
        square = capture_square(move)
        mask = ONE << U64(square)
        position.board[square] = captured
        position.pieces[captured & 7] |= mask
        position.colors[us ^ 1] |= mask


@inlined
def _uncastle(position: Position, us: Color, move: Move) -> None:
    """Put king and rook back; their squares may overlap, so both are lifted before either is put down."""
    king_from, rook_from = origin_of(move), target_of(move)
    king_to, rook_to = castled_king_square(move), castled_rook_square(move)
    kings = (ONE << U64(king_from)) ^ (ONE << U64(king_to))
    rooks = (ONE << U64(rook_from)) ^ (ONE << U64(rook_to))
    position.pieces[KING] ^= kings
    position.pieces[ROOK] ^= rooks
    position.colors[us] ^= kings ^ rooks
    position.board[king_to] = EMPTY
    position.board[rook_to] = EMPTY
    position.board[king_from] = us << 3 | KING
    position.board[rook_from] = us << 3 | ROOK


@inlined
def make_null_move(position: Position) -> None:
    """Make a null move. The side to move must not be in check."""
    us = I64(position.side)
    _push_undo(position, I64(EMPTY))
    position.rule50 += 1
    position.since_null = 0
    position.fullmove += us
    _clear_en_passant(position)
    position.side = us ^ 1
    position.key ^= tables().side_key
    update_checks(position)


@inlined
def unmake_null_move(position: Position) -> None:
    """Take back :func:`make_null_move`."""
    us = I64(position.side) ^ 1
    position.side = us
    position.fullmove -= us
    _pop_undo(position)
