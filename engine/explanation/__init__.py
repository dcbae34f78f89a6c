"""Explains in one or two sentences why a move is bad, or what a good one does, from the engine's lines.

Needs python-chess, the lines and their scores, but no search, so it is below :mod:`engine.api`. Within
:func:`engine.explanation.effort.count_steps` its steps are counted, and another thread can stop it.

:mod:`.mistakes` and :mod:`.good_moves` choose a claim, a record of :mod:`.claims`, from the :mod:`.themes`, the
:mod:`.material_won` and the scores (:mod:`.verdicts`); :mod:`.english` puts it into words, and :mod:`.serialization`
into JSON. :mod:`.assessment` describes a quiet position, and :mod:`.grades` marks moves."""

from engine.explanation.claims import Case, Claim, Tables
from engine.explanation.effort import count_steps
from engine.explanation.english import sentence
from engine.explanation.good_moves import merit_of, praise_of
from engine.explanation.mistakes import reason_of
from engine.explanation.serialization import from_json, to_json

__all__ = [
    "Case",
    "Claim",
    "Tables",
    "explain",
    "from_json",
    "merit_of",
    "praise_of",
    "reason_of",
    "sentence",
    "to_json",
]


def explain(case: Case, tables: Tables | None = None) -> Claim | None:
    """Why the move is bad or, if it is at least as good as the other one, good. See :func:`reason_of` and
    :func:`praise_of`.

    >>> import chess
    >>> from chess.engine import Cp, PovScore
    >>> board = chess.Board("4r1k1/5ppp/8/3n4/8/5B2/5PPP/3R2K1 b - - 0 1")
    >>> move, better = board.parse_san("Re5"), board.parse_san("Nf6")
    >>> reply = [chess.Move.from_uci("f3d5"), chess.Move.from_uci("e5d5"), chess.Move.from_uci("d1d5")]
    >>> scores = PovScore(Cp(0), chess.BLACK), PovScore(Cp(800), chess.WHITE)
    >>> sentence(explain(Case(board, move, [better], reply, *scores)))
    'Loses the rook on e5: 2.Bxd5 Rxd5 3.Rxd5.'
    """
    with count_steps():
        return reason_of(case, tables) if case.has < case.had else praise_of(case, tables)
