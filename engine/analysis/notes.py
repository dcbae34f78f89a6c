"""Annotations in a PGN.

The main line gets an ``[%eval]`` at every position, first in its comment, where programs look for it. A bad or
outstanding move also gets a glyph, a sentence and the line that was better, or next best, as a variation. Where
the move already has a glyph none is added, and where an existing variation begins with the same move, the line stands
in the sentence instead."""

import re
from collections.abc import Sequence

import chess
import chess.pgn
from chess.engine import Mate

from engine.analysis.files import SEAL
from engine.analysis.lines import chances_text
from engine.analysis.record import Judged, positions

#: The PGN tag that names engine and limit.
TAG = "Analysis"

#: Glyphs that judge a move (! ? !! ?? !? ?! and the only move); a move that has one is already judged.
_JUDGEMENTS = range(1, 8)

#: Commands in comments that say how long a move took.
_CLOCKS = re.compile(r"\[%(?:clk|emt)\s[^\]]*\]")


def annotated(game: chess.pgn.Game, label: str, moves: Sequence[Judged]) -> chess.pgn.Game:
    """A copy of ``game`` with its analysis, and with ``label`` in the tag of an analysis."""
    result = _copy(game)
    result.headers.pop(SEAL, None)
    result.headers[TAG] = label.replace('"', "'")
    board = result.board()
    for node, judged in zip(positions(result), moves, strict=True):
        _write_score(node, judged)
        if isinstance(node, chess.pgn.ChildNode):
            if judged.chances is not None:
                _write_mark(node, board, judged)
            board.push(node.move)
    return result


def _copy(game: chess.pgn.Game) -> chess.pgn.Game:
    """A game with the same variations, but with a main line of its own."""
    result = chess.pgn.Game(game.headers)
    result.comment = game.comment
    node: chess.pgn.GameNode = result
    for old in game.mainline():
        main = node.add_variation(old.move, comment=old.comment, starting_comment=old.starting_comment, nags=old.nags)
        node.variations.extend(old.parent.variations[1:])
        node = main
    return result


def strip(game: chess.pgn.Game) -> None:
    """Remove all variations, glyphs and comments but clock times, and the tag of an analysis."""
    game.headers.pop(TAG, None)
    for node in [game, *game.mainline()]:
        node.comment = " ".join(_CLOCKS.findall(node.comment))
        node.variations = node.variations[:1]
        if isinstance(node, chess.pgn.ChildNode):
            node.starting_comment = ""
            node.nags.clear()


def _write_score(node: chess.pgn.GameNode, judged: Judged) -> None:
    """Write an evaluation as ``[%eval]``, which has no word for a king that is mated already."""
    if judged.score.relative == Mate(0):
        return
    others = node.comment
    node.comment = ""
    node.set_eval(judged.score, judged.depth or None)
    node.comment = f"{node.comment} {others}".strip()


def _write_mark(node: chess.pgn.ChildNode, board: chess.Board, judged: Judged) -> None:
    """Write the mark of the move of ``node`` on ``board``, why it was bad, what was better, and how chances changed."""
    assert judged.grade.nag is not None
    assert judged.chances is not None
    marked = any(nag in _JUDGEMENTS for nag in node.nags)
    if not marked:
        node.nags.add(judged.grade.nag)
    word = f"The engine says {judged.grade.word}" if marked else judged.grade.word.capitalize()
    instead = judged.better or judged.next_best
    if node.parent.has_variation(instead[0]):
        line = board.variation_san(instead)
    else:
        line = board.san(instead[0])
        node.parent.add_line(instead)
    before = node.comment.strip()
    between = "" if not before else " " if before[-1] in ".!?]" else " - "
    had, has = map(chances_text, judged.chances)
    bad = judged.grade.bad
    change = f"{had}; now {has}." if bad else f"It would have left {had}; {judged.san} leaves {has}."
    parts = [
        f"{word}: {line} was {'better' if bad else 'next best'}.",
        judged.reason,
        change if had != has else "",
        f"Also good: {', '.join(map(board.san, judged.also))}." if judged.also else "",
    ]
    node.comment = f"{before}{between}{' '.join(filter(None, parts))}"
