"""A chess board in the terminal: chessmen on coloured squares if it can show them, else letters."""

import chess
from rich.style import Style
from rich.text import Text

from engine.console import Console

#: The chessmen by piece type. Both sides have the filled ones, which stand out on any square; the colour shows whose.
CHESSMEN = " ♟♞♝♜♛♚"

#: Squares as (dark, light): plain, of the last move, of a king in check. The second for terminals of 16 colours.
_COLOURS = {
    "plain": (("#4f7197", "#8fa9c4"), ("blue", "cyan")),
    "last": (("#8a8a2e", "#b3b34f"), ("green", "green")),
    "check": (("#c0392b", "#c0392b"), ("red", "red")),
}
_MEN = {chess.WHITE: ("#ffffff", "bright_white"), chess.BLACK: ("#000000", "black")}


FEW_COLOURS = ("standard", "windows")  # rich's names for terminals of sixteen colours


def shows_chessmen(console: Console) -> bool:
    """Whether ``console`` is a terminal that shows colours and whose encoding has the chessmen. Not on a dumb terminal,
    under ``NO_COLOR``, in a pipe, or in a Windows console that prints escape sequences."""
    if not console.is_terminal or console.is_dumb_terminal or console.legacy_windows or console.no_color:
        return False
    return console.color_system is not None and can_print(CHESSMEN, console.encoding)


def can_print(text: str, encoding: str) -> bool:
    """Whether ``encoding`` has all characters of ``text``.

    >>> can_print("♚", "utf-8"), can_print("♚", "cp1252")
    (True, False)
    """
    try:
        text.encode(encoding)
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def diagram(board: chess.Board, below: chess.Color) -> str:
    """The board in letters, ``below``'s side nearer to the reader; the squares of the last move stand in brackets, a
    king in check in braces.

    >>> board = chess.Board()
    >>> board.push_san("e4")
    Move.from_uci('e2e4')
    >>> print(diagram(board, chess.WHITE).splitlines()[4])
    4  . . . .[P]. . .
    """
    ranks, files = _order(below)
    rows = []
    for rank in ranks:
        row = ""
        previous = "plain"
        for file in files:
            square = chess.square(file, rank)
            mark = _mark(board, square)
            piece = board.piece_at(square)
            row += _between(previous, mark) + (piece.symbol() if piece else ".")
            previous = mark
        rows.append(f"{rank + 1} {row}{_between(previous, 'plain')}".rstrip())
    letters = " ".join(chess.FILE_NAMES[file] for file in files)
    return "\n".join([*rows, "", f"   {letters}"])


def painted(board: chess.Board, below: chess.Color, few: bool = False) -> Text:
    """The board in chessmen and colours, ``below``'s side nearer to the reader, for a terminal that
    :func:`shows_chessmen`; ``few`` if it has at most sixteen colours."""
    ranks, files = _order(below)
    text = Text()
    for rank in ranks:
        text.append(f"{rank + 1} ")
        for file in files:
            square = chess.square(file, rank)
            light = bool(chess.BB_LIGHT_SQUARES & chess.BB_SQUARES[square])
            piece = board.piece_at(square)
            symbol = CHESSMEN[piece.piece_type] if piece else " "
            colour = _MEN[piece.color if piece else chess.WHITE][few]
            style = Style(color=colour, bgcolor=_COLOURS[_mark(board, square)][few][light], bold=not few)
            text.append(f" {symbol} ", style)
        text.append("\n")
    text.append("  " + "".join(f" {chess.FILE_NAMES[file]} " for file in files))
    return text


def _order(below: chess.Color) -> tuple[range, range]:
    """Ranks from top to bottom and files from left to right."""
    return (range(7, -1, -1), range(8)) if below else (range(8), range(7, -1, -1))


def _mark(board: chess.Board, square: chess.Square) -> str:
    if board.is_check() and square == board.king(board.turn):
        return "check"
    last = board.move_stack[-1] if board.move_stack else None
    return "last" if last and square in (last.from_square, last.to_square) else "plain"


def _between(left: str, right: str) -> str:
    """The character between two squares with these marks."""
    if "check" in (left, right):
        return "{" if right == "check" else "}"
    return {("plain", "plain"): " ", ("last", "last"): "|", ("plain", "last"): "["}.get((left, right), "]")
