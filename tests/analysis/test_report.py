"""The page of an analysis: what it holds, and in a real browser that it can be walked through."""

from __future__ import annotations

import re
from pathlib import Path

import chess
import pytest
from chess.engine import Limit

from engine import Engine
from engine.analysis.annotate import Annotator, Judged
from engine.analysis.files import read_games
from engine.analysis.report import Report, _game, picture, render
from tests.analysis.conftest import GAMES
from tests.browser import Dom, needs_browser


@pytest.fixture(scope="module")
def reports(numbat: Engine, tmp_path_factory) -> list[Report]:
    """The games of :mod:`tests.analysis.conftest`, annotated; one of the players has an odd name."""
    path = tmp_path_factory.mktemp("pgn") / "games.pgn"
    path.write_text(GAMES.replace("Bob", "</script><script>"), encoding="utf-8")
    annotator = Annotator(numbat, Limit(depth=6), "test")
    return [(game, list(annotator.annotate(game))) for game in read_games(path)]


@pytest.fixture(scope="module")
def page(reports: list[Report], tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("page") / "games.html"
    path.write_text(render(reports, "the test"), encoding="utf-8")
    return path


def test_the_page_needs_nothing_but_itself(page: Path) -> None:
    text = page.read_text("utf-8")
    assert text.count("</script>") == 1
    assert set(re.findall(r"https?://[^\"\\' ]*", text)) == {
        "http://www.w3.org/2000/svg",
        "http://www.w3.org/1999/xlink",
    }
    assert not re.search(r"@import|url\((?!#)|\bsrc=", text)


def test_pictures_are_small_and_refer_to_what_is_there(page: Path, reports: list[Report]) -> None:
    text = page.read_text("utf-8")
    for judged in reports[0][1]:
        drawing = picture(judged)
        assert len(drawing) < 5000
        assert len(re.findall(r'<use href="#(?:white|black)-', drawing)) == len(judged.board.piece_map())
        for name in re.findall(r'href="#([\w-]+)"', drawing):
            assert f'id=\\"{name}\\"' in text, name


def test_a_check_is_drawn() -> None:
    board = chess.Board("4k3/8/8/8/8/8/8/4R1K1 b - - 0 1")
    drawing = picture(Judged(board, chess.engine.PovScore(chess.engine.Cp(0), chess.BLACK)))
    assert 'id="check_gradient"' in drawing
    assert 'fill="url(#check_gradient)"' in drawing


def test_the_chances_of_every_ply_are_in_the_page(reports: list[Report]) -> None:
    for game, moves in reports:
        for ply in _game(game, moves)["plies"]:
            assert sum(ply["bands"]) == 100
            assert bool(ply["chances"]) == bool(re.match(r"[+#-]", ply["score"]))
    stalemate = _game(*reports[2])["plies"][-1]
    assert (stalemate["bands"], stalemate["chance"]) == ((0, 100, 0), 50.0)


def luminance(color: str) -> float:
    """By WCAG 2, of a color as #rrggbb."""
    parts = [int(color[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def test_all_letters_can_be_read(page: Path) -> None:
    colors = dict(re.findall(r"--(\w+): light-dark\((#\w{6}, #\w{6})\)", page.read_text("utf-8")))  # the last one holds
    for letters in ("ink", "faint", "inaccuracy", "mistake", "blunder"):
        for ground in ("paper", "glow"):
            for mode, two in enumerate(zip(colors[letters].split(", "), colors[ground].split(", "), strict=True)):
                dark, light = sorted(map(luminance, two))
                assert (light + 0.05) / (dark + 0.05) >= 4.5, (letters, ground, ("light", "dark")[mode])


def test_what_is_seen_has_words_too(page: Path) -> None:
    text = page.read_text("utf-8")
    assert re.search(r'<div id="board" role="img"', text)
    for button in re.findall(r"<button [^>]*>[^a-z<]*</button>", text):  # with signs on it
        assert 'aria-label="' in button
    assert "White: king e1, queen h5, rooks a1 h1, " in text


@needs_browser
def test_keys_are_left_to_those_who_have_a_use_for_them(page: Path) -> None:
    script = """
      const seen = [];
      const key = (where, key, more) => {
        const event = new KeyboardEvent("keydown", {key, bubbles: true, cancelable: true, ...more});
        seen.push(`${where.dispatchEvent(event) ? "left" : "taken"} ${document.body.dataset.ply}`);
      };
      key(document.body, "ArrowRight"); key(document.body, "ArrowLeft", {altKey: true});
      key(document.body, "End", {ctrlKey: true}); key($("back"), " "); key($("back"), "ArrowRight");
      key($("game"), "Home"); key(document.body, "x");
      document.body.dataset.seen = seen.join(", ");
      document.body.dataset.words = $("board").getAttribute("aria-label");
    """
    dom = Dom(page, script=script)
    assert 'data-seen="taken 1, left 1, left 1, left 1, taken 2, left 2, left 2"' in dom.text
    assert 'data-words="1… e5. White: king e1, ' in dom.text


@needs_browser
def test_walking_through_a_game(page: Path) -> None:
    script = """
      const seen = [], note = () => seen.push(document.body.dataset.ply);
      const key = k => document.body.dispatchEvent(new KeyboardEvent("keydown", {key: k, bubbles: true}));
      const click = id => { $(id).click(); note(); };
      click("forward"); click("last"); click("forward"); click("back"); click("first"); click("back"); click("next");
      key("ArrowLeft"); note(); key("End"); note(); key("Home"); note(); key(" "); note();
      $("ply-2").click(); note();
      const box = $("graph").getBoundingClientRect();
      $("graph").dispatchEvent(new MouseEvent("click", {clientX: box.left + box.width * 3 / 7, bubbles: true})); note();
      document.querySelector(".moment").click(); note();
      document.body.dataset.seen = seen.join(" ");
      document.body.dataset.words = $("told").textContent;
      document.body.dataset.size = $("board").querySelector("svg").getBoundingClientRect().width > 100;
    """
    dom = Dom(page, script=script)
    seen = [int(ply) for ply in re.search(r'data-seen="([^"]*)"', dom.text)[1].split()]
    first = seen[6]  # where the engine saw the first mistake
    assert seen == [1, 7, 7, 6, 0, 0, first, first - 1, 7, 0, first, 2, 3, first]
    assert 2 < first < 7
    assert re.search(r'data-words="\d[.…] \S+\?\??  \(\S+: White \d+%, .*\). (Mistake|Blunder). Better was ', dom.text)
    assert 'data-size="true"' in dom.text


@needs_browser
def test_the_games_are_there_to_choose_and_a_ply_can_be_linked(page: Path) -> None:
    linked = Dom(page, "ply=3")
    assert 'data-ply="3"' in linked.text
    assert linked.of("title").endswith("</script><script>, 1-0")
    script = '$("game").value = 2; $("game").dispatchEvent(new Event("change")); $("last").click();'
    third = Dom(page, script=script)
    assert third.of("title") == "Eve - Fox, 1/2-1/2"
    assert third.of("told").startswith("1. Qf7??  (stalemate, a draw). Blunder.")
    assert len(re.findall(r'class="dot blunder"', third.text)) == 1
    assert len(re.findall(r"<option", third.text)) == 3
