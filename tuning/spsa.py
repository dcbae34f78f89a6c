"""Tune the search parameters by games: simultaneous perturbation stochastic approximation.

    python -m tuning.spsa --arena --nodes 8000 --iterations 30000 --openings book.epd
    python -m tuning.spsa --arena --clock 300000+3000 --only TimeMoves TimeEffort --iterations 9000 --openings book.epd
    python -m tuning.spsa --only TimeEffort TimeTrend --tc 2+0.02 --iterations 2000 --openings book.epd

Each iteration plays one pair of games between theta + c*delta and theta - c*delta, delta a random sign for
every parameter at once, and moves theta along delta by the result, so two games yield information on all
parameters. After J. C. Spall (1998), https://www.jhuapl.edu/SPSA, with the gains of fishtest: the
step c ends at the table's step size, the learning rate r at --rate.

With --arena games are played in compiled code (see tuning.arena), else by two processes of the engine.
"""

from __future__ import annotations

import argparse
import shlex
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from engine.console import Console
from engine.search.params import Param
from tuning.cluster.run import run_units
from tuning.common import command
from tuning.common.display import Display
from tuning.common.errors import SetupError
from tuning.common.flags import add_check_flag, add_cluster_flags, add_results_flags, results_path
from tuning.common.ledger import Ledger
from tuning.common.revisions import PROJECT
from tuning.learning.spsa import TOOL, Gains, InArena, Processes, Spsa, SpsaPair, load_params, result_table
from tuning.matches.engines import EngineSpec, parse_each, parse_words
from tuning.matches.flags import (
    add_arena_flags,
    add_each_flag,
    add_limit_flags,
    add_play_flags,
    limits_from,
    play_settings,
    with_commit,
)
from tuning.matches.tournament import BookSettings, single_threaded
from tuning.matches.units import introduce
from tuning.statistics.pace import points_for_time

#: Flags that --resume allows.
BESIDE_RESUME = ("--plot", "--scheduler", "--concurrency")


def parser() -> argparse.ArgumentParser:
    """The command line of ``python -m tuning.spsa``."""
    result = command.make_parser("spsa", __doc__)
    result.add_argument(
        "--only", nargs="+", metavar="NAME",
        help="parameters to tune (default: all except switches, and with --arena --nodes also except those of time)",
    )  # fmt: skip
    result.add_argument("--iterations", type=int, default=1000, metavar="N", help="pairs of games (default 1000)")
    result.add_argument("--rate", type=float, default=0.002, help="final learning rate (default 0.002)")
    result.add_argument("--rev", metavar="REV", help="engine at a git revision ('.': a snapshot of the working tree)")
    add_each_flag(result)
    group = result.add_argument_group("the arena")
    group.add_argument("--arena", action="store_true", help="play in compiled code, with --nodes per move or --clock")
    add_arena_flags(group)
    group.add_argument(
        "--doubling", type=float, default=0.0, metavar="ELO",
        help="Elo that a doubling of time is worth, taken from the side whose nodes take longer: fixed nodes do "
        "not count time (default 0)",
    )  # fmt: skip
    add_limit_flags(result)
    add_play_flags(result)
    add_cluster_flags(result)
    add_check_flag(result)
    group = add_results_flags(result, "spsa", "pair")
    group.add_argument("--plot", metavar="FILE", help="plot of the parameters (default: beside the results, .png)")
    return result


def _settings(arguments: argparse.Namespace) -> dict[str, Any]:
    if arguments.arena:
        return _arena_settings(arguments)
    for name in ("hard", "clock"):
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
    from tuning.selfplay.duel import DuelRules
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
    rules = DuelRules(arguments.nodes or 8_000, arguments.hard, arguments.hash, clock, conditions.adjudication)
    return {
        "arena": asdict(arranged(Meeting(options, options, rules))),
        **_plan(arguments, params),
        "book": asdict(book),
        "doubling": arguments.doubling,
    }


def _options(arguments: argparse.Namespace) -> dict[str, str]:
    """The options of ``--each``."""
    options, limit_words = parse_each(arguments.each)
    if limit_words:
        raise SetupError(f"--each takes options here, not {limit_words[0]!r}")
    return options


def _plan(arguments: argparse.Namespace, params: Sequence[Param]) -> dict[str, Any]:
    """The parameters, and how they are learned."""
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
    """Play, learn and report. Raises :class:`SetupError` for a request that is not possible."""
    events: list[tuple[str, Any]] = []
    if arguments.resume:
        ledger, events = Ledger.resume(Path(arguments.resume), TOOL)
        settings = dict(ledger.settings)
    else:
        settings = _settings(arguments)
        if arguments.check:
            BookSettings(**settings["book"]).open(lambda fault: None)
            if "engine" in settings:
                introduce(EngineSpec.from_json(settings["engine"]))
            return command.checked(console, arguments.json)
        ledger = Ledger.create(results_path(arguments, "spsa"), TOOL, settings)
    spsa = Spsa(load_params(settings["parameters"]), Gains(settings["iterations"], settings["rate"]), settings["seed"])
    doubling = settings.get("doubling", 0.0)  # older files have none
    done = set()
    for kind, data in events:
        if kind == "pair":
            done.add(data["iteration"])
            spsa.update(data["iteration"], data["points"] - points_for_time(data.get("log_pace"), doubling))
    book = BookSettings(**settings["book"]).open(lambda message: console.print(f"! {message}"))
    try:
        player = InArena(settings, book) if "arena" in settings else Processes(settings, book)
    except SetupError:
        ledger.close()
        raise

    def pairs() -> Iterator[Any]:
        for iteration in range(settings["iterations"]):
            if iteration not in done:
                yield player.unit(iteration, spsa.candidates(iteration))

    faults = played = 0
    display = Display(console, "pairs", settings["iterations"], len(done))

    def learn(pair: SpsaPair) -> None:
        nonlocal faults, played
        faults += len(pair.faults)
        ledger.add("pair", asdict(pair))
        spsa.update(pair.iteration, pair.points - points_for_time(pair.log_pace, doubling))
        played += 1
        speed, total = f"{7200 * played / display.seconds:,.0f} games/h", len(done) + played
        display.show(total, f"{faults} games lost on time or by faults, {speed}", f"{total} pairs, {speed}")

    try:
        code = run_units(
            player.function, pairs(), on_result=learn, bar=display.bar, console=console,
            scheduler=arguments.scheduler, workers=arguments.concurrency,
            advice=f"continue with: python -m tuning.spsa --resume {shlex.quote(str(ledger.path))}",
        )  # fmt: skip
    finally:
        if any(spsa.history.values()):
            ledger.finish("values", spsa.theta)
        ledger.close()
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


def main(words: Sequence[str] | None = None) -> int:
    """Run the command line; see :func:`tuning.common.command.execute` for the exit code."""
    return command.execute(parser, run, words, BESIDE_RESUME)


if __name__ == "__main__":
    sys.exit(main())
