"""Keeps scores that a second opinion confirms, so that networks do not learn from tactics.

A position may look quiet and still be decided by a combination. No static evaluation can see that, and a network that
learns from its score gets worse in other positions. A score far from the network's value, or from that of another
search, is usually of this kind. (Most trainers filter by captures and checks, this one by scores.)
"""

from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy.special import expit

from engine.evaluation.choice import Evaluation
from tuning.common.errors import SetupError
from tuning.data.dataset import NO_VERDICT, Quiet, is_quiet
from tuning.data.values import values_of
from tuning.data.viriformat import read_positions, with_scores

#: All quiet positions with a score, from the first move on.
_EVERY_QUIET = Quiet(0, np.inf)


class Agreement(NamedTuple):
    """The distance of expected scores below which score and opinion agree. The scales are the centipawns that multiply
    the odds of success by e."""

    limit: float
    scale: float
    opinion_scale: float

    def holds(self, scores: np.ndarray, opinions: np.ndarray) -> np.ndarray:
        """Whether ``scores`` and ``opinions``, centipawns of the same side, agree: bool [position]."""
        apart: np.ndarray = np.abs(expit(scores / self.scale) - expit(opinions / self.opinion_scale))
        return apart < self.limit


def confirmed(source: Path, opinion: Evaluation | Path, agreement: Agreement) -> tuple[bytes, int, int]:
    """The games of ``source`` with only those scores that the static values of a network confirm, or the scores of the
    same games in another file; the number of these scores, and of quiet positions. Raises :class:`SetupError` if the
    other file holds other games."""
    boards = read_positions([source]).boards
    quiet = is_quiet(boards, _EVERY_QUIET)
    if isinstance(opinion, Path):
        others = read_positions([opinion]).boards
        if len(boards) != len(others) or not np.array_equal(boards["occupancy"], others["occupancy"]):
            raise SetupError(f"{opinion} does not hold the games of {source}")
        quiet &= np.abs(others["score"].astype(np.int32)) < NO_VERDICT
        opinions = others["score"][quiet]
    else:
        opinions = values_of(opinion, boards[quiet])
    places = np.flatnonzero(quiet)[agreement.holds(boards["score"][quiet], opinions)]
    scores = np.full(len(boards), NO_VERDICT, np.int16)
    scores[places] = boards["score"][places]
    return with_scores(source, scores), len(places), int(quiet.sum())
