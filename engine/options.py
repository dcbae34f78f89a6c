"""The options that a user can set: their names, kinds, defaults and ranges, in one table.

Everything that offers options reads this table: the protocol layer prints and parses by it, the engine takes
its defaults from it, and a test compares the table in ``uci/README.md`` with it. Names and kinds are those of the UCI
protocol (Stefan Meyer-Kahlen, 2006). Free of heavy imports, because ``uciok`` needs it before the engine is loaded.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from engine.messages import OptionError

#: What an option holds once parsed; a button holds nothing.
Value = int | bool | str | None

#: How UCI writes an empty string.
EMPTY = "<empty>"

#: No number in the protocol needs more digits; longer ones are not worth converting.
_MOST_DIGITS = 19


@dataclass(frozen=True, slots=True)
class Option:
    """One option: its UCI ``kind`` (spin, check, combo, button or string), its default and what it may hold.

    ``minimum`` and ``maximum`` bound a spin, ``choices`` a combo; ``help`` is one sentence for the user.
    """

    name: str
    kind: str
    default: Value = None
    minimum: int = 0
    maximum: int = 0
    choices: tuple[str, ...] = ()
    help: str = ""

    @property
    def allowed(self) -> str:
        """In words, what the option may hold."""
        match self.kind:
            case "spin":
                return f"a whole number from {self.minimum} to {self.maximum}"
            case "check":
                return "true or false"
            case "combo":
                return "one of " + ", ".join(self.choices)
            case "button":
                return "no value"
            case _:
                return "any text"

    def parse(self, text: str) -> Value:
        """The value that ``text`` stands for; raises :class:`OptionError` naming option, value and range."""
        match self.kind:
            case "spin":
                number = whole_number(text)
                if number is not None and self.minimum <= number <= self.maximum:
                    return number
            case "check":
                if text.lower() in ("true", "false"):
                    return text.lower() == "true"
            case "combo":
                for choice in self.choices:
                    if choice.lower() == text.lower():
                        return choice
            case "button":
                if not text:
                    return None
            case _:
                return "" if text == EMPTY else text
        raise OptionError(f"option {self.name} cannot be '{text}': it takes {self.allowed}")


def whole_number(text: str) -> int | None:
    """The integer that ``text`` spells in plain decimal digits, or None (also for absurdly long ones)."""
    digits = text[1:] if text[:1] in ("-", "+") else text
    if digits.isascii() and digits.isdigit() and len(digits) <= _MOST_DIGITS:
        return int(text)
    return None


#: What ``UCI_EngineAbout`` says.
ABOUT = "Numbat, a chess engine in plain Python by the Numbat developers, GPL-3.0-or-later"

OPTIONS: tuple[Option, ...] = (
    Option("Hash", "spin", 16, 1, 1_048_576, help="Size of the transposition table in MB."),
    Option("Clear Hash", "button", help="Clears the transposition table."),
    Option("Threads", "spin", 1, 1, 1024, help="Number of search threads."),
    Option("Ponder", "check", False, help="Lets the GUI have the engine think on the opponent's time."),
    Option("MultiPV", "spin", 1, 1, 256, help="Number of lines to show, best first."),
    Option(
        "Move Overhead",
        "spin",
        100,
        0,
        5000,
        help="Milliseconds reserved on every move for the GUI and the network.",
    ),
    Option(
        "nodestime",
        "spin",
        0,
        0,
        10_000,
        help="Nodes that count as one millisecond, for repeatable games; 0 uses real time.",
    ),
    Option(
        "EvalType",
        "combo",
        "NNUE",
        choices=("Material", "Classical", "NNUE"),
        help="Evaluation function.",
    ),
    Option("EvalFile", "string", "", help="Network file for NNUE; empty for the network that comes with Numbat."),
    Option("SyzygyPath", "string", "", help="Directories with Syzygy endgame tables, separated as in PATH."),
    Option(
        "SyzygyProbeDepth",
        "spin",
        1,
        1,
        100,
        help="Minimum depth at which the largest tables are probed.",
    ),
    Option(
        "SyzygyProbeLimit",
        "spin",
        7,
        0,
        7,
        help="Maximum number of pieces for which tables are probed.",
    ),
    Option("Syzygy50MoveRule", "check", True, help="Counts a table win as a draw if the 50-move rule prevents it."),
    Option("OwnBook", "check", False, help="Plays moves from the opening book."),
    Option("BookFile", "string", "", help="Opening book in Polyglot format."),
    Option(
        "Best Book Move",
        "check",
        False,
        help="Always plays the book move with the highest weight; otherwise moves are drawn at random by weight.",
    ),
    Option(
        "Book Depth",
        "spin",
        255,
        1,
        255,
        help="Last move of the game that may come from the book.",
    ),
    Option("UCI_Chess960", "check", False, help="Plays Chess960; castling is written as king takes rook."),
    Option(
        "UCI_ShowWDL",
        "check",
        False,
        help="Shows the chances to win, draw and lose, in thousandths, with each score.",
    ),
    Option("UCI_LimitStrength", "check", False, help="Limits the playing strength to UCI_Elo."),
    Option(
        "UCI_Elo",
        "spin",
        1500,
        1000,
        3235,
        help="Playing strength when UCI_LimitStrength is on.",
    ),
    Option("Skill Level", "spin", 20, 0, 20, help="Playing strength otherwise: 0 is a beginner, 20 full strength."),
    Option(
        "UCI_AnalyseMode",
        "check",
        False,
        help="Treats every search as analysis: no book, full strength, all winning table moves.",
    ),
    Option("UCI_EngineAbout", "string", ABOUT, help="Describes the engine; setting it has no effect."),
    Option("UCI_Opponent", "string", "", help="Name of the opponent, sent by the GUI; has no effect on play."),
)


def find(name: str, options: Iterable[Option] = OPTIONS) -> Option:
    """The option called ``name``, whatever its case; raises :class:`OptionError` when there is none."""
    wanted = name.lower()
    for option in options:
        if option.name.lower() == wanted:
            return option
    raise OptionError(f"no option is called '{name}'")


def by_keyword(keyword: str, options: Iterable[Option] = OPTIONS) -> Option:
    """The option that a Python keyword means: ``move_overhead`` is "Move Overhead", ``chess960`` "UCI_Chess960".

    Raises :class:`OptionError` when there is none.
    """
    wanted = keyword.replace("_", "").lower()
    for option in options:
        name = option.name.replace(" ", "").replace("_", "").lower()
        if wanted in (name, name.removeprefix("uci")):
            return option
    raise OptionError(f"no option is called '{keyword}'")


def parse(name: str, text: str, options: Iterable[Option] = OPTIONS) -> Value:
    """The value that ``text`` gives to the option ``name``; raises :class:`OptionError`."""
    return find(name, options).parse(text)
