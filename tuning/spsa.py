"""Tune the search parameters by games: simultaneous perturbation stochastic approximation.

    python -m tuning.spsa --nodes 8000 --iterations 30000 --openings book.epd
    python -m tuning.spsa --clock 300000+3000 --only TimeMoves TimeEffort --iterations 9000 --openings book.epd

Each iteration plays one pair of games between theta + c*delta and theta - c*delta, delta a random sign for
every parameter at once, and moves theta along delta by the result, so two games yield information on all
parameters. After J. C. Spall (1998), https://www.jhuapl.edu/SPSA, with the gains of fishtest: the
step c ends at the table's step size, the learning rate r at --rate.

Games are played in compiled code, as by tuning.arena.
"""

import argparse
import math
import shlex
import sys
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

from engine.console import Console
from engine.messages import counted
from tuning.common import command
from tuning.common.display import Display
from tuning.common.errors import SetupError
from tuning.common.flags import add_option_flag, add_results_flags, number, options_of, positive, results_path, whole
from tuning.common.results import ResultsFile, restored
from tuning.common.units import Workplace, run_units
from tuning.learning.spsa import TOOL, Spsa, SpsaPair, load_tunables, play, result_table
from tuning.matches import flags
from tuning.matches.openings import BookSettings
from tuning.selfplay.batches import DuelPair, Matchup, PairBatch, with_fingerprint
from tuning.selfplay.duel import rules_from
from tuning.statistics.pace import points_for_time

BESIDE_RESUME = ("--scheduler", "--jobs")  # flags that --resume allows


def parser() -> argparse.ArgumentParser:
    """The command line of ``python -m tuning.spsa``."""
    result = command.make_parser("spsa", __doc__)
    add = result.add_argument
    parameters = "parameters to tune (default: all except switches, and without --clock also except those of time)"
    add("--only", nargs="+", metavar="NAME", help=parameters)
    add("--iterations", type=whole(1), default=1000, metavar="N", help="pairs of games (default 1000)")
    add("--rate", type=positive, default=0.002, help="final learning rate (default 0.002)")
    flags.add_arena_flags(result)
    doubling = (
        "Elo that a doubling of time is worth, taken from the side whose nodes take longer: fixed nodes do not count "
        "time (default 0)"
    )
    add("--doubling", type=number(0, 1000), default=0.0, metavar="ELO", help=doubling)
    add_option_flag(result)
    add_results_flags(result, "spsa", "pair")
    return result


def _settings(arguments: argparse.Namespace) -> dict[str, Any]:
    """The settings on the command line. Raises :class:`SetupError` or :class:`OptionError` for invalid ones."""
    rules = rules_from(arguments)
    tunables = load_tunables(arguments.only)
    if not arguments.only and rules.clock is None:  # with fixed nodes the parameters of time do nothing
        tunables = [tunable for tunable in tunables if not tunable.name.startswith("Time")]
    options = options_of(arguments.option)
    for name, _ in options:
        if any(param.name == name for param in tunables):
            raise SetupError(f"--option {name} is a parameter to tune, which begins at its default")
    book = flags.book_from(arguments)
    return {
        "arena": asdict(with_fingerprint(Matchup(options, options, rules))),
        "parameters": [param.name for param in tunables],
        "iterations": arguments.iterations,
        "rate": arguments.rate,
        "seed": arguments.seed,
        "book": asdict(book),
        "doubling": arguments.doubling,
    }


class _TuningRun:
    """A tuning run: its results file, the values so far, and the iterations that are left. Raises :class:`SetupError`
    for a file that is damaged or was begun with another engine."""

    def __init__(self, results: ResultsFile, events: Sequence[tuple[str, Any]], console: Console) -> None:
        settings = results.settings
        self.results = results
        tunables = load_tunables(settings["parameters"])
        self.spsa = Spsa(tunables, settings["iterations"], settings["rate"], settings["seed"])
        self._doubling: float = settings["doubling"]
        self._done: set[int] = set()
        for kind, data in events:
            if kind == "pair":
                try:
                    self._learn(SpsaPair(**data))
                except (TypeError, ValueError):
                    raise SetupError(f"{results.path} is damaged: {data} is not a pair") from None
        self._openings = BookSettings(**settings["book"]).open(lambda line: console.print(f"! {line}"))
        self._meeting = restored(Matchup, settings["arena"])
        if with_fingerprint(self._meeting) != self._meeting:
            raise SetupError("the run was started with another engine, network or evaluation: start a new one")
        self.display = Display(console, "pairs", self.spsa.iterations, len(self._done))
        self._before = len(self._done)

    def batches(self) -> Iterator[PairBatch]:
        """The iterations that are left, each at the values when it is drawn."""
        for iteration in range(self.spsa.iterations):
            if iteration not in self._done:
                pair = DuelPair(iteration, self._openings.opening(iteration), self.spsa.candidates(iteration))
                yield PairBatch(self._meeting, (pair,))

    def take(self, pair: SpsaPair) -> None:
        """Record a pair, learn from it and show the progress."""
        self.results.add("pair", asdict(pair))
        self._learn(pair)
        total = len(self._done)
        speed = f"{7200 * (total - self._before) / self.display.seconds:,.0f} games/h"
        self.display.show(total, speed, f"{counted(total, 'pair')}, {speed}")

    def _learn(self, pair: SpsaPair) -> None:
        self.spsa.update(pair.iteration, pair.points - points_for_time(pair.log_pace, self._doubling))
        self._done.add(pair.iteration)


def run(arguments: argparse.Namespace, console: Console) -> int:
    """Play, learn and report. Raises :class:`SetupError` for a request that is not possible."""
    events: list[tuple[str, Any]] = []
    if arguments.resume:
        results, events = ResultsFile.resume(Path(arguments.resume), TOOL)
    else:
        settings = _settings(arguments)
        BookSettings(**settings["book"]).open(lambda fault: None)
        if arguments.check:
            return command.checked(console, arguments.json)
        results = ResultsFile.create(results_path(arguments, "spsa"), TOOL, settings)
    with closing(results):
        tuned = _TuningRun(results, events, console)
        advice = f"continue with: python -m tuning.spsa --resume {shlex.quote(str(results.path))}"
        place = Workplace(arguments.scheduler, arguments.jobs, console, tuned.display.bar, advice)
        try:
            code = run_units(play, tuned.batches(), place, on_result=tuned.take)
        finally:
            if any(tuned.spsa.history.values()):
                results.finish("values", tuned.spsa.theta)
    console.print(result_table(tuned.spsa))
    signal, error = tuned.spsa.signal()
    if not math.isnan(signal):
        console.print(f"mean square of the slopes' z-scores: {signal:.2f} ± {error:.2f} (1 by chance)")
    if any(tuned.spsa.history.values()):
        from tuning.common.plots import save  # late: matplotlib is slow to import
        from tuning.learning.plots import trajectory_figure

        picture = results.path.with_suffix(".png")
        save(trajectory_figure(tuned.spsa.history, tuned.spsa.tunables), picture)
        console.print(f"\npicture: {picture}")
    console.print(f"results: {results.path}")
    return code


main = partial(command.execute, parser, run, beside_resume=BESIDE_RESUME)

if __name__ == "__main__":
    sys.exit(main())
