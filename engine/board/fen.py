"""Reading and writing Forsyth-Edwards notation, with the castling rights of X-FEN and Shredder-FEN.

See https://en.wikipedia.org/wiki/Forsyth%E2%80%93Edwards_Notation and https://en.wikipedia.org/wiki/X-FEN."""

from collections.abc import Sequence

import numpy as np

from engine.board.aliases import Position
from engine.board.setup import complete_setup
from engine.board.tables import TABLES
from engine.board.types import (
    BISHOP,
    BLACK,
    EMPTY,
    EP_PSEUDO,
    KING,
    KNIGHT,
    NO_SQUARE,
    PAWN,
    PIECE_LETTERS,
    QUEEN,
    ROOK,
    WHITE,
    square_name,
)
from engine.messages import PositionError, quoted

START_FEN = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"

#: Maximum characters of a FEN; one with every field at its longest has 105.
_LONGEST_FEN = 400

_COLOR_NAMES = ("White", "Black")


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'s' if number != 1 else ''}"


def _parse_board(field: str) -> bytearray:
    """The 64 pieces of a FEN's first field, from a1 to h8."""
    ranks = field.split("/")
    if len(ranks) != 8:
        raise PositionError(f"FEN board '{field}' has {_count(len(ranks), 'rank')} instead of 8")
    board = bytearray()
    for number, rank in zip(range(8, 0, -1), ranks, strict=True):
        pieces: list[int] = []
        for letter in rank:
            if letter in "12345678":
                pieces += [EMPTY] * int(letter)
            elif letter != "." and letter in PIECE_LETTERS:
                pieces.append(PIECE_LETTERS.index(letter))
            else:
                raise PositionError(f"FEN board has '{letter}' on rank {number}")
        if len(pieces) != 8:
            raise PositionError(f"FEN rank {number} '{rank}' has {_count(len(pieces), 'square')} instead of 8")
        board[:0] = bytes(pieces)
    return board


def check_material(board: bytearray) -> None:
    """Refuse pieces, by square, that no game can reach (which also bounds the number of legal moves)."""
    for color in (WHITE, BLACK):
        count = [board.count(color << 3 | kind) for kind in range(6)]
        name = _COLOR_NAMES[color]
        if count[KING] != 1:
            raise PositionError(f"{name} has {count[KING]} kings instead of 1")
        if sum(count) > 16:
            raise PositionError(f"{name} has {sum(count)} pieces, more than 16")
        if count[PAWN] > 8:
            raise PositionError(f"{name} has {count[PAWN]} pawns, more than 8")
        promoted = max(0, count[QUEEN] - 1)
        promoted += sum(max(0, count[kind] - 2) for kind in (KNIGHT, BISHOP, ROOK))
        if promoted + count[PAWN] > 8:
            raise PositionError(f"{name} has more promoted pieces than missing pawns")
    for square in (*range(8), *range(56, 64)):
        if board[square] & 7 == PAWN:
            raise PositionError(f"a pawn stands on {square_name(square)}")
    kings = [board.index(color << 3 | KING) for color in (WHITE, BLACK)]
    if int(TABLES["king"][kings[0]]) >> kings[1] & 1:
        raise PositionError(f"the kings stand side by side on {' and '.join(map(square_name, kings))}")


def _parse_castling(field: str, board: bytearray) -> list[int]:
    """Rook squares for the four rights; rights without their king or rook at home are dropped."""
    rooks = [NO_SQUARE] * 4
    if field == "-":
        return rooks
    for letter in field:
        color = WHITE if letter.isupper() else BLACK
        home = 56 * color
        name = letter.lower()
        if name not in "kqabcdefgh":
            raise PositionError(f"FEN castling field '{field}' has '{letter}'")
        king = board.index(color << 3 | KING)
        if king >> 3 != home >> 3:
            continue
        at_home = [square for square in range(home, home + 8) if board[square] == color << 3 | ROOK]
        if name in "kq":
            short = [square for square in at_home if square > king]
            long = [square for square in at_home if square < king]
            found = short[-1:] if name == "k" else long[:1]
        else:
            found = [square for square in at_home if square & 7 == "abcdefgh".index(name)]
        for rook in found:
            rooks[2 * color + (rook < king)] = rook
    return rooks


def needs_chess960(position: Position) -> bool:
    """Whether a castling right has its king or rook on a non-standard square (the king's own move could then not be
    told from an ordinary one)."""
    board = position["board"].tolist()
    for right in range(4):
        if int(position["castling"]) >> right & 1:
            home = 56 * (right >> 1)
            king = board.index((right >> 1) << 3 | KING)
            if king != home + 4 or position["castling_rook"][right] != home + (0 if right & 1 else 7):
                return True
    return False


def _parse_en_passant(field: str, board: bytearray, side: int) -> int:
    if field == "-":
        return NO_SQUARE
    if len(field) != 2 or field[0] not in "abcdefgh" or field[1] not in "12345678":
        raise PositionError(f"FEN en passant square '{field}' is not a square")
    square = "abcdefgh".index(field[0]) + 8 * (int(field[1]) - 1)
    if square >> 3 != _TARGET_RANK[side]:
        raise PositionError(f"FEN en passant square '{field}' is on the wrong rank")
    return en_passant_target(square, board, side)


#: The rank, from 0, on which ``side`` captures en passant.
_TARGET_RANK = (5, 2)


def en_passant_target(square: int, board: bytearray, side: int) -> int:
    """``square`` if a pawn of ``side``, which is to move, stands ready to capture on it, else NO_SQUARE."""
    if square >> 3 != _TARGET_RANK[side]:
        return NO_SQUARE
    passed, behind = square ^ 8, square + (8 if side == WHITE else -8)
    if board[square] != EMPTY or board[behind] != EMPTY or board[passed] != (side ^ 1) << 3 | PAWN:
        return NO_SQUARE
    takers = int(TABLES["pawn"][side ^ 1, square])
    ready = any(takers >> origin & 1 and board[origin] == side << 3 | PAWN for origin in range(64))
    return square if ready else NO_SQUARE


def _parse_number(field: str, name: str, lowest: int) -> int:
    try:
        value = int(field)
    except ValueError:
        raise PositionError(f"FEN {name} '{field}' is not a number") from None
    return check_number(value, name, lowest)


def check_number(value: int, name: str, lowest: int) -> int:
    """``value``, raised to ``lowest``. Raises :class:`PositionError` if it is out of range."""
    if not 0 <= value <= 99_999:
        raise PositionError(f"FEN {name} {value} is out of range")
    return max(value, lowest)


def set_fen(position: Position, fen: str, chess960: bool = False) -> None:
    """Set ``position`` from a FEN of four to six fields. It is marked as Chess960 if ``chess960`` is set or
    :func:`needs_chess960` says so. Raises :class:`PositionError`, which names the fault; ``position`` must then not be
    used (set a spare record and copy it)."""
    if len(fen) > _LONGEST_FEN:
        raise PositionError(f"FEN {quoted(fen)} has {len(fen)} characters")
    fields = fen.split()
    if not 4 <= len(fields) <= 6:
        raise PositionError(f"FEN '{fen}' has {_count(len(fields), 'field')} instead of 4 to 6")
    board = _parse_board(fields[0])
    check_material(board)
    if fields[1] not in ("w", "b"):
        raise PositionError(f"FEN side to move '{fields[1]}' is neither w nor b")
    side = "wb".index(fields[1])
    rooks = _parse_castling(fields[2], board)
    en_passant = _parse_en_passant(fields[3], board, side)
    rule50 = _parse_number(fields[4], "halfmove clock", 0) if len(fields) > 4 else 0
    fullmove = _parse_number(fields[5], "move number", 1) if len(fields) > 5 else 1

    set_up(position, board, side, rooks, en_passant, (rule50, fullmove), chess960)


def set_up(
    position: Position,
    board: bytearray,
    side: int,
    rooks: Sequence[int],
    en_passant: int,
    clocks: tuple[int, int],
    chess960: bool,
) -> None:
    """Set ``position`` from its checked parts: pieces by square, castling rooks by right, plies since a capture or
    pawn move, and move number. Raises as :func:`set_fen`."""
    position["board"] = np.frombuffer(board, np.uint8)
    position["castling_rook"] = rooks
    position["castling"] = sum(1 << right for right in range(4) if rooks[right] != NO_SQUARE)
    position["en_passant"] = en_passant
    position["chess960"] = chess960 or needs_chess960(position)
    position["rule50"] = position["since_null"] = clocks[0]
    position["fullmove"] = clocks[1]

    position["side"] = side ^ 1  # whose king must not be in check
    complete_setup(position)
    if position["checkers"]:
        raise PositionError(f"{_COLOR_NAMES[side ^ 1]} is in check but it is {_COLOR_NAMES[side]}'s move")
    position["side"] = side
    complete_setup(position)
    if int(position["checkers"]).bit_count() > 2:
        raise PositionError(f"{_COLOR_NAMES[side]} is in check by more than two pieces")


def _castling_field(position: Position, shredder: bool) -> str:
    letters = ""
    for right in range(4):
        if int(position["castling"]) >> right & 1 == 0:
            continue
        color, rook = right >> 1, int(position["castling_rook"][right])
        home = range(56 * color, 56 * color + 8)
        rooks = [square for square in home if position["board"][square] == color << 3 | ROOK]
        outermost = min(rooks) if right & 1 else max(rooks)
        if shredder or rook != outermost:
            letter = "abcdefgh"[rook & 7]
        else:
            letter = "q" if right & 1 else "k"
        letters += letter.upper() if color == WHITE else letter
    return letters or "-"


def to_fen(position: Position, shredder: bool = False) -> str:
    """The position as X-FEN, or with ``shredder`` as Shredder-FEN (castling rights by the rooks' files). The en passant
    square is written only if a pawn could capture there, as X-FEN demands."""
    ranks = []
    for rank in range(7, -1, -1):
        text, gap = "", 0
        for piece in position["board"][8 * rank : 8 * rank + 8].tolist():
            if piece == EMPTY:
                gap += 1
                continue
            text += (str(gap) if gap else "") + PIECE_LETTERS[piece]
            gap = 0
        ranks.append(text + (str(gap) if gap else ""))
    en_passant = int(position["en_passant"]) & ~EP_PSEUDO
    fields = [
        "/".join(ranks),
        "wb"[position["side"]],
        _castling_field(position, shredder),
        "-" if en_passant == NO_SQUARE else square_name(en_passant),
        str(position["rule50"]),
        str(position["fullmove"]),
    ]
    return " ".join(fields)
