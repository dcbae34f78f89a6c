"""Games for the textbook searches; each is one small class. Chess is imported by its own module's name, so
that the others need no library."""

from engine.textbook.games.bones import Bones
from engine.textbook.games.othello import Othello
from engine.textbook.games.tictactoe import TicTacToe
from engine.textbook.games.trees import ExplicitTree

__all__ = ["Bones", "ExplicitTree", "Othello", "TicTacToe"]
