"""A game's moves, each with its evaluation and what was better, written into the game as a PGN carries them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import chess
import chess.pgn
from chess.engine import Cp, Limit, Mate, PovScore

from engine.analysis.judge import Grade, chances_on, expectation, grade
from engine.analysis.lines import chances_text
from engine.api import Engine
from engine.chesstypes import Analysis

#: The PGN tag that names engine and limit: evaluations under the same name need not be searched again.
TAG = "Analysis"

#: Glyphs that judge a move (! ? !! ?? !? ?!); where there is one, somebody has judged already.
_JUDGEMENTS = range(1, 7)

#: A line that shows what was better is cut after this many plies.
_LINE = 10


@dataclass(frozen=True, slots=True)
class Judged:
    """A position of a game and the move that led to it (none at the start).

    ``score`` is the position's; ``loss`` the expected points that the move cost who played it; ``better`` the
    line that should have been played, empty where the move was fine.
    """

    board: chess.Board
    score: PovScore
    move: chess.Move | None = None
    san: str = ""
    loss: float = 0.0
    grade: Grade = Grade.FINE
    better: tuple[chess.Move, ...] = ()


class Annotator:
    """Searches each position of a game with ``engine`` until ``limit`` and writes down what it finds."""

    def __init__(self, engine: Engine, limit: Limit, label: str) -> None:
        self._engine = engine
        self._limit = limit
        self._label = label

    def annotate(self, game: chess.pgn.Game) -> Iterator[Judged]:
        """Walk through ``game``, annotate each position of its main line in place and give it as it is done.

        What is already annotated under the same label is only read; whoever stops in the middle can go on.
        """
        if game.headers.get(TAG) != self._label:
            game.headers[TAG] = self._label
            for node in (game, *game.mainline()):
                node.set_eval(None)
        board = game.board()
        before = self._evaluate(game, board)
        _note(game, before)
        yield Judged(board.copy(), before.score)
        for node in game.mainline():
            former = board.copy()
            san = board.san(node.move)
            board.push(node.move)
            written = node.eval() is not None
            after = self._evaluate(node, board)
            had, has = (expectation(s.pov(former.turn), former.fullmove_number) for s in (before.score, after.score))
            loss = had - has
            found = grade(loss)
            better: tuple[chess.Move, ...] = ()
            if found is not Grade.FINE:
                if not before.pv:  # known from a former run, but not its line
                    before = self._search(former)
                better = before.pv[:_LINE]
                if before.move == node.move:  # the deeper look saw what the engine itself would have walked into
                    found, better = Grade.FINE, ()
            if not written:
                chances = [chances_text(chances_on(*seen)) for seen in ((former, before.score), (board, after.score))]
                _write(node, former, found, better, f"{chances[0]}; now {chances[1]}")
                _note(node, after)  # last: what has its evaluation is done
            yield Judged(board.copy(), after.score, node.move, san, max(0.0, loss), found, better)
            before = after

    def _evaluate(self, node: chess.pgn.GameNode, board: chess.Board) -> Analysis:
        """What is known about the position of ``node``, or else what a search finds."""
        return _known(node, board) or self._search(board)

    def _search(self, board: chess.Board) -> Analysis:
        return self._engine.analyse(board, self._limit)


def _known(node: chess.pgn.GameNode, board: chess.Board) -> Analysis | None:
    """What needs no search: the end of the game by the rules, or a noted evaluation."""
    outcome = board.outcome()
    if outcome is not None:
        return Analysis(PovScore(Cp(0) if outcome.winner is None else Mate(0), board.turn))
    score = node.eval()
    return None if score is None else Analysis(score, depth=node.eval_depth() or 0)


def _note(node: chess.pgn.GameNode, found: Analysis) -> None:
    """Note the evaluation as ``[%eval]``, which has no word for a king that is mated already."""
    if found.score.relative != Mate(0):
        node.set_eval(found.score, found.depth or None)


def _write(
    node: chess.pgn.ChildNode, former: chess.Board, found: Grade, better: tuple[chess.Move, ...], chances: str
) -> None:
    """Note at ``node`` how its move was, what was better and what it did to the chances; what others noted stays."""
    if found is Grade.FINE or found.nag is None:
        return
    if not any(nag in _JUDGEMENTS for nag in node.nags):
        node.nags.add(found.nag)
    if better:
        said = node.comment.strip()
        stop = "" if not said or said[-1] in ".!?]" else "."
        node.comment = f"{said}{stop} {found.word.capitalize()}: {former.san(better[0])} was better. {chances}.".strip()
        if not node.parent.has_variation(better[0]):
            node.parent.add_line(better)


def summary(moves: list[Judged]) -> dict[chess.Color, dict[str, float]]:
    """For each side its moves, its inaccuracies, mistakes and blunders, and the mean expected points lost a move."""
    sides: dict[chess.Color, dict[str, float]] = {}
    for color in (chess.WHITE, chess.BLACK):
        own = [judged for judged in moves if judged.move is not None and judged.board.turn != color]
        counts = {found.word: float(sum(judged.grade is found for judged in own)) for found in Grade if found.word}
        lost = sum(judged.loss for judged in own) / len(own) if own else 0.0
        sides[color] = {"moves": float(len(own)), **counts, "loss": lost}
    return sides
