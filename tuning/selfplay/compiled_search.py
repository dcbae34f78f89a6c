"""The search of one move in games that are played in compiled code: self-play, duels and labels."""

from engine.board.aliases import Move, Score
from engine.board.movegen import ALL_MOVES, generate_moves
from engine.board.types import I64
from engine.jit import inlined, int64, kernel, types
from engine.search import timeman, transposition
from engine.search.deepening import ITERATION, OVER, REPORT_ALL, begin_search, deepen
from engine.search.state import WORKER_T, WorkerRecord, frame_at, params_of
from engine.search.timeman import FORCED_MOVE_DEPTH

_pace_of = inlined(timeman.pace_of)
_start_generation = inlined(transposition.start_generation)


@inlined
def _begin(worker: WorkerRecord, node_limit: int, max_depth: int) -> None:
    """Begin to search all legal moves of ``worker.position``, which has some, down to ``max_depth``."""
    moves = frame_at(worker, 0).moves
    worker.root_count = generate_moves(worker.position, moves, I64(0), ALL_MOVES)
    for index in range(worker.root_count):
        worker.root[index].move = moves.move[index]
    _start_generation(worker.table)
    worker.deepening.depth = 1
    worker.deepening.max_depth = max_depth
    worker.deepening.multipv = 1
    begin_search(worker, node_limit)


@kernel(types.UniTuple(int64, 2)(WORKER_T, int64, int64, int64, int64))
def choose_move(worker: WorkerRecord, nodes: int, hard: int, max_depth: int, paced: int) -> tuple[Move, Score]:
    """Search ``worker.position``, which has legal moves: the move to play, and its score.

    No iteration starts after ``nodes`` nodes or beyond ``max_depth``; any but the first ends after ``hard`` nodes.
    The move is the best one found, as in the engine; the score is that of the last finished iteration. If ``paced``,
    ``nodes`` is the optimum of a clock that runs on nodes, which the engine's time management stretches or shortens."""
    _begin(worker, hard, max_depth)
    progress = worker.deepening
    best = progress.lines[0]
    score = I64(0)
    while True:
        event = deepen(worker, I64(REPORT_ALL))
        if event == OVER:
            break
        if event != ITERATION:
            continue
        if worker.aborted == 0:
            score = I64(best.score)
        pace = 1.0
        if paced != 0:
            if worker.root_count == 1 and best.depth >= FORCED_MOVE_DEPTH:
                break
            share = worker.root[0].nodes / max(worker.nodes, 1)
            pace = _pace_of(params_of(worker), share, progress.stable, progress.drop)
        if worker.nodes >= pace * nodes:
            break
    return I64(best.pv[0]), score
