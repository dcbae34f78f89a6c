"""Turns the lines of a search into reports: scores as users see them, counters, and nothing twice."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from engine.board.aliases import Position
from engine.board.notation import to_uci
from engine.messages import Info, Limits, Result, Score, nodes_per_second
from engine.play import strength, wdl
from engine.play.tablebase import FIFTY_MOVES
from engine.search.pool import FIRST_TICK_SECONDS, Pool
from engine.search.scores import DECIDED, MATE_BOUND, to_message
from engine.search.tablebase import LOSS, WIN, TablebaseAccess
from engine.search.transposition import TranspositionTable
from engine.search.worker import RootLine

OnInfo = Callable[[Info], None]

SHOWN_TABLE_WIN = 20_000  # centipawns reported for a tablebase win without a mate in sight; mates are above it


def _winners(position: Position) -> tuple[bool, bool]:
    """Whether the side to move, and whether its opponent, has the material to win."""
    pieces, sides, side = position["pieces"].tolist(), position["colors"].tolist(), int(position["side"])
    return wdl.can_win(pieces, sides[side]), wdl.can_win(pieces, sides[1 - side])


def _reported_score(score: int, bound: str, outcome: int | None, winners: tuple[bool, bool]) -> Score:
    """The score to report: a mate if found, else the tablebases' ``outcome``, else a draw if nobody has the material to
    win, else the score of the search."""
    if abs(score) > MATE_BOUND and (outcome is None or score * outcome > 0):
        return to_message(score, bound)
    if outcome is None and abs(score) > DECIDED:
        return Score(cp=SHOWN_TABLE_WIN if score > 0 else -SHOWN_TABLE_WIN, bound=bound)
    if outcome is None:
        return Score(cp=wdl.MODEL.normalize(score) if any(winners) else 0, bound=bound)
    return Score(cp={WIN: SHOWN_TABLE_WIN, LOSS: -SHOWN_TABLE_WIN}.get(outcome, outcome))


def _chances(score: int, outcome: int | None, position: Position, winners: tuple[bool, bool]) -> tuple[int, int, int]:
    """The chances to report with ``score`` in ``position``: certain if tablebases, a mate or the rules decide it."""
    if outcome is not None:
        return {WIN: (1000, 0, 0), LOSS: (0, 0, 1000)}.get(outcome, (0, 1000, 0))
    chances = wdl.MODEL.chances(score, int(position["fullmove"]))
    if abs(score) > DECIDED:
        return chances
    if score == 0 and position["rule50"] >= FIFTY_MOVES:
        return 0, 1000, 0
    return wdl.limit_by_material(chances, *winners)


@dataclass(frozen=True, slots=True)
class RootChoice:
    """The root ``moves`` to search, and how. ``outcomes`` are the tablebases' results of all root moves, best first, if
    they decide the move; ``probes`` counts the positions probed. ``level`` is the strength to play at; None: full."""

    moves: list[int]
    limits: Limits
    level: strength.Level | None = None
    outcomes: Mapping[int, int] = field(default_factory=dict)
    probes: int = 0
    tablebase: TablebaseAccess | None = None


class Reporter:
    """The reports of one search of ``position`` by ``pool``, with ``lines`` ranks: first the lines that are searched,
    then the root moves that only the tablebases know."""

    def __init__(
        self, position: Position, pool: Pool, table: TranspositionTable, on_info: OnInfo, lines: int, choice: RootChoice
    ) -> None:
        self._pool, self._table, self._on_info, self._lines = pool, table, on_info, lines
        self._position, self._chess960 = position, bool(position["chess960"])
        self._outcomes, self._probes = choice.outcomes, choice.probes
        self._winners = _winners(position)
        self._searched = min(lines, len(choice.moves))  # ranks that the search reports
        self._others = [move for move in choice.outcomes if move not in choice.moves]
        self._last = Info()
        self._shown: dict[int, RootLine] = {}  # by rank
        self._exact: dict[int, tuple[RootLine, Info]] = {}  # by rank; a final report usually has only new counters
        self._shown_at: tuple[int, bool] | None = None  # nodes, and whether the search pondered

    def on_line(self, line: RootLine) -> None:
        """Report a line, and after the last of an iteration the lines that were not searched. The failed window of an
        only line is reported only in long searches, as in Stockfish, because some GUIs take its bound for the score,
        and never where the tablebases know the result."""
        if line.rank > self._lines:  # searched as an alternative, not for display
            return
        is_early = self._pool.elapsed < FIRST_TICK_SECONDS * 1000
        if line.bound and self._searched == 1 and (self._outcomes or is_early):
            return
        self._shown[line.rank] = line
        self._report(line)
        if not line.bound and line.rank == self._searched:
            for other in self._not_searched(line.depth, line.rank):
                self._shown[other.rank] = other
                self._report(other)

    def on_tick(self, depth: int, move: int, number: int) -> None:
        """Report the root move under search, its number, and the counters."""
        elapsed, nodes = self._pool.elapsed, self._pool.nodes
        speed, hashfull = nodes_per_second(nodes, elapsed), self._table.hashfull()
        self._shown_at = None
        self._on_info(Info(depth=depth, currmove=to_uci(move, self._chess960), currmovenumber=number))
        self._on_info(Info(depth=depth, nodes=nodes, nps=speed, hashfull=hashfull, time=int(elapsed)))

    def finish(self, line: RootLine) -> Result:
        """The result of a search that ended with ``line``; reports what the last reports did not show."""
        if (bound := self._shown.get(1)) and bound.depth > line.depth and bound.moves[:1] == line.moves[:1]:
            line = bound  # a failed window of the unfinished iteration has newer information on the same move
        return self.conclude(line)

    def conclude(self, line: RootLine) -> Result:
        """The result with ``line`` as it is."""
        final = [line if line.rank == 1 else replace(line, rank=1)]
        if self._lines > 1:
            rest = [other for other in self._pool.workers[0].lines if other.moves[0] != line.moves[0]]
            final += [replace(other, rank=rank) for rank, other in enumerate(rest[: self._lines - 1], 2)]
            final += self._not_searched(line.depth, len(final))
        # Nothing is reported twice; but a GUI may count only reports after its ``ponderhit``.
        now = self._pool.nodes, self._pool.pondering
        if self._shown_at != now or any(self._shown.get(one.rank) != one for one in final):
            for one in final:
                self._report(one, final=True)
        reply = line.moves[1] if len(line.moves) > 1 else 0
        return Result(to_uci(line.moves[0], self._chess960), to_uci(reply, self._chess960) if reply else "", self._last)

    def _not_searched(self, depth: int, rank: int) -> list[RootLine]:
        """The moves that only the tablebases judge, as lines after ``rank``."""
        moves = self._others[: max(0, self._lines - rank)]
        return [RootLine(depth, 1, 0, [move], "", number) for number, move in enumerate(moves, rank + 1)]

    def _report(self, line: RootLine, final: bool = False) -> None:
        pool = self._pool
        elapsed, nodes = pool.elapsed, pool.nodes  # read once: helpers keep counting
        self._shown_at = nodes, pool.pondering
        counters: dict[str, Any] = {
            "nodes": nodes,
            "nps": nodes_per_second(nodes, elapsed),
            "hashfull": self._table.hashfull(),
            "tbhits": pool.table_hits + self._probes,
            "time": int(elapsed),
            "final": final,
        }
        previous, info = self._exact.get(line.rank, (None, self._last))
        if previous == line:
            info = replace(info, **counters)
        else:
            outcome = self._outcomes.get(line.moves[0])
            info = Info(
                depth=line.depth,
                seldepth=line.seldepth,
                score=_reported_score(line.score, line.bound, outcome, self._winners),
                wdl=_chances(line.score, outcome, self._position, self._winners),
                pv=tuple([to_uci(move, self._chess960) for move in line.moves]),
                multipv=line.rank,
                **counters,
            )
        if not line.bound:
            self._exact[line.rank] = line, info
        self._on_info(info)
        if line.rank == 1:
            self._last = info
