"""Playing weaker on purpose, in the way people do: seeing less, and misjudging what is seen.

A level searches few nodes, so that it overlooks what lies deeper, and looks at several lines instead of one. To each
line's score comes a random misjudgement, and the line that then seems best is played. The misjudgements follow
Gumbel's distribution, which makes the chance of a move an exponential function of its score: near-equal moves are
played about as often, a slightly worse one now and then, a blunder hardly ever (the softmax choice of Luce, 1959).

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

FILE = Path(__file__).with_name("strength.json")

#: A level with misjudgements chooses from two lines at least, and from six at most: one more for each so many
#: centipawns of misjudgement, because a line that is much worse than the best would hardly ever seem to be better.
FEWEST_LINES, MOST_LINES, CENTIPAWNS_A_LINE = 2, 6, 12


@dataclass(frozen=True, slots=True)
class Level:
    """How a level plays: ``nodes`` for each move, ``noise`` the scale of its misjudgements in centipawns of the
    evaluation, ``elo`` its measured strength."""

    nodes: int
    noise: float
    elo: float

    @property
    def lines(self) -> int:
        """Lines to search."""
        return min(FEWEST_LINES + int(self.noise / CENTIPAWNS_A_LINE), MOST_LINES) if self.noise > 0 else 1


#: The levels of the option Skill Level, weakest first; one more than the last is full strength.
LEVELS = tuple(Level(**level) for level in json.loads(FILE.read_text(encoding="utf-8"))["levels"])


def level_of_skill(skill: int, levels: Sequence[Level] = LEVELS) -> Level | None:
    """The level of a Skill Level; None for full strength."""
    return levels[skill] if skill < len(levels) else None


def level_of_elo(elo: int, levels: Sequence[Level] = LEVELS) -> Level | None:
    """The level with this ``elo``, between the measured ones by interpolation; None for full strength, above them."""
    if elo <= levels[0].elo:
        return levels[0]
    for weaker, stronger in itertools.pairwise(levels):
        if elo <= stronger.elo:
            share = (elo - weaker.elo) / (stronger.elo - weaker.elo)
            nodes = math.exp((1 - share) * math.log(weaker.nodes) + share * math.log(stronger.nodes))
            return Level(round(nodes), (1 - share) * weaker.noise + share * stronger.noise, elo)
    return None


def choose(scores: Sequence[int], noise: float, chance: random.Random) -> int:
    """The index of the line that seems best to a player who misjudges each of ``scores`` by ``noise`` or so."""
    seeming = [score - noise * math.log(-math.log(chance.random() or 0.5)) if noise else score for score in scores]
    return max(range(len(scores)), key=seeming.__getitem__)
