"""The loop that plays and adjudicates games in compiled code, of two sides or of one against itself.

A search of a few thousand nodes is short, so nothing between two searches may run in Python. One
record, :data:`GAME`, carries the rules in and the game out.
"""

from typing import Annotated

from engine.board.aliases import Color, Position, Score
from engine.board.draws import is_insufficient_material, is_repetition
from engine.board.movegen import count_moves
from engine.board.position import occupied_by_all
from engine.board.setup import play_move
from engine.board.types import I64, WHITE, ZERO
from engine.jit import Array, Record, clock_ticks, i4, inlined, int64, kernel, popcount, record_type, structure, types
from engine.search import timeman
from engine.search.scores import MATE_BOUND
from engine.search.state import WORKER_T, WorkerRecord, params_of
from tuning.selfplay.compiled_search import choose_move

MAX_GAME_PLIES = 1000  # the longest game, in plies; longer ones are drawn

#: How a game ended.
ENDS = (
    "checkmate", "stalemate", "repetition", "fifty moves", "material",
    "mate found", "win by adjudication", "draw by adjudication", "length", "few pieces",
)  # fmt: skip
CHECKMATE, STALEMATE, REPETITION, FIFTY_MOVES, MATERIAL = range(5)
MATE_FOUND, ADJUDICATED_WIN, ADJUDICATED_DRAW, LENGTH, FEW_PIECES = range(5, 10)

WINNING_CENTIPAWNS = 150  # the score, in centipawns, that wins a game which ends with few pieces


class Rules(Record):
    """How games are played and decided; scores in the search's own centipawns."""

    alone: int  # whether one worker plays both sides
    depth: int  # the deepest iteration
    nodes: Annotated[Array[int], (2,)]  # [color] soft limit of a search
    hard: Annotated[Array[int], (2,)]  # [color] hard limit
    clock: Annotated[Array[float], (2,)]  # [color] nodes for the whole game; 0: ``nodes`` for each move
    increment: Annotated[Array[float], (2,)]  # [color] nodes that each move adds
    mate_ends: int  # whether a mate that a search finds ends the game
    win_moves: Annotated[
        Array[int], (2,)
    ]  # in a row that see the win, [0] of the side that moved last, [1] of the other; 0: never
    win_score: int
    win_both: int  # whether the winner must see it too
    draw_plies: int  # in a row that see a draw; 0: never
    draw_score: int
    draw_after: int  # plies of the game that do not count as such
    draw_from: int  # no draw up to this full move of the position's own count
    max_plies: int
    max_moves: int  # full moves of the position's own count; 0: no limit
    end_pieces: int  # a search decides the game with so many pieces or fewer; 0: never
    end_nodes: Annotated[Array[int], (2,)]  # soft and hard limit of that search


class CompiledGame(Record):
    """A game and its course so far."""

    rules: Rules
    result: int  # half points of White
    end: int  # index of ENDS
    count: int  # moves
    nodes: Annotated[Array[int], (2,)]  # [color]
    ticks: Annotated[Array[int], (2,)]  # [color] of the clock, spent on its searches
    left: Annotated[Array[float], (2,)]  # [color] of the clock of nodes
    losing: Annotated[Array[int], (2,)]  # [color] moves in a row that saw it lost, and won
    winning: Annotated[Array[int], (2,)]
    level: int  # moves in a row that saw a draw
    moves: Annotated[Array[i4], (MAX_GAME_PLIES,)]
    scores: Annotated[Array[i4], (MAX_GAME_PLIES,)]  # of the side that moved


GAME = structure(CompiledGame)
GAME_T = record_type(GAME)


@inlined
def end_by_rule(position: Position) -> int:
    """How the rules of chess end the game here, or -1."""
    if count_moves(position) == 0:
        return CHECKMATE if position.checkers != ZERO else STALEMATE
    if position.rule50 >= 100:
        return FIFTY_MOVES
    if is_insufficient_material(position):
        return MATERIAL
    return REPETITION if is_repetition(position, 0) else -1


@kernel(types.void(GAME_T, int64, int64))
def note_score(game: CompiledGame, side: Color, score: Score) -> None:
    """Count how long the scores have agreed."""
    rules = game.rules
    game.losing[side] = game.losing[side] + 1 if score <= -rules.win_score else 0
    game.winning[side] = game.winning[side] + 1 if score >= rules.win_score else 0
    game.level = game.level + 1 if abs(score) <= rules.draw_score and game.count > rules.draw_after else 0


@kernel(int64(GAME_T, int64, int64))
def adjudicated(game: CompiledGame, side: Color, fullmove: int) -> int:
    """White's half points if the scores decide the game before ``side`` makes its move ``fullmove``, or -1."""
    rules = game.rules
    if rules.win_moves[0] > 0:
        for loser in range(2):
            place = I64(loser == side)
            agreed = rules.win_both == 0 or game.winning[1 - loser] >= rules.win_moves[1 - place]
            if game.losing[loser] >= rules.win_moves[place] and agreed:
                return I64(2 * loser)
    if rules.draw_plies > 0 and fullmove > rules.draw_from and game.level >= rules.draw_plies:
        return I64(1)
    return I64(-1)


@inlined
def _begin(game: CompiledGame) -> None:
    game.count = 0
    game.level = 0
    for color in range(2):
        game.nodes[color] = 0
        game.ticks[color] = 0
        game.left[color] = game.rules.clock[color]
        game.losing[color] = 0
        game.winning[color] = 0


@inlined
def _is_over(game: CompiledGame, position: Position) -> bool:
    """Whether the game ends before the next move; this sets its result and end."""
    rules = game.rules
    side = I64(position.side)
    game.result = 1
    game.end = end_by_rule(position)
    if game.end >= 0:
        if game.end == CHECKMATE:
            game.result = 0 if side == WHITE else 2
        return True
    verdict = adjudicated(game, side, I64(position.fullmove))
    if verdict >= 0:
        game.result = verdict
        game.end = ADJUDICATED_DRAW if verdict == 1 else ADJUDICATED_WIN
        return True
    if game.count >= rules.max_plies or (rules.max_moves > 0 and position.fullmove > rules.max_moves):
        game.end = LENGTH
        return True
    return False


time_for = inlined(timeman.time_for)


@kernel(types.void(WORKER_T, WORKER_T, GAME_T))
def play_game(white: WorkerRecord, black: WorkerRecord, game: CompiledGame) -> None:
    """Play a game from the position that both workers hold into ``game``. They may be the same one."""
    position = white.position
    rules = game.rules
    _begin(game)
    while not _is_over(game, position):
        side = I64(position.side)
        mover = white if side == WHITE else black
        is_last = popcount(occupied_by_all(position)) <= rules.end_pieces
        begun = clock_ticks()
        if is_last:
            move, score = choose_move(mover, rules.end_nodes[0], rules.end_nodes[1], rules.depth, I64(0))
        elif rules.clock[side] > 0:
            left, increment = game.left[side], rules.increment[side]
            optimum, maximum = time_for(params_of(mover), left, increment, I64(0), 0.0)
            move, score = choose_move(mover, I64(optimum), I64(maximum) + 1, rules.depth, I64(1))
            game.left[side] = max(left - mover.nodes, 0.0) + increment
        else:
            move, score = choose_move(mover, rules.nodes[side], rules.hard[side], rules.depth, I64(0))
        game.ticks[side] += clock_ticks() - begun
        game.nodes[side] += mover.nodes
        game.moves[game.count] = move
        game.scores[game.count] = score
        game.count += 1
        if rules.mate_ends != 0 and abs(score) > MATE_BOUND:
            game.end = MATE_FOUND
            game.result = 2 if (score > 0) == (side == WHITE) else 0
            return
        if is_last:
            game.end = FEW_PIECES
            game.result = 1 if abs(score) < WINNING_CENTIPAWNS else 2 if (score > 0) == (side == WHITE) else 0
            return
        note_score(game, side, score)
        play_move(white.position, move)
        if rules.alone == 0:
            play_move(black.position, move)
