"""The folder for Windows, made of tiny wheels and without a network; the release workflow runs a real one."""

import os
import struct
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tuning.common.errors import SetupError
from tuning.packaging import windows
from tuning.packaging.programs import only

pytest.importorskip("pip")  # environments made by uv have none

MINOR = sys.version_info.minor
ROOT = "numbat-1.0-windows"
STUB = b"MZ the stub"


def write_zip(path: Path, contents: dict[str, str | bytes]) -> Path:
    with zipfile.ZipFile(path, "w") as file:
        for name, content in contents.items():
            file.writestr(name, content)
    return path


def write_wheel(folder: Path, name: str, files: dict[str, str | bytes], tag: str = "py3-none-any", needs: str = ""):
    info = f"{name}-1.0.dist-info"
    metadata = f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n" + (f"Requires-Dist: {needs}\n" if needs else "")
    files |= {f"{info}/METADATA": metadata, f"{info}/WHEEL": f"Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: {tag}\n"}
    files[f"{info}/RECORD"] = "".join(f"{path},,\n" for path in (*files, f"{info}/RECORD"))
    write_zip(folder / f"{name}-1.0-{tag}.whl", files)


def library(*version: int) -> bytes:
    """A DLL that is nothing but its version."""
    return b"MZ\xbd\x04\xef\xfe" + bytes(4) + struct.pack("<II", version[0] << 16 | version[1], version[2])


def make_wheels(folder: Path) -> Path:
    """Numbat and a dependency that is there for Windows only."""
    folder.mkdir()
    program = "import twig\n\n\ndef main():\n    print(twig.NAME)\n    return 3\n"
    kernels = "def use_kernels(folder):\n    print(folder)\n"
    licence = "numbat_chess-1.0.dist-info/licenses/LICENSE"
    write_wheel(
        folder,
        "numbat_chess",
        {"uci_main.py": program, "engine/configuration.py": kernels, licence: "ours"},
        needs="twig",
    )
    files = {
        "twig/__init__.py": "NAME = 'twig'\n",
        "twig/tests/test_twig.py": "no Python",
        "twig.libs/msvcp140-aa.dll": library(14, 44, 35208),
        "twig.libs/msvcp140-bb.dll": library(14, 40, 33810),
        "twig-1.0.dist-info/licenses/part/LICENSE.txt": "twig's",
    }
    write_wheel(folder, "twig", files, f"cp3{MINOR}-cp3{MINOR}-win_amd64")
    write_wheel(folder, "distlib", {windows.STUB: STUB, "distlib-1.0.dist-info/LICENSE.txt": "distlib's"})
    return folder


@pytest.fixture(scope="module", autouse=True)
def no_index() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PIP_NO_INDEX", "1")
        yield


@pytest.fixture
def wheels(tmp_path: Path) -> Path:
    return make_wheels(tmp_path / "wheels")


@pytest.fixture
def python(tmp_path: Path) -> Path:
    return cpython(tmp_path, MINOR)


def cpython(folder: Path, minor: int) -> Path:
    names = ("python.exe", f"python3{minor}.dll", f"python3{minor}.zip", "_wmi.pyd")
    return write_zip(folder / "python.zip", {**dict.fromkeys(names, ""), "LICENSE.txt": "CPython's"})


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    tmp_path = tmp_path_factory.mktemp("bundle")
    out, python, wheels = tmp_path / "dist" / "numbat.zip", cpython(tmp_path, MINOR), make_wheels(tmp_path / "wheels")
    out.parent.mkdir()
    windows.build(out, python, wheels)
    with zipfile.ZipFile(out) as file:
        file.extractall(tmp_path / "elsewhere")
    assert os.listdir(tmp_path / "elsewhere") == [ROOT]
    return tmp_path / "elsewhere" / ROOT


def test_the_folder_is_complete_and_relative(folder: Path) -> None:
    assert sorted(os.listdir(folder)) == ["README.txt", "licences", "numbat.exe", "packages", "python"]
    assert (folder / "python" / f"python3{MINOR}._pth").read_text().split() == [
        f"python3{MINOR}.zip",
        ".",
        "..\\packages",
    ]
    assert not (folder / "python" / "_wmi.pyd").exists()
    assert (folder / "python" / "msvcp140.dll").read_bytes() == library(14, 44, 35208)
    texts = {path.relative_to(folder / "licences").as_posix(): path.read_text() for path in files(folder / "licences")}
    assert sorted(texts.values()) == ["CPython's", "distlib's", "ours", "twig's"], texts
    assert not list((folder / "packages").rglob("tests"))
    assert not [path for path in files(folder) if str(folder.parents[1]).encode() in path.read_bytes()]
    lines = (folder / "README.txt").read_bytes().split(b"\r\n")
    assert len(lines) == 11
    assert lines[0].startswith(b"Numbat 1.0,")


def files(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()]


def test_the_launcher_is_a_stub_with_path_and_program(folder: Path) -> None:
    program = folder / "numbat.exe"
    assert program.read_bytes().startswith(STUB + b"#!<launcher_dir>\\python\\python.exe\r\nPK")
    environment = {**os.environ, "PYTHONPATH": str(folder / "packages")}
    result = subprocess.run([sys.executable, program], env=environment, capture_output=True, text=True, check=False)
    assert (result.returncode, result.stdout, result.stderr) == (3, f"{folder / 'kernels'}\ntwig\n", "")


def test_bytecode_is_there_and_checked_by_content(folder: Path) -> None:
    packages = folder / "packages"
    for path in packages.rglob("*.py"):
        (made,) = (path.parent / "__pycache__").glob(f"{path.stem}.*.pyc")
        assert made.read_bytes()[4:8] == b"\3\0\0\0"  # PEP 552: a hash, checked


def test_the_newest_library_counts_numerically(tmp_path: Path) -> None:
    for name, version in (("a", (14, 9, 1)), ("b", (14, 10, 1)), ("c", (14, 8, 70000))):
        (tmp_path / "x.libs").mkdir(exist_ok=True)
        (tmp_path / "x.libs" / f"msvcp140-{name}.dll").write_bytes(library(*version))
    windows.add_cpp(tmp_path, tmp_path)
    assert (tmp_path / "msvcp140.dll").read_bytes() == library(14, 10, 1)


def test_unusable_packages_of_cpython_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(match: str, archive: Path | None) -> None:
        with pytest.raises(SetupError, match=match):
            windows.fetch_python(archive, tmp_path)

    monkeypatch.setattr("urllib.request.urlretrieve", lambda url, path: path.write_bytes(b"another"))
    monkeypatch.setattr(windows, "PYTHON", f"https://python.test/python-3.{MINOR}.1-embed-amd64.zip")
    refused("does not have the SHA-256", None)
    monkeypatch.setattr(windows, "PYTHON", f"https://python.test/python-3.{MINOR + 1}.1-embed-amd64.zip")
    refused(f"is Python 3.{MINOR + 1}: run this with Python 3.{MINOR + 1}", None)
    refused("is not a zip", tmp_path / "python.zip")
    refused("other.zip is not an embeddable package of CPython", write_zip(tmp_path / "other.zip", {"README": ""}))
    refused(f"is Python 3.{MINOR + 1}: run this with Python 3.{MINOR + 1}", cpython(tmp_path, MINOR + 1))
    assert windows.fetch_python(cpython(tmp_path, MINOR), tmp_path) == tmp_path / "python.zip"


def test_faults_are_named(tmp_path: Path, python: Path, wheels: Path) -> None:
    out = tmp_path / "numbat.zip"

    def refused(match: str) -> None:
        with pytest.raises(SetupError, match=match):
            windows.build(out, python, wheels)
        assert not out.exists()

    only(wheels, "twig*").rename(tmp_path / "twig.whl")
    refused("pip .*: No matching distribution found for twig")
    write_wheel(wheels, "twig", {"twig.py": "", "twig.libs/msvcp140.dll": library(14, 0, 0)})
    refused("twig-1.0 comes without its licence")
