"""The heap of bones: the smallest game worth a search tree."""

from engine.textbook.game import MAX, Game


class Bones(Game[tuple[int, int], int]):
    """Take one, two or three bones in turn; the player who cannot take loses. Lost exactly if four divides the
    heap: 6 is won and 8 lost for the first to move. A state is the heap and the player to move."""

    def __init__(self, heap: int = 6) -> None:
        if heap < 0:
            raise ValueError(f"a heap has 0 bones or more, not {heap}")
        self.heap = heap

    def initial(self) -> tuple[int, int]:
        return self.heap, MAX

    def to_move(self, state: tuple[int, int]) -> int:
        return state[1]

    def actions(self, state: tuple[int, int]) -> list[int]:
        return [bones for bones in (1, 2, 3) if bones <= state[0]]

    def result(self, state: tuple[int, int], action: int) -> tuple[int, int]:
        return state[0] - action, -state[1]

    def is_terminal(self, state: tuple[int, int]) -> bool:
        return state[0] == 0

    def utility(self, state: tuple[int, int]) -> float:
        return -float(state[1])
