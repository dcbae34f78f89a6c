"""The folder for Windows, as a zip.

It runs where it is unpacked, without Python or an installation: ``numbat.exe`` starts the CPython in ``python``, which
finds Numbat and its dependencies in ``packages`` and compiled code in ``kernels``. Nothing is written there: what an
older processor compiles goes into the user's cache folder, and the modules come with their bytecode.
"""

import compileall
import hashlib
import io
import os
import py_compile
import re
import shutil
import struct
import sys
import tempfile
import urllib.request
import zipfile
from pathlib import Path

from filelock import FileLock

from engine.configuration import LEVELS
from engine.files import open_draft
from tuning.common.errors import SetupError
from tuning.packaging.programs import call, only

#: CPython without installer, as python.org publishes it, and its SHA-256.
PYTHON = "https://www.python.org/ftp/python/3.13.11/python-3.13.11-embed-amd64.zip"
PYTHON_SHA256 = "1ec066fb61ba5e8c73e29e048cd07c26850f74585e3a116005135b31b8004890"

PLATFORM = "win_amd64"

#: distlib's launcher, and its path to Python, relative to itself.
STUB, SHEBANG = "distlib/t64.exe", b"#!<launcher_dir>\\python\\python.exe\r\n"
MAIN = """\
import os
import sys

from engine.configuration import use_kernels
from uci_main import main

if __name__ == "__main__":
    use_kernels(os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "kernels"))
    sys.exit(main())
"""

#: Parts of CPython that are not packed: :mod:`platform` asks the management service through the first if it is there,
#: which takes longer than the system call that does without.
UNUSED = ("_wmi.pyd", "pythonw.exe")

#: A file numba needs beyond CPython: the C++ library, which numpy and llvmlite ship under other names.
CPP = "msvcp140.dll"

LICENCE = re.compile(r"(licen[cs]e|copying|notice|authors)", re.IGNORECASE)

README = """\
Numbat {version}, a chess engine (UCI) for 64-bit Windows. Unpack the whole folder; it needs no Python.
In your chess program, add the engine numbat.exe:
  Arena: Engines > Install New Engine, choose numbat.exe, then UCI.
  Cute Chess: Tools > Settings > Engines > + , Command: numbat.exe, Protocol: UCI.
  ChessBase, Fritz: Checkout > Create UCI Engine (in Fritz: Engine > Create UCI Engine), choose numbat.exe.
This folder may be read-only and may be moved. On a processor from before 2009 the first start compiles the engine
into %LOCALAPPDATA%\\numbat, a minute or two: double-click numbat.exe, type "isready" and wait for "readyok".
In a command prompt, "numbat help" lists what else it does, such as "numbat analyse GAME.pgn".
To remove it, delete this folder and %LOCALAPPDATA%\\numbat, if there is one.
GPL-3.0-or-later; the source is in packages\\engine, all licences are in licences.
"""


def make(out: Path, wheel: Path, python: Path) -> None:
    """Write the zip ``out`` from Numbat's ``wheel`` and CPython's zip, by pip. Raises :class:`SetupError`, OSError."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        shutil.copy(wheel, folder)
        pip("wheel", "--no-deps", "--wheel-dir", folder, "chess")  # PyPI has the source only
        pip("download", "--no-deps", "--only-binary", ":all:", "--dest", folder, "distlib>=0.3.7")
        build(out, python, folder, compiled=sys.platform == "win32")  # nowhere else can its code be compiled


def build(out: Path, python: Path, wheels: Path, compiled: bool = False) -> None:
    """Write the zip ``out`` from a zip of CPython, as python.org publishes it, and a folder with the wheels of Numbat,
    of distlib and of packages without a Windows wheel on PyPI; pip gets the others. With ``compiled`` it contains
    compiled code. Raises :class:`SetupError` and OSError."""
    wheel = only(wheels, "numbat_chess-*.whl")
    version = wheel.name.split("-")[1]
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        root = Path(folder) / f"numbat-{version}-windows"
        packages = root / "packages"
        pip(
            *("install", "--target", packages, "--no-compile", "--find-links", wheels, "--platform", PLATFORM),
            *("--python-version", unpack_python(python, root / "python"), "--only-binary", ":all:", wheel),
        )
        only(packages, "numbat_chess-*.dist-info/direct_url.json").unlink()  # the path of the wheel
        shutil.rmtree(packages / "bin", ignore_errors=True)  # scripts for this machine
        for tests in [path for path in packages.rglob("tests") if path.is_dir()]:
            shutil.rmtree(tests)
        add_cpp(packages, root / "python")
        with zipfile.ZipFile(only(wheels, "distlib-*.whl")) as distlib:
            (root / "numbat.exe").write_bytes(launcher(distlib.read(STUB)))
            collect_licences(root, distlib)
        (root / "README.txt").write_text(README.format(version=version), encoding="utf-8", newline="\r\n")
        compile_modules(packages)
        if compiled:
            for level in LEVELS:
                call(root / "numbat.exe", "warmup", "--all", "--into", root / "kernels" / level, "--cpu", level)
            for lock in (root / "kernels").rglob("*.lock"):
                with FileLock(lock):  # its process has ended
                    pass
                lock.unlink(missing_ok=True)
        with (
            open_draft(out) as stream,
            open(shutil.make_archive(f"{folder}/archive", "zip", folder, root.name), "rb") as zipped,
        ):
            shutil.copyfileobj(zipped, stream)


def unpack_python(archive: Path, target: Path) -> str:
    """Unpack CPython, as :func:`fetch_python` returns it, and set its module path; returns its version: ``3.13``."""
    with zipfile.ZipFile(archive) as file:
        file.extractall(target, [name for name in file.namelist() if name not in UNUSED])
    minor = sys.version_info.minor
    (target / f"python3{minor}._pth").write_text(f"python3{minor}.zip\n.\n..\\packages\n")
    return f"3.{minor}"


def add_cpp(packages: Path, python: Path) -> None:
    """Copy the newest C++ library of the packages into Python's folder; it serves all of them."""
    found = sorted(packages.glob(f"*.libs/{Path(CPP).stem}*.dll"), key=_file_version)
    if not found:
        raise SetupError(f"no package brings {CPP}, which numba needs")
    shutil.copy(found[-1], python / CPP)


def _file_version(path: Path) -> tuple[int, ...]:
    """The version in the resources of a DLL; empty if there is none."""
    data = path.read_bytes()
    at = data.find(b"\xbd\x04\xef\xfe")  # VS_FIXEDFILEINFO
    return struct.unpack_from("<II", data, at + 8) if at >= 0 else ()


def launcher(stub: bytes) -> bytes:
    """A program for Windows that runs :data:`MAIN`: the stub, the path of Python, and a zip."""
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as file:
        file.writestr("__main__.py", MAIN)
    return stub + SHEBANG + archive.getvalue()


def collect_licences(root: Path, distlib: zipfile.ZipFile) -> None:
    """Copy the licence texts of all parts to ``licences``. Raises :class:`SetupError` if a package has none."""
    target = root / "licences"
    for info in sorted((root / "packages").glob("*.dist-info")):
        texts = [path for path in info.rglob("*") if path.is_file() and LICENCE.match(path.name)]
        if not texts:
            raise SetupError(f"{info.name.removesuffix('.dist-info')} comes without its licence")
        for path in texts:
            place = target / info.name.removesuffix(".dist-info") / path.relative_to(info)
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, place)
    shutil.copy(root / "python" / "LICENSE.txt", target / "CPython.txt")
    (name,) = [name for name in distlib.namelist() if re.search(r"\.dist-info/(.*/)?LICENSE", name)]
    (target / "launcher (distlib).txt").write_bytes(distlib.read(name))


def compile_modules(packages: Path) -> None:
    """Write the bytecode of all modules. It is checked by content, as unpacking does not keep times exactly."""
    mode = py_compile.PycInvalidationMode.CHECKED_HASH
    if not compileall.compile_dir(packages, quiet=2, stripdir=packages, invalidation_mode=mode, workers=0):
        raise SetupError("a module cannot be compiled")


def fetch_python(path: Path | None, folder: Path) -> Path:
    """The zip of CPython: that at ``path``, or python.org's. It must be the version that runs this, whose bytecode it
    gets. Raises :class:`SetupError` and OSError."""
    if path is None:
        path = folder / "python.zip"
        _check_version(PYTHON, re.search(r"-3\.(\d+)\.", PYTHON))
        urllib.request.urlretrieve(PYTHON, path)
        if hashlib.sha256(path.read_bytes()).hexdigest() != PYTHON_SHA256:
            raise SetupError(f"{PYTHON} does not have the SHA-256 {PYTHON_SHA256}")
    if not zipfile.is_zipfile(path):
        raise SetupError(f"{path} is not a zip")
    with zipfile.ZipFile(path) as file:
        names = "\n".join(file.namelist())
    _check_version(path, re.search(r"(?s)^(?=.*^python\.exe$).*^python3(\d+)\.dll$", names, re.MULTILINE))
    return path


def _check_version(place: str | Path, found: re.Match[str] | None) -> None:
    if found is None:
        raise SetupError(f"{place} is not an embeddable package of CPython for Windows")
    if int(found[1]) != sys.version_info.minor:
        raise SetupError(f"{place} is Python 3.{found[1]}: run this with Python 3.{found[1]}")


def pip(*arguments: str | os.PathLike[str]) -> None:
    """Run pip. Raises :class:`SetupError` with its last error."""
    call(sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet", *arguments)
