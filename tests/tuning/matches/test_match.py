"""The whole of ``python -m tuning.match`` from its command line: results, resuming, refusals."""

import re
import shutil
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import chess.pgn
import pytest

from tests.tuning.conftest import finished, refused, run_tool, words
from tuning import match
from tuning.common.results import ResultsFile, read_events

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the stand-in for fastchess is a shell script")

PAIR = [*words("w"), *words("b"), "--nodes", "5"]


def run(monkeypatch, *arguments: str) -> tuple[int, str]:
    """The exit code and what was printed."""
    return run_tool(monkeypatch, match.main, *arguments)


def games_of(path: Path) -> list[tuple[int, int]]:
    return sorted((data["pair"], data["index"]) for kind, data in read_events(path) if kind == "game")


def test_a_match_from_start_to_end(monkeypatch, tmp_path, playing):
    page = finished(run(
        monkeypatch, *PAIR, "--games", "8", "--json", str(tmp_path / "r.jsonl"),
        *playing("1", "lose", "0", "=", "=", "warn", "0", "1", "=", "="),
    ))  # fmt: skip
    assert "w: Trivial, 5 nodes" in page
    assert " -engine name=w cmd=" in page  # the command that was run
    assert "w against b: 8 games, +2 =4 -2" in page
    assert "pairs by points 0, ½, 1, 1½, 2: 1, 0, 2, 0, 1" in page
    assert "! game 1.2: b - w 0-1 White loses on time (12ms overrun)" in page
    assert len(re.findall(r"^warnings about [wb]: Illegal PV move \(1\)$", page, re.MULTILINE)) == 1
    summary = dict(read_events(tmp_path / "r.jsonl"))["summary"]
    assert summary["engines"]["b"]["time losses"] == 1
    assert summary["engines"]["w"]["warnings"] + summary["engines"]["b"]["warnings"] == 1
    assert summary["encounters"][0]["pentanomial"] == [1, 0, 2, 0, 1]
    assert games_of(tmp_path / "r.jsonl") == [(pair, index) for pair in range(4) for index in range(2)]


def test_text_of_engines_is_escaped(tmp_path, capsys, playing):
    name = "[bold]a\x1b[2J\u202e[/]\nb"
    bad = [*words(name), "env.NAME=\x1b]0;x\x9b"]
    json = str(tmp_path / "\x1b.jsonl")
    code = match.main([*words("w"), *bad, "--tc", "5+0.1", "--games", "2", "--json", json, *playing("1")])
    out, err = capsys.readouterr()
    assert code == 1  # the stand-in prints the name over two lines
    assert r"[bold]a\x1b[2J\u202e[/]" in out
    assert r"b: \x1b]0;x\x9b, 5+0.1" in out
    assert not [letter for letter in out + err if not letter.isprintable() and letter != "\n"]
    stranger = [*words("w"), "--engine", f"cmd={name}", "--nodes", "1", "--json", str(tmp_path / "s.jsonl")]
    for bad in (stranger, ["--resume", name], [f"--{name}"]):
        with suppress(SystemExit):
            match.main([*bad, *playing("1")] if bad is stranger else bad)
        out, err = capsys.readouterr()
        assert r"\x1b[2J" in out + err
        assert not [letter for letter in out + err if not letter.isprintable() and letter != "\n"]


def test_resumed_match_plays_the_missing_games(monkeypatch, tmp_path, playing):
    """Ended in the middle of a pair, and with a torn last line."""
    path = tmp_path / "r.jsonl"
    settings = [*PAIR, "--games", "6", "--json", str(path)]
    code, page = run(monkeypatch, *settings, *playing("1", "=", "1", "fail"))
    assert code == 1
    assert "error: fastchess ended with exit code 1: Fatal; w engine startup failure" in page
    assert games_of(path) == [(0, 0), (0, 1), (1, 0)]
    with path.open("a") as stream:
        stream.write('{"game": {"pair": 1, "ind')
    page = finished(run(monkeypatch, "--resume", str(path), *playing("0", "=")))
    assert "-rounds 2 " in page
    assert games_of(path) == [(pair, index) for pair in range(3) for index in range(2)]
    assert "w against b: 6 games, +2 =3 -1" in page  # the first game of the half pair counts


def test_a_match_ends_with_its_test(monkeypatch, tmp_path, playing):
    """And is not continued then, whatever number of games is asked for."""
    path = tmp_path / "r.jsonl"
    sprt = ["--sprt", "0", "100", "--json", str(path)]
    page = finished(run(monkeypatch, *PAIR, *sprt, *playing(*["1", "0"] * 20, "hang")))
    assert "H1 accepted" in page
    (encounter,) = dict(read_events(path))["summary"]["encounters"]
    assert encounter["pentanomial"][:4] == [0, 0, 0, 0]
    page = finished(run(monkeypatch, "--resume", str(path), "--games", "800", *playing("hang")))
    assert "H1 accepted" in page


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_match_can_be_continued(monkeypatch, tmp_path, playing, number):
    path = tmp_path / "r.jsonl"
    command = [sys.executable, "-m", "tuning.match", *PAIR, "--games", "4", "--json", str(path)]
    started = subprocess.Popen([*command, *playing("1", "1", "hang")], stdout=subprocess.PIPE, text=True)
    deadline = time.monotonic() + 120
    while not (path.exists() and path.read_text().count('"game"') == 2) and time.monotonic() < deadline:
        time.sleep(0.05)
    started.send_signal(number)
    page, _ = started.communicate(timeout=60)
    assert started.returncode == 130
    assert f"interrupted; continue with: python -m tuning.match --resume {path}" in page
    assert "summary" in dict(read_events(path))
    page = finished(run(monkeypatch, "--resume", str(path), *playing("=")))
    assert "w against b: 4 games, +1 =2 -1" in page


def test_a_gauntlet_gets_a_rating_list(monkeypatch, tmp_path, playing):
    engines = [*words("a"), *words("b"), *words("c"), "--tournament", "gauntlet"]
    settings = ["--tc", "5", "--games", "2", "--json", str(tmp_path / "r.jsonl"), *playing("1", "0", "=")]
    page = finished(run(monkeypatch, *engines, *settings))
    assert "Ratings (Bradley-Terry" in page
    assert page.count(" -engine name=a ") == 2  # one encounter after the other
    assert "no error from fewer than 20 games" in page
    summary = dict(read_events(tmp_path / "r.jsonl"))["summary"]
    assert [row["error"] for row in summary["ratings"]] == [None] * 3
    assert [(one["first"], one["second"]) for one in summary["encounters"]] == [("a", "b"), ("a", "c")]


def test_results_are_never_overwritten(monkeypatch, tmp_path, playing):
    path = tmp_path / "r.jsonl"
    path.write_text("precious\n")
    program = playing("1")
    refused(run(monkeypatch, *PAIR, "--json", str(path), *program), "already exists")
    refused(run(monkeypatch, "--resume", str(path), *program), "not JSON")
    new = ["--json", str(tmp_path / "new.jsonl"), "--pgn", str(path)]
    refused(run(monkeypatch, *PAIR, *new, *program), "already exists")
    assert path.read_text() == "precious\n"


def test_a_resumed_match_has_the_same_book(monkeypatch, tmp_path, playing):
    book, path = tmp_path / "book.epd", tmp_path / "r.jsonl"
    book.write_text(f"{chess.STARTING_FEN}\n")
    program = playing("1")
    run(monkeypatch, *PAIR, "--games", "2", "--openings", str(book), "--json", str(path), *program)
    book.write_text(f"{chess.STARTING_FEN}\n# more\n")
    resumed = run(monkeypatch, "--resume", str(path), "--games", "4", *program)
    refused(resumed, "book.epd: the file has changed since the run began")


def test_resume_changes_the_number_of_games(monkeypatch, tmp_path, playing):
    path, program = tmp_path / "r.jsonl", playing("1")
    run(monkeypatch, *PAIR, "--games", "2", "--json", str(path), *program)
    page = finished(run(monkeypatch, "--resume", str(path), "--games", "7", *program))
    assert "games: 7 instead of 2" in page
    assert "w against b: 8 games" in page  # whole pairs
    assert "w against b: 8 games" in finished(run(monkeypatch, "--resume", str(path), *program))  # and it stays so


def test_remarks_on_a_book_are_limited(monkeypatch, tmp_path, playing):
    book = tmp_path / "book.epd"
    book.write_text("nonsense\n" * 100 + f"{chess.STARTING_FEN}\n")
    openings = ["--openings", str(book), "--order", "sequential", "--json", str(tmp_path / "r.jsonl")]
    page = finished(run(monkeypatch, *PAIR, "--games", "2", *openings, *playing("1")))
    assert page.count("! book.epd:") == 10
    assert "repaired without a message" in page


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a device of Linux")
def test_a_full_disk_ends_the_match_in_one_line(monkeypatch, tmp_path, playing):
    path, program = tmp_path / "r.jsonl", playing("1")
    run(monkeypatch, *PAIR, "--games", "2", "--json", str(path), *program)
    resume = ResultsFile.resume

    def full_disk(path: Path, tool: str):
        results, events = resume(path, tool)
        results.close()
        return ResultsFile(path, results.settings, open("/dev/full", "w")), events

    monkeypatch.setattr("tuning.matches.tournament.ResultsFile.resume", full_disk)
    code, page = run(monkeypatch, "--resume", str(path), "--games", "8", *program)
    assert code != 0
    assert f"error: cannot write {path}: No space left on device" in page


@pytest.mark.parametrize(
    "lines",
    [
        '{"tool":"tuning.match","settings":{}}\n',
        '{"tool":"tuning.match","settings":{"engines":[]}}\n{"game":{}}\n',
        '{"tool":"tuning.arena","settings":{}}\n',
        "[1, 2]\n",
        "",
        "\x00\xff\n",
    ],
)
def test_invalid_results_files_are_refused(monkeypatch, tmp_path, lines, playing):
    (tmp_path / "r.jsonl").write_text(lines)
    code, page = run(monkeypatch, "--resume", str(tmp_path / "r.jsonl"), *playing("1"))
    assert code == 2
    assert len(page.splitlines()) == 1
    assert (tmp_path / "r.jsonl").read_text() == lines


@pytest.mark.parametrize(
    ("flags", "problem"),
    [
        (["--engine", "no-such-engine"], "no-such-engine: no program 'no-such-engine' on the path"),
        (words("lazy", "unborn"), "lazy: no 'uciok' within 150 s, or before it ended: no licence file"),
        ([*words("x"), "option.Contempt=3"], "x: no option is called Contempt; its options are Hash, Net, Book"),
        ([*words("x"), "option.Book=maybe"], "x: Book must be true or false, not 'maybe'"),
        ([*words("x"), "option.Net=/gone.nnue"], "x: cannot read '/gone.nnue'"),
        ([*words("x"), "--each", "option.Net=/gone.nnue"], "w: cannot read '/gone.nnue'"),
        ([*words("x"), "--chess960"], "w: it does not play Chess960"),
    ],
)
def test_an_engine_that_cannot_play_so_is_named(monkeypatch, tmp_path, playing, flags, problem):
    """Before the first game; else it would play with another value."""
    json = ["--nodes", "5", "--json", str(tmp_path / "r.jsonl")]
    refused(run(monkeypatch, *words("w"), *flags, *json, *playing("1")), f"error: {problem}")
    assert not (tmp_path / "r.jsonl").exists()


def test_options_go_where_they_exist_in_the_engines_spelling(monkeypatch, tmp_path, playing):
    log = tmp_path / "log"
    flags = ["--each", "option.Contempt=3", "option.hash=4"]
    engines = [*words("w"), f"env.LOG={log}", "option.book=0", *words("b"), *flags]
    page = finished(run(monkeypatch, *engines, "--nodes", "5", "--games", "2", "--json", str(tmp_path / "r.jsonl"),
                        *playing("1")))  # fmt: skip
    assert "option.Hash=4 option.Book=false" in page
    assert "Contempt" not in page
    sent = [line for line in log.read_text().splitlines() if line.startswith("setoption")]
    assert sent == ["setoption name Hash value 4", "setoption name Book value false"]


def test_without_fastchess_the_advice_is_one_line(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    said = refused(
        run(monkeypatch, *PAIR, "--json", str(tmp_path / "r.jsonl")), "https://github.com/Disservin/fastchess"
    )
    assert "--fastchess FILE" in said
    assert said.count("\n") == 1


@pytest.mark.skipif(shutil.which("fastchess") is None, reason="fastchess is not installed")
def test_a_real_match(monkeypatch, tmp_path):
    """Eight games at so few nodes that pairs differ, their PGN, and what fastchess itself counts."""
    engine = f"cmd={sys.executable} {Path(__file__).parents[3] / 'uci_main.py'}"
    json, pgn = tmp_path / "r.jsonl", tmp_path / "r.pgn"
    both = ["--engine", engine, "name=a b", "nodes=300", "--engine", engine, "name=weak", "nodes=30", "option.Hash=2"]
    page = finished(run(monkeypatch, *both, "--games", "8", "--json", str(json), "--pgn", str(pgn)))
    assert "a b against weak: 8 games" in page
    with pgn.open() as stream:
        games = list(iter(lambda: chess.pgn.read_game(stream), None))
    assert not [game.errors for game in games if game.errors]
    points = {"1-0": (2, 0), "0-1": (0, 2), "1/2-1/2": (1, 1)}
    total = sum(points[game.headers["Result"]][game.headers["White"] != "a b"] for game in games)
    (encounter,) = dict(read_events(json))["summary"]["encounters"]
    assert len(games) == 8 == sum(encounter[kind] for kind in ("wins", "draws", "losses"))
    assert total == 2 * encounter["wins"] + encounter["draws"]
    assert 2 * sum(half * pairs for half, pairs in enumerate(encounter["pentanomial"])) == 2 * total
