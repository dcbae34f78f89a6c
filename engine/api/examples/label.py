"""Labels positions, such as data to learn from: reads FENs, one a line, and writes a table with scores and best moves.

python label.py positions.fen labels.csv"""

import csv
import sys
from pathlib import Path

from chess.engine import Limit

from engine import Engine


def main() -> None:
    """Write the table."""
    source, target = map(Path, sys.argv[1:])
    fens = source.read_text().splitlines()
    with Engine(hash=16) as engine, target.open("w", newline="") as file:
        table = csv.writer(file)
        table.writerow(["fen", "static", "score", "move"])
        static = engine.evaluate(fens)  # centipawns for the side to move, without a search
        lines = engine.analyse_many(fens, Limit(nodes=20_000), jobs=2)  # in their order, by two processes
        for fen, value, line in zip(fens, static, lines, strict=True):
            table.writerow([fen, value, line.score.relative.score(mate_score=10_000), line.move])


if __name__ == "__main__":
    main()
