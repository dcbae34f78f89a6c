"""The words of the command line that people try."""

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import uci_main
from engine import __version__
from engine.commandline import whole
from tests.strict import run_python
from tests.uci.process import COLD_TIMEOUT
from uci_main import main


def told(words: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    """What the command line prints before it leaves with success."""
    with pytest.raises(SystemExit) as left:
        main(words)
    assert left.value.code == 0
    return capsys.readouterr().out


@pytest.mark.parametrize("words", [["version"], ["--version"]], ids=" ".join)
def test_version_names_the_program_and_its_number(words, capsys):
    assert told(words, capsys) == f"Numbat {__version__}\n"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["help"], "a game against the engine"),
        (["help", "bench"], "usage: numbat bench"),
        (["help", "play"], "--clock"),
        (["help", "play"], "seconds for each move (default: 1)"),
        (["help", "analyse"], "seconds for each position (default: 5, in games 0.5)"),
        (["help", "analyze"], "usage: numbat analyse"),
        (["analyze", "--help"], "usage: numbat analyse"),
        (["help", "lab"], "usage: numbat lab"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_help_of_every_command_describes_it(words, said, capsys):
    assert said in " ".join(told(words, capsys).split())


def test_analyze_is_analyse(capsys):
    assert main(["analyze", "--depth", "2"]) == 0
    assert " depth 2 " in capsys.readouterr().out


@pytest.mark.parametrize("name", ["engine.py", "engine/__init__.py"])
def test_a_stranger_of_our_name_is_named(tmp_path: Path, name: str) -> None:
    """Whose file is in the way, in one line; it is not run."""
    stranger = tmp_path / name
    stranger.parent.mkdir(exist_ok=True)
    stranger.write_text("raise SystemExit('the stranger ran')")
    own = Path(uci_main.__file__).parent
    program = f"import sys; sys.path.append({str(own)!r}); from uci_main import main; sys.exit(main())"
    environment = os.environ | {"PYTHONPATH": str(tmp_path)}
    process = run_python("-c", program, cwd=tmp_path, env=environment, input="quit\n")
    assert process.returncode == 2
    assert process.stderr.splitlines() == [
        f"numbat: {stranger} hides Numbat's package 'engine': rename it, or run numbat from another folder"
    ]


@pytest.mark.parametrize("text", ["0" * 17 + "5000", "0" * 5000, "0" * 5000 + "101"])
def test_zeros_in_front_let_no_number_through(text: str) -> None:
    assert whole(1, 100)("0" * 5000 + "7") == 7
    with pytest.raises(argparse.ArgumentTypeError):
        whole(1, 100)(text)


def test_results_are_written_although_nobody_reads_the_output(tmp_path):
    """The reader goes after the first line."""
    suite, results = tmp_path / "s.epd", tmp_path / "r.json"
    suite.write_text("6k1/5ppp/8/8/8/8/8/R5K1 w - - bm Ra8+;\n" * 40)
    words = [sys.executable, uci_main.__file__, "suite", str(suite), "--depth", "2", "--json", str(results)]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        process.stdout.readline()
        process.stdout.close()
        process.wait(COLD_TIMEOUT)
    assert json.loads(results.read_text())["positions"]
