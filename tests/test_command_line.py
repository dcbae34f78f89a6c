"""The words of the command line that people try."""

import json
import os
import platform
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import numba
import pytest

import uci_main
from engine import __version__
from engine.analysis import cli as analysis
from engine.commandline import EXAMPLES
from engine.lab import cli as lab
from engine.suites import cli as suites
from engine.version import version
from tests.run_python import run_python
from tests.uci.process import COLD_TIMEOUT
from uci_main import main


def told(words: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    """What the command line prints before it leaves with success."""
    with pytest.raises(SystemExit) as left:
        main(words)
    assert left.value.code == 0
    return capsys.readouterr().out


def test_version_has_the_details_of_a_bug_report(capsys):
    assert told(["--version"], capsys) == f"Numbat {__version__}\n"
    assert main(["version"]) == 0
    first, libraries, processor = capsys.readouterr().out.splitlines()
    assert first == f"Numbat {__version__}"
    assert libraries.startswith(f"Python {platform.python_version()} (")
    assert f"numba {numba.__version__}" in libraries
    assert re.search(r"\d+ processors of type \S+$", processor)


@pytest.mark.parametrize("state", ["branch", "packed", "detached", "worktree"])
def test_a_version_between_releases_names_the_commit(state, tmp_path, monkeypatch):
    if shutil.which("git") is None:
        pytest.skip("git is not installed")

    def git(*words: str) -> str:
        command = ["git", "-C", root, "-c", "user.name=Ann", "-c", "user.email=ann@example.org", *words]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()

    root = tmp_path / "checkout"
    root.mkdir()
    git("init", "-q")
    git("commit", "-q", "--allow-empty", "-m", "first")
    if state == "packed":
        git("pack-refs", "--all")
    elif state == "detached":
        git("checkout", "-q", "--detach")
    elif state == "worktree":
        git("worktree", "add", "-q", "-b", "other", str(tmp_path / "other"))
        root = tmp_path / "other"
        git("commit", "-q", "--allow-empty", "-m", "second")
    monkeypatch.setattr("engine.version.NUMBER", "9.9.0.dev0")
    assert version(root) == f"9.9.0.dev0+g{git('rev-parse', 'HEAD')[:8]}"
    assert version(tmp_path / "nowhere") == "9.9.0.dev0"
    monkeypatch.setattr("engine.version.NUMBER", "9.9.0")
    assert version(root) == "9.9.0"


@pytest.mark.parametrize("program", EXAMPLES)
def test_help_ends_with_examples_that_are_valid(program, capsys):
    out = told([*program.split()[1:], "--help"], capsys)
    assert out.endswith("\nexamples:\n  {}\n  {}\n".format(*EXAMPLES[program]))
    for example in EXAMPLES[program]:
        own = {"analyse": analysis.parser("analyse"), "play": analysis.parser("play")}
        own |= {"suite": suites.parser(), "lab": lab.parser()}
        uci_main.parser(own).parse_args(shlex.split(example)[1:])


@pytest.mark.parametrize(
    ("words", "meant"), [(["analize"], "analyse"), (["benhc"], "bench"), (["completion", "bsh"], "bash"), (["xyz"], "")]
)
def test_a_mistyped_subcommand_gets_a_suggestion(words, meant, capsys):
    assert main(words) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert (f"(did you mean {meant}?)" if meant else "choose from") in line


@pytest.mark.skipif(shutil.which("bash") is None, reason="no bash")
@pytest.mark.parametrize(
    ("typed", "found"),
    [("an", "analyse"), ("play --el", "--elo"), ("completion z", "zsh"), ("analyse g", "g.pgn"), ("suite g", "g.pgn")],
)
def test_bash_completes_commands_options_and_files(typed, found, capsys, tmp_path):
    pytest.importorskip("shtab")
    assert main(["completion", "bash"]) == 0
    script = capsys.readouterr().out
    (tmp_path / "g.pgn").touch()
    *before, _ = words = ["numbat", *typed.split()]
    script += f"\nCOMP_WORDS=({' '.join(words)}); COMP_CWORD={len(before)}; _shtab_numbat; echo ${{COMPREPLY[@]}}"
    assert subprocess.check_output(["bash", "-c", script], cwd=tmp_path, text=True) == f"{found}\n"


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_other_shells_have_completion_too(shell, capsys):
    pytest.importorskip("shtab")
    assert main(["completion", shell]) == 0
    out = capsys.readouterr().out
    assert "numbat" in out
    assert "elo" in out


def test_numbat_speaks_uci_without_arguments():
    process = run_python(uci_main.__file__, "uci", input="uci\nquit\n")
    assert "\nuciok\n" in process.stdout


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
        (["help", "bench"], "Search a fixed list of positions"),
        (["help", "perft"], "Count the leaves"),
        (["help", "version"], "Print the version"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_help_of_every_command_describes_it(words, said, capsys):
    assert said in " ".join(told(words, capsys).split())


@pytest.mark.parametrize("name", ["engine.py", "engine/__init__.py", "tuning.py"])
@pytest.mark.parametrize("imported", [False, True])
def test_foreign_module_named_engine_has_no_effect(tmp_path: Path, name: str, imported: bool) -> None:
    """Unless the program itself uses it as ``engine``: that is named in one line."""
    stranger = tmp_path / name
    stranger.parent.mkdir(exist_ok=True)
    stranger.write_text("" if imported else "raise SystemExit('the stranger ran')")
    own = Path(uci_main.__file__).parent
    program = f"import sys; sys.path.append({str(own)!r}); from uci_main import main; sys.exit(main())"
    program = f"import {name.partition('.')[0].partition('/')[0]}; {program}" if imported else program
    process = run_python("-c", program, cwd=tmp_path, env=os.environ | {"PYTHONPATH": str(tmp_path)}, input="quit\n")
    if imported and name != "tuning.py":
        assert process.returncode == 2
        assert process.stderr == f"numbat: {stranger} is in use instead of Numbat's package 'engine'\n"
    else:
        assert (process.returncode, process.stderr) == (0, "")


@pytest.mark.parametrize("words", [[uci_main.__file__], ["-m", "tuning.record", "--help"]])
def test_files_of_our_names_in_the_working_directory_have_no_effect(tmp_path: Path, words: list[str]) -> None:
    names = ["engine", "uci_main", *(["tuning"] if "-m" not in words else [])]  # Python itself runs what -m names first
    for name in names:
        (tmp_path / f"{name}.py").write_text("raise SystemExit('the stranger ran')")
    environment = os.environ | {"PYTHONPATH": str(Path(uci_main.__file__).parent)}
    process = run_python(*words, cwd=tmp_path, env=environment, input="quit\n")
    assert (process.returncode, process.stderr) == (0, "")


def test_a_cache_is_filled_for_other_processors(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    seen: list[dict[str, str]] = []
    monkeypatch.setattr("engine.uci.jobs.run_warmup", lambda everything: seen.append(dict(os.environ)))
    for name in ("NUMBAT_CACHE_DIR", "NUMBA_CPU_NAME", "NUMBA_CPU_FEATURES"):
        monkeypatch.setenv(name, "other")
    monkeypatch.chdir(tmp_path)
    assert main(["warmup", "--into", "filled", "--cpu", "x86-64-v3"]) == 0
    assert seen[0]["NUMBAT_CACHE_DIR"] == str(tmp_path / "filled")
    assert (seen[0]["NUMBA_CPU_NAME"], seen[0]["NUMBA_CPU_FEATURES"]) == ("x86-64-v3", "")
    assert main(["warmup", "--cpu", "x87"]) == 2


@pytest.mark.parametrize("words", [["perft"], ["analyse"], ["bench"], ["lab"], ["suite"], ["analyse", "--option"]])
def test_no_message_repeats_a_huge_argument(words, capsys):
    for huge in ("x" * 50_000, "9" * 5000, "8/" * 20_000):
        assert main([*words, huge]) == 2
        assert len(capsys.readouterr().err) < 1200


def test_results_are_written_after_the_reader_is_gone(tmp_path):
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
