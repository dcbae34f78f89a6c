"""Notes in a PGN: written into a game, read back, and taken out again; what others have noted stays.

The main line gets an ``[%eval]`` at every position, first in its comment, where programs look for it. A bad move also
gets a glyph, a sentence and the line that was better as a variation. Where somebody else has judged the move
already there is no glyph, and where his variation begins as ours would, our line stands in the sentence; so
the notes say themselves what belongs to them.
"""

from __future__ import annotations

import re
import sys
from itertools import takewhile

import chess
import chess.pgn
from chess.engine import Mate

from engine.analysis.judge import Grade
from engine.chesstypes import Analysis

#: The PGN tag that names engine and limit: evaluations under the same name need not be searched again.
TAG = "Analysis"

#: The PGN tag of an analysis that is not finished: how many positions are done, the first one included.
DONE = "AnalysisDone"

#: A line that shows what was better is cut after this many plies.
LINE = 10

#: Glyphs that judge a move (! ? !! ?? !? ?!); where there is one, somebody has judged already.
_JUDGEMENTS = range(1, 7)

_CHANCES = r"White \d+%, draw \d+%, Black \d+%"
#: The sentence at a bad move. Others may have broken its lines.
_SAID = re.compile(
    rf"( - | |^)(?P<other>The engine says )?(?P<word>inaccuracy|mistake|blunder): (?P<line>[^:]+?) was better\. "
    rf"{_CHANCES}; now {_CHANCES}\.".replace(" ", r"\s+"),
    re.IGNORECASE,
)


def positions(game: chess.pgn.Game) -> list[chess.pgn.GameNode]:
    """The nodes of the main line, the start included, up to a null move: what follows one is not chess."""
    return [game, *takewhile(lambda node: bool(node.move), game.mainline())]


def begin(game: chess.pgn.Game, label: str) -> int:
    """Prepare ``game`` for notes under ``label``; returns how many positions have theirs already.

    The engine's notes under another label are taken out.
    """
    former = game.headers.get(TAG, "")
    if former == label:
        return _done(game)
    if former.startswith("Numbat "):
        _erase(game)
    game.headers[TAG] = label
    game.headers[DONE] = "0"
    return 0


def advance(game: chess.pgn.Game, done: int) -> None:
    """``done`` positions of ``game`` have their notes now."""
    if done < len(positions(game)):
        game.headers[DONE] = str(done)
    else:
        game.headers.pop(DONE, None)


def _done(game: chess.pgn.Game) -> int:
    text = game.headers.get(DONE)
    if text is None:
        return sys.maxsize
    return int(text) if text.isascii() and text.isdigit() else 0


def _erase(game: chess.pgn.Game) -> None:
    """Take out what the engine has noted."""
    board = game.board()
    for node in positions(game)[: _done(game)]:
        if isinstance(node, chess.pgn.ChildNode):
            _unsay(node, board)
            board.push(node.move)
        if not board.is_checkmate():
            node.set_eval(None)  # ours is the first


def note(node: chess.pgn.GameNode, found: Analysis) -> None:
    """Note an evaluation as ``[%eval]``, which has no word for a king that is mated already."""
    if found.score.relative == Mate(0):
        return
    others = node.comment
    node.comment = ""
    node.set_eval(found.score, found.depth or None)
    node.comment = f"{node.comment} {others}".strip()


def noted(node: chess.pgn.GameNode) -> Analysis | None:
    """What :func:`note` has noted."""
    score = node.eval()
    return None if score is None else Analysis(score, depth=node.eval_depth() or 0)


def say(
    node: chess.pgn.ChildNode, former: chess.Board, found: Grade, better: tuple[chess.Move, ...], chances: str
) -> None:
    """Say that the move of ``node`` on the board ``former`` was bad, what was ``better``, and how chances changed."""
    assert found.nag is not None, "only a bad move is worth a word"
    judged = any(nag in _JUDGEMENTS for nag in node.nags)
    if not judged:
        node.nags.add(found.nag)
    grade = f"The engine says {found.word}" if judged else found.word.capitalize()
    if node.parent.has_variation(better[0]):
        line = former.variation_san(better)
    else:
        line = former.san(better[0])
        node.parent.add_line(better)
    said = node.comment.strip()
    between = "" if not said else " " if said[-1] in ".!?]" else " - "
    node.comment = f"{said}{between}{grade}: {line} was better. {chances}."


def said(node: chess.pgn.ChildNode, former: chess.Board) -> tuple[Grade, tuple[chess.Move, ...]]:
    """What :func:`say` has said: the grade, and what was better."""
    found = _SAID.search(node.comment)
    if found is None:
        return Grade.FINE, ()
    text = found["line"]
    line = _parsed(former, text)
    if not _whole(text):
        lines = [child for child in node.parent.variations if child is not node and child.move in line]
        line = (lines[-1].move, *lines[-1].mainline_moves()) if lines else line
    return _grade(found), line[:LINE]


def _unsay(node: chess.pgn.ChildNode, former: chess.Board) -> None:
    """Take out what :func:`say` has put in, but leave a line to which somebody has added something."""
    found = _SAID.search(node.comment)
    if found is None:
        return
    node.comment = node.comment[: found.start()] + node.comment[found.end() :]
    if not found["other"]:
        node.nags.discard(_grade(found).nag or 0)
    if not _whole(found["line"]):
        move = _parsed(former, found["line"])[:1]
        lines = [child for child in node.parent.variations if child is not node and child.move in move]
        if lines and _is_plain(lines[-1]):
            node.parent.remove_variation(lines[-1])


def _grade(found: re.Match[str]) -> Grade:
    return next(grade for grade in Grade if grade.word == found["word"].lower())


def _whole(line: str) -> bool:
    """Whether the sentence has the whole line, with numbers, and not only the move with which a variation begins."""
    return line[0].isdigit()


def _parsed(board: chess.Board, line: str) -> tuple[chess.Move, ...]:
    """The moves of a line in SAN, with numbers or without; none where somebody has made it something else."""
    board = board.copy(stack=False)
    try:
        return tuple(board.push_san(san) for san in re.sub(r"\d+\.+", " ", line).split())
    except ValueError:
        return ()


def _is_plain(line: chess.pgn.ChildNode) -> bool:
    """Whether ``line`` is nothing but moves."""
    nodes = [line, *line.mainline()]
    bare = all(not (node.comment or node.starting_comment or node.nags or node.variations[1:]) for node in nodes)
    return bare and len(nodes) <= LINE
