"""Playing weaker on purpose, in the way people do: seeing less, and misjudging what is seen.

A level searches few nodes, so that it overlooks what lies deeper, and looks at several lines instead of one. To each
line's score comes a random misjudgement, and the line that then seems best is played. The misjudgements follow
Gumbel's distribution, which makes the chance of a move an exponential function of its score: near-equal moves are
played about as often, a slightly worse one now and then, a blunder hardly ever (the softmax choice of Luce, 1959).

But people do not misjudge a hanging piece. They see what can be taken at once (:mod:`engine.play.glance`), and overlook
what lies a move or two further on. So an alert player does not choose a line that gives away at a glance what the best
line keeps; only the weakest levels are not always alert.

The levels are in ``strength.json``; ``python -m tuning.strength`` measures their Elo and writes it there.
"""

from __future__ import annotations

import itertools
import json
import math
import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from engine.play.glance import MATE_IN_ONE

FILE = Path(__file__).with_name("strength.json")

#: A level with misjudgements chooses from two lines at least, and from six at most: one more for each so many
#: centipawns of misjudgement, because a line that is much worse than the best would hardly ever seem to be better.
FEWEST_LINES, MOST_LINES, CENTIPAWNS_A_LINE = 2, 6, 12

#: Centipawns by which a line must be worse than the best, at a glance and by the search, for an alert player to pass it
#: over. At a glance it is a piece for a pawn.
GLARING_LOSS, GLARING_SCORE = 200, 150


@dataclass(frozen=True, slots=True)
class Level:
    """How a level plays: ``nodes`` for each move, ``noise`` the scale of its misjudgements in centipawns of the
    evaluation, ``elo`` its measured strength, ``alert`` how often (0 to 1) it sees what hangs."""

    nodes: int
    noise: float
    elo: float
    alert: float = 1.0

    @property
    def lines(self) -> int:
        """Lines to search."""
        return min(FEWEST_LINES + int(self.noise / CENTIPAWNS_A_LINE), MOST_LINES) if self.noise > 0 else 1


#: All levels, weakest first. The option ``UCI_Elo`` reaches from the first to the last.
LEVELS = tuple(Level(**level) for level in json.loads(FILE.read_text(encoding="utf-8"))["levels"])

#: The Skill Level that is full strength; those below it are the first of the levels.
FULL_SKILL = 20


def level_of_skill(skill: int, levels: Sequence[Level] = LEVELS) -> Level | None:
    """The level of a Skill Level; None for full strength."""
    return levels[skill] if skill < FULL_SKILL else None


def level_of_elo(elo: int, levels: Sequence[Level] = LEVELS) -> Level | None:
    """The level with this ``elo``, between the measured ones by interpolation; None for full strength, above them."""
    if elo <= levels[0].elo:
        return levels[0]
    for weaker, stronger in itertools.pairwise(levels):
        if elo <= stronger.elo:
            share = (elo - weaker.elo) / (stronger.elo - weaker.elo)
            nodes = math.exp((1 - share) * math.log(weaker.nodes) + share * math.log(stronger.nodes))
            noise, alert = (
                (1 - share) * getattr(weaker, name) + share * getattr(stronger, name) for name in ("noise", "alert")
            )
            return Level(round(nodes), noise, elo, alert)
    return None


def choose(scores: Sequence[int], noise: float, chance: random.Random) -> int:
    """The index of the line that seems best to a player who misjudges each of ``scores`` by ``noise`` or so."""
    seeming = [score - noise * math.log(-math.log(chance.random() or 0.5)) if noise else score for score in scores]
    return max(range(len(scores)), key=seeming.__getitem__)


def not_glaring(scores: Sequence[int], glances: Sequence[int]) -> list[int]:
    """The indices of the lines that do not give away at a glance what the first, the best one, keeps.

    ``scores`` are what the search found, ``glances`` what :func:`engine.play.glance.at_a_glance` says, both centipawns.
    The search has a say because a piece may be left hanging for a good reason. There is none to allow a mate in one,
    which a short search may have pruned.
    """
    sound = [index for index, glance in enumerate(glances) if glance > -MATE_IN_ONE] or list(range(len(glances)))
    best = sound[0]
    return [
        index
        for index in sound
        if index == best
        or scores[index] > scores[best] - GLARING_SCORE
        or glances[index] > glances[best] - GLARING_LOSS
    ]
