"""Games of the engine against itself, each played by one call of compiled code.

A game depends on its random state, its rules and the engine only, so any part of a data set can be reproduced.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Annotated, Any

from engine.board.aliases import Flag, Move, MoveList, Position
from engine.board.fen import set_fen
from engine.board.make import make_move, unmake_move
from engine.board.movegen import ALL_MOVES, generate_moves
from engine.board.moves import origin_of
from engine.board.position import piece_on
from engine.board.setup import new_position, play_move
from engine.board.types import I64, U64
from engine.fen import START_FEN
from engine.jit import Array, Record, inlined, int64, kernel, mulhi, new_record, record_type, structure, u8
from engine.search.state import WORKER_T, WorkerRecord, frame_at
from tuning.data.viriformat import game_bytes
from tuning.selfplay.compiled_search import choose_move
from tuning.selfplay.loop import GAME, end_by_rule, play_game
from tuning.selfplay.sides import Side

MAX_OPENING_PLIES = 40  # the longest opening, in plies

#: Of 100 random moves whose kind of piece is drawn first, those of each kind, from pawns to kings.
KIND_PERCENTAGES = (35, 15, 15, 5, 15, 15)

MAX_DEPTH = 60  # the deepest iteration: dead draws would iterate without end before they use their nodes


@dataclass(frozen=True, slots=True)
class SelfPlayRules:
    """How games are played. Scores are centipawns, lengths plies.

    A game is won when ``win_plies`` searches in a row see the same side ahead by ``win_score``, or when one finds a
    mate; drawn when ``draw_plies`` in a row stay within ``draw_score`` after ply ``draw_from``, by the rules of chess,
    or at ``max_plies``."""

    nodes: int = 5_000  # of a search; the iteration that exceeds it is finished
    hard: int = 8  # times ``nodes``: the limit of that iteration
    opening_plies: int = 8  # random moves of an opening, or one more
    opening_nodes: int = 4_000  # of the search that accepts an opening
    opening_score: int = 200  # the largest score of an accepted opening, for either side
    win_score: int = 2_000
    win_plies: int = 4
    draw_score: int = 8
    draw_plies: int = 12
    draw_from: int = 80
    max_plies: int = 400
    end_pieces: int = 6  # with as many pieces or fewer, a search of ``opening_nodes`` decides the game
    hash: int = 4  # megabytes
    play_out: int = 0  # percent of games that continue to checkmate, for positions from the end of won games


class OpeningRecord(Record):
    """The rules of openings, and the last opening."""

    rules: SelfPlayRules
    random: u8  # state of the random numbers
    nodes: int  # searched, for rejected openings too
    rejected: int  # openings before this one
    plies: int
    moves: Annotated[Array[int], (MAX_OPENING_PLIES + 1,)]
    plays_out: int  # whether the game goes on to checkmate


OPENING = structure(OpeningRecord)
OPENING_T = record_type(OPENING)


@inlined
def random_below(opening: OpeningRecord, limit: int) -> int:
    """A random number from 0 to ``limit`` - 1 (Steele, Lea and Flood's SplitMix64, high multiply)."""
    opening.random += U64(0x9E37_79B9_7F4A_7C15)
    bits = opening.random
    bits = (bits ^ bits >> U64(30)) * U64(0xBF58_476D_1CE4_E5B9)
    bits = (bits ^ bits >> U64(27)) * U64(0x94D0_49BB_1331_11EB)
    return I64(mulhi(bits ^ bits >> U64(31), U64(limit)))


@inlined
def _random_move(opening: OpeningRecord, position: Position, moves: MoveList, count: int) -> Move:
    """One of ``count`` legal moves, drawn by the kind of piece first (after PlentyChess).

    The plain draw mostly takes the pieces that have the most moves."""
    while True:
        lot, kind = random_below(opening, 100), I64(0)
        while lot >= KIND_PERCENTAGES[kind]:
            lot -= KIND_PERCENTAGES[kind]
            kind += 1
        found = 0
        for index in range(count):
            move = I64(moves.move[index])
            if piece_on(position, origin_of(move)) & 7 == kind:
                moves.move[found] = move
                found += 1
        if found > 0:
            return I64(moves.move[random_below(opening, found)])


@inlined
def _is_balanced(worker: WorkerRecord, opening: OpeningRecord) -> bool:
    """Make the random moves of an opening, in one half of all cases by kind of piece; return whether a game can start
    from there. If not, they are unmade."""
    position = worker.position
    rules = opening.rules
    moves = frame_at(worker, 0).moves
    wanted = rules.opening_plies + random_below(opening, 2)
    by_kind = random_below(opening, 2)
    opening.plies = 0
    while opening.plies < wanted:
        count = generate_moves(position, moves, 0, ALL_MOVES)
        if count == 0:
            break
        if by_kind != 0:
            move = _random_move(opening, position, moves, count)
        else:
            move = I64(moves.move[random_below(opening, count)])
        opening.moves[opening.plies] = move
        make_move(position, move)
        opening.plies += 1
    if opening.plies == wanted and end_by_rule(position) < 0:
        score = choose_move(worker, rules.opening_nodes, rules.hard * rules.opening_nodes, MAX_DEPTH, 0)[1]
        opening.nodes += worker.nodes
        if abs(score) <= rules.opening_score:
            return True
    while opening.plies > 0:
        opening.plies -= 1
        unmake_move(position, opening.moves[opening.plies])
    return False


@kernel(int64(WORKER_T, OPENING_T, int64))
def find_opening(worker: WorkerRecord, opening: OpeningRecord, tries: int) -> Flag:
    """Play a random opening from ``worker.position``; return 0 if none of ``tries`` is balanced."""
    opening.nodes = 0
    opening.rejected = 0
    while not _is_balanced(worker, opening):
        opening.rejected += 1
        if opening.rejected >= tries:
            return 0
    opening.plays_out = random_below(opening, 100) < opening.rules.play_out
    return 1


def random_state(seed: int, shard: int, number: int) -> int:
    """The random state of game ``number`` of a ``shard``: 64 bits, different for all games of a run."""
    words = f"{seed} {shard} {number}".encode()
    return int.from_bytes(hashlib.blake2b(words, digest_size=8).digest(), "little")


@dataclass(frozen=True, slots=True)
class SelfPlayGame:
    """One game: its bytes in viriformat, moves, index of its end in ENDS, nodes and openings rejected."""

    data: bytes
    plies: int
    result: int
    end: int
    nodes: int
    rejected: int


class SelfPlay:
    """A worker with its own table that plays games one after the other, without threads or clock.

    ``options`` are EvalType, EvalFile and search parameters.
    Raises :class:`engine.messages.OptionError` if an option or its value is unknown."""

    TRIES = 100

    def __init__(self, rules: SelfPlayRules, options: Mapping[str, str] | None = None) -> None:
        self._side = Side(options or {}, rules.hash)
        self._position = new_position()
        self._opening: Any = new_record(OPENING)
        for name, value in asdict(rules).items():
            self._opening["rules"][name] = value
        self._win_plies, self._end_pieces = rules.win_plies, rules.end_pieces
        self._game: Any = new_record(GAME)
        values = {
            "alone": 1,
            "depth": MAX_DEPTH,
            "nodes": rules.nodes,
            "hard": rules.hard * rules.nodes,
            "win_score": rules.win_score,
            "win_both": 1,
            "draw_plies": rules.draw_plies,
            "draw_score": rules.draw_score,
            "draw_after": rules.draw_from,
            "max_plies": rules.max_plies,
            "end_nodes": (rules.opening_nodes, rules.hard * rules.opening_nodes),
        }
        for name, value in values.items():
            self._game["rules"][name] = value

    def play(self, state: int, fen: str = START_FEN) -> SelfPlayGame | None:
        """Play the game of the random ``state``, with an opening from ``fen``; None if no opening is balanced.

        Call it by :func:`engine.search.threads.run_on_deep_stack`."""
        position, worker = self._position, self._side.worker
        set_fen(position, fen)
        self._side.prepare(position)
        opening, game = self._opening, self._game
        opening["random"] = state
        if not find_opening(worker.record, opening, self.TRIES):
            return None
        for move in opening["moves"][: opening["plies"]].tolist():
            play_move(position, move)
        decides = not opening["plays_out"]
        game["rules"]["mate_ends"] = decides
        game["rules"]["end_pieces"] = self._end_pieces if decides else 0
        game["rules"]["win_moves"] = ((self._win_plies + 1) // 2, self._win_plies // 2) if decides else 0
        play_game(worker.record, worker.record, game)
        count, result = int(game["count"]), int(game["result"])
        data = game_bytes(position, game["moves"][:count], game["scores"][:count], result)
        nodes = int(game["nodes"].sum() + opening["nodes"])
        return SelfPlayGame(data, count, result, int(game["end"]), nodes, int(opening["rejected"]))
