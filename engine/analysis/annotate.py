"""A game's moves, each with its evaluation and what was better, written into the game as a PGN carries them.

There are two passes. The first goes from the last position to the first, so that the engine, which keeps its table,
has seen what comes of a move before it meets it; if a played move turns out better than what the engine found, the
position before is worth what it led to. The second takes a longer look at every move that would get a mark: at the
position after it, and at all the other moves in its place. Only then does a move get a mark. Where the mark is for a
mate in a decided game, a third look makes sure that there was none before the move, or is none any more.
:mod:`engine.analysis.pace` says how long each look is.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import chess
import chess.pgn
from chess.engine import Limit, PovScore, Score

from engine.analysis import notes
from engine.analysis.judge import Grade, chances_on, cost, grade_of
from engine.analysis.lines import chances_text
from engine.analysis.pace import FIRST, SACRIFICE_LOOKS, Pace
from engine.analysis.praise import EQUAL, is_recapture, is_sacrifice, offered, praise
from engine.analysis.record import LINE, Found, Record, Verdict
from engine.api import Engine
from engine.api.types import Analysis
from engine.explanation import Case

#: Explains why a move was bad; it does not repeat the better line. None if there is no reason.
Explain = Callable[[Case], str | None]

#: Gets the part of a game's work that is done, and a function that writes the results so far into the game.
OnStep = Callable[[float, Callable[[], None]], None]

#: In reproducible runs the engine is reset after this many positions, counted from the end of the game (also in the
#: second pass); a continued run repeats the searches since the last reset, and so finds the same as a straight one.
GROUP = 8

#: A move that costs as much, in points, or more gets a second look.
_SUSPICIOUS = 0.04

#: Moves that are compared in place of a bad one.
_SEVERAL = 5


@dataclass(frozen=True, slots=True)
class Judged:
    """A position of a game and the move that led to it (none at the start).

    ``score`` is the position's; ``loss`` the expected points that the move cost its player; ``better`` the line
    that should have been played, empty if the move was fine; ``next_best`` what there was beside a move that is
    praised; ``also`` other moves nearly as good as the better one; ``why`` the move was bad, in words;
    ``book`` if the move is theory.
    """

    board: chess.Board
    score: PovScore
    move: chess.Move | None = None
    san: str = ""
    loss: float = 0.0
    grade: Grade = Grade.FINE
    better: tuple[chess.Move, ...] = ()
    next_best: tuple[chess.Move, ...] = ()
    also: tuple[chess.Move, ...] = ()
    why: str = ""
    book: bool = False


class Annotator:
    """Searches the positions of a game with ``engine`` and annotates the game.

    ``limit`` is for each position or, with ``whole_game``, for all of them. With plies or nodes, and one thread, the
    result depends neither on interruptions nor on the games before. ``explain`` gives the reasons for bad moves.
    """

    def __init__(
        self, engine: Engine, limit: Limit, label: str, whole_game: bool = False, explain: Explain | None = None
    ) -> None:
        self._engine = engine
        self._limit = limit
        self._label = label
        self._whole_game = whole_game
        self._explain = explain

    def annotate(self, game: chess.pgn.Game, on_step: OnStep = lambda done, write: None) -> list[Judged]:
        """Annotate the main line of ``game`` in place, up to a null move; returns its positions.

        Annotations under the same label are only read; a run ended by an exception is continued. After each search
        ``on_step`` gets the part of the work that is done and a function that writes the results into the game.
        Raises :class:`~engine.messages.PositionError` for a position that the engine refuses.
        """
        record = notes.read(game, self._label)
        if not record.finished:
            count = len(record.positions)
            pace = Pace.of(self._limit, count if self._whole_game else 1)
            if self._whole_game and pace.unit != "time":
                raise ValueError("a whole game can only be limited by time")

            bare = notes.Bare.of(game)

            def write() -> None:
                try:
                    notes.write(game, self._label, record, bare)
                except KeyboardInterrupt:  # half of the notes would pass for all
                    notes.write(game, self._label, record, bare)
                    raise

            try:
                _Run(self._engine, record, pace, self._explain, lambda done: on_step(done, write)).go()
                record.finished = True
            finally:
                write()
        return judged(record)


class _Run:
    """The two passes over one game."""

    def __init__(
        self, engine: Engine, record: Record, pace: Pace, explain: Explain | None, step: Callable[[float], None]
    ) -> None:
        self._engine = engine
        self._record = record
        self._pace = pace
        self._explain = explain
        self._step = step
        self._sacrifices: dict[int, bool] = {}

    def go(self) -> None:
        """Search whatever the record still lacks."""
        self._engine.new_game()
        for search in self._record.group:
            kind, where, amount = search.split(":")
            self._search(int(where), min(int(amount), self._pace.third()), others=kind == "others")
        count = len(self._record.positions)
        for at in reversed(range(count - self._record.looked())):
            self._first_look(at)
            self._step(FIRST * self._record.looked() / count)
        if self._record.pool is None:
            self._change_record([], pool=self._pace.pool(count))
            self._engine.new_game()
        done = FIRST
        while suspects := [at for at in range(count - 1) if self._is_suspect(at)]:
            self._second_look(suspects)
            settled = sum(found.settled for found in self._record.positions)
            done = max(done, FIRST + (1 - FIRST) * settled / (settled + len(suspects)))  # scores may raise new doubts
            self._step(done)
        for at, found in enumerate(self._record.positions):
            if found.verdict is not None and found.verdict.grade.bad and not found.verdict.also:
                self._find_more(at, found.verdict)

    # First pass

    def _first_look(self, at: int) -> None:
        self._forget()
        amount = self._pace.first()
        seen = self._search(at, amount)
        searches = [f"all:{at}:{amount}"]
        single = False
        if self._may_deserve_praise(at, seen):
            amount = self._pace.glance()
            single = self._stands_out(at, self._search(at, amount, others=True))
            searches.append(f"others:{at}:{amount}")
        self._change_record([*self._record.group, *searches], (at, seen), single=single)

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
        if found.settled or found.forced:
            return False
        return found.single or self._seems_bad(at)

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

    def _second_look(self, suspects: list[int]) -> None:
        """Search for the last of the ``suspects`` the position after it or, if that was done, the other moves."""
        positions, at = self._record.positions, suspects[-1]
        assert self._record.pool is not None
        missing = sum(self._worth(suspect) * (1 + (not positions[suspect + 1].solid)) for suspect in suspects)
        amount = self._pace.look(self._record.pool, missing, self._worth(at))
        self._forget()
        others = positions[at + 1].solid
        where = at if others else at + 1
        seen = self._search(where, amount, others)
        searches = [f"{'others' if others else 'all'}:{where}:{amount}"]
        verdict = self._verdict(at, seen) if others and self._is_sure(at, seen, searches) else None
        pool = self._record.pool
        pool -= amount if self._pace.unit != "depth" else 0
        facts = {"settled": True, "verdict": verdict} if others else {}
        self._change_record([*self._record.group, *searches], (where, seen), pool, solid=True, **facts)

    def _is_sure(self, at: int, other: Analysis, searches: list[str]) -> bool:
        """Whether the mark of the move at this position stays, ``other`` being the best other one.

        For a mate allowed or lost in a decided game it takes a third look, which is added to ``searches``.
        """
        board, (had, has) = self._record.positions[at].board, self._change(at, other)
        lost = had.is_mate()
        if not (lost or has.is_mate()) or grade_of(had, has) is not Grade.INACCURACY:
            return True
        where, amount = at + lost, self._pace.third()
        searches.append(f"{'all' if lost else 'others'}:{where}:{amount}")
        score = self._search(where, amount, others=not lost).score.pov(board.turn)
        return grade_of(*((had, score) if lost else (score, has))).bad

    def _change(self, at: int, other: Analysis) -> tuple[Score, Score]:
        """The score of the best ``other`` move at this position, and that of the move played, for its player."""
        turn, after = self._record.positions[at].board.turn, self._record.played(at)
        assert after is not None
        return other.score.pov(turn), after.pov(turn)

    def _verdict(self, at: int, other: Analysis) -> Verdict | None:
        """The verdict on the move at this position, ``other`` being the best other one."""
        found, after = self._record.positions[at], self._record.played(at)
        assert found.move is not None
        assert after is not None
        had, has = self._change(at, other)
        how = grade_of(had, has)
        if not how.bad and has >= had and not found.book:
            how = praise(found.board, found.move, has, had)
        elif not self._marks(at, how):
            how = Grade.FINE
        if how is Grade.FINE or not other.pv:
            return None
        reply = self._record.positions[at + 1]
        last = reply.move is None and not self._record.decisive
        seen = (found.board, other.score, False), (reply.board, after, last)
        why = None
        if how.bad and self._explain is not None:
            assert reply.score is not None
            why = self._explain(
                Case(found.board, found.move, other.pv, reply.line, other.score, reply.score, marked=True)
            )
        had_chances, has_chances = (chances_text(chances_on(*each)) for each in seen)
        chances = f"{had_chances}; now {has_chances}"
        if not how.bad:
            chances = f"It would have left {had_chances}; {found.board.san(found.move)} leaves {has_chances}"
        return Verdict(how, other.pv[:LINE], chances, " ".join((why or "").split()))

    # Afterwards

    def _find_more(self, at: int, verdict: Verdict) -> None:
        """Note the moves that a glance at several finds nearly as good as the better one.

        Each glance begins anew, so that the marks do not depend on it and an interrupted run repeats none.
        """
        found = self._record.positions[at]
        turn = found.board.turn
        moves = [move for move in found.board.legal_moves if move != found.move]
        self._engine.new_game()
        limit = self._pace.limit(self._pace.glance())
        lines = self._engine.analyse(found.board, limit, multipv=_SEVERAL, root_moves=moves)
        best = lines[0].score.pov(turn)
        fine = [line.pv[0] for line in lines if grade_of(best, line.score.pov(turn)) is Grade.FINE]
        found.verdict = replace(verdict, also=tuple(move for move in fine if move != verdict.instead[0]))

    # Both

    def _change_record(
        self, group: list[str], seen: tuple[int, Analysis] | None = None, pool: int | None = None, **facts: Any
    ) -> None:
        """Change the record: what was searched since the last reset, what was ``seen`` of a position with more
        ``facts`` about it, what is left in the pool. All or nothing, although Ctrl-C may come at any moment."""

        def change() -> None:
            self._record.group = group if self._pace.repeatable else []
            self._record.pool = self._record.pool if pool is None else pool
            if seen is not None:
                at, line = seen
                for name, value in facts.items():
                    setattr(self._record.positions[at], name, value)
                self._record.put(at, line.score, line.depth, line.pv)

        try:
            change()
        except KeyboardInterrupt:
            change()
            raise

    def _search(self, at: int, amount: int, others: bool = False) -> Analysis:
        """Search position ``at``; with ``others`` all moves but the one that was played."""
        found = self._record.positions[at]
        moves = [move for move in found.board.legal_moves if move != found.move] if others else None
        return self._engine.analyse(found.board, self._pace.limit(amount), root_moves=moves)

    def _forget(self) -> None:
        """Reset the engine at the end of a group of searches."""
        if self._pace.repeatable and len({search.split(":")[1] for search in self._record.group}) >= GROUP:
            self._record.group = []
            self._engine.new_game()


def judged(record: Record) -> list[Judged]:
    """The positions of a finished record, each with the move that led to it."""
    result: list[Judged] = []
    before: Found | None = None
    for at, found in enumerate(record.positions):
        assert found.score is not None
        if before is None or before.move is None:
            result.append(Judged(found.board, found.score))
        else:
            verdict = before.verdict
            how = verdict.grade if verdict else Grade.FINE
            line = verdict.instead if verdict else ()
            loss = record.cost(at - 1)
            result.append(
                Judged(
                    found.board,
                    found.score,
                    before.move,
                    before.board.san(before.move),
                    loss if how.bad or not record.grade(at - 1).bad else 0.0,
                    how,
                    line if how.bad else (),
                    () if how.bad else line,
                    verdict.also if verdict else (),
                    verdict.why if verdict else "",
                    before.book,
                )
            )
        before = found
    return result
