"""Annotated games as a table in CSV, with a row for each move, from what their pages show."""

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from engine.analysis.player import SIDES, moves_of
from engine.explanation.grades import Grade

#: The columns; the chances are White's expected points in percent before and after the move.
COLUMNS = (
    "file", "game", "date", "white", "black", "result", "opening", "number", "side", "player", "move", "phase", "clock",
    "score", "chance_before", "chance_after", "book", "mark", "missed", "allowed", "better", "reason", "engine",
)  # fmt: skip

HEADER = ",".join(COLUMNS)  # the first line, by which such a file is known


def table_of(
    files: Iterable[tuple[str, Sequence[Mapping[str, Any]]]], phases: Sequence[str], marks: Sequence[Grade]
) -> str:
    """The table of the games of ``files``, each with its name."""
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerow(COLUMNS)
    for file, games in files:
        for game in games:
            for move in moves_of(game["number"], game):
                shown, before = move.entry, game["plies"][move.ply - 1]
                theme, missed = shown.get("theme", ""), shown.get("missed", False)
                table.writerow(
                    [
                        *map(_safe, (file, move.number, game["date"])),
                        *(_safe(side["name"]) for side in game["sides"]),
                        *map(_safe, (game["result"], game["opening"])),
                        game["first"][0] + (move.ply - game["first"][1]) // 2,
                        SIDES[move.side],
                        _safe(move.side_entry["name"]),
                        shown["san"],
                        phases[shown.get("phase", 0)],
                        shown.get("clock", ""),
                        shown["score"].removeprefix("+"),
                        before["chance"],
                        shown["chance"],
                        int(shown.get("book", False)),
                        marks[shown["mark"] - 1].word if "mark" in shown else "",
                        theme if missed else "",
                        "" if missed else theme,
                        shown["line"][0].split()[0] if "line" in shown else "",
                        shown.get("why", ""),
                        _safe(game["engine"]),
                    ]
                )
    return text.getvalue()


def _safe(cell: object) -> object:
    """``cell`` so that no spreadsheet takes a text from a file of games for a formula.

    >>> _safe("=1+1"), _safe("Ann"), _safe(7)
    ("'=1+1", 'Ann', 7)
    """
    return f"'{cell}" if isinstance(cell, str) and cell[:1] in tuple("=+-@\t\r") else cell
