"""The engine's options, positions and searches. It speaks no protocol, and no python-chess.

A search runs in a thread of its own. :meth:`EngineBase.start` begins it, with the limits of :mod:`engine.messages`;
callbacks get its reports and its result.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from types import MappingProxyType, TracebackType
from typing import TYPE_CHECKING, Any, Self

from engine.api import bench
from engine.board.fen import START_FEN, needs_chess960, set_fen, to_fen
from engine.board.notation import list_moves, play_moves, to_uci
from engine.board.perft import perft
from engine.board.setup import new_position
from engine.board.types import WHITE, square_name
from engine.evaluation.choice import Evaluation, choose
from engine.evaluation.nnue.file import NetError
from engine.jit.warmup import warm_up
from engine.messages import Limits, OptionError, Result
from engine.options import OPTIONS, by_keyword
from engine.play.book import Book
from engine.play.thinker import OnInfo, Thinker
from engine.search.threads import ParkedThread

OnResult = Callable[[Result], None]

#: What an engine has no more once it is closed.
_GIVEN_BACK = ("_thinker", "_position", "_evaluation")

_CLOSED = "this engine is closed; create a new one"

#: The options that an engine's ``repr`` names in its own way.
_TOLD_APART = ("EvalType", "Hash", "Threads")


def checked(name: str, value: Any) -> Any:
    """``value`` if the option ``name`` can take it, else :class:`OptionError`. Search parameters check themselves."""
    for option in OPTIONS:
        if option.name == name and option.kind == "button":
            return option.parse("" if value in (None, True) else str(value))
        if option.name == name:
            return option.parse(str(value))
    return value


def _evaluation(kind: str, file: str) -> Evaluation:
    """The evaluation, or :class:`OptionError`."""
    try:
        return choose(kind, file)
    except NetError as error:
        raise OptionError(str(error)) from None


def _usable_tables(path: str) -> str:
    """``path``, or :class:`OptionError` if none of its directories is there."""
    directories = [directory for directory in path.split(os.pathsep) if directory]
    if directories and not any(map(os.path.isdir, directories)):
        raise OptionError(f"SyzygyPath: no such directory: {path}")
    return path


def _usable_book(path: str) -> Book:
    """The book in ``path``, or :class:`OptionError`."""
    faults: list[str] = []
    book = Book(faults.append)
    book.open(path)
    if faults:
        raise OptionError(faults[0])
    return book


class EngineBase:
    """What :class:`engine.Engine` is without python-chess's types; options and errors are described there."""

    def __init__(
        self,
        *,
        hash: int = 16,
        threads: int = 1,
        move_overhead: int = 100,
        chess960: bool = False,
        multipv: int = 1,
        eval_type: str = "NNUE",
        eval_file: str = "",
        report: Callable[[str], None] = lambda line: None,
        **options: Any,
    ) -> None:
        self._closed = False
        self._values: dict[str, Any] = {option.name: option.default for option in OPTIONS}
        for name, value in (
            ("Hash", hash),
            ("Threads", threads),
            ("Move Overhead", move_overhead),
            ("UCI_Chess960", chess960),
            ("MultiPV", multipv),
            ("EvalType", eval_type),
            ("EvalFile", eval_file),
        ):
            self._values[name] = checked(name, value)
        self._evaluation = _evaluation(self._values["EvalType"], self._values["EvalFile"])
        warm_up(report)
        self._thinker = Thinker(self._values, self._evaluation, report)
        self._report = report
        self._searcher = ParkedThread("numbat-search")
        self._turn = threading.Lock()  # see turn()
        self._owner = 0  # the thread whose turn it is
        self._impatient: set[object] = set()  # calls that wait for their turn, and for no search
        self._last_stop, self._since = object(), object()
        self._position = new_position()
        self.set_position(None)
        self.configure(**options)
        self._rehearse()

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            """What :meth:`close` has given back is missed here."""
            if name in _GIVEN_BACK:
                raise RuntimeError(_CLOSED)
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def __repr__(self) -> str:
        if self._closed:
            return "<Engine: closed>"
        values = self._values
        changed = [
            f"{option.name.replace(' ', '_').lower()}={values[option.name]!r}"
            for option in OPTIONS
            if option.name not in _TOLD_APART and values[option.name] != option.default
        ]
        threads = "1 thread" if values["Threads"] == 1 else f"{values['Threads']} threads"
        told = [values["EvalType"], f"hash {values['Hash']} MB", threads, *changed]
        return f"<Engine: {', '.join([*told, 'searching' if self.searching else 'idle'])}>"

    def _rehearse(self) -> None:
        """Search a little and forget it, so that the first real search does not pay for page faults and first calls."""
        self.start(Limits(depth=6), None, lambda result: None)
        self.wait()
        self.new_game()

    def __enter__(self) -> Self:
        self._refuse_closed()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def closed(self) -> bool:
        """Whether :meth:`close` was called."""
        return self._closed

    # Options

    @property
    def options(self) -> Mapping[str, Any]:
        """The values of all options but the buttons as they are now, by name (see :mod:`engine.options`).

        >>> from engine import Engine
        >>> with Engine(hash=1) as engine:
        ...     engine.configure(multipv=3)
        ...     print(engine.options["MultiPV"], engine.options["EvalType"])
        3 NNUE
        """
        return MappingProxyType(
            {option.name: self._values[option.name] for option in OPTIONS if option.kind != "button"}
        )

    def configure(self, **options: Any) -> None:
        """Set options by keyword, as the constructor takes them: all of them, or after an error none.

        >>> from engine import Engine
        >>> with Engine(hash=1) as engine:
        ...     engine.configure(threads=2, move_overhead=50)
        ...     engine.configure(threads=0)
        Traceback (most recent call last):
        engine.messages.OptionError: option Threads cannot be '0': it takes a whole number from 1 to 1024
        """
        values = {by_keyword(keyword).name: value for keyword, value in options.items()}
        for name, value in values.items():
            checked(name, value)
        former: dict[str, Any] = {}
        try:
            for name, value in values.items():
                former[name] = self._values[name]
                self.set_option(name, value)
        except OptionError:
            for name, value in former.items():
                self.set_option(name, value)
            raise

    def set_option(self, name: str, value: Any) -> None:
        """Set an option by its canonical name (see :mod:`engine.options`), or a search parameter by its own.

        Ends a running search first. Raises :class:`OptionError`; the former value then stays. Raises as :meth:`start`.
        """
        self._refuse_closed()
        value = checked(name, value)
        with self._turn_at_once():
            if name in self._values:
                self._set_option(name, value)
                self._values[name] = value
            else:
                self._thinker.pool.parameters.set(name, value)

    def _set_option(self, name: str, value: Any) -> None:
        match name:
            case "Hash":
                if value != self._thinker.table.megabytes:
                    self._thinker.table.resize(value)
                    self._thinker.clear_table()
            case "Clear Hash":
                self._thinker.clear_table()
            case "Threads":
                self._thinker.pool.resize(value)
            case "EvalType":
                self._evaluate_by(value, self._values["EvalFile"])
            case "EvalFile":
                self._evaluate_by(self._values["EvalType"], value)
            case "UCI_Chess960":
                self._position["chess960"] = value or needs_chess960(self._position)
            case "nodestime":
                self._thinker.pool.node_clock.rate = value
            case "SyzygyPath":
                self._thinker.tablebase.open(_usable_tables(value))
            case "BookFile":
                book = _usable_book(value)
                self._thinker.book.close()
                self._thinker.book = book

    def _evaluate_by(self, kind: str, file: str) -> None:
        """Change the evaluation; what was learned with another one is forgotten."""
        self._evaluation = _evaluation(kind, file)
        self._thinker.pool.use(self._evaluation)
        self.new_game()

    # Positions

    def set_position(self, fen: str | None, moves: Sequence[str] = ()) -> None:
        """Set the position: ``fen`` (None for the start position) and the ``moves`` played from it.

        Raises :class:`PositionError`, which names the fault; the former position then stays.
        """
        if fen is not None and not isinstance(fen, str):
            raise TypeError(f"a FEN is a str, not {fen!r}; set_board takes a chess.Board")
        self._set_position(START_FEN if fen is None else fen, moves, self._values["UCI_Chess960"])

    def _set_position(self, fen: str, moves: Sequence[str], chess960: bool) -> None:
        self._refuse_closed()
        position = new_position()
        set_fen(position, fen, chess960)
        play_moves(position, moves)
        self._position = position

    def new_game(self) -> None:
        """Forget what was learned from previous games; ends a running search first. Raises as :meth:`start`."""
        with self._turn_at_once():
            self._thinker.clear_table()
            self._thinker.pool.clear()

    def fen(self) -> str:
        """The position as FEN."""
        return to_fen(self._position)

    def key(self) -> int:
        """The position's Zobrist key: Polyglot's, where an en passant square counts only if a capture is legal."""
        return int(self._position["key"])

    def checkers(self) -> list[str]:
        """The squares of the pieces that give check."""
        checkers = int(self._position["checkers"])
        return [square_name(square) for square in range(64) if checkers >> square & 1]

    def explain_evaluation(self) -> str:
        """A table of the evaluation in pawns: each term for White, Black, and together."""
        return self._evaluation.table(self._position)

    def perft(
        self, depth: int, threads: int = 1, on_move: Callable[[str, int], None] | None = None, stop: Any = None
    ) -> int:
        """Count the leaves of the tree of legal moves (see :func:`engine.board.perft.perft`)."""
        return perft(self._position, depth, threads, on_move, stop)

    # Searching

    @property
    def searching(self) -> bool:
        """Whether a search runs."""
        return self._searcher.busy

    def start(self, limits: Limits, on_info: OnInfo | None, on_result: OnResult, lines: int | None = None) -> None:
        """Begin a search and return at once; ends a running one first.

        ``lines`` overrides the option MultiPV. The callbacks run in threads of the search, ``on_result`` once and
        last: under ``infinite`` and ``ponder`` not before :meth:`stop` or :meth:`ponderhit`. Raises RuntimeError in a
        callback, whose search would have to end before the next can begin.
        """
        with self._turn_at_once():
            self._begin(limits, on_info or (lambda info: None), on_result, lines or self._values["MultiPV"])

    def _begin(self, limits: Limits, on_info: OnInfo, on_result: OnResult, lines: int) -> None:
        """Begin a search in one's :meth:`turn`."""
        self._thinker.pool.arm(limits, int(self._position["side"]) == WHITE, self._values["Move Overhead"])
        if self._impatient or self._last_stop is not self._since:  # from now on the pool keeps a stop
            self._halt()
        self._searcher.run(partial(self._search, self._position, limits, on_info, on_result, lines))

    @contextmanager
    def turn(self, since: object = None) -> Iterator[None]:
        """Have the engine to oneself, for several searches in a row that one :meth:`stop` ends; turns can be nested.

        Waits for the searches of other threads, but ends one that :meth:`start` began. A stop counts from the call on,
        or from when :attr:`last_stop` was ``since``. Raises as :meth:`start`.

        >>> import chess
        >>> from chess.engine import Limit
        >>> from engine import Engine
        >>> with Engine(hash=1) as engine, engine.turn():
        ...     engine.stop()
        ...     depths = [engine.analyse(chess.Board(), Limit(nodes=10**12)).depth for _ in range(3)]
        """
        since = since or self._last_stop
        if self._owner == threading.get_ident():
            yield
            return
        self._refuse_callbacks()
        with self._turn:
            self._owner, self._since = threading.get_ident(), since
            try:
                self._halt()
                self.wait()
                yield
            finally:
                self._owner = 0

    @contextmanager
    def _turn_at_once(self) -> Iterator[None]:
        """A :meth:`turn` that ends all searches before it, also those that begin while it is waited for."""
        self._refuse_callbacks()
        waiting = object()
        try:
            if self._owner != threading.get_ident():
                self._impatient.add(waiting)
                self._halt()
            with self.turn():
                self._impatient.discard(waiting)
                yield
        finally:
            self._impatient.discard(waiting)

    def _refuse_closed(self) -> None:
        if self._closed:
            raise RuntimeError(_CLOSED)

    @property
    def _in_callback(self) -> bool:
        thinker = self.__dict__.get("_thinker")  # None when the engine is closed
        return self._searcher.is_current or (thinker is not None and thinker.pool.is_current)

    def _refuse_callbacks(self) -> None:
        if self._in_callback:
            raise RuntimeError("callbacks for reports cannot start another search, or change or close the engine")

    @property
    def last_stop(self) -> object:
        """Another object after each :meth:`stop`, which tells whether there was one in between."""
        return self._last_stop

    def stop(self) -> None:
        """End the search, or all of a :meth:`turn`, also one that is only about to begin. It then gives its result.

        Harmless when none runs, and from any thread.
        """
        self._last_stop = object()
        self._halt()

    def _halt(self, only: Limits | None = None) -> None:
        """End the search that runs, or ``only`` the one with these very limits."""
        thinker = self.__dict__.get("_thinker")  # None when the engine is closed, or was never made
        if thinker is not None:
            thinker.pool.stop(only)

    def ponderhit(self) -> None:
        """The move pondered on was played: the clock runs from now on."""
        self._thinker.pool.ponderhit()

    def wait(self, timeout: float | None = None) -> bool:
        """Wait until the search is over, at most ``timeout`` seconds; return whether it is. In a callback it is not."""
        return not self._in_callback and self._searcher.wait(timeout)

    def bench(
        self, depth: int = bench.DEPTH, on_position: Callable[[int, int, str, int], None] | None = None
    ) -> tuple[int, float]:
        """Search the benchmark's positions to ``depth``; return nodes and milliseconds.

        ``on_position`` gets index (from 1), how many there are, FEN and nodes of each.
        """
        total, milliseconds = 0, 0.0
        fens = bench.positions()
        with self.turn():
            self.new_game()
            for index, fen in enumerate(fens, 1):
                self.set_position(fen)
                begun = time.perf_counter()
                self._search_now(Limits(depth=depth), lambda info: None, lambda result: None, self._values["MultiPV"])
                milliseconds += (time.perf_counter() - begun) * 1000
                total += self._thinker.pool.nodes
                if on_position:
                    on_position(index, len(fens), fen, self._thinker.pool.nodes)
        return total, milliseconds

    def _search_now(self, *arguments: Any) -> None:
        """:meth:`_begin`, and wait for the end."""
        try:
            self._begin(*arguments)
            self.wait()
        finally:  # an interrupted caller leaves no search behind
            self._halt()

    def close(self) -> None:
        """End the search, if one runs, and the threads, and give memory, book and tables back. Whatever is asked of the
        engine later raises RuntimeError, but to stop, to wait and to close again are harmless. Raises RuntimeError in a
        callback of a search, which then goes on."""
        if self._closed:
            return
        with self._turn_at_once():
            if self._closed:
                return
            self._closed = True
            self._searcher.end()
            self._thinker.pool.close()
            self._thinker.book.close()
            self._thinker.tablebase.close()
            for name in _GIVEN_BACK:
                del self.__dict__[name]

    def _search(self, position: Any, limits: Limits, on_info: OnInfo, on_result: OnResult, lines: int) -> None:
        """The search thread. Nobody changes ``position`` any more; whatever happens, there is a result.

        The helpers may still be on their way out when the result is told: who waits for the search waits for them too.
        """
        try:
            try:
                result = self._thinker.think(position, limits, on_info, lines)
            except BaseException as error:
                is_short_of_memory = isinstance(error, MemoryError)
                if is_short_of_memory:
                    self._report("the search ran out of memory")
                moves = list_moves(position)
                on_result(Result(to_uci(moves[0], bool(position["chess960"])) if moves else "0000"))
                if is_short_of_memory:
                    return
                raise
            on_result(result)
        finally:
            self._thinker.pool.rest()
