"""The lab: its rows, its command line, its opponents."""

import itertools
import json
import random
import re
import sys
from math import inf, nextafter

import chess
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.lab import games, main, measure, page, play
from engine.lab.games import LabError
from engine.lab.measure import ALGORITHMS, Comparison, count_tree, effective_branching
from engine.lab.trace import DRAWN, TooLarge, TreeTrace, label
from engine.textbook import MAX, MIN, LearnedOrder, OutOfTime, alpha_beta, minimax_decision
from engine.textbook.quiescence import quiesce
from engine.textbook.search import Search
from tests.textbook.test_algorithms import KIWIPETE

# The rows


@given(st.integers(2, 40), st.integers(1, 8))
def test_effective_branching_of_a_uniform_tree_is_its_branching(branching, depth):
    nodes = sum(branching**ply for ply in range(depth + 1))
    assert effective_branching(nodes, depth) == pytest.approx(branching)
    assert effective_branching(2**100, 99) == pytest.approx(2)


@pytest.mark.parametrize(
    ("demo", "depth"),
    [(games.tictactoe(), 5), (games.bones(9), 12), (games.othello(4), 5), (games.chess(KIWIPETE), 2)],
    ids=["tictactoe", "bones", "othello", "chess"],
)
def test_counts_equal_the_nodes_of_minimax(demo, depth):
    outcome = minimax_decision(demo.game, None, depth)
    assert count_tree(demo.game, depth, inf) == (outcome.nodes, outcome.leaves)


def test_every_algorithm_has_its_row_at_every_depth():
    rows = list(Comparison(games.tictactoe(), tuple(ALGORITHMS), 60.0).rows(4))
    assert [(row.depth, row.algorithm) for row in rows] == [(d, name) for d in range(1, 5) for name in ALGORITHMS]
    for depth in range(1, 5):
        exact = [row for row in rows if row.depth == depth and row.how == "searched"]
        assert len(exact) == len(ALGORITHMS) - 1  # all but UCT
        assert len({row.value for row in exact}) == 1
        assert exact[0].share == exact[1].share == 1
    by_name = {row.algorithm: row for row in rows if row.depth == 4}
    assert by_name["alpha-beta"].share < 0.2
    assert by_name["alpha-beta+order"].share < by_name["alpha-beta"].share
    assert by_name["uct"].how == "estimated"


def test_slow_searches_are_counted_or_given_up(monkeypatch):
    tried = []

    def never(game, state, depth, **options):
        tried.append(depth)
        raise OutOfTime

    monkeypatch.setitem(ALGORITHMS, "minimax", never)
    monkeypatch.setitem(ALGORITHMS, "pvs+order", never)
    rows = list(Comparison(games.tictactoe(), ("minimax", "pvs+order"), 60.0).rows(3))
    assert tried == [1, 1], "what ran out of time is not tried any deeper"
    assert [(row.how, row.leaves) for row in rows[::2]] == [("counted", 9), ("counted", 72), ("counted", 504)]
    assert [(row.how, row.leaves, row.value) for row in rows[1::2]] == [("gave up", None, "")] * 3


def printed(capsys):
    """The words of the rows that were printed."""
    return [line.split() for line in capsys.readouterr().out.splitlines() if line[:6].strip().isdecimal()]


def test_fully_searched_game_has_rows_for_that_alone(capsys):
    assert main(["--game", "bones", "--size", "6"]) == 0
    assert [row[:2] for row in printed(capsys)] == [["6", name] for name in ALGORITHMS]
    assert main(["--game", "bones", "--size", "6", "--depth", "2", "--algorithms", "minimax"]) == 0
    assert [row[0] for row in printed(capsys)] == ["1", "2"]


def test_ordered_rows_learn_from_earlier_depths():
    names = ("alpha-beta", "alpha-beta+order")
    alone = [alpha_beta(games.chess(KIWIPETE).game, None, 1).nodes]
    comparison = Comparison(games.chess(KIWIPETE), names, 60.0)
    rows = {(row.depth, row.algorithm): row for row in comparison.rows(2)}
    assert rows[1, "alpha-beta+order"].nodes == alone[0]
    order = LearnedOrder()
    for plies in (1, 2):
        found = alpha_beta(games.chess(KIWIPETE).game, None, plies, order=order)
    assert rows[2, "alpha-beta+order"].nodes == found.nodes != rows[2, "alpha-beta"].nodes
    late = {row.algorithm: row for row in Comparison(games.chess(KIWIPETE), names, 60.0).rows(2, first=2)}
    assert late["alpha-beta+order"].nodes == found.nodes


@given(st.integers(1, 5), st.integers(1, 6))
def test_minimal_leaves_are_those_of_perfect_order(branching, depth):
    def best_first(sign, depth):
        """A uniform tree whose first child is always the best: every leaf is worth as much."""
        return [best_first(-sign, depth - 1) for _ in range(branching)] if depth else 0

    tree = games.tree(json.dumps(best_first(1, depth)))
    assert alpha_beta(tree.game).leaves == measure.minimal_leaves(branching, depth)
    (row,) = Comparison(tree, ("alpha-beta",), 60.0).rows(depth, first=depth)
    assert row.whole == branching**depth
    assert row.minimal == pytest.approx(row.leaves)


def test_lines_of_chess_are_in_san():
    demo = games.chess("6k1/5ppp/8/8/8/8/r4PPP/1R4K1 w - - 0 1")
    rows = Comparison(demo, ("minimax", "quiescence+order"), 60.0).rows(3)
    assert {row.line[0] for row in rows if row.depth == 3} == {"Rb8#"}


@pytest.mark.parametrize(("seconds", "hows"), [(8.0, ["searched", "counted"]), (8.5, ["searched", "searched"])])
def test_a_hopeless_search_of_the_whole_tree_is_not_begun(seconds, hows, monkeypatch):
    clock = itertools.count()  # as if every search took a second: at depth 2, 82 nodes at a tenth of a second each
    monkeypatch.setattr(measure, "perf_counter", lambda: next(clock))
    assert [row.how for row in Comparison(games.tictactoe(), ("minimax",), seconds).rows(2)] == hows


def test_a_deadline_ends_the_counting_and_the_searches():
    with pytest.raises(OutOfTime):
        count_tree(games.othello(8).game, 8, -1.0)
    assert Comparison(games.othello(8), (), -1.0).count(8) is None
    for name in set(ALGORITHMS) - {"uct"}:
        with pytest.raises(OutOfTime):
            ALGORITHMS[name](games.othello(8).game, None, 6, deadline=-1.0)
    with pytest.raises(OutOfTime):
        quiesce(Search(games.chess().game, deadline=-1.0), chess.Board(), -inf, inf)


@pytest.mark.parametrize(
    ("fen", "leaves"),
    [
        (None, "400"),
        (KIWIPETE, "2,039"),
        ("R5k1/5ppp/8/8/8/8/8/4K3 b - - 0 1", "1"),
        ("6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1", "113"),
    ],
    ids=["start", "kiwipete", "mate", "mate in one"],
)
def test_the_engine_has_the_last_row_of_chess(fen, leaves, capsys):
    position = ["--fen", *fen.split()] if fen else []
    assert main(["--depth", "2", "--algorithms", "minimax,alpha-beta+order", *position]) == 0
    out = capsys.readouterr().out
    assert max(map(len, out.splitlines()[1:])) <= 120
    assert all(len(line) <= 100 for line in out.splitlines() if line[:6].strip().isdecimal())
    assert "At depth 2 alpha-beta+order sees " in out
    lines = [line.split() for line in out.splitlines() if line[:6].strip().isdecimal()]
    assert [line[:2] for line in lines] == [
        [str(depth), name] for depth in (1, 2) for name in ("minimax", "alpha-beta+order", "Numbat")
    ]
    assert any(word.startswith("compiled") for word in lines[-1])
    assert lines[3][3] == leaves
    assert lines[3][4] == "100.000%"


# Growth


def test_bounds_meet_minimax_at_its_deepest():
    rows = list(Comparison(games.tictactoe(), ("minimax", "alpha-beta", "uct"), 60.0).rows(3))
    curves = page.bounds(rows)
    measured = page.measured(rows)
    assert set(measured) == {"minimax", "alpha-beta"}
    (_, full), (_, mean), (_, best) = (curve[-1] for curve in curves.values())
    assert full == pytest.approx(measured["minimax"][-1][1])
    b = full ** (1 / 3)
    assert (mean, best) == (pytest.approx(full**0.75), pytest.approx(b**2 + b - 1))
    assert [curve[0][1] for curve in curves.values()][2] == pytest.approx(b)
    assert page.bounds([row for row in rows if row.algorithm == "alpha-beta"]) == {}


# The command line


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["--game", "go"], "'go'"),
        (["--depth", "0"], "'0' is not a depth"),
        (["--seconds", "-1"], "'-1' is not a number of seconds"),
        (["--algorithms", "minimax,magic"], "'magic' is not an algorithm"),
        (["--fen", "nonsense"], "not a FEN: 'nonsense'"),
        (["--fen", "8/8/8/8/8/8/8/K7 w - - 0 1"], "(Black has 0 kings"),
        (["--game", "othello", "--fen", "x"], "--fen is for --game chess"),
        (["--game", "chess", "--size", "4"], "--size is for"),
        (["--game", "othello", "--size", "5"], "not 5"),
        (["--game", "othello", "--size", "2"], "not 2"),
        (["--game", "bones", "--size", "-3"], "not -3"),
        (["--game", "bones", "--size", "600"], "at most 100 bones here, not 600"),
        (["--tree", "[1,"], "not a tree"),
        (["--tree", "[[1],[]]"], "one is empty"),
        (["--tree", "3"], "one number is not a tree"),
        (["--tree", '[1,"2"]'], "'2' is not a number"),
        (["--play", "bones", "--game", "chess"], "contradict"),
        (["--second"], "--second needs --play"),
        (["--play", "chess", "--html", "x.html"], "--html is for the table"),
        (["--html", "/dev/null"], "it is not a regular file"),
        (["--html", __file__], "it exists and contains something else"),
        (["--html", "no/such/directory/out.html"], "no such directory"),
        (["extra"], "extra"),
        (["--tree", f"[1{'0' * 400}]"], "is not a number below a billion"),
        (["--tree", f"{'[' * 150}1{']' * 150}"], "more than 100 plies deep"),
    ],
)
def test_bad_input_gets_one_line_that_names_it(arguments, named, capsys):
    assert main(arguments) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.count("\n") == 1
    assert named in captured.err


def test_an_interrupt_keeps_the_rows_and_writes_the_page(tmp_path, monkeypatch, capsys):
    def interrupted(game, state, depth, **options):
        raise KeyboardInterrupt

    monkeypatch.setitem(ALGORITHMS, "negamax", interrupted)
    page = tmp_path / "out.html"
    assert main(["--game", "tree", "--html", str(page)]) == 130
    assert "searched" in capsys.readouterr().out
    assert '"algorithm":"minimax"' in page.read_text(encoding="utf-8")


# Playing


def test_the_search_moves_first_for_either_side(monkeypatch):
    seen = []
    monkeypatch.setattr("engine.lab.cli.play", lambda demo, human, seconds: seen.append(human))
    for more in ([], ["--second"]):
        assert main(["--play", "chess", "--fen", "4k3/8/8/8/8/8/4q3/K7 b - - 0 1", *more]) == 0
    assert seen == [MIN, MAX]


def played(demo, answers, seconds=1.0, **options):
    """The text of one game with these answers, then the end of the input."""
    told, words = [], iter(answers)

    def ask(prompt):
        try:
            return next(words)
        except StopIteration:
            raise EOFError from None

    play.play(demo, ask=ask, tell=told.append, seconds=seconds, **options)
    return "\n".join(told)


def test_a_won_heap_can_be_won_and_a_lost_one_not():
    assert played(games.bones(6), ["2", "3"]).endswith("first wins.")
    assert played(games.bones(6), ["1"] * 6).endswith("second wins.")
    assert played(games.bones(5), ["1"] * 5, human=MIN).endswith("first wins.")
    assert played(games.bones(4), ["1"] * 5).endswith("second wins.")


@pytest.mark.parametrize("human", [MAX, MIN])
def test_the_search_never_loses_at_tictactoe(human):
    for seed in range(3):
        squares = random.Random(seed).sample("123456789", 9)
        told = played(games.tictactoe(), squares, human=human)
        assert told.endswith("A draw.") or told.endswith(f"{'O' if human == MAX else 'X'} wins.")


def test_the_commands_at_the_prompt_of_a_game_work():
    told = played(games.tictactoe(), ["", "undo", "55", "5", "undo", "help", "hint", "1", "quit", "9"])
    assert "you have no move to take back" in told
    assert "'55' is not a legal move here; legal: 1 2 3 4 5 6 7 8 9" in told
    assert "Legal: 1 2 3" in told
    assert "try " in told
    assert told.count("O plays") == 2
    assert told.count(" 1 | 2 | 3") >= 3


@pytest.mark.parametrize("word", ["why", "explain"])
def test_the_textbook_player_says_why(word):
    told = played(games.bones(6), [word, f"{word} 1", f"{word} 9", f"{word} 1 2", "quit"])
    assert re.search(r"best is 2( [123])+ \(\+1 for first, proven\)\n", told)  # leaves four, which lose
    assert re.search(r"\n1( [123])+ \(-1 for first, proven\); best is 2 ", told)
    assert "'9' is not a legal move here" in told
    assert "'1 2' is not a legal move here" in told


def test_othello_shows_its_squares_and_passes_are_moves():
    demo = games.othello(4)
    board = demo.show(demo.game.initial())
    assert board.splitlines()[0].split() == ["a", "b", "c", "d"]
    assert board.count("*") == 4 + 1  # and the legend's
    assert demo.read(("XO" + "." * 14, MIN), " PASS ") == -1
    with pytest.raises(LabError, match="'a1' is not a legal move here; legal: pass"):
        demo.read(("XO" + "." * 14, MIN), "a1")
    told = played(demo, ["b1"])
    assert "O plays" in told


def test_chess_can_be_played_against_the_textbook():
    demo = games.chess("6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1")
    told = played(demo, ["zz", "Ra8"])
    assert "'zz' is not a legal move here; write moves as e4" in told
    assert told.endswith("White wins.")
    assert "White plays Ra8# (+1000 for White, " in played(demo, [], seconds=0.1, human=MIN)


def test_closed_standard_input_is_its_end(monkeypatch):
    monkeypatch.setattr(sys, "stdin", None)
    assert main(["--play", "tictactoe"]) == 0


# The trace


@pytest.mark.parametrize("name", DRAWN)
@pytest.mark.parametrize("demo", [games.tree(), games.bones(6)], ids=["tree", "bones"])
def test_a_trace_enters_and_leaves_every_node_it_visits(name, demo):
    trace = TreeTrace(demo, 9)
    steps = trace.steps(DRAWN[name])
    outcome = DRAWN[name](demo.game)
    open_nodes = []
    for step in steps:
        if step.event == "enter":
            assert trace_parent(trace, step.node) == (open_nodes[-1] if open_nodes else None)
            open_nodes.append(step.node)
        else:
            assert open_nodes.pop() == step.node
    assert open_nodes == []
    assert steps[-1].value == label(outcome.value) or name == "MTD(f)"
    if name != "MTD(f)":  # states that share a future are one to its memory, but not in the tree
        assert len(steps) == 2 * outcome.nodes


def trace_parent(trace, identity):
    return trace.nodes[identity].parent


def test_a_large_tree_is_not_drawn(tmp_path, capsys):
    with pytest.raises(TooLarge, match="more than 450 nodes"):
        TreeTrace(games.tictactoe(), 5)
    page = tmp_path / "out.html"
    for _ in range(2):  # a page of the lab may be replaced
        assert main(["--game", "tictactoe", "--depth", "5", "--algorithms", "alpha-beta", "--html", str(page)]) == 0
    assert "the tree is drawn to 2 plies; deeper ones are too large" in capsys.readouterr().out


def test_the_value_of_a_tree_that_is_cut_off_is_explained(capsys):
    tree = ["--tree", "[[3,12,8],[2,4,6],[14,5,2]]"]
    for depth, said in ((["--depth", "1"], True), ([], False)):
        assert main([*tree, *depth, "--algorithms", "minimax"]) == 0
        out = capsys.readouterr().out
        assert ("7.667" in out) == ("the mean of the leaves below it" in out) == said


@pytest.mark.parametrize(
    ("tree", "value"), [("[[12345,20000],[1,2]]", "12345"), ("[[Infinity,∞],[-Infinity,3]]", "inf")]
)
def test_large_values_are_written_in_full(capsys, tree, value):
    assert main(["--tree", tree]) == 0
    assert {row[7] for row in printed(capsys) if row[1] != "uct"} == {value}


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (3.0, "3"), (-0.0, "0"), (2.5, "2.5"), (7.0 + 2 / 3, "7.67"), (inf, "∞"), (-inf, "-∞"),
        (nextafter(-inf, 0), "-∞"), (nextafter(3, inf), "3+"), (nextafter(3, -inf), "3-"), (5e-324, "0+"),
        (nextafter(-1, 0), "-1+"), (1234567.0, "1234567"), (nextafter(1234567, inf), "1234567+"),
    ],
)  # fmt: skip
def test_labels_are_short(value, text):
    assert label(value) == text
