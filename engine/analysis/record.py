"""The analysis of a game, position by position, and its form in a file of results."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from itertools import islice, takewhile
from typing import Any, NamedTuple

import chess
import chess.pgn
from chess.engine import Cp, Mate, PovScore, Score, Wdl

from engine.analysis.judge import chances_on, ending
from engine.analysis.openings import book_moves
from engine.api.explaining import mate_moved
from engine.explanation import Claim, from_json, sentence, to_json
from engine.explanation.claims import Material
from engine.explanation.grades import Grade

MAX_LINE_PLIES = 10  # an expected line is kept for this many plies

#: Plies without a capture or pawn move after which the game is drawn, so that no earlier position can be repeated.
_HISTORY_PLIES = 150


class SearchResult(NamedTuple):
    """What a search found: its depth in plies, the score, the line."""

    depth: int
    score: PovScore
    line: tuple[chess.Move, ...]


class Refutation(NamedTuple):
    """A ``line`` of a bad move and its punishment, and the claim of what it achieves, if certain."""

    line: tuple[chess.Move, ...]
    why: Claim | None = None


_MAX_STORED_NUMBER = 100_000  # no score (in centipawns or moves to mate) or depth (in plies) is larger


@dataclass(frozen=True, slots=True)
class Mark:
    """The mark of a move, and what was found about the other moves; those in no field were not examined."""

    grade: Grade
    better_line: tuple[chess.Move, ...]  # or the next best
    score: PovScore  # of the position with that line
    equal_moves: tuple[chess.Move, ...] = ()  # as good as the better one
    why: Claim | None = None  # why the move was bad, if a reason was found
    acceptable_moves: tuple[chess.Move, ...] = ()  # worse, but no mistakes
    bad_moves: tuple[Refutation, ...] = ()


@dataclass(slots=True)
class GamePosition:
    """A position of a game and the move played in it.

    ``score``, ``depth`` and ``line`` are its value: the better of ``result`` and of what the move played led to."""

    board: chess.Board  # knows only the move before it
    move: chess.Move | None  # None at the end
    book: bool = False  # whether the move is in the table of openings
    drawn: bool = False  # whether the position is a draw, or one can be claimed
    score: PovScore | None = None  # None before the search
    depth: int = 0
    line: tuple[chess.Move, ...] = ()
    mark: Mark | None = None
    result: SearchResult | None = None  # of the search of this position
    compared: bool = False  # whether the move is compared with the others: then only these are searched
    forced: bool = field(init=False)  # whether the move was the only legal one

    def __post_init__(self) -> None:
        self.forced = len(list(islice(self.board.legal_moves, 2))) == 1


@dataclass(frozen=True, slots=True)
class JudgedMove:
    """A position of a game and the move that led to it."""

    board: chess.Board  # after the move
    score: PovScore  # of the position
    depth: int = 0  # plies of the search that found the score
    move: chess.Move | None = None  # None at the start
    san: str = ""
    grade: Grade = Grade.FINE
    better: tuple[chess.Move, ...] = ()  # the line that should have been played, empty if the move was fine
    reply: tuple[chess.Move, ...] = ()  # the line that punishes the move
    next_best: tuple[chess.Move, ...] = ()  # the best line without the move, if that is praised
    equal_moves: tuple[chess.Move, ...] = ()  # as good as the better one
    acceptable_moves: tuple[chess.Move, ...] = ()  # worse, but no mistakes
    bad_moves: tuple[tuple[tuple[chess.Move, ...], str], ...] = ()  # mistakes, with replies and what these achieve
    chances: tuple[Wdl, Wdl] | None = None  # White's with the better line, and after the move
    reason: str = ""  # why the move was bad
    theme: str = ""  # of the reason
    missed: bool = False  # whether the player missed that theme, or else allowed it
    book: bool = False  # whether the move is in the table of openings


@dataclass(slots=True)
class GameAnalysis:
    """All positions of a game up to a null move; ``decisive`` if the result is a win: then no draw was claimed."""

    positions: list[GamePosition]
    decisive: bool = False

    @classmethod
    def of(cls, game: chess.pgn.Game) -> GameAnalysis:
        """A record of ``game`` before any search."""
        board = game.board()
        boards = [board.copy(stack=1)]
        drawn = [False]
        occurred = Counter([board.epd()])
        for node in positions(game)[1:]:
            assert node.move is not None
            board.push(node.move)
            boards.append(board.copy(stack=1))
            if board.halfmove_clock == 0:
                occurred.clear()
            occurred[board.epd()] += 1
            outcome = ending(boards[-1])
            drawn.append(occurred[board.epd()] >= 3 or (outcome is not None and outcome.winner is None))
        moves = [*board.move_stack, None]
        books = [*book_moves(boards)[1:], False]
        found = [GamePosition(*each) for each in zip(boards, moves, books, drawn, strict=True)]
        record = cls(found, decisive=is_decisive(game))
        last = record.positions[-1]
        last.board = record.board(-1)
        outcome = last.board.outcome() if record.decisive else ending(last.board)
        if outcome is not None:
            last.score = PovScore(Cp(0) if outcome.winner is None else Mate(0), last.board.turn)
        return record

    def board(self, at: int) -> chess.Board:
        """The position ``at`` with the moves before it, as far back as a position can be repeated."""
        end = at % len(self.positions)
        start = max(0, end - min(_HISTORY_PLIES, self.positions[end].board.halfmove_clock))
        board = self.positions[start].board.copy()
        for after in self.positions[start + 1 : end + 1]:
            board.push(after.board.peek())
        return board

    def score_after(self, at: int) -> PovScore | None:
        """Score after the move played at ``at``, with mates counted from ``at``. A move that reaches a draw by the
        fifty moves or repetition is worth a draw, as the search counts the others."""
        if self.positions[at].move is None:
            return None
        reached, turn = self.positions[at + 1], self.positions[at].board.turn
        if reached.score is None or reached.drawn:
            return None if reached.score is None else PovScore(Cp(0), turn)
        return mate_moved(reached.score, turn, 1)

    def change(self, at: int) -> tuple[Score, Score]:
        """The scores of position ``at`` and of the move played there, for its player; equal if there is no choice."""
        position, after = self.positions[at], self.score_after(at)
        assert position.score is not None
        assert after is not None
        best = after if position.forced or position.result is None else position.result.score
        return best.pov(position.board.turn), after.pov(position.board.turn)

    def set_result(self, at: int, result: SearchResult) -> None:
        """Put in what a search of position ``at`` found, and revise the values up to there: a position is worth what it
        was found to be or, if that is more or there was no choice, what the move played there led to."""
        self.positions[at].result = result
        for each in range(at, -1, -1):
            position, after = self.positions[each], self.score_after(each)
            if position.result is None:
                break
            turn = position.board.turn
            value = position.result
            if after is not None and (position.forced or after.pov(turn) > value.score.pov(turn)):
                value = SearchResult(self.positions[each + 1].depth + 1, after, self.expected_line(each))
            if each < at and value == (position.depth, position.score, position.line):
                break
            position.depth, position.score, position.line = value

    def expected_line(self, at: int) -> tuple[chess.Move, ...]:
        """The expected line from position ``at``, beginning with the move that was played."""
        move = self.positions[at].move
        return (move, *self.positions[at + 1].line)[:MAX_LINE_PLIES] if move else ()

    def judged_moves(self) -> list[JudgedMove]:
        """The positions of a record that is complete, each with the move that led to it."""
        first = self.positions[0]
        assert first.score is not None
        return [
            JudgedMove(first.board, first.score, first.depth),
            *map(self._judged_move, range(1, len(self.positions))),
        ]

    def _judged_move(self, number: int) -> JudgedMove:
        before, found = self.positions[number - 1], self.positions[number]
        assert before.move is not None
        assert found.score is not None
        judged = JudgedMove(
            found.board, found.score, found.depth, move=before.move, san=before.board.san(before.move), book=before.book
        )
        return self._with_mark(judged, number - 1, before.mark) if before.mark else judged

    def _with_mark(self, judged: JudgedMove, at: int, mark: Mark) -> JudgedMove:
        """``judged`` with all that the ``mark`` of the move at position ``at`` says."""
        before, found, after = self.positions[at], self.positions[at + 1], self.score_after(at)
        assert after is not None
        claims_draw = found.move is None and not self.decisive
        reason = _sentence(mark.why)
        if reason and mark.grade is Grade.UNCLEAR:
            reason = f"Probably unsound: {_continued(reason)}"
        if mark.grade.bad:
            judged = replace(judged, better=mark.better_line, reply=found.line)
        else:
            judged = replace(judged, next_best=mark.better_line)
        return replace(
            judged,
            grade=mark.grade,
            equal_moves=mark.equal_moves,
            acceptable_moves=mark.acceptable_moves,
            bad_moves=tuple((line, _sentence(why)) for line, why in mark.bad_moves),
            chances=(chances_on(before.board, mark.score), chances_on(found.board, after, claims_draw)),
            reason=reason,
            theme=_theme(mark.why),
            missed=mark.why is not None and mark.why.line.winner == before.board.turn,
        )

    # In a file

    def to_json(self) -> dict[str, Any]:
        """The results as :func:`json.dumps` takes them."""
        marks = {
            str(at): {
                "grade": found.mark.grade.name,
                "score": _score_to_json(found.mark.score),
                "line": _uci(found.mark.better_line),
                "also": _uci(found.mark.equal_moves),
                "why": to_json(found.mark.why),
                "inferior": _uci(found.mark.acceptable_moves),
                "refuted": " ".join(_uci(tried.line) for tried in found.mark.bad_moves),
                "faults": {_uci(tried.line[:1]): to_json(tried.why) for tried in found.mark.bad_moves if tried.why},
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
                line, faults = _line(found.board, mark["line"]), mark.get("faults", {})
                refuted = [_line(found.board, pair) for pair in re.findall(r"\S+ \S+", mark["refuted"])]
                found.mark = Mark(
                    grade=Grade[mark["grade"]],
                    better_line=line,
                    score=PovScore(_score_from_json(mark["score"]), chess.WHITE),
                    equal_moves=_moves(found.board, mark["also"]),
                    why=_claim(mark["why"]),
                    acceptable_moves=_moves(found.board, mark.get("inferior", "")),  # earlier versions wrote none
                    bad_moves=tuple(Refutation(pair, _claim(faults.get(pair[0].uci()))) for pair in refuted),
                )
                if not line or found.mark.grade is Grade.FINE:
                    raise ValueError("a mark that says nothing")
        except (TypeError, LookupError, AttributeError) as error:
            raise ValueError(f"{error!r} in the results") from None


def _claim(stored: Any) -> Claim | None:
    return None if stored is None else from_json(stored)


def _theme(claim: Claim | None) -> str:
    """The theme of a claim; material that is won by no theme in particular is named: ``line:queen``."""
    if not isinstance(claim, Material) or claim.theme != "line":
        return claim.theme if claim else ""
    gain = claim.gain
    return f"line:{chess.piece_name(gain.won[0][0]) if gain.kind in ('piece', 'list') else gain.kind}"


def _sentence(claim: Claim | None) -> str:
    return sentence(claim, skip_better=True) if claim else ""


def _continued(text: str) -> str:
    """A sentence after a colon.

    >>> _continued("Loses a pawn: Nxd4."), _continued("White is winning."), _continued("Nxd4 wins a pawn.")
    ('loses a pawn: Nxd4.', 'White is winning.', 'Nxd4 wins a pawn.')
    """
    first = text.partition(" ")[0]
    return text if first in ("White", "Black") or not first.isalpha() else text[0].lower() + text[1:]


def positions(game: chess.pgn.Game) -> list[chess.pgn.GameNode]:
    """The nodes of the main line, the start included, up to a null move."""
    return [game, *takewhile(lambda node: bool(node.move), game.mainline())]


def is_decisive(game: chess.pgn.Game) -> bool:
    """Whether somebody won ``game``."""
    return game.headers.get("Result") in ("1-0", "0-1")


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
    if type(stored) is not int or abs(stored) > _MAX_STORED_NUMBER:
        raise ValueError(f"not a whole number up to {_MAX_STORED_NUMBER}")
    return stored


def _uci(moves: Iterable[chess.Move]) -> str:
    return " ".join(move.uci() for move in moves)


def _moves(board: chess.Board, stored: Any) -> tuple[chess.Move, ...]:
    """Moves of one position. Raises ValueError for an illegal one."""
    return tuple(_line(board, text)[0] for text in stored.split())


def _line(board: chess.Board, stored: Any) -> tuple[chess.Move, ...]:
    """The moves of a line. Raises ValueError for an illegal one."""
    board = board.copy(stack=False)
    moves = tuple(board.push_uci(text) for text in stored.split()[:MAX_LINE_PLIES])
    if not all(moves):
        raise ValueError("a null move in a line")
    return moves
