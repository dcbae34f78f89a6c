"""Annotated games as one self-contained HTML page: the board to step through, the graph, the mistakes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any
from xml.etree import ElementTree

import chess
import chess.pgn
import chess.svg

from engine.analysis.accuracy import summary
from engine.analysis.annotate import Judged
from engine.analysis.judge import chances_on
from engine.analysis.lines import chances_text, ending_text, percents, score_text
from engine.lab.page import fill

#: Arrows: the move that was played, and what was better.
_PLAYED, _BETTER = "#b3261ecc", "#1a7f37cc"

Report = tuple[chess.pgn.Game, Sequence[Judged]]


def render(games: Sequence[Report], engine: str, fingerprint: str = "") -> str:
    """The page for ``games`` with what was found in them; ``engine`` says who looked and for how long.

    By ``fingerprint`` the page is known again (see :func:`engine.analysis.files.check_page`).
    """
    data = {
        "fingerprint": fingerprint,
        "engine": engine,
        "shared": shared(),
        "games": [_game(game, moves) for game, moves in games],
    }
    return fill("engine.analysis", "report.html", data)


def _game(game: chess.pgn.Game, moves: Sequence[Judged]) -> dict[str, Any]:
    tags = game.headers
    players = f"{tags.get('White', '?')} - {tags.get('Black', '?')}"
    place = ", ".join(tags[tag] for tag in ("Event", "Site", "Date") if tags.get(tag, "?").strip("?.") != "")
    sides = summary(list(moves))
    return {
        "title": f"{players}, {tags.get('Result', '*')}",
        "place": place,
        "sides": [{"name": tags.get(name, "?"), "moves": sides[color].moves} for name, color in (("White", True), ("Black", False))],
        "plies": [_ply(judged, moves[number - 1].board if number else None) for number, judged in enumerate(moves)],
    }


def _ply(judged: Judged, before: chess.Board | None) -> dict[str, Any]:
    board = judged.board
    ends = board.outcome() is not None
    white = chances_on(board, judged.score)
    return {
        "label": _label(judged, before),
        "san": judged.san,
        "number": before.fullmove_number if before else 0,
        "white": bool(before and before.turn),
        "glyph": judged.grade.glyph,
        "word": judged.grade.word,
        "score": ending_text(board) if ends else score_text(judged.score),
        "chance": round(100 * white.expectation(), 1),
        "bands": percents(white),
        "chances": "" if ends else chances_text(white),
        "better": before.variation_san(judged.better) if before and judged.better else "",
        "board": picture(judged),
        "placement": placement(board),
    }


def _label(judged: Judged, before: chess.Board | None) -> str:
    if before is None:
        return "the beginning"
    return f"{before.fullmove_number}{'.' if before.turn else '…'} {judged.san}{judged.grade.glyph}"


def placement(board: chess.Board) -> str:
    """What stands where, for those who cannot see the picture.

    >>> placement(chess.Board("4k3/8/8/8/8/8/7P/R3K2R w - - 0 1"))
    'White: king e1, rooks a1 h1, pawn h2. Black: king e8.'
    """
    sides = []
    for color, side in ((chess.WHITE, "White"), (chess.BLACK, "Black")):
        men = []
        for piece in reversed(chess.PIECE_TYPES):
            squares = [chess.square_name(square) for square in board.pieces(piece, color)]
            if squares:
                men.append(" ".join([chess.piece_name(piece) + "s" * (len(squares) > 1), *squares]))
        sides.append(f"{side}: {', '.join(men)}.")
    return " ".join(sides)


def picture(judged: Judged) -> str:
    """The board by python-chess, with the last move and, after a mistake, arrows for it and for what was better.

    The empty board and the drawings of the pieces make up most of such a picture; they stand in the page once
    (see :func:`shared`) and are only referred to. That is 3 kB instead of 30 for each position.
    """
    arrows = []
    if judged.better and judged.move:
        arrows = [
            chess.svg.Arrow(judged.move.from_square, judged.move.to_square, color=_PLAYED),
            chess.svg.Arrow(judged.better[0].from_square, judged.better[0].to_square, color=_BETTER),
        ]
    check = judged.board.king(judged.board.turn) if judged.board.is_check() else None
    svg = chess.svg.board(judged.board, lastmove=judged.move, check=check, arrows=arrows)
    for part in (*_PIECES, *_EMPTY_BOARD):
        svg = svg.replace(part, "")
    svg = re.sub(r'<desc>.*?</desc>| xlink:href="[^"]*"', "", svg, flags=re.DOTALL)
    head, rest = svg.split(">", 1)
    return f'{head}><use href="#empty-board"/>{rest}'


def shared() -> str:
    """A hidden picture with the drawings that the others refer to."""
    drawings = f'{"".join(_PIECES)}<g id="empty-board">{"".join(_EMPTY_BOARD)}</g>'
    return f'<svg width="0" height="0" style="position:absolute"><defs>{drawings}</defs></svg>'


def _parts(svg: str) -> list[str]:
    """The squares and the letters and numbers at the edge of a picture by python-chess."""
    return re.findall(r'<rect [^>]*/>|<g transform="[^"]*" fill="[^"]*" stroke="[^"]*">.*?</g>', svg, re.DOTALL)


_EMPTY_BOARD = _parts(chess.svg.board(None))
#: The drawings of the pieces as ElementTree, with which python-chess writes, spells them.
_PIECES = [ElementTree.tostring(ElementTree.fromstring(drawing)).decode() for drawing in chess.svg.PIECES.values()]
