"""A game's moves, each with its evaluation and what was better, written into the game as a PGN carries them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import chess
import chess.pgn
from chess.engine import Cp, Limit, Mate, PovScore

from engine.analysis import notes
from engine.analysis.judge import Grade, chances_on, expectation, grade
from engine.analysis.lines import chances_text
from engine.api import Engine
from engine.chesstypes import Analysis


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
    """Searches each position of a game with ``engine`` until ``limit`` and writes down what it finds.

    With a limit of plies or nodes each search begins without memory of the former ones. So what is found in a
    position does not depend on where a run was interrupted, nor on the games before (with one thread).
    """

    def __init__(self, engine: Engine, limit: Limit, label: str) -> None:
        self._engine = engine
        self._limit = limit
        self._label = label

    def annotate(self, game: chess.pgn.Game) -> Iterator[Judged]:
        """Walk through ``game``, annotate each position of its main line in place and give it as it is done.

        What is already annotated under the same label is only read; whoever stops in the middle can go on.
        Ends at a null move. Raises :class:`~engine.messages.PositionError` for a position that the engine refuses.
        """
        done = notes.begin(game, self._label)
        board = game.board()
        before: Analysis | None = None
        for number, node in enumerate(notes.positions(game)):
            former = board.copy()
            if isinstance(node, chess.pgn.ChildNode):
                board.push(node.move)
            known = _ended(board) or (notes.noted(node) if number < done else None)
            written = known is not None and number < done
            after = known or self._search(board)
            judged = Judged(board.copy(), after.score)
            if before is not None and isinstance(node, chess.pgn.ChildNode):
                judged = self._judge(node, former, before, judged, written)
            if not written:
                notes.note(node, after)
                notes.advance(game, number + 1)  # last: the rest is there now
            yield judged
            before = after

    def _judge(
        self, node: chess.pgn.ChildNode, former: chess.Board, before: Analysis, after: Judged, written: bool
    ) -> Judged:
        """How the move of ``node`` was, from ``before`` to ``after``: read where it is ``written``, else written."""
        had, has = (expectation(s.pov(former.turn), former.fullmove_number) for s in (before.score, after.score))
        loss = max(0.0, had - has) if former.legal_moves.count() > 1 else 0.0
        found = grade(loss)
        better: tuple[chess.Move, ...] = ()
        if found is not Grade.FINE and written:
            found, better = notes.said(node, former)
        elif found is not Grade.FINE:
            line = before.pv or self._search(former).pv  # a former run has noted the score, but not the line
            if line and line[0] != node.move:
                better = line[: notes.LINE]
                seen = (former, before.score), (after.board, after.score)
                chances = "; now ".join(chances_text(chances_on(*each)) for each in seen)
                notes.say(node, former, found, better, chances)
            else:  # the deeper look saw what the engine itself would have walked into
                found = Grade.FINE
        if found is Grade.FINE and grade(loss) is not Grade.FINE:
            loss = 0.0
        return replace(after, move=node.move, san=former.san(node.move), loss=loss, grade=found, better=better)

    def _search(self, board: chess.Board) -> Analysis:
        if self._limit.time is None:
            self._engine.new_game()
        return self._engine.analyse(board, self._limit)


def _ended(board: chess.Board) -> Analysis | None:
    """What the rules say of a game that is over."""
    outcome = board.outcome()
    if outcome is None:
        return None
    return Analysis(PovScore(Cp(0) if outcome.winner is None else Mate(0), board.turn))


def summary(moves: list[Judged]) -> dict[chess.Color, dict[str, float]]:
    """For each side its moves, its inaccuracies, mistakes and blunders, and the mean expected points lost a move."""
    sides: dict[chess.Color, dict[str, float]] = {}
    for color in (chess.WHITE, chess.BLACK):
        own = [judged for judged in moves if judged.move is not None and judged.board.turn != color]
        counts = {found.word: float(sum(judged.grade is found for judged in own)) for found in Grade if found.word}
        lost = sum(judged.loss for judged in own) / len(own) if own else 0.0
        sides[color] = {"moves": float(len(own)), **counts, "loss": lost}
    return sides
