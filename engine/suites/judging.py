"""Judges answers to a task, and asks for the moves of a line one after the other."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import chess

from engine.suites.tasks import Task


class Report(NamedTuple):
    """A report of the best line: its first move in UCI, the mate announced, and whether the score is only a bound."""

    move: str = ""
    mate: int | None = None
    bound: bool = False
    seconds: float = 0.0
    depth: int = 0
    nodes: int = 0


@dataclass(frozen=True, slots=True)
class Verdict:
    """The verdict on an answer. ``since`` is the first report of the right answer after the last wrong one or, if the
    answer is wrong, of the move played."""

    solved: bool
    since: Report
    points: int
    mate: int | None


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of a task: the moves played, in UCI and SAN, and when they appeared. For a line of moves ``seconds``
    and ``nodes`` are sums and ``depth`` is the maximum; ``points`` and ``mate`` belong to the first move."""

    solved: bool
    moves: tuple[str, ...]
    san: tuple[str, ...]
    seconds: float
    depth: int
    nodes: int
    points: int
    mate: int | None


def right(task: Task, thought_move: str, mate: int | None) -> bool:
    """Whether a move, with the mate announced for it, solves the task."""
    if task.mate is not None and not task.best:
        if mate is None or (mate > 0) != (task.mate > 0):
            return False
        return mate <= task.mate if task.mate > 0 else mate == task.mate
    if task.best:
        return thought_move in task.best
    if task.points:
        return dict(task.points).get(thought_move, 0) == task.top
    return thought_move not in task.avoid


def judge(task: Task, move: str, reports: Sequence[Report]) -> Verdict:
    """Whether the answer ``move`` after ``reports`` solves the task."""
    exact = [report for report in reports if not report.bound] or reports
    mate = exact[-1].mate if exact else None
    solved = right(task, move, mate)
    since, before = Report(), False
    for report in reports:
        if not report.move or (report.bound and task.mate is not None):
            continue
        now = right(task, report.move, report.mate) if solved else report.move == move
        if now and not before:
            since = report
        before = now
    return Verdict(solved, since, dict(task.points).get(move, 0), mate)


def questions(task: Task) -> Generator[chess.Board, tuple[str, Sequence[Report]], Outcome]:
    """Yields the positions to search and receives the move and the reports of each.

    Asks for every other move of a line, until one is wrong; any mate is right.
    """
    board = chess.Board(task.fen)
    verdicts: list[Verdict] = []
    moves: list[str] = []
    san: list[str] = []
    for step in range(0, len(task.line) or 1, 2):
        move, reports = yield board
        moves.append(move)
        san.append(board.san(chess.Move.from_uci(move)))
        mates = bool(task.line) and san[-1].endswith("#")
        best = (move,) if mates else task.line[step : step + 1] or task.best
        verdicts.append(judge(replace(task, best=best), move, reports))
        if mates or not verdicts[-1].solved:
            break
        for forced in task.line[step : step + 2]:
            board.push_uci(forced)
    since = [verdict.since for verdict in verdicts]
    return Outcome(
        verdicts[-1].solved, tuple(moves), tuple(san), round(sum(report.seconds for report in since), 4),
        max(report.depth for report in since), sum(report.nodes for report in since),
        verdicts[0].points, verdicts[0].mate,
    )  # fmt: skip


def wanted(task: Task, san: bool = False) -> str:
    """A short text of what the task asks for; moves in UCI or SAN."""
    board = chess.Board(task.fen)

    def spelled(moves: Iterable[str]) -> str:
        return " ".join(board.san(chess.Move.from_uci(move)) if san else move for move in moves)

    if task.line:
        moves = [chess.Move.from_uci(move) for move in task.line]
        return board.variation_san(moves) if san else " ".join(task.line)
    if task.best:
        return spelled(task.best)
    if task.mate is not None:
        return f"mate {task.mate}"
    if task.points:
        return spelled(move for move, points in task.points if points == task.top)
    return "not " + spelled(task.avoid)
