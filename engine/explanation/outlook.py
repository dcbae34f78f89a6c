"""What a position is like where nothing happens at once: the best move, who stands better, and what speaks for whom."""

from __future__ import annotations

import chess
from chess.engine import PovScore

from engine.explanation.comparison import STANDS, level
from engine.explanation.lasting import advantages
from engine.explanation.line import Line
from engine.explanation.reasons import expectation
from engine.explanation.words import side

#: Expected points by which the next best move may fall short to be hardly worse, and from which it is clearly so.
HARDLY, CLEARLY = 0.01, 0.22


def outlook(line: Line, score: PovScore, other: tuple[chess.Move, PovScore] | None = None) -> str:
    """The first move of the best ``line`` against the ``other``, next best one with its score, how the game stands,
    and what speaks for each side.

    >>> from chess.engine import Cp
    >>> board = chess.Board("4k3/p4ppp/8/8/8/8/PPP3PP/4K3 w - - 0 1")
    >>> line = Line.of(board, [chess.Move.from_uci(move) for move in ("e1e2", "e8e7", "e2e3", "e7e6")])
    >>> outlook(line, PovScore(Cp(150), chess.WHITE))
    'Ke2 is the best move; White is clearly better. White is a pawn up and has a passed pawn.'
    """
    board = line.boards[0]
    stands = level(expectation(score.white(), board.fullmove_number))
    standing = f"{side(stands > 0)} {STANDS[abs(stands)]}" if stands else "the game is about even"
    facts = advantages(line)
    against = stands and set(facts) == {stands < 0}
    return f"{_choice(line, score, other)}; {standing}{', although' if against else '.'} {_sentence(facts)}".rstrip()


def _choice(line: Line, score: PovScore, other: tuple[chess.Move, PovScore] | None) -> str:
    board, san = line.boards[0], line.san(0)
    if board.legal_moves.count() == 1:
        return f"{san} is the only move"
    if other is None:
        return f"{san} is the best move"
    best, next_best = (expectation(each.pov(board.turn), board.fullmove_number) for each in (score, other[1]))
    if best - next_best <= HARDLY:
        return f"{san} is the best move, {board.san(other[0])} is hardly worse"
    return f"{san} is {'clearly ' if best - next_best >= CLEARLY else ''}the best move"


def _sentence(facts: dict[chess.Color, str]) -> str:
    text = "; ".join(f"{side(color)} {clauses}" for color, clauses in facts.items())
    return f"{text}." if text else ""
