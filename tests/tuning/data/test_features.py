"""How a network sees positions: the plain features of the engine are the oracle."""

import numpy as np
from rich.console import Console
from rich.progress import Progress

from engine.board.setup import new_position
from engine.evaluation.nnue import plain
from engine.evaluation.nnue.features import bucket_of
from engine.evaluation.nnue.file import MAX_PIECES
from tests.tuning.lines import evaluation_line, random_games
from tuning.data.features import list_board
from tuning.data.marlinformat import unpack
from tuning.data.positions import read_text


def test_features_are_what_the_engine_sees(tmp_path):
    file = tmp_path / "games.tsv"
    file.write_text("".join(map(evaluation_line, random_games(10, plies=120))))
    boards = read_text(file, Progress(console=Console(quiet=True))).boards[::3]
    features = np.empty((2, MAX_PIECES), np.int16)
    scratch = np.empty((2, MAX_PIECES), np.int64)
    position = new_position()
    found = set()
    for board in boards:
        assert unpack(position, board)
        count = list_board(board, *scratch, features)
        for view in range(2):
            expected = plain.features(position, int(position["side"]) ^ view)
            assert sorted(features[view, :count]) == sorted(expected)
        assert bucket_of(count) == min((count - 2) // 4, 7)
        found.add(bucket_of(count))
    assert len(found) > 2
