"""DTZ probing: how many plies the winner needs to the next capture or pawn move.

A DTZ table stores one of the two sides to move; for the other, one move is searched. It says nothing about positions
with a winning capture or pawn move, which are one ply from it."""

from engine.board.aliases import Move, MoveList, Position
from engine.board.make import make_move, unmake_move
from engine.board.movegen import ALL_MOVES, count_moves, generate_moves
from engine.board.moves import is_capture, origin_of
from engine.board.position import POSITION_T, type_on
from engine.board.setup import MOVE_LIST_T
from engine.board.types import I64, PAWN, U64, ZERO
from engine.jit import inlined, int64, kernel
from engine.search.tablebase import BLESSED_LOSS, CURSED_WIN, DRAW, LOSS, UNKNOWN, WIN
from engine.syzygy.layout import SYZYGY_TABLE_T, WDL_TABLES_T, SyzygyTable, WdlTables
from engine.syzygy.numbering import part_and_number
from engine.syzygy.packing import DAMAGED, byte, half, value_at
from engine.syzygy.probe import outcome_of, signature_of, value_with_captures

#: Flags of a part: the side to move, whether values stand for entries of a list, whether those of wins and of losses
#: are plies rather than moves, and whether entries have two bytes.
SIDE, MAPPED, WIN_IN_PLIES, LOSS_IN_PLIES, WIDE = 1, 2, 4, 8, 16

SPOILT = 100  # plies added if the 50-move rule spoils the result

#: Instead of a distance: a table is missing or damaged, or it stores the other side to move.
NO_DISTANCE, _NOT_STORED = 1 << 20, 1 << 21


@inlined
def _stored_distance(tables: WdlTables, table: SyzygyTable, position: Position, outcome: int) -> int:
    """The plies in ``table`` for ``position``, which has this ``outcome``, less one."""
    side = I64(position.side)
    swapped = side
    if table.symmetric == 0:
        swapped = I64(0) if signature_of(position) == table.signature else I64(1)
    index, number = part_and_number(tables.maps, table, position, swapped, I64(0))
    part = table.part[U64(index)]
    if part.form & SIDE != side ^ swapped:
        return I64(_NOT_STORED)
    value = value_at(part.pairs, number)
    if value == DAMAGED:
        return I64(NO_DISTANCE)
    if part.form & MAPPED != 0:
        place = (I64(0) if outcome > DRAW else I64(1)) + (I64(2) if outcome & 1 != 0 else I64(0))
        size = I64(2) if part.form & WIDE != 0 else I64(1)
        if part.maps[place] + U64(size * (value + 1)) > table.file_end:
            return I64(NO_DISTANCE)
        value = half(part.maps[place], value) if size == 2 else byte(part.maps[place], value)
    in_plies = WIN_IN_PLIES if outcome == WIN else LOSS_IN_PLIES if outcome == LOSS else 0
    return value if part.form & in_plies != 0 else 2 * value


@inlined
def _is_zeroing(position: Position, move: Move) -> bool:
    return is_capture(move) or type_on(position, origin_of(move)) == PAWN


@inlined
def _own_distance(tables: WdlTables, table: SyzygyTable, position: Position, moves: MoveList, count: int) -> int:
    """The distance by winning captures and pawn moves or by ``table``; ``moves`` are overwritten from ``count`` on."""
    outcome = value_with_captures(tables, position, I64(LOSS), I64(WIN))
    if outcome == UNKNOWN:
        return I64(NO_DISTANCE)
    if outcome == DRAW:
        return I64(0)
    nearest = I64(1 + SPOILT) if outcome == CURSED_WIN or outcome == BLESSED_LOSS else I64(1)
    if outcome > DRAW:
        for index in range(count, generate_moves(position, moves, count, ALL_MOVES)):
            move = I64(moves.move[index])
            if _is_zeroing(position, move):
                make_move(position, move)
                after = outcome_of(tables, position)
                unmake_move(position, move)
                if after == UNKNOWN:
                    return I64(NO_DISTANCE)
                if -after == outcome:
                    return nearest
    stored = _stored_distance(tables, table, position, outcome)
    if stored >= NO_DISTANCE:
        return stored
    return nearest + stored if outcome > DRAW else -nearest - stored


@kernel(int64(WDL_TABLES_T, SYZYGY_TABLE_T, POSITION_T, MOVE_LIST_T))
def probe_distance(tables: WdlTables, table: SyzygyTable, position: Position, moves: MoveList) -> int:
    """The plies to the next capture or pawn move by the DTZ ``table`` of the material: positive for a win, negative for
    a loss, 0 for a draw, and further from zero by SPOILT if the 50-move rule makes it a draw. It may be a ply too few
    (see python-chess's ``probe_dtz``). Valid without en passant and castling. NO_DISTANCE if a table is missing or
    damaged. ``moves`` is working memory."""
    distance = _own_distance(tables, table, position, moves, I64(0))
    if distance != _NOT_STORED:
        return distance
    outcome = value_with_captures(tables, position, I64(LOSS), I64(WIN))
    best = I64(NO_DISTANCE) if outcome > DRAW else I64(-1)
    count = generate_moves(position, moves, I64(0), ALL_MOVES)
    for index in range(count):
        move = I64(moves.move[index])
        zeroing = _is_zeroing(position, move)
        make_move(position, move)
        if not zeroing:
            after = _own_distance(tables, table, position, moves, count)
        elif outcome == LOSS:
            after = I64(0)
        else:
            after = value_with_captures(tables, position, I64(CURSED_WIN), I64(WIN))
            after = I64(NO_DISTANCE) if after == UNKNOWN else I64(-1) if after == WIN else I64(SPOILT)
        is_mate = position.checkers != ZERO and count_moves(position) == 0
        unmake_move(position, move)
        if after >= NO_DISTANCE:
            return I64(NO_DISTANCE)
        if outcome < DRAW:
            best = min(best, -after - 1)
        elif not zeroing and after < 0:
            best = min(best, I64(1) if is_mate else 1 - after)
    return best
