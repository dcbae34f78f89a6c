"""What fastchess is told, and what it prints: ``fastchess.txt`` has its output (alpha 1.8.2) for several engines."""

from dataclasses import replace
from pathlib import Path

import pytest

from tests.tuning.conftest import SCRIPT
from tuning.matches.adjudication import Adjudication
from tuning.matches.engines import EngineSpec, parse_limit_words, parse_words
from tuning.matches.fastchess import adjudication_words, engine_words, is_trouble, limit_words, read_game
from tuning.matches.tally import Tally

NAMES = ("A vs B", "sound")


def printed(title: str) -> list[str]:
    """The lines of a section of the file."""
    parts = Path(__file__).with_name("fastchess.txt").read_text().split("### ")
    return next(part for part in parts if part.startswith(title)).splitlines()[1:]


def tallied(lines: list[str], pairs: list[int]) -> Tally:
    tally = Tally(list(NAMES), [(0, 1)])
    for line in lines:
        if game := read_game(line, NAMES, pairs):
            assert tally.add(game)
        elif is_trouble(line):
            tally.count_warning(line)
    return tally


@pytest.mark.parametrize(
    ("title", "games", "fault"),
    [
        ("late", 4, "time losses"),
        ("illegal", 2, "illegal moves"),
        ("dies", 2, "disconnections"),
        ("wrong line", 2, None),
        ("does not start", 0, None),
    ],
)
def test_games_and_faults_are_those_that_it_counts(title, games, fault):
    lines = printed(title)
    tally = tallied(lines, [7, 3])
    encounter = tally.encounters[NAMES]
    assert tally.games == games
    totals = [line for line in lines if line.startswith(("Games:", "Ptnml"))]
    assert bool(totals) == bool(games)
    if totals:
        losses, draws, wins = encounter.wdl
        assert totals[0].startswith(f"Games: {games}, Wins: {wins}, Losses: {losses}, Draws: {draws},")
        assert totals[1].startswith(f"Ptnml(0-2): {encounter.pairs},")
    assert tally.engines["A vs B"].faults == ({fault: games // 2} if fault else {})
    assert not tally.engines["sound"].faults
    assert tally.has_pair(NAMES, 7) == bool(games)
    assert tally.has_pair(NAMES, 3) == (games == 4)


def test_wrong_lines_are_counted_for_their_engine():
    tally = tallied(printed("wrong line"), [0])
    assert (dict(tally.engines["A vs B"].warnings), tally.engines["sound"].warnings.total()) == (
        {"Illegal PV move": 1},
        0,
    )
    assert next(filter(is_trouble, printed("does not start"))).startswith("Fatal; A vs B engine")


@pytest.mark.parametrize(
    ("limits", "sent"),
    [
        ("tc=40/1:30+0.5", "tc=40/90+0.5"),
        ("tc=8+0.08 timemargin=20", "tc=8+0.08 timemargin=20"),
        ("movetime=50", "st=0.05 timemargin=100"),
        ("nodes=8000 depth=9", "nodes=8000 plies=9"),
    ],
)
def test_limits(limits, sent):
    assert limit_words(parse_limit_words(limits.split())) == sent.split()


def test_adjudication():
    usual = "-resign movecount=3 score=600 twosided=true -draw movenumber=34 movecount=8 score=20"
    assert adjudication_words(Adjudication()) == usual.split()
    assert adjudication_words(Adjudication(resign_moves=0, draw_moves=0, max_moves=90)) == ["-maxmoves", "90"]


def test_an_engine_with_arguments_and_environment():
    """Arguments are split by fastchess at spaces outside of quotation marks."""
    spec = parse_words([f"cmd=python3 {SCRIPT}", "name=A b", "arg=two words", "arg=it's", "nodes=9"])
    name, program, words, limit, option = engine_words(spec, {"Move Overhead": "30"})
    assert (name, limit, option) == ("name=A b", "nodes=9", "option.Move Overhead=30")
    assert program.startswith("cmd=/")
    assert words == f'args={SCRIPT} "two words" "it\'s"'
    _, program, words, _, _ = engine_words(replace(spec, environment={"X": "a b"}), {"Hash": "1"})
    assert program.endswith("/env")
    assert words.startswith('args="X=a b" /')
    assert "dir=/tmp" in engine_words(EngineSpec("x", ("sh",), directory="/tmp"), {})
