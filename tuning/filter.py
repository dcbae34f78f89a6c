"""Remove scores from games that a second opinion does not confirm: a network cannot see tactics.

python -m tuning.filter data/first --by numbat.nnue --out data/calm --limit 0.08
python -m tuning.filter data/deeper --by data/first --out data/calm --limit 0.08 --scale 250 --opinion-scale 240
"""

import argparse
import sys
from functools import partial
from pathlib import Path

from rich.progress import track

from engine.console import Console
from engine.evaluation.choice import choose
from engine.evaluation.nnue.file import NetError
from tuning.common import command
from tuning.common.errors import SetupError
from tuning.common.files import digest, write_whole
from tuning.common.flags import number, positive
from tuning.data.agreement import Agreement, confirmed
from tuning.data.dataset import REFERENCE
from tuning.data.viriformat import SUFFIX, games_to_read, without_copy
from tuning.selfplay.generation import describe

#: About how many centipawns multiply the odds of success by e, in games of 120 nodes a move.
SCALE = 245.0


def parser() -> argparse.ArgumentParser:
    """The command line of ``python -m tuning.filter``."""
    made = command.make_parser("filter", __doc__)
    add = made.add_argument
    add("games", type=Path, metavar="FOLDER", help="folder of tuning.datagen or tuning.relabel, or file in viriformat")
    add(
        "--by", type=Path, required=True, metavar="OPINION",
        help="network file, or a folder with other scores of the same games",
    )  # fmt: skip
    add("--out", type=Path, required=True, metavar="DIR", help="folder for the new files; a run there is continued")
    add(
        "--limit", type=number(0, 1), default=0.08, metavar="X",
        help="largest difference of the expected scores, from 0 to 1 (default: %(default)s)",
    )  # fmt: skip
    add(
        "--scale", type=positive, default=SCALE, metavar="CP",
        help="centipawns of a score that multiply the odds of success by e (default: %(default)s)",
    )  # fmt: skip
    add(
        "--opinion-scale", type=positive, default=REFERENCE, metavar="CP",
        help="the same of the opinion (default: that of a network, %(default)s)",
    )  # fmt: skip
    return made


def run(arguments: argparse.Namespace, console: Console) -> int:
    """Filter the files that are missing. Raises :class:`SetupError` for a request that is not possible."""
    opinion, out = arguments.by, arguments.out
    sources = games_to_read(arguments.games, out)
    if opinion.is_dir():
        if out.resolve() == opinion.resolve():
            raise SetupError(f"--out {out} holds the games themselves")
        for source in sources:
            if not (opinion / source.name).is_file():
                raise SetupError(f"{opinion} has no {source.name}: it does not hold the same games")
    try:
        network = None if opinion.is_dir() else choose("NNUE", str(opinion))
    except NetError as error:
        raise SetupError(str(error)) from None
    agreement = Agreement(arguments.limit, arguments.scale, arguments.opinion_scale)
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise SetupError(f"cannot use {out}: {error.strerror}") from None
    described = {
        "tool": "tuning.filter", "games": digest(sources[0]), "by": opinion.name,
        "opinion": digest(opinion / sources[0].name if network is None else opinion), **agreement._asdict(),
    }  # fmt: skip
    describe(out, described, new=not any(out.glob(f"*{SUFFIX}")))
    kept = quiet = 0
    missing = without_copy(sources, out)
    for source in track(missing, "filtering files", console=console, transient=True, disable=not console.is_terminal):
        data, confirmed_here, quiet_here = confirmed(source, network or opinion / source.name, agreement)
        write_whole(out / source.name, data)
        kept, quiet = kept + confirmed_here, quiet + quiet_here
    console.print(f"{kept:,} of {quiet:,} quiet positions confirmed" if missing else f"{out} is complete already")
    return 0


main = partial(command.execute, parser, run)

if __name__ == "__main__":
    sys.exit(main())
