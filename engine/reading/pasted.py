"""Reads a position from text of any form: a FEN or EPD, moves, or an address that has one in it."""

import re
from collections.abc import Callable

import chess

from engine.messages import PositionError, quoted
from engine.reading.games import games_of
from engine.reading.moves import read_move
from engine.reading.positions import read_board
from engine.reading.tokens import Kind, tokens

#: An address, with or without its scheme.
_ADDRESS = re.compile(r"\s*(?:[a-z]+://|www\.|[a-z.]*(?:lichess\.org|chess\.com)/)\S+\s*", re.IGNORECASE)

#: The position in an address, such as that of lichess's board editor.
_IN_ADDRESS = re.compile(r"(?:[pnbrqk1-8]+(?:/|%2F)){7}[pnbrqk1-8]+(?:_|%20|\+)[wb](?:_|%20|\+)[^?#&]*", re.IGNORECASE)


def is_pgn(text: str) -> bool:
    """Whether ``text`` is to be read as games: it has PGN tags, several games, or moves and a result."""
    lines = list(enumerate(text.split("\n"), 1))
    words = list(tokens(lines))
    if any(token.kind is Kind.TAG for token in words):
        return True
    found = [one.game for one in games_of(lines, lambda warning: None)]
    has_result = any(token.kind is Kind.RESULT and token.text != "*" for token in words)
    return len(found) > 1 or (has_result and any(game.variations for game in found))


def read_pasted(text: str, chess960: bool = False, report: Callable[[str], None] = lambda repair: None) -> chess.Board:
    """The board for ``text``: a FEN, an EPD, a ``position`` command, or moves, which are then on the board; the start
    position for empty text. Repairs are reported. Raises PositionError, which says what was given."""
    if _ADDRESS.fullmatch(text):
        found = _IN_ADDRESS.search(text)
        if found is None:
            advice = "save the game as a PGN file, or copy its moves or its FEN, and analyse that"
            raise PositionError(f"{quoted(text.strip())} is an address, which Numbat does not load: {advice}")
        text = re.sub("%2F", "/", re.sub(r"%20|\+", "_", found[0]), flags=re.IGNORECASE)
    start, _, moves = text.strip().removeprefix("position ").partition(" moves ")
    if start in ("", "startpos") or start.count("/") > 5:
        board = read_board(start, chess960, report, epd=True)
        for move in moves.split():
            board.push(read_move(board, move))
        return board
    warnings: list[str] = []
    game = next((found.game for found in games_of(enumerate(text.split("\n"), 1), warnings.append, "moves")), None)
    if game is None or not (game.variations or game.errors):
        raise PositionError(f"neither a position nor moves nor a file: {quoted(text.strip())}")
    if game.errors:
        raise PositionError(str(game.errors[0]).replace("; the game ends before it", ""))
    for warning in warnings:
        report(warning)
    return game.end().board()
