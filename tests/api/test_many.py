"""Many positions in one call: static values as an array, analyses by several processes."""

import os
import re
import signal
import subprocess
import sys
import time
from argparse import ArgumentTypeError
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import chess
import numpy as np
import pytest
from chess.engine import Limit
from hypothesis import given
from hypothesis import strategies as st

from engine import Analysis, Engine, PositionError
from engine.api.boards import position_of
from engine.board.fen import set_fen
from engine.board.setup import new_position
from engine.commandline import whole
from engine.evaluation.batch import BOARD
from engine.evaluation.choice import choose
from engine.evaluation.evaluator import KINDS, MAX_VALUE
from engine.reading import read_board, read_move
from tests.board.oracle import KIWIPETE, random_game, starts
from tests.board.test_fen import BAD
from tests.run_python import run_application

#: FENs that the rules allow, though no program writes them so.
UNUSUAL = (
    "4k3/8/8/8/8/8/8/4K2R w K -",
    "  4k3/8/8/8/8/8/8/4K2R   w K - 0 1\n",
    "4k3/8/8/8/8/8/8/4K2R w H - 0 1",
    "4k3/44/8/8/8/8/8/4K2R w KKK - 0 99999",
    "4k3/8/8/8/8/8/8/4K2R w K - +3 1",
)


def random_boards(count: int) -> list[chess.Board]:
    """Positions of random games that are not over."""
    games = (board for start in starts(2) for board in random_game(start, 3, 40) if any(board.legal_moves))
    return [board.copy(stack=False) for board in islice(games, 0, None, 4)][:count]


@pytest.fixture(scope="module", params=KINDS)
def judge(request: pytest.FixtureRequest) -> Iterator[Engine]:
    with Engine(hash=1, eval_type=request.param) as engine:
        yield engine


@pytest.fixture(scope="module")
def numbat() -> Iterator[Engine]:
    with Engine(hash=1) as engine:
        yield engine


def test_values_are_those_of_the_evaluation(judge: Engine) -> None:
    boards = random_boards(300)
    values = judge.evaluate(boards)
    assert values.dtype == np.int32
    assert (values == judge.evaluate([board.fen() for board in boards])).all()
    assert (values == judge.evaluate(judge.pack(boards))).all()
    exactly = judge.options["EvalType"] == "NNUE"  # the others round each term that they explain
    evaluation = choose(judge.options["EvalType"], judge.options["EvalFile"])
    for board, value in zip(boards, values, strict=True):
        explained = evaluation.value(position_of(board))
        assert abs(max(min(explained, MAX_VALUE), -MAX_VALUE) - value) <= (0 if exactly else 6)


def test_values_do_not_depend_on_their_neighbours(numbat: Engine) -> None:
    boards = random_boards(100)
    assert numbat.evaluate(boards).tolist() == [int(numbat.evaluate([board])[0]) for board in boards]


def test_unusual_fens_are_read_as_elsewhere(numbat: Engine) -> None:
    fens = [chess.STARTING_FEN, *UNUSUAL, KIWIPETE]
    plain = "4k3/8/8/8/8/8/8/4K2R w K - 0 1"
    assert (numbat.evaluate(fens) == numbat.evaluate([chess.STARTING_FEN, *[plain] * len(UNUSUAL), KIWIPETE])).all()


@pytest.mark.parametrize(("fen", "fault"), BAD[::3])
def test_a_faulty_fen_is_named_by_its_index(numbat: Engine, fen: str, fault: str) -> None:
    with pytest.raises(PositionError, match=rf"^position 8193: .*{re.escape(fault)}"):
        numbat.evaluate([*[KIWIPETE] * 8193, fen, "nonsense"])


def test_long_input_is_shortened_in_messages(numbat: Engine) -> None:
    long = "9" * 100_000
    for call in (
        lambda: numbat.set_position(long),
        lambda: numbat.set_position(f"8/8/8/8/8/8/8/8 w - - {long} 1"),
        lambda: numbat.set_position(None, [long]),
        lambda: numbat.set_position(long.encode()),  # type: ignore[arg-type]
        lambda: numbat.play(long, Limit(depth=1)),  # type: ignore[arg-type]
        lambda: numbat.evaluate([long]),
        lambda: numbat.configure(hash=long),  # type: ignore[arg-type]
        lambda: numbat.configure(hash=10**6000),
        lambda: numbat.configure(**{long: 1}),  # type: ignore[misc]
        lambda: numbat.analyse_many([], Limit(depth=1), jobs=long),  # type: ignore[arg-type]
        lambda: read_board(long),
        lambda: read_board(f"8/8/8/8/8/8/8/8 w {long} - 0 1"),
        lambda: read_move(chess.Board(), long),
        lambda: whole(1, 9)(long),
    ):
        with pytest.raises((ValueError, TypeError, ArgumentTypeError)) as failed:
            call()
        assert 20 < len(str(failed.value)) < 400


def test_analyses_name_a_faulty_position_by_its_index(numbat: Engine) -> None:
    for faulty in ("nonsense", chess.Board.empty()):
        results = numbat.analyse_many([KIWIPETE, faulty], Limit(nodes=1), jobs=1)
        assert next(results).pv
        with pytest.raises(PositionError, match=r"^position 1: "):
            next(results)


_LETTERS = st.sampled_from([*"pnbrqkPNBRQK12345678/ wb-KQkqae36", "\n", "\t", "ö"])


@given(st.integers(0, 60), _LETTERS, st.sampled_from([KIWIPETE, *UNUSUAL]))
def test_many_fens_are_read_like_single_ones(at: int, letter: str, fen: str) -> None:
    changed = fen[:at] + letter + fen[at + 1 :]
    position = new_position()
    fault = ""
    try:
        set_fen(position, changed)
    except PositionError as error:
        fault = f"position 0: {error}"
    if fault:
        with pytest.raises(PositionError) as caught:
            Engine.pack([changed])
        assert str(caught.value) == fault
        return
    (board,) = Engine.pack([changed])
    assert all((board[name] == position[name]).all() for name in BOARD.names or ())


def test_values_that_are_no_positions_are_refused(numbat: Engine) -> None:
    for wrong in (KIWIPETE, KIWIPETE.encode(), chess.Board(), np.zeros(3), np.zeros((2, 2), BOARD)):
        with pytest.raises(TypeError, match="positions"):
            numbat.evaluate(wrong)
    with pytest.raises(TypeError, match=r"position 1: .*not 5"):
        numbat.evaluate([KIWIPETE, 5])  # type: ignore[list-item]
    for use in (numbat.evaluate, lambda given: list(numbat.analyse_many(given, Limit(depth=1)))):
        with pytest.raises(TypeError, match=r"position 0: expected a FEN .* or a chess\.Board"):
            use([KIWIPETE.encode()])
    with pytest.raises(TypeError, match=r"shape \(2, 2\)"):
        numbat.evaluate(np.zeros((2, 2), BOARD))
    with pytest.raises(PositionError, match="position 2"):
        numbat.evaluate(np.concatenate([numbat.pack([KIWIPETE] * 2), np.zeros(1, BOARD)]))
    assert len(numbat.evaluate([])) == 0


def test_values_come_while_the_engine_searches(numbat: Engine) -> None:
    with numbat.stream(chess.Board()):
        numbat.evaluate([KIWIPETE])
        assert numbat.searching


def plain(line: Analysis) -> tuple[object, ...]:
    return line.score, line.pv, line.depth, line.nodes


class Numbered(chess.Board):
    """A board that only this module knows."""

    def __init__(self, *arguments: object, **names: object) -> None:
        super().__init__(*arguments, **names)  # type: ignore[arg-type]
        self.number = lambda: 0


def test_analyses_are_ordered_and_independent_of_jobs(numbat: Engine) -> None:
    """Boards of other classes come with their history, and progress is reported."""
    repeated = Numbered("7k/8/8/8/8/8/R7/K7 w - - 0 1")
    for move in ("a2a3", "h8g8", "a3a2", "g8h8", "a2a3", "h8g8", "a3a2"):
        repeated.push_uci(move)
    boards = [repeated, *random_boards(8), repeated.copy()]
    for jobs in (1, 2):
        seen: list[int] = []
        found = numbat.analyse_many(boards, Limit(depth=6), jobs=jobs, on_progress=seen.append)
        for board, line in zip(boards, found, strict=True):
            numbat.new_game()
            assert plain(numbat.analyse(board, Limit(depth=6))) == plain(line)
        assert seen == [*range(1, len(boards) + 1)]


@pytest.mark.skipif(sys.platform == "win32", reason="no signal like that")
def test_an_interrupt_ends_the_processes_silently() -> None:
    code = (
        "import chess; from chess.engine import Limit; from engine import Engine\n"
        "with Engine(hash=1) as engine:\n"
        "    print('begun', flush=True)\n"
        "    list(engine.analyse_many([chess.Board()] * 3, Limit(nodes=10**12), jobs=2))\n"
    )
    child = subprocess.Popen(
        [sys.executable, "-c", code],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert child.stdout is not None
    assert child.stdout.readline() == "begun\n"
    time.sleep(1)
    os.killpg(child.pid, signal.SIGINT)
    _, errors = child.communicate(timeout=60)
    assert errors.count("KeyboardInterrupt") == 1, errors
    assert errors.count("Traceback") == 1, errors


def test_jobs_and_limits_are_checked_at_once(numbat: Engine) -> None:
    for jobs in (0, 1.5, "2"):
        with pytest.raises(ValueError, match="jobs"):
            numbat.analyse_many([], Limit(nodes=1), jobs=jobs)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="limit"):
        numbat.analyse_many([], 0.5)  # type: ignore[arg-type]


#: A program that prints whether each of several positions was analysed.
ANALYSES = f"""
from chess.engine import Limit
from engine import Engine
with Engine(hash=1, eval_type="Material") as engine:
    print([bool(line.pv) for line in engine.analyse_many([{KIWIPETE!r}] * 3, Limit(depth=1), jobs=2)])
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="scripts are no programs")
def test_a_frozen_application_does_all_in_its_process(tmp_path: Path) -> None:
    """With an empty cache: it compiles, too."""
    cache = {"NUMBAT_CACHE_DIR": str(tmp_path / "cache")}
    output, errors, starts = run_application(tmp_path, "application", ANALYSES, "sys.frozen = True", **cache)
    assert (output, starts) == ("[True, True, True]\n", 1), errors
