"""Tune the search parameters by games: simultaneous perturbation stochastic approximation.

    python -m tuning.spsa --arena --nodes 8000 --iterations 30000 --openings book.epd
    python -m tuning.spsa --only TimeEffort TimeTrend --tc 2+0.02 --iterations 2000 --openings book.epd

Each iteration plays one pair of games between theta + c*delta and theta - c*delta, delta a random sign for
every parameter at once, and moves theta along delta by the result: two games say something about all
parameters. After J. C. Spall (1998), https://www.jhuapl.edu/SPSA, with the gains as fishtest sets them: the
step c ends at the table's step size, the learning rate r at --rate.

With --arena games are played in compiled code (see tuning.arena), else by two processes of the engine.
"""

from __future__ import annotations

import argparse
import math
import random
import shlex
import signal
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any, Protocol

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.table import Table

from tuning import match
from tuning.cluster.base import Report
from tuning.cluster.choice import open_cluster
from tuning.common.errors import EngineFailure, SetupError
from tuning.common.flags import only_with_resume
from tuning.common.ledger import Ledger
from tuning.common.revisions import PROJECT
from tuning.matches import units
from tuning.matches.adjudication import Adjudication
from tuning.matches.engines import EngineSpec, parse_each, parse_words
from tuning.matches.game import Conditions
from tuning.matches.openings import Book, RandomOpenings
from tuning.matches.records import FAULTS, GameRecord
from tuning.matches.tournament import BookSettings, single_threaded
from tuning.matches.units import Pair

TOOL = "tuning.spsa"

#: Flags that may stand beside --resume.
BESIDE_RESUME = ("--plot", "--scheduler", "--concurrency")

#: Seconds between lines of progress where there is no terminal.
LINE_EVERY = 60.0

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
    """The named ones of the engine's tunables, or all that are no switches.

    Raises :class:`SetupError` for an unknown name.
    """
    from engine.search.params import PARAMS

    known = {param.name: param for param in PARAMS}
    unknown = [name for name in names or () if name not in known]
    if unknown:
        raise SetupError(f"no search parameter is called {', '.join(unknown)}; there are: {', '.join(known)}")
    return [known[name] for name in names] if names else [param for param in PARAMS if not is_switch(param)]


def is_switch(param: Tunable) -> bool:
    """Whether a parameter only switches something on, so that there is no slope to climb."""
    return param.maximum - param.minimum == 1


@dataclass(frozen=True, slots=True)
class Learned:
    """What one iteration found: ``points`` (0..2) of the plus side, and the games lost by other means than chess."""

    iteration: int
    points: float
    faults: tuple[str, ...] = ()


@dataclass(slots=True)
class Numbered:
    """A pair in flight and the iteration it belongs to."""

    iteration: int
    pair: Pair


def play(unit: Numbered, report: Report) -> Learned:
    """Play one iteration's pair by two processes; single games do not matter, so they are not reported."""
    games = [GameRecord.from_json(data) for data in units.play_pair(unit.pair, lambda item: None)]
    broken = tuple(game.fault for game in games if game.fault in FAULTS and game.fault is not None)
    return Learned(unit.iteration, sum(game.score_of("plus") for game in games), broken)


def play_in_arena(unit: Any, report: Report) -> Learned:
    """Play one iteration's pair, a batch of one, in compiled code."""
    from tuning.selfplay.batches import play_batch  # the engine, which tuning by processes does not need

    pairs: list[dict[str, Any]] = []
    play_batch(unit, pairs.extend)
    return Learned(pairs[0]["number"], sum(pairs[0]["points"]) / 2)


class Processes:
    """Iterations as matches between two processes of the engine in ``settings``."""

    function = staticmethod(play)

    def __init__(self, settings: Mapping[str, Any], book: Book | RandomOpenings) -> None:
        self._engine = EngineSpec.from_json(settings["engine"])
        conditions = dict(settings["conditions"])
        conditions["adjudication"] = Adjudication(**conditions["adjudication"])
        self._rules = Conditions(**conditions)
        self._book = book

    def unit(self, iteration: int, candidates: tuple[dict[str, int], dict[str, int]]) -> Numbered:
        """The work unit in which the two candidates meet."""
        engine = self._engine
        both = [
            replace(engine, name=side, options={**engine.options, **{k: str(v) for k, v in values.items()}})
            for side, values in zip(("plus", "minus"), candidates, strict=True)
        ]
        pair = Pair(iteration, (both[0], both[1]), self._book.opening(iteration), self._rules)
        return Numbered(iteration, pair)


class InArena:
    """Iterations as compiled games in the arena."""

    function = staticmethod(play_in_arena)

    def __init__(self, settings: Mapping[str, Any], book: Book | RandomOpenings) -> None:
        from tuning.selfplay.batches import Meeting, arranged

        self._meeting = Meeting.from_json(settings["arena"])
        if arranged(self._meeting) != self._meeting:
            raise SetupError("the run was begun with another engine, network or evaluation: begin a new one")
        self._book = book

    def unit(self, iteration: int, candidates: tuple[dict[str, int], dict[str, int]]) -> Any:
        """The work unit in which the two candidates meet."""
        from tuning.selfplay.batches import Batch, PlannedPair

        return Batch(self._meeting, (PlannedPair(iteration, self._book.opening(iteration), candidates),))


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
    result.add_argument(
        "--only", nargs="+", metavar="NAME",
        help="tune these parameters (default: all but switches, and in the arena but those of time)",
    )  # fmt: skip
    result.add_argument("--iterations", type=int, default=1000, metavar="N", help="pairs of games (default 1000)")
    result.add_argument("--rate", type=float, default=0.002, help="final learning rate (default 0.002)")
    result.add_argument(
        "--rev", metavar="REV", help="the engine at a git revision ('.': a snapshot of the working tree)"
    )
    result.add_argument("--each", nargs="+", default=[], metavar="WORD", help="option.NAME=VALUE for the engine")
    group = result.add_argument_group("the arena")
    group.add_argument("--arena", action="store_true", help="play in compiled code, --nodes nodes a move")
    group.add_argument(
        "--hard", type=int, metavar="N",
        help="makes --nodes a soft limit: the iteration that passes it is finished, unless it comes to N nodes",
    )  # fmt: skip
    group.add_argument("--hash", type=int, default=16, metavar="MB", help="table of each side (default 16)")
    match.add_limit_flags(result)
    match.add_play_flags(result)
    match.add_cluster_flags(result)
    group = result.add_argument_group("results")
    group.add_argument("--json", metavar="FILE", help="results, one pair a line (default: results/spsa-TIME.jsonl)")
    group.add_argument("--resume", metavar="FILE", help="go on with a results file; its settings are used")
    group.add_argument("--plot", metavar="FILE", help="each parameter's way (default: beside the results, .png)")
    return result


def _settings(arguments: argparse.Namespace) -> dict[str, Any]:
    if arguments.arena:
        return _arena_settings(arguments)
    if arguments.hard is not None:
        raise SetupError("--hard goes with --arena")
    limits = match.limits_from(arguments)
    if not limits.bounded:
        raise SetupError("no limit: give --tc, --movetime, --nodes or --depth")
    options = _options(arguments)
    spec = EngineSpec("Numbat", (sys.executable, str(PROJECT / "uci_main.py"), "--tune"), limits=limits)
    if arguments.rev:
        spec = match.with_commit(parse_words(["name=Numbat", f"rev={arguments.rev}", "arg=--tune"], limits))
    conditions, book = match.play_settings(arguments)
    return {
        "engine": single_threaded(replace(spec, shared_options=options)).to_json(),
        **_plan(arguments, load_params(arguments.only)),
        "conditions": asdict(conditions),
        "book": asdict(book),
    }


def _arena_settings(arguments: argparse.Namespace) -> dict[str, Any]:
    from tuning.selfplay.batches import Meeting, arranged
    from tuning.selfplay.duel import Rules

    for name in ("rev", "tc", "movetime", "depth", "tb"):
        if getattr(arguments, name) is not None:
            raise SetupError(f"--{name} has no use with --arena")
    if arguments.nodes is None or arguments.nodes < 1:
        raise SetupError("--arena needs --nodes, the nodes for each move")
    if arguments.hard is not None and arguments.hard < arguments.nodes:
        raise SetupError(f"--hard {arguments.hard} is less than --nodes {arguments.nodes}")
    params = load_params(arguments.only)
    if not arguments.only:  # where nodes are fixed, the parameters of time do nothing
        params = [param for param in params if not param.name.startswith("Time")]
    options = tuple(sorted(_options(arguments).items()))
    conditions, book = match.play_settings(arguments)
    rules = Rules(arguments.nodes, arguments.hard, arguments.hash, conditions.adjudication)
    return {
        "arena": asdict(arranged(Meeting(options, options, rules))),
        **_plan(arguments, params),
        "book": asdict(book),
    }


def _options(arguments: argparse.Namespace) -> dict[str, str]:
    """What ``--each`` asks for."""
    options, limit_words = parse_each(arguments.each)
    if limit_words:
        raise SetupError(f"--each takes options here, not {limit_words[0]!r}")
    return options


def _plan(arguments: argparse.Namespace, params: Sequence[Tunable]) -> dict[str, Any]:
    """What is learned and how."""
    if arguments.iterations < 1:
        raise SetupError(f"--iterations must be above zero, not {arguments.iterations}")
    if arguments.rate <= 0:
        raise SetupError(f"--rate must be above zero, not {arguments.rate:g}")
    return {
        "parameters": [param.name for param in params],
        "iterations": arguments.iterations,
        "rate": arguments.rate,
        "seed": arguments.seed,
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
    book = BookSettings(**settings["book"]).open(lambda message: console.print(f"! {message}", markup=False))
    try:
        player = InArena(settings, book) if "arena" in settings else Processes(settings, book)
    except SetupError:
        ledger.close()
        raise

    def pairs() -> Iterator[Any]:
        for iteration in range(settings["iterations"]):
            if iteration not in done:
                yield player.unit(iteration, spsa.candidates(iteration))

    code = failures = faults = played = 0
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
            began = shown = time.monotonic()
            for outcome in cluster.run(player.function, pairs(), lambda item: None):
                if outcome.error is not None:
                    console.print(f"! {outcome.error}", style="red", highlight=False, markup=False)
                    failures += 1
                    if failures >= 3:
                        raise SetupError(f"gave up: {outcome.error}")
                    continue
                learned: Learned = outcome.result
                faults += len(learned.faults)
                ledger.add("pair", asdict(learned))
                spsa.update(learned.iteration, learned.points)
                played += 1
                progress.update(bar, advance=1, faults=faults)
                if not console.is_terminal and time.monotonic() - shown >= LINE_EVERY:
                    shown = time.monotonic()
                    speed = 7200 * played / (shown - began)
                    console.print(f"{len(done) + played} pairs, {speed:,.0f} games/h", highlight=False)
    except KeyboardInterrupt:
        console.print(f"interrupted; go on with: python -m tuning.spsa --resume {shlex.quote(str(ledger.path))}")
        code = 130
    finally:
        cluster.close()
        if any(spsa.history.values()) and not ledger.closed:
            with suppress(SetupError):  # a full disk has been told, or is by the next run
                ledger.add("values", spsa.theta)
        ledger.close()
        signal.signal(signal.SIGTERM, before)
    console.print(result_table(spsa))
    if any(spsa.history.values()):
        from tuning.common.plots import save
        from tuning.learning.plots import trajectory_figure

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
        if arguments.resume:
            only_with_resume(parser(), words, BESIDE_RESUME)
        return run(arguments, console)
    except (SetupError, EngineFailure) as error:
        console.print(f"error: {error}", style="bold red", highlight=False, markup=False, soft_wrap=True)
        return 2


if __name__ == "__main__":
    sys.exit(main())
