"""Valid and invalid input in any order: commands, positions, options, files, searches of all kinds, stop and ponderhit
at any time, long lines and bytes that are not text. A state machine draws conversations, a judge checks the answers.

    python -m pytest tests/uci/test_soak.py -m slow --hypothesis-seed=7

A fault is printed with the shortest conversation found that has it. SOAK is the number of conversations; with
NUMBA_BOUNDSCHECK=1 compiled code checks every index, in a cache of its own.
"""

import os
import random
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import chess
import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, rule, run_state_machine_as_test

from engine.options import OPTIONS
from engine.uci.parse import EXTENSIONS, PROTOCOL
from tests.conftest import REPOSITORY
from tests.uci.judge import Judge
from tests.uci.process import COLD_TIMEOUT, UciProcess

#: Conversations, and lines of each.
TALKS, LINES_PER_TALK = int(os.environ.get("SOAK", "60")), 50

#: Growth of the process after its second conversation that is a leak.
MAX_GROWTH_MB = 200.0

FENS = (
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
    "8/8/8/8/8/2k5/8/KQ6 w - - 0 1",
    "8/8/8/8/8/4k3/4P3/4K3 w - - 95 100",
    "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1",  # stalemate
    "R5k1/5ppp/8/8/8/8/8/4K3 b - - 0 1",  # mate
    "R6R/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/pp1Q4/kBNN1KB1 w - - 0 1",  # 218 moves
    "8/PPPPPPPP/8/2k5/8/2K5/pppppppp/8 w - - 0 1",
    "rnbqkb1r/ppp1pppp/5n2/3pP3/8/8/PPPP1PPP/RNBQKBNR w KQkq d6 0 3",
)

FILE_OPTIONS = ("EvalFile", "SyzygyPath", "BookFile")

#: Lines that are not understood; {} is a word that identifies the answer. Only the first answers overtake a search.
BAD_LINES = ("{}", "debug {}", "bench {}", "position {}", "position startpos {}", "setoption name {} value 3",
             "setoption name Hash value {}", "setoption name Threads value -1{}")  # fmt: skip
BAD_VALUES = ("position fen {}", "position fen 4k3/8/8/8/8/8/8/4K3 {} - - 0 1", "position startpos moves e2e4 e7e5 {}",
              *(f"setoption name {name} value /no/{{}}" for name in FILE_OPTIONS))  # fmt: skip

LONG_LINES = (("setoption name a", " "), ("position startpos moves", " e2e5"), ("position fen ", "8/"), ("", "x"))

BAD_FILES = ("cut.nnue", "empty", "pipe", "bad tables", "a\0b", "x" * 5000, "/dev/zero", "/")

CHANCE = st.randoms(use_true_random=False)


def write_files(folder: Path, tables: Path) -> dict[str, str]:
    """Bad files below ``folder``, and a good one for each option that takes one."""
    net = REPOSITORY / "engine" / "evaluation" / "nnue" / "numbat.nnue"
    (folder / "cut.nnue").write_bytes(net.read_bytes()[:100_000])
    (folder / "empty").touch()
    (folder / "zeros.bin").write_bytes(bytes(1600))
    (folder / "bad tables").mkdir()
    (folder / "bad tables" / "KQvK.rtbw").write_bytes(b"\x71\xe8\x23\x5d" + bytes(12))
    if hasattr(os, "mkfifo"):
        os.mkfifo(folder / "pipe")
    return {"EvalFile": str(net), "SyzygyPath": str(tables), "BookFile": "zeros.bin"}


class Soak(RuleBasedStateMachine):
    """A conversation with an engine that has had others before; after a fault a new one is started."""

    start: Callable[[], UciProcess]
    files: dict[str, str]
    uci: UciProcess | None = None
    memory: list[float] = []

    def __init__(self) -> None:
        super().__init__()
        self._judge, self._words = Judge(), 0
        self._root: tuple[str | None, chess.Board] = (None, chess.Board())
        if Soak.uci is None:
            Soak.uci, Soak.memory = Soak.start(), []
        for option in OPTIONS:
            if option.kind != "button":
                self._send(f"setoption name {option.name} value {str(option.default).lower() or '<empty>'}")
        self._send("position startpos")
        self.settle()
        status = Path(f"/proc/{Soak.uci.process.pid}/status")
        words = status.read_text(encoding="ascii").split() if status.exists() else ["VmRSS:", "0"]
        Soak.memory.append(int(words[words.index("VmRSS:") + 1]) / 1024)
        assert Soak.memory[-1] - Soak.memory[:2][-1] < MAX_GROWTH_MB

    def _send(self, text: str, kind: str = "", **particulars: Any) -> None:
        """Send a line, to which an answer of this kind is due, if any; and judge what has come until now."""
        if Soak.uci is not None:  # else there was a fault
            if kind:
                self._judge.expect(kind, text, **particulars)
            with self._ending():
                Soak.uci.send(text)
                self._hear()

    @contextmanager
    def _ending(self) -> Iterator[None]:
        """End the process after a fault: the next conversation needs another one."""
        try:
            yield
        except BaseException:
            Soak.uci.__exit__(None, None, None)
            Soak.uci = None
            raise

    def _hear(self) -> None:
        for line in Soak.uci.heard():
            self._judge.hear(line)

    def teardown(self) -> None:
        self.settle()

    @rule()
    def settle(self) -> None:
        """Wait for all answers."""
        if self._judge.endless:
            self.stop()
        self._send("isready", "isready", early=True)
        deadline = time.monotonic() + COLD_TIMEOUT
        while Soak.uci is not None and (self._judge.due or self._judge.uci_due):
            with self._ending():
                time.sleep(0.001)
                self._hear()
                assert time.monotonic() < deadline, f"no answer to {[due.said[:80] for due in self._judge.due]}"
        assert Soak.uci is None or Soak.uci.errors() == ""

    @rule(seconds=st.sampled_from((0.001, 0.005, 0.03)))
    def pause(self, seconds: float) -> None:
        time.sleep(seconds)

    @rule()
    def stop(self) -> None:
        self._judge.release("stop")
        self._send("stop")

    @rule()
    def ponderhit(self) -> None:
        self._judge.release("ponderhit")
        self._send("ponderhit")

    @rule(word=st.sampled_from(("isready", "d", "d", "d", "eval", "help")))
    def ask(self, word: str) -> None:
        self._send(word, word, early=word in ("isready", "help"))

    @rule(word=st.sampled_from(("uci", "ucinewgame", "debug on", "debug off", "setoption name Clear Hash")))
    def tell(self, word: str) -> None:
        self._judge.uci_due += word == "uci"
        if word == "ucinewgame":
            self._judge.release("stop")
        self._send(word)

    @rule(chance=CHANCE)
    def position(self, chance: random.Random) -> None:
        text, board = self._line_of_moves(chance)
        self._judge.set_position(board)
        self._send(text)

    def _line_of_moves(self, chance: random.Random) -> tuple[str, chess.Board]:
        fen, board = self._root
        kind = chance.randrange(10)
        if kind < 3 or not any(board.legal_moves):
            fen, board = None, chess.Board(chess960=True)
        elif kind < 5:
            fen = chance.choice(FENS)
            board = chess.Board(fen, chess960=True)
        elif kind == 5:
            board = chess.Board.from_chess960_pos(chance.randrange(960))
            fen = board.fen(shredder=chance.random() < 0.5)
        board, replay = board.copy(), board.root()
        for _ in range(chance.choice((0, 1, 2, 3, 8, 21, 40))):
            if moves := list(board.legal_moves):
                board.push(chance.choice(moves))
        self._root = fen, board
        king_takes_rook = self._judge.castles_as_960(board) or chance.random() < 0.5
        words = []
        for move in board.move_stack:
            words.append(replay.uci(move, chess960=king_takes_rook))
            replay.push(move)
        return f"position {f'fen {fen}' if fen else 'startpos'} {'moves ' if words else ''}{' '.join(words)}", board

    @rule(chance=CHANCE)
    def go(self, chance: random.Random) -> None:
        clock = f"wtime {chance.choice((-5, 0, 1, 50, 200))} btime 50" + chance.choice(("", " winc 1", " movestogo 1"))
        limits = [f"depth {chance.randint(1, 6)}", f"nodes {chance.choice((1, 2, 100, 5000))}",
                  f"movetime {chance.choice((0, 1, 10, 30))}", "mate 1 movetime 20", clock]  # fmt: skip
        words, waits_for = chance.sample(limits, chance.choice((1, 1, 1, 2))), ()
        if (kind := chance.randrange(8)) == 0:
            words, waits_for = ["infinite"], ("stop",)
        elif kind == 1:
            words, waits_for = ["ponder", clock], ("stop", "ponderhit")
        elif kind == 2:
            words = []  # without any limit
        legal = [move.uci() for move in self._root[1].legal_moves]
        if chance.random() < 0.1 and legal:
            moves = chance.sample(legal, min(len(legal), 3))
            words.append("searchmoves " + " ".join([*moves, *chance.choice(([], ["a1a1"], ["e2e5", "0000"]))]))
        if chance.random() < 0.1:
            words.insert(0, chance.choice(("quickly", "wtime soon", "depth", "x " * 50, "nodes \u0663")))
        self._send(" ".join(["go", *words]), "go", waits_for=waits_for, endless=bool(waits_for) or not words)

    @rule(option=st.sampled_from([option for option in OPTIONS if option.kind != "button"]), chance=CHANCE)
    def option(self, option: Any, chance: random.Random) -> None:
        """Set an option to a value that it takes; numbers are small, because memory is."""
        value = {
            "spin": lambda: chance.choice((option.minimum, option.default, min(option.maximum, option.minimum + 4))),
            "check": lambda: chance.choice(("true", "false")),
            "combo": lambda: chance.choice(option.choices),
            "string": lambda: chance.choice((self.files.get(option.name, "a b"), "<empty>")),
        }[option.kind]()
        if option.name == "MultiPV":
            self._judge.lines = int(value)
        elif option.name == "UCI_Chess960":
            self._judge.set_chess960(value == "true")
        self._send(f"setoption name {chance.choice((option.name, option.name.upper()))} value {value}")

    @rule(name=st.sampled_from(FILE_OPTIONS), value=st.sampled_from(BAD_FILES))
    def bad_file(self, name: str, value: str) -> None:
        self._send(f"setoption name {name} value {value}")

    @rule(line=st.sampled_from((*BAD_LINES, *BAD_VALUES)))
    def bad_line(self, line: str) -> None:
        self._words += 1
        token = f"zz{self._words}zz"
        self._send(line.format(token), "remark", token=token, early=line in BAD_LINES)

    @rule(data=st.binary(max_size=200))
    def junk(self, data: bytes) -> None:
        words = data.replace(b"\n", b" ").decode(errors="replace").split()
        if not ((words and words[0] in EXTENSIONS) or PROTOCOL & set(words)):
            self._send(data.replace(b"\n", b" ").decode(errors="surrogateescape"))

    @rule(chance=CHANCE)
    def mutated_position(self, chance: random.Random) -> None:
        """A position with an error or two; what the engine makes of it, it has to say."""
        letters = list(self._line_of_moves(chance)[0].removeprefix("position "))
        for _ in range(chance.randint(1, 3)):
            place = chance.randrange(len(letters))
            letters[place : place + chance.choice((0, 1, 1, 9))] = chance.choice(
                ("", "k", "Q", "8", "/", " ", "\0", "\u00e9")
            )
        text = "".join(letters)
        self._root = None, chess.Board(chess960=True)
        if not PROTOCOL & set(text.split()):
            self._judge.set_position(None)
            self._send(f"position {text}")
            self._send("d", "d")
        else:
            self.position(chance)

    @rule(line=st.sampled_from(LONG_LINES), size=st.sampled_from((1_000, 100_000, 3_000_000)))
    def long_line(self, line: tuple[str, str], size: int) -> None:
        beginning, filling = line
        self._send(beginning + filling * (size // len(filling)))

    @rule(move=st.sampled_from(("", " e2e4", " a1a1", " Nf3")), stopped=st.sampled_from((True, True, False)))
    def explain(self, move: str, stopped: bool) -> None:
        self._send(f"explain{move}", "explain")
        if stopped:
            self.stop()

    @rule(depth=st.sampled_from((0, 1, 1, 2, 3)))
    def perft(self, depth: int) -> None:
        self._send(f"go perft {depth}", "perft", depth=depth)

    @rule()
    def bench(self) -> None:
        self._send("bench 1", "bench")
        self.stop()


@pytest.fixture
def soak(tmp_path: Path, tables_folder: Path) -> Iterator[type[Soak]]:
    Soak.files = write_files(tmp_path, tables_folder)
    Soak.start = lambda: UciProcess(before_start=lambda: os.chdir(tmp_path))
    yield Soak
    if Soak.uci is not None:
        Soak.uci.quit()


@pytest.mark.slow
def test_no_conversation_is_answered_wrongly(soak: type[Soak]) -> None:
    run_state_machine_as_test(
        soak,
        settings=settings(
            max_examples=TALKS, stateful_step_count=LINES_PER_TALK, deadline=None, database=None,
            suppress_health_check=list(HealthCheck),
        ),
    )  # fmt: skip
