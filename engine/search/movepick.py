"""Staged move picking: the most promising moves first; later stages are generated only if earlier ones do not cut off.

TT move, good captures (by value of the victim plus capture history), quiet moves by history (checks early), the other
captures. A capture is good if its static exchange wins enough: more with a bad history, less with a good one."""

from engine.board.aliases import Move, Ply
from engine.board.attacks import all_pawn_attacks, bishop_attacks, knight_attacks, rook_attacks
from engine.board.legality import is_legal
from engine.board.movegen import ALL_MOVES, NOISY_MOVES, QUIET_MOVES, generate_moves
from engine.board.moves import is_noisy, is_promotion, origin_of, promoted_type, target_of
from engine.board.position import occupied_by_all, type_on
from engine.board.see import SEE_VALUES, see_ge
from engine.board.types import BISHOP, I64, KING, KNIGHT, ONE, PAWN, QUEEN, ROOK, U64, ZERO
from engine.jit import inlined, lsb
from engine.search.checks import checks_directly
from engine.search.do_move import prefetch_child
from engine.search.history import capture_history, captured_type, find_threats, quiet_history
from engine.search.state import Frame, WorkerRecord, params_of

(
    TT_MOVE_STAGE,
    GENERATE_NOISY_STAGE,
    NOISY_STAGE,
    GENERATE_QUIET_STAGE,
    QUIET_STAGE,
    BAD_NOISY_STAGE,
    GENERATE_EVASION_STAGE,
    EVASION_STAGE,
    GENERATE_CAPTURE_STAGE,
    CAPTURE_STAGE,
) = range(10)


_CHECK_MARGIN_CP = 50  # centipawns of static exchange loss up to which a quiet check keeps its bonus


@inlined
def start_picking(worker: WorkerRecord, frame: Frame, tt_move: Move) -> None:
    """Start picking all moves at ``frame``; ``tt_move`` (0 for none) may be any 16-bit number."""
    picker = frame.picker
    picker.stage = GENERATE_NOISY_STAGE
    picker.tt_move = 0
    picker.skip_quiets = 0
    if tt_move != 0:
        prefetch_child(worker, tt_move)
        if is_legal(worker.position, tt_move):
            picker.stage = TT_MOVE_STAGE
            picker.tt_move = tt_move


@inlined
def restart_picking(frame: Frame, tt_move: Move) -> None:
    """Continue after ``tt_move`` when another search at the same frame has used its picker."""
    frame.picker.stage = GENERATE_NOISY_STAGE
    frame.picker.tt_move = tt_move
    frame.picker.skip_quiets = 0


@inlined
def start_picking_noisy(worker: WorkerRecord, frame: Frame, tt_move: Move) -> None:
    """Start picking captures and promotions only, or all evasions when in check."""
    picker = frame.picker
    in_check = worker.position.checkers != ZERO
    picker.stage = GENERATE_EVASION_STAGE if in_check else GENERATE_CAPTURE_STAGE
    picker.tt_move = tt_move if in_check or is_noisy(tt_move) else 0


@inlined
def _score_noisy(worker: WorkerRecord, move: Move) -> int:
    """The value of the victim plus a share of the capture history."""
    victim: int = SEE_VALUES[captured_type(worker.position, move)]
    if is_promotion(move):
        victim += SEE_VALUES[promoted_type(move)] if promoted_type(move) == QUEEN else -2000
    return 16 * victim + params_of(worker).CaptureHistoryWeight * capture_history(worker, move) // 1024


@inlined
def _score_moves(worker: WorkerRecord, frame: Frame, ply: Ply, start: int, end: int) -> None:
    moves = frame.moves
    for index in range(start, end):
        move = I64(moves.move[U64(index)])
        if move == frame.picker.tt_move:
            moves.value[U64(index)] = 1 << 24
        elif is_noisy(move):
            moves.value[U64(index)] = (1 << 18) + _score_noisy(worker, move)
        else:
            moves.value[U64(index)] = quiet_history(worker, ply, move)


@inlined
def _score_quiets(worker: WorkerRecord, frame: Frame, ply: Ply, start: int, end: int) -> None:
    """Score quiet moves for ordering: their history, and bonuses for moves on which histories have little data. Checks
    that are not simply lost force the reply (the bonus also keeps them from being pruned and reduced). Pieces should
    leave squares that pawns attack and not enter them. Attacks on a more valuable piece from a safe square come early.
    """
    moves, position = frame.moves, worker.position
    them = I64(position.side) ^ 1
    theirs = position.colors[them]
    pawn_threats = all_pawn_attacks(position.pieces[PAWN] & theirs, them)
    params = params_of(worker)
    safe_pawns, safe_knights, safe_bishops, safe_rooks = ZERO, ZERO, ZERO, ZERO
    if abs(frame.static_eval) < params.WonScore:
        safe = ~frame.threats
        safe_pawns = safe & all_pawn_attacks(theirs & ~(position.pieces[PAWN] | position.pieces[KING]), them)
        occupied = occupied_by_all(position)
        rest = theirs & (position.pieces[ROOK] | position.pieces[QUEEN])
        while rest != ZERO:
            square = lsb(rest)
            rest &= rest - ONE
            safe_knights |= safe & knight_attacks(square)
            safe_bishops |= safe & bishop_attacks(square, occupied)
            if type_on(position, square) == QUEEN:
                safe_rooks |= safe & rook_attacks(square, occupied)
    for index in range(start, end):
        move = I64(moves.move[U64(index)])
        origin, target = origin_of(move), target_of(move)
        kind = type_on(position, origin)
        value = quiet_history(worker, ply, move)
        if checks_directly(position, frame, move) and see_ge(position, move, -_CHECK_MARGIN_CP):
            value += params.CheckBonus
        if kind != PAWN:
            leaves = I64((pawn_threats >> U64(origin)) & ONE)
            enters = I64((pawn_threats >> U64(target)) & ONE)
            value += (leaves - enters) * params.PawnThreatBonus
        good = ZERO
        if kind == PAWN:
            good = safe_pawns
        elif kind == KNIGHT:
            good = safe_knights
        elif kind == BISHOP:
            good = safe_bishops
        elif kind == ROOK:
            good = safe_rooks
        value += I64((good >> U64(target)) & ONE) * params.AttackBonus
        moves.value[U64(index)] = value


@inlined
def _prefetch_children(worker: WorkerRecord, frame: Frame) -> None:
    """Prefetch the TT entries of all children, well before any of them is searched."""
    for index in range(frame.picker.end):
        prefetch_child(worker, I64(frame.moves.move[U64(index)]))


@inlined
def _take_best(frame: Frame) -> Move:
    """Remove the best of the remaining moves and return it; the move at the cursor takes its place."""
    moves = frame.moves
    cursor = frame.picker.cursor
    best, best_value = cursor, I64(moves.value[U64(cursor)])
    for index in range(cursor + 1, frame.picker.end):
        value = I64(moves.value[U64(index)])
        if value > best_value:
            best, best_value = index, value
    move = I64(moves.move[U64(best)])
    frame.picker.history = best_value
    moves.move[U64(best)] = moves.move[U64(cursor)]
    moves.value[U64(best)] = moves.value[U64(cursor)]
    frame.picker.cursor = cursor + 1
    return move


@inlined
def next_move(worker: WorkerRecord, frame: Frame, ply: Ply) -> Move:
    """The next move, or 0 after the last. ``picker.skip_quiets`` skips the remaining quiet moves."""
    picker = frame.picker
    if picker.stage == TT_MOVE_STAGE:
        picker.stage = GENERATE_NOISY_STAGE
        picker.history = quiet_history(worker, ply, picker.tt_move)
        return picker.tt_move

    if picker.stage == GENERATE_NOISY_STAGE:
        picker.stage = NOISY_STAGE
        picker.cursor = 0
        picker.bad_end = 0
        picker.end = generate_moves(worker.position, frame.moves, I64(0), NOISY_MOVES)
        _prefetch_children(worker, frame)
        _score_moves(worker, frame, ply, 0, picker.end)

    if picker.stage == NOISY_STAGE:
        while picker.cursor < picker.end:
            move = _take_best(frame)
            if move == picker.tt_move:
                continue
            # Allow a small SEE loss for moves with good history.
            least = -(params_of(worker).GoodNoisyHistory * capture_history(worker, move) // 1024)
            if see_ge(worker.position, move, least):
                return move
            frame.moves.move[U64(picker.bad_end)] = move
            picker.bad_end += 1
        picker.stage = GENERATE_QUIET_STAGE

    if picker.skip_quiets != 0 and picker.stage < BAD_NOISY_STAGE:
        picker.stage = BAD_NOISY_STAGE
        picker.cursor = 0

    if picker.stage == GENERATE_QUIET_STAGE:
        picker.stage = QUIET_STAGE
        picker.cursor = picker.bad_end
        picker.end = generate_moves(worker.position, frame.moves, picker.bad_end, QUIET_MOVES)
        _score_quiets(worker, frame, ply, picker.cursor, picker.end)

    if picker.stage == QUIET_STAGE:
        while picker.cursor < picker.end:
            move = _take_best(frame)
            if move != picker.tt_move:
                return move
        picker.stage = BAD_NOISY_STAGE
        picker.cursor = 0

    if picker.stage == BAD_NOISY_STAGE and picker.cursor < picker.bad_end:
        picker.cursor += 1
        return I64(frame.moves.move[U64(picker.cursor - 1)])
    return I64(0)


@inlined
def next_noisy(worker: WorkerRecord, frame: Frame, ply: Ply) -> Move:
    """The next capture or promotion, or in check the next evasion; 0 after the last."""
    picker = frame.picker
    if picker.stage == GENERATE_CAPTURE_STAGE:
        picker.stage = CAPTURE_STAGE
        picker.cursor = 0
        picker.end = generate_moves(worker.position, frame.moves, I64(0), NOISY_MOVES)
        _prefetch_children(worker, frame)
        _score_moves(worker, frame, ply, 0, picker.end)
    elif picker.stage == GENERATE_EVASION_STAGE:
        picker.stage = EVASION_STAGE
        picker.cursor = 0
        picker.end = generate_moves(worker.position, frame.moves, I64(0), ALL_MOVES)
        _prefetch_children(worker, frame)
        find_threats(worker, ply)
        _score_moves(worker, frame, ply, 0, picker.end)
    return _take_best(frame) if picker.cursor < picker.end else I64(0)
