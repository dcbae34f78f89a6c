"""Legal move generation.

Only legal moves are generated: a check limits the target squares, a pin keeps the piece on its line, and the king's
targets and en passant are tested one by one. Pawns move setwise. :func:`generate_moves` and :func:`count_moves` share
the functions that find each piece's targets."""

from engine.board.aliases import Bitboard, Color, Move, MoveList, Position, Square
from engine.board.attacks import (
    all_pawn_attacks,
    between,
    bishop_attacks,
    east,
    forward,
    is_attacked,
    king_attacks,
    knight_attacks,
    pawn_attacks,
    rook_attacks,
    west,
)
from engine.board.moves import CAPTURE, CASTLE_SHORT, DOUBLE_PUSH, EN_PASSANT, PROMOTION, QUIET, encode
from engine.board.position import bit, en_passant_is_legal, king_square, occupied_by_all
from engine.board.types import (
    ALL,
    BISHOP,
    I64,
    KNIGHT,
    NO_SQUARE,
    ONE,
    PAWN,
    QUEEN,
    RANK_1,
    RANK_3,
    RANK_6,
    RANK_8,
    ROOK,
    U64,
    WHITE,
    ZERO,
)
from engine.jit import inlined, lsb, popcount

#: Kinds of moves to generate: captures and promotions, all other moves, or both.
NOISY_MOVES, QUIET_MOVES, ALL_MOVES = I64(1), I64(2), I64(3)  # typed, so that one compiled generator serves all


@inlined
def evasion_mask(position: Position, king: Square) -> Bitboard:
    """Squares to which pieces other than the king may move: all, or those that end a single check."""
    checkers = position.checkers
    if checkers == ZERO:
        return ALL
    return between(king, lsb(checkers)) | checkers


@inlined
def in_double_check(position: Position) -> bool:
    """Whether two pieces give check, so that only the king can move."""
    return position.checkers & (position.checkers - ONE) != ZERO


@inlined
def king_targets(position: Position, us: Color, king: Square, candidates: Bitboard) -> Bitboard:
    """The ``candidates`` around the king that are not attacked once it has left its square."""
    them = us ^ 1
    enemy = position.colors[them]
    pieces = position.pieces
    candidates &= king_attacks(king) & ~position.colors[us]
    candidates &= ~king_attacks(king_square(position, them))
    candidates &= ~all_pawn_attacks(pieces[PAWN] & enemy, them)
    occupied = occupied_by_all(position) ^ bit(king)
    straight = (pieces[ROOK] | pieces[QUEEN]) & enemy
    diagonal = (pieces[BISHOP] | pieces[QUEEN]) & enemy
    knights = pieces[KNIGHT] & enemy
    safe = ZERO
    while candidates:
        target = lsb(candidates)
        candidates &= candidates - ONE
        if (
            knight_attacks(target) & knights
            | bishop_attacks(target, occupied) & diagonal
            | rook_attacks(target, occupied) & straight
        ) == ZERO:
            safe |= bit(target)
    return safe


@inlined
def movable_knights(position: Position, own: Bitboard) -> Bitboard:
    """Knights that are not pinned: a pinned knight can never move."""
    return position.pieces[KNIGHT] & own & ~(position.pinned_straight | position.pinned_diagonal)


@inlined
def diagonal_movers(position: Position, own: Bitboard) -> Bitboard:
    """Bishops and queens that may move on diagonals."""
    return (position.pieces[BISHOP] | position.pieces[QUEEN]) & own & ~position.pinned_straight


@inlined
def straight_movers(position: Position, own: Bitboard) -> Bitboard:
    """Rooks and queens that may move on ranks and files."""
    return (position.pieces[ROOK] | position.pieces[QUEEN]) & own & ~position.pinned_diagonal


@inlined
def diagonal_targets(position: Position, square: Square, occupied: Bitboard) -> Bitboard:
    """Squares that a diagonal mover on ``square`` reaches without leaving its pin. One mask for all pins is enough: a
    piece pinned on one diagonal ray of its king meets no other such ray."""
    targets = bishop_attacks(square, occupied)
    if bit(square) & position.pinned_diagonal:
        targets &= position.pinned_diagonal
    return targets


@inlined
def straight_targets(position: Position, square: Square, occupied: Bitboard) -> Bitboard:
    """Squares that a straight mover on ``square`` reaches without leaving its pin."""
    targets = rook_attacks(square, occupied)
    if bit(square) & position.pinned_straight:
        targets &= position.pinned_straight
    return targets


@inlined
def pawn_pushes(position: Position, pawns: Bitboard, us: Color, empty: Bitboard) -> Bitboard:
    """Squares reached by single pushes (checks are ignored here: a double push may block one)."""
    pawns &= ~position.pinned_diagonal
    free = pawns & ~position.pinned_straight
    pinned = pawns & position.pinned_straight
    return (forward(free, us) | forward(pinned, us) & position.pinned_straight) & empty


@inlined
def pawn_double_pushes(pushes: Bitboard, us: Color, empty: Bitboard) -> Bitboard:
    """Squares reached by continuing from ``pushes`` on the third rank."""
    return forward(pushes & (RANK_3 if us == WHITE else RANK_6), us) & empty


@inlined
def _advanced(position: Position, pawns: Bitboard, us: Color) -> tuple[Bitboard, Bitboard]:
    """The squares ahead of the pawns that may leave their file: of the unpinned ones, and of the pinned ones."""
    pawns &= ~position.pinned_straight
    return forward(pawns & ~position.pinned_diagonal, us), forward(pawns & position.pinned_diagonal, us)


@inlined
def pawn_captures_east(position: Position, pawns: Bitboard, us: Color, enemy: Bitboard) -> Bitboard:
    """Squares on which pawns take towards the h-file."""
    free, pinned = _advanced(position, pawns, us)
    return (east(free) | east(pinned) & position.pinned_diagonal) & enemy


@inlined
def pawn_captures_west(position: Position, pawns: Bitboard, us: Color, enemy: Bitboard) -> Bitboard:
    """Squares on which pawns take towards the a-file."""
    free, pinned = _advanced(position, pawns, us)
    return (west(free) | west(pinned) & position.pinned_diagonal) & enemy


@inlined
def castling_is_legal(position: Position, us: Color, king: Square, right: int) -> bool:
    """Whether the king, not in check, may castle with the rook of ``right`` (0 .. 3)."""
    if I64(position.castling) & (1 << right) == 0:
        return False
    rook = I64(position.castling_rook[right])
    home = king & 56
    king_to = home + (2 if right & 1 else 6)
    rook_to = home + (3 if right & 1 else 5)
    others = occupied_by_all(position) ^ bit(king) ^ bit(rook)
    path = between(king, king_to) | bit(king_to)
    if others & (path | between(rook, rook_to) | bit(rook_to)):
        return False
    if is_attacked(position, king_to, us ^ 1, others | bit(rook_to)):
        return False
    path = between(king, king_to)
    while path:
        square = lsb(path)
        path &= path - ONE
        if is_attacked(position, square, us ^ 1, others | bit(rook)):
            return False
    return True


@inlined
def add_move(moves: MoveList, count: int, move: Move) -> int:
    """Append ``move``; return the new count."""
    moves.move[U64(count)] = move
    return count + 1


@inlined
def _add_targets(moves: MoveList, count: int, origin: Square, targets: Bitboard, kind: int) -> int:
    while targets:
        count = add_move(moves, count, encode(origin, lsb(targets), kind))
        targets &= targets - ONE
    return count


@inlined
def _add_piece_moves(moves: MoveList, count: int, origin: Square, targets: Bitboard, enemy: Bitboard) -> int:
    count = _add_targets(moves, count, origin, targets & enemy, CAPTURE)
    return _add_targets(moves, count, origin, targets & ~enemy, QUIET)


@inlined
def _add_pawn_moves(moves: MoveList, count: int, targets: Bitboard, step: int, kind: int) -> int:
    """Pawn moves to ``targets`` from ``step`` squares before each, with promotions on the last rank."""
    promotions = targets & (RANK_1 | RANK_8)
    targets ^= promotions
    while targets:
        target = lsb(targets)
        targets &= targets - ONE
        count = add_move(moves, count, encode(target - step, target, kind))
    while promotions:
        target = lsb(promotions)
        promotions &= promotions - ONE
        for piece in range(QUEEN - KNIGHT, -1, -1):
            count = add_move(moves, count, encode(target - step, target, kind | PROMOTION | piece))
    return count


@inlined
def _generate_pawn_moves(
    position: Position, moves: MoveList, count: int, us: Color, king: Square, mask: Bitboard, wanted: int
) -> int:
    enemy = position.colors[us ^ 1]
    empty = ~occupied_by_all(position)
    pawns = position.pieces[PAWN] & position.colors[us]
    up = 8 - 16 * us
    last = RANK_1 | RANK_8
    pushes = pawn_pushes(position, pawns, us, empty)
    if wanted & NOISY_MOVES:
        count = _add_pawn_moves(moves, count, pushes & mask & last, up, QUIET)
        captures = pawn_captures_east(position, pawns, us, enemy) & mask
        count = _add_pawn_moves(moves, count, captures, up + 1, CAPTURE)
        captures = pawn_captures_west(position, pawns, us, enemy) & mask
        count = _add_pawn_moves(moves, count, captures, up - 1, CAPTURE)
        target = I64(position.en_passant)
        if target < NO_SQUARE:
            takers = pawn_attacks(us ^ 1, target) & pawns
            while takers:
                origin = lsb(takers)
                takers &= takers - ONE
                if en_passant_is_legal(position, us, king, origin, target):
                    count = add_move(moves, count, encode(origin, target, EN_PASSANT))
    if wanted & QUIET_MOVES:
        count = _add_pawn_moves(moves, count, pushes & mask & ~last, up, QUIET)
        doubles = pawn_double_pushes(pushes, us, empty) & mask
        count = _add_pawn_moves(moves, count, doubles, 2 * up, DOUBLE_PUSH)
    return count


@inlined
def generate_moves(position: Position, moves: MoveList, count: int, wanted: int) -> int:
    """Append the legal moves of the kinds in ``wanted`` to ``moves`` from index ``count``; return the new count."""
    us = I64(position.side)
    own, enemy = position.colors[us], position.colors[us ^ 1]
    occupied = own | enemy
    king = king_square(position, us)
    kinds = (enemy if wanted & NOISY_MOVES else ZERO) | (~occupied if wanted & QUIET_MOVES else ZERO)
    if not in_double_check(position):
        mask = evasion_mask(position, king)
        count = _generate_pawn_moves(position, moves, count, us, king, mask, wanted)
        targets_mask = kinds & mask
        knights = movable_knights(position, own)
        while knights:
            origin = lsb(knights)
            knights &= knights - ONE
            count = _add_piece_moves(moves, count, origin, knight_attacks(origin) & targets_mask, enemy)
        movers = diagonal_movers(position, own)
        while movers:
            origin = lsb(movers)
            movers &= movers - ONE
            targets = diagonal_targets(position, origin, occupied) & targets_mask
            count = _add_piece_moves(moves, count, origin, targets, enemy)
        movers = straight_movers(position, own)
        while movers:
            origin = lsb(movers)
            movers &= movers - ONE
            targets = straight_targets(position, origin, occupied) & targets_mask
            count = _add_piece_moves(moves, count, origin, targets, enemy)
        if wanted & QUIET_MOVES and position.checkers == ZERO and position.castling != 0:
            for side in range(2):
                right = 2 * us + side
                if castling_is_legal(position, us, king, right):
                    rook = I64(position.castling_rook[right])
                    count = add_move(moves, count, encode(king, rook, CASTLE_SHORT + side))
    return _add_piece_moves(moves, count, king, king_targets(position, us, king, kinds), enemy)


@inlined
def _count_pawn_moves(position: Position, us: Color, king: Square, mask: Bitboard) -> int:
    enemy = position.colors[us ^ 1]
    empty = ~occupied_by_all(position)
    pawns = position.pieces[PAWN] & position.colors[us]
    pushes = pawn_pushes(position, pawns, us, empty)
    captures_east = pawn_captures_east(position, pawns, us, enemy) & mask
    captures_west = pawn_captures_west(position, pawns, us, enemy) & mask
    count = popcount(pushes & mask) + popcount(pawn_double_pushes(pushes, us, empty) & mask)
    count += popcount(captures_east) + popcount(captures_west)
    last = RANK_1 | RANK_8
    if (pushes | captures_east | captures_west) & last:
        promotions = popcount(pushes & mask & last) + popcount(captures_east & last)
        count += 3 * (promotions + popcount(captures_west & last))
    target = I64(position.en_passant)
    if target < NO_SQUARE:
        takers = pawn_attacks(us ^ 1, target) & pawns
        while takers:
            if en_passant_is_legal(position, us, king, lsb(takers), target):
                count += 1
            takers &= takers - ONE
    return count


@inlined
def count_moves(position: Position) -> int:
    """The number of legal moves, without listing them."""
    us = I64(position.side)
    own, enemy = position.colors[us], position.colors[us ^ 1]
    occupied = own | enemy
    king = king_square(position, us)
    count = popcount(king_targets(position, us, king, ALL))
    if in_double_check(position):
        return count
    mask = evasion_mask(position, king)
    count += _count_pawn_moves(position, us, king, mask)
    targets_mask = mask & ~own
    knights = movable_knights(position, own)
    while knights:
        count += popcount(knight_attacks(lsb(knights)) & targets_mask)
        knights &= knights - ONE
    movers = diagonal_movers(position, own)
    while movers:
        count += popcount(diagonal_targets(position, lsb(movers), occupied) & targets_mask)
        movers &= movers - ONE
    movers = straight_movers(position, own)
    while movers:
        count += popcount(straight_targets(position, lsb(movers), occupied) & targets_mask)
        movers &= movers - ONE
    if position.checkers == ZERO and position.castling != 0:
        for side in range(2):
            if castling_is_legal(position, us, king, 2 * us + side):
                count += 1
    return count
