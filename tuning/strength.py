"""Measure the Elo of the weaker levels, and write it to ``engine/play/strength.json``.

    python -m tuning.strength --games 40 --levels 0 4 8 11 14 17 --openings book.epd
    python -m tuning.strength --fit

Stockfish at several Skill Levels plays the levels nearest to it by the present figures. Levels play each other
only below the weakest of these and above the strongest, because the stronger of two levels wins by more than
their Elo against other opponents predicts. The levels' Elo is a maximum-likelihood fit (Bradley-Terry, a draw
counts as half a win) that takes the Elo of Stockfish's Skill Levels as given
(:data:`tuning.levels.strength.SKILL_ELO`), smoothed over the levels. Every pairing has its own results
file in ``--dir``; the same command continues after an interruption, and with more ``--games`` it adds to what is there.

Measurements are kept in ``--measured``, ``tuning/results/levels.json``: a new rating of a level replaces the old one,
and games of levels that are only node limits are added, once. All levels are fitted to them. ``--fit`` only does that,
without any games (see :mod:`tuning.levels.strength`).

No clock is used: both the levels and Stockfish play with a fixed number of nodes.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from rich.table import Table

from engine.console import Console
from engine.play.strength import FILE, LEVELS
from tuning.common import command
from tuning.common.errors import SetupError
from tuning.common.files import check_output, refuse_missing
from tuning.common.flags import add_check_flag, whole
from tuning.common.results import read_header
from tuning.levels import strength
from tuning.levels.strength import ANCHORS, SKILL_ELO, Measurements, elos_of, encounters, fitted, write
from tuning.matches import tournament
from tuning.matches.engines import EngineSpec
from tuning.matches.flags import add_play_flags, play_settings
from tuning.matches.tournament import MatchPlace, TournamentSettings
from tuning.statistics import ratings


def parser() -> argparse.ArgumentParser:
    """The command line of ``python -m tuning.strength``."""
    result = command.make_parser("strength", __doc__)
    add = result.add_argument
    add("--games", type=whole(1), default=40, help="games of each pairing (default 40)")
    levels = [0, 4, 8, 11, 14, 17, 20, 22]
    add("--levels", type=whole(0, len(LEVELS) - 1), nargs="+", default=levels, metavar="N", help="levels to measure")
    anchors = "Skill Levels of Stockfish to play against, 0 to 19"
    add("--anchors", type=whole(0, len(SKILL_ELO) - 1), nargs="+", default=list(ANCHORS), metavar="SKILL", help=anchors)
    add_play_flags(result)
    add_check_flag(result)
    folder = Path("results/strength")
    add("--dir", type=Path, default=folder, metavar="DIR", help=f"folder for results (default {folder})")
    add("--fit", action="store_true", help="play nothing; fit the levels to the measurements so far")
    measured = "measurements so far (default: tuning/results/levels.json)"
    add("--measured", type=Path, default=strength.FILE, metavar="FILE", help=measured)
    add("--out", type=Path, default=FILE, metavar="FILE", help="default: engine/play/strength.json")
    return result


def settings_from(pair: tuple[EngineSpec, EngineSpec], arguments: argparse.Namespace) -> TournamentSettings:
    """The match between two players. Raises :class:`SetupError`."""
    adjudication, book = play_settings(arguments)
    engines = tuple(replace(spec, shared_options={"Threads": "1", "Hash": "16"}) for spec in pair)
    return TournamentSettings(engines, arguments.games, adjudication=adjudication, book=book, event="strength")


def results_file(settings: TournamentSettings, folder: Path) -> Path:
    """The results file of an encounter. Raises :class:`SetupError` if it was played with other settings."""
    path = folder / ("-".join(spec.name.replace(" ", "") for spec in settings.engines) + ".jsonl")
    if path.exists():
        previous = TournamentSettings.read(path, read_header(path)["settings"])
        if replace(previous, games=settings.games) != settings:
            raise SetupError(f"{path} was played with other settings; choose another --dir")
    return path


def play(
    pair: tuple[EngineSpec, EngineSpec], arguments: argparse.Namespace, console: Console
) -> tuple[int, dict[tuple[str, str], Any], str]:
    """Play the missing games of one encounter; its exit code, counts (losses, draws, wins), and when it began."""
    settings = settings_from(pair, arguments)
    path = results_file(settings, arguments.dir)
    resume = path.exists()
    place = MatchPlace(path, console, arguments.fastchess, arguments.jobs)
    played, code = tournament.play(settings, place, resume=resume)
    counts = {key: encounter.wdl for key, encounter in played.tally.encounters.items()}
    return code, counts, "" if code else read_header(path)["origin"]["began"]


def pairs_from(arguments: argparse.Namespace) -> list[tuple[EngineSpec, EngineSpec]]:
    """The pairings. Raises :class:`SetupError`."""
    levels = sorted(set(arguments.levels))
    if len(levels) < 2:
        raise SetupError("--levels takes two or more")
    return encounters(levels, arguments.anchors)


def measure(arguments: argparse.Namespace, console: Console, measured: Measurements) -> int:
    """Play, show the ratings and add them to ``measured`` and its file; the exit code."""
    counts: dict[tuple[str, str], Any] = {}
    began: dict[tuple[str, str], str] = {}
    for pair in pairs_from(arguments):
        code, found, time = play(pair, arguments, console)
        if code:
            return code
        counts.update(found)
        began.update(dict.fromkeys(found, time))
    found_ratings = fitted(counts)
    table = Table("player", "Elo", "95%")
    games: Counter[str] = Counter()
    for players, results in counts.items():
        games.update(dict.fromkeys(players, int(sum(results))))
    for name, (elo, error) in sorted(found_ratings.items(), key=lambda item: -item[1][0]):
        shown = f"±{error:.0f}" if games[name] >= ratings.MIN_GAMES else f"too few games ({games[name]})"
        table.add_row(name, f"{elo:.0f}", "" if name.startswith("Stockfish ") else shown)
    console.print(table)
    measured.add(counts, found_ratings, LEVELS, began)
    measured.write(arguments.measured)
    return 0


def run(arguments: argparse.Namespace, console: Console) -> int:
    """Measure, unless ``--fit`` is given, and write the levels. Raises :class:`SetupError`."""
    if arguments.fit:
        refuse_missing([arguments.measured], "cannot read")
    measured = Measurements.read(arguments.measured)
    check_output(arguments.out, (arguments.measured,))
    if arguments.check:
        for pair in () if arguments.fit else pairs_from(arguments):
            settings = settings_from(pair, arguments)
            path = results_file(settings, arguments.dir)
            tournament.check(settings, MatchPlace(path, console, arguments.fastchess))
        return command.checked(console)
    if not arguments.fit and (code := measure(arguments, console, measured)):
        return code
    elos = elos_of(measured, LEVELS)
    source = "tuning/results/levels.json" if arguments.measured == strength.FILE else arguments.measured
    write(arguments.out, elos, f"fitted by python -m tuning.strength --fit to {source}")
    console.print(f"written: {arguments.out}")
    console.print(f"UCI_Elo ends at {round(elos[-1])}: the maximum in engine/options.py")
    return 0


main = partial(command.execute, parser, run)

if __name__ == "__main__":
    sys.exit(main())
