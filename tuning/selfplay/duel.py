"""Games between two sides that differ in evaluation or search parameters, each played by one call of compiled code.

The arena's counterpart of :mod:`tuning.selfplay.games`. Each side has a worker of its own, that is a network,
parameters and histories, and a table of its own; all are cleared between games. A game follows from its opening, the
rules and the two sides alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from numba import int64, types

from engine.board.aliases import Color, Score
from engine.board.aliases import Worker as WorkerRecord
from engine.board.fen import set_fen
from engine.board.notation import play_moves, to_uci
from engine.board.setup import new_position, play_move
from engine.board.types import I64, WHITE
from engine.jit import TICKS_PER_SECOND, clock_ticks, helper, kernel, new_record, record_type, structure
from engine.messages import OptionError
from engine.play import wdl
from engine.search import timeman
from engine.search.deepening import UNLIMITED
from engine.search.scores import MAX_PLY, to_message
from engine.search.state import CONTROL, WORKER_T, params_of
from engine.search.transposition import TranspositionTable
from engine.search.worker import Worker
from tuning.data.viriformat import game_bytes
from tuning.matches.adjudication import Adjudication
from tuning.matches.openings import Opening
from tuning.matches.records import GameRecord, MoveRecord
from tuning.selfplay.compiled_search import choose_move
from tuning.selfplay.games import CHECKMATE, ENDS, LENGTH, end_by_rule
from tuning.selfplay.sides import clock_of, evaluation_of, nodes_of, parameters_of

#: No game is longer, in plies: then it is a draw.
LONGEST = 1000

#: Ends besides those of :data:`tuning.selfplay.games.ENDS` that the rules of chess make.
WON_BY_AGREEMENT, DRAWN_BY_AGREEMENT = len(ENDS), len(ENDS) + 1

#: The adjudication's numbers as compiled code reads them, scores in the search's own centipawns, counts in plies.
RULES = structure(
    ("nodes", "i8", (2,)),  # [color]
    ("hard", "i8", (2,)),  # [color]
    ("clock", "f8", (2,)),  # [color] nodes for the whole game; 0: ``nodes`` for each move
    ("increment", "f8", (2,)),  # [color] nodes that each move adds
    ("resign_plies", "i8"),  # of each side in a row; 0: never
    ("resign_score", "i8"),
    ("resign_both", "i8"),
    ("draw_from", "i8"),  # full moves
    ("draw_plies", "i8"),  # of both sides together; 0: never
    ("draw_score", "i8"),
    ("max_moves", "i8"),  # 0: no limit
)

GAME = structure(
    ("rules", RULES),
    ("result", "i8"),  # half points of White
    ("end", "i8"),
    ("count", "i8"),  # moves
    ("nodes", "i8", (2,)),  # [color]
    ("ticks", "i8", (2,)),  # [color] of the clock, spent on its searches
    ("left", "f8", (2,)),  # [color] of the clock
    ("losing", "i8", (2,)),  # [color] moves in a row that saw it lost, and won
    ("winning", "i8", (2,)),
    ("level", "i8"),  # moves in a row that saw a draw
    ("moves", "i4", (LONGEST,)),
    ("scores", "i4", (LONGEST,)),  # of the side that moved
)
GAME_T = record_type(GAME)

#: A GAME record, for annotations.
Game: TypeAlias = Any


@kernel(types.void(GAME_T, int64, int64), "the arena")
def note_score(game: Game, side: Color, score: Score) -> None:
    """Count how long the scores have agreed, as :class:`tuning.matches.adjudication.Referee` does."""
    rules = game.rules
    game.losing[side] = game.losing[side] + 1 if score <= -rules.resign_score else 0
    game.winning[side] = game.winning[side] + 1 if score >= rules.resign_score else 0
    game.level = game.level + 1 if abs(score) <= rules.draw_score else 0


@kernel(int64(GAME_T, int64), "the arena")
def adjudicated(game: Game, fullmove: int) -> int:
    """The half points of White that the scores settle before move ``fullmove``, or -1."""
    rules = game.rules
    if rules.resign_plies > 0:
        for loser in range(2):
            agreed = rules.resign_both == 0 or game.winning[1 - loser] >= rules.resign_plies
            if game.losing[loser] >= rules.resign_plies and agreed:
                return I64(2 * loser)
    if rules.draw_plies > 0 and fullmove > rules.draw_from and game.level >= rules.draw_plies:
        return I64(1)
    return I64(-1)


time_for = helper(timeman.time_for)


@kernel(types.void(WORKER_T, WORKER_T, GAME_T), "the arena")
def play_duel(white: WorkerRecord, black: WorkerRecord, game: Game) -> None:
    """Play a game from the position that both workers hold into ``game``."""
    position = white.position
    rules = game.rules
    game.count = 0
    game.level = 0
    for color in range(2):
        game.nodes[color] = 0
        game.ticks[color] = 0
        game.left[color] = rules.clock[color]
        game.losing[color] = 0
        game.winning[color] = 0
    while True:
        side = I64(position.side)
        game.result = 1
        game.end = end_by_rule(position)
        if game.end >= 0:
            if game.end == CHECKMATE:
                game.result = 0 if side == WHITE else 2
            return
        verdict = adjudicated(game, I64(position.fullmove))
        if verdict >= 0:
            game.result = verdict
            game.end = DRAWN_BY_AGREEMENT if verdict == 1 else WON_BY_AGREEMENT
            return
        if game.count >= LONGEST or (rules.max_moves > 0 and position.fullmove > rules.max_moves):
            game.end = LENGTH
            return
        mover = white if side == WHITE else black
        begun = clock_ticks()
        if rules.clock[side] > 0:
            left, increment = game.left[side], rules.increment[side]
            optimum, maximum = time_for(params_of(mover), left, increment, I64(0), 0.0)
            move, score = choose_move(mover, I64(optimum), I64(maximum) + 1, I64(MAX_PLY - 1), I64(1))
            game.left[side] = max(left - mover.nodes, 0.0) + increment
        else:
            move, score = choose_move(mover, rules.nodes[side], rules.hard[side], I64(MAX_PLY - 1), I64(0))
        game.ticks[side] += clock_ticks() - begun
        game.nodes[side] += mover.nodes
        game.moves[game.count] = move
        game.scores[game.count] = score
        game.count += 1
        note_score(game, side, score)
        play_move(white.position, move)
        play_move(black.position, move)


@dataclass(frozen=True, slots=True)
class Rules:
    """How games are played: nodes for a move, megabytes of each side's table, and when games are decided early.

    Without ``hard`` a search is broken off at ``nodes`` nodes, as by ``go nodes``. With it, the iteration that passes
    ``nodes`` is finished, unless it comes to ``hard`` nodes. With ``clock`` (nodes for the game, nodes that each move
    adds) the engine's own time management shares the nodes out.
    """

    nodes: int = 8_000
    hard: int | None = None
    hash: int = 16
    clock: tuple[int, int] | None = None
    adjudication: Adjudication = field(default_factory=Adjudication)


@dataclass(frozen=True, slots=True)
class Played:
    """One game: half points of White, why it ended, moves as the engine encodes them with the mover's scores, and the
    nodes of White and Black. The ``seconds`` that they took are the only thing that another run does not repeat."""

    result: int
    reason: str
    moves: tuple[int, ...]
    scores: tuple[int, ...]
    nodes: tuple[int, int]
    seconds: tuple[float, float] = field(default=(0.0, 0.0), compare=False)


def least_shown(centipawns: int) -> int:
    """The least score of the search that is shown as ``centipawns`` or more, as adjudication counts."""
    score = max(int(centipawns * wdl.MODEL.pawn / 100) - 2, 0)
    while wdl.MODEL.shown(score) < centipawns:
        score += 1
    return score


class Duel:
    """Two sides that play games in the calling thread. Uses no thread; the clock decides nothing, it is only read to
    tell how fast each side is.

    ``first`` and ``second`` are EvalType, EvalFile, nodes and search parameters by name; what they leave out is the
    rules' or the engine's own. Raises :class:`engine.messages.OptionError` for an unknown option or a value that cannot
    be.
    """

    def __init__(self, rules: Rules, first: Mapping[str, str], second: Mapping[str, str]) -> None:
        self._control: Any = new_record(CONTROL)
        address = self._control.__array_interface__["data"][0]
        self._sides = first, second
        self._workers = [Worker(address, evaluation_of(side), parameters_of(side)) for side in (first, second)]
        self._tables = [TranspositionTable(rules.hash) for _ in range(2)]
        self._nodes = [nodes_of(side, rules.nodes) for side in (first, second)]
        self._hard = [rules.hard or nodes for nodes in self._nodes]
        if any(hard < nodes for hard, nodes in zip(self._hard, self._nodes, strict=True)):
            raise OptionError(f"nodes {max(self._nodes)} are more than the {rules.hard} that no search may exceed")
        self._clocks = [clock_of(side, rules.clock) for side in (first, second)]
        if (self._clocks[0] is None) != (self._clocks[1] is None):
            raise OptionError("one side has a clock and the other has none")
        self._position = new_position()
        self._game: Any = new_record(GAME)
        wanted = rules.adjudication
        values = {
            "resign_plies": wanted.resign_moves,
            "resign_score": least_shown(wanted.resign_score),
            "resign_both": wanted.resign_both,
            "draw_from": wanted.draw_from,
            "draw_plies": 2 * wanted.draw_moves,
            "draw_score": least_shown(wanted.draw_score + 1) - 1,
            "max_moves": wanted.max_moves,
        }
        for name, value in values.items():
            self._game["rules"][name] = value

    def set_parameters(self, side: int, values: Mapping[str, int]) -> None:
        """Have ``side`` (0 or 1) play with these search parameters from the next game on, and for the others with
        those that it was made with.

        Raises :class:`engine.messages.OptionError` for an unknown one or a value out of its range.
        """
        parameters = parameters_of(self._sides[side])
        for name, value in values.items():
            parameters.set(name, value)
        self._workers[side].set_parameters(parameters)

    def play(self, opening: Opening, white: int) -> Played:
        """Play one game with side ``white`` (0 or 1) as White.

        Call it by :func:`engine.search.threads.run_on_deep_stack`. Raises
        :class:`engine.messages.PositionError` for an opening that is not legal.
        """
        set_fen(self._position, opening.fen, opening.chess960)
        play_moves(self._position, opening.moves)
        for worker, table in zip(self._workers, self._tables, strict=True):
            worker.clear()
            table.clear()
            worker.prepare(self._position, [], table, UNLIMITED)
        game = self._game
        game["rules"]["nodes"] = self._nodes[white], self._nodes[1 - white]
        clocks = [self._clocks[side] or (0, 0) for side in (white, 1 - white)]
        game["rules"]["clock"] = clocks[0][0], clocks[1][0]
        game["rules"]["increment"] = clocks[0][1], clocks[1][1]
        game["rules"]["hard"] = self._hard[white], self._hard[1 - white]
        play_duel(self._workers[white].record, self._workers[1 - white].record, game)
        count = int(game["count"])
        return Played(
            int(game["result"]),
            _REASONS[int(game["end"])],
            tuple(game["moves"][:count].tolist()),
            tuple(game["scores"][:count].tolist()),
            (int(game["nodes"][0]), int(game["nodes"][1])),
            (float(game["ticks"][0]) / TICKS_PER_SECOND, float(game["ticks"][1]) / TICKS_PER_SECOND),
        )

    def play_pair(self, opening: Opening) -> tuple[Played, Played]:
        """Two games from ``opening``: in the first one the first side has White."""
        return self.play(opening, 0), self.play(opening, 1)


def bytes_of(game: Played, opening: Opening) -> bytes:
    """The game in viriformat, to be learned from."""
    position = new_position()
    set_fen(position, opening.fen, opening.chess960)
    play_moves(position, opening.moves)
    return game_bytes(position, game.moves, game.scores, game.result)


_REASONS = (*ENDS, "win by adjudication", "draw by adjudication")

_RESULTS = ("0-1", "1/2-1/2", "1-0")


def record_of(game: Played, pair: int, white: int, names: tuple[str, str], opening: Opening) -> GameRecord:
    """The game as the match runner keeps games, to be written as PGN."""
    moves = []
    for move, score in zip(game.moves, game.scores, strict=True):
        moves.append(MoveRecord(to_uci(move, opening.chess960), score_text(score), 0, 0.0, 0, None))
    players = names if white == 0 else names[::-1]
    return GameRecord(pair, white, *players, opening, _RESULTS[game.result], game.reason, moves=moves)


def score_text(score: int) -> str:
    """A score of the search as PGN comments write it, in pawns or moves to mate."""
    told = to_message(score)
    if told.mate is not None:
        return f"{'+' if told.mate > 0 else '-'}M{abs(told.mate)}"
    return f"{wdl.MODEL.shown(score) / 100:+.2f}"
