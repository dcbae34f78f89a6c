"""Measures how often a lone king is mated in time, with few nodes a move and no endgame tables.

    python -m tuning.benchmarks.lone_king [--nodes 1000 5000 20000] [--positions 30] [--seed 5]

From random positions with queen, rook, two bishops, or bishop and knight against a king, the engine plays both sides in
compiled code until mate or a draw by rule.
"""

from __future__ import annotations

import argparse
import random
from collections import Counter

import chess

from engine.search.threads import run_on_deep_stack
from tuning.matches.adjudication import Adjudication
from tuning.matches.openings import Opening
from tuning.selfplay.duel import Duel, DuelRules

ENDINGS = ("Q", "R", "BB", "BN")


def positions(pieces: str, count: int, seed: int) -> list[str]:
    """FENs with White's king and ``pieces`` against a king, White to move; two bishops stand on both colours."""
    source = random.Random(f"{seed} {pieces}")
    result: list[str] = []
    while len(result) < count:
        board = chess.Board(None)
        squares = source.sample(chess.SQUARES, len(pieces) + 2)
        for square, letter in zip(squares, "kK" + pieces, strict=True):
            board.set_piece_at(square, chess.Piece.from_symbol(letter))
        board.turn = chess.WHITE
        bishops = board.pieces(chess.BISHOP, chess.WHITE)
        is_one_colour = len(bishops) == 2 and len(bishops & chess.BB_LIGHT_SQUARES) != 1
        if board.is_valid() and not board.is_game_over() and not is_one_colour:
            result.append(board.fen())
    return result


def main() -> None:
    """Play and print."""
    parser = argparse.ArgumentParser(prog="python -m tuning.benchmarks.lone_king", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("--nodes", type=int, nargs="+", default=[1000, 5000, 20_000], help="nodes a move")
    parser.add_argument("--positions", type=int, default=30, help="positions of each ending (default %(default)s)")
    parser.add_argument("--seed", type=int, default=5)
    options = parser.parse_args()

    def play() -> None:
        for nodes in options.nodes:
            players = Duel(DuelRules(nodes, adjudication=Adjudication(resign_moves=0, draw_moves=0)), {}, {})
            for pieces in ENDINGS:
                games = [players.play(Opening(fen), 0) for fen in positions(pieces, options.positions, options.seed)]
                ends = Counter(game.reason for game in games)
                counts = ", ".join(f"{name} {number}" for name, number in ends.most_common())
                print(f"{nodes:7,} nodes, K{pieces} against K: {counts}", flush=True)

    run_on_deep_stack(play)


if __name__ == "__main__":
    main()
