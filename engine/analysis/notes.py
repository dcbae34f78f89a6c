"""Notes in a PGN: written into a game, read back, and removed again; notes by others stay.

The main line gets an ``[%eval]`` at every position, first in its comment, where programs look for it. A bad or
outstanding move also gets a glyph, a sentence and the line that was better, or next best, as a variation. Where
the move already has someone else's glyph none is added, and where an existing variation begins with the same move, the
line stands in the sentence instead; so the notes themselves show what belongs to them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import chain, takewhile

import chess
import chess.pgn
from chess.engine import Mate

from engine.analysis.judge import Grade
from engine.analysis.record import LINE, Found, Record, Verdict

#: The PGN tag that names engine and limit: evaluations under the same name need not be searched again.
TAG = "Analysis"

#: The PGN tag of an analysis that is not finished: how far it is, as text from :class:`engine.analysis.record.Record`.
DONE = "AnalysisDone"

#: Glyphs that judge a move (! ? !! ?? !? ?! and the only move); a move that has one is already judged.
_JUDGEMENTS = range(1, 8)

_CHANCES = r"White \d+%, draw \d+%, Black \d+%"
_CHANGE = rf"(?:It would have left )?{_CHANCES}; (?:now|\S+ leaves) {_CHANCES}"
_WORDS = f"(?:{'|'.join(grade.word for grade in Grade if grade.word)})"
#: The sentence at a bad or outstanding move. Other programs may have wrapped its lines differently.
_SAID = re.compile(
    rf"( - | |^)(?P<other>The engine says )?(?P<word>{_WORDS}): "
    r"(?P<line>(?:(?! was (?:better|next best)\.)[^:])+) was (?:better|next best)\. "
    rf"(?P<why>(?:(?!{_WORDS}:).)*?)(?P<chances>{_CHANGE})\.(?: Also good: (?P<also>[^.]+)\.)?".replace(" ", r"\s+"),
    re.IGNORECASE | re.DOTALL,
)


def positions(game: chess.pgn.Game) -> list[chess.pgn.GameNode]:
    """The nodes of the main line, the start included, up to a null move."""
    return [game, *takewhile(lambda node: bool(node.move), game.mainline())]


def read(game: chess.pgn.Game, label: str) -> Record:
    """The notes of an earlier run in ``game`` under ``label``; an empty record if there are none.

    The engine's notes under another label are removed.
    """
    nodes = positions(game)
    record = Record.of(nodes)
    previous = game.headers.get(TAG, "")
    if previous == label:
        text = game.headers.get(DONE)
        looked = len(nodes) if text is None else _number(text)
        for node, found in list(zip(nodes, record.positions, strict=True))[len(nodes) - looked :]:
            found.score = found.score or node.eval()
            found.depth = node.eval_depth() or 0
        if record.looked() >= looked and (text is None or record.restore(text)):
            record.finished = text is None
            for node, found in zip(nodes[1:], record.positions, strict=False):
                if record.finished or found.settled:
                    assert isinstance(node, chess.pgn.ChildNode)
                    found.verdict = said(node, found.board)
            return record
        record = Record.of(nodes)
    if previous == label or previous.startswith("Numbat "):
        erase(game)
    game.headers[TAG], game.headers[DONE] = label, "0"
    return record


@dataclass(frozen=True, slots=True)
class Bare:
    """The main line of a game as others left it: comments, glyphs and variations, node by node."""

    nodes: list[tuple[chess.pgn.GameNode, str, set[int], list[chess.pgn.ChildNode]]]

    @classmethod
    def of(cls, game: chess.pgn.Game) -> Bare:
        """Remove the engine's notes from ``game``, and keep the rest."""
        erase(game)
        nodes = positions(game)
        return cls([(node, node.comment, set(node.nags), list(node.variations)) for node in nodes])

    def restore(self) -> None:
        """Put everything back."""
        for node, comment, nags, variations in self.nodes:
            node.comment, node.nags, node.variations = comment, set(nags), list(variations)


def write(game: chess.pgn.Game, label: str, record: Record, bare: Bare) -> None:
    """Note ``record`` in ``game``, which without notes was ``bare``. An interrupted call can be repeated."""
    bare.restore()
    game.headers[TAG] = label
    if record.finished:
        game.headers.pop(DONE, None)
    else:
        game.headers[DONE] = str(record)
    nodes = positions(game)
    for number in range(len(nodes) - record.looked(), len(nodes)):
        _note(nodes[number], record.positions[number])
    for node, found in zip(nodes[1:], record.positions, strict=False):
        if found.verdict is not None and isinstance(node, chess.pgn.ChildNode):
            _say(node, found.board, found.verdict)


def erase(game: chess.pgn.Game) -> None:
    """Remove the engine's notes."""
    nodes = positions(game)
    text = game.headers.get(DONE)
    looked = len(nodes) if text is None else _number(text)
    board = game.board()
    for number, node in enumerate(nodes):
        if isinstance(node, chess.pgn.ChildNode):
            _unsay(node, board)
            board.push(node.move)
        if number >= len(nodes) - looked and not board.is_checkmate():
            node.set_eval(None)  # ours is the first
    game.headers.pop(DONE, None)
    del game.headers[TAG]


def looked(game: chess.pgn.Game) -> int:
    """How many positions of ``game`` have the engine's evaluations."""
    if TAG not in game.headers:
        return 0
    text = game.headers.get(DONE)
    return len(positions(game)) if text is None else _number(text)


def _number(text: str) -> int:
    first = text.split(";")[0]
    return int(first) if re.fullmatch("[0-9]{1,9}", first) else 0


def _note(node: chess.pgn.GameNode, found: Found) -> None:
    """Note an evaluation as ``[%eval]``, which has no word for a king that is mated already."""
    if found.score is None or found.score.relative == Mate(0):
        return
    others = node.comment
    node.comment = ""
    node.set_eval(found.score, found.depth or None)
    node.comment = f"{node.comment} {others}".strip()


def _say(node: chess.pgn.ChildNode, board: chess.Board, verdict: Verdict) -> None:
    """Say how the move of ``node`` on ``board`` was, why, what was better, and how chances changed."""
    assert verdict.grade.nag is not None, "a move that is neither bad nor outstanding needs no word"
    judged = any(nag in _JUDGEMENTS for nag in node.nags)
    if not judged:
        node.nags.add(verdict.grade.nag)
    word = f"The engine says {verdict.grade.word}" if judged else verdict.grade.word.capitalize()
    if node.parent.has_variation(verdict.instead[0]):
        line = board.variation_san(verdict.instead)
    else:
        line = board.san(verdict.instead[0])
        node.parent.add_line(verdict.instead)
    said = node.comment.strip()
    between = "" if not said else " " if said[-1] in ".!?]" else " - "
    how = "better" if verdict.grade.bad else "next best"
    why = f"{verdict.why} " if verdict.why else ""
    node.comment = f"{said}{between}{word}: {line} was {how}. {why}{verdict.chances}."
    if verdict.also:
        node.comment += f" Also good: {', '.join(board.san(move) for move in verdict.also)}."


def said(node: chess.pgn.ChildNode, board: chess.Board) -> Verdict | None:
    """What is said of the move of ``node``, which was played on ``board``; None without a note."""
    found = _SAID.search(node.comment)
    if found is None:
        return None
    text = found["line"]
    line = _parsed(board, text)
    if not _whole(text):
        lines = [child for child in node.parent.variations if child is not node and child.move in line]
        line = (lines[-1].move, *lines[-1].mainline_moves()) if lines else line
    why, chances = (" ".join(found[name].split()) for name in ("why", "chances"))
    also = [_parsed(board, san)[:1] for san in (found["also"] or "").split(",")]
    return Verdict(_grade(found), line[:LINE], chances, why, tuple(chain(*also))) if line else None


def _unsay(node: chess.pgn.ChildNode, board: chess.Board) -> None:
    """Remove what :func:`_say` added, but leave a line to which something was added."""
    found = _SAID.search(node.comment)
    if found is None:
        return
    node.comment = node.comment[: found.start()] + node.comment[found.end() :]
    if not found["other"]:
        node.nags.discard(_grade(found).nag or 0)
    if not _whole(found["line"]):
        move = _parsed(board, found["line"])[:1]
        lines = [child for child in node.parent.variations if child is not node and child.move in move]
        if lines and _is_plain(lines[-1]):
            node.parent.remove_variation(lines[-1])


def _grade(found: re.Match[str]) -> Grade:
    return next(grade for grade in Grade if grade.word == " ".join(found["word"].lower().split()))


def _whole(line: str) -> bool:
    """Whether the sentence has the whole line, with numbers, and not only the move with which a variation begins."""
    return line[0].isdigit()


def _parsed(board: chess.Board, line: str) -> tuple[chess.Move, ...]:
    """The moves of a line in SAN, with numbers or without; none if it was edited."""
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
