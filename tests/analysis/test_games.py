"""``analyse PGN``: what is found, that nothing is lost, and that an interrupted run goes on."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import chess
import chess.pgn
import pytest

from engine import Engine
from engine.analysis import cli
from engine.analysis.annotate import TAG, Annotator
from engine.analysis.files import AnalysisError, read_games, write_games
from engine.analysis.judge import Grade

FAST = ["--depth", "6"]


def analyse(*words: object) -> int:
    """``numbat analyse`` in this process."""
    return cli.main("analyse", [str(word) for word in words])


@pytest.fixture
def searches(monkeypatch) -> list[str]:
    """The FENs that are searched, as they are."""
    asked: list[str] = []
    plain = Engine.analyse

    def spy(self, board, *arguments, **options):
        asked.append(board.fen())
        return plain(self, board, *arguments, **options)

    monkeypatch.setattr(Engine, "analyse", spy)
    return asked


def test_mistakes_are_found_and_the_rest_is_left_alone(numbat, pgn):
    first, second, third = read_games(pgn)
    annotator = Annotator(numbat, chess.engine.Limit(depth=8), "test")
    graded = {judged.san: judged for judged in annotator.annotate(first)}
    assert graded["Nf6"].grade is Grade.BLUNDER
    assert graded["Qxf7#"].grade is Grade.FINE
    assert {san: found.better for san, found in graded.items() if found.grade is Grade.FINE}.keys() >= {"e4", "e5"}
    assert graded["Nf6"].better[0] in list(first.mainline())[4].board().legal_moves
    assert {judged.san: judged.grade for judged in annotator.annotate(second)}["g4"] is Grade.BLUNDER
    stalemated = list(annotator.annotate(third))[-1]
    assert (stalemated.san, stalemated.grade) == ("Qf7", Grade.BLUNDER)
    assert stalemated.loss == pytest.approx(0.5)
    assert stalemated.better


def test_what_others_wrote_stays(pgn, capsys):
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
        r"Blunder: \S+ was better. White \d+%, draw \d+%, Black \d+%; now White 100%, draw 0%, Black 0%\.",
        nodes[5].comment,
    )
    assert all(node.eval() for node in nodes[:-1])
    assert nodes[5].eval().white() == chess.engine.Mate(1)
    out = capsys.readouterr().out
    assert re.search(r"^Black \(Bob\): .*blunders 1;", out, re.MULTILINE)
    assert pgn.read_text("utf-8").startswith('[Event "Casual"]')


def test_an_interrupted_run_leaves_what_it_has_and_goes_on(pgn, monkeypatch, capsys, searches):
    output, page = pgn.with_suffix(".annotated.pgn"), pgn.with_suffix(".annotated.html")
    plain = Annotator._search

    def search(self, board):
        if len(searches) == 9:  # in the middle of the second game
            raise KeyboardInterrupt
        return plain(self, board)

    monkeypatch.setattr(Annotator, "_search", search)
    assert analyse(pgn, *FAST) == cli.INTERRUPTED
    assert re.search(r"interrupted after \d+ of 15 positions", capsys.readouterr().err)
    written = read_games(output)
    assert len(written) == 3
    assert [sum(node.eval() is not None for node in game.mainline()) for game in written] == [6, 1, 0]
    assert "Qxf7#" in page.read_text("utf-8")
    monkeypatch.setattr(Annotator, "_search", plain)
    assert analyse(pgn, *FAST) == 0
    repeated = [fen for fen in searches if searches.count(fen) > 1]
    assert len(set(repeated)) <= 6  # start positions of both games, and a line that had to be looked up
    continued = output.read_text("utf-8")
    output.unlink()
    assert analyse(pgn, *FAST) == 0
    plies = [[(node.move, node.nags) for node in game.mainline()] for game in read_games(output)]
    assert plies == [[(node.move, node.nags) for node in game.mainline()] for game in games_of(continued, pgn)]


def games_of(text: str, beside: Path) -> list[chess.pgn.Game]:
    path = beside.with_name("again.pgn")
    path.write_text(text, encoding="utf-8")
    return read_games(path)


def test_a_finished_file_is_searched_again_only_for_another_limit(pgn, searches):
    assert analyse(pgn, *FAST) == 0
    text = pgn.with_suffix(".annotated.pgn").read_text("utf-8")
    done = len(searches)
    assert analyse(pgn, *FAST) == 0
    assert len(searches) - done <= 6  # only the lines that were better, of the moves that were bad
    assert pgn.with_suffix(".annotated.pgn").read_text("utf-8") == text
    done = len(searches)
    assert analyse(pgn, "--depth", "4") == 0
    assert len(searches) - done >= 12
    assert read_games(pgn.with_suffix(".annotated.pgn"))[0].headers[TAG].endswith("4 plies a position")


def test_a_write_that_fails_keeps_the_former_file(pgn, monkeypatch):
    text = pgn.read_text("utf-8")
    games_read = read_games(pgn)

    def fail(*arguments):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.replace", fail)
    with pytest.raises(AnalysisError, match=r"cannot write .*No space left"):
        write_games(pgn, games_read)
    assert pgn.read_text("utf-8") == text
    assert list(pgn.parent.iterdir()) == [pgn]


def test_other_encodings_and_chess960_are_read(tmp_path, numbat):
    path = tmp_path / "old.pgn"
    path.write_bytes('[White "Müller"]\n\n1. e4 *\n'.encode("latin-1"))
    assert read_games(path)[0].headers["White"] == "Müller"
    board = chess.Board.from_chess960_pos(1)
    game = chess.pgn.Game()
    game.setup(board)
    node = game.add_variation(next(iter(board.legal_moves)))
    path.write_text(str(game), encoding="utf-8")
    (game,) = read_games(path)
    found = list(Annotator(numbat, chess.engine.Limit(depth=3), "test").annotate(game))
    assert found[-1].move == node.move
    assert found[-1].board.chess960


@pytest.mark.parametrize(
    ("content", "named"),
    [
        (None, "cannot read .*games.pgn: No such file"),
        ("", "games.pgn holds no game"),
        ("hello world\nit rained today\n", "games.pgn holds no game"),
        ("\x89PNG\r\n\x1a\n\0\0 * e4 1-0 \n", "games.pgn holds no game"),
        ("1. e4 e5 *\n\n1. e4 Ke4 *\n", "game 2 of .*games.pgn: illegal san: 'Ke4'"),
        ('[FEN "rubbish"]\n\n*\n', "game 1 of .*games.pgn: .*rubbish"),
        ('[FEN "8/8/8/8/8/8/8/8 w - - 0 1"]\n\n*\n', "game 1 of .*: not a legal position: .*no white king, no black"),
        ('[Variant "Atomic"]\n\n1. e4 *\n', "the variant Atomic is not played here"),
        ('[Variant "Tiddlywinks"]\n\n1. e4 *\n', "game 1 of .*Tiddlywinks"),
    ],
    ids=["missing", "empty", "diary", "picture", "illegal move", "no FEN", "no kings", "variant", "unknown variant"],
)
def test_bad_files_are_one_clear_message(tmp_path, capsys, content, named):
    path = tmp_path / "games.pgn"
    if content is not None:
        path.write_text(content, encoding="utf-8")
    assert analyse(path, *FAST) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert re.search(f"^numbat: .*{named}", line)
    assert list(tmp_path.glob("*.annotated.*")) == []


def test_files_of_somebody_else_are_not_overwritten(pgn, capsys):
    other = pgn.with_name("other.pgn")
    other.write_text("1. d4 *\n", encoding="utf-8")
    notes = pgn.with_name("notes.txt")
    notes.write_text("Dear diary\n", encoding="utf-8")
    for words, named in (
        (["--output", other], "holds other games"),
        (["--output", notes], "holds no game"),
        (["--html", notes], "is no page of these games"),
        (["--html", other], "is no page of these games"),
        (["--output", pgn.with_name("same.x"), "--html", pgn.with_name("same.x")], "cannot both be written"),
        (["--output", pgn], "would replace"),
        (["--html", pgn], "would replace"),
        (["--output", pgn.parent], "directory"),
        (["--output", pgn.parent / "nowhere" / "x.pgn"], "no such directory"),
        (["--lines", "3"], "--lines"),
    ):
        assert analyse(pgn, *FAST, *words) == 2
        (line,) = capsys.readouterr().err.splitlines()
        assert named in line
    assert other.read_text("utf-8") == "1. d4 *\n"
    assert notes.read_text("utf-8") == "Dear diary\n"


def test_a_page_of_other_games_is_not_overwritten(pgn, capsys):
    short, other, page = (pgn.with_name(name) for name in ("short.pgn", "other.pgn", "page.html"))
    short.write_text("1. e4 *\n", encoding="utf-8")
    other.write_text("1. d4 *\n", encoding="utf-8")
    for depth in ("1", "2"):
        assert analyse(short, "--depth", depth, "--html", page) == 0
    text = page.read_text("utf-8")
    assert analyse(other, "--depth", "1", "--html", page) == 2
    assert "is no page of these games" in capsys.readouterr().err
    assert page.read_text("utf-8") == text


def test_text_between_games_is_no_game(pgn):
    text = pgn.read_text("utf-8")
    pgn.write_text(f"% exported\n\nSent from my telephone\n\n{text}\n; the end\n\nhave fun\n", encoding="utf-8")
    assert [game.headers["Event"] for game in read_games(pgn)] == ["Casual", "Second", "Third"]


@pytest.mark.skipif(sys.platform == "win32", reason="its names and devices are others")
def test_names_that_cannot_be_are_one_clear_message(pgn, capsys):
    name = "x" * 300
    for words, named in (
        ([name], "neither a FEN nor a file"),
        ([f"{name}.pgn"], "File name too long"),
        ([pgn, "--output", name], "File name too long"),
        ([pgn, "--output", "/dev/null"], "no plain file"),
    ):
        assert analyse(*words, *FAST) == 2
        (line,) = capsys.readouterr().err.splitlines()
        assert named in line
