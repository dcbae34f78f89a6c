"""The whole of ``python -m tuning.match`` from its command line: results, PGN, resuming, refusals."""

import shlex
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import chess.pgn
import pytest

from tests.tuning.conftest import FOOLS_MATE, SCRIPT, finished, refused, run_tool
from tuning import match
from tuning.common.ledger import Ledger, read_events

NEVER_LEGAL = ["a1a8"] * 2


def words(name: str, line: Sequence[str], *fault: str) -> list[str]:
    """An ``--engine`` flag for the trivial engine."""
    command = shlex.join([sys.executable, "-S", "-E", str(SCRIPT), ",".join(line), *fault])
    return ["--engine", f"cmd={command}", f"name={name}"]


PAIR = [*words("w", FOOLS_MATE), *words("b", FOOLS_MATE)]


def run(monkeypatch, *arguments: str) -> tuple[int, str]:
    """The exit code and what was printed."""
    return run_tool(monkeypatch, match.main, *arguments, "--scheduler", "here")


def test_a_match_from_start_to_end(monkeypatch, tmp_path):
    page = finished(run(
        monkeypatch, *words("w", FOOLS_MATE), *words("b", FOOLS_MATE, "die", "2"), "--tc", "5+0.1", "--games", "4",
        "--plies", "0", "--json", str(tmp_path / "r.jsonl"), "--pgn", str(tmp_path / "r.pgn"),
    ))  # fmt: skip
    assert "w against b: 4 games, +2 =0 -2" in page
    assert "White disconnects" in page
    assert "pairs by points 0, ½, 1, 1½, 2: 0, 0, 2, 0, 0" in page
    summary = dict(read_events(tmp_path / "r.jsonl"))["summary"]
    assert summary["engines"]["b"]["disconnections"] == 2
    assert summary["engines"]["w"]["pv lines checked"] == 6
    assert summary["encounters"][0]["pentanomial"] == [0, 0, 2, 0, 0]
    stream = (tmp_path / "r.pgn").open()
    with stream:
        games = list(iter(lambda: chess.pgn.read_game(stream), None))
    assert [game.headers["Round"] for game in games] == ["1.1", "1.2", "2.1", "2.2"]
    assert [game.headers["Termination"] for game in games] == ["normal", "abandoned"] * 2


def test_text_of_engines_is_escaped(tmp_path, capsys):
    """Those of the command line and those that an engine uses, on the screen and in the PGN."""
    name = "[bold]a\x1b[2J\u202e$\udcff[/]\nb"
    bad = [*words(name, FOOLS_MATE, "die", "2"), "env.NAME=\x1b]0;x\x9b"]
    code = match.main([
        *words("w", FOOLS_MATE), *bad, "--tc", "5+0.1", "--games", "2", "--plies", "0", "--scheduler", "here",
        "--json", str(tmp_path / "\x1b.jsonl"), "--pgn", str(tmp_path / "r.pgn"),
    ])  # fmt: skip
    out, err = capsys.readouterr()
    assert code == 0, out + err
    assert r"[bold]a\x1b[2J\u202e$\udcff[/]" in out
    assert r"b: \x1b]0;x\x9b, 5+0.1" in out
    assert r"exit code 7: \x1b]0;x\x9b" in out
    assert not [letter for letter in out + err if not letter.isprintable() and letter != "\n"]
    with (tmp_path / "r.pgn").open() as stream:
        game = chess.pgn.read_game(stream)
    assert game.headers["Black"] == r"[bold]a\\x1b[2J\\u202e$\\udcff[/]\\nb"
    stranger = [*words("w", FOOLS_MATE), "--engine", f"cmd={name}", "--nodes", "1", "--json", str(tmp_path / "s.jsonl")]
    for bad in ([*stranger, "--scheduler", "here"], ["--resume", name], [f"--{name}"]):
        with suppress(SystemExit):
            match.main(bad)
        out, err = capsys.readouterr()
        assert r"\x1b[2J" in out + err
        assert not [letter for letter in out + err if not letter.isprintable() and letter != "\n"]


def test_resumed_match_plays_the_missing_games(monkeypatch, tmp_path):
    """Interrupted after three games, in the middle of a pair, and with a torn last line besides."""
    path = tmp_path / "r.jsonl"
    count = 0
    add = Ledger.add

    def interrupt(self: Ledger, kind: str, data: object) -> None:
        nonlocal count
        add(self, kind, data)
        count += kind == "game"
        if count == 3:
            count += 1
            raise KeyboardInterrupt

    monkeypatch.setattr(Ledger, "add", interrupt)
    code, page = run(monkeypatch, *PAIR, "--tc", "5", "--games", "6", "--plies", "0", "--json", str(path))
    assert code == 130
    assert "--resume" in page
    monkeypatch.setattr(Ledger, "add", add)
    with path.open("a") as stream:
        stream.write('{"game": {"pair": 1, "ind')
    page = finished(run(monkeypatch, "--resume", str(path), "--pgn", str(tmp_path / "r.pgn")))
    assert "w against b: 6 games, +3 =0 -3" in page
    games = [(data["pair"], data["index"]) for kind, data in read_events(path) if kind == "game"]
    assert sorted(games) == [(pair, index) for pair in range(3) for index in range(2)]
    assert (tmp_path / "r.pgn").read_text().count("[Event ") == 6


def test_a_round_robin_gets_a_rating_list(monkeypatch, tmp_path):
    engines = [*words("a", FOOLS_MATE), *words("b", FOOLS_MATE), *words("c", NEVER_LEGAL)]
    page = finished(run(
        monkeypatch, *engines, "--tc", "5", "--games", "2", "--plies", "0", "--json", str(tmp_path / "r.jsonl"),
    ))  # fmt: skip
    assert "Ratings (Bradley-Terry" in page
    summary = dict(read_events(tmp_path / "r.jsonl"))["summary"]
    assert summary["ratings"][-1]["name"] == "c"
    assert "no error from fewer than 20 games" in page
    assert page.count("too few for an interval") == 3
    assert [row["error"] for row in summary["ratings"]] == [None] * 3
    assert len(summary["encounters"]) == 3


def test_results_are_never_overwritten(monkeypatch, tmp_path):
    path = tmp_path / "r.jsonl"
    path.write_text("precious\n")
    refused(run(monkeypatch, *PAIR, "--tc", "5", "--json", str(path)), "already exists")
    assert path.read_text() == "precious\n"
    refused(run(monkeypatch, "--resume", str(path)), "not JSON")
    refused(
        run(monkeypatch, *PAIR, "--tc", "5", "--json", str(tmp_path / "new.jsonl"), "--pgn", str(path)),
        "it is not empty",
    )
    assert path.read_text() == "precious\n"


def test_a_resumed_match_empties_no_file_but_its_own(monkeypatch, tmp_path):
    path, pgn = tmp_path / "r.jsonl", tmp_path / "r.pgn"
    run(monkeypatch, *PAIR, "--tc", "5", "--games", "2", "--plies", "0", "--json", str(path), "--pgn", str(pgn))
    whole = pgn.read_text()
    for before, expected in (("", 0), (whole, 0), (whole[:50], 0), (whole[1:], 2)):
        pgn.write_text(before)
        assert run(monkeypatch, "--resume", str(path), "--pgn", str(pgn))[0] == expected
        assert pgn.read_text() == (before if expected else whole)


def test_a_resumed_match_has_the_same_book(monkeypatch, tmp_path):
    book, path = tmp_path / "book.epd", tmp_path / "r.jsonl"
    book.write_text(f"{chess.STARTING_FEN}\n")
    run(monkeypatch, *PAIR, "--tc", "5", "--games", "2", "--openings", str(book), "--json", str(path))
    book.write_text(f"{chess.STARTING_FEN}\n# more\n")
    refused(
        run(monkeypatch, "--resume", str(path), "--games", "4"), "book.epd: the file has changed since the run began"
    )


def test_resume_changes_the_number_of_games(monkeypatch, tmp_path):
    """--games 8 used to be skipped without a message."""
    path = tmp_path / "r.jsonl"
    run(monkeypatch, *PAIR, "--tc", "5", "--games", "2", "--plies", "0", "--json", str(path))
    page = finished(run(monkeypatch, "--resume", str(path), "--games", "8"))
    assert "games: 8 instead of 2" in page
    assert "w against b: 8 games" in page
    page = finished(run(monkeypatch, "--resume", str(path)))  # and it stays so
    assert "w against b: 8 games" in page


def test_a_decided_match_plays_no_more_when_resumed(monkeypatch, tmp_path):
    path = tmp_path / "r.jsonl"
    run(monkeypatch, *PAIR, "--tc", "5", "--games", "2", "--plies", "0", "--json", str(path))
    monkeypatch.setattr("tuning.matches.tournament.Tournament.verdict", "H1")
    page = finished(run(monkeypatch, "--resume", str(path), "--games", "8"))
    assert "w against b: 2 games" in page


def test_remarks_on_a_book_are_limited(monkeypatch, tmp_path):
    book = tmp_path / "book.epd"
    book.write_text("nonsense\n" * 100 + f"{chess.STARTING_FEN}\n")
    page = finished(run(
        monkeypatch, *PAIR, "--tc", "5", "--games", "2", "--openings", str(book), "--order", "sequential",
        "--json", str(tmp_path / "r.jsonl"),
    ))  # fmt: skip
    assert page.count("! book.epd:") == 10
    assert "repaired without a message" in page


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a device of Linux")
def test_a_disk_that_is_full_ends_the_match_in_one_line(monkeypatch, tmp_path):
    path = tmp_path / "r.jsonl"
    code, page = run(
        monkeypatch, *PAIR, "--tc", "5", "--games", "4", "--plies", "0", "--json", str(path), "--pgn", "/dev/full"
    )
    assert code == 1
    assert "error: cannot write /dev/full: No space left on device; the games are in the results" in page
    assert [kind for kind, _ in read_events(path)] == ["game", "summary"]
    resume = Ledger.resume

    def full_disk(path: Path, tool: str):
        ledger, events = resume(path, tool)
        ledger.close()
        return Ledger(path, ledger.settings, open("/dev/full", "w")), events

    monkeypatch.setattr(Ledger, "resume", full_disk)
    code, page = run(monkeypatch, "--resume", str(path))
    assert code == 1
    assert f"error: cannot write {path}: No space left on device" in page
    assert "2 games" not in page  # what is not in the file does not count


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
def test_invalid_results_files_are_refused(monkeypatch, tmp_path, lines):
    (tmp_path / "r.jsonl").write_text(lines)
    code, page = run(monkeypatch, "--resume", str(tmp_path / "r.jsonl"))
    assert code == 2
    assert len(page.splitlines()) == 1
    assert (tmp_path / "r.jsonl").read_text() == lines


def test_a_dead_engine_ends_the_match_and_keeps_its_games(monkeypatch, tmp_path):
    """The engine starts twice: when it is introduced, and for its first game."""
    for number in "12":
        (tmp_path / number).touch()
    script = tmp_path / "once.sh"
    inner = shlex.join([sys.executable, "-S", "-E", str(SCRIPT), ",".join(FOOLS_MATE), "die", "2"])
    script.write_text(
        f"#!/bin/sh\ncd {tmp_path}\nrm 1 2>&- || rm 2 2>&- || {{ echo used up >&2; exit 9; }}\nexec {inner}\n"
    )
    script.chmod(0o755)
    monkeypatch.setattr("tuning.matches.units.KEPT_ENGINES", 4)
    code, page = run(
        monkeypatch, "--engine", f"cmd={script}", "name=once", *words("b", FOOLS_MATE), "--tc", "5", "--games", "20",
        "--plies", "0", "--json", str(tmp_path / "r.jsonl"),
    )  # fmt: skip
    assert code == 1
    assert "error: once: died at start, exit code 9: used up" in page
    assert sum(kind == "game" for kind, _ in read_events(tmp_path / "r.jsonl")) == 1
