"""The options that a user can set: their names, kinds, defaults and ranges, in one table.

Everything that offers options reads this table: the protocol layer prints and parses by it, the engine takes
its defaults from it, and a test compares the README with it. Names and kinds are those of the UCI protocol
(Stefan Meyer-Kahlen, 2006). Free of heavy imports, because ``uciok`` needs it before the engine is loaded.
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
_MOST_DIGITS = 18


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
    Option("Clear Hash", "button", help="Forgets everything in the transposition table."),
    Option("Threads", "spin", 1, 1, 1024, help="How many threads search at the same time."),
    Option("Ponder", "check", False, help="Lets the GUI have the engine think on the opponent's time."),
    Option("MultiPV", "spin", 1, 1, 256, help="How many lines to show, best first."),
    Option(
        "Move Overhead",
        "spin",
        100,
        0,
        5000,
        help="Milliseconds kept in reserve on every move for the GUI and the network.",
    ),
    Option(
        "nodestime",
        "spin",
        0,
        0,
        10_000,
        help="Nodes that count as a millisecond, so that games can be repeated; 0: time counts.",
    ),
    Option(
        "EvalType",
        "combo",
        "NNUE",
        choices=("Material", "Classical", "NNUE"),
        help="The evaluation that plays.",
    ),
    Option("EvalFile", "string", "", help="The network file for NNUE; empty for the one that comes with Numbat."),
    Option("SyzygyPath", "string", "", help="Directories with Syzygy endgame tables, separated as in PATH."),
    Option(
        "SyzygyProbeDepth",
        "spin",
        1,
        1,
        100,
        help="Least plies still to search where the tables with the most men are asked.",
    ),
    Option("SyzygyProbeLimit", "spin", 7, 0, 7, help="Most men on the board for which the tables are asked."),
    Option("Syzygy50MoveRule", "check", True, help="Counts table wins that the 50-move rule spoils as draws."),
    Option("OwnBook", "check", False, help="Plays from the opening book."),
    Option("BookFile", "string", "", help="The opening book, in Polyglot's format."),
    Option(
        "Best Book Move",
        "check",
        False,
        help="Plays the book's likeliest move, instead of each as often as its weight says.",
    ),
    Option(
        "Book Depth",
        "spin",
        255,
        1,
        255,
        help="The last move of the game, counted from 1, that may come from the book.",
    ),
    Option("UCI_Chess960", "check", False, help="Plays Chess960: castling is written king takes rook."),
    Option(
        "UCI_ShowWDL",
        "check",
        False,
        help="Reports the chances to win, draw and lose, in thousandths, with each score.",
    ),
    Option("UCI_LimitStrength", "check", False, help="Plays as strong as UCI_Elo says."),
    Option(
        "UCI_Elo",
        "spin",
        1500,
        1000,
        2532,
        help="How strong to play under UCI_LimitStrength.",
    ),
    Option("Skill Level", "spin", 20, 0, 20, help="How strong to play otherwise, from beginner to full strength."),
    Option(
        "UCI_AnalyseMode",
        "check",
        False,
        help="Treats every search as analysis: no book, full strength, all winning table moves.",
    ),
    Option("UCI_EngineAbout", "string", ABOUT, help="Says what Numbat is; setting it changes nothing."),
    Option("UCI_Opponent", "string", "", help="Who the opponent is, as the GUI tells; does not change the play."),
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
