"""WDL probing: the table's value, combined with captures and en passant, which tables do not store.

If a capture is as good as any other move, a table may hold any value that is not too high, whichever compresses best.
So captures are searched first, down to bare kings, and the table's value is considered last."""

from engine.board.aliases import Bitboard, Position
from engine.board.attacks import attackers_to, pawn_attacks
from engine.board.legality import is_legal
from engine.board.make import make_move, unmake_move
from engine.board.movegen import count_moves
from engine.board.moves import CAPTURE, EN_PASSANT, PROMOTION, encode
from engine.board.position import POSITION_T, bit, occupied_by_all
from engine.board.types import I64, KING, NO_SQUARE, ONE, PAWN, RANK_1, RANK_8, U64, ZERO
from engine.jit import inlined, int64, kernel, lsb, popcount, uint64
from engine.search.tablebase import DRAW, LOSS, UNKNOWN, WIN
from engine.syzygy.layout import SLOTS, WDL_TABLES_T, WdlTables, table_at, tables_at
from engine.syzygy.numbering import part_and_number
from engine.syzygy.packing import DAMAGED, value_at

COUNT_BITS = 4  # bits for the number of pieces of one kind in a signature


@inlined
def signature_of(position: Position) -> Bitboard:
    """The counts of all pieces except kings, Black's above White's, in COUNT_BITS bits each."""
    signature = ZERO
    for place in range(2 * KING):
        color, kind = (0, place) if place < KING else (1, place - KING)
        count = popcount(position.pieces[U64(kind)] & position.colors[U64(color)])
        signature |= U64(count) << U64(COUNT_BITS * place)
    return signature


@inlined
def _stored_value(tables: WdlTables, position: Position) -> int:
    """The table's value of the position."""
    signature = signature_of(position)
    if signature == ZERO:
        return I64(DRAW)
    place = signature % U64(SLOTS)
    while tables.slot[place].signature != signature:
        if tables.slot[place].signature == ZERO:
            return I64(UNKNOWN)
        place = (place + ONE) % U64(SLOTS)
    slot = tables.slot[place]
    table = table_at(tables.table_address, U64(slot.table))
    side = I64(position.side)
    swapped = side if table.symmetric != 0 else slot.swapped
    index, number = part_and_number(tables.maps, table, position, swapped, side ^ swapped)
    value = value_at(table.part[U64(index)].pairs, number)
    return I64(UNKNOWN) if value == DAMAGED else (value & 0xFF) - WIN


@kernel(int64(WDL_TABLES_T, POSITION_T, int64, int64))
def value_with_captures(tables: WdlTables, position: Position, alpha: int, beta: int) -> int:
    """The outcome for the side to move, LOSS .. WIN, ignoring en passant; UNKNOWN if a table is missing. Alpha-beta: a
    result >= ``beta`` is a lower bound, one <= ``alpha`` an upper one."""
    us = I64(position.side)
    targets = position.colors[us ^ 1] & ~position.pieces[KING]
    while targets:
        target = lsb(targets)
        targets &= targets - ONE
        takers = attackers_to(position, target, occupied_by_all(position)) & position.colors[us]
        while takers:
            origin = lsb(takers)
            takers &= takers - ONE
            kind, last = I64(CAPTURE), I64(CAPTURE)
            if bit(origin) & position.pieces[PAWN] and bit(target) & (RANK_1 | RANK_8):
                kind, last = I64(CAPTURE | PROMOTION), I64(CAPTURE | PROMOTION | 3)
            while kind <= last:
                move = encode(origin, target, kind)
                kind += 1
                if not is_legal(position, move):
                    continue
                make_move(position, move)
                value = value_with_captures(tables, position, -beta, -alpha)
                unmake_move(position, move)
                if value == UNKNOWN:
                    return I64(UNKNOWN)
                if -value >= beta:
                    return -value
                alpha = max(alpha, -value)
    value = _stored_value(tables, position)
    return value if value == UNKNOWN else max(alpha, value)


@inlined
def outcome_of(tables: WdlTables, position: Position) -> int:
    """The outcome for the side to move, LOSS .. WIN; UNKNOWN if a table is missing."""
    value = value_with_captures(tables, position, I64(LOSS), I64(WIN))
    if value == UNKNOWN or position.en_passant >= NO_SQUARE:
        return value
    us = I64(position.side)
    target = I64(position.en_passant)
    takers = pawn_attacks(us ^ 1, target) & position.pieces[PAWN] & position.colors[us]
    best, captures = I64(LOSS - 1), 0
    while takers:
        move = encode(lsb(takers), target, I64(EN_PASSANT))
        takers &= takers - ONE
        if is_legal(position, move):
            captures += 1
            make_move(position, move)
            after = value_with_captures(tables, position, I64(LOSS), I64(WIN))
            unmake_move(position, move)
            if after == UNKNOWN:
                return I64(UNKNOWN)
            best = max(best, -after)
    # The table takes a side whose only moves are en passant captures for stalemated.
    if captures > 0 and (best > value or captures == count_moves(position)):
        return best
    return value


PROBER = int64(uint64, POSITION_T)  # the signature of :func:`probe_wdl`, which the search calls by address


@kernel(PROBER)
def probe_wdl(address: int, position: Position) -> int:
    """The outcome of ``position`` for the side to move, LOSS .. WIN, by the WDL_TABLES record at ``address``. Valid
    with a zero 50-move clock and without castling rights. UNKNOWN if a table is missing, and for checkmate, which is
    more than the loss in the table. The position is unchanged on return."""
    value = outcome_of(tables_at(address, U64(0)), position)
    if value == LOSS and position.checkers != ZERO and count_moves(position) == 0:
        return I64(UNKNOWN)
    return value
