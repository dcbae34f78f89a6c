"""Games with new scores: the same games, the scores of deeper searches, and nothing to learn from the rest."""

from pathlib import Path

import numpy as np
import pytest

from engine.board.fen import set_fen
from engine.board.setup import new_position
from engine.jit import new_record
from engine.search.scores import MATE
from engine.search.threads import run_on_deep_stack
from tuning import relabel
from tuning.data.dataset import NO_VERDICT, QuietRules, quiet_positions
from tuning.data.marlinformat import PACKED, pack
from tuning.data.viriformat import files_of, read_positions, with_scores
from tuning.selfplay.labels import RelabelSettings, label
from tuning.selfplay.sides import Side

#: Everything but the score.
KEPT = [name for name in PACKED.names or () if name != "score"]


def _run(games: Path, out: Path, *words: str) -> int:
    return relabel.main([str(games), "--out", str(out), "--nodes", "300", "--hash", "1", "--scheduler", "here", *words])


def _bytes(directory: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in files_of(directory)}


def _boards(fens: list[str]) -> np.ndarray:
    boards = []
    for fen in fens:
        position, packed = new_position(), new_record(PACKED)
        set_fen(position, fen)
        pack(position, packed)
        boards.append(np.asarray(packed).reshape(1))
    return np.concatenate(boards)


def test_writing_the_same_scores_changes_nothing(games: Path) -> None:
    for path in files_of(games):
        assert with_scores(path, read_positions([path]).boards["score"]) == path.read_bytes()


def test_an_incomplete_game_is_dropped(games: Path, tmp_path: Path) -> None:
    whole = files_of(games)[0].read_bytes()
    torn = tmp_path / "torn.vf"
    torn.write_bytes(whole + whole[:50])
    assert with_scores(torn, read_positions([torn]).boards["score"]) == whole


def test_quiet_positions_get_new_scores(games: Path, tmp_path: Path) -> None:
    assert _run(games, tmp_path / "new") == 0
    for old, new in zip(files_of(games), files_of(tmp_path / "new"), strict=True):
        before, after = read_positions([old]).boards, read_positions([new]).boards
        assert all(np.array_equal(before[name], after[name]) for name in KEPT)
        quiet = quiet_positions(read_positions([old]), QuietRules(10, np.inf)).boards
        learned = quiet_positions(read_positions([new]), QuietRules(10, np.inf)).boards
        assert 0 < len(learned) <= len(quiet)  # a deeper search may find a mate
        assert np.mean(after["score"] == before["score"]) < 0.5
        scored = np.abs(after["score"]) < NO_VERDICT
        assert np.corrcoef(before["score"][scored], after["score"][scored])[0, 1] > 0.5


def test_share_is_drawn_at_random(games: Path, tmp_path: Path) -> None:
    assert _run(games, tmp_path / "half", "--share", "0.5") == 0
    assert _run(games, tmp_path / "other", "--share", "0.5", "--seed", "2") == 0
    quiet = len(quiet_positions(read_positions(files_of(games)), QuietRules(10, np.inf)))
    labelled = [
        np.flatnonzero(np.abs(read_positions(files_of(tmp_path / name)).boards["score"]) < NO_VERDICT)
        for name in ("half", "other")
    ]
    assert all(0.3 * quiet < len(found) < 0.7 * quiet for found in labelled)
    assert not np.array_equal(*labelled)


@pytest.mark.parametrize(
    ("fen", "score"),
    [
        ("6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1", MATE - 1),
        ("r3k3/8/8/8/8/8/5PPP/6K1 b - - 0 1", 1 - MATE),
        ("6k1/5ppp/8/8/8/8/r7/1r4K1 w - - 0 1", 0),
    ],
)
def test_scores_are_those_of_white(fen: str, score: int) -> None:
    boards = _boards([fen])
    nodes = run_on_deep_stack(lambda: label(Side({}, 1), RelabelSettings(nodes=3_000), boards, np.ones(1, np.uint8)))
    assert boards["score"][0] == score
    assert (nodes > 0) == (score != 0)  # who is mated has nothing to search


def test_later_positions_help_earlier_ones(games: Path) -> None:
    """Positions are searched from the last one on, with one table: a mate that a search is too short for is found when
    the position after the next move has been searched."""
    before = "r1bq2r1/b4pk1/p1pp1p2/1p2pP2/1P2P1PB/3P4/1PPQ2P1/R3K2R w KQ - 0 1"
    after_a_sacrifice = "r1bq2r1/b4pk1/p1pp1p1Q/1p2pP2/1P2P1PB/3P4/1PP3P1/R3K2R b KQ - 1 1"
    side, settings = Side({"EvalType": "Material"}, 4), RelabelSettings(nodes=1_700)

    def score(later: int) -> int:
        boards = _boards([before, after_a_sacrifice])
        run_on_deep_stack(lambda: label(side, settings, boards, np.array([1, later], np.uint8)))
        return int(boards["score"][0])

    assert score(later=1) == MATE - 3
    assert score(later=0) < 0


def test_resumed_run_has_the_same_result(games: Path, tmp_path: Path) -> None:
    assert _run(games, tmp_path / "whole") == 0
    assert _run(games, tmp_path / "parts", "--positions", "1") == 0
    assert len(_bytes(tmp_path / "parts")) == 1
    assert _run(games, tmp_path / "parts") == 0
    assert _bytes(tmp_path / "parts") == _bytes(tmp_path / "whole")
    last = files_of(tmp_path / "parts")[-1]
    last.write_bytes(last.read_bytes()[:-100])  # made before the games were complete
    assert _run(games, tmp_path / "parts") == 0
    assert _bytes(tmp_path / "parts") == _bytes(tmp_path / "whole")


def test_other_settings_are_refused(games: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert _run(games, tmp_path / "run") == 0
    assert _run(games, tmp_path / "run", "--share", "0.5", "--check") == 2
    assert "was started with share 1.0, not 0.5" in capsys.readouterr().out.replace("\n", " ")
    assert _run(games, tmp_path / "run", "--share", "0.5") == 2
    assert "was started with share 1.0, not 0.5" in capsys.readouterr().out.replace("\n", " ")
    others = tmp_path / "others"
    others.mkdir()
    first, second = files_of(games)
    (others / first.name).write_bytes(second.read_bytes())
    assert _run(others, tmp_path / "run") == 2
    assert "was started with games" in capsys.readouterr().out.replace("\n", " ")


def test_another_engine_is_refused(games, tmp_path, monkeypatch, capsys):
    """It may be another when a run is continued, or on another machine."""
    assert _run(games, tmp_path / "run", "--positions", "1") == 0
    first = _bytes(tmp_path / "run")
    monkeypatch.setattr("tuning.relabel.fingerprint_of", lambda settings: "another")
    assert _run(games, tmp_path / "run") == 2
    assert 'not "another"' in capsys.readouterr().out.replace("\n", " ")
    assert _bytes(tmp_path / "run") == first
    assert _run(games, tmp_path / "remote", "--hash", "2") == 2
    assert "a worker has another engine or evaluation" in capsys.readouterr().out.replace("\n", " ")
