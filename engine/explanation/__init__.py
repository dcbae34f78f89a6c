"""Explains in one or two sentences why a move is bad, or what a good one does, from the engine's lines.

Needs python-chess, the lines and their scores, but no engine, so it stands below :mod:`engine.api`. Within
:func:`engine.explanation.effort.counted` its steps are counted, and another thread can stop it.

:mod:`.reasons` and :mod:`.merits` choose a claim, a record of :mod:`.facts`, from the :mod:`.themes`, the material, the
terms of the evaluation and the scores; :mod:`.english` puts it into words.
"""

from __future__ import annotations

from collections.abc import Sequence

import chess
from chess.engine import PovScore

from engine.explanation.english import sentence
from engine.explanation.facts import Reason
from engine.explanation.merits import merit as merit_of
from engine.explanation.reasons import reason_of
from engine.explanation.tables import Tables

__all__ = ["Reason", "Tables", "explain", "merit_of", "reason_of", "sentence"]


def explain(
    board: chess.Board,
    move: chess.Move,
    best_line: Sequence[chess.Move],
    reply_line: Sequence[chess.Move],
    best_score: PovScore,
    played_score: PovScore,
    tables: Tables | None = None,
    marked: bool = False,
    skip_better: bool = False,
) -> str | None:
    """Why ``move`` on ``board`` is bad, in a sentence or two; None if it is not.

    ``best_line`` begins with the better move and ``reply_line`` with the reply to ``move``, or with ``move`` itself;
    ``best_score`` and ``played_score`` are the scores of ``board`` and of the position after ``move``. ``tables`` looks
    boards up in the tablebases. A move that is ``marked`` as bad always gets an explanation, however little it costs.
    ``skip_better`` omits the better move if it would be the only explanation. Raises
    :class:`~engine.messages.PositionError` for a position that the engine refuses.

    >>> from chess.engine import Cp
    >>> board = chess.Board("4r1k1/5ppp/8/3n4/8/5B2/5PPP/3R2K1 b - - 0 1")
    >>> move, better = board.parse_san("Re5"), board.parse_san("Nf6")
    >>> reply = [chess.Move.from_uci("f3d5"), chess.Move.from_uci("e5d5"), chess.Move.from_uci("d1d5")]
    >>> scores = PovScore(Cp(0), chess.BLACK), PovScore(Cp(800), chess.WHITE)
    >>> explain(board, move, [better], reply, *scores)
    'Loses the rook on e5: Bxd5 Rxd5 Rxd5.'
    """
    found = reason_of(board, move, best_line, reply_line, best_score, played_score, tables, marked)
    return sentence(found, skip_better) if found else None
