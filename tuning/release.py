"""Make everything that a release publishes: ``python -m tuning.release DIR``.

The folder gets the source archive, the wheel, the zip for Windows, the notes from the changelog (NOTES.md) and the
checksums (SHA256SUMS), all from the commit that is checked out. The wheel is tried in an empty environment; on Windows
the zip gets compiled code and is tried too. With ``--tag v0.3.0`` version, changelog and citation must be closed for
that release, and every part must be there; without it, this makes a draft. CONTRIBUTING.md has the recipe.
"""

import argparse
import hashlib
import importlib.util
import os
import re
import sys
import tempfile
import zipfile
from functools import partial
from pathlib import Path

from engine.commandline import DONE, FAILED
from engine.console import Console
from engine.version import NUMBER
from tuning.common import command
from tuning.common.errors import SetupError
from tuning.common.extras import advice
from tuning.common.files import check_output
from tuning.packaging import windows
from tuning.packaging.notes import check_release, notes
from tuning.packaging.programs import call, only

REPOSITORY = Path(__file__).resolve().parent.parent

#: What the wheel holds, and nothing else.
CONTENT = re.compile(r"(engine/.*\.(py|json|jsonl|txt|md|html|css|js|tsv|nnue)|engine/py\.typed|uci_main\.py)")

#: A game of two moves; its output must have a move, and no line on compiling where compiled code comes along.
CONVERSATION = "uci\nisready\nposition startpos moves e2e4\ngo depth 8\nquit\n"


def build(out: Path) -> Path:
    """Build the source archive and the wheel of the commit that is checked out; returns the wheel."""
    for package in ("build", "twine"):
        if importlib.util.find_spec(package) is None:
            raise SetupError(advice(package))
    if call("git", "-C", REPOSITORY, "status", "--porcelain", "--untracked-files=no"):
        raise SetupError("there are changes that are not committed: a release is made from a commit")
    with tempfile.TemporaryDirectory() as folder:  # a checkout may hold what earlier builds have left
        call("git", "clone", "--quiet", "--depth", "1", REPOSITORY.as_uri(), folder)
        call(sys.executable, "-m", "build", "--sdist", "--wheel", "--outdir", out.absolute(), folder, cwd=folder)
    wheel = only(out, "numbat_chess-*.whl")
    call(sys.executable, "-m", "twine", "check", "--strict", wheel, only(out, "numbat_chess-*.tar.gz"))
    with zipfile.ZipFile(wheel) as file:
        names = [name for name in file.namelist() if ".dist-info/" not in name]
    if strange := [name for name in names if not CONTENT.fullmatch(name)]:
        raise SetupError(f"{wheel.name} holds {strange[0]}")
    if not any(name.endswith(".nnue") for name in names):
        raise SetupError(f"{wheel.name} holds no network")
    return wheel


def try_wheel(wheel: Path) -> None:
    """Install the wheel into an empty environment, and play. Raises :class:`SetupError`."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:  # Windows keeps what a process still uses
        call(sys.executable, "-m", "venv", folder)
        programs = Path(folder) / ("Scripts" if sys.platform == "win32" else "bin")
        call(programs / "python", "-m", "pip", "install", "--quiet", wheel)
        try_program(programs / "numbat", wheel.name.split("-")[1], dict(os.environ), folder)


def prepare_zip(python: Path | None, folder: Path) -> tuple[Path | None, str]:
    """Get CPython for the zip for Windows, before the long work; returns its file, if any, and what will be missing."""
    try:
        python = windows.fetch_python(python, folder)
    except (SetupError, OSError) as error:
        return None, f"no zip for Windows: {error} (--python FILE takes a package from python.org that you have)"
    if sys.platform != "win32":
        return python, "the zip for Windows gets no compiled code: only Windows can compile it"
    return python, ""


def try_zip(archive: Path, version: str) -> None:
    """Play from the zip, in a folder with a space and an umlaut, without compiling. Raises :class:`SetupError`."""
    with tempfile.TemporaryDirectory(suffix=" Zug um Zug ü", ignore_cleanup_errors=True) as folder:
        with zipfile.ZipFile(archive) as file:
            file.extractall(folder)
        environment = {name: value for name, value in os.environ.items() if not name.upper().startswith("NUMB")}
        printed = try_program(only(Path(folder), "numbat-*") / "numbat.exe", version, environment, folder)
        if "info string compil" in printed:
            raise SetupError(f"{archive.name} has compiled code, and compiles")


def try_program(program: Path, version: str, environment: dict[str, str], folder: str) -> str:
    """Ask ``program`` for its version and a move; returns the conversation. Raises :class:`SetupError`."""
    printed = call(program, "version", env=environment, cwd=folder)
    if printed.splitlines()[0] != f"Numbat {version}":
        raise SetupError(f"{program.name} reports the version {printed.splitlines()[0]!r}, not 'Numbat {version}'")
    printed = call(program, input=CONVERSATION, env=environment, cwd=folder)
    if not re.search(r"^bestmove [a-h][1-8][a-h][1-8]", printed, re.MULTILINE):
        raise SetupError(f"{program.name} plays no move: {printed.splitlines()[-1:]}")
    return printed


def parser() -> argparse.ArgumentParser:
    """The command line of ``python -m tuning.release``."""
    result = command.make_parser("release", __doc__)
    result.add_argument("out", type=Path, metavar="DIR", help="folder to fill, which must be new or empty")
    result.add_argument("--tag", help="tag of the release, such as v0.3.0 (default: make a draft)")
    result.add_argument("--python", type=Path, help="embeddable package of CPython for Windows (default: python.org's)")
    return result


def run(arguments: argparse.Namespace, console: Console) -> int:
    """Make and try all parts; returns the exit code. Raises :class:`SetupError` and OSError."""
    out: Path = arguments.out
    if out.exists() and any(out.iterdir()):
        raise SetupError(f"{out} is not empty")
    check_output(out / "NOTES.md", ())
    if arguments.tag is not None:
        check_release(REPOSITORY, NUMBER, arguments.tag)
    text = notes(REPOSITORY)
    with tempfile.TemporaryDirectory() as folder:
        python, missing = prepare_zip(arguments.python, Path(folder))
        if python is None and arguments.tag is not None:
            raise SetupError(missing)
        if missing:
            command.print_warning(console, missing)
        out.mkdir(parents=True, exist_ok=True)
        console.print("building the source archive and the wheel")
        wheel = build(out)
        version = wheel.name.split("-")[1]
        console.print(f"{wheel.name}: trying it in an empty environment", soft_wrap=True)
        try_wheel(wheel)
        if python is not None:
            archive = out / f"numbat-{version}-windows.zip"
            console.print(f"{archive.name}: making it", soft_wrap=True)
            windows.make(archive, wheel, python)
            if not missing:
                try_zip(archive, version)
    (out / "NOTES.md").write_text(text, encoding="utf-8", newline="\n")
    sums = {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in sorted(out.iterdir())}
    lines = "".join(f"{value}  {name}\n" for name, value in sums.items())
    (out / "SHA256SUMS").write_text(lines, encoding="utf-8", newline="\n")
    for path in sorted(out.iterdir()):
        console.print(f"{path}: {path.stat().st_size / 1e3:,.0f} kB", soft_wrap=True)
    return FAILED if missing and arguments.tag else DONE


main = partial(command.execute, parser, run)

if __name__ == "__main__":
    sys.exit(main())
