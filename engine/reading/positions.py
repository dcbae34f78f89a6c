"""Reads positions from FEN and EPD, standard chess or Chess960, and names their faults."""

import os
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NoReturn

import chess

from engine.fen import START_FEN, FenFields, check_number, read_fen
from engine.messages import CHESS960, PositionError, quoted
from engine.reading.text import Line, ReadError, read_lines


@dataclass(frozen=True, slots=True)
class ReadPosition:
    """A legal position from a line of text. ``rest`` is the text after it, such as the operations of EPD; ``repairs``
    says what was read otherwise than it is written."""

    board: chess.Board
    rest: str = ""
    repairs: tuple[str, ...] = ()


def read_position(line: str, chess960: bool = False) -> ReadPosition:
    """The position at the beginning of ``line``, a FEN or an EPD, as :func:`engine.fen.read_fen` reads it; without
    counters, those of the operations ``hmvc`` and ``fmvn`` count. Castling rights that only exist in Chess960 make it a
    Chess960 position, as does ``chess960``. Raises PositionError."""
    try:
        setup = read_fen(line, chess960)
        board = _board_of(setup, chess960)
        sides = ("White", "Black") if board.turn else ("Black", "White")
        if board.was_into_check():
            raise PositionError(f"{sides[1]} is in check but it is {sides[0]}'s move")
        if board.checkers_mask().bit_count() > 2:
            raise PositionError(f"{sides[0]} is in check by more than two pieces")
    except PositionError as error:
        raise PositionError(f"{quoted(line.strip())} is not a position ({error})") from None
    counters = dict(_COUNTERS.findall(setup.rest))
    if "hmvc" in counters:
        board.halfmove_clock = check_number(int(counters["hmvc"]), "halfmove clock", 0)
    if "fmvn" in counters:
        board.fullmove_number = check_number(int(counters["fmvn"]), "move number", 1)
    return ReadPosition(board, setup.rest, setup.repairs)


def _board_of(setup: FenFields, chess960: bool) -> chess.Board:
    board = chess.Board(None, chess960=chess960)
    letters = enumerate(setup.pieces)
    board.set_piece_map({square: chess.Piece.from_symbol(letter) for square, letter in letters if letter != "."})
    board.turn = not setup.side
    board.castling_rights = sum(1 << rook for rook in setup.rooks if rook is not None)
    board.ep_square = setup.en_passant
    board.halfmove_clock, board.fullmove_number = setup.clocks
    board.chess960 = chess960 or board.has_chess960_castling_rights()
    return board


#: The operations of EPD that are the counters of a FEN.
_COUNTERS = re.compile(r"(?:^|;)\s*(hmvc|fmvn)\s+([0-9]{1,9})\s*(?=;|$)")

_OPERATION = re.compile(r'\s*(\w+)((?:"[^"]*"|[^;"])*)(?:;[\s;]*|$)')  # opcode and operand of EPD


#: The opcodes of the standard, which are recognized without a final semicolon.
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
    """Line numbers and positions of a file with one FEN or EPD a line; blank lines and lines that begin with ``#`` are
    skipped. Repairs are reported; ``on_fault`` gets a ReadError, which names file and line, for each unreadable line,
    and by default raises it. Raises ReadError if there are no positions."""
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
    if fen and fen != "startpos" and "/" not in fen:
        raise PositionError(f"not a FEN: {quoted(fen)}")
    found = read_position(fen if fen not in ("", "startpos") else START_FEN, chess960)
    if epd:
        operations_of(found.rest)
    elif found.rest:
        raise PositionError(f"{quoted(fen)} has {quoted(found.rest)} after the position")
    for repair in found.repairs:
        report(repair)
    if found.board.chess960 and not chess960:
        report(CHESS960)
    return found.board
