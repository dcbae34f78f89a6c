"""One game: ends by the rules, by the clock and by every way in which an engine can break down."""

import gc
import io
import json
import logging
import threading
import time
from collections.abc import Iterator
from concurrent.futures import CancelledError
from contextlib import suppress
from dataclasses import asdict, replace

import chess
import chess.pgn
import psutil
import pytest

from engine.reading import read_games
from tests.tuning.conftest import FOOLS_MATE, SCHOLARS_MATE, long_line, rival
from tuning.cluster import kept
from tuning.common.errors import EngineFailure
from tuning.common.ledger import restored
from tuning.matches import player as player_module
from tuning.matches import units
from tuning.matches.adjudication import Adjudication
from tuning.matches.engines import EngineSpec
from tuning.matches.game import Conditions
from tuning.matches.limits import TimeControl
from tuning.matches.openings import Opening
from tuning.matches.records import GameRecord
from tuning.matches.units import Pair

START = Opening(chess.STARTING_FEN)
NO_ADJUDICATION = Conditions(Adjudication(resign_moves=0, draw_moves=0))


def play(white: EngineSpec, black: EngineSpec, opening: Opening = START, conditions=NO_ADJUDICATION) -> GameRecord:
    """One game through the same door as the workers use, JSON included."""
    (record,) = units.play_pair(Pair(0, (white, black), opening, conditions, games=1), lambda item: None)
    return restored(GameRecord, json.loads(json.dumps(asdict(record))))


def test_a_mate_is_a_win(trivial):
    record = play(trivial("w", FOOLS_MATE), trivial("b", FOOLS_MATE))
    assert (record.result, record.reason, record.fault) == ("0-1", "Black mates", None)
    assert [move.move for move in record.moves] == list(FOOLS_MATE)
    assert record.score_of("b") == 1
    assert record.pv_lines == (2, 2)
    assert record.pv_faults == ({}, {})


def test_pgn_holds_the_game_and_the_usual_comments(trivial, tmp_path):
    opening = Opening(chess.STARTING_FEN, FOOLS_MATE[:2])
    record = play(trivial("w", FOOLS_MATE), trivial('A "B" \\C', FOOLS_MATE), opening)
    (tmp_path / "game.pgn").write_text(record.to_pgn({}))
    (found,) = read_games(tmp_path / "game.pgn", pytest.fail)
    assert found.game.headers["Black"] == 'A "B" \\C'  # escaped once
    game = chess.pgn.read_game(io.StringIO(record.to_pgn({"Event": 'a "test"'})))
    assert not game.errors
    assert [move.uci() for move in game.mainline_moves()] == list(FOOLS_MATE)
    assert game.headers["Result"] == "0-1"
    assert game.headers["White"] == "w"
    assert game.headers["Event"] == r"a \"test\""  # as it is written
    comments = [node.comment for node in game.mainline()]
    assert comments[:2] == ["", ""]
    assert comments[2].startswith("+0.10/1 0.0")
    assert "n=20, tl=" in comments[2]
    assert comments[3].endswith("Black mates")


@pytest.mark.parametrize(
    ("fault", "kind", "reason"),
    [
        ("die", "disconnect", "White disconnects"),
        ("illegal", "illegal", "White makes an illegal move"),
        ("null", "illegal", "White makes an illegal move"),
    ],
)
def test_a_broken_engine_loses_and_the_match_goes_on(trivial, fault, kind, reason):
    line = long_line(20)
    broken, sound = trivial("broken", line, fault, 4), trivial("sound", line)
    record = play(broken, sound)
    assert (record.result, record.fault, record.culprit, record.reason) == ("0-1", kind, "broken", reason)
    assert len(record.moves) == 4
    assert record.detail
    again = play(broken, sound)  # started anew, it gets as far as before
    assert (again.fault, again.culprit, len(again.moves)) == (kind, "broken", 4)


@pytest.mark.parametrize(
    ("limits", "fault"),
    [(TimeControl(base=0.2), "time"), (TimeControl(movetime=0.05), "time"), (TimeControl(base=0.2, margin=60.0), None)],
)
def test_late_move_loses_on_time_beyond_the_margin(trivial, limits, fault):
    record = play(trivial("late", FOOLS_MATE, "late", 0, 0.3, limits), trivial("sound", FOOLS_MATE))
    assert (record.result, record.fault, record.culprit) == ("0-1", fault, "late" if fault else None)
    assert record.termination == ("time forfeit" if fault else "normal")
    assert "(0.000 s too many)" not in record.detail


def test_an_engine_that_moves_when_it_is_stopped_is_late(trivial):
    late = trivial("late", FOOLS_MATE, "late", 2, 1.0, TimeControl(base=0.2))
    record = play(late, trivial("sound", FOOLS_MATE))
    assert (record.fault, record.culprit) == ("time", "late")


@pytest.mark.parametrize("limits", [TimeControl(base=0.1), TimeControl(nodes=100)])
def test_hanging_engine_is_killed_and_loses(trivial, monkeypatch, limits):
    monkeypatch.setattr(player_module, "STOP_SECONDS", 0.3)
    hangs = trivial("hangs", FOOLS_MATE, "hang", 0, limits=limits)
    record = play(hangs, trivial("sound", FOOLS_MATE), conditions=replace(NO_ADJUDICATION, stall=0.2))
    assert (record.result, record.fault, record.culprit) == ("0-1", "stall", "hangs")


@pytest.mark.parametrize(
    ("fault", "line", "at", "kind"),
    [
        ("badpv", FOOLS_MATE, 0, "illegal"),
        ("longpv", SCHOLARS_MATE, 2, "after end"),
        ("falsemate", SCHOLARS_MATE, 0, "mate"),
    ],
)
def test_wrong_pvs_are_found(trivial, fault, line, at, kind):
    record = play(trivial("w", line, fault, at), trivial("b", line))
    assert record.fault is None
    assert record.pv_faults == ({kind: 1}, {})
    assert record.pv_examples
    unchecked = play(
        trivial("w", line, fault, at), trivial("b", line), conditions=replace(NO_ADJUDICATION, pv_check="off")
    )
    assert unchecked.pv_lines == (0, 0)


def test_an_exact_score_counts_before_many_bounds(trivial):
    record = play(trivial("w", FOOLS_MATE, "bounds", 0), trivial("b", FOOLS_MATE))
    assert record.moves[0].score == "+0.10"


def test_repetition_and_fifty_moves_are_drawn(trivial):
    dance = ["g1f3", "g8f6", "f3g1", "f6g8"] * 3
    record = play(trivial("w", dance), trivial("b", dance))
    assert (record.result, record.reason, len(record.moves)) == ("1/2-1/2", "Draw by 3-fold repetition", 8)
    old = Opening("8/8/8/8/8/5k2/7R/5K2 b - - 99 80", ("f3e3",))
    assert play(trivial("w", dance), trivial("b", dance), old).reason == "Draw by fifty moves rule"


def test_scores_adjudicate_a_draw(trivial):
    line = long_line(200)
    rules = Adjudication(draw_from=3, draw_moves=4, draw_score=20)
    record = play(trivial("w", line), trivial("b", line), conditions=Conditions(rules))
    assert (record.result, record.reason, record.termination) == ("1/2-1/2", "Draw by adjudication", "adjudication")
    assert len(record.moves) == 8


@pytest.mark.parametrize(
    ("fault", "patience", "problem"),
    [("unborn", 60.0, "died at start, exit code 3: no licence file"), ("mute", 1.0, "did not answer `uci`")],
)
def test_an_engine_that_does_not_start_is_named(trivial, monkeypatch, fault, patience, problem):
    monkeypatch.setattr(player_module, "START_SECONDS", patience)
    with pytest.raises(EngineFailure, match=f"^lazy: {problem}"):
        units.probe(trivial("lazy", FOOLS_MATE, fault, 0), lambda item: None)


@pytest.fixture
def silence(monkeypatch, caplog, capfd) -> Iterator[None]:
    """Impatience, and a check that neither asyncio nor python-chess had anything to add."""
    monkeypatch.setattr(player_module, "STOP_SECONDS", 0.3)
    yield
    units.close_engines()
    gc.collect()
    assert not [record for record in caplog.records if record.levelno >= logging.WARNING]
    assert not capfd.readouterr().err


@pytest.mark.parametrize("fault", ["die", "hang", "deaf", "dumb", "late", "illegal", "unborn"])
def test_a_broken_engine_makes_no_noise(silence, trivial, fault):
    bad = trivial("bad", FOOLS_MATE, fault, 2, 1.0, TimeControl(base=0.2))
    with suppress(EngineFailure):
        assert play(bad, trivial("b", FOOLS_MATE)).fault


@pytest.mark.parametrize("end", [lambda: kept.cancel("unit"), units.close_engines])
@pytest.mark.parametrize("fault", ["hang", "mute"])
def test_cancelled_match_kills_its_engines(silence, trivial, end, fault):
    """Also those that do not notice that their input is closed, and in silence."""
    bad = trivial("bad", FOOLS_MATE, fault, 2, limits=TimeControl(base=100.0))
    ended: list[bool] = []

    def unit() -> None:
        with kept.task("unit"):
            try:
                play(bad, trivial("b", FOOLS_MATE))
            except CancelledError:
                ended.append(True)

    thread = threading.Thread(target=unit)
    me = psutil.Process()
    others = me.children()  # processes of other tests that serve this one to its end
    thread.start()
    while not (engines := [child for child in me.children() if child not in others]):
        time.sleep(0.02)
    time.sleep(0.2)
    end()
    thread.join(10)
    assert ended
    units.close_engines()
    assert not psutil.wait_procs(engines, timeout=5)[1]


def test_a_missing_engine_is_named():
    with pytest.raises(EngineFailure, match=r"^ghost: no program 'no-such-engine' on the path nor in /nowhere"):
        units.probe(EngineSpec("ghost", ("no-such-engine",), directory="/nowhere"), lambda item: None)


def test_an_unknown_option_names_the_engine(trivial):
    spec = replace(trivial("w", FOOLS_MATE), options={"Contempt": "3"})
    with pytest.raises(EngineFailure, match=r"^w: .*Contempt.*Hash"):
        units.probe(spec, lambda item: None)


@pytest.mark.parametrize("kind", ["options", "shared_options"])
def test_a_value_that_the_engine_cannot_use_ends_the_match(trivial, tmp_path, kind):
    """Else the match would silently be played without it."""
    spec = replace(trivial("w", FOOLS_MATE), **{kind: {"Net": str(tmp_path / "gone.nnue")}})
    with pytest.raises(EngineFailure, match=r"^w: cannot read '.*gone\.nnue'"):
        units.probe(spec, lambda item: None)


def test_shared_options_go_only_where_they_exist(trivial):
    spec = replace(trivial("w", FOOLS_MATE), shared_options={"Contempt": "3", "Hash": "4"})
    assert units.probe(spec, lambda item: None).options == ("Hash", "Net", "Book")


@pytest.mark.parametrize(
    ("words", "sent"),
    [
        ({"Book": "0"}, ["setoption name Book value false"]),
        ({"book": "False"}, ["setoption name Book value false"]),
        ({"Book": "true"}, []),
    ],
)
def test_switches_are_true_or_false(trivial, tmp_path, words, sent):
    spec = replace(trivial("w", FOOLS_MATE), options=words, environment={"LOG": str(tmp_path / "log")})
    units.probe(spec, lambda item: None)
    assert [line for line in (tmp_path / "log").read_text().splitlines() if line.startswith("setoption")] == sent
    with pytest.raises(EngineFailure, match=r"^w: option Book is true or false, not 'maybe'"):
        units.probe(replace(spec, options={"Book": "maybe"}), lambda item: None)


def test_chess960_without_support_is_no_lost_game(trivial):
    opening = Opening(chess.STARTING_FEN, chess960=True)
    with pytest.raises(EngineFailure, match=r"^w: engine does not support UCI_Chess960"):
        play(trivial("w", FOOLS_MATE), trivial("b", FOOLS_MATE), opening)


@pytest.mark.parametrize("name", ["stockfish", "gnuchess"])
def test_real_engines_play(name):
    """Ten plies from a position with castling rights and Black to move, then cut short by the move limit."""
    arguments = ("-u",) if name == "gnuchess" else ()
    limits = TimeControl(base=3.0, increment=0.1)
    specs = [EngineSpec(f"{name} {n}", (rival(name), *arguments), limits=limits) for n in (1, 2)]
    opening = Opening("r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 2 3", ("f1b5",))
    record = play(*specs, opening, Conditions(Adjudication(max_moves=7)))
    assert record.fault is None, record.detail
    assert record.reason == "Draw by adjudication: 7 moves"
