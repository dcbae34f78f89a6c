"""King safety: the pawn shelter, the enemy's pawn storm, and the attack by pieces."""

from engine.board.aliases import Bitboard, Color, PackedScore, PieceType, Position, Square
from engine.board.attacks import bishop_attacks, knight_attacks, rook_attacks
from engine.board.types import BISHOP, FILE_A, I64, KING, KNIGHT, ONE, QUEEN, ROOK, U64, ZERO
from engine.evaluation.classical.features import (
    ATTACKERS,
    FLANK_ATTACK,
    RING_HITS,
    SAFE_CHECK,
    SHELTER,
    STORM,
    UNSAFE_CHECK,
    WEAK_RING,
)
from engine.evaluation.classical.view import ANY, View, ahead, relative_rank
from engine.evaluation.classical.weights import Trace, term
from engine.jit import byteswap, inlined, lsb, popcount

#: The wing of a king on each file, and the five ranks of each colour's camp.
_QUEENSIDE, _CENTRE_FILES, _KINGSIDE = (U64(0x0101_0101_0101_0101 * files) for files in (0x0F, 0x3C, 0xF0))
_WHITE_CAMP, _BLACK_CAMP = U64(0x0000_00FF_FFFF_FFFF), U64(0xFFFF_FFFF_FF00_0000)


@inlined
def _rearmost(pawns: Bitboard, us: Color) -> Square:
    """The square of the pawn nearest to the own side of ``us``, among pawns on one file."""
    return lsb(pawns) if us == 0 else lsb(byteswap(pawns)) ^ 56


@inlined
def shelter_terms(trace: Trace, view: View, us: Color) -> PackedScore:
    """The nearest own and enemy pawns level with or in front of the king, on its file and the adjacent ones."""
    king = view.king[us]
    row = U64(0xFF) << U64(king & 56)
    field = row | ahead(row, us)
    middle = min(max(king & 7, 1), 6)
    score = I64(0)
    for step in range(3):
        file = middle + step - 1
        column = (FILE_A << U64(file)) & field
        friends, foes = column & view.pawns[us], column & view.pawns[us ^ 1]
        own = relative_rank(us, _rearmost(friends, us)) if friends != ZERO else I64(0)
        enemy = relative_rank(us, _rearmost(foes, us)) if foes != ZERO else I64(0)
        blocked = 1 if own != 0 and enemy == own + 1 else 0
        score += term(trace, us, SHELTER + 8 * min(file, 7 - file) + own, 1)
        score += term(trace, us, STORM + 8 * blocked + enemy, 1)
    return score


@inlined
def _wing(square: Square) -> int:
    """The files of the wing of a king on ``square``."""
    file = square & 7
    if file < 3:
        return _QUEENSIDE
    return _CENTRE_FILES if file < 5 else _KINGSIDE


@inlined
def _check_terms(trace: Trace, us: Color, kind: PieceType, checks: Bitboard, safe: Bitboard) -> PackedScore:
    """The term for the squares from which one type of piece could give check."""
    if checks == ZERO:
        return I64(0)
    good = checks & safe
    if good == ZERO:
        return term(trace, us, UNSAFE_CHECK + kind - KNIGHT, 1)
    more = 1 if good & (good - ONE) else 0
    return term(trace, us, SAFE_CHECK + 2 * (kind - KNIGHT) + more, 1)


@inlined
def attack_terms(trace: Trace, view: View, position: Position, us: Color) -> PackedScore:
    """The attack of ``us`` on the enemy king; the view must hold all attacks."""
    them = us ^ 1
    own = position.colors[us]
    occupied = own | position.colors[them]
    king = view.king[them]
    attacks, defended = view.attacks[us], view.attacks[them]
    queen = 1 if position.pieces[QUEEN] & own else 0

    # A square is weak if the enemy defends it at most once, and only with king or queen.
    weak = attacks[ANY] & ~view.attacked_twice[them] & (~defended[ANY] | defended[KING] | defended[QUEEN])
    weak_ring = min(popcount(weak & view.ring[them]), 7)
    score = term(trace, us, ATTACKERS + 8 * queen + min(view.attackers[us], 7), 1)
    score += term(trace, us, RING_HITS + 16 * queen + min(view.ring_hits[us], 15), 1)
    score += term(trace, us, WEAK_RING + 8 * queen + weak_ring, 1)

    safe = ~own & (~defended[ANY] | weak & view.attacked_twice[us])
    straight = rook_attacks(king, occupied & ~(position.pieces[QUEEN] & position.colors[them]))
    diagonal = bishop_attacks(king, occupied & ~(position.pieces[QUEEN] & position.colors[them]))
    score += _check_terms(trace, us, I64(KNIGHT), knight_attacks(king) & attacks[KNIGHT] & ~own, safe)
    score += _check_terms(trace, us, I64(BISHOP), diagonal & attacks[BISHOP] & ~own, safe)
    score += _check_terms(trace, us, I64(ROOK), straight & attacks[ROOK] & ~own, safe)
    score += _check_terms(trace, us, I64(QUEEN), (straight | diagonal) & attacks[QUEEN] & ~own, safe)

    camp = _BLACK_CAMP if us == 0 else _WHITE_CAMP
    flank = popcount(attacks[ANY] & camp & _wing(king))
    return score + term(trace, us, FLANK_ATTACK, flank)
