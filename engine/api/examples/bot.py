"""A bot: reads your moves, one a line, and answers each like a club player.

python bot.py"""

import sys

import chess
from chess.engine import Limit

from engine import Engine
from engine.reading import MoveError, read_move


def main() -> None:
    """Play until the game or the input ends."""
    board = chess.Board()
    with Engine(uci_limitstrength=True, uci_elo=1500, report=print) as engine:  # says so if it compiles
        print("You have White. Type a move, such as e4 or Nf3.", flush=True)
        for line in sys.stdin:
            try:
                board.push(read_move(board, line.strip()))
            except MoveError as error:
                print(error)
                continue
            answer = engine.play(board, Limit(time=0.5))
            if answer is not None:
                print(board.san(answer), flush=True)
                board.push(answer)
            if board.is_game_over():
                print(board.result())
                break


if __name__ == "__main__":
    main()
