"""How a network sees positions: the plain features of the engine are the oracle."""

from __future__ import annotations

import numpy as np
from rich.console import Console
from rich.progress import Progress

from engine.board.setup import new_position
from engine.evaluation.nnue import plain
from engine.evaluation.nnue.shape import INPUTS
from tests.tuning.lines import evaluation_line, random_games
from tuning.data.features import MOST_PIECES, list_features
from tuning.data.marlinformat import unpack
from tuning.data.positions import read_text


def test_features_are_what_the_engine_sees(tmp_path):
    file = tmp_path / "games.tsv"
    file.write_text("".join(map(evaluation_line, random_games(10, plies=120))))
    boards = read_text(file, Progress(console=Console(quiet=True))).boards[::3]
    features = np.empty((len(boards), 2, MOST_PIECES), np.int16)
    buckets = np.empty(len(boards), np.int64)
    list_features(boards, features, buckets)
    assert len(set(buckets)) > 2
    position = new_position()
    for number, board in enumerate(boards):
        assert unpack(position, board)
        for view in range(2):
            seen = features[number, view]
            count = int((seen != INPUTS).sum())
            assert (seen[count:] == INPUTS).all()
            assert sorted(seen[:count]) == sorted(plain.features(position, int(position["side"]) ^ view))
        assert buckets[number] == min((count - 2) // 4, 7)
