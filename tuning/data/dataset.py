"""Training data: quiet positions, the scale of their scores, and games held out for validation."""

import zlib
from dataclasses import dataclass

import numpy as np
from scipy.optimize import brentq
from scipy.special import expit

from engine.evaluation.choice import choose
from tuning.data.marlinformat import IN_CHECK, NOISY_MOVE
from tuning.data.positions import plies
from tuning.data.values import values_of
from tuning.data.viriformat import Positions

REFERENCE = 220.0  # centipawns of the Classical evaluation that multiply the odds of success by e, as in its own games
SCALE_POSITIONS = 200_000  # positions used to determine a scale
NO_VERDICT = 20_000  # scores of this size or more are mates or missing, in any source


@dataclass(frozen=True, slots=True)
class QuietRules:
    """Conditions for training positions, which are never in check and whose move is no capture or promotion.

    Games repeat each other before ``first_ply``, and are decided beyond ``decided`` (log-odds of success)."""

    first_ply: int = 10
    decided: float = 6.0


def is_quiet(boards: np.ndarray, quiet: QuietRules) -> np.ndarray:
    """Which of ``boards``, PACKED, are fit for training, whatever the units of scores: bool [position]."""
    chosen: np.ndarray = (boards["extra"] & (IN_CHECK | NOISY_MOVE)) == 0
    chosen &= plies(boards) >= quiet.first_ply
    return chosen & (np.abs(boards["score"].astype(np.int32)) < NO_VERDICT)


def quiet_positions(positions: Positions, quiet: QuietRules) -> Positions:
    """The ``positions`` that :func:`is_quiet` selects."""
    chosen = is_quiet(positions.boards, quiet)
    return Positions(positions.boards[chosen], positions.games[chosen])


def held_out_lots(name: str) -> np.random.Generator:
    """Random numbers for the games of a file, in order; games whose number is below the share are held out.

    A file's are always the same, so that all networks are validated with the same games. Copies of games with other
    scores have the files' names, and so the same games are held out."""
    return np.random.default_rng(zlib.crc32(name.encode()))


def common_scale(boards: np.ndarray) -> float:
    """How many units of the boards' scores multiply the odds of success by e, if REFERENCE centipawns of Classical do.

    With it the scores are on average as far from a draw as those of Classical. A scale fitted to the results of each
    source would be larger for weaker players, and a network that learns from both would have to learn who plays."""
    chosen = boards[np.random.default_rng(0).permutation(len(boards))[:SCALE_POSITIONS]]
    return matching_scale(chosen["score"], expit(values_of(choose("Classical", ""), chosen) / REFERENCE))


def matching_scale(values: np.ndarray, expected: np.ndarray) -> float:
    """How many units of ``values`` multiply the odds of success by e, if they are on average as far from a draw as the
    scores ``expected``; REFERENCE if no scale spreads them like that, because nearly all are 0."""
    distance = np.mean(np.abs(expected - 0.5))
    size = np.abs(values.astype(np.float64))

    def excess(log_scale: float) -> float:
        return float(np.mean(expit(size / np.exp(log_scale))) - 0.5 - distance)

    low, high = np.log(1), np.log(1e6)
    return REFERENCE if excess(low) <= 0 or excess(high) >= 0 else float(np.exp(brentq(excess, low, high)))
