"""What users write: engine words, time controls, adjudication rules, each with one clear refusal."""

import os
from dataclasses import replace

import chess
import pytest

from tuning import match
from tuning.common import revisions
from tuning.common.errors import SetupError
from tuning.matches.adjudication import Adjudication, Referee, parse_rule
from tuning.matches.engines import parse_each, parse_limit_words, parse_words, with_unique_names
from tuning.matches.flags import DRAW_KEYS, RESIGN_KEYS, play_settings, with_commit
from tuning.matches.info import InfoLine, last_scored, parse_uci
from tuning.matches.limits import Clock, TimeControl, engine_limit, parse_tc
from tuning.matches.player import complaint_about
from tuning.matches.tournament import pairings, plan


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
    conditions, _ = play_settings(match.parser().parse_args(["--tb", "."]))
    assert conditions.adjudication.tablebases == str(tmp_path)


@pytest.mark.parametrize(
    ("remark", "complains"),
    [
        ("info string cannot read the network 'nope.nnue': No such file or directory", True),
        ("info string ERROR: the network file nope.nnue was not loaded successfully.", True),
        ("info string option Hash cannot be '64': it takes a whole number", True),
        ("info string NNUE evaluation using nope.nnue enabled", False),
        ("info string no opening book", False),
        ("info string error 64", False),
        ("info string Hash table allocation: Windows large pages not used.", False),
        ("option name EvalFile type string default not nope.nnue", False),
    ],
)
def test_complaints_about_options_are_recognised(remark, complains):
    found = complaint_about({"EvalFile": "nope.nnue", "Hash": "64"}, ["id name X", remark, "readyok"])
    assert (found is not None) == complains


@pytest.mark.parametrize("text", ["", "8+", "x", "8+0.08s", "-5", "0+1", "1/0"])
def test_bad_time_controls_are_quoted(text):
    with pytest.raises(SetupError, match="time control"):
        parse_tc(text)


def test_words_as_cutechess_writes_them():
    spec = parse_words(
        ["cmd=gnuchess -u", "name=GNU", "dir=/tmp", "option.Move Overhead=30", "arg=--x", "tc=5+0.1"],
        TimeControl(nodes=9),
    )
    assert spec.name == "GNU"
    assert spec.command == ("gnuchess", "-u", "--x")
    assert spec.directory == "/tmp"
    assert spec.options == {"Move Overhead": "30"}
    assert (spec.limits.base, spec.limits.increment, spec.limits.nodes) == (5, 0.1, 9)


def test_a_bare_command_and_a_revision():
    assert parse_words(["/opt/x/engine --uci"]).command == ("/opt/x/engine", "--uci")
    assert parse_words(["/opt/x/engine"]).name == "engine"
    assert parse_words(["engine", "dir=~/x"]).directory == os.path.expanduser("~/x")
    assert parse_words(["rev=HEAD~2", "arg=--tune"]).revision == "HEAD~2"


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["name=x"], "no command"),
        (["/home/o'neil/sf"], "neil/sf.: No closing quotation"),
        (["cmd=x", "proto=xboard"], "'proto=xboard' is unknown"),
        (["cmd=x", "colour=red"], "'colour=red' is unknown"),
        (["cmd=x", "nodes=many"], "'many' is not a number"),
        (["cmd=x", "tc=fast"], "'fast' is not of the form"),
        (["cmd=x", "y"], "'y' is not of the form NAME=VALUE"),
        (["cmd=x", "depth=0"], "depth must be above zero"),
    ],
)
def test_bad_words_are_quoted(words, complaint):
    with pytest.raises(SetupError, match=complaint):
        parse_words(words)


def test_a_word_replaces_the_default_limit():
    assert parse_limit_words(["st=0.5"], TimeControl(base=8, increment=1)) == TimeControl(movetime=0.5)
    assert parse_limit_words(["movetime=50", "timemargin=20"]) == TimeControl(movetime=0.05, margin=0.02)
    assert parse_each(["option.Hash=64", "nodes=5"]) == ({"Hash": "64"}, ["nodes=5"])
    with pytest.raises(SetupError, match="not 'name=x'"):
        parse_each(["name=x"])


def test_equal_names_are_numbered():
    specs = with_unique_names([parse_words(["a"]), parse_words(["b"]), parse_words(["a"])])
    assert [spec.name for spec in specs] == ["a", "b", "a (2)"]
    specs = with_unique_names([parse_words(["x", f"name={name}"]) for name in ("a", "a (2)", "a")])
    assert [spec.name for spec in specs] == ["a", "a (2)", "a (3)"]


def test_a_clock_runs_down_and_is_refilled():
    clock = Clock(TimeControl(base=10, increment=1, moves=2))
    assert clock.spend(4)
    assert clock.left == pytest.approx(7)
    assert clock.spend(3)
    assert clock.left == pytest.approx(15)
    assert not clock.spend(15.001)
    assert Clock(TimeControl(nodes=5)).spend(1000)


def test_limits_reach_the_engine_from_its_own_side():
    white, black = Clock(TimeControl(base=3, increment=0.5)), Clock(TimeControl(nodes=7))
    limit = engine_limit(white, black, chess.WHITE, "g")
    assert (limit.white_clock, limit.black_clock, limit.white_inc, limit.nodes) == (3, None, 0.5, None)
    limit = engine_limit(black, white, chess.BLACK, "g")
    assert (limit.white_clock, limit.black_clock, limit.nodes) == (None, None, 7)


def test_words_set_the_rules_of_adjudication():
    assert parse_rule(["movecount=4", "score=900"], RESIGN_KEYS, "--resign") == {"resign_moves": 4, "resign_score": 900}
    assert parse_rule(["off"], DRAW_KEYS, "--draw") == {"draw_moves": 0}
    with pytest.raises(SetupError, match=r"--draw: 'movenumber=x'"):
        parse_rule(["movenumber=x"], DRAW_KEYS, "--draw")
    with pytest.raises(SetupError, match="score=--5"):
        parse_rule(["score=--5"], RESIGN_KEYS, "--resign")


def test_resignation_needs_both_engines_unless_told_otherwise():
    board = chess.Board()
    for both, expected in ((True, None), (False, ("0-1", "Black wins by adjudication"))):
        referee = Referee(Adjudication(resign_both=both))
        for _ in range(3):
            referee.note(chess.WHITE, -700)
            referee.note(chess.BLACK, 100)
        assert referee.verdict(board) == expected
    referee = Referee(Adjudication())
    for score in (-700, -700, -100, -700, -700):
        referee.note(chess.WHITE, score)
        referee.note(chess.BLACK, 900)
    assert referee.verdict(board) is None
    referee.note(chess.WHITE, -100_000)
    assert referee.verdict(board) == ("0-1", "Black wins by adjudication")


def test_tablebases_adjudicate_after_zeroing_moves(oracle):
    referee = Referee(Adjudication(tablebases="given"), oracle)
    won = chess.Board("8/8/8/8/8/2k5/8/Q1K5 b - - 0 60")
    assert referee.verdict(won) == ("1-0", "White wins by adjudication: tablebase")
    later = chess.Board("8/8/8/8/8/2k5/8/Q1K5 b - - 3 60")
    assert referee.verdict(later) is None
    drawn = chess.Board("8/8/8/8/8/k7/p7/K7 w - - 0 60")
    assert referee.verdict(drawn) == ("1/2-1/2", "Draw by adjudication: tablebase")
    assert referee.verdict(chess.Board()) is None


def test_info_lines_are_read_whole():
    thought = parse_uci(
        "info depth 12 seldepth 20 multipv 1 score cp -31 upperbound nodes 99 nps 5 time 1500 pv e2e4 e7e5"
    )
    assert (thought.depth, thought.cp, thought.bound, thought.nodes) == (12, -31, True, 99)
    assert thought.pv == ("e2e4", "e7e5")
    assert thought.score_text == "-0.31"
    assert parse_uci("info depth x score mate -2 pv").score_text == "-M2"
    assert parse_uci("info string score cp 100").cp is None
    assert parse_uci(f"info depth ² nodes {'9' * 5000} score cp --3 multipv 2") == InfoLine(multipv=2)


def test_the_last_exact_score_counts():
    lines = [
        "info depth 1 score cp 10 nodes 5 pv a2a3",
        "info depth 2 score cp 50 lowerbound nodes 9 pv a2a3",
        "info depth 2 currmove a2a3",
    ]
    last = last_scored([parse_uci(line) for line in lines])
    assert (last.depth, last.cp, last.nodes) == (1, 10, 9)
    assert last_scored([parse_uci(lines[1])]).cp == 50
    assert last_scored([parse_uci("info depth 2 multipv 2 score cp 5")]) is None


def test_plan_plays_every_encounter_twice_from_each_opening():
    assert pairings(3) == [(0, 1), (0, 2), (1, 2)]
    assert pairings(3, "gauntlet") == [(0, 1), (0, 2)]
    planned = list(plan(3, 5, "gauntlet"))
    assert [pair.number for pair in planned] == list(range(6))
    assert [pair.opening for pair in planned] == [0, 0, 1, 1, 2, 2]
    assert [pair.games for pair in planned] == [2, 2, 2, 2, 1, 1]
