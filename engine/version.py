"""The version of this Numbat: a release's number, or between releases also the commit of the checkout."""

from contextlib import suppress
from pathlib import Path

#: The last release, or the next one with ``.dev0``.
NUMBER = "0.4.0.dev0"

_ROOT = Path(__file__).resolve().parent.parent


def version(root: Path = _ROOT) -> str:
    """The version of the Numbat in ``root``, by PEP 440: ``0.3.0``, or ``0.3.0.dev0+g1a2b3c4d`` between releases.

    The commit is read from a checkout's own files, because starting git would delay the answer to ``uci``; an installed
    Numbat has it in its metadata."""
    if "dev" not in NUMBER:
        return NUMBER
    if commit := commit_of(root):
        return f"{NUMBER}+g{commit[:8]}"
    from importlib.metadata import PackageNotFoundError
    from importlib.metadata import version as installed

    try:
        found = installed("numbat-chess") if root == _ROOT else NUMBER
    except (PackageNotFoundError, TypeError):  # it is being built; sys.path has an entry that is no text
        found = NUMBER
    return found if found.startswith(NUMBER) else NUMBER


def commit_of(root: Path) -> str:
    """The commit that is checked out in ``root``; empty if it is no checkout."""
    with suppress(OSError):
        folder = root / ".git"
        if folder.is_file():  # of a worktree
            folder = root / folder.read_text(encoding="utf-8").removeprefix("gitdir:").strip()
        head = (folder / "HEAD").read_text(encoding="utf-8").strip()
        if not head.startswith("ref: "):
            return head
        name, common = head[5:], folder
        if (folder / "commondir").exists():
            common = folder / (folder / "commondir").read_text(encoding="utf-8").strip()
        with suppress(OSError):
            return (common / name).read_text(encoding="utf-8").strip()
        for line in (common / "packed-refs").read_text(encoding="utf-8").splitlines():
            if line.endswith(f" {name}"):
                return line.split()[0]
    return ""
