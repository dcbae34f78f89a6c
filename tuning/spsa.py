"""Tune the search parameters by games: simultaneous perturbation stochastic approximation.

    python -m tuning.spsa --tc 2+0.02 --iterations 2000 --openings book.epd
    python -m tuning.spsa --only FutilityBase FutilityMargin --tc 2+0.02 --iterations 500

Each iteration plays one pair of games between theta + c*delta and theta - c*delta, delta a random sign for
every parameter at once, and moves theta along delta by the result: two games say something about all
parameters. After J. C. Spall (1998), https://www.jhuapl.edu/SPSA, with the gains as fishtest sets them: the
step c ends at the table's step size, the learning rate r at --rate.
"""

from __future__ import annotations

import argparse
import math
import random
import shlex
import signal
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any, Protocol

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.table import Table

from tuning import match, units
from tuning.adjudication import Adjudication
from tuning.cluster import open_cluster
from tuning.engines import EngineSpec, parse_each, parse_words
from tuning.errors import EngineFailure, SetupError
from tuning.game import Conditions
from tuning.ledger import Ledger
from tuning.records import FAULTS, GameRecord
from tuning.revisions import PROJECT
from tuning.tournament import BookSettings, single_threaded
from tuning.units import Pair

TOOL = "tuning.spsa"

ALPHA = 0.602
GAMMA = 0.101
STABILITY = 0.1
"""Spall's constants: the decay of the learning rate and of the step, and the share of iterations by which
the former is held back at the start."""


class Tunable(Protocol):
    """One row of the parameter table in ``engine/search/params.py``."""

    @property
    def name(self) -> str: ...
    @property
    def default(self) -> int: ...
    @property
    def minimum(self) -> int: ...
    @property
    def maximum(self) -> int: ...
    @property
    def step(self) -> int: ...


@dataclass(frozen=True, slots=True)
class Gains:
    """The sizes of steps over ``iterations``; ``rate`` is the final learning rate (step as a share of c)."""

    iterations: int
    rate: float = 0.002

    def perturbation(self, step: float, iteration: int) -> float:
        """c_k: how far to try to either side; it shrinks to ``step``."""
        return step * (self.iterations / (iteration + 1)) ** GAMMA

    def learning(self, step: float, iteration: int) -> float:
        """a_k: how far one won pair moves a parameter, times its c_k."""
        hold = STABILITY * self.iterations
        final = self.rate * step**2
        return final * ((hold + self.iterations) / (hold + iteration + 1)) ** ALPHA


class Spsa:
    """The state of a tuning run: the current values, exactly reproducible from the results so far."""

    def __init__(self, params: Sequence[Tunable], gains: Gains, seed: int = 1) -> None:
        self.params = list(params)
        self.gains = gains
        self.seed = seed
        self.theta = {param.name: float(param.default) for param in params}
        self.history: dict[str, list[float]] = {param.name: [] for param in params}

    def signs(self, iteration: int) -> dict[str, int]:
        """delta_k: a sign for each parameter, the same on every call."""
        source = random.Random(f"{self.seed}/{iteration}")
        return {param.name: source.choice((-1, 1)) for param in self.params}

    def candidates(self, iteration: int) -> tuple[dict[str, int], dict[str, int]]:
        """The two settings to play against each other: whole numbers (rounded at random, so that steps
        below one count too), within their ranges."""
        source = random.Random(f"{self.seed}/{iteration}/rounding")
        signs = self.signs(iteration)
        settings: tuple[dict[str, int], dict[str, int]] = ({}, {})
        for param in self.params:
            reach = self.gains.perturbation(param.step, iteration) * signs[param.name]
            fraction = source.random()
            for side, candidate in zip((1, -1), settings, strict=True):
                value = math.floor(self.theta[param.name] + side * reach + fraction)
                candidate[param.name] = min(max(value, param.minimum), param.maximum)
        return settings

    def update(self, iteration: int, points: float) -> None:
        """Learn from one pair: ``points`` (0..2) of the plus side."""
        signs = self.signs(iteration)
        for param in self.params:
            c = self.gains.perturbation(param.step, iteration)
            slope = (2 * points - 2) / (c * signs[param.name])  # points of plus less points of minus
            moved = self.theta[param.name] + self.gains.learning(param.step, iteration) * slope
            self.theta[param.name] = min(max(moved, param.minimum), param.maximum)
            self.history[param.name].append(self.theta[param.name])


def load_params(names: Sequence[str] | None = None) -> list[Tunable]:
    """The engine's table of tunables, or the named ones. Raises :class:`SetupError` for an unknown name."""
    from engine.search.params import PARAMS

    known = {param.name: param for param in PARAMS}
    unknown = [name for name in names or () if name not in known]
    if unknown:
        raise SetupError(f"no search parameter is called {', '.join(unknown)}; there are: {', '.join(known)}")
    return [known[name] for name in (names or known)]


@dataclass(slots=True)
class Numbered:
    """A pair in flight and the iteration it belongs to."""

    iteration: int
    pair: Pair


def play(unit: Numbered, report: Any) -> list[dict[str, Any]]:
    """Play one iteration's pair; only its result matters, so single games are not reported."""
    return units.play_pair(unit.pair, lambda item: None)


def result_table(spsa: Spsa) -> Table:
    """Where each parameter stands, against its default."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("Parameter")
    for heading in ("Default", "Now", "Rounded", "Range", "Step"):
        table.add_column(heading, justify="right")
    for param in spsa.params:
        value = spsa.theta[param.name]
        span = f"{param.minimum}..{param.maximum}"
        table.add_row(param.name, str(param.default), f"{value:.2f}", str(round(value)), span, str(param.step))
    return table


def parser() -> argparse.ArgumentParser:
    """The command line of ``python -m tuning.spsa``."""
    result = argparse.ArgumentParser(
        prog="python -m tuning.spsa", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    result.add_argument("--only", nargs="+", metavar="NAME", help="tune these parameters (default: the whole table)")
    result.add_argument("--iterations", type=int, default=1000, metavar="N", help="pairs of games (default 1000)")
    result.add_argument("--rate", type=float, default=0.002, help="final learning rate (default 0.002)")
    result.add_argument(
        "--rev", metavar="REV", help="the engine at a git revision ('.': a snapshot of the working tree)"
    )
    result.add_argument("--each", nargs="+", default=[], metavar="WORD", help="option.NAME=VALUE for the engine")
    match.add_limit_flags(result)
    match.add_play_flags(result)
    match.add_cluster_flags(result)
    group = result.add_argument_group("results")
    group.add_argument("--json", metavar="FILE", help="results, one pair a line (default: results/spsa-TIME.jsonl)")
    group.add_argument("--resume", metavar="FILE", help="go on with a results file; its settings are used")
    group.add_argument("--plot", metavar="FILE", help="each parameter's way (default: beside the results, .png)")
    return result


def _settings(arguments: argparse.Namespace) -> dict[str, Any]:
    limits = match.limits_from(arguments)
    if not limits.bounded:
        raise SetupError("no limit: give --tc, --movetime, --nodes or --depth")
    if arguments.iterations < 1:
        raise SetupError(f"--iterations must be above zero, not {arguments.iterations}")
    if arguments.rate <= 0:
        raise SetupError(f"--rate must be above zero, not {arguments.rate:g}")
    params = load_params(arguments.only)
    options, limit_words = parse_each(arguments.each)
    if limit_words:
        raise SetupError(f"--each takes options here, not {limit_words[0]!r}")
    spec = EngineSpec("Numbat", (sys.executable, str(PROJECT / "uci_main.py"), "--tune"), limits=limits)
    if arguments.rev:
        spec = match.with_commit(parse_words(["name=Numbat", f"rev={arguments.rev}", "arg=--tune"], limits))
    conditions, book = match.play_settings(arguments)
    return {
        "engine": single_threaded(replace(spec, shared_options=options)).to_json(),
        "parameters": [param.name for param in params],
        "iterations": arguments.iterations,
        "rate": arguments.rate,
        "seed": arguments.seed,
        "conditions": asdict(conditions),
        "book": asdict(book),
    }


def run(arguments: argparse.Namespace, console: Console) -> int:
    """Do what the command line says. Raises :class:`SetupError` when it cannot be done."""
    events: list[tuple[str, Any]] = []
    if arguments.resume:
        ledger, events = Ledger.resume(Path(arguments.resume), TOOL)
        settings = dict(ledger.settings)
    else:
        settings = _settings(arguments)
        path = Path(arguments.json or f"results/spsa-{datetime.now():%Y%m%d-%H%M%S}.jsonl")
        ledger = Ledger.create(path, TOOL, settings)
    spsa = Spsa(load_params(settings["parameters"]), Gains(settings["iterations"], settings["rate"]), settings["seed"])
    done = set()
    for kind, data in events:
        if kind == "pair":
            done.add(data["iteration"])
            spsa.update(data["iteration"], data["points"])
    engine = EngineSpec.from_json(settings["engine"])
    conditions = dict(settings["conditions"])
    conditions["adjudication"] = Adjudication(**conditions["adjudication"])
    rules = Conditions(**conditions)
    book = BookSettings(**settings["book"]).open(lambda message: console.print(f"! {message}", markup=False))

    def pairs() -> Iterator[Numbered]:
        for iteration in range(settings["iterations"]):
            if iteration not in done:
                both = [
                    replace(engine, name=side, options={**engine.options, **{k: str(v) for k, v in values.items()}})
                    for side, values in zip(("plus", "minus"), spsa.candidates(iteration), strict=True)
                ]
                pair = Pair(iteration, (both[0], both[1]), book.opening(iteration), rules)
                yield Numbered(iteration, pair)

    code = failures = faults = 0
    cluster = open_cluster(arguments.scheduler, arguments.concurrency)
    progress = Progress(
        TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), TimeRemainingColumn(),
        TextColumn("{task.fields[faults]} games lost on time or by faults"), console=console,
        disable=not console.is_terminal,
    )  # fmt: skip
    before = signal.signal(signal.SIGTERM, match.as_interrupt)
    try:
        with progress:
            bar = progress.add_task("pairs", total=settings["iterations"], completed=len(done), faults=0)
            for outcome in cluster.run(play, pairs(), lambda item: None):
                if outcome.error is not None:
                    console.print(f"! {outcome.error}", style="red", highlight=False, markup=False)
                    failures += 1
                    if failures >= 3:
                        raise SetupError(f"gave up: {outcome.error}")
                    continue
                games = [GameRecord.from_json(data) for data in outcome.result]
                broken = [game.fault for game in games if game.fault in FAULTS]
                faults += len(broken)
                points = sum(game.score_of("plus") for game in games)
                number = outcome.unit.iteration
                ledger.add("pair", {"iteration": number, "points": points, "faults": broken})
                spsa.update(number, points)
                progress.update(bar, advance=1, faults=faults)
    except KeyboardInterrupt:
        console.print(f"interrupted; go on with: python -m tuning.spsa --resume {shlex.quote(str(ledger.path))}")
        code = 130
    finally:
        cluster.close()
        if any(spsa.history.values()):
            ledger.add("values", spsa.theta)
        ledger.close()
        signal.signal(signal.SIGTERM, before)
    console.print(result_table(spsa))
    if any(spsa.history.values()):
        from tuning.plots import save, trajectory_figure

        picture = Path(arguments.plot) if arguments.plot else ledger.path.with_suffix(".png")
        ranges = {param.name: (float(param.minimum), float(param.maximum)) for param in spsa.params}
        save(trajectory_figure(spsa.history, ranges, {p.name: float(p.default) for p in spsa.params}), picture)
        console.print(f"\npicture: {picture}", highlight=False)
    console.print(f"results: {ledger.path}", highlight=False)
    return code


def main(words: Sequence[str] | None = None) -> int:
    """Run the command line; 0: done, 2: cannot be done as asked, 130: interrupted."""
    arguments = parser().parse_args(words)
    console = match.make_console()
    try:
        return run(arguments, console)
    except (SetupError, EngineFailure) as error:
        console.print(f"error: {error}", style="bold red", highlight=False, markup=False)
        return 2


if __name__ == "__main__":
    sys.exit(main())
