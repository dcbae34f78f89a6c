"""Tic-tac-toe: small enough to search to the end, large enough to be worth pruning."""

from functools import cache

from engine.textbook.game import MAX, MIN, Game

LINES = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6))
WIN = 10.0  # beyond every evaluation: there are only eight lines


class TicTacToe(Game[str, int]):
    """X is MAX and begins. A state is its nine squares row by row, ``.`` where empty. Played well, a draw."""

    def initial(self) -> str:
        return "." * 9

    def to_move(self, state: str) -> int:
        return MAX if state.count("X") == state.count("O") else MIN

    def actions(self, state: str) -> list[int]:
        return [square for square in range(9) if state[square] == "."]

    def result(self, state: str, action: int) -> str:
        return state[:action] + ("X" if self.to_move(state) == MAX else "O") + state[action + 1 :]

    def is_terminal(self, state: str) -> bool:
        return "." not in state or _winner(state) != 0

    def utility(self, state: str) -> float:
        return WIN * _winner(state)

    def evaluate(self, state: str) -> float:
        """X's possible lines minus O's: those that hold no mark of the other (Nilsson 1971)."""
        return float(sum(("O" not in line) - ("X" not in line) for line in _lines(state)))


def _lines(state: str) -> list[str]:
    return [state[a] + state[b] + state[c] for a, b, c in LINES]


@cache
def _winner(state: str) -> int:
    """``MAX``, ``MIN`` or 0; remembered, because the whole tree has a hundred times more nodes than states."""
    lines = _lines(state)
    return MAX if "XXX" in lines else MIN if "OOO" in lines else 0
