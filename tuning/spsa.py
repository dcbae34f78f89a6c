"""Tune the search parameters by games: simultaneous perturbation stochastic approximation.

    python -m tuning.spsa --arena --nodes 8000 --iterations 30000 --openings book.epd
    python -m tuning.spsa --arena --clock 300000+3000 --only TimeMoves TimeEffort --iterations 9000 --openings book.epd
    python -m tuning.spsa --only TimeEffort TimeTrend --tc 2+0.02 --iterations 2000 --openings book.epd

Each iteration plays one pair of games between theta + c*delta and theta - c*delta, delta a random sign for
every parameter at once, and moves theta along delta by the result, so two games tell something about all
parameters. After J. C. Spall (1998), https://www.jhuapl.edu/SPSA, with the gains of fishtest: the
step c ends at the table's step size, the learning rate r at --rate.

With --arena games are played in compiled code (see tuning.arena), else by two processes of the engine.
"""

from __future__ import annotations

import argparse
import shlex
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from engine.console import Console
from tuning.cluster.base import ClusterLost
from tuning.cluster.choice import open_cluster
from tuning.common import command
from tuning.common.command import as_interrupt
from tuning.common.display import Display
from tuning.common.errors import EngineFailure, SetupError
from tuning.common.flags import add_check_flag, add_cluster_flags, add_keep_flag, add_results_flags, only_with_resume
from tuning.common.ledger import Ledger
from tuning.common.revisions import PROJECT
from tuning.learning.spsa import TOOL, Gains, InArena, Learned, Processes, Spsa, Tunable, load_params, result_table
from tuning.matches.engines import EngineSpec, parse_each, parse_words
from tuning.matches.flags import add_limit_flags, add_play_flags, limits_from, play_settings, with_commit
from tuning.matches.tournament import BookSettings, single_threaded
from tuning.matches.units import introduce
from tuning.statistics.pace import points_for_time

#: Flags that may stand beside --resume.
BESIDE_RESUME = ("--plot", "--scheduler", "--concurrency", "--keep")


def parser() -> argparse.ArgumentParser:
    """The command line of ``python -m tuning.spsa``."""
    result = argparse.ArgumentParser(
        prog="python -m tuning.spsa", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    result.add_argument(
        "--only", nargs="+", metavar="NAME",
        help="parameters to tune (default: all except switches, and with --arena --nodes also except those of time)",
    )  # fmt: skip
    result.add_argument("--iterations", type=int, default=1000, metavar="N", help="pairs of games (default 1000)")
    result.add_argument("--rate", type=float, default=0.002, help="final learning rate (default 0.002)")
    result.add_argument("--rev", metavar="REV", help="engine at a git revision ('.': a snapshot of the working tree)")
    result.add_argument("--each", nargs="+", default=[], metavar="WORD", help="option.NAME=VALUE for the engine")
    group = result.add_argument_group("the arena")
    group.add_argument("--arena", action="store_true", help="play in compiled code, with --nodes per move or --clock")
    group.add_argument(
        "--hard", type=int, metavar="N",
        help="makes --nodes a soft limit: the iteration that exceeds it is finished, up to N nodes",
    )  # fmt: skip
    group.add_argument(
        "--clock", metavar="N+N",
        help="a clock that runs on nodes, for the game and for each move, in place of --nodes (see tuning.arena)",
    )  # fmt: skip
    group.add_argument(
        "--hash", type=int, default=16, metavar="MB", help="transposition table of each side in MB (default 16)"
    )
    group.add_argument(
        "--doubling", type=float, default=0.0, metavar="ELO",
        help="what twice the time is worth: the side whose nodes take longer, which fixed nodes do not count, gives it "
        "back (default 0)",
    )  # fmt: skip
    add_limit_flags(result)
    add_play_flags(result)
    add_cluster_flags(result)
    add_check_flag(result)
    group = add_results_flags(result, "spsa", "pair")
    add_keep_flag(group)
    group.add_argument("--plot", metavar="FILE", help="plot of the parameters (default: beside the results, .png)")
    return result


def _settings(arguments: argparse.Namespace) -> dict[str, Any]:
    if arguments.arena:
        return _arena_settings(arguments)
    for name in ("hard", "clock", "keep"):
        if getattr(arguments, name) is not None:
            raise SetupError(f"--{name} goes with --arena")
    if arguments.doubling:
        raise SetupError("--doubling goes with --arena")
    limits = limits_from(arguments)
    if not limits.bounded:
        raise SetupError("no limit: give --tc, --movetime, --nodes or --depth")
    options = _options(arguments)
    spec = EngineSpec("Numbat", (sys.executable, str(PROJECT / "uci_main.py"), "--tune"), limits=limits)
    if arguments.rev:
        spec = with_commit(parse_words(["name=Numbat", f"rev={arguments.rev}", "arg=--tune"], limits))
    conditions, book = play_settings(arguments)
    return {
        "engine": single_threaded(replace(spec, shared_options=options)).to_json(),
        **_plan(arguments, load_params(arguments.only)),
        "conditions": asdict(conditions),
        "book": asdict(book),
    }


def _arena_settings(arguments: argparse.Namespace) -> dict[str, Any]:
    from tuning.selfplay.batches import Meeting, arranged
    from tuning.selfplay.duel import Rules
    from tuning.selfplay.sides import clock_from

    for name in ("rev", "tc", "movetime", "depth", "tb"):
        if getattr(arguments, name) is not None:
            raise SetupError(f"--{name} has no effect with --arena")
    clock = clock_from(arguments.clock, arguments.hard)
    if clock is None and (arguments.nodes is None or arguments.nodes < 1):
        raise SetupError("--arena needs --nodes, the nodes per move, or --clock")
    if clock is None and arguments.hard is not None and arguments.hard < arguments.nodes:
        raise SetupError(f"--hard {arguments.hard} is less than --nodes {arguments.nodes}")
    if not 0 <= arguments.doubling <= 1000:
        raise SetupError(f"--doubling {arguments.doubling:g} is not from 0 to 1000 Elo")
    params = load_params(arguments.only)
    if not arguments.only and clock is None:  # with fixed nodes the parameters of time do nothing
        params = [param for param in params if not param.name.startswith("Time")]
    options = tuple(sorted(_options(arguments).items()))
    conditions, book = play_settings(arguments)
    rules = Rules(arguments.nodes or 8_000, arguments.hard, arguments.hash, clock, conditions.adjudication)
    return {
        "arena": asdict(arranged(Meeting(options, options, rules))),
        **_plan(arguments, params),
        "book": asdict(book),
        "doubling": arguments.doubling,
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


def _keeper(path: Path | None) -> Callable[[bytes], Any]:
    """What is done with games that come in. Raises :class:`SetupError` for a file that cannot be used."""
    if path is None:
        return lambda games: None
    from tuning.selfplay.keeping import keeper  # the engine, which tuning by processes does not need

    return keeper(path)


def run(arguments: argparse.Namespace, console: Console) -> int:
    """Do what the command line says. Raises :class:`SetupError` when it cannot be done."""
    events: list[tuple[str, Any]] = []
    if arguments.resume:
        keep = _keeper(arguments.keep)
        ledger, events = Ledger.resume(Path(arguments.resume), TOOL)
        settings = dict(ledger.settings)
    else:
        settings = _settings(arguments)
        if arguments.check:
            return _check(settings, arguments.json, console)
        keep = _keeper(arguments.keep)
        path = Path(arguments.json or f"results/spsa-{datetime.now():%Y%m%d-%H%M%S}.jsonl")
        ledger = Ledger.create(path, TOOL, settings)
    spsa = Spsa(load_params(settings["parameters"]), Gains(settings["iterations"], settings["rate"]), settings["seed"])
    doubling = settings.get("doubling", 0.0)  # older files have none
    done = set()
    for kind, data in events:
        if kind == "pair":
            done.add(data["iteration"])
            spsa.update(data["iteration"], data["points"] - points_for_time(data.get("log_pace"), doubling))
    book = BookSettings(**settings["book"]).open(lambda message: console.print(f"! {message}"))
    kept = arguments.keep is not None
    try:
        player = InArena(settings, book, kept) if "arena" in settings else Processes(settings, book)
    except SetupError:
        ledger.close()
        raise

    def pairs() -> Iterator[Any]:
        for iteration in range(settings["iterations"]):
            if iteration not in done:
                yield player.unit(iteration, spsa.candidates(iteration))

    code = failures = faults = played = 0
    cluster = open_cluster(arguments.scheduler, arguments.concurrency, command.warner(console))
    display = Display(console, "pairs", settings["iterations"], len(done))
    before = signal.signal(signal.SIGTERM, as_interrupt)
    try:
        with display.bar:
            display.begin()
            for outcome in cluster.run(player.function, pairs(), keep):
                if outcome.error is not None:
                    console.print(f"! {outcome.error}", style="red")
                    failures += 1
                    if failures >= 3:
                        raise SetupError(f"gave up: {outcome.error}")
                    continue
                learned: Learned = outcome.result
                faults += len(learned.faults)
                ledger.add("pair", asdict(learned))
                spsa.update(learned.iteration, learned.points - points_for_time(learned.log_pace, doubling))
                played += 1
                came = len(done) + played
                speed = f"{7200 * played / display.seconds:,.0f} games/h"
                display.show(came, f"{faults} games lost on time or by faults, {speed}", f"{came} pairs, {speed}")
    except (KeyboardInterrupt, ClusterLost) as error:
        again = f"continue with: python -m tuning.spsa --resume {shlex.quote(str(ledger.path))}"
        code = command.stopped(console, error, again)
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
        console.print(f"\npicture: {picture}")
    console.print(f"results: {ledger.path}")
    return code


def _check(settings: dict[str, Any], results: str | None, console: Console) -> int:
    """What ``--check`` does. Raises :class:`SetupError` or :class:`EngineFailure`."""
    BookSettings(**settings["book"]).open(lambda fault: None)
    if "engine" in settings:
        introduce(EngineSpec.from_json(settings["engine"]))
    return command.checked(console, results)


@command.interruptible
def main(words: Sequence[str] | None = None) -> int:
    """Run the command line; 0: done, 2: cannot be done as asked, 130: interrupted."""
    arguments = parser().parse_args(words)
    console = command.make_console()
    try:
        if arguments.resume:
            only_with_resume(parser(), words, BESIDE_RESUME)
        return run(arguments, console)
    except (SetupError, EngineFailure) as error:
        return command.refused(console, error)


if __name__ == "__main__":
    sys.exit(main())
