"""Reports of a tournament, during and after play."""

from collections import deque
from dataclasses import asdict
from itertools import zip_longest
from typing import Any

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from engine.console import Console
from engine.messages import counted
from tuning.common.display import Display, table
from tuning.matches.fastchess import FAULTS, MatchGame
from tuning.matches.tally import Encounter, Tally
from tuning.statistics.elo import MIN_OBSERVATIONS, estimate
from tuning.statistics.ratings import MIN_GAMES, RatingList, fit
from tuning.statistics.sprt import Sprt, sprt_text


def summary(tally: Tally, test: Sprt | None) -> dict[str, Any]:
    """All figures of a tournament, for JSON; ``None`` is infinite or unknown."""
    encounters = [_encounter_figures(encounter) for encounter in tally.encounters.values()]
    data: dict[str, Any] = {"games": tally.games, "encounters": encounters, "engines": {}}
    for name, count in tally.engines.items():
        data["engines"][name] = {
            "games": count.games,
            **{heading: count.faults[heading] for heading in FAULTS},
            "warnings": count.warnings.total(),
        }
    if test is not None:
        counts = next(iter(tally.encounters.values())).pairs
        bounds = {"lower": round(test.lower, 4), "upper": round(test.upper, 4)}
        data["sprt"] = {**asdict(test), **bounds, "llr": round(test.llr(counts), 4), "verdict": test.verdict(counts)}
    if len(tally.engines) > 2 and (rating_list := ratings_of(tally)) is not None:
        data["ratings"] = [
            {"name": r.name, "elo": round(r.elo, 1), "error": None if r.error is None else round(r.error, 1),
             "points": r.points, "games": r.games}
            for r in rating_list.ratings
        ]  # fmt: skip
    return data


def _encounter_figures(encounter: Encounter) -> dict[str, Any]:
    losses, draws, wins = encounter.wdl
    figures: dict[str, Any] = {
        "first": encounter.first, "second": encounter.second, "wins": wins, "losses": losses, "draws": draws,
        "pentanomial": encounter.pairs, "draw ratio": round(encounter.draw_ratio, 4),
    }  # fmt: skip
    if (found := estimate(encounter.counts)) is not None:
        figures |= found.figures()
    return figures


def ratings_of(tally: Tally) -> RatingList | None:
    """The rating list so far; ``None`` while some players are not connected by games."""
    results = {key: encounter.wdl for key, encounter in tally.encounters.items()}
    met = {name for key, counts in results.items() if sum(counts) for name in key}
    names = [name for name in tally.engines if name in met]
    try:
        return fit(names, {key: counts for key, counts in results.items() if sum(counts)})
    except ValueError:
        return None


def elo_text(encounter: Encounter) -> str:
    """Elo of the first engine with its error, as :attr:`tuning.statistics.elo.Estimate.text` writes it."""
    found = estimate(encounter.counts)
    return "-" if found is None else found.text


def encounter_lines(encounter: Encounter) -> Text:
    """One pairing in full, for a match of two."""
    losses, draws, wins = encounter.wdl
    games = counted(encounter.games, "game")
    lines = [f"{encounter.first} against {encounter.second}: {games}, +{wins} ={draws} -{losses}"]
    found = estimate(encounter.counts)
    if found is not None:
        lines[0] += f", {100 * encounter.points / encounter.games:.1f}%"
        drawn = f"draws {100 * encounter.draw_ratio:.1f}%"
        pairs = sum(encounter.pairs)
        if found.los is None:
            lines.append(f"Elo {elo_text(encounter)}: error bars need {MIN_OBSERVATIONS} pairs")
            lines.append(drawn)
        else:
            normalized = f", normalized {found.nelo:+.1f} ±{found.nelo_error:.1f}" if found.nelo is not None else ""
            lines.append(f"Elo {elo_text(encounter)} (95%, from {'pairs' if pairs else 'single games'}){normalized}")
            lines.append(f"superiority {100 * found.los:.1f}%, {drawn}")
        lines.append(f"pairs by points 0, ½, 1, 1½, 2: {', '.join(map(str, encounter.pairs))}")
    return Text("\n".join(lines))


def encounter_table(tally: Tally) -> RenderableType:
    """One line for each pairing."""
    encounters = list(tally.encounters.values())
    if len(encounters) == 1:
        return encounter_lines(encounters[0])
    made = table(2, "First", "Second", "+", "=", "-", "Score", "Elo (95%)", "LOS", "Pairs")
    for encounter in encounters:
        found = estimate(encounter.counts)
        score = f"{100 * encounter.points / encounter.games:.1f}%" if encounter.games else "-"
        superiority = f"{100 * found.los:.0f}%" if found and found.los is not None else "-"
        made.add_row(
            encounter.first, encounter.second, *map(str, reversed(encounter.wdl)), score, elo_text(encounter),
            superiority, " ".join(map(str, encounter.pairs)),
        )  # fmt: skip
    return made


def rating_table(rating_list: RatingList) -> Table:
    """The list from best to worst, with the likelihood that each is stronger than the next."""
    title = "Ratings (Bradley-Terry, relative to the mean)"
    if rating_list.softened:
        title += "; for clean scores the extremes are bounds"
    if any(rating.games < MIN_GAMES for rating in rating_list.ratings):
        title += f"; no error from fewer than {MIN_GAMES} games"
    made = table(1, "Engine", "Elo", "±95%", "Points", "Games", "Above next")
    made.title, made.title_justify = title, "left"
    for rating, following in zip_longest(rating_list.ratings, rating_list.ratings[1:]):
        above = rating_list.superiority.get((rating.name, following.name)) if following else None
        error = "-" if rating.error is None else f"{rating.error:.0f}"
        chance = "" if above is None else f"{100 * above:.0f}%"
        made.add_row(rating.name, f"{rating.elo:+.0f}", error, f"{rating.points:g}", str(rating.games), chance)
    return made


def engine_table(tally: Tally) -> Group:
    """Faults of each engine, and fastchess's warnings."""
    made = table(1, "Engine", "Lost on time", "Stalled", "Illegal", "Disconnected", "Warnings")
    for name, count in tally.engines.items():
        counts = [count.faults[heading] for heading in FAULTS] + [count.warnings.total()]
        made.add_row(name, *(Text(str(number), "bold red" if number else "") for number in counts))
    warnings = [
        Text(f"warnings about {name}: {', '.join(f'{text} ({times})' for text, times in count.warnings.most_common())}")
        for name, count in tally.engines.items()
        if count.warnings
    ]
    return Group(made, *warnings)


def sprt_line(tally: Tally, test: Sprt | None) -> str | None:
    """The state of the sequential test."""
    return None if test is None else sprt_text(test, next(iter(tally.encounters.values())).pairs)


def closing(tally: Tally, test: Sprt | None) -> Group:
    """The final report."""
    parts: list[RenderableType] = [encounter_table(tally)]
    if line := sprt_line(tally, test):
        parts += ["", line]
    if len(tally.engines) > 2 and (rating_list := ratings_of(tally)) is not None:
        parts += ["", rating_table(rating_list)]
    parts += ["", engine_table(tally)]
    return Group(*parts)


class LiveReport(Display):
    """Games as they end: tables and the last games below the bar on a terminal, elsewhere a line now and then."""

    def __init__(self, console: Console, tally: Tally, test: Sprt | None, total: int | None) -> None:
        super().__init__(console, "games", total, tally.games)
        self.bar.below = self._below
        self.bar.live.transient = True
        self._tally, self._test, self._total = tally, test, total
        self._recent: deque[str] = deque(maxlen=5)

    def show_game(self, game: MatchGame) -> None:
        text = f"{game.white} - {game.black} {game.result} {game.reason}"
        self._recent.append(text)
        if game.fault:
            print_trouble(self._console, f"game {game.pair + 1}.{game.index + 1}: {text}")
        self.show(self._tally.games, "", self._line())

    def _below(self) -> list[RenderableType]:
        parts: list[RenderableType] = [encounter_table(self._tally)]
        if line := sprt_line(self._tally, self._test):
            parts.append(line)
        parts.append(engine_table(self._tally))
        return parts + [Text(line, "dim", no_wrap=True, overflow="ellipsis") for line in self._recent]

    def _line(self) -> str:
        tally, total = self._tally, self._total
        parts = [f"{tally.games}/{counted(total, 'game')}" if total else counted(tally.games, "game")]
        if len(tally.encounters) == 1:
            encounter = next(iter(tally.encounters.values()))
            losses, draws, wins = encounter.wdl
            parts.append(f"+{wins} ={draws} -{losses}, Elo {elo_text(encounter)}")
            if line := sprt_line(self._tally, self._test):
                parts.append(line)
        faults = [f"{count} {heading}" for heading, count in tally.faults.items() if count]
        return "; ".join(parts + faults)


def print_trouble(console: Console, message: str) -> None:
    """Print something that went wrong; it stays on the screen."""
    console.print(f"! {message}", style="red", soft_wrap=True)
