"""This engine at any commit: a worktree and a compile cache for each, made on first use.

Two revisions must never share compiled code, so each gets its own ``NUMBAT_CACHE_DIR``, warmed up before
the first game.
"""

import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from filelock import FileLock

from engine.folders import cache_folder
from tuning.common.errors import SetupError

PROJECT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True, slots=True)
class Checkout:
    """A revision's worktree and cache, and how to start it."""

    tree: Path
    cache: Path

    @property
    def command(self) -> list[str]:
        return [sys.executable, str(self.tree / "uci_main.py")]

    @property
    def environment(self) -> dict[str, str]:
        return {"NUMBAT_CACHE_DIR": str(self.cache)}


def root() -> Path:
    """The folder that holds all revisions: ``NUMBAT_REVISIONS``, or ``numbat/revisions`` in the user's cache."""
    if folder := os.environ.get("NUMBAT_REVISIONS"):
        return Path(folder).expanduser().absolute()
    return cache_folder() / "revisions"


def _git(*arguments: str, project: Path) -> str:
    try:
        done = subprocess.run(["git", "-C", str(project), *arguments], capture_output=True, text=True)
    except FileNotFoundError:
        raise SetupError("git revisions need the git program, which is not on the path") from None
    if done.returncode:
        raise SetupError(f"git {' '.join(arguments)}: {done.stderr.strip()}")
    return done.stdout.strip()


def resolve(revision: str, project: Path = PROJECT) -> str:
    """The full commit id of ``revision``; ``.`` is the working tree's tracked files as they are now. Raises
    :class:`SetupError` when git does not know the revision."""
    if revision == ".":
        # A commit on no branch: the tree may change while the match plays this snapshot.
        return _git("stash", "create", project=project) or _git("rev-parse", "HEAD", project=project)
    try:
        return _git("rev-parse", "--verify", "--end-of-options", f"{revision}^{{commit}}", project=project)
    except SetupError as error:
        raise SetupError(f"revision {revision!r} is not in {project}: {error}") from None


def prepare(commit: str, project: Path = PROJECT, log: Callable[[str], None] = lambda line: None) -> Checkout:
    """The worktree of ``commit`` with the engine compiled, made if necessary; safe to call from many processes.

    ``log`` gets a line before the engine is compiled. Raises :class:`SetupError` if the commit is
    unknown or the engine does not compile."""
    home = Checkout(root() / commit / "tree", root() / commit / "cache")
    ready = root() / commit / "ready"
    if ready.exists() and home.tree.exists():
        return home
    ready.parent.mkdir(parents=True, exist_ok=True)
    with FileLock(str(ready.parent / "lock")):
        if ready.exists() and home.tree.exists():
            return home
        if not home.tree.exists():
            _git("worktree", "prune", project=project)
            _git("worktree", "add", "--detach", str(home.tree), commit, project=project)
        log("compiling this revision, once, for about a minute")
        warm = subprocess.run(
            [*home.command, "warmup"],
            cwd=home.tree,
            env={**os.environ, **home.environment},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
        )
        if warm.returncode:
            raise SetupError(f"revision {commit[:12]} does not start: {(warm.stderr or warm.stdout).strip()[-2000:]}")
        ready.touch()
    return home
