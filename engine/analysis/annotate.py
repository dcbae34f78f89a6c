"""A game's moves, each with its evaluation and, where it deserves a mark, the better or next best line.

There are three passes. The first goes from the last position to the first, so that the engine, which keeps its table,
already has the continuation of a move in it; if a played move turns out better than the engine's choice, the position
before is worth what it led to. The second searches longer for every move that would get a mark: the position after it,
and all the other moves in its place. The third confirms each mark from an empty table, by a search of the move played
and one of the better move from the position before, with the same limit. If they deny a mistake, a blunder, "!" or
"!!", and for a mate in a decided game or a sacrifice that may be better than it seems, longer searches of the move
played and of all others decide. A mark lies between the two verdicts, and praise is the fainter one.
:mod:`engine.analysis.budget` says how long each search is."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import chess
import chess.pgn
from chess.engine import Cp, Limit, Score

from engine.analysis.budget import FIRST, SACRIFICE_LOOKS, SECOND, AnalysisBudget
from engine.analysis.praise import EQUAL, is_recapture, praise
from engine.analysis.record import LINE, Findings, Mark
from engine.api import Engine
from engine.api.types import Analysis
from engine.explanation import Case, Claim, to_json
from engine.explanation.grades import Grade, cost, grade_of, points
from engine.explanation.sacrifices import offered, sacrificed

#: Explains a move that gets a mark; None if there is no reason.
Explain = Callable[[Case], Claim | None]

#: Gets the part of a game's work that is done.
OnStep = Callable[[float], None]

#: A move that costs as much, in points, or more gets a second search.
_SUSPICIOUS = 0.04

#: A move that costs less, in points, is called as good as the better one: with more, too many are inaccuracies to
#: another engine.
_AS_GOOD = 0.005

#: The points that an inaccuracy costs on the average of two searches; with less, too many are none to another engine.
_SURE = 0.07

#: Moves that are compared with the better one.
_SEVERAL = 3

#: Centipawns of compensation that a sacrifice may have beyond what a search sees of it.
_DOUBT = 150

#: The expected points with the best move below which no inaccuracy is marked, and no other move is called good.
_LOST = 0.15

#: Grades of moves, in a short search, that may be as good as the best.
_NEAR = (Grade.FINE, Grade.INACCURACY)

#: Marks for a mate that is allowed or missed in a game that is decided anyway: only a longer search decides on them.
_SMALL = (Grade.INACCURACY, Grade.MISTAKE)

#: Marks that a longer search decides on if a fresh one denies them.
_SERIOUS = (Grade.MISTAKE, Grade.BLUNDER, Grade.BRILLIANT, Grade.GOOD)

#: Grades from the worst to the best.
_ORDER = (Grade.BLUNDER, Grade.MISTAKE, Grade.INACCURACY, Grade.FINE, Grade.ONLY, Grade.GOOD, Grade.BRILLIANT)


class Annotator:
    """Searches the positions of games with ``engine``. ``limit`` is for each position or, with ``whole_game``, for all
    of them. With plies or nodes, and one thread, the result does not depend on the games before. ``explain`` gives the
    reasons for marks."""

    def __init__(self, engine: Engine, limit: Limit, whole_game: bool = False, explain: Explain | None = None) -> None:
        self._engine = engine
        self._limit = limit
        self._whole_game = whole_game
        self._explain = explain

    def annotate(self, game: chess.pgn.Game, on_step: OnStep = lambda done: None) -> Findings:
        """Search the main line of ``game`` up to a null move; ``on_step`` is called after each search. Raises
        :class:`~engine.messages.PositionError` for a position that the engine refuses."""
        record = Findings.of(game)
        budget = AnalysisBudget.of(self._limit, len(record.positions) if self._whole_game else 1)
        if self._whole_game and budget.unit != "time":
            raise ValueError("a whole game can only be limited by time")
        _Run(self._engine, record, budget, self._explain, on_step).go()
        return record


class _Run:
    """The passes over one game. ``pool`` is the amount left for second searches; ``suspects`` are the positions whose
    moves need some, with their numbers, which add up to ``missing``; ``amounts`` the limits of those that were made."""

    def __init__(
        self, engine: Engine, record: Findings, budget: AnalysisBudget, explain: Explain | None, on_step: OnStep
    ) -> None:
        self._engine = engine
        self._record = record
        self._budget = budget
        self._explain = explain
        self._on_step = on_step
        self._pool = budget.pool(len(record.positions))
        self._suspects: dict[int, int] = {}
        self._missing = 0
        self._sacrifices: dict[int, bool] = {}
        self._amounts: dict[int, int] = {}

    def go(self) -> None:
        """Search all positions, and mark the moves."""
        self._engine.new_game()
        positions = self._record.positions
        todo = [at for at in reversed(range(len(positions))) if positions[at].score is None]
        for number, at in enumerate(todo, 1):
            self._first_search(at)
            self._on_step(FIRST * number / len(todo))
        self._engine.new_game()
        done, reviewed = FIRST, 0
        while self._suspects:
            reviewed += self._second_search(max(self._suspects))
            part = reviewed / (reviewed + len(self._suspects)) if self._suspects else 1.0
            done = max(done, FIRST + SECOND * part)  # scores may raise new doubts
            self._on_step(done)
        # from the last, because the reason for a mark names the reply, which confirming a mark of the reply may change
        marked = [at for at in reversed(range(len(positions))) if positions[at].mark is not None]
        confirmed: dict[tuple[str, chess.Move | None, bool], Mark | None] = {}
        for number, at in enumerate(marked, 1):
            again = positions[at].board.epd(), positions[at].move, positions[at + 1].drawn
            if again not in confirmed:
                confirmed[again] = self._confirm(at)
            positions[at].mark = confirmed[again]
            self._on_step(done + (1 - done) * number / len(marked))

    # First pass

    def _first_search(self, at: int) -> None:
        seen = self._search(at, self._budget.first())
        if self._may_deserve_praise(at, seen):
            other = self._search(at, self._budget.glance(), others=True)
            found, (had, has) = self._record.positions[at], self._change(at, other)
            assert found.move is not None
            found.outstanding = praise(found.board, found.move, has, had) is not Grade.FINE
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

    # Second pass

    def _seems_bad(self, at: int) -> bool:
        """Whether a longer search may give the move at this position a bad mark."""
        return self._record.grade(at).bad or self._record.cost(at) >= _SUSPICIOUS

    def _worth(self, at: int) -> int:
        """How many second searches the move at this position is worth."""
        if not self._seems_bad(at):
            return 1
        if at not in self._sacrifices:
            found = self._record.positions[at]
            assert found.move is not None
            self._sacrifices[at] = bool(sacrificed(found.board, found.move))
        return SACRIFICE_LOOKS if self._sacrifices[at] else 1

    def _second_search(self, at: int) -> bool:
        """Search the position after the suspected move or, if that was done, the other moves; returns whether the
        move was compared with them."""
        positions = self._record.positions
        amount = self._budget.look(self._pool, self._missing, self._worth(at))
        self._pool -= amount if self._budget.unit != "depth" else 0
        others = positions[at + 1].deep
        where = at if others else at + 1
        seen = self._search(where, amount, others)
        self._amounts[at] = max(amount, self._amounts.get(at, 0))
        if others:
            positions[at].mark = self._mark(at, seen)
            positions[at].reviewed = True
        positions[where].deep = True
        self._put(where, seen)
        return others

    def _change(self, at: int, other: Analysis | Mark) -> tuple[Score, Score]:
        """The score of the best ``other`` move at this position, and that of the move played, for its player."""
        turn, after = self._record.positions[at].board.turn, self._record.played(at)
        assert after is not None
        return other.score.pov(turn), after.pov(turn)

    def _mark(self, at: int, other: Analysis) -> Mark | None:
        """The mark of the move at this position, ``other`` being the best other one."""
        how = self._grade(at, *self._change(at, other))
        return None if how is Grade.FINE or not other.pv else Mark(how, other.pv[:LINE], other.score)

    def _grade(self, at: int, had: Score, has: Score) -> Grade:
        """The grade of the move at this position, whose player ``had`` this score with the best other move."""
        found = self._record.positions[at]
        assert found.move is not None
        how = grade_of(had, has)
        if how is Grade.INACCURACY and (found.book or (points(had) < _LOST and not has.is_mate())):
            return Grade.FINE
        if how.bad:
            return how
        return Grade.FINE if found.book else praise(found.board, found.move, has, had)

    # Third pass

    def _confirm(self, at: int) -> Mark | None:
        """The mark of the move at this position, if a search of this move and one of the best other move agree."""
        found = self._record.positions[at]
        mark = found.mark
        assert mark is not None
        assert found.move is not None
        seemed = self._change(at, mark)
        doubtful, least = self._is_doubtful(at, *seemed), Grade.INACCURACY
        late_mate = mark.grade in _SMALL and any(score.is_mate() for score in seemed)
        for longer in (False, True)[doubtful or late_mate :]:
            other, played = self._compare(at, mark, longer)
            had, has = other.score.pov(found.board.turn), played.score.pov(found.board.turn)
            how = self._grade(at, had, has)
            agreed = how is not Grade.FINE and how.bad == mark.grade.bad
            doubtful = doubtful or self._is_doubtful(at, had, has)
            if (agreed and not doubtful) or mark.grade not in _SERIOUS:
                break
            least = Grade.MISTAKE  # one search has denied it
        if not agreed or (how.bad and how.loss < least.loss):
            return None
        if doubtful and how.bad and grade_of(had, _with(has, _DOUBT // 3)) is not Grade.BLUNDER:
            return None
        both = _ORDER.index(mark.grade), _ORDER.index(how)
        how = _ORDER[-(-sum(both) // 2) if how.bad else min(both)]
        mates = had.is_mate() or has.is_mate()
        if how is Grade.INACCURACY and not mates and cost(*seemed) + cost(had, has) < 2 * _SURE:
            return None
        if longer:
            mark = replace(mark, instead=other.pv[:LINE], score=other.score)
            for where, seen in ((at + 1, replace(played, pv=played.pv[1:])), (at, other)):
                if how.bad and seen.depth:  # else it is no search, but a mate that was known
                    self._record.put(where, seen.score, seen.depth, seen.pv)
        if not how.bad and (after := self._record.played(at)):  # the best move: the position is worth what it leads to
            self._record.put(at, after, self._record.positions[at + 1].depth + 1, self._record.expected(at))
        why = None
        if self._explain is not None:
            reply = self._record.positions[at + 1]
            assert reply.score is not None
            case = Case(self._record.board(at), found.move, mark.instead, reply.line, mark.score, reply.score, how.bad)
            why = self._explain(case)
        mark = replace(mark, grade=how, why=to_json(why) if why else None)
        return self._find_more(at, mark, other) if how.bad else mark

    def _is_doubtful(self, at: int, had: Score, has: Score) -> bool:
        """Whether the move at this position is a sacrifice that seems bad, but may be better than the scores show."""
        return bool(self._sacrifices.get(at) and grade_of(had, has).bad and not grade_of(had, _with(has, _DOUBT)).bad)

    def _compare(self, at: int, mark: Mark, longer: bool) -> tuple[Analysis, Analysis]:
        """The best other move and the move played, each searched anew from the position before unless it leads to a
        mate: the better move of ``mark`` or, ``longer``, the best of all others."""
        found, after = self._record.positions[at], self._record.played(at)
        assert found.move is not None
        assert after is not None
        other, played = Analysis(mark.score, mark.instead), Analysis(after, self._record.expected(at))
        amount = self._budget.third() if longer else self._amounts[at]
        if not other.score.is_mate():
            others = [move for move in found.board.legal_moves if move != found.move]
            (other,) = self._search_alone(at, others if longer else mark.instead[:1], amount, 1)
        if not after.is_mate():
            (played,) = self._search_alone(at, [found.move], amount, 1)
        return other, played

    def _find_more(self, at: int, mark: Mark, better: Analysis) -> Mark:
        """The mark with the moves that are as good as the ``better`` one, and those that are bad."""
        found = self._record.positions[at]
        turn = found.board.turn
        best = better.score.pov(turn)
        moves = [move for move in found.board.legal_moves if move not in (found.move, mark.instead[0])]
        if not moves:
            return mark
        lines = self._search_alone(at, moves, self._budget.glance())
        bad = [line.pv for line in lines if len(line.pv) > 1 and grade_of(best, line.score.pov(turn)).bad]
        also = []
        if points(best) > _LOST:
            candidates = [line.pv[0] for line in lines if grade_of(best, line.score.pov(turn)) in _NEAR][:_SEVERAL]
            if candidates:
                amount = self._budget.times(len(candidates), self._amounts[at])
                deep = self._search_alone(at, candidates, amount)
                scores = [line.score.pov(turn) for line in deep]
                best = max(best, mark.score.pov(turn), *scores)
                also = [line.pv[0] for line, score in zip(deep, scores, strict=True) if cost(best, score) < _AS_GOOD]
        refuted = tuple((pv[0], pv[1]) for pv in bad if pv[0] not in also)
        return replace(mark, also=tuple(also), refuted=refuted)

    # All

    def _put(self, at: int, seen: Analysis) -> None:
        """Put the result of a search into the record, and find out which moves it makes suspect."""
        changed = self._record.put(at, seen.score, seen.depth, seen.pv)
        for each in range(max(0, changed.start - 1), min(changed.stop, len(self._record.positions) - 1)):
            self._missing -= self._suspects.pop(each, 0)
            found = self._record.positions[each]
            if not (found.reviewed or found.forced) and (found.outstanding or self._seems_bad(each)):
                self._suspects[each] = self._worth(each) * (1 + (not self._record.positions[each + 1].deep))
                self._missing += self._suspects[each]

    def _search(self, at: int, amount: int, others: bool = False) -> Analysis:
        """Search position ``at``; with ``others`` all moves but the one that was played."""
        found = self._record.positions[at]
        moves = [move for move in found.board.legal_moves if move != found.move] if others else None
        return self._engine.analyse(self._record.board(at), self._budget.limit(amount), root_moves=moves)

    def _search_alone(self, at: int, moves: Sequence[chess.Move], amount: int, lines: int = 0) -> list[Analysis]:
        """The best ``lines`` of ``moves`` at this position, by default one of each, from an empty table."""
        self._engine.new_game()
        board, limit = self._record.board(at), self._budget.limit(amount)
        return self._engine.analyse(board, limit, multipv=lines or len(moves), root_moves=moves)


def _with(score: Score, centipawns: int) -> Score:
    """``score`` with more centipawns; a mate stays as it is."""
    found = score.score()
    return score if found is None else Cp(found + centipawns)
