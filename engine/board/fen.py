"""Positions from Forsyth-Edwards notation, and back."""

from collections.abc import Sequence

from engine.board.aliases import Position
from engine.board.setup import complete_setup
from engine.board.types import EMPTY, EP_PSEUDO, KING, NO_SQUARE, PIECE_LETTERS, ROOK, WHITE
from engine.fen import read_fen, square_name
from engine.messages import PositionError, quoted

_MAX_FEN_CHARACTERS = 400  # maximum characters of a FEN; one with every field at its longest has 105

_COLOR_NAMES = ("White", "Black")


def needs_chess960(position: Position) -> bool:
    """Whether a castling right has its king or rook on a non-standard square, so that castling could look ordinary."""
    board = position["board"].tolist()
    for right in range(4):
        if int(position["castling"]) >> right & 1:
            home = 56 * (right >> 1)
            king = board.index((right >> 1) << 3 | KING)
            if king != home + 4 or position["castling_rook"][right] != home + (0 if right & 1 else 7):
                return True
    return False


def set_fen(position: Position, fen: str, chess960: bool = False) -> None:
    """Set ``position`` from a FEN (see :func:`engine.fen.read_fen`). It is marked as Chess960 if ``chess960`` is set or
    :func:`needs_chess960` says so. Raises :class:`PositionError`; ``position`` is then unusable."""
    if len(fen) > _MAX_FEN_CHARACTERS:
        raise PositionError(f"FEN {quoted(fen)} has {len(fen)} characters")
    setup = read_fen(fen, chess960)
    if setup.rest:
        raise PositionError(f"FEN {quoted(fen)} has {quoted(setup.rest)} after the position")
    set_up(position, setup.pieces, setup.side, setup.rooks, setup.en_passant, setup.clocks, chess960)


def set_up(
    position: Position,
    pieces: str,
    side: int,
    rooks: Sequence[int | None],
    en_passant: int | None,
    clocks: tuple[int, int],
    chess960: bool,
) -> None:
    """Set ``position`` from its checked parts, as in :class:`engine.fen.FenFields`. Raises as :func:`set_fen`."""
    position["board"] = [PIECE_LETTERS.index(letter) for letter in pieces]
    position["castling_rook"] = [NO_SQUARE if rook is None else rook for rook in rooks]
    position["castling"] = sum(1 << right for right in range(4) if rooks[right] is not None)
    position["en_passant"] = NO_SQUARE if en_passant is None else en_passant
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
