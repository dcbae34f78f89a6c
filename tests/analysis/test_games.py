"""``analyse PGN``: what is found, that nothing is lost, and that an interrupted run goes on."""

import copy
import csv
import hashlib
import json
import os
import re
import shutil
import sys
from itertools import pairwise
from pathlib import Path
from random import Random

import chess
import chess.pgn
import pytest
from chess.engine import Limit

from engine import Engine, __version__
from engine.analysis import annotate, cli, games, jobs, notes, record
from engine.analysis.files import read_games
from engine.analysis.notes import TAG
from engine.analysis.record import GameAnalysis
from engine.analysis.results import SUFFIX
from engine.commandline import INTERRUPTED
from engine.printing import PrintError
from tests.analysis.conftest import GAMES, LONG, ByMaterial

FAST = ["--depth", "6"]


def analyse(*words: object) -> int:
    """``numbat analyse`` in this process."""
    return cli.main("analyse", [str(word) for word in words])


def outputs(pgn: Path) -> list[Path]:
    """The files that are made from the results for ``pgn``."""
    return [pgn.with_suffix(f".annotated.{kind}") for kind in ("pgn", "html")]


def result(pgn: Path, capsys: pytest.CaptureFixture[str]) -> tuple[str, ...]:
    """What was printed and written."""
    return capsys.readouterr().out, *(file.read_text("utf-8") for file in outputs(pgn))


def result_at_once(pgn: Path, capsys: pytest.CaptureFixture[str], *limit: str) -> tuple[str, ...]:
    """What a run without an interruption prints and writes; the files are removed."""
    assert analyse(pgn, *limit) == 0
    straight = result(pgn, capsys)
    for file in (*outputs(pgn), pgn.with_suffix(SUFFIX)):
        file.unlink()
    return straight


@pytest.fixture(autouse=True)
def searches(scripted: list[tuple[str, Limit]]) -> list[tuple[str, Limit]]:
    """The searches of a scripted engine."""
    return scripted


def test_notes_of_other_programs_are_preserved(pgn, capsys):
    before = read_games(pgn)
    assert analyse(pgn, *FAST) == 0
    after = read_games(pgn.with_suffix(".annotated.pgn"))
    for old, new in zip(before, after, strict=True):
        assert list(old.mainline_moves()) == list(new.mainline_moves())
        assert {tag: new.headers[tag] for tag in old.headers} == dict(old.headers)
        for was, now in zip(old.mainline(), new.mainline(), strict=True):
            assert was.comment in now.comment
            assert was.nags <= now.nags
            assert {child.move for child in was.variations} <= {child.move for child in now.variations}
    nodes = list(after[0].mainline())
    assert [child.move.uci() for child in nodes[4].variations].count("g7g6") == 1  # its author's line, not twice
    assert nodes[5].nags & {1, 2, 3, 4, 5, 6} == {chess.pgn.NAG_BLUNDER}
    assert list(after[1].mainline())[2].nags == {2}  # its author's judgement
    assert re.search(
        r"Blunder: [^:]+ was better. Allows mate in one with 4\.Qxf7#\. "
        r"White \d+%, draw \d+%, Black \d+%; now White 100%, draw 0%, Black 0%\.",
        nodes[5].comment,
    )
    assert all(node.eval() for node in nodes[:-1])
    assert nodes[5].eval().white() == chess.engine.Mate(1)
    out = capsys.readouterr().out
    assert re.search(r"^Black \(Bob\): .*blunders [1-9]$", out, re.MULTILINE)
    assert pgn.read_text("utf-8").startswith('[Event "Casual"]')


def interrupt_at(monkeypatch, number: int) -> None:
    """Interrupt the run at that search."""
    plain, searched = ByMaterial.analyse, []

    def search(self, *arguments, **options):
        searched.append(arguments)
        if len(searched) == number:
            raise KeyboardInterrupt
        return plain(self, *arguments, **options)

    monkeypatch.setattr(ByMaterial, "analyse", search)


@pytest.mark.parametrize("limit", [["--depth", "7"], ["--nodes", "6000"]], ids=" ".join)
def test_an_interruption_costs_the_game_in_progress(pgn, monkeypatch, capsys, searches, limit):
    pgn.write_text(pgn.read_text("utf-8") + LONG, encoding="utf-8")
    straight = result_at_once(pgn, capsys, *limit)
    assert straight[1].count(" was ") > 3
    whole = len(searches)
    searches.clear()
    with monkeypatch.context() as patch:
        interrupt_at(patch, whole - 5)  # in the last game
        assert analyse(pgn, *limit) == INTERRUPTED
    told = capsys.readouterr().err
    assert f"interrupted; 3 of 4 games finished, kept in {pgn.with_suffix(SUFFIX)}; run the same" in told
    written = read_games(outputs(pgn)[0])
    assert [TAG in game.headers for game in written] == [True, True, True, False]
    assert "Qxf7#" in outputs(pgn)[1].read_text("utf-8")
    searches.clear()
    assert analyse(pgn, *limit) == 0
    assert result(pgn, capsys) == straight
    asked = {fen for fen, _ in searches}
    assert chess.STARTING_FEN in asked
    assert read_games(pgn)[2].board().fen() not in asked


@pytest.mark.parametrize(
    "place", [(annotate, "praise"), (GameAnalysis, "set_result"), (games, "entry")], ids=lambda place: place[1]
)
def test_an_interruption_at_any_moment_changes_nothing(pgn, monkeypatch, capsys, place):
    """In the first run at the first call of a function, in the next at the second, and so on."""
    pgn.write_text(LONG + pgn.read_text("utf-8"), encoding="utf-8")
    straight = result_at_once(pgn, capsys, "--nodes", "3000")
    plain, calls, runs = getattr(*place), 0, 1

    def interrupting(*arguments, **keywords):
        nonlocal calls
        calls += 1
        if calls == runs:
            raise KeyboardInterrupt
        return plain(*arguments, **keywords)

    monkeypatch.setattr(*place, interrupting)
    while analyse(pgn, "--nodes", "3000") == INTERRUPTED:
        calls, runs = 0, runs + 1
        capsys.readouterr()
    assert runs >= 2
    assert result(pgn, capsys) == straight


def test_jobs_find_the_same_also_after_an_interruption(pgn, monkeypatch, capsys):
    """In processes of their own, to which no scripted engine comes."""
    monkeypatch.setattr(jobs, "Engine", Engine)
    pgn.write_text(LONG + pgn.read_text("utf-8") + LONG, encoding="utf-8")
    straight = result_at_once(pgn, capsys, "--nodes", "300")
    plain = games.annotate_all

    def interrupted(*arguments, **options):
        for count, completed in enumerate(plain(*arguments, **options), 1):
            yield completed
            if count == 2:
                raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(games, "annotate_all", interrupted)
        assert analyse(pgn, "--nodes", "300", "--jobs", "2") == INTERRUPTED
    told = int(re.search("interrupted; ([2-4]) of 5 games finished", capsys.readouterr().err)[1])
    assert told == sum(TAG in game.headers for game in read_games(outputs(pgn)[0]))
    assert analyse(pgn, "--nodes", "300") == 0
    assert result(pgn, capsys) == straight


def test_sentences_are_made_anew_from_the_results(pgn, monkeypatch, capsys, searches):
    assert analyse(pgn, *FAST) == 0
    straight, done = result(pgn, capsys), len(searches)
    assert analyse(pgn, *FAST) == 0
    assert (result(pgn, capsys), len(searches)) == (straight, done)
    monkeypatch.setattr(record, "sentence", lambda claim, skip_better: "In other words.")
    assert analyse(pgn, *FAST) == 0
    _, text, page = result(pgn, capsys)
    assert len(searches) == done
    assert text.count("other words.") >= 2
    assert "In other words." in page
    monkeypatch.undo()
    assert analyse(pgn, *FAST) == 0
    assert result(pgn, capsys) == straight


@pytest.mark.parametrize("option", ["output", "html"])
def test_an_edited_file_is_not_overwritten(pgn, capsys, searches, option):
    kind = {"output": "pgn", "html": "html"}[option]
    output, other = pgn.with_suffix(f".annotated.{kind}"), pgn.with_name(f"other.{kind}")
    assert analyse(pgn, *FAST) == 0
    done, edited = len(searches), output.read_text("utf-8").replace("Casual", "Annual")
    output.write_text(edited, "utf-8")
    assert analyse(pgn, *FAST) == 2
    (line,) = filter(None, capsys.readouterr().err.splitlines())
    assert re.search(rf"^numbat: {output} was changed .* --{option}$", line)
    assert output.read_text("utf-8") == edited
    assert analyse(pgn, *FAST, f"--{option}", other) == 0
    assert len(searches) == done
    assert output.read_text("utf-8") == edited
    assert "Casual" in other.read_text("utf-8")


@pytest.mark.parametrize("lost", ["", "damaged"])
def test_an_unedited_file_is_recognized_by_itself(pgn, lost):
    """Also without its results, and with the line ends of another system."""
    assert analyse(pgn, "--depth", "1") == 0
    pgn.with_suffix(SUFFIX).write_text(lost)
    for output in outputs(pgn):
        output.write_bytes(output.read_bytes().replace(b"\n", b"\r\n"))
    assert analyse(pgn, "--depth", "1") == 0


@pytest.mark.parametrize("number", [0, 1])
def test_a_file_edited_during_a_run_is_not_overwritten(pgn, monkeypatch, capsys, number):
    output, other = outputs(pgn)[number], outputs(pgn)[1 - number]
    plain = games.annotate_all

    def edited(*arguments, **options):
        yield from plain(*arguments, **options)
        output.write_text("1. e4 { my remark } *\n", encoding="utf-8")

    monkeypatch.setattr(games, "annotate_all", edited)
    assert analyse(pgn, "--depth", "1") == 2
    assert "my remark" in output.read_text("utf-8")
    assert other.exists()
    assert len(json.loads(pgn.with_suffix(SUFFIX).read_text())["games"]) == 3


def test_runs_on_one_file_keep_the_results_of_each_other(pgn, monkeypatch, searches):
    """The second run begins and ends while the first one searches, and the file has got a game since."""
    plain, runs = games.annotate_all, []

    def twice(setup, items, *arguments, **options):
        completed = plain(setup, items, *arguments, **options)
        if not runs:
            runs.append("second")
            yield next(completed)
            text = pgn.read_text("utf-8")
            pgn.write_text(f"1. d4 *\n\n{text}", encoding="utf-8")
            assert analyse(pgn, "--depth", "1") == 0
            pgn.write_text(text, encoding="utf-8")
        yield from completed

    monkeypatch.setattr(games, "annotate_all", twice)
    assert analyse(pgn, "--depth", "1") == 0
    assert len(json.loads(pgn.with_suffix(SUFFIX).read_text())["games"]) == 4
    searches.clear()
    assert analyse(pgn, "--depth", "1") == 0
    assert not searches


@pytest.mark.skipif(sys.platform == "win32", reason="links need privileges there")
@pytest.mark.parametrize("exists", [False, True])
@pytest.mark.parametrize("suffix", [".annotated.pgn", ".annotated.html", SUFFIX])
def test_symbolic_links_beside_a_file_are_not_written_through(pgn, capsys, tmp_path_factory, suffix, exists):
    target, link = tmp_path_factory.mktemp("home") / ".profile", pgn.with_suffix(suffix)
    link.symlink_to(target)
    if exists:
        target.write_text("echo")
    assert analyse(pgn, "--depth", "1") == 2
    assert re.search(f"numbat: cannot write {link}: it is a symbolic link", capsys.readouterr().err)
    assert (target.read_text() if target.exists() else "") == "echo" * exists
    assert link.is_symlink()


@pytest.mark.skipif(sys.platform == "win32", reason="links need privileges there")
def test_a_link_that_the_user_names_is_followed(pgn, tmp_path_factory):
    target, link = tmp_path_factory.mktemp("games") / "mine.pgn", pgn.with_name("link.pgn")
    link.symlink_to(target)
    assert analyse(pgn, "--depth", "1", "--output", link) == 0
    assert link.is_symlink()
    assert len(read_games(target)) == 3


def test_foreign_results_file_does_not_allow_overwriting(pgn):
    """Although it lists the digest of that file, as earlier versions did for their own."""
    output = outputs(pgn)[0]
    output.write_text("1. d4 *\n")
    digest = hashlib.sha256(output.read_bytes()).hexdigest()
    pgn.with_suffix(SUFFIX).write_text(json.dumps({"format": 1, "games": {}, "written": [digest]}))
    assert analyse(pgn, "--depth", "1") == 2
    assert output.read_text() == "1. d4 *\n"


def test_results_of_another_version_are_searched_again_only_on_request(pgn, monkeypatch, searches):
    assert analyse(pgn, "--depth", "1") == 0
    monkeypatch.setattr(games, "__version__", "99")
    searches.clear()
    assert analyse(pgn, "--depth", "1") == 0
    assert not searches
    pgn.write_text(f"1. d4 *\n\n{GAMES}", encoding="utf-8")
    assert analyse(pgn, "--depth", "1") == 0
    page = outputs(pgn)[1].read_text("utf-8")
    assert re.findall(r'"engine":"Numbat (\S+), 1 ply a position"', page) == ["99", *[__version__] * 3]
    searches.clear()
    assert analyse(pgn, "--depth", "1", "--again") == 0
    assert chess.STARTING_FEN in dict(searches)
    searches.clear()
    assert analyse(pgn, "--depth", "1", "--again") == 0
    assert not searches


def test_every_move_has_its_row_in_a_table(pgn, capsys):
    pgn.write_text(GAMES.replace('"Ann"', '"=1+1"'), encoding="utf-8")
    path = pgn.with_name("moves.csv")
    assert analyse(pgn, *FAST, "--csv", path) == 0
    assert f"wrote {path}" in capsys.readouterr().out
    with path.open(newline="", encoding="utf-8") as stream:
        rows = list(csv.DictReader(stream))
    wanted = [(str(number), node.san()) for number, game in enumerate(read_games(pgn), 1) for node in game.mainline()]
    assert [(row["game"], row["move"]) for row in rows] == wanted
    assert [row["number"] for row in rows[:4]] == ["1", "1", "2", "2"]
    assert rows[0]["white"] == rows[0]["player"] == "'=1+1"
    assert rows[1]["player"] == "Bob"
    assert [(row["mark"], row["allowed"]) for row in rows if row["move"] == "Nf6"] == [("blunder", "mateIn1")]
    assert all(before["chance_after"] == after["chance_before"] for before, after in pairwise(rows[:6]))
    assert analyse(pgn, *FAST, "--csv", path) == 0  # its own file
    path.write_text("my,own\n", encoding="utf-8")
    assert analyse(pgn, *FAST, "--csv", path) == 2
    assert path.read_text("utf-8") == "my,own\n"


def test_comments_of_the_source_are_in_the_output(pgn, searches):
    assert analyse(pgn, *FAST) == 0
    done = len(searches)
    pgn.write_text(pgn.read_text("utf-8").replace("early", "later"), encoding="utf-8")
    assert analyse(pgn, *FAST) == 0
    assert len(searches) == done
    for output in outputs(pgn):
        assert "later" in output.read_text("utf-8")


def test_earlier_results_outlast_an_interrupted_run(pgn, monkeypatch):
    assert analyse(pgn, "--depth", "1") == 0
    with monkeypatch.context() as patch:
        interrupt_at(patch, 2)
        assert analyse(pgn, "--depth", "2") == INTERRUPTED
    assert {game.headers[TAG].split(", ")[1] for game in read_games(outputs(pgn)[0])} == {"1 ply a position"}
    assert analyse(pgn, "--depth", "2") == 0
    assert {game.headers[TAG].split(", ")[1] for game in read_games(outputs(pgn)[0])} == {"2 plies a position"}


def test_games_added_to_a_file_are_annotated_and_the_others_stay(pgn, searches):
    assert analyse(pgn, "--depth", "1") == 0
    searches.clear()
    pgn.write_text("1. d4 *\n\n" + pgn.read_text("utf-8"), encoding="utf-8")
    assert analyse(pgn, "--depth", "1") == 0
    board = chess.Board()
    board.push_san("d4")
    assert {fen for fen, _ in searches} == {chess.STARTING_FEN, board.fen()}
    output, page = outputs(pgn)
    assert len(read_games(output)) == 4
    assert page.read_text("utf-8").count('"plies":') == 4


def test_failure_in_a_worker_process_is_one_message(pgn, capsys):
    assert analyse(pgn, "--jobs", "2", "--nodes", "9", "--option", "EvalFile=absent") == 2
    (line,) = filter(None, capsys.readouterr().err.splitlines())  # before version 15 rich adds an empty line
    assert "absent" in line


def test_fresh_drops_the_notes_of_others_but_not_the_clocks(pgn):
    pgn.write_text("1. e4 {[%eval 0.20,30] calm [%clk 0:10:00]} e5 $2 {[%eval 0.3]} (1... c5) *\n", encoding="utf-8")
    output = pgn.with_suffix(".annotated.pgn")
    assert analyse(pgn, *FAST, "--fresh") == 0
    (game,) = read_games(output)
    first, second = game.mainline()
    assert re.fullmatch(r"\[%eval \S+,\d+\] \[%numbat\] \[%clk 0:10:00\]", first.comment)
    assert re.fullmatch(r"\[%eval \S+,\d+\] \[%numbat\]", second.comment)
    assert (second.nags, len(first.variations)) == (set(), 1)


@pytest.fixture
def annotated_pgn(pgn) -> Path:
    """The annotated file of :data:`GAMES` and one more game, moved elsewhere."""
    pgn.write_text(f"{LONG}\n{GAMES}", encoding="utf-8")
    assert analyse(pgn, *FAST) == 0
    return Path(shutil.move(outputs(pgn)[0], pgn.with_name("moved.pgn")))


def test_its_own_notes_are_replaced(pgn, annotated_pgn, capsys):
    """In a file that was moved, and in the game that the page offers to download."""
    capsys.readouterr()
    text, page = annotated_pgn.read_text("utf-8"), outputs(pgn)[1].read_text("utf-8")
    shown = re.search(r"^const games = (\[\n.*\n\]);$", page, re.DOTALL | re.MULTILINE)
    assert text.count("[%numbat") > 25
    assert analyse(annotated_pgn, *FAST) == 0
    assert outputs(annotated_pgn)[0].read_text("utf-8") == text
    downloaded = pgn.with_name("downloaded.pgn")
    downloaded.write_text("\n\n".join(game["pgn"] for game in json.loads(shown[1])), encoding="utf-8")
    assert analyse(downloaded, *FAST) == 0
    assert outputs(downloaded)[0].read_text("utf-8") == text
    assert capsys.readouterr().err == ""


def test_what_others_write_between_its_notes_stays(pgn, annotated_pgn):
    """Remarks, another glyph, a remark on the variation, and an edited note; each beside the others."""
    game = read_games(annotated_pgn)[0]
    bad = next(node for node in game.mainline() if chess.pgn.NAG_BLUNDER in node.nags)
    line = list(bad.parent.variations[1].mainline())
    for edit, kept in (
        (lambda: None, ()),
        (lambda: setattr(bad, "comment", f"Before. {bad.comment} Behind."), ("Before. Behind.",)),
        (lambda: bad.nags.add(chess.pgn.NAG_MISTAKE), ("$2",)),
        (lambda: setattr(line[-1], "comment", "good"), ("{ good }", line[0].san())),
        (lambda: setattr(bad, "comment", bad.comment.replace("was better", "was much better")), ("was much better",)),
    ):
        edit()
        path = pgn.with_name("edited.pgn")
        path.write_text(f"{game}\n", encoding="utf-8")
        (found,) = read_games(path)
        assert notes.remove_own(found)
        text = " ".join(str(found).split())
        assert all(part in text for part in kept)
        assert "$4" not in text
        assert "[%" not in text
        assert ("Blunder: " in text) is ("was much better" in text)


def test_notes_of_an_earlier_version_get_a_remark(pgn, capsys):
    pgn.write_text('[Analysis "Numbat 0.2.0, 6 plies a position"]\n\n1. e4 {[%eval 0.20,6]} e5 {Good.} *\n\n1. d4 *\n')
    assert analyse(pgn, "--depth", "1") == 0
    (line,) = filter(None, capsys.readouterr().err.splitlines())
    assert re.search(
        r"games.pgn: games annotated by an earlier version of Numbat: 1 of 2; .* --fresh drops all notes$", line
    )
    assert analyse(pgn, "--depth", "1", "--fresh") == 0
    assert capsys.readouterr().err == ""


def test_the_evaluations_of_others_stay_behind_ours(pgn):
    pgn.write_text("1. e4 {[%eval 0.20,30] calm [%clk 0:10:00]} e5 {[%eval 0.3]} *\n", encoding="utf-8")
    output = pgn.with_suffix(".annotated.pgn")
    assert analyse(pgn, *FAST) == 0
    (game,) = read_games(output)
    first, second = game.mainline()
    assert re.fullmatch(r"\[%eval \S+,[67]\] \[%numbat\] \[%eval 0.20,30\] calm \[%clk 0:10:00\]", first.comment)
    assert re.fullmatch(r"\[%eval \S+,[67]\] \[%numbat\] \[%eval 0.3\]", second.comment)
    assert {first.eval_depth(), second.eval_depth()} <= {6, 7}  # where the table knows one ply more, it says so


def test_a_whole_game_can_be_given_a_time(pgn, searches):
    assert analyse(pgn, "--game-time", "8") == 0
    limits = [limit for _, limit in searches]
    assert limits[0].time == pytest.approx(0.5)  # half of a second for each of the first game's eight positions
    assert sum(limit.time for limit in limits[:10]) < 8
    (game,) = [game for game in read_games(pgn.with_suffix(".annotated.pgn")) if game.headers["Event"] == "Casual"]
    assert game.headers[TAG].endswith("8 s a game")


@pytest.fixture
def two(pgn) -> tuple[Path, Path]:
    """Two files of one game each."""
    paths = pgn.with_name("a.pgn"), pgn.with_name("b.pgn")
    for path in paths:
        path.write_text("1. e4 e5 *\n", encoding="utf-8")
    return paths


def refuse_to_replace(monkeypatch, comes) -> list[str]:
    """Refuse to replace a file whenever ``comes`` says so of the names so far, which are returned; the home is the
    folder of the files."""
    plain, names = os.replace, []

    def replace(draft, target):
        names.append(Path(target).name)
        if comes(names):
            raise OSError(28, "No space left on device")
        plain(draft, target)

    monkeypatch.setattr("engine.files.os.replace", replace)
    return names


def test_results_that_could_not_be_saved_are_saved_later(two, monkeypatch, capsys):
    saved = refuse_to_replace(monkeypatch, lambda names: len(names) == 1)
    monkeypatch.setattr(games, "_TIME_PER_SAVING_TIME", 0.0)
    assert analyse(*two, "--depth", "1") == 0
    assert re.search(r"cannot write .*a\.numbat\.json: No space left on device", capsys.readouterr().err)
    assert sorted(saved[1:3]) == ["a.numbat.json", "b.numbat.json"]


def test_results_of_a_lost_folder_are_in_the_users_home(tmp_path, two, monkeypatch, capsys):
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setattr(Path, "home", lambda: home)
    folder = tmp_path / "usb"
    folder.mkdir()
    path = shutil.copy(two[0], folder / "a.pgn")
    plain = games.annotate_all

    def annotate_all(*arguments, **options):
        shutil.rmtree(folder)
        yield from plain(*arguments, **options)

    monkeypatch.setattr(games, "annotate_all", annotate_all)
    assert analyse(path, "--depth", "1") == 2
    told = capsys.readouterr().err
    assert len(list(home.iterdir())) == 3
    for file in home.iterdir():
        assert f"it is in {file}" in told


@pytest.mark.parametrize("code", [2, INTERRUPTED])
def test_one_unwritable_file_does_not_stop_the_others(two, monkeypatch, capsys, code):
    monkeypatch.setattr(Path, "home", lambda: two[0].parent / "none")
    plain = games.annotate_all

    def annotate_all(*arguments, **options):
        yield from plain(*arguments, **options)
        if code == INTERRUPTED:
            raise KeyboardInterrupt

    monkeypatch.setattr(games, "annotate_all", annotate_all)
    refuse_to_replace(monkeypatch, lambda names: names[-1] == "a.annotated.pgn")
    assert analyse(*two, "--depth", "1") == code
    assert re.search(r"cannot write .*a\.annotated\.pgn: No space left on device", capsys.readouterr().err)
    assert [outputs(path)[0].exists() for path in two] == [False, True]


def test_files_are_written_with_standard_output_closed(two, monkeypatch):
    def closed(page):
        raise PrintError(BrokenPipeError(32, "Broken pipe"))

    monkeypatch.setattr(games, "_print_summary", closed)
    with pytest.raises(PrintError):
        analyse(*two, "--depth", "1")
    assert all(file.exists() for path in two for file in outputs(path))


@pytest.mark.parametrize(
    ("content", "named"),
    [
        ("", "games.pgn contains no game$"),
        (
            "hello world\nit rained today\n",
            "games.pgn contains no game .*games.pgn:1: the text that begins with 'hello'",
        ),
        ("1. Ke4 *\n", "games.pgn:1: game 1: 1. 'Ke4' is not a legal move"),
        ('[FEN "rubbish"]\n\n*\n', "games.pgn:1: game 1: 'rubbish' is not a position"),
        ('[Variant "Atomic"]\n\n1. e4 *\n', "games.pgn:1: game 1: the variant 'Atomic' is not supported"),
        ('[Variant "Tiddlywinks"]\n\n1. e4 *\n', "games.pgn:1: game 1: .*Tiddlywinks"),
    ],
    ids=["empty", "diary", "illegal", "no FEN", "variant", "unknown"],
)
def test_bad_files_are_one_clear_message(tmp_path, capsys, content, named):
    path = tmp_path / "games.pgn"
    path.write_text(content, encoding="utf-8")
    assert analyse(path, *FAST) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert re.search(f"^numbat: .*{named}", line)
    assert list(tmp_path.glob("*.annotated.*")) == []


def test_games_end_at_illegal_moves_and_need_a_position(pgn, capsys):
    bad = '[Event "Bad"]\n\n1. e4 e5 2. Ke3 d5 (2... d6) 3. d4 *\n\n'
    unread = '[Event "Study"]\n[FEN "rubbish"]\n\n1. e4 {as it is} *'
    pgn.write_text(f"{bad}{GAMES}\n{unread}\n", encoding="utf-8")
    assert analyse(pgn, "--depth", "2") == 0
    first, last = filter(None, capsys.readouterr().err.splitlines())  # before version 15 rich adds an empty line
    assert re.fullmatch(r"numbat: .*games.pgn:3: game 1: 2. 'Ke3' is not a legal move; the game ends before it", first)
    assert re.fullmatch(r"numbat: .*games.pgn:29: game 5: 'rubbish' is not a position.*; the game is skipped", last)
    written = read_games(pgn.with_suffix(".annotated.pgn"))
    assert [game.headers["Event"] for game in written] == ["Bad", "Casual", "Second", "Third", "Study"]
    assert pgn.with_suffix(".annotated.pgn").read_text(encoding="utf-8").endswith(f"\n\n{unread}\n")
    assert [move.uci() for move in written[0].mainline_moves()] == ["e2e4", "e7e5"]
    assert analyse(pgn, "--depth", "2") == 0  # and again


def test_several_files_are_each_annotated(pgn, capsys):
    other = pgn.with_name("other.pgn")
    other.write_text("1. d4 d5 *\n", encoding="utf-8")
    assert analyse(pgn, other, "--depth", "2") == 0
    out = capsys.readouterr().out
    for path, count in ((pgn, 3), (other, 1)):
        assert len(read_games(path.with_suffix(".annotated.pgn"))) == count
        assert path.with_suffix(".annotated.html").exists()
        assert f"wrote {path.with_suffix('.annotated.pgn')} and " in out
    for words, named in (
        ([pgn, other, "--output", pgn.with_name("x.pgn")], "--output names one file, but there are 2"),
        ([pgn, pgn], "would be written twice"),
        ([pgn, pgn.with_name("absent.pgn")], "cannot read .*absent.pgn"),
        ([pgn, pgn.with_name("absent")], "cannot read .*absent"),
    ):
        assert analyse(*words, "--depth", "2") == 2
        assert re.search(named, capsys.readouterr().err)
    other.with_suffix(".annotated.pgn").unlink()
    assert analyse(pgn.with_name("absent.pgn"), other, "--depth", "2") == 2
    assert len(read_games(other.with_suffix(".annotated.pgn"))) == 1


def test_pgn_lines_are_wrapped_without_changing_content(pgn):
    comment = "[see also] a comment; 50 %age " * 9 + "[%clk 0:10:00] % end"
    pgn.write_text(pgn.read_text("utf-8").replace("early", comment), encoding="utf-8")
    assert analyse(pgn, "--depth", "5") == 0
    output = pgn.with_suffix(".annotated.pgn")
    text = output.read_text("utf-8")
    moves = [line for line in text.splitlines() if not line.startswith("[")]
    assert max(map(len, moves)) <= 80
    assert sum(len(line) > 70 for line in moves) > 5
    assert not [line for line in moves if line.startswith(("%", ";"))]
    assert len([line for line in text.splitlines() if line.startswith("[")]) == sum(
        len(game.headers) for game in read_games(output)
    )
    node = list(read_games(output)[0].mainline())[2]
    assert node.comment.endswith(comment)
    assert re.match(r"\[%eval \S+\] ", node.comment)
    assert node.clock() == 600


def test_foreign_files_are_not_overwritten(pgn, capsys):
    other = pgn.with_name("other.pgn")
    other.write_text("1. d4 *\n", encoding="utf-8")
    for depth in ("1", "2"):
        assert analyse(other, "--depth", depth) == 0
    written = [file.read_text("utf-8") for file in outputs(other)]
    notes = pgn.with_name("notes.txt")
    notes.write_text("Dear diary\n", encoding="utf-8")
    for words, named in (
        (["--output", other], "is another file"),
        (["--output", notes], "is another file"),
        (["--html", notes], "is another file"),
        (["--html", other], "is another file"),
        (["--output", pgn.with_name("same.x"), "--html", pgn.with_name("same.x")], "would be written twice"),
        (["--output", pgn], "would overwrite"),
        (["--html", pgn], "would overwrite"),
        (["--output", pgn.parent], "directory"),
        (["--output", pgn.parent / "nowhere" / "x.pgn"], "no such directory"),
        (["--lines", "3"], "--lines"),
        (["--chess960"], "--chess960"),
    ):
        assert analyse(pgn, *FAST, *words) == 2
        (line,) = capsys.readouterr().err.splitlines()
        assert named in line
    assert [file.read_text("utf-8") for file in (other, notes)] == ["1. d4 *\n", "Dear diary\n"]
    assert [file.read_text("utf-8") for file in outputs(other)] == written


def test_a_null_move_ends_its_game_and_no_other(pgn, capsys):
    null = '[White "Gil"]\n[Black "Hal"]\n\n1. e4 e5 2. -- d5 3. exd5 *\n\n'
    clock = '[White "Ian"]\n[Black "Joe"]\n[FEN "4k3/8/8/8/8/8/8/4KR2 w - - 0 9999999"]\n\n1. Ke2 *\n\n'
    pgn.write_text(null + clock + pgn.read_text("utf-8"), encoding="utf-8")
    for _ in range(2):
        assert analyse(pgn, "--depth", "3") == 0
        out, told = capsys.readouterr()
        assert "game 1 (Gil - Hal) is annotated up to the null move (3 positions)" in told
        assert "game 2: " in told and "9999999 is out of range" in told  # noqa: PT018
        assert "White (Eve): " in out
        assert "White (Ian): " not in out
    first, *others = read_games(pgn.with_suffix(".annotated.pgn"))
    assert [node.eval() is not None for node in first.mainline()] == [True, True, False, False, False]
    assert len(list(first.mainline_moves())) == 5
    assert [bool(game.eval()) for game in others] == [False, True, True, True]


@pytest.mark.skipif(sys.platform != "linux", reason="names of files are text there")
def test_a_file_whose_name_is_no_text_gets_its_page(tmp_path):
    path = Path(os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9.pgn"))
    path.write_text("1. e4 e5 *\n", encoding="utf-8")
    assert analyse(path, "--depth", "1") == 0
    assert "annotated.pgn" in path.with_suffix(".annotated.html").read_text("utf-8")


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"", "is damaged"),
        (b"\xff\xfe", "is damaged"),
        (b"[" * 100_000, "is damaged"),
        (b'{"format":1,"games":[]}', "is damaged"),
        (b'{"format":1,"games":{"<script>":{}}}', "is damaged"),
        (b'{"format":2,"games":{}}', "is in the format of another version"),
    ],
    ids=range(6),
)
def test_results_that_cannot_be_read_are_named_and_kept(pgn, capsys, content, told):
    results, kept = pgn.with_suffix(SUFFIX), pgn.with_name("games.numbat.json.bak")
    results.write_bytes(content)
    assert analyse(pgn, "--depth", "1") == 0
    assert f"numbat: {results} {told}; it is ignored, and kept as {kept.name}" in capsys.readouterr().err
    assert kept.read_bytes() == content
    assert len(json.loads(results.read_text())["games"]) == 3


def test_no_damaged_results_replace_others(pgn, capsys):
    results = pgn.with_suffix(SUFFIX)
    results.with_name(f"{results.name}.bak").mkdir()
    for number in (1, 2):
        results.write_text(f"damaged {number}")
        assert analyse(pgn, "--depth", "1") == 0
        assert f"kept as {results.name}.bak{number}" in capsys.readouterr().err
    assert [results.with_name(f"{results.name}.bak{number}").read_text() for number in (1, 2)] == [
        "damaged 1",
        "damaged 2",
    ]


def test_results_that_cannot_be_set_aside_are_one_clear_message(pgn, monkeypatch, capsys):
    pgn.with_suffix(SUFFIX).write_text("damaged")
    refuse_to_replace(monkeypatch, lambda names: True)
    assert analyse(pgn, "--depth", "1") == 2
    (line,) = filter(None, capsys.readouterr().err.splitlines())
    assert re.search("is damaged, and cannot be set aside: No space left on device$", line)


def test_damaged_results_of_a_game_are_searched_again(pgn, capsys):
    """Whatever single value of them is replaced, there is no traceback, and nothing in them becomes markup."""
    pgn.write_text(LONG, encoding="utf-8")
    straight = result_at_once(pgn, capsys, *FAST)
    assert analyse(pgn, *FAST) == 0
    results = pgn.with_suffix(SUFFIX)
    stored = json.loads(results.read_text())
    (game,) = stored["games"].values()
    places = list(paths_in(game))
    random = Random(7)
    for value in (None, -1, "<script>alert(1)</script>", [], {}, 10**9):
        for place in random.sample(places, 2):
            damaged = copy.deepcopy(stored)
            (inside,) = damaged["games"].values()
            for key in place[:-1]:
                inside = inside[key]
            inside[place[-1]] = value
            results.write_text(json.dumps(damaged))
            outputs(pgn)[0].unlink()
            capsys.readouterr()
            assert analyse(pgn, *FAST) == 0, (place, value)
            assert outputs(pgn)[1].read_text("utf-8").count("<script") == straight[2].count("<script")


def paths_in(data, *path):
    """The keys that lead to each value in JSON data."""
    for key, value in data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ():
        yield (*path, key)
        yield from paths_in(value, *path, key)


def test_a_game_without_moves_is_named_and_not_on_the_page(pgn, capsys):
    pgn.write_text('[White "Gil"]\n[Black "Hal"]\n\n*\n\n' + pgn.read_text("utf-8"), encoding="utf-8")
    assert analyse(pgn, "--depth", "1") == 0
    assert "game 1 (Gil - Hal) has no moves" in capsys.readouterr().err
    assert "Gil - Hal" not in pgn.with_suffix(".annotated.html").read_text("utf-8")
    assert len(read_games(pgn.with_suffix(".annotated.pgn"))) == 4


def test_huge_numbers_in_comments_are_text(tmp_path, capsys):
    path = tmp_path / "games.pgn"
    path.write_text(f"1. e4 {{[%clk {'9' * 5000}:00:00]}} e5 {{[%eval #{'9' * 5000}]}} *\n", encoding="utf-8")
    assert analyse(path, "--depth", "1") == 0
    assert capsys.readouterr().err.count("number is too large") == 2
