"""Chess through python-chess: the rules from the library, material for an evaluation."""

from collections.abc import Hashable

import chess

from engine.board.types import PIECE_VALUES
from engine.reading import read_board
from engine.textbook.game import MAX, MIN, Game

VALUES = dict(zip(chess.PIECE_TYPES, (*PIECE_VALUES, 0), strict=True))
MATE = 1000.0


class Chess(Game[chess.Board, chess.Move]):
    """White is MAX; values are pawns. The game is over if there is no legal move; draws by repetition, by fifty moves
    or by lack of material are ignored, as in perft, whose counts minimax's leaves then match. Raises
    :class:`~engine.messages.PositionError` for a FEN that is malformed or no legal position."""

    def __init__(self, fen: str = chess.STARTING_FEN) -> None:
        self.board = read_board(fen)

    def initial(self) -> chess.Board:
        return self.board

    def to_move(self, state: chess.Board) -> int:
        return MAX if state.turn else MIN

    def actions(self, state: chess.Board) -> list[chess.Move]:
        return list(state.legal_moves)

    def result(self, state: chess.Board, action: chess.Move) -> chess.Board:
        child = state.copy(stack=False)
        child.push(action)
        return child

    def is_terminal(self, state: chess.Board) -> bool:
        return not any(state.legal_moves)

    def utility(self, state: chess.Board) -> float:
        return -MATE * self.to_move(state) if state.is_check() else 0.0

    def evaluate(self, state: chess.Board) -> float:
        """Material in pawns, 1/3/3/5/9 (Shannon's weights)."""
        white, black = state.occupied_co[chess.WHITE], state.occupied_co[chess.BLACK]
        armies = zip(PIECE_VALUES, (state.pawns, state.knights, state.bishops, state.rooks, state.queens), strict=True)
        return float(sum(v * ((white & m).bit_count() - (black & m).bit_count()) for v, m in armies))

    def key(self, state: chess.Board) -> Hashable:
        """Everything the future depends on; pieces, side to move, castling rights and en passant square."""
        return (
            state.pawns, state.knights, state.bishops, state.rooks, state.queens, state.kings,
            state.occupied_co[chess.WHITE], state.turn, state.castling_rights, state.ep_square,
        )  # fmt: skip

    def noisy(self, state: chess.Board) -> list[chess.Move]:
        """Captures and promotions; in check all moves."""
        if state.is_check():
            return list(state.legal_moves)
        queening = chess.BB_RANK_8 if state.turn else chess.BB_RANK_1
        promotions = state.generate_legal_moves(state.pawns & state.occupied_co[state.turn], queening & ~state.occupied)
        return [*state.generate_legal_captures(), *promotions]

    def forced(self, state: chess.Board) -> bool:
        return state.is_check()

    def promise(self, state: chess.Board, action: chess.Move) -> float:
        """Most valuable victim, then least valuable attacker; a promotion's gain counts; quiet moves 0."""
        gain = VALUES[action.promotion] - 1 if action.promotion else 0
        if state.is_capture(action):
            victim = state.piece_type_at(action.to_square) or chess.PAWN  # none there: en passant
            attacker = state.piece_type_at(action.from_square) or chess.PAWN
            return 10 * (VALUES[victim] + gain) + 9 - VALUES[attacker] + 1
        return 10 * gain
