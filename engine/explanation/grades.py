"""The grades of moves, by lichess.org's curve and rules, for people: the one scale of marks, praise and reasons."""

import math
from enum import Enum

from chess.engine import Cp, Score


def human_expectation(score: Score) -> float:
    """The expected points, from 0 to 1, when humans play on from ``score``, by lichess.org's curve.

    >>> from chess.engine import Cp
    >>> human_expectation(Cp(100))
    0.591
    """
    return score.wdl(model="lichess").expectation()


def to_stockfish_centipawns(score: Score) -> Score:
    """``score`` in Stockfish's centipawns, for which lichess.org's curve was made. Near equality they are about twice
    the engine's own, far from it fewer.

    >>> from chess.engine import Cp, Mate
    >>> [to_stockfish_centipawns(score) for score in (Cp(50), Cp(-300), Cp(1500), Mate(3))]
    [Cp(+101), Cp(-412), Cp(+805), Mate(+3)]
    """
    own = score.score()
    return score if own is None else Cp(round(_STOCKFISH_SCALE_CP * math.asinh(own / _OWN_SCALE_CP)))


_STOCKFISH_SCALE_CP, _OWN_SCALE_CP = 250, 120  # fitted to scores of both engines on positions of games


def points(score: Score) -> float:
    """The expected points, from 0 to 1, by lichess.org's curve, when people play on from ``score``."""
    return human_expectation(to_stockfish_centipawns(score))


def cost(before: Score, after: Score) -> float:
    """The :func:`points` that a move cost: it led from ``before`` to ``after``, both from its player's view. 0 for a
    gain.

    >>> from chess.engine import Cp
    >>> cost(Cp(0), Cp(-50)), cost(Cp(700), Cp(500)), cost(Cp(0), Cp(30))
    (0.092, 0.029, 0.0)
    """
    return max(0.0, round(points(before) - points(after), 3))


#: Stockfish's centipawns beyond which a game is nearly decided without a mate, and decided (lichess.org).
_NEARLY_DECIDED_CP, _DECIDED_CP = 700, 999


class Grade(Enum):
    """How bad or good a move was: its word, its numeric annotation glyph (NAG), and the points it costs at least. The
    three bad grades are those of lichess.org. Which moves get the others: :mod:`engine.analysis.praise`."""

    FINE = ("", None, 0.0)
    INACCURACY = ("inaccuracy", 6, 0.05)
    MISTAKE = ("mistake", 2, 0.10)
    BLUNDER = ("blunder", 4, 0.15)
    BRILLIANT = ("brilliant move", 3, 0.0)
    GOOD = ("good move", 1, 0.0)
    ONLY = ("only move", 7, 0.0)
    UNCLEAR = ("unclear move", 13, 0.0)

    def __init__(self, word: str, nag: int | None, loss: float) -> None:
        self.word = word
        self.nag = nag
        self.loss = loss

    @property
    def glyph(self) -> str:
        """The annotation symbol: ?!, ?, ??, !, !!, □ for the only move, ∞ for an unclear one."""
        return {None: "", 6: "?!", 2: "?", 4: "??", 1: "!", 3: "!!", 7: "□", 13: "∞"}[self.nag]

    @property
    def words(self) -> str:
        return f"{self.word[:-1]}ies" if self.word.endswith("y") else f"{self.word}s"

    @property
    def bad(self) -> bool:
        return self.loss > 0


def grade_of(before: Score, after: Score) -> Grade:
    """The grade of a move that led from ``before`` to ``after``, both from its player's view."""
    return lichess_grade(to_stockfish_centipawns(before), to_stockfish_centipawns(after))


def lichess_grade(before: Score, after: Score) -> Grade:
    """The grade that lichess.org gives a move (lila: Advice.scala) that led from ``before`` to ``after``, both from its
    player's view and in Stockfish's centipawns.

    If either is a mate, a move that allows a mate, or loses one, is a blunder; a mistake or an inaccuracy if the game
    is nearly decided or decided anyway. A slower mate is fine.

    >>> from chess.engine import Cp, Mate
    >>> lichess_grade(Cp(-850), Mate(-2)).word, lichess_grade(Mate(3), Cp(1200)).word
    ('mistake', 'inaccuracy')
    >>> lichess_grade(Mate(2), Mate(5)) is Grade.FINE
    True
    """
    if before.mate() is None and after.mate() is None:
        return grade(round(human_expectation(before) - human_expectation(after), 3))
    if after > before or (before.is_mate() and after.is_mate() and (before > Cp(0)) == (after > Cp(0))):
        return Grade.FINE
    decided = after.score() if before > Cp(0) else -(before.score() or 0)
    if decided is None or decided <= _NEARLY_DECIDED_CP:
        return Grade.BLUNDER
    return Grade.INACCURACY if decided > _DECIDED_CP else Grade.MISTAKE


def grade(loss: float) -> Grade:
    """The grade of a move that lost ``loss`` expected points; praise takes more than a loss of nothing.

    >>> grade(0.12).word, grade(0.2).glyph, grade(-0.01) is Grade.FINE
    ('mistake', '??', True)
    """
    bad = [found for found in Grade if found.bad and loss >= found.loss]
    return max(bad, key=lambda found: found.loss, default=Grade.FINE)
