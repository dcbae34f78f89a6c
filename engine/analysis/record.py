"""The analysis of a game, position by position, and its form in a file of results."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import islice, takewhile
from typing import Any

import chess
import chess.pgn
from chess.engine import Cp, Mate, MateGiven, PovScore, Score, Wdl

from engine.analysis.judge import chances_on, ending
from engine.analysis.openings import book_moves
from engine.explanation import from_json, sentence
from engine.explanation.grades import Grade, cost, grade_of

#: An expected line is kept for this many plies.
LINE = 10

#: Plies without a capture or pawn move after which the game is drawn, so that no earlier position can be repeated.
_HISTORY = 150

#: Bad moves, each with the reply that punishes it.
Refuted = tuple[tuple[chess.Move, chess.Move], ...]

#: No score or depth is larger.
_LARGEST = 100_000


@dataclass(frozen=True, slots=True)
class Mark:
    """The mark of a move: its ``grade``, the better or next best line, the ``score`` of the position with that line,
    the moves nearly as good as the better line, the claim, as JSON, why it was bad, if a reason was found, and other
    moves that are bad, each with its refutation."""

    grade: Grade
    instead: tuple[chess.Move, ...]
    score: PovScore
    also: tuple[chess.Move, ...] = ()
    why: dict[str, Any] | None = None
    refuted: Refuted = ()


@dataclass(slots=True)
class GamePosition:
    """A position of a game, on a board that knows only the move before it, and the ``move`` played in it (None at the
    end); ``book`` if that move is in the table of openings; ``drawn`` if the position is, or can be claimed to be.

    ``score`` is None until the first search. ``line`` is the engine's. While the game is searched: ``deep`` after a
    longer search, ``reviewed`` when the move has been compared with the others in a longer search, ``outstanding`` if
    the move may deserve praise."""

    board: chess.Board
    move: chess.Move | None
    book: bool = False
    drawn: bool = False
    score: PovScore | None = None
    depth: int = 0
    line: tuple[chess.Move, ...] = ()
    mark: Mark | None = None
    deep: bool = False
    reviewed: bool = False
    outstanding: bool = False
    forced: bool = field(init=False)

    def __post_init__(self) -> None:
        self.forced = len(list(islice(self.board.legal_moves, 2))) == 1


@dataclass(frozen=True, slots=True)
class Judged:
    """A position of a game and the move that led to it (none at the start).

    ``score`` is the position's, from a search of ``depth`` plies; ``better`` the line that should have been played,
    empty if the move was fine, and ``reply`` the line that punishes it; ``next_best`` the best line without a move that
    is praised; ``also`` other moves nearly as good as the better one, ``refuted`` others that are bad; ``chances``
    White's with that line and after the move; ``reason`` says why the move was bad, by a ``theme`` that the player
    ``missed`` or else allowed; ``book`` if it is theory."""

    board: chess.Board
    score: PovScore
    depth: int = 0
    move: chess.Move | None = None
    san: str = ""
    grade: Grade = Grade.FINE
    better: tuple[chess.Move, ...] = ()
    reply: tuple[chess.Move, ...] = ()
    next_best: tuple[chess.Move, ...] = ()
    also: tuple[chess.Move, ...] = ()
    refuted: Refuted = ()
    chances: tuple[Wdl, Wdl] | None = None
    reason: str = ""
    theme: str = ""
    missed: bool = False
    book: bool = False


@dataclass(slots=True)
class Findings:
    """All positions of a game up to a null move; ``decisive`` if the result is a win: then no draw was claimed."""

    positions: list[GamePosition]
    decisive: bool = False

    @classmethod
    def of(cls, game: chess.pgn.Game) -> Findings:
        """A record of ``game`` before any search."""
        board, decisive = game.board(), is_decisive(game)
        boards, drawn, occurred = [board.copy(stack=1)], [False], Counter([board.epd()])
        for node in positions(game)[1:]:
            assert node.move is not None
            board.push(node.move)
            boards.append(board.copy(stack=1))
            if board.halfmove_clock == 0:
                occurred.clear()
            occurred[board.epd()] += 1
            outcome = ending(boards[-1])
            drawn.append(occurred[board.epd()] >= 3 or (outcome is not None and outcome.winner is None))
        moves, books = [*board.move_stack, None], [*book_moves(boards)[1:], False]
        record = cls([GamePosition(*each) for each in zip(boards, moves, books, drawn, strict=True)], decisive)
        last = record.positions[-1]
        last.board = record.board(-1)
        outcome = last.board.outcome() if decisive else ending(last.board)
        if outcome is not None:
            last.score = PovScore(Cp(0) if outcome.winner is None else Mate(0), last.board.turn)
            last.deep = True
        return record

    def board(self, at: int) -> chess.Board:
        """The position ``at`` with the moves before it, as far back as a position can be repeated."""
        end = at % len(self.positions)
        start = max(0, end - min(_HISTORY, self.positions[end].board.halfmove_clock))
        board = self.positions[start].board.copy()
        for after in self.positions[start + 1 : end + 1]:
            board.push(after.board.peek())
        return board

    def played(self, at: int) -> PovScore | None:
        """Score after the move played at ``at``, with mates counted from ``at``. A move that reaches a draw by the
        fifty moves or repetition is worth a draw, as the search counts the others."""
        if self.positions[at].move is None:
            return None
        reached, turn = self.positions[at + 1], self.positions[at].board.turn
        if reached.score is None or reached.drawn:
            return None if reached.score is None else PovScore(Cp(0), turn)
        return stepped(reached.score, turn)

    def cost(self, at: int) -> float:
        """The points that the move played at position ``at`` cost."""
        found, after = self.positions[at], self.played(at)
        if after is None or found.score is None or found.forced:
            return 0.0
        turn = found.board.turn
        return cost(found.score.pov(turn), after.pov(turn))

    def grade(self, at: int) -> Grade:
        """The grade of the move played at position ``at``, by the scores so far."""
        found, after = self.positions[at], self.played(at)
        if after is None or found.score is None or found.forced:
            return Grade.FINE
        turn = found.board.turn
        return grade_of(found.score.pov(turn), after.pov(turn))

    def put(self, at: int, score: PovScore, depth: int, line: tuple[chess.Move, ...]) -> range:
        """Set the score of position ``at``, and revise those before it: a position is worth at least as much as the
        move played there led to, and just that if there was no other. Returns the positions whose scores changed."""
        end = at + 1
        self.positions[at].score, self.positions[at].depth, self.positions[at].line = score, depth, line[:LINE]
        while at >= 0:
            found, after = self.positions[at], self.played(at)
            if found.score is None:
                break
            turn = found.board.turn
            if after is not None and (found.forced or after.pov(turn) > found.score.pov(turn)):
                found.score, found.depth = after, self.positions[at + 1].depth + 1
                found.line = self.expected(at)
            elif at < end - 1:
                break
            at -= 1
        return range(at + 1, end)

    def expected(self, at: int) -> tuple[chess.Move, ...]:
        """The expected line from position ``at``, beginning with the move that was played."""
        move = self.positions[at].move
        return (move, *self.positions[at + 1].line)[:LINE] if move else ()

    def judged(self) -> list[Judged]:
        """The positions of a record that is complete, each with the move that led to it. Raises ValueError for a stored
        claim that is none."""
        first = self.positions[0]
        assert first.score is not None
        return [Judged(first.board, first.score, first.depth), *map(self._judged, range(1, len(self.positions)))]

    def _judged(self, number: int) -> Judged:
        before, found = self.positions[number - 1], self.positions[number]
        assert before.move is not None
        assert found.score is not None
        mark, chances = before.mark, None
        if mark is not None:
            after, last = self.played(number - 1), found.move is None and not self.decisive
            assert after is not None
            chances = chances_on(before.board, mark.score), chances_on(found.board, after, last)
        bad = mark is not None and mark.grade.bad
        claim = from_json(mark.why) if mark and mark.why else None
        line = mark.instead if mark else ()
        return Judged(
            found.board,
            found.score,
            found.depth,
            before.move,
            before.board.san(before.move),
            mark.grade if mark else Grade.FINE,
            line if bad else (),
            found.line if bad else (),
            () if bad else line,
            mark.also if mark else (),
            mark.refuted if mark else (),
            chances,
            sentence(claim, skip_better=True) if claim else "",
            claim.theme if claim else "",
            claim is not None and claim.line.winner == before.board.turn,
            before.book,
        )

    # In a file

    def to_json(self) -> dict[str, Any]:
        """The results as :func:`json.dumps` takes them."""
        marks = {
            str(at): {
                "grade": found.mark.grade.name,
                "score": _score_to_json(found.mark.score),
                "line": _uci(found.mark.instead),
                "also": _uci(found.mark.also),
                "why": found.mark.why,
                "refuted": " ".join(map(_uci, found.mark.refuted)),
            }
            for at, found in enumerate(self.positions)
            if found.mark is not None
        }
        return {
            "positions": [[_score_to_json(found.score), found.depth, _uci(found.line)] for found in self.positions],
            "marks": marks,
        }

    def load(self, stored: Any) -> None:
        """Take the results that :meth:`to_json` wrote for the same game. Raises ValueError for anything else."""
        try:
            marks = {int(at): mark for at, mark in stored["marks"].items()}
            replies = {at + 1 for at in marks}
            for at, (found, (score, depth, line)) in enumerate(zip(self.positions, stored["positions"], strict=True)):
                if found.score is None:
                    found.score = PovScore(_score_from_json(score), chess.WHITE)
                found.depth = _whole(depth)
                found.line = _line(found.board, line) if at in replies else ()
            for at, mark in marks.items():
                found = self.positions[at]
                if found.move is None:
                    raise ValueError("a mark without a move")
                line, also = _line(found.board, mark["line"]), mark["also"].split()
                refuted = re.findall(r"\S+ \S+", mark["refuted"])
                found.mark = Mark(
                    Grade[mark["grade"]],
                    line,
                    PovScore(_score_from_json(mark["score"]), chess.WHITE),
                    tuple(_line(found.board, move)[0] for move in also),
                    mark["why"],
                    tuple((tried, reply) for tried, reply in (_line(found.board, pair) for pair in refuted)),
                )
                if not line or found.mark.grade is Grade.FINE:
                    raise ValueError("a mark that says nothing")
        except (TypeError, LookupError, AttributeError) as error:
            raise ValueError(f"{error!r} in the results") from None


def positions(game: chess.pgn.Game) -> list[chess.pgn.GameNode]:
    """The nodes of the main line, the start included, up to a null move."""
    return [game, *takewhile(lambda node: bool(node.move), game.mainline())]


def is_decisive(game: chess.pgn.Game) -> bool:
    """Whether somebody won ``game``."""
    return game.headers.get("Result") in ("1-0", "0-1")


def stepped(score: PovScore, turn: chess.Color) -> PovScore:
    """The ``score`` of a position, seen one move earlier, with ``turn`` to move: its mates take one move more.

    >>> stepped(PovScore(Mate(-2), chess.BLACK), chess.WHITE), stepped(PovScore(Mate(2), chess.BLACK), chess.WHITE)
    (PovScore(Mate(+3), WHITE), PovScore(Mate(-2), WHITE))
    """
    own = score.pov(turn)
    mate = own.mate()
    if mate is not None and (mate > 0 or own is MateGiven):
        return PovScore(Mate(mate + 1), turn)
    return PovScore(own, turn)


def _score_to_json(score: PovScore | None) -> int | str:
    """White's centipawns, or the moves to mate as ``#3`` and ``#-3``.

    >>> _score_to_json(PovScore(Cp(31), chess.BLACK)), _score_to_json(PovScore(Mate(2), chess.BLACK))
    (-31, '#-2')
    """
    assert score is not None
    white = score.white()
    mate = white.mate()
    return f"#{mate}" if mate is not None else white.score(mate_score=0)


def _score_from_json(stored: Any) -> Score:
    if isinstance(stored, str) and re.fullmatch("#-?[1-9][0-9]{0,4}", stored):
        return Mate(int(stored[1:]))
    return Cp(_whole(stored))


def _whole(stored: Any) -> int:
    if type(stored) is not int or abs(stored) > _LARGEST:
        raise ValueError(f"not a whole number up to {_LARGEST}")
    return stored


def _uci(moves: Iterable[chess.Move]) -> str:
    return " ".join(move.uci() for move in moves)


def _line(board: chess.Board, stored: Any) -> tuple[chess.Move, ...]:
    """The moves of a line. Raises ValueError for an illegal one."""
    board = board.copy(stack=False)
    moves = tuple(board.push_uci(text) for text in stored.split()[:LINE])
    if not all(moves):
        raise ValueError("a null move in a line")
    return moves
