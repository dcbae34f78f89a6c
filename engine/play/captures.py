"""Values of captures on python-chess boards, in pawns: the bridge to :mod:`engine.board.exchange`."""

from typing import Any

import chess

from engine.board.exchange import CAPTURE_SEARCH, QUIESCENCE_PLIES, WORST, material_quiescence
from engine.board.exchange import VALUES as _VALUES
from engine.board.exchange import exchange as _exchange
from engine.board.exchange import won_on as _won_on
from engine.board.notation import to_uci
from engine.board.types import PIECE_VALUES
from engine.jit import new_record
from engine.play.boards import put_board

MATE_IN_ONE = 10_000  # centipawns for a mate in one: more than all pieces together
VALUES = dict(zip(chess.PIECE_TYPES, PIECE_VALUES, strict=False))  # the value of each type in pawns

#: Nodes of a quiescence search, far more than positions of games need, and the depths in plies to try until one search
#: stays within them; the last one always does.
QUIESCENCE_NODES, _QUIESCENCE_DEPTHS = 50_000, (QUIESCENCE_PLIES, 4, 2)


def value(kind: chess.PieceType | None) -> int:
    """The value of ``kind`` in pawns: a king is worth more than all others together, None 0."""
    return 0 if kind is None else int(_VALUES[kind - 1])


def immediate_gain(board: chess.Board, move: chess.Move) -> int:
    """Material that ``move`` wins immediately, in pawns: the captured piece, and the gain by promotion."""
    won = 1 if board.is_en_passant(move) else value(board.piece_type_at(move.to_square))
    if board.is_castling(move):
        won = 0
    return won + (value(move.promotion) - 1 if move.promotion else 0)


class Captures:
    """The captures on ``board`` as it is now. Raises :class:`~engine.messages.PositionError` if the engine refuses it.

    >>> board = chess.Board("4k3/8/3p4/4n3/8/3N4/8/4K3 w - - 0 1")
    >>> Captures(board).exchange(board.parse_san("Nxe5")), Captures(board).won_on(chess.E5)
    (0, 0)
    """

    def __init__(self, board: chess.Board) -> None:
        self._chess960 = board.chess960
        self._work: Any = new_record(CAPTURE_SEARCH)
        put_board(self._work["position"], board, board.chess960)

    def exchange(self, move: chess.Move) -> int:
        """The static exchange value of the legal ``move``: both sides capture on its square, cheapest piece first, if
        that pays. Pinned pieces take no part."""
        promoted = move.promotion - 1 if move.promotion else -1
        return int(_exchange(self._work, move.from_square, move.to_square, promoted))

    def won_on(self, square: chess.Square) -> int:
        """The best static exchange value of a capture on ``square``; captures are optional, so at least 0."""
        return int(_won_on(self._work, square))

    def quiescence(self) -> tuple[list[chess.Move], int]:
        """The captures, promotions and evasions that both sides make for material alone, and the nodes searched."""
        work, nodes = self._work, 0
        for deepest in _QUIESCENCE_DEPTHS:
            work["deepest"], work["nodes"], work["node_limit"], work["aborted"] = deepest, 0, QUIESCENCE_NODES, 0
            material_quiescence(work, WORST, -WORST, 0)
            nodes += int(work["nodes"])
            if not work["aborted"]:
                break
        here = work["stack"][0]
        line = here["line"][: int(here["length"])].tolist()
        return [chess.Move.from_uci(to_uci(move, self._chess960)) for move in line], nodes


def visible_gain(board: chess.Board, move: chess.Move) -> int:
    """Centipawns that ``move`` wins or loses for a player who sees no further than its capture and the opponent's
    captures in reply. A mate in one, given or allowed, is :data:`MATE_IN_ONE`.

    >>> board = chess.Board("4k3/8/3p4/8/8/4B3/8/4K3 w - - 0 1")
    >>> visible_gain(board, board.parse_san("Bc5")), visible_gain(board, board.parse_san("Bd4"))
    (-300, 0)
    """
    board = board.copy(stack=False)
    gain = immediate_gain(board, move)
    board.push(move)
    if board.is_checkmate():
        return MATE_IN_ONE
    captures, loss = Captures(board), 0
    for reply in board.legal_moves:
        if board.gives_check(reply):
            after = board.copy(stack=False)
            after.push(reply)
            if after.is_checkmate():
                return -MATE_IN_ONE
        if reply.promotion or board.is_capture(reply):
            loss = max(loss, captures.exchange(reply))
    return 100 * (gain - loss)
