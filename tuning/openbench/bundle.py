"""Make a single file of the whole engine: ``python bundle.py EXE [--net FILE]``, as the Makefile does.

The file is a zip of the sources that Python runs as it is (a zipapp, PEP 441). It needs the Python that made it,
with the engine's dependencies, and nothing of the checkout.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
import zipapp
from importlib.util import find_spec
from pathlib import Path

HERE = Path(__file__).resolve().parent
REPOSITORY = HERE.parents[1]

#: The engine's dependencies.
NEEDED = ("numba", "numpy", "chess", "filelock", "platformdirs")

#: The default network.
OWN_NET = Path("engine", "evaluation", "nnue", "numbat.nnue")


def bundle(target: Path, net: Path | None = None) -> None:
    """Write the launcher to ``target``, with ``net`` in place of the engine's own network."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        shutil.copytree(REPOSITORY / "engine", root / "engine", ignore=shutil.ignore_patterns("__pycache__"))
        shutil.copy(REPOSITORY / "uci_main.py", root)
        shutil.copy(HERE / "launcher.py", root / "__main__.py")
        if net is not None:
            shutil.copy(net, root / OWN_NET)
        zipapp.create_archive(root, target, interpreter=sys.executable, compressed=True)


def main() -> int:
    """The command line; compiles the engine at the end, as a bench that had to would run out of time."""
    parser = argparse.ArgumentParser(description="Make a single executable file of the whole engine.")
    parser.add_argument("exe", type=Path, help="file to write")
    parser.add_argument("--net", type=Path, help="network to include")
    chosen = parser.parse_args()
    missing = [name for name in NEEDED if find_spec(name) is None]
    if missing:
        return _fail(f"{sys.executable} lacks {', '.join(missing)}: python -m pip install {' '.join(missing)}")
    try:
        bundle(chosen.exe, chosen.net)
    except OSError as error:
        return _fail(f"cannot make {chosen.exe}: {error}")
    return subprocess.run([chosen.exe.resolve(), "warmup"], check=False).returncode


def _fail(message: str) -> int:
    print(f"bundle: {message}", file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main())
