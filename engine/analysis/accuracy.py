"""How well a side played, as lichess.org measures it: accuracy and average centipawn loss.

The formulas are those of lila (``AccuracyPercent.scala``, ``AccuracyCP.scala``, ``WinPercent.scala``). A score is worth
``100 / (1 + exp(-0.00368208 * cp))`` percent, with ``cp`` clamped to ±1000; mates count as 1000.
A move that lowers that from ``w`` to ``w'`` is ``103.1668 * exp(-0.043544 * (w - w')) - 3.1669 + 1`` percent accurate.
A side's accuracy is the mean of two means of its moves: the harmonic one, and one weighted by how lively the game was
(the standard deviation of the percentages in a window around the move). Unlike there the game's first position has the
score that the engine gave it, not 15 centipawns."""

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass

import chess
from chess.engine import Cp, PovScore

from engine.analysis.record import JudgedMove
from engine.explanation.grades import Grade, human_expectation, to_stockfish_centipawns

PHASES = ("opening", "middlegame", "endgame")  # the phases of a game

#: Pieces other than kings and pawns up to which it is the endgame, or the middlegame, and the moves of the opening.
_MAX_ENDGAME_PIECES, _MAX_MIDDLEGAME_PIECES, _OPENING_MOVES = 6, 10, 15

MATE_CP = 1000  # centipawns that a mate counts; no score counts more

#: The least accuracy that goes into a harmonic mean, in percent (lila: ``Maths.harmonicMean``).
_MIN_ACCURACY_PERCENT = 1.0


@dataclass(frozen=True, slots=True)
class SideSummary:
    """One side of a game: its moves, its accuracy in percent, its average loss in centipawns, how many of its moves got
    which mark, and its accuracy in each phase, None without moves."""

    moves: int
    accuracy: float
    loss: float
    counts: dict[Grade, int]
    phases: list[float | None]


def summary(positions: Sequence[JudgedMove]) -> dict[chess.Color, SideSummary]:
    """Both sides of a game; one without moves has an accuracy of 100 and no loss."""
    weights = _weights(_percents(positions))
    moves = list(zip(positions, positions[1:], move_accuracies(positions), weights, strict=False))
    result = {}
    for color, sign in ((chess.WHITE, 1), (chess.BLACK, -1)):
        own = [move for move in moves if move[1].board.turn != color]
        counts = {found: sum(after.grade is found for _, after, _, _ in own) for found in Grade if found.word}
        falls = (sign * (centipawns(before.score) - centipawns(after.score)) for before, after, _, _ in own)
        loss = sum(max(0, fall) for fall in falls) / max(1, len(own))
        of_phases = [[move for move in own if phase(move[0].board) == number] for number in range(len(PHASES))]
        game, *phases = (_accuracy([(value, weight) for _, _, value, weight in part]) for part in (own, *of_phases))
        result[color] = SideSummary(len(own), 100.0 if game is None else game, loss, counts, phases)
    return result


def _accuracy(moves: Sequence[tuple[float, float]]) -> float | None:
    """The accuracy over moves, each with its own and its weight; None without moves."""
    if not moves:
        return None
    mean = sum(value * weight for value, weight in moves) / sum(weight for _, weight in moves)
    return (mean + statistics.harmonic_mean([max(_MIN_ACCURACY_PERCENT, value) for value, _ in moves])) / 2


def move_accuracy(before: float, after: float) -> float:
    """The accuracy in percent of a move that changed its player's winning percentage.

    >>> move_accuracy(50, 60), round(move_accuracy(50, 40), 1), move_accuracy(100, 0)
    (100.0, 64.6, 0.0)
    """
    if after >= before:
        return 100.0
    raw = 103.1668100711649 * math.exp(-0.04354415386753951 * (before - after)) - 3.166924740191411
    return min(100.0, max(0.0, raw + 1))


def move_accuracies(positions: Sequence[JudgedMove]) -> list[float]:
    """The accuracy in percent of each move, for its player."""
    percents = _percents(positions)
    return [
        move_accuracy(old, new) if judged.board.turn == chess.BLACK else move_accuracy(100 - old, 100 - new)
        for old, new, judged in zip(percents, percents[1:], positions[1:], strict=False)
    ]


def _percents(positions: Sequence[JudgedMove]) -> list[float]:
    """White's winning percentages."""
    return [100 * human_expectation(Cp(centipawns(judged.score))) for judged in positions]


def _weights(percents: Sequence[float]) -> list[float]:
    """How lively the game was at each move: the deviation in a window, from 0.5 to 12."""
    size = min(8, max(2, (len(percents) - 1) // 10))
    windows = [percents[:size]] * (min(size, len(percents)) - 2)
    windows += [percents[at : at + size] for at in range(max(1, len(percents) - size + 1))]
    return [min(12.0, max(0.5, statistics.pstdev(window))) for window in windows]


def centipawns(score: PovScore) -> int:
    """White's advantage in Stockfish's centipawns, mates as :data:`MATE_CP`.

    >>> from chess.engine import Cp, Mate
    >>> centipawns(PovScore(Mate(0), chess.WHITE)), centipawns(PovScore(Cp(50), chess.WHITE))
    (-1000, 101)
    """
    return max(-MATE_CP, min(MATE_CP, to_stockfish_centipawns(score.white()).score(mate_score=100 * MATE_CP)))


def phase(board: chess.Board) -> int:
    """The index among :data:`PHASES` by pieces other than kings and pawns (as lichess.org, whose rule is longer).

    >>> phase(chess.Board()), phase(chess.Board("4k3/8/8/8/8/8/7P/R3K2R w - - 0 40"))
    (0, 2)
    """
    pieces = chess.popcount(board.occupied & ~board.pawns & ~board.kings)
    late = pieces <= _MAX_MIDDLEGAME_PIECES or board.fullmove_number > _OPENING_MOVES
    return 2 if pieces <= _MAX_ENDGAME_PIECES else int(late)
