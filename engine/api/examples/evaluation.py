"""An evaluation of one's own: new weights for pieces and squares, searched as fast as Numbat's.

    python evaluation.py

They hold in this process. To see whether they play better, change engine/evaluation/material.json in a checkout and run
python -m tuning.match --new . --base HEAD --each option.EvalType=Material --nodes 8000 --games 400
"""

import json
from pathlib import Path
from tempfile import TemporaryDirectory

import chess
from chess.engine import Limit

from engine import Engine
from engine.evaluation.material import WEIGHTS_FILE, load_weights

# A knight against four pawns.
BOARD = chess.Board("4k3/8/8/3n4/8/1P1P4/P1P5/4K3 b - - 0 1")


def main() -> None:
    """Compare Numbat's weights with new ones."""
    weights = json.loads(WEIGHTS_FILE.read_text())
    with Engine(eval_type="Material") as engine, TemporaryDirectory() as folder:
        print("before", engine.evaluate([BOARD])[0], engine.analyse(BOARD, Limit(depth=8)).score)
        weights["material"]["knight"] = 250  # centipawns
        weights["piece_square"]["knight"]["endgame"] = [[0] * 8] * 8  # one row a rank, the eighth first
        mine = Path(folder, "mine.json")
        mine.write_text(json.dumps(weights))
        load_weights(mine)
        engine.new_game()  # forgets the old weights
        print("after", engine.evaluate([BOARD])[0], engine.analyse(BOARD, Limit(depth=8)).score)


if __name__ == "__main__":
    main()
