"""Playing weaker on purpose, in a human way: seeing less, and misjudging what is seen.

A level searches few nodes, so that it overlooks deep tactics, and searches several lines instead of one. A random error
is added to each line's score, and the line that then seems best is played. The errors have a Gumbel distribution, which
makes the probability of a move an exponential function of its score: near-equal moves are played about equally often, a
slightly worse one now and then, a blunder hardly ever (the softmax choice of Luce, 1959).

But humans do not misjudge a hanging piece. They see immediate captures (``captures.visible_gain``) and overlook what is
a move or two deeper. So an alert player does not choose a line that visibly loses material if the best line does not;
only the weakest levels are not always alert. Beginners see one move ahead and consider every legal move, so that the
error is now and then larger than a piece, and they leave one hanging.

The levels are in ``strength.json``; ``python -m tuning.strength`` measures their Elo and writes it there, but for the
beginners (``tuning/results/levels.md``)."""

import itertools
import json
import math
import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from engine.board.types import MAX_MOVES
from engine.play.captures import MATE_IN_ONE

FILE = Path(__file__).with_name("strength.json")

#: Minimum and maximum number of lines of a noisy level above the beginners', and the noise in centipawns that adds a
#: line: one that is much worse than the best would hardly ever seem better.
MIN_LINES, MAX_LINES, CENTIPAWNS_A_LINE = 2, 6, 12

#: Centipawns by which a line must be worse than the best, in visible gain and by the search, for an alert player to
#: reject it. The visible gain is that of a piece for a pawn.
GLARING_LOSS, GLARING_SCORE = 200, 150


@dataclass(frozen=True, slots=True)
class Level:
    """A level of play: ``nodes`` for each move, ``noise`` the scale of its errors in centipawns of the evaluation,
    ``elo`` its measured strength, ``alert`` how often (0 to 1) it sees hanging pieces, ``depth`` the plies that it
    looks ahead at most, None for a level above the beginners'."""

    nodes: int
    noise: float
    elo: float
    alert: float = 1.0
    depth: int | None = None

    @property
    def lines(self) -> int:
        if self.depth is not None:
            return MAX_MOVES
        return min(MIN_LINES + int(self.noise / CENTIPAWNS_A_LINE), MAX_LINES) if self.noise > 0 else 1


_FILED = json.loads(FILE.read_text(encoding="utf-8"))

#: The beginners' levels, which have no Skill Level, weakest first. The option ``UCI_Elo`` begins with the first.
BEGINNERS = tuple(Level(**level) for level in _FILED["beginners"])

#: The levels above, weakest first: the Skill Levels, then numbers of nodes. The option ``UCI_Elo`` ends with the last.
LEVELS = tuple(Level(**level) for level in _FILED["levels"])

FULL_SKILL = 20  # the Skill Level of full strength; lower ones are the first of the levels


def level_of_skill(skill: int, levels: Sequence[Level] = LEVELS) -> Level | None:
    """The level of a Skill Level; None for full strength."""
    return levels[skill] if skill < FULL_SKILL else None


def level_of_elo(elo: int, levels: Sequence[Level] = (*BEGINNERS, *LEVELS)) -> Level | None:
    """The level with this ``elo``, interpolated between the measured ones; None for full strength, above them."""
    if elo <= levels[0].elo:
        return levels[0]
    for weaker, stronger in itertools.pairwise(levels):
        if elo <= stronger.elo:
            if weaker.depth != stronger.depth:  # nothing lies between the last beginner and the levels above
                return weaker
            share = (elo - weaker.elo) / (stronger.elo - weaker.elo)
            nodes = math.exp((1 - share) * math.log(weaker.nodes) + share * math.log(stronger.nodes))
            noise, alert = (
                (1 - share) * getattr(weaker, name) + share * getattr(stronger, name) for name in ("noise", "alert")
            )
            return Level(round(nodes), noise, elo, alert, weaker.depth)
    return None


def choose(scores: Sequence[int], noise: float, chance: random.Random) -> int:
    """A noisy player's choice: the index of the line that seems best when each of ``scores`` has an error."""
    seeming = [score - noise * math.log(-math.log(chance.random() or 0.5)) if noise else score for score in scores]
    return max(range(len(scores)), key=seeming.__getitem__)


def without_visible_blunders(scores: Sequence[int], gains: Sequence[int]) -> list[int]:
    """The indices of the lines that visibly lose no more than the first, best one, in centipawns: ``scores`` are those
    of the search, ``gains`` the visible ones. The search counts because a piece may be left hanging for a good reason.
    Nothing justifies allowing a mate in one, which a short search may have pruned."""
    sound = [index for index, gain in enumerate(gains) if gain > -MATE_IN_ONE] or list(range(len(gains)))
    best = sound[0]
    return [
        index
        for index in sound
        if index == best or scores[index] > scores[best] - GLARING_SCORE or gains[index] > gains[best] - GLARING_LOSS
    ]
