"""Play two settings of this engine against each other, each game in one call of compiled code.

    python -m tuning.arena --new FutilityBase=110 --nodes 8000 --openings book.epd --sprt 0 5 --model normalized
    python -m tuning.arena --new EvalFile=net.nnue --base EvalType=Classical --nodes 5000 --games 2000
    python -m tuning.arena --resume results/arena-20260131-120000.jsonl

The two sides differ in evaluation (EvalType, EvalFile) or search parameters (see engine/search/params.py); all
else is the engine of this checkout. Other revisions and engines meet in tuning.match. A new idea in the search is
tested here by a parameter that switches it on.
"""

from __future__ import annotations

import argparse
import shlex
import signal
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from engine.messages import OptionError
from tuning import match
from tuning.cluster.choice import open_cluster
from tuning.common.errors import SetupError
from tuning.common.flags import only_with_resume
from tuning.common.ledger import Ledger
from tuning.matches.adjudication import Adjudication, parse_rule
from tuning.matches.records import GameRecord
from tuning.matches.report import elo_text, encounter_lines
from tuning.matches.tally import Encounter
from tuning.matches.tournament import BookSettings
from tuning.selfplay.batches import Batch, Meeting, Options, PlannedPair, arranged, play_batch
from tuning.selfplay.duel import Rules
from tuning.selfplay.sides import EVALUATION, evaluation_of, parameters_of
from tuning.statistics.elo import estimate
from tuning.statistics.sprt import MODELS, Sprt, expected_pairs

TOOL = "tuning.arena"

#: Seconds between lines of progress where there is no terminal.
LINE_EVERY = 30.0

#: Nodes a move, summed over the pairs of a batch: a few seconds of games.
_BATCH_NODES = 50_000

#: Batches that may fail before the run is given up.
PATIENCE = 3

#: Flags that may stand beside --resume.
BESIDE_RESUME = ("--games", "--scheduler", "--concurrency", "--pgn")


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything that decides what is played. Without ``games`` the book's length or the test is the end."""

    names: tuple[str, str]
    meeting: Meeting
    games: int | None = None
    book: BookSettings = field(default_factory=BookSettings)
    sprt: Sprt | None = None

    def to_json(self) -> dict[str, Any]:
        """As plain data, for the results file."""
        return asdict(self)

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Settings:
        """The inverse of :meth:`to_json`."""
        return cls(
            names=(data["names"][0], data["names"][1]),
            meeting=Meeting.from_json(data["meeting"]),
            games=data["games"],
            book=BookSettings(**data["book"]),
            sprt=Sprt(**data["sprt"]) if data["sprt"] else None,
        )


class Count:
    """Counts pairs in the order of their numbers, whatever order they come in.

    So the result, and where a sequential test ends, do not depend on how many processes play. Pairs beyond the end are
    kept in the results file but not counted.
    """

    def __init__(self, settings: Settings) -> None:
        self.encounter = Encounter(*settings.names)
        self.reasons: Counter[str] = Counter()
        self.nodes = self.plies = 0
        self.pairs = 0
        self._settings = settings
        self._waiting: dict[int, Mapping[str, Any]] = {}

    def knows(self, number: int) -> bool:
        """Whether this pair has come in."""
        return number < self.pairs or number in self._waiting

    def add(self, pair: Mapping[str, Any]) -> bool:
        """Take a pair; False, and nothing changes, if it is known already."""
        if self.knows(pair["number"]):
            return False
        self._waiting[pair["number"]] = pair
        while self.verdict is None and self.pairs in self._waiting:
            self._count(self._waiting.pop(self.pairs))
            self.pairs += 1
        return True

    def _count(self, pair: Mapping[str, Any]) -> None:
        points = pair["points"]
        for half in points:
            self.encounter.wdl[half] += 1
        self.encounter.pairs[sum(points)] += 1
        self.encounter.equal_pairs_decided += points in ([0, 2], [2, 0])
        self.reasons.update(pair["reasons"])
        self.plies += sum(pair["plies"])
        self.nodes += sum(pair["nodes"])

    @property
    def verdict(self) -> str | None:
        """What the sequential test has decided, if it has."""
        test = self._settings.sprt
        return None if test is None else test.verdict(self.encounter.pairs)

    @property
    def done(self) -> bool:
        """Whether no more games are wanted."""
        games = self._settings.games
        return self.verdict is not None or (games is not None and 2 * self.pairs >= games)


def sprt_text(test: Sprt, counts: Sequence[int]) -> str:
    """Where a sequential test stands."""
    llr = test.llr(counts)
    text = f"SPRT [{test.elo0:g}, {test.elo1:g}] {test.model}: LLR {llr:+.2f} in ({test.lower:.2f}, {test.upper:.2f})"
    verdict = test.verdict(counts)
    if verdict is not None:
        return f"{text}: {verdict} accepted"
    more = expected_pairs(test, counts)
    return text if more is None else f"{text}, about {2 * more:,.0f} games to go"


def final_line(count: Count, test: Sprt | None) -> str:
    """Elo with its 95% interval, normalized Elo, LLR and pentanomial counts, in one line."""
    found = estimate(count.encounter.pairs)
    if found is None:
        return "no pair was finished"
    parts = [f"Elo {found.text}"]
    if found.elo_low is not None:
        parts[0] += f" ({found.elo_low:+.1f} to {found.elo_high:+.1f})"
    if found.nelo is not None:
        parts.append(f"normalized {found.nelo:+.1f} ±{found.nelo_error:.1f}")
    if test is not None:
        verdict = test.verdict(count.encounter.pairs)
        parts.append(f"LLR {test.llr(count.encounter.pairs):+.2f}" + (f" {verdict} accepted" if verdict else ""))
    parts.append(f"pairs {', '.join(map(str, count.encounter.pairs))}")
    return "; ".join(parts) + f"; {count.encounter.games} games"


class Display:
    """Shows how far the games are: a bar on a terminal, a line now and then elsewhere."""

    def __init__(self, console: Console, settings: Settings, count: Count) -> None:
        self._console = console
        self._count = count
        self._test = settings.sprt
        self.bar = Progress(
            TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TextColumn("{task.fields[text]}"),
            TimeElapsedColumn(), console=console, disable=not console.is_terminal,
        )  # fmt: skip
        self._restored = 2 * count.pairs
        self._task = self.bar.add_task("games", total=settings.games, completed=self._restored, text="")
        self._began = self._shown = time.monotonic()
        self._came = 0  # games in this session, counted or not

    def add(self, games: int) -> None:
        """Show that so many ``games`` have come in."""
        if not self._came:  # the first ones come when the workers have started
            self._began = self._shown = time.monotonic() - 1.0
        self._came += games
        self.bar.update(self._task, completed=2 * self._count.pairs, text=self.text())
        if not self._console.is_terminal and time.monotonic() - self._shown >= LINE_EVERY:
            self._shown = time.monotonic()
            self._console.print(f"{2 * self._count.pairs} games, {self.text()}", highlight=False, markup=False)

    @property
    def games_per_hour(self) -> float:
        """Of this session."""
        return 3600 * self._came / max(time.monotonic() - self._began, 1.0)

    def text(self) -> str:
        """Where it stands, and how fast it is."""
        parts = [f"Elo {elo_text(self._count.encounter)}"]
        if self._test is not None:
            counts = self._count.encounter.pairs
            parts.append(f"LLR {self._test.llr(counts):+.2f} in ({self._test.lower:.2f}, {self._test.upper:.2f})")
        return ", ".join([*parts, f"{self.games_per_hour:,.0f} games/h"])


class _Enough(Exception):
    """All wanted games are there, or the test has ended."""


def plan(settings: Settings, count: Count, console: Console, with_games: bool = False) -> Iterator[Batch]:
    """The batches that are still to be played, each opening of the book once."""
    names = settings.names if with_games else None
    book = settings.book.open(lambda message: console.print(f"! {message}", markup=False))
    size = max(1, _BATCH_NODES // settings.meeting.rules.nodes)
    wanted = None if settings.games is None else (settings.games + 1) // 2
    pairs: list[PlannedPair] = []
    number = 0
    while wanted is None or number < wanted:
        opening = book.opening(number)
        if settings.book.path is not None and number > 0 and opening is book.opening(0):
            console.print(f"! the book ends after {number} openings: played again they would give the same games")
            break
        if not count.knows(number):
            pairs.append(PlannedPair(number, opening))
        if len(pairs) == size:
            yield Batch(settings.meeting, tuple(pairs), names)
            pairs = []
        number += 1
    if pairs:
        yield Batch(settings.meeting, tuple(pairs), names)


def play(
    settings: Settings,
    ledger: Ledger,
    count: Count,
    console: Console,
    *,
    scheduler: str | None = None,
    concurrency: int | None = None,
    pgn: Path | None = None,
) -> int:
    """Play until the games are there or the test has ended; the exit code. 130: interrupted, 1: with failures.

    The games themselves are appended to ``pgn``. What was played is in the ledger in any case.
    """
    display = Display(console, settings, count)

    def take(pairs: list[dict[str, Any]]) -> None:
        new = [pair for pair in pairs if count.add(pair)]
        for pair in new:
            games = pair.pop("games", ())
            ledger.add("pair", pair)
            if pgn is not None:
                with pgn.open("a", encoding="utf-8") as stream:
                    stream.writelines(GameRecord.from_json(game).to_pgn({"Event": "arena"}) for game in games)
        display.add(2 * len(new))
        if count.done:
            raise _Enough

    failures = 0
    before = signal.signal(signal.SIGTERM, match.as_interrupt), signal.getsignal(signal.SIGINT)
    cluster = None
    try:
        with console.status("starting workers"):
            cluster = open_cluster(scheduler, concurrency)
        with display.bar:
            for outcome in cluster.run(play_batch, plan(settings, count, console, pgn is not None), take):
                if outcome.error is None:
                    continue
                failures += 1
                console.print(f"! {outcome.error}", style="red", highlight=False, markup=False)
                if isinstance(outcome.error, SetupError) or failures >= PATIENCE:
                    return 1
    except _Enough:
        pass
    except SetupError as error:
        console.print(f"error: {error}", style="bold red", highlight=False, markup=False, soft_wrap=True)
        return 1
    except KeyboardInterrupt:
        console.print(f"interrupted; go on with: python -m tuning.arena --resume {shlex.quote(str(ledger.path))}")
        return 130
    finally:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # one Ctrl-C is enough; let everything close in order
        if cluster is not None:
            cluster.close()
        signal.signal(signal.SIGTERM, before[0])
        signal.signal(signal.SIGINT, before[1])
        console.print(f"{display.games_per_hour:,.0f} games an hour", highlight=False)
    return int(failures > 0)


def parser() -> argparse.ArgumentParser:
    """The command line of ``python -m tuning.arena``."""
    result = argparse.ArgumentParser(
        prog="python -m tuning.arena", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    group = result.add_argument_group("the sides: EvalType=, EvalFile=, search parameters, name=")
    group.add_argument("--new", nargs="*", default=[], metavar="NAME=VALUE", help="the side that is tested")
    group.add_argument("--base", nargs="*", default=[], metavar="NAME=VALUE", help="what it is measured against")
    group.add_argument("--each", nargs="*", default=[], metavar="NAME=VALUE", help="what both have")
    group = result.add_argument_group("thinking")
    group.add_argument("--nodes", type=int, default=8_000, metavar="N", help="nodes for each move (default 8000)")
    group.add_argument(
        "--hard", type=int, metavar="N",
        help="makes --nodes a soft limit: the iteration that passes it is finished, unless it comes to N nodes",
    )  # fmt: skip
    group.add_argument("--hash", type=int, default=16, metavar="MB", help="table of each side (default 16)")
    group = result.add_argument_group("how much to play")
    group.add_argument("--games", type=int, metavar="N", help="games (default 1000; with --sprt as many as it takes)")
    group.add_argument("--sprt", nargs=2, type=float, metavar=("ELO0", "ELO1"), help="stop when H0 or H1 is accepted")
    group.add_argument("--alpha", type=float, default=0.05, help="chance to accept H1 falsely (default 0.05)")
    group.add_argument("--beta", type=float, default=0.05, help="chance to accept H0 falsely (default 0.05)")
    group.add_argument("--model", choices=MODELS, default="logistic", help="the Elo that --sprt speaks of")
    group = result.add_argument_group("openings, each played twice with colours reversed")
    group.add_argument("--openings", metavar="FILE", help="EPD, FEN or PGN book (default: 8 random plies)")
    group.add_argument("--order", choices=("random", "sequential"), default="random", help="order of the book")
    group.add_argument("--seed", type=int, default=1, help="of the random order or the random openings (default 1)")
    group.add_argument("--plies", type=int, help="cut PGN lines to so many plies; without a book: random plies")
    group.add_argument("--chess960", action="store_true", help="Fischer random chess")
    usual = Adjudication()
    group = result.add_argument_group("ends of games, as in tuning.match")
    group.add_argument(
        "--resign", nargs="+", metavar="WORD", default=[],
        help=f"'off', or movecount= score= (centipawns) twosided=0|1; default movecount={usual.resign_moves} "
        f"score={usual.resign_score} twosided=1: both sides must agree",
    )  # fmt: skip
    group.add_argument(
        "--draw", nargs="+", metavar="WORD", default=[],
        help=f"'off', or movenumber= movecount= score=; default movenumber={usual.draw_from} "
        f"movecount={usual.draw_moves} score={usual.draw_score}",
    )  # fmt: skip
    group.add_argument("--maxmoves", type=int, default=0, metavar="N", help="call it a draw after N moves")
    match.add_cluster_flags(result)
    group = result.add_argument_group("results")
    group.add_argument("--json", metavar="FILE", help="results, one pair a line (default: results/arena-TIME.jsonl)")
    group.add_argument("--resume", metavar="FILE", help="go on with a results file; its settings are used")
    group.add_argument("--pgn", metavar="FILE", help="append the games themselves, with the scores")
    return result


def side_from(words: Sequence[str], role: str) -> tuple[str, Options]:
    """A side's name and options. Raises :class:`SetupError` for a word that is not NAME=VALUE."""
    options: dict[str, str] = {}
    name = ""
    for word in words:
        key, equals, value = word.partition("=")
        if not equals or not key:
            raise SetupError(f"--{role} {word}: write NAME=VALUE")
        if key == "name":
            name = value
        else:
            options[key] = str(Path(value).resolve()) if key == "EvalFile" and value else value
    described = " ".join(f"{key}={Path(value).name if key in EVALUATION else value}" for key, value in options.items())
    return name or f"{role} {described}".strip(), tuple(sorted(options.items()))


def settings_from(arguments: argparse.Namespace) -> Settings:
    """What the command line asks for. Raises :class:`SetupError` for what cannot be."""
    _check_numbers(arguments)
    first = side_from([*arguments.each, *arguments.new], "new")
    second = side_from([*arguments.each, *arguments.base], "base")
    for _, options in (first, second):
        try:
            parameters_of(dict(options))
            evaluation_of(dict(options))
        except OptionError as error:
            raise SetupError(str(error)) from None
    rules: dict[str, Any] = {
        **parse_rule(arguments.resign, match.RESIGN_KEYS, "--resign"),
        **parse_rule(arguments.draw, match.DRAW_KEYS, "--draw"),
    }
    if "resign_both" in rules:
        rules["resign_both"] = bool(rules["resign_both"])
    adjudication = Adjudication(max_moves=arguments.maxmoves, **rules)
    path = arguments.openings
    if path is not None and not Path(path).is_file():
        raise SetupError(f"--openings {path}: No such file")
    book = BookSettings(
        path and str(Path(path).resolve()), arguments.order, arguments.seed, arguments.plies, arguments.chess960
    )
    sprt = None
    if arguments.sprt:
        elo0, elo1 = arguments.sprt
        sprt = Sprt(elo0, elo1, arguments.alpha, arguments.beta, arguments.model)
    games = 1000 if arguments.games is None and sprt is None else arguments.games
    rules_played = Rules(arguments.nodes, arguments.hard, arguments.hash, adjudication)
    return Settings((first[0], second[0]), Meeting(first[1], second[1], rules_played), games, book, sprt)


def _check_numbers(arguments: argparse.Namespace) -> None:
    """Raise :class:`SetupError` for a number that cannot be."""
    limits = {"nodes": (1, 10**9), "hash": (1, 65_536), "games": (1, 10**9), "hard": (arguments.nodes, 10**12)}
    for name, (least, most) in limits.items():
        value = getattr(arguments, name)
        if value is not None and not least <= value <= most:
            raise SetupError(f"--{name} {value} is not from {least} to {most}")


def _begun(arguments: argparse.Namespace, say: Callable[[str], None]) -> tuple[Settings, Ledger, Count]:
    """A new run. Raises :class:`SetupError`."""
    settings = settings_from(arguments)
    settings.book.open(lambda message: None)  # a book that cannot be used is named before anything is played
    settings = replace(settings, meeting=arranged(settings.meeting, say))
    path = Path(arguments.json or f"results/arena-{datetime.now():%Y%m%d-%H%M%S}.jsonl")
    return settings, Ledger.create(path, TOOL, settings.to_json()), Count(settings)


def _resumed(path: Path, games: int | None, say: Callable[[str], None]) -> tuple[Settings, Ledger, Count]:
    """The run of a results file with the pairs that it has; another number of ``games`` is noted in it.

    Raises :class:`SetupError`.
    """
    ledger, events = Ledger.resume(path, TOOL)
    try:
        settings = Settings.from_json(ledger.settings)
        changes = [data["games"] for kind, data in events if kind == "change"]
        settings = replace(settings, games=changes[-1]) if changes else settings
        if arranged(settings.meeting, say) != settings.meeting:
            raise SetupError(f"{path} was begun with another engine, network or evaluation: begin a new test")
        if games is not None and games != settings.games:
            say(f"games: {games} in place of {'no end' if settings.games is None else settings.games}")
            ledger.add("change", {"games": games})
            settings = replace(settings, games=games)
        count = Count(settings)
        for kind, data in events:
            if kind == "pair":
                count.add(data)
    except BaseException as error:
        ledger.close()
        if isinstance(error, (KeyError, TypeError, IndexError, AttributeError)):
            raise SetupError(f"{path} is no whole results file: {error!r}") from None
        raise
    return settings, ledger, count


def run(arguments: argparse.Namespace, console: Console) -> int:
    """Do what the command line says. Raises :class:`SetupError` when it cannot be done."""
    pgn = Path(arguments.pgn) if arguments.pgn else None
    try:
        if pgn is not None:
            pgn.parent.mkdir(parents=True, exist_ok=True)
            pgn.open("a", encoding="utf-8").close()
    except OSError as error:
        raise SetupError(f"cannot write {pgn}: {error.strerror}") from None

    def say(line: str) -> None:
        console.print(line, highlight=False, markup=False)

    if arguments.resume:
        _check_numbers(arguments)
        settings, ledger, count = _resumed(Path(arguments.resume), arguments.games, say)
    else:
        settings, ledger, count = _begun(arguments, say)
    first, second = settings.names
    say(f"{first} against {second}; results: {ledger.path}")
    code = 0
    try:
        if not count.done:
            code = play(
                settings, ledger, count, console,
                scheduler=arguments.scheduler, concurrency=arguments.concurrency, pgn=pgn,
            )  # fmt: skip
    finally:
        if count.pairs and not ledger.closed:
            with suppress(SetupError):  # a full disk has been told, or is by the next run
                ledger.add("summary", summary(settings, count))
        ledger.close()
    if count.pairs:
        console.print(encounter_lines(count.encounter))
        if settings.sprt is not None:
            say(sprt_text(settings.sprt, count.encounter.pairs))
        ends = ", ".join(f"{name} {number}" for name, number in count.reasons.most_common())
        say(f"ends: {ends}; {count.plies / count.encounter.games:.0f} plies a game")
        console.print(final_line(count, settings.sprt), highlight=False, markup=False, soft_wrap=True)
    return code


def summary(settings: Settings, count: Count) -> dict[str, Any]:
    """All figures of a run, ready for JSON."""
    found = estimate(count.encounter.pairs)
    assert found is not None
    data: dict[str, Any] = {
        "first": settings.names[0], "second": settings.names[1], "games": count.encounter.games,
        "wdl": count.encounter.wdl, "pentanomial": count.encounter.pairs,
    }  # fmt: skip
    data |= found.figures()
    if (test := settings.sprt) is not None:
        data["sprt"] = {**asdict(test), "llr": round(test.llr(count.encounter.pairs), 4), "verdict": count.verdict}
    return data


def main(words: Sequence[str] | None = None) -> int:
    """Run the command line; 0: done, 1: with failures, 2: cannot be done as asked, 130: interrupted."""
    arguments = parser().parse_args(words)
    console = match.make_console()
    try:
        if arguments.resume:
            only_with_resume(parser(), words, BESIDE_RESUME)
        return run(arguments, console)
    except SetupError as error:
        console.print(f"error: {error}", style="bold red", highlight=False, markup=False, soft_wrap=True)
        return 2


if __name__ == "__main__":
    sys.exit(main())
