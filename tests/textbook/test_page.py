"""The lab's page in a real browser, if there is one."""

import re
from pathlib import Path

import pytest

from engine.lab import games, main
from engine.lab.page import render
from engine.lab.trace import DRAWN, TreeTrace
from tests.browser import Dom


@pytest.fixture(scope="module")
def pages(tmp_path_factory) -> Path:
    """A folder with a page for the lecture's tree and one for a heap of bones."""
    folder = tmp_path_factory.mktemp("pages")
    assert main(["--game", "tree", "--html", str(folder / "tree.html")]) == 0
    assert main(["--game", "bones", "--size", "6", "--html", str(folder / "bones.html")]) == 0
    return folder


def test_a_page_needs_nothing_but_itself():
    text = render("a title with </script><script>", [], TreeTrace(games.tree(), 2))
    assert text.count("</script>") == 1
    assert not re.search(r"\b(src|href)=|@import|url\(", text)
    assert set(re.findall(r"https?://[^\"' ]*", text)) == {"http://www.w3.org/2000/svg"}


def test_page_shows_first_and_last_step(tab, pages):
    first, last = Dom(tab, pages / "tree.html"), Dom(tab, pages / "tree.html", "step=end")
    assert first.of("title") == "explicit tree"
    assert first.of("counts") == "step 0 of 22: 0 nodes, 0 leaves"
    assert first.of("value-0") == ""
    assert first.pruned() == []
    assert last.of("counts") == "step 22 of 22: 11 nodes, 7 leaves"
    assert last.of("value-0") == "3"
    assert last.of("told") == "MAX at the root returns 3."
    assert last.pruned() == [7, 8]  # the 4 and the 6
    assert last.of("value-7") == "4"
    assert "unseen" in last.classes("node-7")
    assert last.of("window-9") == "3, ∞"
    assert last.of("window-12") == "3, 5"


def test_a_step_half_way_shows_values_known_by_then(tab, pages):
    dom = Dom(tab, pages / "tree.html", "search=alpha-beta&step=13")
    assert 'data-step="13"' in dom.text
    assert dom.of("told").endswith("2 branches are pruned.")
    assert dom.of("value-0") == "3…"
    assert {"open"} <= dom.classes("node-0")
    assert {"done", "here"} <= dom.classes("node-5")
    assert {"unseen"} <= dom.classes("node-9")
    assert dom.pruned() == [7, 8]


@pytest.mark.parametrize("search", ["minimax", "negamax alpha-beta", "principal variation search"])
def test_other_searches_on_bones(tab, pages, search):
    dom = Dom(tab, pages / "bones.html", f"search={search}&step=end")
    outcome = DRAWN[search](games.bones(6).game)
    assert dom.of("value-0") == "1"
    assert dom.of("counts").endswith(f"{outcome.nodes} nodes, {outcome.leaves} leaves")
    assert bool(dom.pruned()) == (search != "minimax")


def test_known_branches_are_not_crossed_out(tab, pages):
    dom = Dom(tab, pages / "bones.html", "search=MTD(f)&step=end")
    nodes = TreeTrace(games.bones(6), 6).nodes
    pruned = {nodes[node].parent for node in dom.pruned()}
    one, _, three = nodes[0].children
    assert one.id in pruned
    assert three.id not in pruned


def test_clicking_stepping_and_choosing(tab, pages):
    script = """
      const seen = [], note = () => seen.push(document.body.dataset.step);
      const key = k => document.body.dispatchEvent(new KeyboardEvent("keydown", {key: k, bubbles: true}));
      const click = id => { $(id).click(); note(); };
      click("forward"); click("forward"); click("back"); click("last"); click("forward"); click("first"); click("back");
      key("ArrowRight"); note(); key("End"); note(); key("ArrowLeft"); note(); key("Home"); note();
      $("slider").value = 9; $("slider").dispatchEvent(new Event("input")); note();
      $("search").value = "minimax"; $("search").dispatchEvent(new Event("change")); note();
      click("last");
      document.body.dataset.seen = seen.join(" ");
    """
    dom = Dom(tab, pages / "tree.html", script=script)
    assert 'data-seen="1 2 1 22 22 0 0 1 22 21 0 9 0 26"' in dom.text
    assert dom.of("counts") == "step 26 of 26: 13 nodes, 9 leaves"
    assert dom.pruned() == []


def test_playback_runs_to_the_end_and_stops(tab, pages):
    dom = Dom(
        tab, pages / "tree.html", script='$("play").click(); document.body.dataset.label = $("play").textContent;'
    )
    assert 'data-label="pause"' in dom.text
    assert 'data-step="22"' in dom.text
    assert dom.of("play") == "play"


def test_the_table_and_the_curves_are_there(tab, pages):
    text = Dom(tab, pages / "tree.html").text
    assert text.count("<tr") == 1 + 2 * 11
    assert "77.778%" in text
    assert text.count("<circle") == 2 * 10  # a point for each search at each depth; UCT has no curve
    assert "b^(3m/4)" in text
    assert "b^⌈m/2⌉ + b^⌊m/2⌋ - 1 (perfect order)" in text


@pytest.fixture(scope="module")
def wide_page(tmp_path_factory) -> Path:
    """A page with a tree wider than it, in a folder of its own."""
    page = tmp_path_factory.mktemp("wide") / "tictactoe.html"
    assert main(["--game", "tictactoe", "--depth", "2", "--algorithms", "minimax", "--html", str(page)]) == 0
    return page


@pytest.mark.parametrize("width", [1360, 390])
def test_a_large_tree_fits_the_page_and_can_be_seen_in_full_size(tab, wide_page, width):
    script = """
      const seen = [];
      const note = () => seen.push($("tree").getBoundingClientRect().width <= $("tree").parentElement.clientWidth);
      note(); $("zoom").click(); note();
      document.body.dispatchEvent(new KeyboardEvent("keydown", {key: "z", bubbles: true}));
      note();
      document.body.dataset.fits = seen.join(" ");
      document.body.dataset.wide = document.documentElement.scrollWidth <= innerWidth;
    """
    dom = Dom(tab, wide_page, script=script, width=width)
    assert 'data-fits="true false true"' in dom.text
    assert 'data-wide="true"' in dom.text


@pytest.mark.parametrize("width", [1360, 390])
def test_nothing_is_wider_than_the_page(tab, wide_page, pages, width):
    script = """
      document.body.dataset.wide = [...document.querySelectorAll("body *")].filter(e => !e.closest(".scroll") &&
        e.getBoundingClientRect().right > innerWidth + 1).map(e => e.id || e.tagName).join(" ") || "nothing";
    """
    for page in (wide_page, pages / "tree.html"):
        assert 'data-wide="nothing"' in Dom(tab, page, "step=end", script=script, width=width).text
