"""Boards from what people write, standard chess or Chess960, and what is wrong with them in words."""

from __future__ import annotations

import chess

from engine.messages import PositionError

#: Faults whose names in python-chess do not say enough.
_WORDS = {
    chess.STATUS_BAD_CASTLING_RIGHTS: "castling without its king or rook in place",
    chess.STATUS_INVALID_EP_SQUARE: "no pawn can be taken on the en passant square",
    chess.STATUS_OPPOSITE_CHECK: "the king of the side that is not to move is in check",
    chess.STATUS_EMPTY: "no pieces",
}


def board_of(fen: str, chess960: bool = False) -> chess.Board:
    """The board for ``fen``, the first position if it is empty or ``startpos``.

    Castling rights that only Chess960 has make it a board of Chess960, as ``chess960`` does. Raises PositionError.
    """
    try:
        board = chess.Board(fen if fen not in ("", "startpos") else chess.STARTING_FEN, chess960=chess960)
    except ValueError as error:
        raise PositionError(f"neither a FEN nor a file: '{fen}' ({error})") from None
    board.chess960 = chess960 or board.has_chess960_castling_rights()
    if not board.is_valid():
        raise PositionError(f"not a legal position: '{fen}' ({faults(board)})")
    return board


def faults(board: chess.Board) -> str:
    """Why ``board`` is no legal position; empty if it is one.

    >>> faults(chess.Board("8/8/8/8/8/8/8/K7 w - - 0 1"))
    'no black king'
    """
    found = [status for status in chess.Status if status and status in board.status()]
    return ", ".join(_WORDS.get(status, (status.name or "").lower().replace("_", " ")) for status in found)


class MoveError(ValueError):
    """What somebody typed is no move; the message says why."""


def read_move(board: chess.Board, text: str) -> chess.Move:
    """The legal move that ``text`` means: e4, Nf3, O-O, 0-0 or e2e4, and letters of the wrong case if they can mean
    one move only. Raises :class:`MoveError`, which says what is wrong.

    >>> board = chess.Board()
    >>> read_move(board, "Nf3"), read_move(board, "nf3"), read_move(board, "g1-f3")
    (Move.from_uci('g1f3'), Move.from_uci('g1f3'), Move.from_uci('g1f3'))
    """
    text = text.strip()
    ambiguous = False
    capital = text[:1].upper() + text[1:] if text[:1] in tuple("nrqk") else text
    attempts = (board.parse_san, text), (board.parse_uci, text.lower().replace("-", "")), (board.parse_san, capital)
    for parse, words in attempts:
        try:
            move = parse(words)
        except chess.AmbiguousMoveError:
            ambiguous = True
        except ValueError:
            continue
        else:
            if move in board.legal_moves:  # "--" is a move to python-chess
                return move
    found = [] if ambiguous else [move for move in board.legal_moves if _key(board.san(move)) == _key(text)]
    if len(found) == 1:
        return found[0]
    if ambiguous or found:
        raise MoveError(f"'{text}' is ambiguous: add the square it comes from")
    raise MoveError(f"'{text}' is not a legal move here; write moves as e4, Nf3, O-O or e2e4")


def _key(san: str) -> str:
    """A move in SAN without what people leave out or write otherwise."""
    return san.lower().replace("0", "o").translate(str.maketrans("", "", "x=+#-!?"))
