"""The subcommands of the command line."""

import re

import chess
import pytest

from tests.board.oracle import KIWIPETE
from tests.run_python import run_python
from tests.uci.process import MAIN
from uci_main import main


def run_here(capfd: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    """The command line in this process: exit code, output and errors."""
    code = main(arguments)
    return code, *capfd.readouterr()


def test_bench_is_the_same_each_time_and_in_a_conversation(uci, capfd):
    code, output, errors = run_here(capfd, "bench", "4", "1", "8")
    assert (code, errors) == (0, "")
    outside = output.splitlines()[-1]
    uci.send("position startpos moves e2e4")
    fen = uci.fen()
    inside = [uci.ask("bench 4", until=r"\d+ nodes \d+ nps$")[-1] for _ in range(2)]
    nodes = [re.fullmatch(r"(\d+) nodes \d+ nps", line) for line in (outside, *inside)]
    assert len({match and match[1] for match in nodes}) == 1
    assert None not in nodes
    assert uci.fen() == fen


@pytest.mark.parametrize(
    ("arguments", "beginnings"),
    [
        (["go", "depth", "4"], ["info depth 4 ", "bestmove "]),
        (["go", "perft", "3"], ["Nodes searched: 8902"]),
        (["position startpos moves e2e4", "go nodes 100", "d"], ["bestmove ", "Fen: rnbqkbnr/pppppppp/8/8/4P3/8/"]),
        (["bench", "8", "1", "2", "current"], ["position 1/1: ", ""]),
        (["bench 8 1 2 current perft"], ["info string position 1/1: 400 nodes", "400 nodes "]),
        # a dropped right; an en passant square only where a capture is legal (here the knight's check stays)
        (
            ["position fen 4k3/8/8/2pP4/8/3n4/8/4K3 w K c6 0 1", "d"],
            ["info string position: castling rights 'K' are read as '-'", "Fen: 4k3/8/8/2pP4/8/3n4/8/4K3 w - - 0 1"],
        ),
    ],
)
def test_commands_of_uci_are_arguments_too(capfd, arguments, beginnings):
    """Each ends by itself, as in Stockfish."""
    code, output, errors = run_here(capfd, *arguments)
    assert (code, errors) == (0, "")
    said = iter(output.splitlines())
    assert [beginning for beginning in beginnings if not any(line.startswith(beginning) for line in said)] == []


@pytest.mark.parametrize(
    "arguments",
    [
        ["position fen 9/8/8/8/8/8/8/8 w - -"],
        ["d", "no such command"],
        ["go perft x"],
        ["go", "depth", "x"],
        ["go movetime inf", "d"],
        ["go depth x movetime 100"],
        ["go", "depth", "1", "searchmoves", "e2e5"],
    ],
)
def test_a_refused_command_among_the_arguments_is_an_error(capfd, arguments):
    code, output, errors = run_here(capfd, *arguments)
    assert (code, errors) == (2, "")
    assert "info string " in output


@pytest.mark.parametrize(
    ("arguments", "nodes"),
    [
        (["0"], 1),
        (["4"], 197281),
        (["1", "startpos"], 20),
        (["3", KIWIPETE], 97862),
        (["3", *KIWIPETE.split()], 97862),
        (["4", "--threads", "2"], 197281),
    ],
)
def test_perft_counts_nodes_in_the_terminal(capfd, arguments, nodes):
    code, output, errors = run_here(capfd, "perft", *arguments)
    assert (code, errors) == (0, "")
    assert f"Nodes searched: {nodes}" in output.splitlines()
    assert "e2e4: " not in output


def test_perft_divides_when_asked(capfd):
    code, output, errors = run_here(capfd, "perft", "2", "--divide")
    assert (code, errors) == (0, "")
    assert "e2e4: 20" in output.splitlines()


def test_warm_up_reports_its_end(capfd):
    code, output, errors = run_here(capfd, "warmup")
    assert (code, errors) == (0, "")
    assert re.fullmatch(r"ready after \d+\.\d s", output.splitlines()[-1])


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["swim"], "swim"),
        (["--swim"], "'--swim'"),
        (["--threads", "2"], "'--threads'"),
        (["bench", "5", "wac.epd"], "the file comes first: wac.epd 5"),
        (["perft", "8/8/8/8/8/8/8/K6k w - - 0 1", "3"], "the depth comes before the position"),
        (["bench", "deep"], "there is no file 'deep'"),
        (["bench", "5", "deep"], "threads must be a positive integer, not 'deep'"),
        (["bench", "5", "1", "lots"], "hash must be a positive integer, not 'lots'"),
        (["perft"], "DEPTH|FILE"),
        (["perft", "-1"], "-1"),
        (["perft", "3", "8/8/8/8/8/8/8/4K3 w - - 0 1"], "king"),
        (["warmup", "now"], "unrecognized arguments: now (see numbat warmup --help)"),
        (["version", "--all"], "unrecognized arguments: --all (see numbat version --help)"),
        (["--verion"], "unrecognized argument '--verion' (did you mean --version?)"),
        (["--tune", "warmup"], "--tune takes no subcommand"),
    ],
)
def test_errors_are_one_clear_line(capfd, arguments, named):
    code, _, errors = run_here(capfd, *arguments)
    assert code == 2
    (line,) = errors.splitlines()
    assert line.startswith("numbat: ")
    assert named in line


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["perft", "3", "8/8/8/8/8/8/8/4K3 w - - 0 1"], "Black has 0 kings"),
        (["bench", "gone"], "there is no file 'gone'"),
        (["bench", "gone.epd", "5"], "there is no file 'gone.epd'"),
        (["bench", "16", "1", "5", "gone.epd"], "there is no file 'gone.epd'"),
    ],
)
def test_a_bad_position_or_file_is_refused_before_the_engine_is_loaded(monkeypatch, capfd, arguments, named):
    monkeypatch.delattr("engine.uci.jobs._load")
    code, _, errors = run_here(capfd, *arguments)
    assert code == 2
    assert named in errors


def test_a_file_of_positions_needs_no_extension(capfd, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "starts").write_text(f"{chess.STARTING_FEN}\n")
    code, output, errors = run_here(capfd, "bench", "starts", "1")
    assert (code, errors) == (0, "")
    assert output.startswith("position 1/1: ")


def test_bench_names_the_line_of_a_refused_position(capfd, tmp_path):
    file = tmp_path / "positions.epd"
    file.write_text(f"{chess.STARTING_FEN}\n4k3/8/8/8/8/QQQ5/PPPPPPPP/4K3 w - - 0 1\n")
    code, output, errors = run_here(capfd, "bench", str(file), "1")
    assert (code, output) == (2, "")
    (line,) = errors.splitlines()
    assert line.startswith(f"numbat: bench: {file}:2: ")
    assert "White has more promoted pieces than missing pawns" in line


def test_errors_are_one_clear_line_of_the_process_too():
    result = run_python(MAIN, "swim")
    assert result.returncode == 2
    (line,) = result.stderr.splitlines()
    assert line.startswith("numbat: ")
