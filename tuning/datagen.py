"""Make training data: games of the engine against itself, with the score of every move.

python -m tuning.datagen data/first --positions 10_000_000 --nodes 5000 --seed 1
python -m tuning.datagen data/second --option EvalFile=first.nnue --jobs 8
python -m tuning.datagen data/third --scheduler tcp://HOST:8786
"""

import argparse
import sys
from collections.abc import Callable
from dataclasses import fields
from functools import partial
from pathlib import Path

from engine.console import Console
from engine.fen import START_FEN
from engine.jit.warmup import warm_up
from tuning.common import command
from tuning.common.files import check_output
from tuning.common.flags import add_check_flag, add_cluster_flags, add_option_flag, options_of, whole
from tuning.data.viriformat import SUFFIX
from tuning.matches.openings import load_openings
from tuning.selfplay.games import MAX_OPENING_PLIES, SelfPlayRules
from tuning.selfplay.generation import NOTES, RunFolder, describe, generate, locked
from tuning.selfplay.loop import MAX_GAME_PLIES
from tuning.selfplay.shards import DatagenSettings, begin


def parser() -> argparse.ArgumentParser:
    """The command line of ``python -m tuning.datagen``."""
    made = command.make_parser("datagen", __doc__)
    made.add_argument("directory", type=Path, help="directory for run.json and the games; an existing run is continued")
    made.add_argument("--positions", type=whole(1), metavar="N", help="stop after N positions (such as 10_000_000)")
    made.add_argument("--games", type=whole(1), metavar="N", help="stop after N games")
    made.add_argument("--seed", type=int, default=1, help="random seed (default: 1)")
    add_option_flag(made)
    made.add_argument(
        "--book", metavar="FILE", help="EPD, FEN or PGN file with positions to start from, before the random plies"
    )
    add_cluster_flags(made, "--processes")
    add_check_flag(made)
    rules = made.add_argument_group("rules", "scores in centipawns, lengths in plies")
    for rule in fields(SelfPlayRules):
        flag, text = "--" + rule.name.replace("_", "-"), f"{_HELP[rule.name]} (%(default)s)"
        kind = whole(*_LIMITS.get(rule.name, (0, 1_000_000)))
        rules.add_argument(flag, type=kind, default=rule.default, metavar="N", help=text)
    return made


_HELP = {
    "nodes": "soft limit per move: the iteration that exceeds it is finished",
    "hard": "hard limit, as a multiple of the soft limit",
    "opening_plies": "random plies before a game, or one more",
    "opening_nodes": "soft limit of the search that checks an opening, or decides a game with few pieces",
    "opening_score": "maximum score of an opening, either way",
    "win_score": "score that wins a game",
    "win_plies": "for N moves in a row",
    "draw_score": "score that draws a game",
    "draw_plies": "for N moves in a row",
    "draw_from": "from this ply on",
    "max_plies": "length after which a game is drawn",
    "end_pieces": "pieces with which a search of --opening-nodes decides a game (0: never)",
    "hash": "transposition table in MB, cleared for each game",
    "play_out": "percentage of games that go on to checkmate",
}

_LIMITS = {
    "nodes": (100, 10_000_000), "hard": (2, 1_000), "opening_plies": (0, MAX_OPENING_PLIES),
    "opening_nodes": (100, 10_000_000), "max_plies": (1, MAX_GAME_PLIES), "win_plies": (1, MAX_GAME_PLIES),
    "draw_plies": (1, MAX_GAME_PLIES), "end_pieces": (0, 32), "hash": (1, 4_096), "play_out": (0, 100),
}  # fmt: skip


def _settings(arguments: argparse.Namespace) -> DatagenSettings:
    """The settings on the command line. Raises :class:`SetupError` for invalid options."""
    values = {rule.name: getattr(arguments, rule.name) for rule in fields(SelfPlayRules)}
    book = str(Path(arguments.book).resolve()) if arguments.book else None
    return DatagenSettings(arguments.seed, SelfPlayRules(**values), options_of(arguments.option), book)


def _openings(settings: DatagenSettings, log: Callable[[str], None]) -> tuple[str, ...]:
    """The start positions of the games, in the order of the book."""
    if settings.book is None:
        return (START_FEN,)
    suite = load_openings(Path(settings.book), seed=settings.seed, log=log)
    return tuple(suite.opening(number).board().fen() for number in range(len(suite)))


def run(arguments: argparse.Namespace, console: Console) -> int:
    """Play the games that are missing. Raises :class:`SetupError` for a request that is not possible."""
    settings = _settings(arguments)
    openings = _openings(settings, lambda message: console.print(f"! {message}"))
    warm_up(console.print)  # once, not in every worker
    plan = begin(settings, openings)
    if arguments.check:
        check_output(arguments.directory / NOTES, ())
        if any(arguments.directory.glob(f"*{SUFFIX}")):
            describe(arguments.directory, settings.to_json(), new=False)
        return command.checked(console)
    with locked(arguments.directory):
        return generate(RunFolder(arguments.directory, plan), plan, arguments, console)


main = partial(command.execute, parser, run)

if __name__ == "__main__":
    sys.exit(main())
