"""A game's moves, each with its evaluation and, where it deserves a mark, the better or next best line.

There are two passes. The first goes from the last position to the first, so that the engine, which keeps its table,
has seen what comes of a move before it meets it; if a played move turns out better than what the engine found, the
position before is worth what it led to. The second takes a longer look at every move that would get a mark: at the
position after it, and at all the other moves in its place. Only then does a move get a mark. Where the mark is for a
mate in a decided game, a third look makes sure that there was none before the move, or is none any more.
:mod:`engine.analysis.pace` says how long each look is.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import chess.pgn
from chess.engine import Limit, Score

from engine.analysis.judge import Grade, cost, grade_of
from engine.analysis.pace import FIRST, SACRIFICE_LOOKS, Pace
from engine.analysis.praise import EQUAL, is_recapture, is_sacrifice, offered, praise
from engine.analysis.record import LINE, Mark, Record
from engine.api import Engine
from engine.api.types import Analysis
from engine.explanation import Case, Claim

#: Explains why a move was bad; None if there is no reason.
Explain = Callable[[Case], Claim | None]

#: Gets the part of a game's work that is done.
OnStep = Callable[[float], None]

#: A move that costs as much, in points, or more gets a second look.
_SUSPICIOUS = 0.04

#: Moves that are compared in place of a bad one.
_SEVERAL = 5


class Annotator:
    """Searches the positions of games with ``engine``.

    ``limit`` is for each position or, with ``whole_game``, for all of them. With plies or nodes, and one thread, the
    result does not depend on the games before. ``explain`` gives the reasons for bad moves.
    """

    def __init__(self, engine: Engine, limit: Limit, whole_game: bool = False, explain: Explain | None = None) -> None:
        self._engine = engine
        self._limit = limit
        self._whole_game = whole_game
        self._explain = explain

    def annotate(self, game: chess.pgn.Game, on_step: OnStep = lambda done: None) -> Record:
        """Search the main line of ``game`` up to a null move; ``on_step`` is called after each search.

        Raises :class:`~engine.messages.PositionError` for a position that the engine refuses.
        """
        record = Record.of(game)
        pace = Pace.of(self._limit, len(record.positions) if self._whole_game else 1)
        if self._whole_game and pace.unit != "time":
            raise ValueError("a whole game can only be limited by time")
        _Run(self._engine, record, pace, self._explain, on_step).go()
        return record


class _Run:
    """The two passes over one game. ``pool`` is the budget left for second looks, ``suspects`` the positions whose
    moves need one."""

    def __init__(self, engine: Engine, record: Record, pace: Pace, explain: Explain | None, on_step: OnStep) -> None:
        self._engine = engine
        self._record = record
        self._pace = pace
        self._explain = explain
        self._on_step = on_step
        self._pool = pace.pool(len(record.positions))
        self._suspects: set[int] = set()
        self._sacrifices: dict[int, bool] = {}

    def go(self) -> None:
        """Search all positions, and mark the moves."""
        self._engine.new_game()
        positions = self._record.positions
        todo = [at for at in reversed(range(len(positions))) if positions[at].score is None]
        for number, at in enumerate(todo, 1):
            self._first_look(at)
            self._on_step(FIRST * number / len(todo))
        self._engine.new_game()
        self._suspects = {at for at in range(len(positions) - 1) if self._is_suspect(at)}
        done, reviewed = FIRST, 0
        while count := len(self._suspects):
            reviewed += self._second_look(max(self._suspects))
            part = reviewed / (reviewed + count)
            done = max(done, FIRST + (1 - FIRST) * part)  # scores may raise new doubts
            self._on_step(done)
        for at, found in enumerate(positions):
            if found.mark is not None and found.mark.grade.bad:
                self._find_more(at, found.mark)

    # First pass

    def _first_look(self, at: int) -> None:
        seen = self._search(at, self._pace.first())
        if self._may_deserve_praise(at, seen):
            other = self._search(at, self._pace.glance(), others=True)
            self._record.positions[at].outstanding = self._stands_out(at, other)
        self._put(at, seen)

    def _may_deserve_praise(self, at: int, seen: Analysis) -> bool:
        """Whether the move at this position is good, and neither theory nor obvious."""
        found, after = self._record.positions[at], self._record.played(at)
        if found.move is None or after is None or found.book or found.forced:
            return False
        if self._record.positions[at + 1].board.is_checkmate():
            return False
        turn = found.board.turn
        is_choice = seen.pv[:1] == (found.move,)  # then it costs nothing, even if two searches disagree
        if not is_choice and cost(seen.score.pov(turn), after.pov(turn)) > EQUAL:
            return False
        return not is_recapture(found.board, found.move) and (
            not found.board.is_capture(found.move) or offered(found.board, found.move) > -1
        )

    def _stands_out(self, at: int, other: Analysis) -> bool:
        """Whether the move at this position seems to deserve praise, ``other`` being the best other one."""
        found, (had, has) = self._record.positions[at], self._change(at, other)
        assert found.move is not None
        return praise(found.board, found.move, has, had) is not Grade.FINE

    # Second pass

    def _is_suspect(self, at: int) -> bool:
        """Whether the move at this position would get a mark, and has had no second look."""
        found = self._record.positions[at]
        if found.reviewed or found.forced:
            return False
        return found.outstanding or self._seems_bad(at)

    def _seems_bad(self, at: int) -> bool:
        """Whether a longer look may give the move at this position a bad mark."""
        return self._marks(at, self._record.grade(at)) or self._record.cost(at) >= _SUSPICIOUS

    def _marks(self, at: int, how: Grade) -> bool:
        """Whether the move at this position gets the bad mark ``how``; a book move only for more than an inaccuracy."""
        return how.bad and not (self._record.positions[at].book and how is Grade.INACCURACY)

    def _worth(self, at: int) -> int:
        """How many second looks the move at this position is worth."""
        if not self._seems_bad(at):
            return 1
        if at not in self._sacrifices:
            found = self._record.positions[at]
            assert found.move is not None
            self._sacrifices[at] = is_sacrifice(found.board, found.move)
        return SACRIFICE_LOOKS if self._sacrifices[at] else 1

    def _second_look(self, at: int) -> bool:
        """Search the position after the suspected move or, if that was done, the other moves; returns whether the
        move was compared with them."""
        positions = self._record.positions
        missing = sum(self._worth(each) * (1 + (not positions[each + 1].deep)) for each in self._suspects)
        amount = self._pace.look(self._pool, missing, self._worth(at))
        self._pool -= amount if self._pace.unit != "depth" else 0
        others = positions[at + 1].deep
        where = at if others else at + 1
        seen = self._search(where, amount, others)
        if others:
            positions[at].mark = self._mark(at, seen) if self._is_sure(at, seen) else None
            positions[at].reviewed = True
        positions[where].deep = True
        self._put(where, seen)
        return others

    def _is_sure(self, at: int, other: Analysis) -> bool:
        """Whether the mark of the move at this position stays, ``other`` being the best other one.

        For a mate allowed or lost in a decided game it takes a third look.
        """
        board, (had, has) = self._record.positions[at].board, self._change(at, other)
        lost = had.is_mate()
        if not (lost or has.is_mate()) or grade_of(had, has) is not Grade.INACCURACY:
            return True
        score = self._search(at + lost, self._pace.third(), others=not lost).score.pov(board.turn)
        return grade_of(*((had, score) if lost else (score, has))).bad

    def _change(self, at: int, other: Analysis) -> tuple[Score, Score]:
        """The score of the best ``other`` move at this position, and that of the move played, for its player."""
        turn, after = self._record.positions[at].board.turn, self._record.played(at)
        assert after is not None
        return other.score.pov(turn), after.pov(turn)

    def _mark(self, at: int, other: Analysis) -> Mark | None:
        """The mark of the move at this position, ``other`` being the best other one."""
        found = self._record.positions[at]
        assert found.move is not None
        had, has = self._change(at, other)
        how = grade_of(had, has)
        if not how.bad and has >= had and not found.book:
            how = praise(found.board, found.move, has, had)
        elif not self._marks(at, how):
            how = Grade.FINE
        if how is Grade.FINE or not other.pv:
            return None
        why = None
        if how.bad and self._explain is not None:
            reply = self._record.positions[at + 1]
            assert reply.score is not None
            board = self._record.board(at)
            why = self._explain(Case(board, found.move, other.pv, reply.line, other.score, reply.score, marked=True))
        return Mark(how, other.pv[:LINE], other.score, why=why)

    # Afterwards

    def _find_more(self, at: int, mark: Mark) -> None:
        """Note the moves that a glance at several finds nearly as good as the better one; the marks do not depend on
        it."""
        found = self._record.positions[at]
        turn = found.board.turn
        moves = [move for move in found.board.legal_moves if move != found.move]
        limit = self._pace.limit(self._pace.glance())
        lines = self._engine.analyse(self._record.board(at), limit, multipv=_SEVERAL, root_moves=moves)
        best = lines[0].score.pov(turn)
        fine = [line.pv[0] for line in lines if grade_of(best, line.score.pov(turn)) is Grade.FINE]
        found.mark = replace(mark, also=tuple(move for move in fine if move != mark.instead[0]))

    # Both

    def _put(self, at: int, seen: Analysis) -> None:
        """Put the result of a search into the record, and find out which moves it makes suspect."""
        changed = self._record.put(at, seen.score, seen.depth, seen.pv)
        for each in range(max(0, changed.start - 1), min(changed.stop, len(self._record.positions) - 1)):
            (self._suspects.add if self._is_suspect(each) else self._suspects.discard)(each)

    def _search(self, at: int, amount: int, others: bool = False) -> Analysis:
        """Search position ``at``; with ``others`` all moves but the one that was played."""
        found = self._record.positions[at]
        moves = [move for move in found.board.legal_moves if move != found.move] if others else None
        return self._engine.analyse(self._record.board(at), self._pace.limit(amount), root_moves=moves)
