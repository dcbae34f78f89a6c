"""Judges answers to a puzzle, and asks for the moves of a line one after the other."""

from collections.abc import Generator, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import chess

from engine.suites.puzzles import Puzzle


class PvUpdate(NamedTuple):
    """An update of the best line: its first move in UCI, the mate announced, and whether the score is only a bound."""

    move: str = ""
    mate: int | None = None
    bound: bool = False
    seconds: float = 0.0
    depth: int = 0
    nodes: int = 0


@dataclass(frozen=True, slots=True)
class Judgement:
    """The judgement of an answer. ``since`` is the first update after which the answer did not change."""

    solved: bool
    since: PvUpdate
    points: int
    mate: int | None


@dataclass(frozen=True, slots=True)
class Attempt:
    """An attempt at a puzzle."""

    solved: bool
    moves: tuple[str, ...]  # those played, as UCI text
    san: tuple[str, ...]  # the same in SAN
    seconds: float  # until the moves appeared, in all
    depth: int  # plies, the maximum of all moves
    nodes: int  # in all
    points: int  # of the first move
    mate: int | None  # announced with the first move


def is_solution(puzzle: Puzzle, move: str, mate: int | None) -> bool:
    """Whether a move, with the mate announced for it, solves the puzzle."""
    if puzzle.mate is not None and not puzzle.best:
        if mate is None or (mate > 0) != (puzzle.mate > 0):
            return False
        return mate <= puzzle.mate if puzzle.mate > 0 else mate == puzzle.mate
    if puzzle.best:
        return move in puzzle.best
    if puzzle.points:
        return dict(puzzle.points).get(move, 0) == puzzle.top
    return move not in puzzle.avoid


def judge(puzzle: Puzzle, move: str, updates: Sequence[PvUpdate]) -> Judgement:
    """Whether the answer ``move`` after ``updates`` solves the puzzle."""
    exact = [update for update in updates if not update.bound] or updates
    mate = exact[-1].mate if exact else None
    solved = is_solution(puzzle, move, mate)
    since, before = PvUpdate(), False
    for update in updates:
        if not update.move or (update.bound and puzzle.mate is not None):
            continue
        now = is_solution(puzzle, update.move, update.mate) if solved else update.move == move
        if now and not before:
            since = update
        before = now
    return Judgement(solved, since, dict(puzzle.points).get(move, 0), mate)


def questions(puzzle: Puzzle) -> Generator[chess.Board, tuple[str, Sequence[PvUpdate]], Attempt]:
    """Yields the positions to search and receives the move and the updates of each. Asks for every other move of a
    line, until one is wrong; any mate is right."""
    board = chess.Board(puzzle.fen)
    judgements: list[Judgement] = []
    moves: list[str] = []
    san: list[str] = []
    for step in range(0, len(puzzle.line) or 1, 2):
        move, updates = yield board
        moves.append(move)
        san.append(board.san(chess.Move.from_uci(move)))
        mates = bool(puzzle.line) and san[-1].endswith("#")
        best = (move,) if mates else puzzle.line[step : step + 1] or puzzle.best
        judgements.append(judge(replace(puzzle, best=best), move, updates))
        if mates or not judgements[-1].solved:
            break
        for forced in puzzle.line[step : step + 2]:
            board.push_uci(forced)
    since = [judgement.since for judgement in judgements]
    return Attempt(
        solved=judgements[-1].solved, moves=tuple(moves), san=tuple(san),
        seconds=round(sum(update.seconds for update in since), 4),
        depth=max(update.depth for update in since), nodes=sum(update.nodes for update in since),
        points=judgements[0].points, mate=judgements[0].mate,
    )  # fmt: skip


def wanted(puzzle: Puzzle, san: bool = False) -> str:
    """A short text of what the puzzle asks for; moves in UCI or SAN."""
    board = chess.Board(puzzle.fen)

    def spelled(moves: Iterable[str]) -> str:
        return " ".join(board.san(chess.Move.from_uci(move)) if san else move for move in moves)

    if puzzle.line:
        moves = [chess.Move.from_uci(move) for move in puzzle.line]
        return board.variation_san(moves) if san else " ".join(puzzle.line)
    if puzzle.best:
        return spelled(puzzle.best)
    if puzzle.mate is not None:
        return f"mate {puzzle.mate}"
    if puzzle.points:
        return spelled(move for move, points in puzzle.points if points == puzzle.top)
    return "not " + spelled(puzzle.avoid)
