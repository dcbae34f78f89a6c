"""A game's moves, each with its evaluation and, where it deserves a mark, the better or next best line.

A first pass, from the last position to the first, gives every position its value; the engine keeps its table, so it
already knows the continuation of the move played. A move that seems to cost something, or may deserve praise, is then
compared with the best other one: both are searched from the same table to the same depth, again and again with twice
the limit, until the verdict has stood for two rounds or the :mod:`~engine.analysis.budget` is spent. The two scores are
those of the positions before and after the move, so a mark and a fall of the score always go together. If the last
verdicts differ, the milder one is the mark, and a move that only may be bad is called unclear."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import chess
import chess.pgn
from chess.engine import Cp, Limit

from engine.analysis.budget import FIRST_SHARE, SUSPECT_ROUND, AnalysisBudget
from engine.analysis.praise import CLEAR_POINTS, EQUAL_COST, is_candidate, praise
from engine.analysis.record import MAX_LINE_PLIES, GameAnalysis, Mark, Refutation, SearchResult
from engine.api import Engine
from engine.api.types import Analysis
from engine.explanation import Case, Claim
from engine.explanation.claims import Material, Mating
from engine.explanation.grades import Grade, cost, grade_of, points
from engine.explanation.sacrifices import sacrificed
from engine.explanation.verdicts import mark_of

Explain = Callable[[Case], Claim | None]  # explains a move that gets a mark; None if there is no reason
OnStep = Callable[[float], None]  # gets the part of a game's work that is done

#: Points that a move must seem to cost to be compared with the others, and up to which an alternative is searched once
#: more, because it may be as good as the best.
SUSPECT_COST, NEAR_COST = 0.02, 0.08

MAX_NEAR_MOVES = 6  # tries that are searched once more, at most
SACRIFICE_DOUBT_CP = 150  # centipawns of compensation that a sacrifice may have beyond what a search sees of it
MIN_LINE_PLIES = 8  # plies that the lines at a mark have at least: shorter ones do not show what comes of a move
TRY_PLIES = 4  # plies of a line in which a try's fault is looked for

#: Equal verdicts in a row that settle a comparison: the first one and those of two rounds that doubled the limit.
SETTLED_VERDICTS = 3

#: Grades from the worst to the best.
_ORDER = (Grade.BLUNDER, Grade.MISTAKE, Grade.INACCURACY, Grade.FINE, Grade.ONLY, Grade.GOOD, Grade.BRILLIANT)


class Annotator:
    """Searches the positions of games with ``engine``. ``limit`` is for each position or, with ``whole_game``, for all
    of them. With plies or nodes, and one thread, the result is reproducible. ``explain`` gives reasons for marks."""

    def __init__(self, engine: Engine, limit: Limit, whole_game: bool = False, explain: Explain | None = None) -> None:
        self._engine = engine
        self._limit = limit
        self._whole_game = whole_game
        self._explain = explain

    def annotate(self, game: chess.pgn.Game, on_step: OnStep = lambda done: None) -> GameAnalysis:
        """Search the main line of ``game`` up to a null move; ``on_step`` is called after each search. Raises
        :class:`~engine.messages.PositionError` for a position that the engine refuses."""
        record = GameAnalysis.of(game)
        budget = AnalysisBudget.of(self._limit, len(record.positions) if self._whole_game else 1)
        if self._whole_game and budget.unit != "time":
            raise ValueError("a whole game can only be limited by time")
        _Run(self._engine, record, budget, self._explain, on_step).go()
        return record


class _Run:
    """The searches of one game. ``verdicts`` are those on each compared move, one after the other, the first by the
    values of the first pass; ``rounds`` counts its comparisons."""

    def __init__(
        self, engine: Engine, record: GameAnalysis, budget: AnalysisBudget, explain: Explain | None, on_step: OnStep
    ) -> None:
        self._engine = engine
        self._record = record
        self._positions = record.positions
        self._budget = budget
        self._explain = explain
        self._on_step = on_step
        self._verdicts: dict[int, list[Grade]] = {}
        self._rounds: dict[int, int] = {}

    def go(self) -> None:
        """Search all positions, and mark the moves."""
        self._engine.new_game()
        last = len(self._positions) - 1
        for at in reversed(range(last + 1)):
            if self._positions[at].score is None:
                self._set_result(at, self._search(at, self._budget.first_amount))
            self._on_step(FIRST_SHARE * (1 - at / (last + 1)))
        at = last - 1
        while at >= 0:
            if self._is_open(at):
                at = min(self._compare(at), last - 1)  # what it changed may be open again
            else:
                at -= 1
            self._on_step(1 - (1 - FIRST_SHARE) * (at + 1) / (last + 1))
        for at, grade in self._grades().items():
            self._positions[at].mark = self._mark(at, grade)

    # Comparisons

    def _is_open(self, at: int) -> bool:
        """Whether the move at this position has to be compared with the others, or once more."""
        verdicts, verdict = self._verdicts.get(at), self._verdict(at)
        if verdicts is None:
            return self._costs(at) or self._may_be_praised(at)
        if verdict is not verdicts[-1]:  # by a new value of a later position
            verdicts.append(verdict)
        if not self._costs(at) and set(verdicts) == {Grade.FINE}:
            return False
        return not _is_settled(verdicts) and self._rounds[at] < len(self._budget.rounds)

    def _costs(self, at: int) -> bool:
        """Whether the move at this position seems to cost something."""
        return self._verdict(at).bad or cost(*self._record.change(at)) >= SUSPECT_COST

    def _may_be_praised(self, at: int) -> bool:
        position = self._positions[at]
        assert position.move is not None
        mates = self._positions[at + 1].board.is_checkmate()
        return not (position.forced or position.book or mates) and is_candidate(position.board, position.move)

    def _compare(self, at: int) -> int:
        """Search the move at this position and the others to the same depth, with twice the last limit; returns the
        last position that was searched."""
        if at not in self._verdicts:
            self._verdicts[at] = [self._verdict(at)]
            self._rounds[at] = SUSPECT_ROUND if self._costs(at) else 0
            self._positions[at].compared = True
        amount = self._budget.rounds[self._rounds[at]]
        self._rounds[at] += 1
        others = self._search(at, amount)
        end = self._reach(at + 1, others.depth - 1, amount)
        self._set_result(at, others)
        self._verdicts[at].append(self._verdict(at))
        return end

    def _reach(self, at: int, depth: int, amount: int) -> int:
        """Have this position's value from searches of ``depth`` plies; returns the last position that was searched."""
        position = self._positions[at]
        if depth < 1 or position.result is None or position.result.depth >= depth or position.result.score.is_mate():
            return at - 1
        self._set_result(at, self._search(at, amount, depth))
        return max(at, self._reach(at + 1, depth - 1, amount)) if position.compared else at

    def _verdict(self, at: int) -> Grade:
        """The grade of the move at this position by the values so far."""
        position = self._positions[at]
        had, has = self._record.change(at)
        how = mark_of(had, has, position.board.fullmove_number)
        if how is Grade.INACCURACY and position.book:
            return Grade.FINE
        if how.bad:
            return how
        if not position.compared or cost(had, has) >= EQUAL_COST or not self._may_be_praised(at):
            return Grade.FINE
        assert position.move is not None
        return praise(position.board, position.move, has, had)

    # Marks

    def _grades(self) -> dict[int, Grade]:
        """The moves that get a mark. In a hunt, while a side stays clearly better, only its first "!" and sacrifices
        are praised."""
        result: dict[int, Grade] = {}
        hunting = {chess.WHITE: False, chess.BLACK: False}
        for at, position in enumerate(self._positions[:-1]):
            turn, grade = position.board.turn, _last_grade(self._verdicts.get(at, [Grade.FINE]))
            if grade.bad and self._may_be_sound(at):
                grade = Grade.UNCLEAR
            praised = grade in (Grade.ONLY, Grade.GOOD, Grade.BRILLIANT)
            assert position.move is not None
            if hunting[turn] and praised and not sacrificed(position.board, position.move):
                grade = Grade.FINE
            if grade is not Grade.FINE:
                result[at] = grade
            hunts = grade in (Grade.GOOD, Grade.BRILLIANT) or hunting[turn]
            hunting[turn] = hunts and points(self._record.change(at)[1]) >= CLEAR_POINTS
        return result

    def _may_be_sound(self, at: int) -> bool:
        """Whether the move at this position is a sacrifice that has more for it than a search sees."""
        position, (had, has) = self._positions[at], self._record.change(at)
        assert position.move is not None
        if has.is_mate():
            return False
        more = Cp(has.score(mate_score=100_000) + SACRIFICE_DOUBT_CP)
        return not grade_of(had, more).bad and bool(sacrificed(position.board, position.move))

    def _mark(self, at: int, grade: Grade) -> Mark:
        """The mark of the move at this position, with the reason for it."""
        position, after = self._positions[at], self._positions[at + 1]
        assert position.result is not None
        assert position.move is not None
        assert after.score is not None
        score = position.result.score
        line = self._lengthened(at, position.result.line)
        after.line = self._lengthened(at + 1, after.line)
        case = Case(
            self._record.board(at), position.move, other_line=line, reply_line=after.line,
            other_score=score, score=after.score, marked=grade.bad or grade is Grade.UNCLEAR,
        )  # fmt: skip
        known = grade is not Grade.UNCLEAR or sacrificed(position.board, position.move)
        why = self._claim_of(case) if known else None
        mark = Mark(grade, line, score, why=why)
        return self._with_tries(at, mark) if grade.bad else mark

    def _lengthened(self, at: int, line: tuple[chess.Move, ...]) -> tuple[chess.Move, ...]:
        """The ``line`` of this position, with what a search of its end expects if it is short."""
        end = self._record.board(at)
        for move in line:
            end.push(move)
        if len(line) >= MIN_LINE_PLIES or end.is_game_over():
            return line
        return (*line, *self._engine.analyse(end, self._budget.limit(self._budget.first_amount)).pv)[:MAX_LINE_PLIES]

    def _claim_of(self, case: Case) -> Claim | None:
        return self._explain(case) if self._explain else None

    def _with_tries(self, at: int, mark: Mark) -> Mark:
        """The mark with the values of the other moves here: all are searched, and once more if they may be good."""
        board, amount = self._positions[at].board, self._budget.first_amount
        moves = [move for move in board.legal_moves if move not in (self._positions[at].move, mark.better_line[0])]
        best = mark.score.pov(board.turn)
        lines = self._search_lines(at, moves, amount)
        near = [line.pv[0] for line in lines if cost(best, line.score.relative) < NEAR_COST][:MAX_NEAR_MOVES]
        again = self._search_lines(at, [mark.better_line[0], *near], amount * len(near) // 2) if near else []
        best = max([best, *(line.score.relative for line in again)])
        searched = {line.move: line for line in again}
        lines = [searched.get(line.move, line) for line in lines]
        equal = [line.pv[0] for line in lines if line.move in near and cost(best, line.score.relative) <= EQUAL_COST]
        bad = [line for line in lines if grade_of(best, line.score.relative).bad and line.pv[0] not in equal]
        refutations = tuple(Refutation(line.pv[:2], self._fault(at, mark, line)) for line in bad if len(line.pv) > 1)
        acceptable = [line.pv[0] for line in lines if line not in bad and line.pv[0] not in equal]
        return replace(mark, equal_moves=tuple(equal), acceptable_moves=tuple(acceptable), bad_moves=refutations)

    def _fault(self, at: int, mark: Mark, tried: Analysis) -> Claim | None:
        """What the reply to a bad move achieves, unless that gives a better move away."""
        board = self._record.board(at)
        line = tried.pv[:TRY_PLIES]  # and of the better line only the first move: explaining takes time
        case = Case(board, line[0], mark.better_line[:1], line, mark.score, tried.score, marked=True)
        claim = self._claim_of(case)
        return claim if isinstance(claim, (Mating, Material)) and claim.verb in ("allows", "loses") else None

    # Searches

    def _set_result(self, at: int, seen: Analysis) -> None:
        self._record.set_result(at, SearchResult(seen.depth, seen.score, seen.pv[:MAX_LINE_PLIES]))

    def _search(self, at: int, amount: int, depth: int | None = None) -> Analysis:
        """Search position ``at``, to ``depth`` plies at most; once it is compared, without the move that was played."""
        position = self._positions[at]
        moves = [move for move in position.board.legal_moves if move != position.move] if position.compared else None
        board, limit = self._record.board(at), self._budget.limit(amount, depth)
        seen = self._engine.analyse(board, limit, root_moves=moves)
        mate = 2 * abs(seen.score.relative.mate() or 0)
        if mate > seen.depth and self._budget.unit != "depth":  # there may be a shorter one
            seen = self._engine.analyse(board, self._budget.limit(self._budget.max_amount, mate), root_moves=moves)
        return seen

    def _search_lines(self, at: int, moves: Sequence[chess.Move], amount: int) -> list[Analysis]:
        """The lines of all ``moves`` at this position, best first."""
        if not moves:
            return []
        board, limit = self._record.board(at), self._budget.limit(amount)
        return self._engine.analyse(board, limit, multipv=len(moves), root_moves=moves)


def _is_settled(verdicts: list[Grade]) -> bool:
    recent = verdicts[-SETTLED_VERDICTS:]
    return len(recent) == SETTLED_VERDICTS and len(set(recent)) == 1


def _last_grade(verdicts: list[Grade]) -> Grade:
    """The grade that the verdicts on a move lead to: the last if they are settled, else the fainter of the last two."""
    before, last = (verdicts * 2)[-2:]
    if _is_settled(verdicts) or before is last:
        return last
    if before.bad is last.bad and Grade.FINE not in (before, last):
        return (max if last.bad else min)(before, last, key=_ORDER.index)
    return Grade.UNCLEAR if last.bad else Grade.FINE
