"""Picks the source of a move: the book, the endgame tablebases, a search, or a weakened search.

:mod:`engine.api` sets positions and options, and runs the threads.
"""

from __future__ import annotations

import os
import random
import threading
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import chess

from engine.board.aliases import Position
from engine.board.fen import to_fen
from engine.board.notation import find_move, list_moves, to_uci
from engine.evaluation.choice import Evaluation, choose
from engine.evaluation.nnue.file import NetError
from engine.jit.warmup import warm_up
from engine.messages import Info, Limits, OptionError, Result, Score, nodes_per_second
from engine.play import strength, wdl
from engine.play.book import Book
from engine.play.glance import at_a_glance
from engine.play.tablebase import FIFTY_MOVES, PROBE_TIMEOUT, Tablebase, Verdict
from engine.search.pool import Pool
from engine.search.scores import DECIDED, MATE, MATE_BOUND, MAX_PLY, to_message
from engine.search.tablebase import DRAW, TablebaseAccess
from engine.search.transposition import TranspositionTable
from engine.search.worker import RootLine

OnInfo = Callable[[Info], None]

#: The options that a new :class:`Thinker` reads.
BUILT_FROM = ("Hash", "Threads", "EvalType", "EvalFile")

#: Centipawns reported for a tablebase win without a mate in sight; mates are above it.
SHOWN_TABLE_WIN = 20_000

#: Depth in plies of the search of a book move, for its score and the expected reply.
BOOK_DEPTH = 8


def _reported_score(score: int, bound: str, verdict: Verdict | None) -> Score:
    """The score to report: a mate if found, else the tablebases' verdict, else the score of the search."""
    if abs(score) > MATE_BOUND and (verdict is None or score * verdict.outcome > 0):
        return to_message(score, bound)
    if verdict is None and abs(score) > DECIDED:
        return Score(cp=SHOWN_TABLE_WIN if score > 0 else -SHOWN_TABLE_WIN, bound=bound)
    if verdict is None:
        return Score(cp=wdl.MODEL.shown(score), bound=bound)
    if abs(verdict.outcome) == 2:
        return Score(cp=SHOWN_TABLE_WIN if verdict.outcome > DRAW else -SHOWN_TABLE_WIN)
    return Score(cp=verdict.outcome)


def _chances(score: int, verdict: Verdict | None, position: Position) -> tuple[int, int, int]:
    """The chances to report with ``score`` in ``position``: certain if tablebases, a mate or the rules decide it."""
    if verdict is not None:
        return (1000, 0, 0) if verdict.outcome == 2 else (0, 0, 1000) if verdict.outcome == -2 else (0, 1000, 0)
    chances = wdl.MODEL.chances(score, int(position["fullmove"]))
    if abs(score) > DECIDED:
        return chances
    if score == 0 and position["rule50"] >= FIFTY_MOVES:
        return 0, 1000, 0
    pieces, sides = position["pieces"].tolist(), position["colors"].tolist()
    side = int(position["side"])
    return wdl.limited(chances, wdl.can_win(pieces, sides[side]), wdl.can_win(pieces, sides[1 - side]))


def _evaluation(kind: str, file: str) -> Evaluation:
    """The evaluation. Raises :class:`OptionError`."""
    try:
        return choose(kind, file)
    except NetError as error:
        raise OptionError(str(error)) from None


class Thinker:
    """The sources of a move: ``table``, ``pool``, ``tablebase`` and ``book``.

    ``values`` are the options by name, current at each move. Those of :data:`BUILT_FROM` are read at construction;
    later changes go through methods. ``report`` gets one line for each file that cannot be used. Raises
    :class:`OptionError`, as do the methods that set something; the previous state then stays.
    """

    def __init__(self, values: Mapping[str, Any], report: Callable[[str], None]) -> None:
        self._values = values
        self.evaluation = _evaluation(values["EvalType"], values["EvalFile"])
        warm_up(report)
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
        """Clear the transposition table, with all threads at once."""
        self.pool.run_on_all(self.table.clear)

    def resize_table(self, megabytes: int) -> None:
        """Replace the transposition table with an empty one of another size."""
        if megabytes != self.table.megabytes:
            self.table.resize(megabytes)
            self.clear_table()

    def forget(self) -> None:
        """Forget everything learned from previous searches."""
        self.clear_table()
        self.pool.clear()

    def evaluate_by(self, kind: str | None = None, file: str | None = None) -> None:
        """Change the evaluation, and forget everything learned with the previous one."""
        values = self._values
        self.evaluation = _evaluation(kind or values["EvalType"], values["EvalFile"] if file is None else file)
        self.pool.use(self.evaluation)
        self.forget()

    def open_tables(self, path: str) -> None:
        """Use the tablebases in the directories of ``path``, of which at least one must exist."""
        directories = [directory for directory in path.split(os.pathsep) if directory]
        if directories and not any(map(os.path.isdir, directories)):
            raise OptionError(f"SyzygyPath: no such directory: {path}")
        self.tablebase.open(path)

    def think(self, position: Position, limits: Limits, on_info: OnInfo, lines: int) -> Result:
        """Run the search, and turn its lines into messages."""
        chess960 = bool(position["chess960"])
        moves = list_moves(position)
        if not moves:
            last = Info(score=to_message(-MATE if position["checkers"] else 0))
            on_info(last)
            self.pool.wait_for_release(limits)
            if limits.ponder and not self.pool.pondering:
                on_info(replace(last, final=True))
            return Result(info=last)
        wanted = [find_move(position, text) for text in limits.searchmoves]
        moves = [move for move in moves if move in wanted] or moves
        level = self._level(limits)
        verdict = None
        if book_move := self._from_book(position, limits, moves):
            moves, limits = [book_move], replace(limits, depth=min(limits.depth or BOOK_DEPTH, BOOK_DEPTH))
        elif level is not None:
            limits = replace(limits, nodes=min(level.nodes, limits.nodes or level.nodes))
        else:
            verdict = self._probe_root(position, limits)
        if verdict is not None:
            advised = verdict.keeping if self._analyses(limits) else verdict.progress
            good = [find_move(position, move.uci()) for move in advised]
            good = [move for move in moves if move in good]
            moves, verdict = (good, verdict) if good else (moves, None)  # searchmoves may exclude them all

        # If the tablebases chose the root moves, the win is known and the search only looks for the mate.
        tablebase = self._tablebase_access() if verdict is None and level is None and not book_move else None
        last = Info()
        shown: dict[int, RootLine] = {}  # by rank
        exact: dict[int, tuple[RootLine, Info]] = {}  # by rank; a final report usually repeats one with new counters
        shown_at: tuple[int, bool] | None = None  # nodes, and whether it was pondering
        speaking = threading.Lock()

        def report(line: RootLine, hashfull: int, final: bool = False) -> None:
            nonlocal last, shown_at
            elapsed, nodes = self.pool.elapsed, self.pool.nodes  # read once: helpers keep counting
            shown_at = nodes, self.pool.pondering
            counters: dict[str, Any] = {
                "nodes": nodes,
                "nps": nodes_per_second(nodes, elapsed),
                "hashfull": hashfull,
                "tbhits": self.pool.table_hits if tablebase else verdict.probes if verdict else 0,
                "time": int(elapsed),
                "final": final,
            }
            previous, info = exact.get(line.rank, (None, last))
            if previous == line:
                info = replace(info, **counters)
            else:
                info = Info(
                    depth=line.depth,
                    seldepth=line.seldepth,
                    score=_reported_score(line.score, line.bound, verdict),
                    wdl=_chances(line.score, verdict, position),
                    pv=tuple([to_uci(move, chess960) for move in line.moves]),
                    multipv=line.rank,
                    **counters,
                )
            if not line.bound:
                exact[line.rank] = line, info
            on_info(info)
            if line.rank == 1:
                last = info

        def on_line(line: RootLine) -> None:
            if line.rank > lines:  # searched as an alternative, not for display
                return
            with speaking:
                shown[line.rank] = line
                report(line, self.table.hashfull())

        def on_tick(depth: int, move: int, number: int) -> None:
            nonlocal shown_at
            elapsed, nodes = self.pool.elapsed, self.pool.nodes
            speed = nodes_per_second(nodes, elapsed)
            with speaking:
                shown_at = None
                on_info(Info(depth=depth, currmove=to_uci(move, chess960), currmovenumber=number))
                on_info(Info(depth=depth, nodes=nodes, nps=speed, hashfull=self.table.hashfull(), time=int(elapsed)))

        count = max(lines, level.lines if level else 1)
        line = self.pool.search(position, limits, moves, self.table, on_line, on_tick, count, tablebase)
        if level is not None and not book_move:
            line = self._misjudge(position, line, level)
        elif (bound := shown.get(1)) and bound.depth > line.depth and bound.moves[:1] == line.moves[:1]:
            line = bound  # a failed window of the unfinished iteration has newer information on the same move
        final = [line if line.rank == 1 else replace(line, rank=1)]
        if lines > 1:
            rest = [other for other in self.pool.workers[0].lines if other.moves[0] != line.moves[0]]
            final += [replace(other, rank=rank) for rank, other in enumerate(rest[: lines - 1], 2)]
        # Nothing is reported twice; but a GUI may count only reports after its ``ponderhit``.
        if shown_at != (self.pool.nodes, self.pool.pondering) or any(shown.get(one.rank) != one for one in final):
            hashfull = self.table.hashfull()
            for one in final:
                report(one, hashfull, final=True)
        reply = line.moves[1] if len(line.moves) > 1 else 0
        ponder = to_uci(reply, chess960) if reply else ""
        return Result(to_uci(line.moves[0], chess960), ponder, last)

    def _level(self, limits: Limits) -> strength.Level | None:
        """The level to play at; None for full strength."""
        if self._analyses(limits):
            return None
        if self._values["UCI_LimitStrength"]:
            return strength.level_of_elo(self._values["UCI_Elo"])
        return strength.level_of_skill(self._values["Skill Level"])

    def _misjudge(self, position: Position, best: RootLine, level: strength.Level) -> RootLine:
        """The line that a player of this level takes for the best."""
        lines = self.pool.workers[0].lines
        if len(lines) < 2 or not level.noise:
            return best
        if self._chance.random() < level.alert:
            board = chess.Board(to_fen(position), chess960=bool(position["chess960"]))
            moves = [board.parse_uci(to_uci(line.moves[0], board.chess960)) for line in lines]
            glances = [at_a_glance(board, move) for move in moves]
            lines = [lines[index] for index in strength.not_glaring([line.score for line in lines], glances)]
        return lines[strength.choose([line.score for line in lines], level.noise, self._chance)]

    def _analyses(self, limits: Limits) -> bool:
        """Whether the search is for analysis rather than a move of a game."""
        return limits.analysis or limits.infinite or limits.mate is not None or self._values["UCI_AnalyseMode"]

    def _from_book(self, position: Position, limits: Limits, moves: list[int]) -> int:
        """A book move among ``moves``, or 0."""
        values = self._values
        if not values["OwnBook"] or self._analyses(limits) or int(position["fullmove"]) > values["Book Depth"]:
            return 0
        board = chess.Board(to_fen(position), chess960=bool(position["chess960"]))
        move = self.book.move(board, values["Best Book Move"])
        found = find_move(position, move.uci()) if move is not None else 0
        return found if found in moves else 0

    def _tablebase_access(self) -> TablebaseAccess | None:
        """Tablebase access for the search, as the options allow."""
        limit, depth = self._values["SyzygyProbeLimit"], self._values["SyzygyProbeDepth"]
        return self.tablebase.access(limit, depth, self._values["Syzygy50MoveRule"])

    def _probe_root(self, position: Position, limits: Limits) -> Verdict | None:
        """The tablebases' verdict on the root, if they may be probed."""
        most = min(self.tablebase.largest, self._values["SyzygyProbeLimit"])
        depth = limits.depth if limits.depth is not None else MAX_PLY
        if most == 0 or depth < self._values["SyzygyProbeDepth"]:
            return None
        if sum(int(own).bit_count() for own in position["colors"]) > most:
            return None
        keys = [*position["history"]["key"][: int(position["ply"])].tolist(), int(position["key"])]
        board = chess.Board(to_fen(position))
        return self.tablebase.judge(board, keys, self._values["Syzygy50MoveRule"], self.pool.timeout(PROBE_TIMEOUT))
