"""Reads positions from FEN and EPD, standard chess or Chess960, and names their faults."""

import os
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NoReturn

import chess

from engine.messages import CHESS960, PositionError, quoted
from engine.reading.text import Line, ReadError, read_lines

#: Clearer words for some of python-chess's faults.
_WORDS = {
    chess.STATUS_OPPOSITE_CHECK: "the king of the side that is not to move is in check",
    chess.STATUS_EMPTY: "no pieces",
}


@dataclass(frozen=True, slots=True)
class ReadPosition:
    """A legal position from a line of text. ``rest`` is the text after it, such as the operations of EPD; ``repairs``
    says what was changed to make it legal."""

    board: chess.Board
    rest: str = ""
    repairs: tuple[str, ...] = ()


def read_position(line: str, chess960: bool = False, unreachable: bool = False) -> ReadPosition:
    """The position at the beginning of ``line``, a FEN or an EPD with or without counters.

    Castling rights that only exist in Chess960 make it a Chess960 position, as does ``chess960``. Rights without their
    king or rook, and en passant squares that no pawn has just passed, are dropped, as over UCI.
    ``unreachable`` accepts checks that cannot occur in a game. Raises PositionError."""
    fields = line.split(None, 6)
    if len(fields) < 4:
        found = f"{len(fields)} field{'s' if len(fields) != 1 else ''}"
        raise PositionError(f"{quoted(line.strip())} is not a position (it has {found} instead of 4 to 6)")
    count = next((at for at in (4, 5) if not _COUNTER.fullmatch("".join(fields[at : at + 1]))), 6)
    castling = "".join(dict.fromkeys(sorted(fields[2], key=str.islower)))  # White's first, as python-chess wants it
    try:
        board = chess.Board(" ".join([*fields[:2], castling, *fields[3:count]]), chess960=chess960)
    except (ValueError, IndexError) as error:
        raise PositionError(f"{quoted(line.strip())} is not a position ({quoted(str(error))[1:-1]})") from None
    repairs = [f"castling rights '{fields[2]}' are read as '{castling}'"] if castling != fields[2] else []
    board.chess960 = chess960 or board.has_chess960_castling_rights()
    rights = board.clean_castling_rights()
    if board.castling_rights != rights:
        board.castling_rights = rights
        repairs.append(f"castling rights '{castling}' become '{board.castling_xfen()}': no king or rook in place")
    if board.status() & chess.STATUS_INVALID_EP_SQUARE:
        board.ep_square = None
        repairs.append(f"en passant square '{fields[3]}' is dropped: no pawn has just passed it")
    if board.status() & ~(chess.STATUS_IMPOSSIBLE_CHECK if unreachable else 0):
        raise PositionError(f"not a legal position: {quoted(line.strip())} ({faults(board)})")
    return ReadPosition(board, line.split(None, count)[count] if len(fields) > count else "", tuple(repairs))


#: A counter of a FEN (an operation of EPD begins with a letter).
_COUNTER = re.compile(r"[0-9]{1,9}")


#: Opcode and operand of EPD.
_OPERATION = re.compile(r'\s*(\w+)((?:"[^"]*"|[^;"])*)(?:;[\s;]*|$)')


#: The opcodes of the standard, which are recognised without a final semicolon.
_OPCODE = re.compile("ac[dns]|[abps]m|c[0-9]|ce|dm|draw_[a-z]+|eco|fmvn|hmvc|id|nic|noop|pv|rc|resign|tc[a-z]+|v[0-9]")


def operations_of(text: str) -> dict[str, str]:
    """The EPD operations in ``text``, by opcode. Raises PositionError for anything else."""
    operations, at = {}, 0
    while at < len(text):
        found = _OPERATION.match(text, at)
        if found is None or not (found[0].rstrip().endswith(";") or _OPCODE.fullmatch(found[1])):
            raise PositionError(f"{quoted(text[at:].strip())} is not an operation of EPD")
        operations[found[1]] = found[2].strip().strip('"').strip()
        at = found.end()
    return operations


def raise_fault(error: ReadError) -> NoReturn:
    """Raise ``error``: the file is refused as a whole."""
    raise error from None


def read_positions(
    path: str | os.PathLike[str],
    report: Callable[[str], None] = lambda repair: None,
    on_fault: Callable[[ReadError], object] = raise_fault,
) -> Iterator[tuple[int, ReadPosition]]:
    """Line numbers and positions of a file with one FEN or EPD a line; blank lines and those that begin with ``#`` are
    skipped. Repairs are reported; ``on_fault`` gets a ReadError, which names file and line, for each unreadable line,
    and raises it unless told otherwise. Raises ReadError if there are no positions."""
    number = 0
    for number, line in _lines(path, report):
        try:
            found = read_position(line)
        except PositionError as error:
            on_fault(ReadError(f"{path}:{number}: {error}"))
            continue
        for repair in found.repairs:
            report(f"{path}:{number}: {repair}")
        yield number, found
    if not number:
        raise ReadError(f"{path} has no positions")


def _lines(path: str | os.PathLike[str], report: Callable[[str], None]) -> Iterator[Line]:
    for number, line in read_lines(path, lambda number, text: report(f"{path}:{number}: {text}")):
        if line.strip() and not line.startswith("#"):
            yield number, line


def read_board(
    fen: str, chess960: bool = False, report: Callable[[str], None] = lambda repair: None, epd: bool = False
) -> chess.Board:
    """The board for ``fen``, the start position if it is empty or ``startpos``; see :func:`read_position`. Repairs are
    reported. Raises PositionError, also for text after the FEN unless it is, with ``epd``, operations."""
    if fen and fen != "startpos" and len(fen.split()) < 4 and fen.count("/") != 7:
        raise PositionError(f"{'neither a FEN nor a file' if epd else 'not a FEN'}: {quoted(fen)}")
    found = read_position(fen if fen not in ("", "startpos") else chess.STARTING_FEN, chess960)
    if epd:
        operations_of(found.rest)
    elif found.rest:
        raise PositionError(f"{quoted(fen)} has {quoted(found.rest)} after the position")
    for repair in found.repairs:
        report(repair)
    if found.board.chess960 and not chess960:
        report(CHESS960)
    return found.board


def faults(board: chess.Board) -> str:
    """Why the position is illegal; empty if it is legal.

    >>> faults(chess.Board("8/8/8/8/8/8/8/K7 w - - 0 1"))
    'no black king'
    """
    found = [status for status in chess.Status if status and status in board.status()]
    return ", ".join(_WORDS.get(status, (status.name or "").lower().replace("_", " ")) for status in found)
