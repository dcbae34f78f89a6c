"""The UCI options, one row each: keyword and type, name, default, range, help and effect.

The protocol layer prints and parses by these rows, the engine takes its keywords, defaults and effects from them, and a
test compares the table in ``uci/README.md`` with them. No heavy imports: ``uciok`` is sent before the engine is loaded.
"""

import os
from collections.abc import Callable, Iterable
from dataclasses import KW_ONLY, dataclass
from typing import Annotated, Any, NamedTuple, Protocol, TypedDict

from engine.messages import OptionError, quoted

Value = int | bool | str | None  # the value of an option; None for a button
EMPTY = "<empty>"  # how UCI writes an empty string
_MAX_DIGITS = 19  # digits of the longest valid number; longer ones are not converted
_MAX_LETTERS = 40  # letters of a wrong name that are compared with those of the options


class ReadBy(NamedTuple):
    """The effect of an option whose value ``module`` reads by name when it needs it."""

    module: str


class Selector(Protocol):
    """The part of :class:`engine.play.selector.MoveSelector` on which options act."""

    def clear_table(self) -> None: ...
    def resize_table(self, megabytes: int) -> None: ...
    def use_threads(self, number: int) -> None: ...
    def evaluate_by(self, kind: str | None = None, file: str | None = None) -> None: ...
    def open_tables(self, path: str) -> None: ...
    def open_book(self, path: str) -> None: ...


Action = Callable[[Selector, Any], None]  # gets the new value; if it raises :class:`OptionError`, the old one stays

FOR_THE_GUI = ReadBy("")  # the effect of an option that only informs the GUI, or that the engine ignores

_ENGINE, _SELECTOR = ReadBy("engine.api.engine"), ReadBy("engine.play.selector")


@dataclass(frozen=True, slots=True)
class Option:
    """One option. The type of the default gives the UCI kind: a number is a spin from ``minimum`` to ``maximum``; a
    text is a combo if there are ``choices``, else a string; None is a button. ``help`` is one sentence for the user."""

    name: str
    default: Value
    minimum: int = 0
    maximum: int = 0
    _: KW_ONLY
    choices: tuple[str, ...] = ()
    help: str
    effect: Action | ReadBy

    @property
    def kind(self) -> str:
        """Spin, check, combo, button or string."""
        if self.choices:
            return "combo"
        return {bool: "check", int: "spin", str: "string"}.get(type(self.default), "button")

    @property
    def allowed(self) -> str:
        """The valid values in words, after the name of the option."""
        match self.kind:
            case "spin":
                return f"must be an integer from {self.minimum} to {self.maximum}"
            case "check":
                return "must be true or false"
            case "combo":
                return "must be one of " + ", ".join(self.choices)
            case "button":
                return "takes no value"
            case _:
                return "takes any text"

    def parse(self, text: str) -> Value:
        """The value of ``text``. Raises :class:`OptionError`, which names option, value and range."""
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
                if text.lower() in ("", "true"):  # some GUIs show a check box
                    return None
            case _:
                return "" if text == EMPTY else text
        raise OptionError(f"{self.name} {self.allowed}, not {quoted(text)}")

    def checked(self, value: Any) -> Value:
        """``value``, which may be a path or, for a button, True. Raises the same exceptions as :meth:`parse`."""
        if isinstance(value, int) and value.bit_length() > 64:  # Python does not write all of them
            raise OptionError(f"{self.name} {self.allowed}, not a number of {value.bit_length()} bits")
        return self.parse("" if self.kind == "button" and value in (None, True) else str(value))


def whole_number(text: str) -> int | None:
    """The integer that ``text`` spells in plain decimal digits, or None (also for absurdly long ones)."""
    digits = text[1:] if text[:1] in ("-", "+") else text
    if digits.isascii() and digits.isdigit() and len(digits) <= _MAX_DIGITS:
        return int(text)
    return None


_Path = str | os.PathLike[str]


class Options(TypedDict, total=False):
    """The options as keywords of :class:`engine.Engine`, each with its row."""

    # fmt: off
    hash: Annotated[int, Option("Hash", 16, 1, 1_048_576, help="Size of the transposition table in MB.",
        effect=lambda selector, megabytes: selector.resize_table(megabytes))]
    clear_hash: Annotated[bool, Option("Clear Hash", None, help="Clears the transposition table.",
        effect=lambda selector, _: selector.clear_table())]
    threads: Annotated[int, Option("Threads", 1, 1, 1024, help="Number of search threads.",
        effect=lambda selector, number: selector.use_threads(number))]
    ponder: Annotated[bool, Option("Ponder", False,
        help="Lets the engine think on the opponent's time when the GUI asks for it.", effect=FOR_THE_GUI)]
    multipv: Annotated[int, Option("MultiPV", 1, 1, 256, help="Number of lines to show, best first.",
        effect=_ENGINE)]
    move_overhead: Annotated[int, Option("Move Overhead", 100, 0, 5000,
        help="Milliseconds reserved on every move for the GUI and the network.",
        effect=_SELECTOR)]
    nodestime: Annotated[int, Option("nodestime", 0, 0, 10_000,
        help="Nodes that count as one millisecond, for repeatable games; 0 uses real time.",
        effect=_SELECTOR)]
    eval_type: Annotated[str, Option("EvalType", "NNUE", choices=("Material", "Classical", "NNUE"),
        help="Evaluation function.", effect=lambda selector, kind: selector.evaluate_by(kind=kind))]
    eval_file: Annotated[_Path, Option("EvalFile", "",
        help="Network file for NNUE; empty for the network that comes with Numbat.",
        effect=lambda selector, path: selector.evaluate_by(file=path))]
    syzygy_path: Annotated[_Path, Option("SyzygyPath", "",
        help="Directories with Syzygy endgame tablebases, separated by ':' (on Windows by ';').",
        effect=lambda selector, path: selector.open_tables(path))]
    syzygy_probe_depth: Annotated[int, Option("SyzygyProbeDepth", 1, 1, 100,
        help="Minimum depth at which the largest tablebases are probed.", effect=_SELECTOR)]
    syzygy_probe_limit: Annotated[int, Option("SyzygyProbeLimit", 7, 0, 7,
        help="Maximum number of pieces for which tablebases are probed.", effect=_SELECTOR)]
    syzygy_50_move_rule: Annotated[bool, Option("Syzygy50MoveRule", True,
        help="Counts a tablebase win as a draw if the 50-move rule prevents it.", effect=_SELECTOR)]
    own_book: Annotated[bool, Option("OwnBook", False,
        help="Plays moves from BookFile (Numbat comes without a book).", effect=_SELECTOR)]
    book_file: Annotated[_Path, Option("BookFile", "", help="Opening book in Polyglot format.",
        effect=lambda selector, path: selector.open_book(path))]
    best_book_move: Annotated[bool, Option("Best Book Move", False, effect=_SELECTOR,
        help="Always plays the book move with the highest weight; otherwise chooses at random by weight.")]
    book_depth: Annotated[int, Option("Book Depth", 255, 1, 255,
        help="Last move number at which a book move may be played.", effect=_SELECTOR)]
    chess960: Annotated[bool, Option("UCI_Chess960", False,
        help="Plays Chess960; castling is written as king takes rook.", effect=_ENGINE)]
    uci_showwdl: Annotated[bool, Option("UCI_ShowWDL", False,
        help="Shows the chances of winning, drawing and losing, in thousandths, with each score.",
        effect=ReadBy("engine.uci.session"))]
    explain: Annotated[bool, Option("Explain", False,
        help="Says in an info string what the best move does or, in a game, why the opponent's move was bad.",
        effect=ReadBy("engine.uci.session"))]
    uci_limitstrength: Annotated[bool, Option("UCI_LimitStrength", False,
        help="Limits the playing strength to UCI_Elo.", effect=_SELECTOR)]
    uci_elo: Annotated[int, Option("UCI_Elo", 1500, 400, 3235,
        help="Playing strength when UCI_LimitStrength is on.", effect=_SELECTOR)]
    skill_level: Annotated[int, Option("Skill Level", 20, 0, 20,
        help="Playing strength when UCI_LimitStrength is off: 0 is about 950 Elo, 20 full strength.", effect=_SELECTOR)]
    uci_analysemode: Annotated[bool, Option("UCI_AnalyseMode", False, effect=_SELECTOR,
        help="Treats every search as analysis: no book, full strength, all moves that keep the tablebase result.")]
    uci_engineabout: Annotated[str, Option("UCI_EngineAbout",
        "Numbat, a chess engine in plain Python by the Numbat developers, GPL-3.0-or-later",
        help="Describes the engine; setting it has no effect.", effect=FOR_THE_GUI)]
    uci_opponent: Annotated[str, Option("UCI_Opponent", "",
        help="Name of the opponent, sent by the GUI; has no effect on play.", effect=FOR_THE_GUI)]
    # fmt: on


#: The rows by keyword, and in the order in which they are sent to the GUI.
KEYWORDS: dict[str, Option] = {keyword: row.__metadata__[0] for keyword, row in Options.__annotations__.items()}
OPTIONS: tuple[Option, ...] = tuple(KEYWORDS.values())


def find(name: str, options: Iterable[Option] = OPTIONS) -> Option:
    """The option called ``name``, ignoring case. Raises :class:`OptionError` if there is none."""
    wanted = name.lower()
    for option in options:
        if option.name.lower() == wanted:
            return option
    raise OptionError(f"no option is called {quoted(name)}{nearest(name, [option.name for option in options])}")


def nearest(name: str, names: Iterable[str]) -> str:
    """A question whether the most similar of ``names`` is meant; empty if none is similar."""
    from difflib import get_close_matches  # late: a GUI waits for ``uciok``

    lower = {each.lower(): each for each in names}
    found = get_close_matches(name.lower()[:_MAX_LETTERS], lower, 1)
    return f" (did you mean {lower[found[0]]}?)" if found else ""


def by_keyword(keyword: str) -> Option:
    """The option for a Python keyword: ``move_overhead`` is "Move Overhead", ``chess960`` "UCI_Chess960". Raises
    :class:`OptionError` if there is none."""
    wanted = keyword.replace("_", "").replace(" ", "").lower()
    for option in OPTIONS:
        name = option.name.replace(" ", "").replace("_", "").lower()
        if wanted in (name, name.removeprefix("uci")):
            return option
    raise OptionError(f"no option is called {quoted(keyword)}{nearest(keyword, KEYWORDS)}")
