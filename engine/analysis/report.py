"""Annotated games as one self-contained HTML page: the board to step through, the graph, the marks, the figures.

The page is :file:`report.html` with a separate style sheet and script. It draws the boards from FENs and
python-chess's drawings of the pieces; evaluations and sentences come from here.

A page of several games begins with a table of them, from these fields of each game: ``title``, ``result``, ``date``,
``opening``, and ``name``, ``elo``, ``accuracy`` and ``counts`` (of the marks) of both ``sides``. If the page is made
for one player, ``data.report`` is :func:`.player.report_of` over all games (else it is null); the player's name is that
in ``sides``::

    {"player": name, "games": 20, "points": "12.5", "accuracy": "81.2%", "loss": "34",
     "differences": [sentence, ...], "advice": [sentence, ...],
     "lessons": [{"name": "hanging piece", "places": [[game, ply], ...]}, {"name": "", "places": [...]}], "tables": [
      {"title": "Missed", "columns": ["White", "Black"], "counted": "bad moves", "rows": [
        {"name": "fork", "cells": ["2", "1"], "places": [[game, ply], ...]}, ...]}, ...]}

Tables without rows are absent. The ``places`` of a row are its moves that are ``counted``, by the game's index in
``games`` and the ply after the move, for the page to count and to link; ``cells`` are texts, one for each of the
``columns``.
"""

from collections.abc import Iterator, Sequence
from typing import Any

import chess
import chess.pgn
import chess.svg

from engine.analysis.accuracy import PHASES, SideSummary, phase, summary
from engine.analysis.clock import clock_text
from engine.analysis.files import pgn_text
from engine.analysis.judge import chances_on, ending
from engine.analysis.lines import ending_text, percents
from engine.analysis.notes import TAG
from engine.analysis.openings import opening_of
from engine.analysis.player import report_of
from engine.analysis.record import JudgedMove, is_decisive, positions
from engine.api.types import score_text
from engine.explanation.english import numbered
from engine.explanation.grades import Grade
from engine.pages import as_json, fill

MARKS = tuple(grade for grade in Grade if grade.word)  # the grades that are marked


def render(games: Sequence[dict[str, Any]], name: str = "games.annotated.pgn", player: str = "") -> Iterator[str]:
    """The page of ``games``, each from :func:`entry`, in parts. ``name`` is that of the PGN file that can be downloaded
    from the page. With the name of a ``player`` it has a report on this player."""
    data = {
        "report": report_of(games, player, PHASES) if player else None,
        "pieces": pieces(),
        "file": name,
        "phases": PHASES,
        "grades": [{name: getattr(grade, name) for name in ("word", "words", "glyph", "bad")} for grade in MARKS],
    }
    page = fill("engine.analysis", "report.html", data, look="report.css", script="report.js", learn="learn.js",
                overview="overview.js")  # fmt: skip
    head, tail = page.split("__GAMES__", 1)  # before any text of the user
    yield head
    for number, game in enumerate(games):
        yield ",\n" * bool(number) + as_json(game)
    yield tail


def entry(game: chess.pgn.Game, moves: Sequence[JudgedMove], number: int = 1) -> dict[str, Any]:
    """A game for :func:`render`, as :func:`json.dumps` takes it. ``number`` is the game's in its file."""
    tags = game.headers
    players = f"{tags.get('White', '?')} - {tags.get('Black', '?')}"
    named = (tags.get(tag, "").removesuffix(".??").removesuffix(".??") for tag in ("Event", "Site", "Date"))
    place = ", ".join(name for name in named if name.strip("?."))
    boards = [judged.board for judged in moves]
    opening = opening_of(boards)
    theory = max((number for number, judged in enumerate(moves) if judged.book), default=0)
    sides = summary(moves)
    clocks = [node.clock() for node in positions(game)]
    claimed = None if is_decisive(game) else len(moves) - 1
    return {
        "number": number,
        "title": f"{players}, {tags.get('Result', '*')}",
        "result": tags.get("Result", "*"),
        "date": tags.get("Date", "").removesuffix(".??").removesuffix(".??").strip("?."),
        "place": place,
        "engine": tags.get(TAG, ""),
        "opening": f"{opening.eco} {opening.name}" if opening else "",
        "theory": _theory(moves, theory) if opening else "",
        "sides": [_side(moves, tags, name, sides[color]) for name, color in (("White", True), ("Black", False))],
        "first": [boards[0].fullmove_number, boards[0].turn],
        "plies": [_ply(moves, number, clocks, number == claimed) for number in range(len(moves))],
        "pgn": pgn_text(game),
    }


def _theory(moves: Sequence[JudgedMove], last: int) -> str:
    """The last move of theory that was played."""
    if not last:
        return ""
    judged, before = moves[last], moves[last - 1].board
    number = f"{before.fullmove_number}{'.' if before.turn else '…'}"
    return f"last book move: {number} {judged.san}{judged.grade.glyph}"


def _side(moves: Sequence[JudgedMove], tags: chess.pgn.Headers, name: str, side: SideSummary) -> dict[str, Any]:
    elo = tags.get(f"{name}Elo", "").strip("?-")
    return {
        "name": tags.get(name, "?"),
        "elo": elo,
        "moves": side.moves,
        "accuracy": f"{side.accuracy:.1f}%" if side.moves else "",
        "loss": f"{side.loss:.0f}" if side.moves else "",
        "phases": [f"{accuracy:.0f}" if accuracy is not None else "" for accuracy in side.phases],
        "counts": list(side.counts.values()),
    }


def _ply(moves: Sequence[JudgedMove], number: int, clocks: Sequence[float | None], claimed: bool) -> dict[str, Any]:
    """A position and the move that led to it; the script (``unpack``) adds what follows from these fields, and the
    defaults of absent ones. ``claimed`` if a draw that can be claimed here was."""
    judged, clock = moves[number], clocks[number]
    board = judged.board
    before = moves[number - 1].board if number else None
    ended = ending(board) if claimed else board.outcome()
    white = chances_on(board, judged.score, claimed)
    line = judged.better or judged.next_best
    fields = {
        **picture(board),
        "san": judged.san,
        "mark": MARKS.index(judged.grade) + 1 if judged.grade in MARKS else 0,
        "book": judged.book,
        "phase": phase(before) if before else 0,
        "why": judged.reason,
        "theme": judged.theme if judged.grade.bad else "",
        "missed": judged.missed and judged.grade.bad,
        "time": _time_left(clocks, number),
        "score": ending_text(board) if ended else score_text(judged.score),
        "result": ended.result() if ended else "",
        "line": _line(before, line) if before and line else None,
        "reply": _line(board, judged.reply) if judged.reply and judged.grade.bad else None,
        "won": is_missed_win(judged),
        "try": _choices(before, judged) if before and judged.grade.bad else None,
        "clock": clock_text(clock, tenths=clock % 1 > 0) if clock is not None else "",
    }
    shown = {name: value for name, value in fields.items() if value}
    return {**shown, "chance": round(100 * white.expectation(), 1), "bands": percents(white)}


def _time_left(clocks: Sequence[float | None], number: int) -> str:
    """How much time the player had for a move, as a part of the time left after the first move; empty if unknown."""
    first, before = clocks[2 - number % 2 : 3 - number % 2], clocks[number - 2] if number > 2 else None
    if before is None or not first or not first[0]:
        return ""
    return "under a tenth" if before < first[0] / 10 else "over a tenth"


def is_missed_win(judged: JudgedMove) -> bool:
    """Whether a bad move lowered its player's chances to win from two in three or more to one in three or fewer."""
    if judged.chances is None or not judged.grade.bad:
        return False
    could, can = (wdl.losses if judged.board.turn else wdl.wins for wdl in judged.chances)
    return could >= 667 and can <= 333


def _choices(board: chess.Board, judged: JudgedMove) -> dict[str, Any]:
    """What a reader may try in place of a bad move: all legal moves, the ones as good as the best, the slightly
    inferior ones, and what punishes the others: a sentence or the reply."""
    replies = {}
    for (tried, reply), why in judged.bad_moves:
        after = board.copy(stack=False)
        after.push(tried)
        replies[tried.uci()] = why or f"{numbered(after, [reply])}."
    return {
        "legal": " ".join(f"{move.uci()} {board.san(move)}" for move in board.legal_moves),
        "also": [move.uci() for move in judged.equal_moves],
        "inferior": [move.uci() for move in judged.acceptable_moves],
        "replies": replies,
        "best": judged.better[0].uci() if judged.better else "",
    }


def _line(board: chess.Board, moves: Sequence[chess.Move]) -> list[str]:
    """A line to play through: each move in SAN, and of the position after it the fields of :func:`picture`."""
    board = board.copy()
    result = []
    for move in moves:
        san = board.san(move)
        board.push(move)
        result.append(" ".join([san, *picture(board).values()]))
    return result


def picture(board: chess.Board) -> dict[str, str]:
    """What the page needs to draw a position: pieces as in a FEN, the last move's squares, a king in check."""
    move = board.move_stack[-1] if board.move_stack else None
    king = board.king(board.turn) if board.is_check() else None
    squares = {"move": move.uci()[:4] if move else "", "check": chess.square_name(king) if king is not None else ""}
    return {"fen": board.board_fen(), **{name: value for name, value in squares.items() if value}}


def pieces() -> str:
    """A hidden picture with the drawings of the pieces, by the letters of a FEN."""
    drawings = "".join(f'<g id="piece-{letter}">{drawing}</g>' for letter, drawing in chess.svg.PIECES.items())
    return f'<svg width="0" height="0" style="position:absolute"><defs>{drawings}</defs></svg>'
