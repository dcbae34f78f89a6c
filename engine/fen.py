"""Reads Forsyth-Edwards notation, with the castling rights of X-FEN and Shredder-FEN, for the engine and for all tools.

See https://en.wikipedia.org/wiki/Forsyth%E2%80%93Edwards_Notation and https://en.wikipedia.org/wiki/X-FEN."""

import re
from dataclasses import dataclass

from engine.messages import PositionError, counted, quoted

START_FEN = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"

NOTHING = "."  # the letter of a square without a piece

_COLOR_NAMES = ("White", "Black")

_LETTERS = ("KQRBNP", "kqrbnp")  # the pieces of each side by letter: king, queen, rook, bishop, knight, pawn
_TARGET_RANK = (5, 2)  # the rank, from 0, on which a side captures en passant


@dataclass(frozen=True, slots=True)
class FenFields:
    """The parts of a FEN, its rights and en passant square checked against its pieces. Squares run from a1 = 0 to h8 =
    63, sides are 0 for White and 1 for Black."""

    pieces: str  # the letter of the piece on each square, :data:`NOTHING` for none
    side: int  # the side to move
    rooks: tuple[int | None, ...]
    """The square of the rook for each castling right: White's short and long, Black's short and long."""
    en_passant: int | None  # the square where a pawn stands ready to capture en passant
    clocks: tuple[int, int]  # plies since a capture or pawn move, and the number of the move
    rest: str  # the text after the position, such as the operations of EPD
    repairs: tuple[str, ...]  # what was read otherwise than it is written, in words


def read_fen(text: str, chess960: bool = False) -> FenFields:
    """The position at the beginning of ``text``, a FEN of three to six fields or an EPD.

    The letters ``KQkq`` stand for the rights of standard chess unless ``chess960`` or the array of a Chess960 game says
    otherwise; Shredder's letters (files) stand for those of Chess960. Rights without their king or rook, and en passant
    squares that no pawn has just passed, are dropped. A FEN may stand in quotes, after ``fen`` or ``position fen``, and
    have underscores for spaces, as in an address. Raises :class:`PositionError`, which names the fault.
    """
    fields = _plain(text).split(None, 4)
    if len(fields) < 3:
        raise PositionError(f"FEN {quoted(text.strip())} has {counted(len(fields), 'field')} instead of 3 to 6")
    repairs: list[str] = []
    pieces = _pieces(fields[0])
    check_material(pieces)
    if fields[1] not in ("w", "b"):
        raise PositionError(f"FEN side to move {quoted(fields[1])} is neither w nor b")
    side = "wb".index(fields[1])
    rooks = _rooks(fields[2], pieces, chess960, repairs)
    en_passant = _en_passant(fields[3], pieces, side, repairs) if len(fields) > 3 else None
    counters: list[int] = []
    rest = "".join(fields[4:])
    while len(counters) < 2 and (found := _COUNTER.match(rest)):
        if found[1] == "-":
            repairs.append("'-' in place of a counter is ignored")
        else:
            counters.append(int(found[1]))
        rest = rest[found.end() :]
    rule50 = check_number(counters[0], "halfmove clock", 0) if counters else 0
    number = check_number(counters[1], "move number", 1) if counters[1:] else 1
    return FenFields(pieces, side, rooks, en_passant, (rule50, number), rest, tuple(repairs))


#: A counter of a FEN (an operation of EPD begins with a letter), or the dash that some suites have there.
_COUNTER = re.compile(r"(\+?[0-9]{1,9}|-)(?:\s+|$)")

_QUOTES = "[\"'`“„](.*)[\"'`”“]"

#: What may surround a FEN, from the outside.
_SURROUNDINGS = [
    re.compile(pattern, re.IGNORECASE)
    for pattern in (r"\[FEN\s+(.*)\]", _QUOTES, r"(?:position\s+)?fen(?:\s*[:=]\s*|\s+)(.*)", _QUOTES)
]


def _plain(text: str) -> str:
    """``text`` without what surrounds the FEN."""
    for around in _SURROUNDINGS:
        text = text.strip()
        if found := around.fullmatch(text):
            text = found[1]
    return text.replace("_", " ") if text.count("/") == 7 and len(text.split()) == 1 else text


def _pieces(field: str) -> str:
    """The 64 letters of a FEN's first field, from a1 to h8."""
    ranks = field.split("/")
    if len(ranks) != 8:
        raise PositionError(f"FEN board {quoted(field)} has {counted(len(ranks), 'rank')} instead of 8")
    rows = []
    for number, rank in zip(range(8, 0, -1), ranks, strict=True):
        row = ""
        for letter in rank:
            if letter in "12345678":
                row += NOTHING * int(letter)
            elif letter in "PNBRQKpnbrqk":
                row += letter
            else:
                raise PositionError(f"FEN board has {quoted(letter)} on rank {number}")
        if len(row) != 8:
            raise PositionError(f"FEN rank {number} {quoted(rank)} has {counted(len(row), 'square')} instead of 8")
        rows.append(row)
    return "".join(reversed(rows))


def check_material(pieces: str) -> None:
    """Raise :class:`PositionError` for ``pieces``, letters by square, that no game can reach."""
    for letters, name in zip(_LETTERS, _COLOR_NAMES, strict=True):
        kings, queens, rooks, bishops, knights, pawns = map(pieces.count, letters)
        if kings != 1:
            raise PositionError(f"{name} has {kings} kings instead of 1")
        total = kings + queens + rooks + bishops + knights + pawns
        if total > 16:
            raise PositionError(f"{name} has {total} pieces, more than 16")
        if pawns > 8:
            raise PositionError(f"{name} has {pawns} pawns, more than 8")
        if max(0, queens - 1) + sum(max(0, count - 2) for count in (rooks, bishops, knights)) + pawns > 8:
            raise PositionError(f"{name} has more promoted pieces than missing pawns")
    for rank in (0, 56):
        for at, letter in enumerate(pieces[rank : rank + 8], rank):
            if letter in "Pp":
                raise PositionError(f"a pawn stands on {square_name(at)}")
    white, black = pieces.index("K"), pieces.index("k")
    if max(abs((white & 7) - (black & 7)), abs((white >> 3) - (black >> 3))) == 1:
        raise PositionError(f"the kings stand side by side on {square_name(white)} and {square_name(black)}")


def _rooks(field: str, pieces: str, chess960: bool, repairs: list[str]) -> tuple[int | None, ...]:
    """The rooks of the four rights; rights without their king or rook in place are dropped."""
    rooks: list[int | None] = [None] * 4
    if field == "-":
        return tuple(rooks)
    written = "".join(dict.fromkeys(sorted(field, key=str.islower)))  # White's first, as it should be
    anywhere = chess960 or bool(set(field.lower()) - set("kq")) or _is_array(pieces)
    kept = ""
    for letter in written:
        color, name = int(letter.islower()), letter.lower()
        if name not in "kqabcdefgh":
            raise PositionError(f"FEN castling field {quoted(field)} has {quoted(letter)}")
        rook = _rook(name, _LETTERS[color], 56 * color, pieces, anywhere)
        if rook is not None:
            rooks[2 * color + (rook < pieces.index(_LETTERS[color][0]))] = rook
            kept += letter
    if kept != field:
        why = "" if kept == written else ": no king or rook in place"
        repairs.append(f"castling rights {quoted(field)} are read as '{kept or '-'}'{why}")
    return tuple(rooks)


def _rook(name: str, letters: str, home: int, pieces: str, anywhere: bool) -> int | None:
    """The rook of the right ``name`` on the rank from ``home`` on; None if it or its king is not there."""
    king = pieces.index(letters[0])
    if king & 56 != home or not (anywhere or king == home + 4):
        return None
    found = [at for at in range(home, home + 8) if pieces[at] == letters[2]]
    match name:
        case "k":
            found = [at for at in found if at > king and (anywhere or at == home + 7)][-1:]
        case "q":
            found = [at for at in found if at < king and (anywhere or at == home)][:1]
        case _:
            found = [at for at in found if at & 7 == "abcdefgh".index(name)]
    return found[0] if found else None


def _is_array(pieces: str) -> bool:
    """Whether ``pieces`` are those of a game of Chess960, or double Chess960, before its first move."""
    ranks = "".join(sorted(pieces[:8])), pieces[8:16], pieces[48:56], "".join(sorted(pieces[56:]))
    return ranks == ("BBKNNQRR", "PPPPPPPP", "pppppppp", "bbknnqrr")


def _en_passant(field: str, pieces: str, side: int, repairs: list[str]) -> int | None:
    if field == "-":
        return None
    if len(field) != 2 or field[0] not in "abcdefgh" or field[1] not in "12345678":
        raise PositionError(f"FEN en passant square {quoted(field)} is not a square")
    square = "abcdefgh".index(field[0]) + 8 * (int(field[1]) - 1)
    if square >> 3 != _TARGET_RANK[side]:
        raise PositionError(f"FEN en passant square {quoted(field)} is on the wrong rank")
    if not _has_passed(square, pieces, side):
        repairs.append(f"en passant square '{field}' is dropped: no pawn has just passed it")
    return en_passant_target(square, pieces, side)


def _has_passed(square: int, pieces: str, side: int) -> bool:
    """Whether a pawn of the other side may have just passed ``square``."""
    behind = square + (-8 if side else 8)
    return pieces[square] == pieces[behind] == NOTHING and pieces[square ^ 8] == _LETTERS[side ^ 1][5]


def en_passant_target(square: int, pieces: str, side: int) -> int | None:
    """``square`` if a pawn of ``side``, which is to move, stands ready to capture on it, else None."""
    if square >> 3 != _TARGET_RANK[side] or not _has_passed(square, pieces, side):
        return None
    beside = [at for at in (square - 1, square + 1) if at >> 3 == square >> 3]
    ready = any(pieces[at ^ 8] == _LETTERS[side][5] for at in beside)
    return square if ready else None


def check_number(value: int, name: str, lowest: int) -> int:
    """``value``, raised to ``lowest``. Raises :class:`PositionError` if it is out of range."""
    if not 0 <= value <= 99_999:
        raise PositionError(f"FEN {name} {value} is out of range")
    return max(value, lowest)


def square_name(square: int) -> str:
    """``e4`` for 28."""
    return "abcdefgh"[square & 7] + "12345678"[square >> 3]
