"""What became of a position: its score mixed with those of the later positions of its game, and with the result.

A search of few nodes says little that the network behind it did not know. The searches after it stand further on in the
game, and in the end there is the result, which no network can be wrong about. With a weight w the expected score of a
position becomes 1 - w times its own and w times that of the next one, and so on to the result. (The idea of TD(λ) by
Richard Sutton, 1988, by which KnightCap learned chess.) What the players overlooked spoils it, so a score far from what
followed teaches nothing.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import expit, logit

from tuning.common.compiled import compiled
from tuning.data.dataset import NO_VERDICT
from tuning.data.viriformat import Positions

#: A mixed score is never more certain than this.
_LEAST_EXPECTED = 1e-5


class LookAhead(NamedTuple):
    """How far to look: ``weight`` is that of what followed, from 0 up to less than 1, and a score that differs from
    that by ``limit`` of the expected score or more is left out."""

    weight: float
    limit: float


class Mixed(NamedTuple):
    """The positions' new scores, float64 centipawns from White's view, and which of them what followed confirms, bool.
    Positions without a score stay so and are not confirmed."""

    scores: np.ndarray
    confirmed: np.ndarray


def mixed_scores(positions: Positions, look: LookAhead, scale: float) -> Mixed:
    """Mix the scores of whole games; ``scale`` is how many of their centipawns multiply the odds of success by e."""
    scores = positions.boards["score"].astype(np.float64)
    scored = np.abs(scores) < NO_VERDICT
    own = expit(scores / scale)
    followed = what_followed(own, scored, positions.games, positions.boards["result"] / 2, look.weight)
    mixed = (1 - look.weight) * own + look.weight * followed
    new = scale * logit(np.clip(mixed, _LEAST_EXPECTED, 1 - _LEAST_EXPECTED))
    return Mixed(np.where(scored, new, scores), scored & (np.abs(own - followed) < look.limit))


@compiled
def what_followed(
    expected: np.ndarray, scored: np.ndarray, games: np.ndarray, results: np.ndarray, weight: float
) -> np.ndarray:
    """White's expected score float64 by all that came after each position of its game.

    ``expected`` float64 and ``results`` float64 are from White's view, all in order of the games; positions without a
    score, those not ``scored``, are passed over.
    """
    followed = np.empty_like(expected)
    later = 0.0
    for place in range(len(expected) - 1, -1, -1):
        if place == len(expected) - 1 or games[place + 1] != games[place]:
            later = results[place]
        followed[place] = later
        if scored[place]:
            later = (1.0 - weight) * expected[place] + weight * later
    return followed
