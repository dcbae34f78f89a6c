"""What a network learns from: quiet positions, an expected score for each, some games kept apart to judge by."""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
from rich.progress import Progress
from scipy.optimize import brentq
from scipy.special import expit

from engine.evaluation.choice import choose
from tuning.common.errors import SetupError
from tuning.data.features import MOST_PIECES, list_features
from tuning.data.marlinformat import IN_CHECK, NOISY_MOVE
from tuning.data.positions import plies, read_positions
from tuning.data.values import values_of
from tuning.data.viriformat import Positions

#: Centipawns of the Classical evaluation that multiply the odds of success by e, about as its own games have it.
REFERENCE = 220.0

#: So many positions settle a scale.
SCALED_BY = 200_000

#: A verdict of this many units from White's view or more is a mate or no verdict at all, whatever the source.
NO_VERDICT = 20_000


@dataclass(frozen=True, slots=True)
class Quiet:
    """Which positions are fit to learn from, besides being neither in check nor answered by a capture or promotion.

    Before ``first_ply`` games repeat each other; beyond ``decided`` (log-odds of success) they are over.
    """

    first_ply: int
    decided: float


@dataclass(frozen=True, slots=True)
class Source:
    """The quiet positions of one file.

    ``scale`` is how many of its units multiply the odds of White's success by e, as :func:`common_scale` finds it;
    ``expected`` float32 is White's expected score; ``held_out`` says which positions to judge by.
    """

    name: str
    boards: np.ndarray
    games: int
    scale: float
    expected: np.ndarray
    held_out: np.ndarray


@dataclass(frozen=True, slots=True)
class Sample:
    """Of all sources: ``boards`` of ``marlinformat.PACKED`` and ``expected``, White's score, float32."""

    boards: np.ndarray
    expected: np.ndarray

    def __len__(self) -> int:
        return len(self.boards)


class Batch(NamedTuple):
    """Positions as a network sees them, from the view of the side to move.

    ``features`` int16 [position][side to move first][32] with NO_FEATURE in unused places, ``buckets`` int64,
    ``expected`` float32 [position].
    """

    features: np.ndarray
    buckets: np.ndarray
    expected: np.ndarray


def quiet_positions(positions: Positions, quiet: Quiet) -> Positions:
    """Those that can be learned from, as far as a source's units do not matter."""
    boards = positions.boards
    chosen = (boards["extra"] & (IN_CHECK | NOISY_MOVE)) == 0
    chosen &= plies(boards) >= quiet.first_ply
    chosen &= np.abs(boards["score"].astype(np.int32)) < NO_VERDICT
    return Positions(boards[chosen], positions.games[chosen])


def held_out_games(name: str, games: int, share: float) -> np.ndarray:
    """Which games to judge by: always the same of a file, so that all networks are judged by the same."""
    return np.random.default_rng(zlib.crc32(name.encode())).random(games) < share


def common_scale(boards: np.ndarray) -> float:
    """How many units of the boards' scores multiply the odds of success by e, if REFERENCE centipawns of Classical do.

    The scores then say as often as Classical that a position is that good or bad.

    Fitted to the results of its own games every source would have another scale, the larger the weaker its players: the
    same advantage would be worth 0.64 points in games of 250 nodes a move and 0.71 in those of 500, and a network that
    learns from both would have to learn who plays.
    """
    chosen = boards[np.random.default_rng(0).permutation(len(boards))[:SCALED_BY]]
    log_odds = values_of(choose("Classical", ""), chosen) / REFERENCE
    wanted = np.mean(np.abs(expit(log_odds) - 0.5))
    scores = np.abs(chosen["score"].astype(np.float64))

    def excess(log_scale: float) -> float:
        return float(np.mean(expit(scores / np.exp(log_scale))) - 0.5 - wanted)

    least, most = np.log(1), np.log(1e6)
    if excess(least) <= 0 or excess(most) >= 0:  # nearly all scores are 0: no scale spreads them like Classical's
        return REFERENCE
    return float(np.exp(brentq(excess, least, most)))


def make_source(name: str, positions: Positions, quiet: Quiet, result_weight: float, held_out: float) -> Source:
    """A source from all positions of a file. Raises :class:`SetupError` where none can be learned from."""
    games = int(positions.games[-1]) + 1
    positions = quiet_positions(positions, quiet)
    if not len(positions):
        raise SetupError(f"positions {name}: no quiet position in it")
    scores, results = positions.boards["score"].astype(np.float64), positions.boards["result"] / 2
    scale = common_scale(positions.boards)
    kept = np.abs(scores) <= quiet.decided * scale
    target = (1 - result_weight) * expit(scores / scale) + result_weight * results
    return Source(
        name,
        positions.boards[kept],
        games,
        scale,
        target[kept].astype(np.float32),
        held_out_games(name, games, held_out)[positions.games[kept]],
    )


def read_sources(
    files: Sequence[Path], cache: Path, quiet: Quiet, result_weight: float, held_out: float, progress: Progress
) -> list[Source]:
    """A source for each file, by way of the cache. Raises :class:`SetupError` for files that cannot be used."""
    names = [file.name for file in files]
    for name in names:
        if names.count(name) > 1:
            raise SetupError(f"two files are called {name}: what is held out is chosen by a file's name")
    return [
        make_source(file.name, read_positions(file, cache, progress), quiet, result_weight, held_out) for file in files
    ]


def split(sources: Sequence[Source]) -> tuple[Sample, Sample]:
    """All positions to learn from, and all to judge by.

    Raises :class:`SetupError` where either is empty.
    """

    def part(held_out: bool) -> Sample:
        chosen = [source.held_out == held_out for source in sources]
        boards = np.concatenate([source.boards[rows] for source, rows in zip(sources, chosen, strict=True)])
        expected = np.concatenate([source.expected[rows] for source, rows in zip(sources, chosen, strict=True)])
        return Sample(boards, expected)

    learned, judged = part(False), part(True)
    if not len(learned) or not len(judged):
        raise SetupError("too few games to keep some apart: give more positions")
    return learned, judged


def make_batch(sample: Sample, order: np.ndarray) -> Batch:
    """The positions of ``sample`` that ``order`` (int64) names, in that order."""
    features = np.empty((len(order), 2, MOST_PIECES), np.int16)
    buckets = np.empty(len(order), np.int64)
    list_features(sample.boards, order, features, buckets)
    black_moves = sample.boards["side_en_passant"][order] >> 7 == 1
    expected = sample.expected[order]
    return Batch(features, buckets, np.where(black_moves, 1 - expected, expected))


def batches(sample: Sample, order: np.ndarray, size: int) -> Iterator[Batch]:
    """All positions that ``order`` names, ``size`` at a time."""
    for start in range(0, len(order), size):
        yield make_batch(sample, order[start : start + size])
