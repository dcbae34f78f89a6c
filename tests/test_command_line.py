"""The words of the command line that people try."""

from __future__ import annotations

import pytest

from engine import __version__
from uci_main import main


def told(words: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    """What the command line prints before it leaves with success."""
    with pytest.raises(SystemExit) as left:
        main(words)
    assert left.value.code == 0
    return capsys.readouterr().out


@pytest.mark.parametrize("words", [["version"], ["--version"]], ids=" ".join)
def test_version(words, capsys):
    assert told(words, capsys) == f"Numbat {__version__}\n"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["help"], "a game against the engine"),
        (["help", "bench"], "usage: numbat bench"),
        (["help", "play"], "--clock"),
        (["help", "analyze"], "usage: numbat analyse"),
        (["analyze", "--help"], "usage: numbat analyse"),
        (["help", "lab"], "usage: numbat lab"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_help(words, said, capsys):
    assert said in " ".join(told(words, capsys).split())


def test_analyze_is_analyse(capsys):
    assert main(["analyze", "--depth", "2"]) == 0
    assert " depth 2 " in capsys.readouterr().out
