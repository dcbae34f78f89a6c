"""Leave out the scores of games that another opinion does not confirm: a network cannot see what only tactics show.

python -m tuning.filter data/first --by numbat.nnue --out data/calm --limit 0.08
python -m tuning.filter data/deeper --by data/first --out data/calm --limit 0.08 --scale 250 --opinion-scale 240
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from rich.progress import Progress

from engine.console import Console
from engine.evaluation.choice import choose
from engine.evaluation.nnue.file import NetError
from tuning.common import command
from tuning.common.errors import SetupError
from tuning.common.files import write_whole
from tuning.data.agreement import Agreement, by_games, by_network
from tuning.data.dataset import REFERENCE
from tuning.data.lookahead import LookAhead
from tuning.data.viriformat import files_of
from tuning.selfplay.generation import describe

#: How many centipawns of the search's scores multiply the odds of success by e, about, in games of 120 nodes a move.
SCALE = 245.0


def parser() -> argparse.ArgumentParser:
    """The command line of ``python -m tuning.filter``."""
    made = argparse.ArgumentParser("python -m tuning.filter", description=(__doc__ or "").splitlines()[0])
    add = made.add_argument
    add("games", type=Path, metavar="FOLDER", help="folder of tuning.datagen or tuning.relabel, or file in viriformat")
    add(
        "--by", type=Path, required=True, metavar="OPINION",
        help="network file, or a folder with other scores of the same games",
    )  # fmt: skip
    add("--out", type=Path, required=True, metavar="DIR", help="folder for the new files; a run there is continued")
    add(
        "--limit", type=float, default=0.08, metavar="X",
        help="largest difference of the expected scores, from 0 to 1 (default: %(default)s)",
    )  # fmt: skip
    add(
        "--look-ahead", type=float, default=0.0, metavar="X",
        help="weight of what followed in the game, mixed into each score: from 0 to less than 1 (default: %(default)s)",
    )  # fmt: skip
    add(
        "--follow-limit", type=float, default=0.12, metavar="X",
        help="with it, largest difference from what followed (default: %(default)s)",
    )  # fmt: skip
    add(
        "--scale", type=float, default=SCALE, metavar="CP",
        help="centipawns of a score that multiply the odds of success by e (default: %(default)s)",
    )  # fmt: skip
    add(
        "--opinion-scale", type=float, default=REFERENCE, metavar="CP",
        help="the same of the opinion (default: that of a network, %(default)s)",
    )  # fmt: skip
    return made


def _filter(arguments: argparse.Namespace, console: Console) -> None:
    """Raises :class:`SetupError` for what cannot be used."""
    for name in ("limit", "follow_limit", "scale", "opinion_scale"):
        if not getattr(arguments, name) > 0:
            raise SetupError(f"--{name.replace('_', '-')} {getattr(arguments, name)} is not above 0")
    opinion, out = arguments.by, arguments.out
    if not 0 <= arguments.look_ahead < 1:
        raise SetupError(f"--look-ahead {arguments.look_ahead} is not from 0 to less than 1")
    look_ahead = LookAhead(arguments.look_ahead, arguments.follow_limit) if arguments.look_ahead else None
    if look_ahead is not None and opinion.is_dir():
        raise SetupError("--look-ahead works with the opinion of a network, not with other scores of the same games")
    sources = _sources(arguments.games, opinion, out)
    try:
        network = None if opinion.is_dir() else choose("NNUE", str(opinion))
    except NetError as error:
        raise SetupError(str(error)) from None
    agreement = Agreement(arguments.limit, arguments.scale, arguments.opinion_scale)
    described = {"tool": "tuning.filter", "by": opinion.name, **agreement._asdict()}
    if look_ahead is not None:
        described |= {"look_ahead": look_ahead.weight, "follow_limit": look_ahead.limit}
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise SetupError(f"cannot use {out}: {error.strerror}") from None
    describe(out, described)
    kept = quiet = 0
    with Progress(console=console, transient=True, disable=not console.is_terminal) as progress:
        for source in progress.track(sources, description="filtering files"):
            if (out / source.name).exists():
                continue
            if network is None:
                confirmed = by_games(source, opinion / source.name, agreement)
            else:
                confirmed = by_network(source, network, agreement, look_ahead)
            write_whole(out / source.name, confirmed.data)
            kept += confirmed.kept
            quiet += confirmed.quiet
    console.print(f"{kept:,} of {quiet:,} quiet positions confirmed")


def _sources(games: Path, opinion: Path, out: Path) -> list[Path]:
    """The files of games. Raises :class:`SetupError` if the opinion is of others, or ``out`` would replace them."""
    sources = files_of(games)
    if not sources:
        raise SetupError(f"no games in {games}")
    for source in sources:
        if not source.is_file():
            raise SetupError(f"{source}: no such file")
        if opinion.is_dir() and not (opinion / source.name).is_file():
            raise SetupError(f"{opinion} has no {source.name}: it does not hold the same games")
        if out.resolve() in (source.parent.resolve(), opinion.resolve()):
            raise SetupError(f"--out {out} holds the games themselves")
    return sources


@command.interruptible
def main(words: Sequence[str] | None = None) -> int:
    """Run the command line; 0: done, 2: cannot be done as asked, 130: interrupted."""
    arguments = parser().parse_args(words)
    console = command.make_console()
    try:
        _filter(arguments, console)
    except SetupError as error:
        return command.refused(console, error)
    return 0


if __name__ == "__main__":
    sys.exit(main())
