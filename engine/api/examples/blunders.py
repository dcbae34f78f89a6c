"""Names the blunders in a PGN file, and says why they are bad.

python blunders.py games.pgn"""

import sys

import chess
from chess.engine import Limit

from engine import Engine
from engine.reading import read_games

LIMIT = Limit(nodes=50_000)


def points(engine: Engine, board: chess.Board, player: chess.Color) -> float:
    """The points that the player can expect, from 0 to 1."""
    score = engine.analyse(board, LIMIT).score.pov(player)
    return score.wdl(model="lichess").expectation()


def main() -> None:
    """Analyse every move of every game."""
    with Engine(report=print) as engine:
        for found in read_games(sys.argv[1], print):
            print(found.game.headers["White"], "-", found.game.headers["Black"])
            board = found.game.board()
            for move in found.game.mainline_moves():
                player, before = board.turn, board.copy()
                board.push(move)
                if points(engine, before, player) - points(engine, board, player) > 0.2:
                    print(" ", before.variation_san([move]), engine.explain(before, move))


if __name__ == "__main__":
    main()
