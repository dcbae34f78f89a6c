"""Annotations in a PGN.

On the main line the comment of every position begins with Numbat's part: an ``[%eval]``, a mark, and, for a bad or
outstanding move, a note. Such a move also gets a glyph, and the line that was better, or next best, as a variation.
Where the move already has a glyph none is added, and where an existing variation begins with the same move, the line
is in the note instead.

The mark says what is Numbat's, so that it can be removed without being understood: ``[%numbat $4 27:1f0c +9a3e]``
stands for the glyph ``$4``, a note of 27 words with this checksum, and a variation with that one; each part may be
absent. A note or a variation that somebody has edited no longer has its checksum and stays."""

import re
from collections.abc import Iterable, Sequence
from zlib import crc32

import chess
import chess.pgn
from chess.engine import Mate

from engine.analysis.files import SEAL
from engine.analysis.lines import chances_text
from engine.analysis.record import JudgedMove, positions
from engine.explanation.english import numbered
from engine.explanation.grades import Grade

TAG = "Analysis"  # the PGN tag that names engine and limit

#: Glyphs that judge a move (! ? !! ?? !? ?! and the only move); a move that has one is already judged.
_JUDGEMENTS = range(1, 8)

#: Numbat's part of a comment, without the note.
_OWN = re.compile(
    r"(?:\[%eval [^\]]*\]\s*)?\[%numbat(?: \$(\d{1,3}))?(?: (\d{1,4}):([0-9a-f]{4}))?(?: \+([0-9a-f]{4}))?\]\s*"
)

_CLOCKS = re.compile(r"\[%(?:clk|emt)\s[^\]]*\]")  # commands in comments that say how long a move took


def annotated(game: chess.pgn.Game, label: str, moves: Sequence[JudgedMove]) -> chess.pgn.Game:
    """A copy of ``game`` with its analysis, and with ``label`` in the tag of an analysis."""
    result = _copy(game)
    result.headers[TAG] = label.replace('"', "'")
    board = result.board()
    for node, judged in zip(positions(result), moves, strict=True):
        _write(node, judged, board)
        if isinstance(node, chess.pgn.ChildNode):
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


def remove_own(game: chess.pgn.Game) -> bool:
    """Remove what Numbat has written into a game. Returns False if an earlier version annotated it, which left no
    marks: then everything stays."""
    own = game.headers.get(TAG, "").startswith("Numbat ")
    game.headers.pop(SEAL, None)
    found, nodes = False, list[chess.pgn.GameNode]([game])
    for node in nodes:
        nodes += node.variations
        while mark := _OWN.search(node.comment):
            found = True
            _remove(node, mark)
    if found and own:
        del game.headers[TAG]
    return found or not own


def _remove(node: chess.pgn.GameNode, mark: re.Match[str]) -> None:
    glyph, count, check, line = mark.groups()
    before, rest = node.comment[: mark.start()], node.comment[mark.end() :]
    words = rest.split(maxsplit=int(count or 0))
    note = words[: int(count or 0)]
    if _checksum(note) == check:
        rest = "".join(words[len(note) :])
    node.comment = f"{before}{rest}".strip()
    if not isinstance(node, chess.pgn.ChildNode):
        return
    if glyph:
        node.nags.discard(int(glyph))
    for variation in node.parent.variations[:]:
        if line and variation is not node and _line_checksum(variation) == line:
            node.parent.remove_variation(variation)


def _line_checksum(first: chess.pgn.ChildNode) -> str:
    """The checksum of a variation; empty if it has more than moves."""
    line = [first, *first.mainline()]
    if any(node.comment or node.starting_comment or node.nags or len(node.variations) > 1 for node in line):
        return ""
    return _checksum(node.move.uci() for node in line)


def _checksum(words: Iterable[str]) -> str:
    return f"{crc32(' '.join(words).encode()) & 0xFFFF:04x}"


def _write(node: chess.pgn.GameNode, judged: JudgedMove, board: chess.Board) -> None:
    """Write Numbat's part of the comment of ``node``, whose move, if any, was made on ``board``. ``[%eval]`` has no
    word for a king that is mated already; a mate gets no depth, because the search of a proved mate ends only at the
    maximum depth."""
    others = node.comment.strip()
    mark = note = ""
    if isinstance(node, chess.pgn.ChildNode) and judged.chances is not None:
        mark, note = _write_note(node, board, judged)
    node.comment = ""
    if judged.score.relative != Mate(0):
        node.set_eval(judged.score, None if judged.score.is_mate() else judged.depth or None)
    own = f"[%numbat{mark}]" if node.comment or note else ""
    node.comment = " ".join(filter(None, (node.comment, own, note, others)))


def _write_note(node: chess.pgn.ChildNode, board: chess.Board, judged: JudgedMove) -> tuple[str, str]:
    """The mark and the note for the move of ``node`` on ``board``: why it was bad, what was better, and how chances
    changed. The glyph and the variation are added."""
    assert judged.grade.nag is not None
    assert judged.chances is not None
    marked = any(nag in _JUDGEMENTS for nag in node.nags)
    if marked:
        mark, word = "", f"Numbat's mark: {judged.grade.word};"
    else:
        node.nags.add(judged.grade.nag)
        mark, word = f" ${judged.grade.nag}", f"{judged.grade.word.capitalize()}:"
    instead, added = judged.better or judged.next_best, ""
    other = line = numbered(board, instead[:1])
    if node.parent.has_variation(instead[0]):
        line = numbered(board, instead)
    else:
        node.parent.add_line(instead)
        added = f" +{_checksum(move.uci() for move in instead)}"
    had, has = map(chances_text, judged.chances)
    if judged.grade.bad or judged.grade is Grade.UNCLEAR:
        than = "better" if judged.grade.bad else "perhaps better"
        change = f"{had}; now {has}."
    else:
        than = "next best"
        change = f"{other} would have left {had}; {judged.san} leaves {has}."
    parts = [
        f"{word} {line} was {than}.",
        judged.reason,
        change if had != has else "",
        f"Also good: {', '.join(numbered(board, [move]) for move in judged.equal_moves)}."
        if judged.equal_moves
        else "",
    ]
    words = " ".join(parts).split()
    return f"{mark} {len(words)}:{_checksum(words)}{added}", " ".join(words)
