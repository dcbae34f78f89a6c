"""New scores for games: their quiet positions are searched again, usually deeper.

A network trained on searches of 120 nodes learns little that the previous network did not know, because such a short
search rarely contradicts it. Searching existing positions again costs only the nodes of the new scores, and only
positions used for training are searched. (Known as rescoring; the trainers of Leela Chess Zero and Stockfish do it.)
"""

import hashlib
import zlib
from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from engine.api import bench
from engine.board.fen import set_fen
from engine.board.movegen import count_moves
from engine.board.setup import new_position
from engine.board.types import WHITE
from engine.jit import int64, kernel, new_record, record_type, types, uint8
from engine.jit.warmup import warm_up
from engine.messages import OptionError
from engine.processes import Report
from engine.search.state import WORKER_T, WorkerRecord
from engine.search.threads import run_on_deep_stack
from tuning.common.errors import SetupError
from tuning.data.dataset import NO_VERDICT, QuietRules, is_quiet
from tuning.data.marlinformat import PACKED, PackedBoards, pack, unpack
from tuning.data.viriformat import read_positions, with_scores
from tuning.selfplay.compiled_search import choose_move
from tuning.selfplay.games import MAX_DEPTH
from tuning.selfplay.sides import Side

_PACKED_ARRAY = types.Array(record_type(PACKED), 1, "C")


@dataclass(frozen=True, slots=True)
class RelabelSettings:
    """The settings that determine the new scores."""

    nodes: int = 1_000  # with ``hard``, the limits of a search, as in :class:`~tuning.selfplay.games.SelfPlayRules`
    hard: int = 2
    share: float = 1.0  # of the quiet positions, drawn by ``seed``
    first_ply: int = 10  # earlier positions are left out
    hash: int = 4  # megabytes of the table
    seed: int = 1
    options: tuple[tuple[str, str], ...] = ()  # EvalType, EvalFile and search parameters

    def to_json(self) -> dict[str, Any]:
        """The settings as plain data, the options by name."""
        return {**asdict(self), "options": dict(self.options)}


@dataclass(frozen=True, slots=True)
class Unit:
    """A work unit: one file of games. ``fingerprint`` is that of the engine that started the run."""

    source: Path
    settings: RelabelSettings
    fingerprint: str


@kernel(int64(WORKER_T, _PACKED_ARRAY, uint8[::1], int64, int64))
def label_game(worker: WorkerRecord, boards: PackedBoards, chosen: np.ndarray, nodes: int, hard: int) -> int:
    """Give the ``chosen`` of one game's ``boards`` the score of a search, White's view; return the nodes it took.

    From the last one to the first, so that the table helps with earlier positions."""
    position = worker.position
    visited = 0
    for place in range(len(boards)):
        index = len(boards) - 1 - place
        if chosen[index] == 0:
            continue
        board = boards[index]
        if unpack(position, board) == 0 or count_moves(position) == 0:
            continue
        score = choose_move(worker, nodes, hard * nodes, MAX_DEPTH, 0)[1]
        visited += worker.nodes
        board.score = score if position.side == WHITE else -score
    return visited


def label(side: Side, settings: RelabelSettings, boards: np.ndarray, chosen: np.ndarray) -> int:
    """Label one game; return the nodes it took. Call it by :func:`engine.search.threads.run_on_deep_stack`."""
    side.prepare(new_position())
    return int(label_game(side.worker.record, boards, chosen, settings.nodes, settings.hard))


def chosen_of(boards: np.ndarray, settings: RelabelSettings, name: str) -> np.ndarray:
    """Which of a file's ``boards`` are searched, uint8: a random share of those fit for training."""
    lots = np.random.default_rng([settings.seed, zlib.crc32(name.encode())]).random(len(boards))
    return (is_quiet(boards, QuietRules(settings.first_ply, np.inf)) & (lots < settings.share)).astype(np.uint8)


def fingerprint_of(settings: RelabelSettings) -> str:
    """A digest of the engine's scores of the bench positions. Raises :class:`SetupError` for invalid options."""
    try:
        side = Side(dict(settings.options), settings.hash)
    except OptionError as error:
        raise SetupError(str(error)) from None
    boards = np.zeros(0, PACKED)
    for fen in bench.positions():
        position, packed = new_position(), new_record(PACKED)
        set_fen(position, fen)
        pack(position, packed)
        boards = np.append(boards, np.asarray(packed))
    run_on_deep_stack(lambda: label(side, replace(settings, nodes=500), boards, np.ones(len(boards), np.uint8)))
    return hashlib.blake2b(boards["score"].tobytes(), digest_size=8).hexdigest()


@lru_cache(maxsize=1)
def _side_of(settings: RelabelSettings, fingerprint: str) -> Side:
    """This process's worker. Raises :class:`SetupError` if its engine did not start the run."""
    warm_up(lambda line: None)
    if fingerprint_of(settings) != fingerprint:
        raise SetupError("a worker has another engine or evaluation")
    return Side(dict(settings.options), settings.hash)


def label_file(unit: Unit, report: Report) -> dict[str, Any]:
    """Label a file in this process: the bytes of the new file, the number of positions searched, and their nodes."""
    settings, side = unit.settings, _side_of(unit.settings, unit.fingerprint)
    positions = read_positions([unit.source])
    boards, chosen = positions.boards, chosen_of(positions.boards, settings, unit.source.name)
    edges = np.flatnonzero(np.diff(positions.games, prepend=-1, append=-1)).tolist()
    games = [slice(first, last) for first, last in pairwise(edges)]
    nodes = run_on_deep_stack(lambda: sum(label(side, settings, boards[game], chosen[game]) for game in games))
    scores = np.where(chosen != 0, boards["score"], NO_VERDICT).astype(np.int16)
    return {
        "name": unit.source.name,
        "data": with_scores(unit.source, scores),
        "labelled": int(chosen.sum()),
        "nodes": nodes,
    }
