"""The page of an analysis: what it holds, and in a real browser that it can be walked through."""

import copy
import html
import json
import math
import re
import statistics
from pathlib import Path
from typing import TYPE_CHECKING, cast

import chess
import chess.pgn
import pytest
from chess.engine import Cp, Limit, PovScore

from engine import Engine
from engine.analysis import record
from engine.analysis.accuracy import summary
from engine.analysis.annotate import Annotator
from engine.analysis.files import games_in, pgn_text, read_games
from engine.analysis.notes import annotated
from engine.analysis.player import report_of
from engine.analysis.record import JudgedMove
from engine.analysis.report import PHASES, entry, picture, render
from engine.explanation import explain
from tests.analysis.conftest import GAMES, ByMaterial
from tests.browser import Dom, visit

if TYPE_CHECKING:
    from playwright.sync_api import Page

LONG_WORD = "Llanfairpwllgwyngyllgogerychwyrndrobwllllantysiliogogogoch"

#: An annotated game.
Report = tuple[chess.pgn.Game, list[JudgedMove]]

#: A game with clocks and ratings that leaves theory early, its opening having a name.
CLOCKS = f"""

[Event "Rapid"]
[White "A player with a very long name, of the chess club of {LONG_WORD}"]
[Black "Nimzowitsch"]
[WhiteElo "2215"]
[BlackElo "?"]
[Result "*"]

1. e4 {{ [%clk 1:02:05] }} e5 {{ [%clk 0:09:58.5] }} 2. f4 {{ [%clk 0:59:59] }} exf4 {{ [%clk 0:00:08.3] }}
3. Ke2 a6 4. Nf3 Qg5 *
"""


@pytest.fixture(scope="module")
def reports(tmp_path_factory) -> list[Report]:
    """The games of :mod:`tests.analysis.conftest` and one more, annotated; one of the players has an odd name."""
    path = tmp_path_factory.mktemp("pgn") / "games.pgn"
    path.write_text(GAMES.replace("Bob", "</script><script>") + CLOCKS, encoding="utf-8")
    annotator = Annotator(cast(Engine, ByMaterial()), Limit(depth=6), explain=explain)
    result = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(record, "sentence", lambda claim, skip_better: "It hangs <b>everything</b>.")
        for game in read_games(path):
            moves = annotator.annotate(game).judged_moves()
            result.append((annotated(game, "Numbat", moves), moves))
    return result


@pytest.fixture(scope="module")
def page(reports: list[Report], tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("page") / "games.html"
    games = [entry(*report) for report in reports]
    path.write_text("".join(render(games, "mine.annotated.pgn")), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def report_page(reports: list[Report], tmp_path_factory) -> Path:
    """A page made for one player."""
    path = tmp_path_factory.mktemp("report") / "report.html"
    games = [entry(*report, number) for number, report in enumerate(reports, 1)]
    path.write_text("".join(render(games, player="Nimzowitsch")), "utf-8")
    return path


def test_the_page_needs_nothing_but_itself(page: Path) -> None:
    text = page.read_text("utf-8")
    assert text.count("</script>") == 1
    assert set(re.findall(r"https?://[^\"\\' ]*", text)) == {"http://www.w3.org/2000/svg"}
    assert not re.search(r"@import|url\((?!#)|\bsrc=", text)
    assert not re.search(r"__[A-Z]+__", text)


def test_names_and_comments_cannot_inject_markup(reports: list[Report]) -> None:
    game, moves = copy.deepcopy(reports[0])
    name = "<!--</script><script>\"'\\ &amp; \x1b[2J\u2028\u202e"
    game.headers["White"] = game.comment = name
    text = "".join(render([entry(game, moves)], name=f"{name}.pgn"))
    (script,) = re.findall(r"<script>(.*?)</script>", text, re.DOTALL)
    (data,) = re.findall(r"^const data = (.*);$", script, re.MULTILINE)
    (line,) = re.findall(r"^const games = \[\n(.*)\n\];$", script, re.MULTILINE)
    assert "<" not in data + line
    read = json.loads(line)
    assert (json.loads(data)["file"], read["sides"][0]["name"]) == (f"{name}.pgn", name)
    assert name.split()[0] in read["pgn"]


def test_report_covers_all_games_of_a_player(reports: list[Report]) -> None:
    games = [entry(*report, number) for number, report in enumerate(reports, 1)]
    page = "".join(render(games, player="Cid"))
    report = json.loads(re.search("^const data = (.*);$", page, re.MULTILINE)[1])["report"]
    assert (report["player"], report["games"], report["points"]) == ("Cid", 1, "0")
    tables = {table["title"]: table for table in report["tables"]}
    ((game, ply),) = tables["Allowed"]["rows"][0]["places"]
    assert tables["Allowed"]["rows"][0]["name"] == "mate"
    assert (games[game]["plies"][ply]["san"], "Missed" in tables) == ("g4", False)
    bad = [[1, ply] for ply, found in enumerate(games[1]["plies"]) if "try" in found and ply % 2]
    for title in ("Phase", "Opening"):
        assert sorted(place for row in tables[title]["rows"] for place in row["places"]) == bad
    assert tables["Opening"]["rows"][0]["name"] == "Barnes Opening"
    assert "Time left" not in tables
    slow = report_of(games, "Nimzowitsch", PHASES)
    assert slow
    clock = next(table for table in slow["tables"] if table["title"] == "Time left")
    assert [row["name"] for row in clock["rows"]] == ["over a tenth", "under a tenth"]
    assert all(row["cells"] == [share := f"{len(row['places']):.1%}", "", share] for row in clock["rows"])


def test_a_check_is_drawn() -> None:
    board = chess.Board("4k3/8/8/8/8/8/8/4R1K1 b - - 0 1")
    assert picture(board) == {"fen": "4k3/8/8/8/8/8/8/4R1K1", "check": "e8"}


def test_the_chances_of_every_ply_are_in_the_page(reports: list[Report]) -> None:
    for game, moves in reports:
        for ply in entry(game, moves)["plies"]:
            assert sum(ply["bands"]) == 100
            assert ("result" in ply) != bool(re.match(r"[+#-]", ply["score"]))
    stalemate = entry(*reports[2])["plies"][-1]
    assert stalemate["won"]
    assert (stalemate["bands"], stalemate["chance"]) == ((0, 100, 0), 50.0)


def test_a_claimable_draw_ends_only_a_game_that_was_drawn() -> None:
    (game,) = games_in("1. Nf3 Nf6 2. Ng1 Ng8 3. Nf3 Nf6 4. Ng1 Ng8 5. Nf3 *")
    moves = [JudgedMove(node.board(), PovScore(Cp(0), chess.WHITE)) for node in [game, *game.mainline()]]
    assert entry(game, moves)["plies"][8]["score"] == "+0.00"
    last = entry(game, moves[:9])["plies"][8]
    assert (last["score"], last["result"], last["bands"]) == ("threefold repetition, a draw", "1/2-1/2", (0, 100, 0))
    game.headers["Result"] = "0-1"
    assert entry(game, moves[:9])["plies"][8]["score"] == "+0.00"


def test_openings_clocks_and_figures_are_in_the_page(reports: list[Report]) -> None:
    game = entry(*reports[3])
    assert game["opening"].startswith("C33 King's Gambit Accepted")
    assert game["theory"] == "last book move: 2… exf4"
    assert [ply.get("clock", "") for ply in game["plies"]] == ["", "1:02:05", "9:58", "59:59", "0:08.3", "", "", "", ""]
    assert [ply.get("book", False) for ply in game["plies"]] == [False, *[True] * 4, *[False] * 4]
    white, black = game["sides"]
    assert (white["elo"], black["elo"], white["moves"]) == ("2215", "", 4)
    assert float(black["accuracy"].removesuffix("%")) < float(white["accuracy"].removesuffix("%"))
    assert int(white["loss"]) < int(black["loss"])
    assert [phase != "" for phase in white["phases"]] == [True, False, False]
    third = entry(*reports[2])
    assert (third["opening"], third["theory"]) == ("", "")
    assert third["sides"][1]["accuracy"] == ""


@pytest.mark.parametrize(
    ("date", "place"), [("1858.??.??", "Paris, 1858"), ("1858.11.??", "Paris, 1858.11"), ("????.??.??", "Paris")]
)
def test_only_the_known_part_of_a_date_is_shown(reports: list[Report], date: str, place: str) -> None:
    game, moves = reports[0]
    game = chess.pgn.Game({**game.headers, "Event": "?", "Site": "Paris", "Date": date})
    assert entry(game, moves[:1])["place"] == place


def test_better_lines_can_be_played_through(reports: list[Report]) -> None:
    game, moves = reports[0]
    ply = next(ply for ply in entry(game, moves)["plies"] if "try" in ply)
    board = moves[[judged.grade.bad for judged in moves].index(True) - 1].board.copy()
    for step in ply["line"]:
        san, fen, move, *_ = step.split()
        assert board.push_san(san).uci()[:4] == move
        assert fen == board.board_fen()
    assert ply["why"] == "It hangs <b>everything</b>."


def test_accuracy_follows_lichess() -> None:
    """By hand: three moves of which the second throws 500 of Stockfish's centipawns away."""
    scores = [0, 0, 0, -round(120 * math.sinh(2))]
    positions = [JudgedMove(chess.Board(), PovScore(Cp(score), chess.WHITE)) for score in scores]
    for number, judged in enumerate(positions):
        judged.board.turn = chess.BLACK if number % 2 else chess.WHITE
    percents = [50.0, 50.0, 50.0, 100 / (1 + math.exp(0.00368208 * 500))]
    bad = 103.1668100711649 * math.exp(-0.04354415386753951 * (50 - percents[3])) - 3.166924740191411 + 1
    heavy = min(12.0, statistics.pstdev(percents[2:]))
    white = ((0.5 * 100 + heavy * bad) / (0.5 + heavy) + statistics.harmonic_mean([100, bad])) / 2
    sides = summary(positions)
    assert (sides[chess.WHITE].accuracy, sides[chess.BLACK].accuracy) == (pytest.approx(white, abs=0.02), 100)
    assert (sides[chess.WHITE].loss, sides[chess.BLACK].loss) == (pytest.approx(250, abs=1), 0)


def luminance(color: str) -> float:
    """By WCAG 2, of a color as #rrggbb."""
    parts = [int(color[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def test_text_contrast_meets_wcag(page: Path) -> None:
    colors = dict(re.findall(r"--(\w+): light-dark\((#\w{6}, #\w{6})\)", page.read_text("utf-8")))  # the last one holds
    for letters in ("ink", "faint", "inaccuracy", "mistake", "blunder", "good", "brilliant"):
        for ground in ("paper", "glow"):
            for mode, two in enumerate(zip(colors[letters].split(", "), colors[ground].split(", "), strict=True)):
                dark, light = sorted(map(luminance, two))
                assert (light + 0.05) / (dark + 0.05) >= 4.5, (letters, ground, ("light", "dark")[mode])


def test_board_and_buttons_have_labels(page: Path) -> None:
    text = page.read_text("utf-8")
    assert re.search(r'<div id="board" role="img"', text)
    for button in re.findall(r"<button [^>]*>[^a-z<]*</button>", text):  # with signs on it
        assert 'aria-label="' in button


def test_browser_shortcuts_are_not_captured(tab: "Page", page: Path) -> None:
    script = """
      const seen = [];
      const key = (where, key, more) => {
        const event = new KeyboardEvent("keydown", {key, bubbles: true, cancelable: true, ...more});
        seen.push(`${where.dispatchEvent(event) ? "left" : "taken"} ${document.body.dataset.ply}`);
      };
      key(document.body, "ArrowRight"); key(document.body, "ArrowLeft", {altKey: true});
      key(document.body, "End", {ctrlKey: true}); key($("back"), " "); key($("back"), "ArrowRight");
      key($("try"), "Home"); key(document.body, "x");
      document.body.dataset.seen = seen.join(", ");
      document.body.dataset.words = $("board").getAttribute("aria-label");
    """
    dom = Dom(tab, page, "game=1", script=script)
    assert 'data-seen="taken 1, left 1, left 1, left 1, taken 2, left 2, left 2"' in dom.text
    assert (
        'data-words="1… e5. White: king e1, queen d1, rooks a1 h1, bishops c1 f1, knights b1 g1, pawns a2 ' in dom.text
    )


def test_walking_through_a_game(tab: "Page", page: Path) -> None:
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
      document.body.dataset.line = $("line").textContent;
      document.body.dataset.size = $("board").querySelector("svg").getBoundingClientRect().width > 100;
    """
    dom = Dom(tab, page, "game=1", script=script)
    seen = [int(ply) for ply in re.search(r'data-seen="([^"]*)"', dom.text)[1].split()]
    first = seen[6]  # where the engine saw the first mistake
    assert seen == [1, 7, 7, 6, 0, 0, first, first - 1, 7, 0, first, 2, 3, first]
    assert 2 < first < 7
    assert re.search(r'data-words="\d[.…] \S+\?\??  \(\S+: White \d+%, .*\). (Mistake|Blunder). It hangs ', dom.text)
    assert re.search(r'data-line="Better was \d[.…] ', dom.text)
    assert 'data-size="true"' in dom.text


def test_the_games_are_there_to_choose_and_a_ply_can_be_linked(tab: "Page", page: Path) -> None:
    linked = Dom(tab, page, "ply=3")
    assert 'data-ply="3"' in linked.text
    assert linked.of("title").endswith("</script><script>, 1-0")
    script = """
      $("last").click(); document.body.dataset.link = location.hash;
      const only = why => sentence({...game.plies[1], word: "only move", why}).includes("Only move");
      document.body.dataset.only = [only("Wins a pawn: Qf8."), only("Qf8 is the only winning move.")];
    """
    third = Dom(tab, page, "game=3", script=script)
    assert 'data-only="true,false"' in third.text
    assert re.search(r">accuracy</td><td>\d+</td><td></td>", third.text)  # Black has no moves
    assert third.of("title") == "Eve - Fox, 1/2-1/2"
    assert third.of("words").startswith("1. Qf7??  (stalemate, a draw). Blunder, a missed win. ")
    assert len(re.findall(r'class="dot blunder"', third.text)) == 1
    assert 'id="arrows">Red: played. Green: better.' in third.text
    assert 'data-link="#game=3&amp;ply=1"' in third.text


def test_the_better_line_is_played_on_the_board(tab: "Page", page: Path) -> None:
    script = """
      const seen = [], fen = () => [...document.querySelectorAll("#board use")].map(use => use.getAttribute("href") +
        use.getAttribute("transform")).sort().join();
      const key = k => document.body.dispatchEvent(new KeyboardEvent("keydown", {key: k, bubbles: true}));
      const note = () => seen.push(`${document.body.dataset.ply}+${document.body.dataset.step}`);
      $("next").click(); const played = fen(); note();
      $("line-1").click(); note();
      document.body.dataset.other = fen() !== played;
      key("ArrowRight"); note(); key("ArrowLeft"); note(); key("Escape"); note(); key("b"); note(); key("End"); note();
      $("leave").click(); note();
      document.body.dataset.same = fen() === played;
      key("p"); note(); document.body.dataset.arrow = document.querySelectorAll("#board .punishing").length;
      $("reply-1").click(); note(); key("b"); note(); key("p"); key("p"); note();
      key("f"); document.body.dataset.turned = fen() !== played;
      key("f"); document.body.dataset.back = fen() === played;
      document.body.dataset.seen = seen.join(" ");
      document.body.dataset.arrows = document.querySelectorAll("#board .played, #board .wanted").length;
    """
    dom = Dom(tab, page, "game=1", script=script)
    steps = re.search(r'data-seen="([^"]*)"', dom.text)[1].replace("+", " ").split()
    plies, steps = set(steps[::2]), [int(step) for step in steps[1::2]]
    assert len(plies) == 1
    assert steps[:6] == [0, 1, 2, 1, 0, 1]
    assert steps[6] > 1
    assert steps[7:] == [0, 1, 1, 1, 0]
    assert 'data-arrow="1"' in dom.text
    for fact in ("other", "same", "turned", "back"):
        assert f'data-{fact}="true"' in dom.text, fact
    assert 'data-arrows="2"' in dom.text


def test_bar_clocks_graph_and_theme(tab: "Page", page: Path) -> None:
    script = """
      document.body.dataset.labels = document.getElementById("ticks-x").textContent;
      go(3);
      document.body.dataset.clocks = [...document.querySelectorAll(".clock")].map(clock => clock.textContent).join();
      document.body.dataset.bar = Math.abs($("fill").getBoundingClientRect().height / $("bar").clientHeight * 100 -
        game.plies[3].chance) < 1 || $("fill").style.height;
      const box = $("graph").getBoundingClientRect();
      $("graph").dispatchEvent(new MouseEvent("mousemove", {clientX: box.left + box.width / 2, bubbles: true}));
      document.body.dataset.tip = $("tip").hidden ? "" : $("tip").textContent;
      $("graph").dispatchEvent(new MouseEvent("mouseleave"));
      document.body.dataset.gone = $("tip").hidden;
      const paper = () => getComputedStyle(document.body).backgroundColor, before = paper();
      $("theme").click(); document.body.dataset.dressed = paper() !== before;
      $("theme").click(); document.body.dataset.again = paper() === before;
    """
    dom = Dom(tab, page, "game=4", script=script)
    assert dom.of("opening").startswith("C33 King's Gambit Accepted")
    assert dom.of("opening").endswith("last book move: 2… exf4")
    assert 'data-labels="1234"' in dom.text
    assert 'data-clocks="9:58,59:59"' in dom.text
    assert 'data-bar="true"' in dom.text or re.search(r'data-bar="\d+\.?\d*%"', dom.text)  # while it still grows
    assert re.search(r'data-tip="2… exf4  [+#-]\S+ · White \d+%, draw', dom.text)
    for fact in ("gone", "dressed", "again"):
        assert f'data-{fact}="true"' in dom.text, fact


def test_the_annotated_pgn_can_be_downloaded(tab: "Page", page: Path, reports: list[Report]) -> None:
    script = """
      const keep = (id, name) => fetch($(id).href).then(answer => answer.text()).then(text => {
        document.body.dataset[name] = [...text].map(letter => letter.codePointAt(0).toString(16)).join(" ");
      });
      await Promise.all([keep("download", "one"), keep("download-all", "all")]);
      document.body.dataset.file = $("download").download;
    """
    dom = Dom(tab, page, "game=1", script=script)

    def downloaded(name: str) -> str:
        return "".join(chr(int(code, 16)) for code in re.search(rf'data-{name}="([^"]*)"', dom.text)[1].split())

    assert downloaded("one") == pgn_text(reports[0][0]) + "\n"
    assert downloaded("all") == "\n\n".join(pgn_text(game) for game, _ in reports) + "\n"
    assert 'data-file="mine.annotated.pgn"' in dom.text


#: Nothing reaches beyond the right edge: the pixels that could be scrolled to, and what reaches there.
WIDTH = """() => {
  const found = [];
  const look = () => {
    found.push(document.documentElement.scrollWidth - innerWidth);
    for (const element of document.querySelectorAll("body *:not(svg *)")) {
      if (element.getBoundingClientRect().right > innerWidth + 1) found.push(element.id || element.tagName);
    }
  };
  look();
  for (const number of [0, 1, 2, 3]) {
    choose(number);
    game.plies.forEach((p, i) => { if (p.bad) go(i, 1); });
    document.querySelector("details").open = true;
    look();
  }
  return found;
}"""

#: Board, words and moves are in view at every move: the board's share of the window, and what is not in view.
VIEW = """() => {
  const out = new Set(), within = (part, box) => {
    const {left, top, right, bottom} = document.querySelector(part).getBoundingClientRect();
    if (left < box.left || top < box.top || right > box.right + 1 || bottom > box.bottom + 1) out.add(part);
  };
  const screen = {left: 0, top: 0, right: innerWidth, bottom: innerHeight};
  for (const number of [0, 1, 2, 3]) {
    choose(number);
    for (let ply = 0; ply < game.plies.length; ply++) {
      scrollTo(0, ply % 2 ? 1e4 : 0);
      $("forward").click();
      for (const part of ["#stage", "#board svg", "#top", "#bottom", "#walk", "#told"]) within(part, screen);
      within("#words", $("told").getBoundingClientRect());
      const {left, top, right} = $("moves").getBoundingClientRect();
      if (innerHeight > innerWidth && !(top + 48 < innerHeight && right - left > 200)) out.add("#moves");
    }
  }
  const {width, height} = document.querySelector("#board svg").getBoundingClientRect();
  if (Math.abs(width - height) > 1) out.add("board");
  return [width / innerWidth, height / innerHeight, [...out]];
}"""


@pytest.mark.parametrize(
    ("width", "height"),
    [(1280, 600), (768, 1024), (740, 360), (390, 844), (320, 568)],
    ids=["laptop", "tablet", "phone on its side", "phone", "narrow phone"],
)
def test_all_is_in_view_on_every_screen(tab: "Page", page: Path, width: int, height: int) -> None:
    visit(tab, page, width=width, height=height)
    over = tab.evaluate(WIDTH)
    assert len(over) == 5, over
    assert all(pixels <= 0 for pixels in over), over  # less than nothing: there is a scroll bar beside it
    wide, high, out = tab.evaluate(VIEW)
    assert not out
    assert wide > 0.8 or high > 0.7


def test_multi_game_page_starts_with_index(tab: "Page", page: Path) -> None:
    script = """
      const words = selector => [...document.querySelectorAll(selector)].map(cell => cell.innerText.trim()).join("/");
      const tables = $("report").childElementCount;
      document.body.dataset.seen = [words("#all tr:nth-child(4) td"), $("one").hidden, tables].join("; ");
      document.querySelector("#all tr:nth-child(4) a").click();
      setTimeout(() => {
        document.body.dataset.after = [$("title").textContent, $("overview").hidden, location.hash].join("; ");
      }, 100);
    """
    dom = Dom(tab, page, script=script)
    assert re.search(r'data-seen="3/○ Eve\n● Fox.*/½\n½/\d+\.\d%.*/0\n0/0\n0/1\n0; true; 0"', dom.text, re.DOTALL)
    assert 'data-after="Eve - Fox, 1/2-1/2; true; #game=3&amp;ply=0"' in dom.text


def test_report_links_lead_to_mistakes(tab: "Page", report_page: Path) -> None:
    script = """
      const counts = [...document.querySelectorAll("#report button")];
      document.body.dataset.counts = counts.length > 0 && counts.every(button => {
        button.click();
        const places = button.closest("section").nextElementSibling.querySelectorAll(".moment");
        return places.length === +button.textContent && button.ariaExpanded === "true";
      });
      counts[0].click(); counts[0].click();
      const first = document.querySelector("#report .moment");
      first.click();
      setTimeout(() => {
        const order = [...document.querySelectorAll("#learn button")].sort((a, b) => a.style.order - b.style.order);
        const below = $("bottom").textContent.slice(2, 9);
        document.body.dataset.there = [first.hash === location.hash, game.plies[at].bad, below, order[0].id].join();
      }, 100);
    """
    dom = Dom(tab, report_page, script=script)
    assert dom.of("figures").startswith("0 points from 1 game, accuracy ")
    assert dom.of("coach").startswith("No difference ")
    assert 'data-counts="true"' in dom.text
    assert 'data-there="true,true,Nimzowi,learn-black"' in dom.text


def test_a_lesson_goes_over_all_games_of_a_player(tab: "Page", report_page: Path) -> None:
    script = """
      const seen = [], all = [...document.querySelectorAll("#lessons button")].at(-1);
      document.body.dataset.offer = all.textContent;
      all.click();
      for (;;) {
        seen.push(`${$("title").textContent}: ${$("task").textContent}`);
        if ($("another").hidden) break;
        $("another").click();
      }
      document.body.dataset.seen = seen.join("|");
      $("leave-lesson").click();
      document.body.dataset.back = $("lesson").hidden && !$("one").hidden;
    """
    dom = Dom(tab, report_page, script=script)
    offered = int(re.search(r'data-offer="Learn: all bad moves \((\d+)\)"', dom.text)[1])
    seen = re.search(r'data-seen="([^"]*)"', dom.text)[1].split("|")
    assert len(seen) == offered > 0
    assert all(re.search(rf"{at} of {offered}: Black played ", text) for at, text in enumerate(seen, 1))
    assert 'data-back="true"' in dom.text


def test_lesson_judges_answers(tab: "Page", page: Path) -> None:
    """White's 2. Qf7 of the third game stalemates; what is tried, typed or clicked, is judged."""
    script = """
      const seen = [], note = () => seen.push($("task").textContent);
      choose(0);
      const side = $("learn-white").hidden ? "learn-black" : "learn-white";
      document.body.dataset.offer = $(side).textContent;
      $(side).click(); note();
      const p = game.plies[lesson.plies[0]], {legal, best} = p.try;
      document.body.dataset.hidden = $("told").hidden && !$("board").textContent.includes("Better");
      const say = text => { $("try").value = text; $("answer").requestSubmit(); note(); };
      say("nonsense"); say(p.san);
      const wrong = Object.keys(legal).find(uci => uci !== best && legal[uci] !== p.san && !p.try.also.includes(uci));
      p.try.replies[wrong] = "Loses a pawn: Kh7."; say(legal[wrong]);
      delete p.try.replies[wrong]; p.try.inferior.push(wrong); say(wrong); p.try.inferior.pop(); say(wrong);
      p.try.also.push(wrong); say(wrong); p.try.also.pop();
      teach(p.white); say(legal[best]);
      teach(p.white); $("solve").click(); note();
      $("leave-lesson").click();
      document.body.dataset.back = !$("told").hidden && $("lesson").hidden &&
        +document.body.dataset.ply === game.plies.indexOf(p);
      teach(p.white); $("forward").click();
      document.body.dataset.left = $("lesson").hidden && +document.body.dataset.ply === game.plies.indexOf(p);
      document.body.dataset.seen = seen.join("|");
      const counted = [...document.querySelectorAll("#statistics button")].map(button => +button.textContent);
      const marks = game.plies.filter(p => p.word).length + game.plies.filter(p => p.won).length;
      document.body.dataset.counts = counted.reduce((a, b) => a + b, 0) === 2 * marks;  // of the game and by phase
    """
    dom = Dom(tab, page, "game=1", script=script)
    asked, nonsense, played, wrong, inferior, unknown, enough, correct, solved = html.unescape(
        re.search(r'data-seen="([^"]*)"', dom.text)[1]
    ).split("|")
    assert re.match(r"1 of \d+: (White|Black) played \d+[.…] \S+\?.* Find a better move", asked)
    assert "That is no legal move." in nonsense
    assert "is what was played" in played
    assert "is not good enough. Loses a pawn: Kh7. Try another move" in wrong
    assert "is no mistake, but there is a better move" in inferior
    assert "was not examined here" in unknown
    assert "Good enough: " in enough
    assert "Correct: " in correct
    assert " Better was " in solved
    assert re.search(r"data-offer=\"Learn from (White|Black)'s mistakes \(\d+\)\"", dom.text)
    for fact in ("hidden", "back", "left", "counts"):
        assert f'data-{fact}="true"' in dom.text, fact


def squares(tab: "Page", move: str) -> list[tuple[float, float]]:
    """The middles of the squares of a move in UCI, in pixels of the window."""
    return [
        tuple(tab.evaluate(
            """square => {
              const box = $("board").querySelector("svg").getBoundingClientRect(), [x, y] = corner(square);
              return [box.left + (x + 22.5) * box.width / 360, box.top + (y + 22.5) * box.width / 360];
            }""", square))
        for square in (move[:2], move[2:4])
    ]  # fmt: skip


def begin_lesson(tab: "Page", page: Path) -> tuple[str, str]:
    """Begin a lesson about the first game: its best move, and the square of another man who may move."""
    visit(tab, page, "game=1")
    tab.locator("#learn-white, #learn-black").locator("visible=true").first.click()
    best, other = tab.evaluate("""() => {
      const {best, legal} = game.plies[lesson.plies[0]].try;
      return [best, Object.keys(legal).find(move => move.slice(0, 2) !== best.slice(0, 2)).slice(0, 2)];
    }""")
    return best, other


def test_a_move_is_dragged_by_mouse(tab: "Page", page: Path) -> None:
    best, other = begin_lesson(tab, page)
    (x, y), (to_x, to_y) = squares(tab, best)
    tab.mouse.move(x, y)
    tab.mouse.down()
    tab.mouse.move((x + to_x) / 2, (y + to_y) / 2)
    assert tab.locator("#board .chosen").count() == 1
    tab.mouse.move(*squares(tab, other + other)[0])  # onto an own man: no move, and no word about one
    tab.mouse.up()
    assert tab.locator("#board .chosen").count() == 0
    assert "Find a better move" in tab.inner_text("#task")
    tab.mouse.move(x, y)
    tab.mouse.down()
    tab.mouse.move(to_x, to_y, steps=3)
    tab.mouse.up()
    assert "Correct: " in tab.inner_text("#task")


def test_a_move_is_clicked_square_by_square(tab: "Page", page: Path) -> None:
    best, other = begin_lesson(tab, page)
    for place in (*squares(tab, other + other)[:1], *squares(tab, best)):  # the first is chosen, then another
        tab.mouse.click(*place)
    assert "Correct: " in tab.inner_text("#task")


def test_a_move_is_dragged_by_finger_without_scrolling(tab: "Page", page: Path) -> None:
    best, _ = begin_lesson(tab, page)
    touch, before = tab.context.new_cdp_session(tab), tab.evaluate("scrollY")
    touch.send("Emulation.setTouchEmulationEnabled", {"enabled": True})
    start, end = squares(tab, best)
    for kind, place in (("touchStart", start), ("touchMove", end), ("touchMove", end)):
        touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [{"x": place[0], "y": place[1]}]})
    touch.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    assert "Correct: " in tab.inner_text("#task")
    assert tab.evaluate("scrollY") == before
    touch.detach()


def test_typed_answers_are_read_as_people_write_them(tab: "Page", page: Path) -> None:
    answers = [
        ("Nf3", ["Nc3"], "nf3", True),
        ("Nbd2", ["Nfd2"], "nd2", False),
        ("O-O", ["O-O-O"], "0-0", True),
        ("exd6", ["Bxd6"], "e:d6 e.p.", True),
        ("bxc3", ["Bxc3"], "bxc3", True),
        ("Bxc3", ["bxc3"], "Bc3", True),
        ("e8=Q+", ["e8=N"], "e8q", True),
        ("Qh5#", ["Qh4"], "Qh5!", True),
    ]
    script = f"""
      document.body.dataset.read = {json.dumps(answers)}.map(([san, others, typed]) => {{
        const side = !$("learn-white").hidden;
        teach(side);
        const legal = Object.fromEntries([san, ...others].map((san, k) => [`a${{k + 1}}b1`, san]));
        game.plies[lesson.plies[0]].try = {{legal, best: "a1b1", also: [], replies: {{}}}};
        $("try").value = typed; $("answer").requestSubmit();
        const correct = $("task").textContent.includes("Correct: ");
        $("leave-lesson").click();
        return correct;
      }}).join();
    """
    read = ",".join(str(found).lower() for *_, found in answers)
    assert f'data-read="{read}"' in Dom(tab, page, "game=1", script=script).text
