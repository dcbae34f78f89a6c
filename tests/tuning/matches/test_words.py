"""What users write: engine words, time controls, adjudication rules, each with one clear refusal."""

from dataclasses import replace

import pytest

from tuning import match
from tuning.common import revisions
from tuning.matches.engines import parse_words
from tuning.matches.fastchess import adjudication_words
from tuning.matches.flags import play_settings, with_commit
from tuning.matches.limits import parse_tc
from tuning.matches.probe import complaint_about


@pytest.mark.parametrize(
    ("text", "seconds", "increment", "moves"),
    [
        ("8+0.08", 8, 0.08, 0),
        ("40/60", 60, 0, 40),
        ("1:30+2", 90, 2, 0),
        ("40/2:00+0.5", 120, 0.5, 40),
        ("0.5", 0.5, 0, 0),
    ],
)
def test_time_controls_are_read(text, seconds, increment, moves):
    assert parse_tc(text) == (seconds, increment, moves)


def test_a_revision_finds_the_files_of_its_options(monkeypatch, tmp_path):
    """It runs in a worktree, where a path from here would name nothing."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(revisions, "resolve", lambda revision: "0123456789" * 4)
    (tmp_path / "net.nnue").touch()
    (tmp_path / "tables").mkdir()
    spec = parse_words(["rev=main", "option.EvalFile=net.nnue", "option.Hash=64"])
    spec = with_commit(replace(spec, shared_options={"SyzygyPath": "tables", "Threads": "1"}))
    assert spec.options == {"EvalFile": str(tmp_path / "net.nnue"), "Hash": "64"}
    assert spec.shared_options == {"SyzygyPath": str(tmp_path / "tables"), "Threads": "1"}


def test_the_folder_of_tablebases_is_found_from_elsewhere(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "KQvK.rtbw").touch()
    rules, _ = play_settings(match.parser().parse_args(["--tb", "."]))
    assert adjudication_words(rules)[-2:] == ["-tb", str(tmp_path)]


@pytest.mark.parametrize(
    ("remark", "complains"),
    [
        ("info string cannot read the network 'nope.nnue': No such file or directory", True),
        ("info string ERROR: the network file nope.nnue was not loaded successfully.", True),
        ("info string Hash must be an integer from 1 to 32, not '64'", True),
        ("info string NNUE evaluation using nope.nnue enabled", False),
        ("info string no opening book", False),
        ("info string error 64", False),
        ("info string Hash table allocation: Windows large pages not used.", False),
        ("option name EvalFile type string default not nope.nnue", False),
    ],
)
def test_complaints_about_options_are_recognized(remark, complains):
    found = complaint_about({"EvalFile": "nope.nnue", "Hash": "64"}, ["id name X", remark, "readyok"])
    assert (found is not None) == complains
