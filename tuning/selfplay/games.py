"""Games of the engine against itself, each played by one call of compiled code.

At a few thousand nodes a move the search takes about a millisecond, so nothing between two searches may pass
through Python. One record, :data:`GAME`, carries the rules in and the game out. A game follows from its random
state, its rules and the engine alone, so that any part of a data set can be made again anywhere.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, TypeAlias

import numpy as np
from numba import int64

from engine.board.aliases import Flag, Position
from engine.board.aliases import Worker as WorkerRecord
from engine.board.draws import is_insufficient_material, is_repetition
from engine.board.fen import START_FEN, set_fen
from engine.board.make import make_move, unmake_move
from engine.board.movegen import ALL_MOVES, count_moves, generate_moves
from engine.board.notation import list_moves
from engine.board.setup import new_position, play_move
from engine.board.types import I64, U64, WHITE, ZERO
from engine.jit import helper, kernel, mulhi, new_record, record_type, structure
from engine.search.deepening import UNLIMITED
from engine.search.scores import MATE_BOUND
from engine.search.state import CONTROL, WORKER_T, frame_at
from engine.search.transposition import TranspositionTable
from engine.search.worker import Worker
from tuning.data.marlinformat import BLACK_WINS, DRAW, PACKED, WHITE_WINS, pack
from tuning.data.viriformat import encode_move
from tuning.selfplay.compiled_search import choose_move
from tuning.selfplay.sides import evaluation_of, parameters_of

#: No game is longer, in plies.
LONGEST = 1000

#: No opening is longer, in plies.
LONGEST_OPENING = 40

#: The deepest iteration: dead draws would go on for ever without passing their nodes.
DEEPEST = 60

#: How a game came to its end.
ENDS = (
    "checkmate", "stalemate", "repetition", "fifty moves", "material",
    "mate found", "won score", "drawn score", "length",
)  # fmt: skip
CHECKMATE, STALEMATE, REPETITION, FIFTY_MOVES, MATERIAL, MATE_FOUND, WON_SCORE, DRAWN_SCORE, LENGTH = range(9)


@dataclass(frozen=True, slots=True)
class Rules:
    """How games are played. Scores are centipawns, lengths plies; the search's generic fields bear their UCI names.

    ``nodes`` is the soft limit: the iteration that passes it is finished, up to ``hard`` times as many nodes.
    An opening is ``opening_plies`` random moves or one more, kept when a search of ``opening_nodes`` finds it
    no further from balance than ``opening_score``. A game is won when ``win_plies`` searches in a row see the
    same side ahead by ``win_score``, or when one finds a mate; drawn when ``draw_plies`` in a row stay within
    ``draw_score`` after ply ``draw_from``, by the rules of chess, or at ``max_plies``. Of 100 games ``play_out`` are
    won by checkmate alone, so that there are positions in which a won game is brought to its end.
    """

    nodes: int = 5_000
    hard: int = 8
    opening_plies: int = 8
    opening_nodes: int = 4_000
    opening_score: int = 200
    win_score: int = 2_000
    win_plies: int = 4
    draw_score: int = 8
    draw_plies: int = 12
    draw_from: int = 80
    max_plies: int = 400
    hash: int = 4
    play_out: int = 0


RULES = structure(*((name, "i8") for name in Rules.__slots__))

GAME = structure(
    ("rules", RULES),
    ("random", "u8"),  # state of the random numbers
    ("nodes", "i8"),  # all that were searched, rejected openings included
    ("rejected", "i8"),  # openings
    ("count", "i8"),  # moves
    ("end", "i8"),  # index of ENDS
    ("start", PACKED),  # the position after the opening, with the result
    ("opening", "i8", (LONGEST_OPENING + 1,)),
    ("moves", "u2", (LONGEST,)),  # as viriformat writes them
    ("scores", "i2", (LONGEST,)),  # White's view; mates as the search counts them
)
GAME_T = record_type(GAME)

#: A GAME record, for annotations.
Game: TypeAlias = Any


@helper
def random_below(game: Game, limit: int) -> int:
    """A random number from 0 to ``limit`` - 1 (Steele, Lea and Flood's SplitMix64, high multiply)."""
    game.random += U64(0x9E37_79B9_7F4A_7C15)
    bits = game.random
    bits = (bits ^ bits >> U64(30)) * U64(0xBF58_476D_1CE4_E5B9)
    bits = (bits ^ bits >> U64(27)) * U64(0x94D0_49BB_1331_11EB)
    return I64(mulhi(bits ^ bits >> U64(31), U64(limit)))


@helper
def end_by_rule(position: Position) -> int:
    """The end that the rules of chess put to the game here, or -1."""
    if count_moves(position) == 0:
        return CHECKMATE if position.checkers != ZERO else STALEMATE
    if position.rule50 >= 100:
        return FIFTY_MOVES
    if is_insufficient_material(position):
        return MATERIAL
    return REPETITION if is_repetition(position, 0) else -1


@helper
def _open(worker: WorkerRecord, game: Game) -> bool:
    """Make the random moves of an opening; return whether a game can start from there."""
    position = worker.position
    rules = game.rules
    moves = frame_at(worker, 0).moves
    plies = 0
    wanted = rules.opening_plies + random_below(game, 2)
    while plies < wanted:
        count = generate_moves(position, moves, 0, ALL_MOVES)
        if count == 0:
            break
        game.opening[plies] = moves.move[random_below(game, count)]
        make_move(position, game.opening[plies])
        plies += 1
    if plies == wanted and end_by_rule(position) < 0:
        score = choose_move(worker, rules.opening_nodes, rules.hard * rules.opening_nodes, DEEPEST, 0)[1]
        game.nodes += worker.nodes
        if abs(score) <= rules.opening_score:
            return True
    while plies > 0:
        plies -= 1
        unmake_move(position, game.opening[plies])
    return False


@kernel(int64(WORKER_T, GAME_T, int64), "self-play")
def play_game(worker: WorkerRecord, game: Game, tries: int) -> Flag:
    """Play a game from ``worker.position`` into ``game``; return 0 if none of ``tries`` openings is balanced."""
    position = worker.position
    rules = game.rules
    game.count = 0
    game.nodes = 0
    game.rejected = 0
    while not _open(worker, game):
        game.rejected += 1
        if game.rejected >= tries:
            return 0
    pack(position, game.start)
    plays_out = random_below(game, 100) < rules.play_out
    result = I64(DRAW)
    winning, drawing = 0, 0
    while True:
        end = end_by_rule(position)
        if end >= 0:
            if end == CHECKMATE:
                result = I64(BLACK_WINS) if I64(position.side) == WHITE else I64(WHITE_WINS)
            break
        if game.count >= rules.max_plies:
            end = LENGTH
            break
        move, score = choose_move(worker, rules.nodes, rules.hard * rules.nodes, DEEPEST, 0)
        game.nodes += worker.nodes
        if I64(position.side) != WHITE:
            score = -score
        game.moves[game.count] = encode_move(move)
        game.scores[game.count] = score
        game.count += 1
        play_move(position, move)
        winner = I64(WHITE_WINS) if score > 0 else I64(BLACK_WINS)
        if abs(score) > MATE_BOUND and not plays_out:
            end, result = MATE_FOUND, winner
            break
        if abs(score) < rules.win_score or plays_out:
            winning = 0
        else:
            winning = max(winning, 0) + 1 if score > 0 else min(winning, 0) - 1
            if abs(winning) >= rules.win_plies:
                end, result = WON_SCORE, winner
                break
        drawing = drawing + 1 if abs(score) <= rules.draw_score and game.count > rules.draw_from else 0
        if drawing >= rules.draw_plies:
            end = DRAWN_SCORE
            break
    game.end = end
    game.start.result = result
    return 1


def random_state(seed: int, shard: int, number: int) -> int:
    """The random state of game ``number`` of a ``shard``: 64 bits in which no two games of a run agree."""
    words = f"{seed} {shard} {number}".encode()
    return int.from_bytes(hashlib.blake2b(words, digest_size=8).digest(), "little")


@dataclass(frozen=True, slots=True)
class Played:
    """One game: its bytes in viriformat, moves, index of its end in ENDS, nodes and openings rejected."""

    data: bytes
    plies: int
    result: int
    end: int
    nodes: int
    rejected: int


class SelfPlay:
    """A worker and a table of its own, playing games one after the other. Uses no thread and no clock.

    ``options`` are EvalType, EvalFile and search parameters.
    Raises :class:`engine.messages.OptionError` if an option or its value is unknown.
    """

    TRIES = 100

    def __init__(self, rules: Rules, options: Mapping[str, str] | None = None) -> None:
        self._control: Any = new_record(CONTROL)
        address, options = self._control.__array_interface__["data"][0], options or {}
        self._worker = Worker(address, evaluation_of(options), parameters_of(options))
        self._table = TranspositionTable(rules.hash)
        self._position = new_position()
        self._game: Any = new_record(GAME)
        for name, value in asdict(rules).items():
            self._game["rules"][name] = value

    def play(self, state: int, fen: str = START_FEN) -> Played | None:
        """Play the game that follows from the random ``state``, its opening from ``fen``; None if no opening from
        there is balanced. Call it by :func:`engine.search.threads.run_on_deep_stack`."""
        set_fen(self._position, fen)
        self._worker.clear()
        self._table.clear()
        self._worker.prepare(self._position, list_moves(self._position), self._table, UNLIMITED)
        game = self._game
        game["random"] = state
        if not play_game(self._worker.record, game, self.TRIES):
            return None
        count = int(game["count"])
        steps = np.zeros(2 * count + 2, "<u2")
        steps[0:-2:2] = game["moves"][:count]
        steps[1:-2:2] = game["scores"][:count].view("u2")
        data = game["start"].tobytes() + steps.tobytes()
        result = int(game["start"]["result"])
        return Played(data, count, result, int(game["end"]), int(game["nodes"]), int(game["rejected"]))
