"""Conversations as Cute Chess, Arena, lichess-bot and XBoard hold them, with the settings that
engine/uci/GUIS.md gives.

What is sent, and in which order, is taken from cutechess/cutechess, projects/lib/src/uciengine.cpp, from
lichess-bot-devs/lichess-bot, lib/engine_wrapper.py, which talks through python-chess, and from Arena's logs, as
people post them with their questions (MitchelPaulin/Walleye#3, konsolas/ToppleChess#2).
"""

import json
import re
import runpy
import shutil
import subprocess
import sys
import threading
import types
from collections.abc import Iterator
from pathlib import Path

import chess
import chess.engine
import pytest

from tests.uci.process import COLD_TIMEOUT, MAIN, UciProcess

PLIES = 12

#: Debian installs it where no PATH may lead.
POLYGLOT = shutil.which("polyglot") or shutil.which("polyglot", path="/usr/games")


def block(repository: Path, language: str, beginning: str) -> str:
    """The fenced block of engine/uci/GUIS.md in ``language`` that begins so."""
    page = (repository / "engine" / "uci" / "GUIS.md").read_text(encoding="utf-8")
    blocks = re.findall(rf"^```{language}\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    (found,) = [text for text in blocks if text.startswith(beginning)]
    return found


class CuteChess:
    """One engine of a Cute Chess game, from its own chair: positions, clocks, pondering."""

    def __init__(self, process: UciProcess) -> None:
        self.process = process
        self.offered = process.ask("uci", until="uciok")
        process.synchronise(COLD_TIMEOUT)

    def set(self, name: str, value: object) -> None:
        """Options go out only when they are offered."""
        assert [line for line in self.offered if line.startswith(f"option name {name} type ")]
        shown = str(value).lower() if isinstance(value, bool) else value
        self.process.send(f"setoption name {name} value {shown}")

    def start_game(self, board: chess.Board) -> None:
        """The beginning of a game; that of Chess960 is sent as a FEN in Shredder's notation."""
        self.board, self.moves = board, ""
        self.first = f"fen {board.fen(shredder=True)}" if board.chess960 else "startpos"
        if board.chess960:
            self.set("UCI_Chess960", True)
        self.process.send("ucinewgame")
        self.set("Ponder", True)
        self.set("UCI_Opponent", "none none computer Rival 1.0")
        self.send_position()
        self.process.synchronise()

    def send_position(self) -> None:
        self.process.send(f"position {self.first}" + (f" moves{self.moves}" if self.moves else ""))

    def push(self, move: chess.Move) -> None:
        self.moves += f" {self.board.uci(move)}"
        self.board.push(move)

    def think(self, go: str) -> tuple[chess.Move, chess.Move | None]:
        """``go`` and its answer: the move, and what to ponder on."""
        words = self.process.ask(f"go{go}", until="bestmove")[-1].split()
        move = self.board.parse_uci(words[1])
        reply = None
        if len(words) == 4:
            after = self.board.copy()
            after.push(move)
            reply = after.parse_uci(words[3])
        return move, reply


@pytest.fixture
def fresh() -> Iterator[UciProcess]:
    with UciProcess() as process:
        yield process
        process.quit()


@pytest.mark.parametrize("chess960", [False, True], ids=["standard", "Chess960"])
def test_cute_chess_plays_with_pondering(fresh: UciProcess, repository: Path, chess960: bool) -> None:
    (entry,) = json.loads(block(repository, "json", "[{"))
    assert (entry["command"], entry["protocol"]) == ("numbat", "uci")
    gui = CuteChess(fresh)
    for option in entry["options"]:
        gui.set(option["name"], option["value"])
    gui.start_game(chess.Board.from_chess960_pos(100) if chess960 else chess.Board())
    clock = " wtime 1000 btime 1000 winc 10 binc 10"
    hits = misses = 0
    while gui.board.ply() < PLIES and not gui.board.is_game_over():
        move, reply = gui.think(clock)
        while True:
            gui.push(move)
            gui.send_position()
            if gui.board.is_game_over() or reply is None:
                break
            before = gui.moves
            gui.moves += f" {gui.board.uci(reply)}"  # ponders on the board after the reply
            gui.send_position()
            assert not [line for line in fresh.synchronise() if line.startswith("bestmove")]
            fresh.send(f"go ponder{clock}")
            if hits > misses:
                gui.moves = before  # the opponent plays something else
                misses += 1
                lines = fresh.ask("stop", "isready", until="bestmove")
                if "readyok" not in lines:
                    fresh.read("readyok")
                break
            gui.board.push(reply)
            hits += 1
            fresh.send("ponderhit")
            words = fresh.read("bestmove")[-1].split()
            move = gui.board.parse_uci(words[1])
            after = gui.board.copy()
            after.push(move)
            reply = after.parse_uci(words[3]) if len(words) == 4 else None
        if not gui.board.is_game_over():
            gui.push(next(iter(gui.board.legal_moves)))
            gui.send_position()
    assert hits
    assert misses
    fresh.send("stop")  # the end of a game
    fresh.synchronise()


def test_arena_tries_xboard_returns_options_and_plays(fresh: UciProcess) -> None:
    """As Arena's own logs show it, with the line ends of Windows."""
    offered = fresh.ask("xboard\r", "uci\r", until="uciok")
    fresh.ask("isready\r", until="readyok", timeout=COLD_TIMEOUT)
    for line in offered:
        if found := re.match(r"option name (.+) type (spin|check|string|combo) default (.*?)( min .*| var .*)?$", line):
            value = {"Hash": "12", "Ponder": "true"}.get(found[1], found[3])
            fresh.send(f"setoption name {found[1]} value {value}\r")
    assert fresh.ask("isready\r", until="readyok") == ["readyok"]  # no complaint about what was its own default
    assert fresh.ask("ucinewgame\r", "isready\r", until="readyok") == ["readyok"]
    board, clock = chess.Board(), "wtime 3000 btime 3000 winc 0 binc 0"
    while board.ply() < PLIES:
        board.push(next(iter(board.legal_moves)))
        position = "position startpos moves " + " ".join(move.uci() for move in board.move_stack)
        words = fresh.ask(f"{position}\r", f"go {clock}\r", until="bestmove")[-1].split()
        board.push_uci(words[1])
    fresh.send(f"position fen {board.fen()}\r", "go infinite\r")  # it analyses
    fresh.read("info depth 5 ")
    fresh.ask("stop\r", until="bestmove")


def test_lichess_bot_plays_with_pondering(repository: Path) -> None:
    yaml = pytest.importorskip("yaml")
    settings = yaml.safe_load(block(repository, "yaml", "engine:"))["engine"]
    assert (settings["name"], settings["protocol"]) == ("numbat", "uci")
    command = [sys.executable, str(MAIN)]
    with chess.engine.SimpleEngine.popen_uci(command, timeout=COLD_TIMEOUT, setpgrp=True) as engine:
        engine.configure(settings["uci_options"])
        engine.send_opponent_information(
            opponent=chess.engine.Opponent(name="Somebody", title="GM", rating=2500, is_engine=False),
            engine_rating=2400,
        )
        board, clock = chess.Board(), 1.0
        while board.ply() < PLIES and not board.is_game_over():
            limit = chess.engine.Limit(white_clock=clock, black_clock=clock, white_inc=0.0, black_inc=0.0)
            result = engine.play(
                board, limit, info=chess.engine.INFO_ALL, ponder=settings["ponder"], draw_offered=False, root_moves=None
            )
            assert result.move in board.legal_moves
            assert isinstance(result.info["score"], chess.engine.PovScore)
            assert result.info["pv"][0] == result.move
            board.push(result.move)
            expected = [result.ponder] if result.ponder in board.legal_moves else []
            surprises = [move for move in board.legal_moves if move != result.ponder]
            replies = expected + surprises if board.ply() % 4 == 1 else surprises + expected
            if replies:  # else the game is over
                board.push(replies[0])
        board = chess.Board() if board.is_game_over() else board
        first = engine.play(board, chess.engine.Limit(time=0.1, clock_id="first move"), info=chess.engine.INFO_ALL)
        assert first.move in board.legal_moves
        wanted = list(board.legal_moves)[:2]
        assert engine.play(board, chess.engine.Limit(time=0.05), root_moves=wanted).move in wanted
        engine.ping()
        engine.send_game_result(board, chess.WHITE, "Black resigned")


@pytest.mark.skipif(POLYGLOT is None, reason="polyglot, through which XBoard plays UCI engines, is not installed")
def test_xboard_plays_through_polyglot(tmp_path: Path) -> None:
    """The program itself: it takes Numbat's options for features and translates a game with pondering."""
    assert POLYGLOT
    launcher = tmp_path / "numbat"
    launcher.write_text(f'#!/bin/sh\nexec "{sys.executable}" "{MAIN}"\n', encoding="utf-8")
    launcher.chmod(0o755)
    command = [POLYGLOT, "-noini", "-ec", str(launcher), "-log", "false"]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True, bufsize=1, cwd=tmp_path) as xboard:
        assert xboard.stdin is not None
        assert xboard.stdout is not None
        guard = threading.Timer(COLD_TIMEOUT, xboard.kill)
        guard.start()

        def send(*lines: str) -> None:
            xboard.stdin.write("".join(f"{line}\n" for line in lines))

        def until(beginning: str) -> list[str]:
            lines = []
            for line in xboard.stdout:
                lines.append(line.rstrip())
                if line.startswith(beginning):
                    return lines
            raise AssertionError(f"no '{beginning}' in {lines}")

        send("xboard", "protover 2")
        features = until("feature done=1")
        assert [line for line in features if line.startswith('feature myname="Numbat ')]
        assert "feature smp=1" in features  # Threads, Hash and SyzygyPath are understood for what they are
        assert "feature memory=1" in features
        assert 'feature egt="syzygy"' in features
        assert 'feature option="Move Overhead -spin 100 0 5000"' in features
        send("new", "memory 8", "cores 1", "option Move Overhead=50", "level 0 1 0", "hard", "post")
        board = chess.Board()
        while board.ply() < 6:
            board.push(next(iter(board.legal_moves)))
            send("time 1500", "otim 1500", f"usermove {board.move_stack[-1].uci()}")
            *thoughts, move = until("move ")
            # depth, score, time and nodes
            assert [line for line in thoughts if re.match(r"\s*\d+ [+-]?\d+ \d+ \d+ ", line)]
            board.push_uci(move.split()[1])  # raises if it is not legal
        send("quit")
        assert xboard.wait() == 0
        guard.cancel()


def test_lichess_bot_class_sends_reasons_to_the_chat(repository, monkeypatch):
    """The example's class, on top of a stand-in for lichess-bot's."""

    class UCIEngine:
        def __init__(self, commands, options, *_):
            self.options, self.move_commentary = options, []

        def play_move(self, board, game, li, string):
            self.move_commentary.append({"string": string} if string else {})

        def send_game_result(self, game, board):
            pass

    monkeypatch.setitem(sys.modules, "lib", types.ModuleType("lib"))
    monkeypatch.setitem(sys.modules, "lib.engine_wrapper", types.SimpleNamespace(UCIEngine=UCIEngine))
    names = runpy.run_path(str(repository / "engine" / "api" / "examples" / "lichess.py"))
    engine = names["Numbat"](["x"], {"Hash": 16}, None)
    assert engine.options == {"Hash": 16, "Explain": True}
    said = []
    li = types.SimpleNamespace(chat=lambda *words: said.append(words))
    long = "2.Na3?? Loses " + "the exchange and " * 9 + "a pawn."
    for string in ("compiling: 60%", "1...f6? Now White stands better.", "", long):
        engine.play_move(chess.Board(), None, li, string)
    engine.send_game_result(types.SimpleNamespace(id="abc"), chess.Board())
    assert said[0] == ("abc", "player", "1...f6? Now White stands better.")
    assert " ".join(text for _, _, text in said[1:]) == long
    assert max(len(text) for _, _, text in said) <= 140


@pytest.mark.skipif(shutil.which("fastchess") is None, reason="fastchess is not installed")
@pytest.mark.usefixtures("running")  # compiled by now
def test_fastchess_compliance_check_passes() -> None:
    """Its own forty checks of what an engine answers."""
    command = ["fastchess", "--compliance", sys.executable, str(MAIN)]
    result = subprocess.run(command, capture_output=True, text=True, timeout=COLD_TIMEOUT, check=False)
    assert result.returncode == 0, result.stdout + result.stderr
    assert "Engine passed all compliance checks." in result.stdout
