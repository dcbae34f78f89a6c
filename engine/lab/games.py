"""The games of the lab, with their display and notation."""

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from math import inf, isnan
from typing import Any

from engine.messages import counted, quoted
from engine.textbook.game import MAX, Game
from engine.textbook.games import Bones, ExplicitTree, Othello, TicTacToe
from engine.textbook.games.othello import PASS


class LabError(ValueError):
    """A request that the lab cannot fulfil; the message gives the reason."""


@dataclass(frozen=True)
class Demo:
    """A game and its presentation."""

    title: str
    game: Game[Any, Any]
    depth: int  # the table's default depth, in plies
    players: tuple[str, str] = ("MAX", "MIN")  # the names of MAX and MIN
    show: Callable[[Any], str] = str  # draws a state for the terminal
    write: Callable[[Any, Any], str] = lambda state, action: str(action)  # the notation of an action in a state
    whole: bool = False  # whether ``depth`` is that of the whole game; then the table has rows for this depth only
    reader: Callable[[Any, str], Any] | None = None  # reads more notations than ``write`` produces

    def player(self, state: Any) -> str:
        return self.players[0] if self.game.to_move(state) == MAX else self.players[1]

    def result(self, state: Any) -> str:
        value = self.game.utility(state)
        if value == 0:
            return "A draw."
        return f"{self.players[0 if value > 0 else 1]} wins."

    def read(self, state: Any, text: str) -> Any:
        """Return the legal action that ``text`` names. Raises :class:`LabError` with a list of the legal ones, or the
        :class:`~engine.reading.MoveError` of the reader."""
        if self.reader:
            return self.reader(state, text)
        word = text.strip()
        actions = {self.write(state, action): action for action in self.game.actions(state)}
        if word in actions:
            return actions[word]
        found = [action for written, action in actions.items() if written.lower() == word.lower()]
        if len(found) != 1:
            raise LabError(f"{quoted(word)} is not a legal move here; legal: {' '.join(actions)}")
        return found[0]

    def write_line(self, line: Iterable[Any], state: Any = None) -> tuple[str, ...]:
        """The notation of a line of actions from ``state``, by default the initial one."""
        words = []
        if state is None:
            state = self.game.initial()
        for action in line:
            words.append(self.write(state, action))
            state = self.game.result(state, action)
        return tuple(words)


def tictactoe() -> Demo:
    """Tic-tac-toe with its squares numbered 1 to 9."""

    def show(state: str) -> str:
        cells = [mark if mark != "." else str(square + 1) for square, mark in enumerate(state)]
        return "\n---+---+---\n".join(f" {' | '.join(cells[row : row + 3])}" for row in (0, 3, 6))

    return Demo(
        "tic-tac-toe", TicTacToe(), 9, ("X", "O"), show, write=lambda state, square: str(square + 1), whole=True
    )


_MAX_DEPTH = 100  # a search goes as deep as the heap is high, or the tree, and each ply is a call of a Python function


def bones(heap: int = 8) -> Demo:
    """The heap of bones. Raises :class:`LabError` for more than the searches, which are recursive, can take."""
    if heap > _MAX_DEPTH:
        raise LabError(f"a heap has at most {_MAX_DEPTH} bones here, not {heap}")

    def show(state: tuple[int, int]) -> str:
        return f"{'| ' * state[0]}({state[0]} left)"

    return Demo(f"heap of {counted(heap, 'bone')}", Bones(heap), max(heap, 1), ("first", "second"), show, whole=True)


def othello(size: int = 8) -> Demo:
    """Othello with its squares named as on a score sheet: a1 in the upper left corner."""

    def write(state: tuple[str, int], action: int) -> str:
        return "pass" if action == PASS else f"{'abcdefghijklmnopqrstuvwxyz'[action % size]}{action // size + 1}"

    def show(state: tuple[str, int]) -> str:
        legal, board = game.actions(state), state[0]
        marks = ["*" if square in legal else mark for square, mark in enumerate(board)]
        rows = [f"{row + 1:2} {' '.join(marks[row * size : (row + 1) * size])}" for row in range(size)]
        letters = " ".join("abcdefghijklmnopqrstuvwxyz"[:size])
        return "\n".join([f"   {letters}", *rows, f"   X {board.count('X')}, O {board.count('O')}; * legal"])

    if size > 26:
        raise LabError(f"an Othello board is at most 26 wide here, not {size}")
    game = Othello(size)
    return Demo(f"Othello {size}x{size}", game, 4, ("X", "O"), show, write)


def tree(text: str | None = None) -> Demo:
    """A tree written as JSON, such as ``[[3,12,8],[2,4,6],[14,5,2]]`` (the default); a leaf may also be
    ``Infinity``, ``∞`` or the negative of either."""
    if text is None:
        game = ExplicitTree()
    else:
        try:
            read = json.loads(text.replace("∞", "Infinity"))
            if not isinstance(read, list):
                raise ValueError("one number is not a tree")
            game = ExplicitTree(_checked(read))
            if _height(game.tree) > _MAX_DEPTH:
                raise ValueError(f"more than {_MAX_DEPTH} plies deep")
        except (ValueError, RecursionError) as error:
            raise LabError(f"not a tree of numbers in brackets: {text!r} ({error})") from error
    return Demo("explicit tree", game, _height(game.tree), whole=True)


def chess(fen: str | None = None) -> Demo:
    """Chess from the start position or a FEN. Raises :class:`~engine.messages.PositionError`."""
    from engine.reading import read_move
    from engine.textbook.games.chess import Chess

    game = Chess(fen) if fen else Chess()
    title = f"chess, {game.board.fen()}"
    return Demo(title, game, 3, ("White", "Black"), write=type(game.board).san, reader=read_move)


def _checked(node: Any) -> Any:
    if isinstance(node, list):
        return [_checked(child) for child in node]
    if isinstance(node, bool) or not isinstance(node, int | float) or 1e9 <= abs(node) != inf or isnan(node):
        raise ValueError(f"{node!r} is not a number below a billion")
    return node


def _height(node: Any) -> int:
    return 1 + max(map(_height, node)) if isinstance(node, list | tuple) else 0
