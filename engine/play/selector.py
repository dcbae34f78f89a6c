"""Picks the source of a move: the book, the endgame tablebases, a search, or a weakened search.

:mod:`engine.api` sets positions and options, and runs the threads."""

import os
import random
from collections.abc import Callable, Mapping
from dataclasses import replace
from time import perf_counter
from typing import Any

import chess

from engine.board.aliases import Position
from engine.board.notation import find_move, list_moves, to_uci
from engine.evaluation.choice import Evaluation, choose
from engine.evaluation.evaluator import CLASSICAL
from engine.jit.warmup import warm_up
from engine.messages import Info, Limits, OptionError, Result, Signals
from engine.play import strength
from engine.play.boards import board_of, occurred_twice, position_after
from engine.play.book import Book
from engine.play.captures import visible_gain
from engine.play.reporter import OnInfo, Reporter, RootChoice
from engine.play.tablebase import RootProbe, Tablebase
from engine.search.lazy_smp import SearchTask
from engine.search.pool import Pool
from engine.search.scores import MATE, MAX_PLY, to_message
from engine.search.transposition import TranspositionTable
from engine.search.worker import RootLine

BUILT_FROM = ("Hash", "Threads", "EvalType", "EvalFile")  # the options that a new :class:`MoveSelector` reads
BOOK_DEPTH = 8  # depth in plies of the search of a book move, for its score and the expected reply


class MoveSelector:
    """Chooses a move from the ``book``, the ``tablebase`` or a search by the ``pool``.

    ``values`` are the options by name, current at each move. Those of :data:`BUILT_FROM` are read at construction;
    later changes go through methods. ``report`` gets one line for each file that cannot be used. Raises
    :class:`OptionError`, as do the methods that set something; the previous state then stays."""

    def __init__(self, values: Mapping[str, Any], report: Callable[[str], None]) -> None:
        self._values = values
        self.evaluation = choose(values["EvalType"], values["EvalFile"])
        self._report = report
        warm_up(report, deferred=self.evaluation.kind == CLASSICAL, later=("engine.syzygy.files",))
        self.table = TranspositionTable(values["Hash"])
        self.pool = Pool(values["Threads"], self.evaluation, report)
        self.tablebase = Tablebase(report)
        self.book = Book()
        self._chance = random.Random()  # for weaker play: no two games alike

    def close(self) -> None:
        """End the pool's threads and close all files."""
        self.pool.close()
        self.book.close()
        self.tablebase.close()

    def clear_table(self) -> None:
        self.pool.run_on_all(self.table.clear)

    def resize_table(self, megabytes: int) -> None:
        """Replace the transposition table with an empty one of another size."""
        if megabytes != self.table.megabytes:
            self.pool.wait_for_helpers()
            self.table.resize(megabytes)
            self.clear_table()

    def clear(self) -> None:
        """Clear the transposition table and all histories."""
        self.clear_table()
        self.pool.clear()

    def use_threads(self, number: int) -> None:
        """Search with ``number`` threads, or as many as the system allows."""
        self.pool.resize(number)

    def evaluate_by(self, kind: str | None = None, file: str | None = None) -> None:
        """Change the evaluation to another kind, or to another network."""
        values = self._values
        evaluation = choose(kind or values["EvalType"], values["EvalFile"] if file is None else file)
        if evaluation.kind == CLASSICAL:  # its kernel is deferred
            warm_up(self._report, deferred=True)
        self.use(evaluation)

    def use(self, evaluation: Evaluation) -> None:
        """Evaluate by ``evaluation``, and clear everything learned with the previous one."""
        self.evaluation = evaluation
        self.pool.use(evaluation)
        self.clear()

    def open_book(self, path: str) -> None:
        """Use the opening book in the file ``path``; an empty path means none."""
        self.book.open(path)

    def open_tables(self, path: str) -> None:
        """Use the tablebases in the directories of ``path``, of which at least one must exist."""
        directories = [directory for directory in path.split(os.pathsep) if directory]
        if directories and not any(map(os.path.isdir, directories)):
            raise OptionError(f"SyzygyPath: no such directory: {path}")
        self.tablebase.open(path)

    def select(
        self, position: Position, limits: Limits, on_info: OnInfo, lines: int = 1, signals: Signals | None = None
    ) -> Result:
        """Choose the move for ``position``, and report ``lines`` lines as :meth:`Pool.search` finds them."""
        began = perf_counter()
        signals = signals or Signals()
        moves = list_moves(position)
        if not moves:
            return _finished_game(position, limits, on_info, signals)
        choice = self._choose_root(position, limits, moves)
        reporter = Reporter(position, self.pool, self.table, on_info, lines, choice)
        self.pool.node_clock.rate = self._values["nodestime"]
        level = choice.level
        task = SearchTask(
            position, choice.moves, self.table, choice.limits, multipv=max(lines, level.lines if level else 1),
            tablebase=choice.tablebase, overhead=self._values["Move Overhead"], signals=signals, began=began,
        )  # fmt: skip
        line = self.pool.search(task, reporter.on_line, reporter.on_tick)
        return reporter.conclude(self._weaken(position, line, level)) if level else reporter.finish(line)

    def _choose_root(self, position: Position, limits: Limits, moves: list[int]) -> RootChoice:
        """The root moves to search: a book move, the best moves by the tablebases, or all that ``limits`` allow."""
        wanted = [find_move(position, text) for text in limits.searchmoves]
        moves = [move for move in moves if move in wanted] or moves
        if book_move := self._from_book(position, limits, moves):
            return RootChoice([book_move], replace(limits, depth=min(limits.depth or BOOK_DEPTH, BOOK_DEPTH)))
        if level := self._level(limits):
            nodes, depth = min(level.nodes, limits.nodes or level.nodes), level.depth or limits.depth
            return RootChoice(moves, replace(limits, nodes=nodes, depth=depth), level)
        if probe := self._probe_root(position, limits):
            advised = probe.keeping if self._analyses(limits) else probe.progress
            if searched := [move for move in moves if move in advised]:  # searchmoves may exclude them all
                known = {entry.move: entry.outcome for entry in probe.ranked if entry.move in moves}
                # The result is known, so the search only looks for the mate.
                return RootChoice(searched, limits, None, known, len(probe.ranked))
        pieces, depth = self._values["SyzygyProbeLimit"], self._values["SyzygyProbeDepth"]
        access = self.tablebase.access(pieces, depth, self._values["Syzygy50MoveRule"])
        return RootChoice(moves, limits, tablebase=access)

    def _level(self, limits: Limits) -> strength.Level | None:
        """The level to play at; None for full strength."""
        if self._analyses(limits):
            return None
        if self._values["UCI_LimitStrength"]:
            return strength.level_of_elo(self._values["UCI_Elo"])
        return strength.level_of_skill(self._values["Skill Level"])

    def _weaken(self, position: Position, best: RootLine, level: strength.Level) -> RootLine:
        """The line that a player of this level takes for the best."""
        lines = self.pool.workers[0].lines
        if len(lines) < 2 or not level.noise:
            return best
        if self._chance.random() < level.alert:
            board = board_of(position)
            moves = [board.parse_uci(to_uci(line.moves[0], board.chess960)) for line in lines]
            gains = [visible_gain(board, move) for move in moves]
            sound = strength.without_visible_blunders([line.score for line in lines], gains)
            lines = [lines[index] for index in sound]
        return lines[strength.choose([line.score for line in lines], level.noise, self._chance)]

    def _analyses(self, limits: Limits) -> bool:
        """Whether the search is for analysis rather than a move of a game."""
        return limits.analysis or limits.infinite or limits.mate is not None or self._values["UCI_AnalyseMode"]

    def _from_book(self, position: Position, limits: Limits, moves: list[int]) -> int:
        """A book move among ``moves``, or 0; never a third repetition, which the book does not know about."""
        values = self._values
        if not values["OwnBook"] or self._analyses(limits) or int(position["fullmove"]) > values["Book Depth"]:
            return 0
        board = board_of(position)
        drawing = [move for move in moves if occurred_twice(position_after(position, move))]
        excluded = [chess.Move.from_uci(to_uci(move, board.chess960)) for move in drawing]
        move = self.book.move(board, values["Best Book Move"], excluded=excluded)
        found = find_move(position, move.uci()) if move is not None else 0
        return found if found in moves else 0

    def _probe_root(self, position: Position, limits: Limits) -> RootProbe | None:
        """The tablebases' results of the root moves, if they may be probed."""
        largest = min(self.tablebase.largest, self._values["SyzygyProbeLimit"])
        depth = limits.depth if limits.depth is not None else MAX_PLY
        if largest == 0 or depth < self._values["SyzygyProbeDepth"]:
            return None
        if sum(own.bit_count() for own in position["colors"].tolist()) > largest:
            return None
        return self.tablebase.probe(position, self._values["Syzygy50MoveRule"])


def _finished_game(position: Position, limits: Limits, on_info: OnInfo, signals: Signals) -> Result:
    """The result without a legal move: only a score."""
    last, hit = Info(score=to_message(-MATE if position["checkers"] else 0)), signals.hit
    on_info(last)
    signals.wait(limits)
    if limits.ponder and signals.hit and not hit:  # a GUI may count only reports after its ``ponderhit``
        on_info(replace(last, final=True))
    return Result(info=last)
