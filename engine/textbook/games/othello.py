"""Othello (Reversi) on a square board of any even size from 4."""

from engine.textbook.game import MAX, MIN, Game

DIRECTIONS = tuple((dr, dc) for dr in (-1, 0, 1) for dc in (-1, 0, 1) if dr or dc)
State = tuple[str, int]
PASS = -1


class Othello(Game[State, int]):
    """Black (``X``) is MAX and begins; the final margin in discs is the utility. A state is the squares row
    by row, ``.`` where empty, and the player to move; an action is a square's index, or ``PASS``."""

    def __init__(self, size: int = 8) -> None:
        if size < 4 or size % 2:
            raise ValueError(f"an Othello board has an even size of at least 4, not {size}")
        self.size = size

    def initial(self) -> State:
        half, squares = self.size // 2, ["."] * self.size**2
        for row, column, disc in ((half - 1, half - 1, "O"), (half - 1, half, "X")):
            squares[row * self.size + column] = disc
            squares[(row + 1) * self.size + 2 * half - 1 - column] = disc
        return "".join(squares), MAX

    def to_move(self, state: State) -> int:
        return state[1]

    def actions(self, state: State) -> list[int]:
        squares = self._placements(*state)
        return squares or ([PASS] if self._placements(state[0], -state[1]) else [])

    def result(self, state: State, action: int) -> State:
        board, player = state
        if action == PASS:
            return board, -player
        squares = list(board)
        for square in (action, *self._flips(board, player, action)):
            squares[square] = "X" if player == MAX else "O"
        return "".join(squares), -player

    def is_terminal(self, state: State) -> bool:
        return not self.actions(state)

    def utility(self, state: State) -> float:
        return float(state[0].count("X") - state[0].count("O"))

    def evaluate(self, state: State) -> float:
        """Mobility, and corners, which can never be turned: worth more than discs until the end."""
        board, last = state[0], self.size - 1
        corners = "".join(board[r * self.size + c] for r in (0, last) for c in (0, last))
        mobility = len(self._placements(board, MAX)) - len(self._placements(board, MIN))
        return float(mobility + 10 * (corners.count("X") - corners.count("O")))

    def _placements(self, board: str, player: int) -> list[int]:
        return [s for s, disc in enumerate(board) if disc == "." and self._flips(board, player, s)]

    def _flips(self, board: str, player: int, square: int) -> list[int]:
        """The discs that ``player`` turns by placing one on the empty ``square``."""
        own, other = "XO" if player == MAX else "OX"
        flips = []
        for dr, dc in DIRECTIONS:
            row, column, turned = square // self.size + dr, square % self.size + dc, list[int]()
            while 0 <= row < self.size and 0 <= column < self.size:
                here = row * self.size + column
                if board[here] != other:
                    flips += turned if board[here] == own else []
                    break
                turned.append(here)
                row, column = row + dr, column + dc
        return flips
