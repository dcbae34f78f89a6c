"""Text from outside cannot act on the terminal: the real commands with hostile names."""

import io
import os
import re
import sys

import chess.pgn
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.live import Live
from rich.progress import Progress
from rich.table import Table
from rich.text import Text

from engine.analysis import jobs
from engine.console import Console, TextColumn
from engine.printing import escaped, guard_streams
from tests.analysis.conftest import ByMaterial
from uci_main import main

HOSTILE = "\x1b[2J\x1b]0;title\x07\r\x9b31m\u202eevil\u2028\u200b\udcff\x7f"
SHOWN = r"\x1b[2J\x1b]0;title\x07\r\x9b31m\u202eevil\u2028\u200b\udcff\x7f"

GAME = '[White "{}"]\n[Black "[bold]Bob[/bold] [/nothing] :bomb:"]\n[Result "0-1"]\n\n1. f3 e5 2. g4 Qh4# 0-1\n'


def acting(text: str) -> list[str]:
    """The characters that act on a terminal."""
    return re.findall(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]", text)


@given(st.text(st.characters()))
def test_control_characters_are_escaped_as_in_python(text):
    shown = escaped(text)
    assert not acting(shown)
    assert escaped(shown) == shown
    assert shown.isprintable() or not text.isprintable()
    if "\\" not in text:
        assert re.sub(r"\\(x..|u.{4}|U.{8}|r)", lambda found: eval(f"'{found[0]}'"), shown) == text


def test_printable_text_is_unchanged():
    text = "Müller 中\u3000村 Échecs\xa0! नमस्ते \t\n"
    assert escaped(text) == text
    assert escaped("a\tb\nc", keep="") == r"a\tb\nc"


@pytest.mark.parametrize("encoding", ["utf-8", "ascii"])
def test_streams_escape_all_output(monkeypatch, encoding):
    stream = io.TextIOWrapper(io.BytesIO(), encoding)
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setattr(sys, "stdout", None)  # closed from the start
    guard_streams()
    guard_streams()
    print(HOSTILE, "é", file=sys.stderr, flush=True)
    sys.stderr.writelines(["\x1b", "\n"])
    sys.excepthook(ValueError, ValueError(HOSTILE), None)
    assert sys.stderr.encoding == encoding
    sys.stderr.flush()
    said = stream.buffer.getvalue().decode(encoding)  # type: ignore[attr-defined]
    letter = "é" if encoding == "utf-8" else "?"
    assert said == f"{SHOWN} {letter}\n\\x1b\nValueError: {SHOWN}\n"


def test_consoles_show_text_as_it_is_and_keep_their_own_styles(monkeypatch):
    file = io.StringIO()
    monkeypatch.setattr(sys, "stdout", file)
    guard_streams()
    console = Console(force_terminal=True, width=200, _environ={"TERM": "xterm-256color"})
    name = "[bold]Bob[/bold] [/] :bomb:"
    table = Table(title=name)
    table.add_column(name)
    table.add_row(name + HOSTILE)
    console.print(name, Text("a\x1b[2Jb", "red"), table)
    with console.status(name + HOSTILE), Progress(TextColumn("{task.description}"), console=console) as progress:
        progress.add_task(name + HOSTILE)
    with Live(Text(HOSTILE), console=console):
        print(HOSTILE)
    page = re.sub(r"\x1b\[[0-9;?]*[mlhKA]", "", file.getvalue()).replace("\r", "")
    assert "\x1b[31ma\\x1b[2Jb\x1b[0m" in file.getvalue()
    assert not acting(page)
    assert r"\x1b[3" not in page.replace(r"\x9b31m", "")
    assert page.count(name) >= 5


@pytest.mark.parametrize(
    "words",
    [
        ["analyse", HOSTILE],
        ["analyse", f"{HOSTILE}.pgn"],
        ["analyse", f"--{HOSTILE}"],
        ["analyse", "--option", f"{HOSTILE}=1"],
        ["analyse", "--depth", HOSTILE],
        ["play", "--pgn", f"no/such/{HOSTILE}"],
        ["lab", "--tree", HOSTILE],
        [HOSTILE],
    ],
    ids=lambda words: ascii(" ".join(words[:2]))[1:20],
)
def test_refusals_quote_the_command_line_escaped(words, capsys):
    assert main(words) == 2
    out, err = capsys.readouterr()
    assert len(err.splitlines()) == 1
    assert r"\x1b[2J" in err
    assert not acting(out + err)


@pytest.mark.skipif(os.name != "posix" or sys.platform == "darwin", reason="such file names exist on Linux")
def test_games_with_hostile_names_are_annotated(tmp_path, monkeypatch, capsys):
    """Nothing of file names and tags acts; the game that is written is the game that was read."""
    folder = os.fsencode(tmp_path)
    name = b"\x1b[2J\xff[red].pgn"
    white = HOSTILE.replace("\udcff", "").replace("\r", "").replace("\u2028", "") + '\\"quoted\\" \\\\ "bare'
    with open(os.path.join(folder, name), "wb") as file:
        file.write((GAME.format(white) + "\n" + GAME.format(white).replace("g4", "Rh5")).encode())
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(jobs, "Engine", ByMaterial)
    assert main(["analyse", "--depth", "1", "--output", "out\x1b.pgn", os.fsdecode(name)]) == 0
    said = "".join(capsys.readouterr())
    assert not acting(said)
    for part in (
        r"\x1b[2J\udcff[red].pgn",
        r"wrote out\x1b.pgn",
        r"\x1b[2J\x1b]0;title\x07",
        "[bold]Bob[/bold] [/nothing] :bomb:",
    ):
        assert part in said
    with (tmp_path / "out\x1b.pgn").open(encoding="utf-8", newline="\n") as written:
        game = chess.pgn.read_game(written)
    # python-chess leaves the escapes; the bare quotation mark got one
    assert game.headers["White"] == white.removesuffix('"bare') + '\\"bare'
