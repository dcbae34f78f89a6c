"""The state of a game's analysis, position by position, and its text form for continuing an interrupted run."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

import chess
import chess.pgn
from chess.engine import Cp, Mate, MateGiven, PovScore

from engine.analysis.judge import Grade, cost, ending, grade_of
from engine.analysis.openings import book_moves

#: An expected line is kept for this many plies.
LINE = 10


@dataclass(frozen=True, slots=True)
class Verdict:
    """The verdict on a move: its grade, the better or next best line, the chances with that line and after the
    move, why it was bad, if a reason was found, and the moves nearly as good as the better line."""

    grade: Grade
    instead: tuple[chess.Move, ...]
    chances: str
    why: str = ""
    also: tuple[chess.Move, ...] = ()


@dataclass(slots=True)
class Found:
    """A position of a game and the ``move`` played in it (None at the end); ``book`` if that move is in the
    table of openings.

    ``score`` is None until the first look. ``line`` is what the engine expects. ``solid`` after a longer look at the
    position, ``settled`` when its move has its verdict; ``single`` if the move may deserve praise; ``forced`` if no
    other move was legal.
    """

    board: chess.Board
    move: chess.Move | None
    book: bool = False
    score: PovScore | None = None
    depth: int = 0
    line: tuple[chess.Move, ...] = ()
    solid: bool = False
    settled: bool = False
    single: bool = False
    verdict: Verdict | None = None
    forced: bool = field(init=False)

    def __post_init__(self) -> None:
        self.forced = self.board.legal_moves.count() == 1


@dataclass(slots=True)
class Record:
    """All positions of a game. ``pool`` is what is left for second looks, None before these begin; ``group`` the
    searches since the engine was last reset, as text; ``finished`` when nothing is left to do; ``decisive`` if the
    result is a win: then no draw was claimed."""

    positions: list[Found]
    pool: int | None = None
    group: list[str] = field(default_factory=list)
    finished: bool = False
    decisive: bool = False

    @classmethod
    def of(cls, nodes: list[chess.pgn.GameNode]) -> Record:
        """A record of the positions ``nodes`` before any search."""
        boards = [nodes[0].board()]
        for node in nodes[1:]:
            assert isinstance(node, chess.pgn.ChildNode)
            board = boards[-1].copy(stack=boards[-1].halfmove_clock + 1)  # as far back as a position can be repeated
            board.push(node.move)
            boards.append(board)
        moves = [*(board.move_stack[-1] for board in boards[1:]), None]
        books = [*book_moves(boards)[1:], False]
        found = [Found(*each) for each in zip(boards, moves, books, strict=True)]
        record = cls(found, decisive=is_decisive(nodes[0].game()))
        last = record.positions[-1]
        outcome = last.board.outcome() if record.decisive else ending(last.board)
        if outcome is not None:
            last.score = PovScore(Cp(0) if outcome.winner is None else Mate(0), last.board.turn)
            last.solid = True
        return record

    def looked(self) -> int:
        """How many positions, counted from the end, have had their first look; those that are over need none."""
        return next((at for at, found in enumerate(reversed(self.positions)) if found.score is None),
                    len(self.positions))  # fmt: skip

    def played(self, at: int) -> PovScore | None:
        """Score after the move played at ``at``, with mates counted from ``at``.

        A move that reaches a draw by the fifty moves or repetition is worth a draw, as the search counts the others.
        """
        if self.positions[at].move is None:
            return None
        reached = self.positions[at + 1]
        after = reached.score
        outcome = ending(reached.board)
        if after is not None and outcome is not None and outcome.winner is None:
            after = PovScore(Cp(0), reached.board.turn)
        return None if after is None else stepped(after, self.positions[at].board.turn)

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

    def put(self, at: int, score: PovScore, depth: int, line: tuple[chess.Move, ...]) -> None:
        """Set the score of position ``at``, and revise it and those before it: a position is worth at least what the
        move played there led to, and just that if there was no other."""
        self.positions[at].score, self.positions[at].depth, self.positions[at].line = score, depth, line[:LINE]
        while at >= 0:
            found, after = self.positions[at], self.played(at)
            if found.score is None:
                return
            turn = found.board.turn
            if after is not None and (found.forced or after.pov(turn) > found.score.pov(turn)):
                found.score, found.depth = after, self.positions[at + 1].depth + 1
                found.line = self.expected(at)
            at -= 1

    def expected(self, at: int) -> tuple[chess.Move, ...]:
        """The expected line from position ``at``, beginning with the move that was played."""
        move = self.positions[at].move
        return (move, *self.positions[at + 1].line)[:LINE] if move else ()

    # As text, for the tag of an unfinished game

    def __str__(self) -> str:
        words = [str(self.looked())]
        words += [f"maybe {number}" for number, found in enumerate(self.positions) if found.single]
        if self.pool is not None:
            words.append(f"pool {self.pool}")
        for number, found in enumerate(self.positions):
            if found.line or found.solid or found.settled:
                state = "settled" if found.settled else "solid" if found.solid else "seen"
                words.append(" ".join([state, str(number), *(move.uci() for move in found.line)]))
        words += [f"since {search}" for search in self.group]
        return "; ".join(words)

    def restore(self, text: str) -> bool:
        """Restore what :meth:`__str__` wrote, for the positions that have scores; False if the text is invalid."""
        first, *rest = text.split("; ")
        if first != str(self.looked()):
            return False
        self.pool, self.group = None, []
        for words in map(str.split, rest):
            match words:
                case ["maybe", number] if self._is_position(number):
                    self.positions[int(number)].single = True
                case ["pool", amount] if re.fullmatch(r"-?[0-9]{1,15}", amount):
                    self.pool = int(amount)
                case ["seen" | "solid" | "settled" as state, number, *line] if self._is_position(number):
                    found = self.positions[int(number)]
                    found.solid, found.settled = found.solid or state != "seen", state == "settled"
                    found.line = tuple(_moves(found.board, line))
                case ["since", search] if self._is_search(search):
                    self.group.append(search)
                case _:
                    return False
        return True

    def _is_position(self, number: str) -> bool:
        return bool(re.fullmatch("[0-9]{1,9}", number)) and int(number) < len(self.positions)

    def _is_search(self, text: str) -> bool:
        """Whether ``text`` is a search that can be repeated: of all moves at a position, or of the others there."""
        kind, number, amount = (*text.split(":"), "", "")[:3]
        if not self._is_position(number) or not re.fullmatch("[1-9][0-9]{0,14}", amount):
            return False
        found = self.positions[int(number)]
        return kind == "all" or (kind == "others" and found.move is not None and not found.forced)


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


def _moves(board: chess.Board, texts: list[str]) -> Iterator[chess.Move]:
    """The moves of a line in UCI notation, up to the first illegal one."""
    board = board.copy(stack=False)
    for text in texts:
        try:
            yield board.push_uci(text)
        except ValueError:
            return
