"""The sentences of the option ``Explain``: what the best move of an analysis does, and why the opponent's last move in
a game was bad. They need no search of their own."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from time import perf_counter

import chess

from engine.api.explaining import mate_moved
from engine.api.types import Analysis, analysis_of
from engine.explanation import Case, merit_of, reason_of, sentence
from engine.explanation.assessment import outlook
from engine.explanation.line import Line
from engine.explanation.verdicts import mark_of
from engine.messages import Info

STABLE_ITERATIONS = 2  # iterations for which a move must have been the best of an analysis before it is explained

#: Assumed cost of a game's first explanation in milliseconds, and the largest share of a move's time for one.
FIRST_COST_MS, LARGEST_SHARE = 20.0, 0.02


@dataclass(frozen=True, slots=True)
class Expectation:
    """The position after the engine's own move, and the line and score that it expected from there."""

    board: chess.Board
    found: Analysis


class Commentary:
    """Follows the searches of a conversation. ``say`` prints a sentence."""

    def __init__(self, say: Callable[[str], None]) -> None:
        self._say = say
        self._board = chess.Board()
        self._analyses = False
        self._last: Info | None = None
        self._iterations = 0  # for which the move of the last report has been the best
        self._explained = ""  # the move of the last sentence
        self._expected: Expectation | None = None
        self._cost_ms = FIRST_COST_MS

    def begin(self, board: chess.Board, analyses: bool) -> None:
        """Begin to follow a search of ``board``, for an analysis or for a move of a game."""
        self._board, self._analyses = board, analyses
        self._last, self._iterations, self._explained = None, 0, ""

    def follow(self, info: Info) -> None:
        """Read a report of the search; in an analysis, explain the best move once it is stable."""
        if info.score is None or info.score.bound or info.multipv != 1 or not info.pv:
            return
        last, self._last = self._last, info
        if last is None or info.pv[0] != last.pv[0]:
            self._iterations = 1
        elif info.depth > last.depth:
            self._iterations += 1
        if self._analyses and self._iterations >= STABLE_ITERATIONS and info.pv[0] != self._explained:
            self._explained = info.pv[0]
            found = analysis_of(info, self._board)
            claim = merit_of(self._board, found.pv, found.score)
            self._say(sentence(claim or outlook(Line.of(self._board, found.pv), found.score)))

    def end(self, bestmove: str) -> None:
        """End a search for a move of a game: explain the opponent's last move, if it was bad and time allows."""
        expected, last = self._expected, self._last
        self._expected = None
        if last is None or last.pv[0] != bestmove:
            return
        found = analysis_of(last, self._board)
        if expected is not None and self._cost_ms <= LARGEST_SHARE * last.time:
            began = perf_counter()
            self._explain_reply(expected, found)
            self._cost_ms = max(self._cost_ms, 1000 * (perf_counter() - began))
        if len(found.pv) > 1:
            after = self._board.copy()
            after.push(found.pv[0])
            score = mate_moved(found.score, self._board.turn, -1)
            self._expected = Expectation(after, replace(found, score=score, pv=found.pv[1:]))

    def _explain_reply(self, expected: Expectation, found: Analysis) -> None:
        """Say why the opponent's move in the expected position was bad, if it was."""
        before = self._board.copy()
        if not before.move_stack:
            return
        move = before.pop()
        if before.fen() != expected.board.fen() or move == expected.found.move:
            return
        case = Case(before, move, expected.found.pv, found.pv, expected.found.score, found.score, marked=True)
        if mark := mark_of(case.had, case.has, before.fullmove_number).glyph:
            claim = reason_of(case)
            if claim is not None:
                name = before.variation_san([move]).replace(". ", ".")
                self._say(f"{name}{mark} {sentence(claim)}")
