"""``play``: a game of chess against the engine in the terminal, in the lab's loop of moves, hints and undo."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import chess
import chess.pgn
from chess.engine import Limit

from engine import Engine, __version__
from engine.analysis.boards import board_of
from engine.analysis.cli import limit_of
from engine.analysis.files import AddedGame
from engine.analysis.lines import chances_of, chances_text, ending, ending_text, score_text
from engine.chesstypes import Analysis
from engine.lab.games import Exhibit, LabError
from engine.lab.play import play
from engine.textbook import MAX, MIN
from engine.textbook.games.chess import Chess


class WholeChess(Chess):
    """Chess as it is played: a state remembers its moves, and repetition, fifty moves and dead positions end it."""

    def __init__(self, board: chess.Board) -> None:
        self.board = board  # one that is legal; the parent would make one from a FEN, and of standard chess

    def result(self, state: chess.Board, action: chess.Move) -> chess.Board:
        child = state.copy()
        child.push(action)
        return child

    def is_terminal(self, state: chess.Board) -> bool:
        return ending(state) is not None


@dataclass(frozen=True)
class ChessTable(Exhibit):
    """The chess board of the terminal, with ``human`` sitting below."""

    human: chess.Color = chess.WHITE

    def write(self, state: chess.Board, action: chess.Move) -> str:
        return state.san(action)

    def read(self, state: chess.Board, text: str) -> chess.Move:
        """A move as e4, Nf3, O-O or e2e4. Raises LabError, which says what is wrong."""
        for parse in (state.parse_san, state.parse_uci):
            try:
                move = parse(text.strip())
            except chess.AmbiguousMoveError:
                raise LabError(f"'{text}' could be several moves: name the square it comes from too") from None
            except ValueError:
                continue
            if move in state.legal_moves:  # "--" is a move to python-chess
                return move
        raise LabError(f"'{text}' is no legal move here; moves are written as e4, Nf3, O-O or e2e4")

    def result(self, state: chess.Board) -> str:
        words = ending_text(state)
        return f"{words[0].upper()}{words[1:]}."


def diagram(board: chess.Board, below: chess.Color) -> str:
    """The board in characters, ``below``'s side nearer to the reader."""
    ranks = range(7, -1, -1) if below else range(8)
    files = range(8) if below else range(7, -1, -1)
    rows = [f"{rank + 1}  " + " ".join(_symbol(board, chess.square(file, rank)) for file in files) for rank in ranks]
    letters = " ".join(chess.FILE_NAMES[file] for file in files)
    return "\n".join([*rows, "", f"   {letters}"])


def _symbol(board: chess.Board, square: chess.Square) -> str:
    piece = board.piece_at(square)
    return piece.symbol() if piece else "."


def opponent(engine: Engine, limit: Limit) -> Callable[[chess.Board], tuple[chess.Move, str]]:
    """The engine as the lab's loop wants it: from a board to a move and a word about it."""

    def think(board: chess.Board) -> tuple[chess.Move, str]:
        reports: list[Analysis] = []
        move = engine.play(board, limit, on_report=reports.append)
        assert move is not None, "the loop asks only while the game goes on"
        last = reports[-1]
        return move, f"({score_text(last.score)}: {chances_text(chances_of(board, last))}; depth {last.depth})"

    return think


def play_chess(
    chosen: argparse.Namespace,
    options: dict[str, Any],
    ask: Callable[[str], str] = input,
    tell: Callable[[str], object] = print,
) -> int:
    """Play one game as the command line ``chosen`` says; with a file for it, the game is there after every move."""
    board = board_of(" ".join(chosen.fen or ()), chosen.chess960)
    below = chess.BLACK if chosen.black else chess.WHITE
    game = WholeChess(board)
    table = ChessTable("Chess", game, 1, ("White", "Black"), lambda state: diagram(state, below), str, below)

    file = AddedGame(chosen.pgn) if chosen.pgn else None

    def keep(state: chess.Board) -> None:
        if file:
            file.write(record(state, below))

    with Engine(report=lambda text: print(text, file=sys.stderr)) as engine:
        for name, value in options.items():
            engine.set_option(name, value)
        limit, _ = limit_of(chosen, 1.0)
        human = MIN if chosen.black else MAX
        play(table, human=human, opponent=opponent(engine, limit), ask=ask, tell=tell, on_state=keep)
    return 0


def record(board: chess.Board, human: chess.Color) -> chess.pgn.Game:
    """The game so far as PGN."""
    from datetime import date

    game = chess.pgn.Game.from_board(board)
    game.headers["Event"] = "A game in the terminal"
    game.headers["Date"] = date.today().strftime("%Y.%m.%d")
    names = {human: "A person", not human: f"Numbat {__version__}"}
    game.headers["White"], game.headers["Black"] = names[chess.WHITE], names[chess.BLACK]
    outcome = ending(board)
    game.headers["Result"] = outcome.result() if outcome else "*"
    return game
