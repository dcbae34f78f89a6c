"""Annotated games as one self-contained HTML page: the board to step through, the graph, the marks, the figures.

The page is :file:`report.html` with its style and its script beside it. It draws the boards itself, from FENs and the
drawings of the pieces by python-chess; what a move was worth, and all words about it, come from here.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import chess
import chess.pgn
import chess.svg

from engine.analysis.accuracy import Side, move_accuracy, summary
from engine.analysis.annotate import Judged
from engine.analysis.clock import clock_text
from engine.analysis.files import pgn_text
from engine.analysis.judge import Grade, chances_on
from engine.analysis.lines import chances_text, ending_text, percents, score_text
from engine.analysis.notes import positions
from engine.analysis.openings import opening_of
from engine.explanation.standing import human_expectation
from engine.lab.page import fill

#: The phases of a game.
PHASES = ("opening", "middlegame", "endgame")

#: Pieces other than kings and pawns up to which it is the endgame, or the middlegame, and the moves of the opening.
_ENDGAME, _MIDDLEGAME, _OPENING_MOVES = 6, 10, 15

Report = tuple[chess.pgn.Game, Sequence[Judged]]


def render(games: Sequence[Report], engine: str, fingerprint: str = "", name: str = "games.annotated.pgn") -> str:
    """The page for ``games`` with what was found in them; ``engine`` says who looked and for how long.

    By ``fingerprint`` the page is known again (see :func:`engine.analysis.files.check_page`). ``name`` is that of
    the PGN file which can be downloaded from the page.
    """
    data = {
        "fingerprint": fingerprint,
        "engine": engine,
        "pieces": pieces(),
        "file": name,
        "phases": PHASES,
        "grades": [{"word": grade.word, "words": grade.words, "glyph": grade.glyph} for grade in Grade if grade.word],
        "games": [_game(game, moves) for game, moves in games],
    }
    return fill("engine.analysis", "report.html", data, look="report.css", script="report.js", learn="learn.js")


def _game(game: chess.pgn.Game, moves: Sequence[Judged]) -> dict[str, Any]:
    tags = game.headers
    players = f"{tags.get('White', '?')} - {tags.get('Black', '?')}"
    named = (tags.get(tag, "").removesuffix(".??").removesuffix(".??") for tag in ("Event", "Site", "Date"))
    place = ", ".join(name for name in named if name.strip("?."))
    boards = [judged.board for judged in moves]
    opening = opening_of(boards)
    theory = max((number for number, judged in enumerate(moves) if judged.book), default=0)
    sides = summary(moves)
    clocks = [node.clock() for node in positions(game)]
    return {
        "title": f"{players}, {tags.get('Result', '*')}",
        "place": place,
        "opening": f"{opening.eco} {opening.name}" if opening else "",
        "theory": _theory(moves, theory) if opening else "",
        "sides": [_side(tags, name, sides[color]) for name, color in (("White", True), ("Black", False))],
        "plies": [_ply(moves, number, clocks[number]) for number in range(len(moves))],
        "pgn": pgn_text(game),
    }


def _theory(moves: Sequence[Judged], last: int) -> str:
    """The move by which the game reached its last position in the table of openings."""
    return f"last named position: {_label(moves[last], moves[last - 1].board)}" if last else ""


def _side(tags: chess.pgn.Headers, name: str, side: Side) -> dict[str, Any]:
    elo = tags.get(f"{name}Elo", "").strip("?-")
    return {
        "name": tags.get(name, "?"),
        "elo": elo,
        "moves": side.moves,
        "accuracy": f"{side.accuracy:.1f}%" if side.moves else "",
        "loss": f"{side.loss:.0f}" if side.moves else "",
        "counts": [count for grade, count in side.counts.items()],
    }


def _ply(moves: Sequence[Judged], number: int, clock: float | None) -> dict[str, Any]:
    judged, board = moves[number], moves[number].board
    before = moves[number - 1].board if number else None
    ends = board.outcome() is not None
    white = chances_on(board, judged.score)
    line = judged.better or judged.next_best
    return {
        **picture(board),
        "label": _label(judged, before),
        "san": judged.san,
        "number": before.fullmove_number if before else board.fullmove_number,
        "white": bool(before and before.turn),
        "glyph": judged.grade.glyph,
        "word": judged.grade.word,
        "bad": judged.grade.bad,
        "book": judged.book,
        "phase": phase(before) if before else 0,
        "why": judged.why,
        "accuracy": round(_accuracy(moves, number)) if number else None,
        "score": ending_text(board) if ends else score_text(judged.score),
        "short": board.result() if ends else score_text(judged.score),
        "chance": round(100 * white.expectation(), 1),
        "bands": percents(white),
        "chances": "" if ends else chances_text(white),
        "line": _line(before, line) if before and line else None,
        "try": _choices(before, judged) if before and judged.grade.bad else None,
        "placement": placement(board),
        "clock": clock_text(clock, tenths=clock % 1 > 0) if clock is not None else "",
    }


def _accuracy(moves: Sequence[Judged], number: int) -> float:
    turn = moves[number - 1].board.turn
    before, after = (100 * human_expectation(moves[at].score.pov(turn)) for at in (number - 1, number))
    return move_accuracy(before, after)


def _label(judged: Judged, before: chess.Board | None) -> str:
    if before is None:
        return "Start of the game"
    return f"{before.fullmove_number}{'.' if before.turn else '…'} {judged.san}{judged.grade.glyph}"


def _choices(board: chess.Board, judged: Judged) -> dict[str, Any]:
    """What a reader may try in place of a bad move: all legal moves by UCI and SAN, and those that are nearly best."""
    return {
        "legal": {move.uci(): board.san(move) for move in board.legal_moves},
        "also": [move.uci() for move in judged.also],
        "best": judged.better[0].uci() if judged.better else "",
    }


def _line(board: chess.Board, moves: Sequence[chess.Move]) -> list[dict[str, Any]]:
    """A line to play through: each move with its number if one is written, and the position after it."""
    board = board.copy()
    result = []
    for at, move in enumerate(moves):
        number = f"{board.fullmove_number}{'.' if board.turn else '…'}" if board.turn or not at else ""
        san = board.san(move)
        board.push(move)
        result.append({"number": number, "san": san, **picture(board), "placement": placement(board)})
    return result


def phase(board: chess.Board) -> int:
    """The index among :data:`PHASES` by pieces other than kings and pawns (as lichess.org, whose rule is longer).

    >>> phase(chess.Board()), phase(chess.Board("4k3/8/8/8/8/8/7P/R3K2R w - - 0 40"))
    (0, 2)
    """
    pieces = chess.popcount(board.occupied & ~board.pawns & ~board.kings)
    return 2 if pieces <= _ENDGAME else int(pieces <= _MIDDLEGAME or board.fullmove_number > _OPENING_MOVES)


def picture(board: chess.Board) -> dict[str, Any]:
    """What the page needs to draw a position: pieces as in a FEN, the last move, and the king that is in check."""
    move = board.move_stack[-1] if board.move_stack else None
    king = board.king(board.turn) if board.is_check() else None
    return {
        "fen": board.board_fen(),
        "move": [chess.square_name(move.from_square), chess.square_name(move.to_square)] if move else [],
        "check": chess.square_name(king) if king is not None else "",
    }


def placement(board: chess.Board) -> str:
    """What stands where, for those who cannot see the picture.

    >>> placement(chess.Board("4k3/8/8/8/8/8/7P/R3K2R w - - 0 1"))
    'White: king e1, rooks a1 h1, pawn h2. Black: king e8.'
    """
    sides = []
    for color, side in ((chess.WHITE, "White"), (chess.BLACK, "Black")):
        pieces = []
        for piece in reversed(chess.PIECE_TYPES):
            squares = [chess.square_name(square) for square in board.pieces(piece, color)]
            if squares:
                pieces.append(" ".join([chess.piece_name(piece) + "s" * (len(squares) > 1), *squares]))
        sides.append(f"{side}: {', '.join(pieces)}.")
    return " ".join(sides)


def pieces() -> str:
    """A hidden picture with the drawings of the pieces, by the letters of a FEN."""
    drawings = "".join(f'<g id="piece-{letter}">{drawing}</g>' for letter, drawing in chess.svg.PIECES.items())
    return f'<svg width="0" height="0" style="position:absolute"><defs>{drawings}</defs></svg>'
