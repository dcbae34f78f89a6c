"""Endgame tablebases in Ronald de Man's Syzygy format, and their results of the root moves.

For every position with few pieces the tables hold the winner (WDL) and the distance to zeroing (DTZ): the plies to the
next capture or pawn move if the winner hurries and the loser delays it. So a won ending can be converted without
losing the win to the 50-move rule, as in Stockfish: among the winning moves, play one that brings the next zeroing move
nearest. Both kinds are probed by the compiled :mod:`engine.syzygy`; the search itself reads WDL only."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from engine.board.aliases import Position
from engine.board.notation import list_moves
from engine.files import list_directory, open_regular, size_of
from engine.jit import warmup
from engine.play.boards import board_of, occurred_twice, position_after
from engine.search.tablebase import BLESSED_LOSS, CURSED_WIN, DRAW, LOSS, WIN, TablebaseAccess

if TYPE_CHECKING:
    from engine.syzygy.files import Prober

FIFTY_MOVES = 100  # plies without a capture or pawn move after which a draw can be claimed
_MAGIC = {".rtbw": b"\x71\xe8\x23\x5d", ".rtbz": b"\xd7\x66\x0c\xa5"}  # the first bytes of each kind of table file
_MAX_NAMED_PATHS = 10  # unusable paths that are listed by name; the others are counted
_BLOCK, _CHECKSUM = 64, 16  # table files end with a checksum of 16 bytes after blocks of 64


@dataclass(frozen=True, slots=True)
class Ranked:
    """A root move: its ``outcome`` (WIN .. LOSS) for the side that plays it, and the ``plies`` on the 50-move
    clock when the next capture or pawn move comes."""

    move: int
    outcome: int
    plies: int


@dataclass(frozen=True, slots=True)
class RootProbe:
    """The tablebases' results of all moves of a position: ``ranked``, best first. ``progress`` are the moves to play
    when no mate is in sight: all that keep the result, but in a win only the quickest to a capture or pawn move."""

    ranked: tuple[Ranked, ...]
    progress: tuple[int, ...]

    @property
    def outcome(self) -> int:
        """The result for the side to move."""
        return self.ranked[0].outcome

    @property
    def keeping(self) -> tuple[int, ...]:
        """The moves that keep it."""
        return tuple(entry.move for entry in self.ranked if entry.outcome == self.outcome)


class Tablebase:
    """The tables in some directories. ``report`` gets one line for each fault of a file, once."""

    def __init__(self, report: Callable[[str], None] = lambda line: None) -> None:
        self._report = report
        self._prober: Prober | None = None
        self._reported: set[str] = set()
        self.largest = 0  # maximum number of pieces of a table, kings included; 0 without tables

    def close(self) -> None:
        """Close the files; afterwards there are no tables."""
        self._prober, self.largest = None, 0

    def open(self, path: str) -> None:
        """Use the tables in the directories of ``path``, separated by ``os.pathsep``, instead of the previous ones.
        Reports the numbers of WDL and DTZ tables, and what is unusable. No search may run meanwhile."""
        self.close()
        self._reported.clear()
        if not path:
            return
        tables: dict[str, str] = {}  # files by name: a later directory replaces those of an earlier one
        faults: list[str] = []
        for directory in filter(None, path.split(os.pathsep)):
            tables.update((os.path.basename(file), file) for file in _files(directory, faults))
        self._report_faults(faults)
        wdl = [name for name in tables if name.endswith(".rtbw")]
        largest = max(map(_piece_count, wdl), default=0)
        pieces = f" with up to {largest} pieces" if wdl else ""
        self._report(f"found {len(wdl)} WDL and {len(tables) - len(wdl)} DTZ Syzygy tables{pieces} in {path}")
        if not wdl:
            return
        from engine.syzygy.files import Prober  # defines kernels

        try:
            warmup.warm_up(self._report, layer="syzygy")
        except OSError as error:
            self._report_once(f"playing without Syzygy tables: their prober cannot be compiled: {error}")
            return
        self._prober = Prober(tables.values())
        self.largest = self._prober.largest
        self._report_faults(self._prober.faults)

    def access(self, pieces: int, depth: int, fifty: bool) -> TablebaseAccess | None:
        """A search's access to the tables; None if there are none. It probes positions with at most ``pieces``, and
        those with exactly as many only from ``depth`` on. Without ``fifty`` the 50-move rule is ignored."""
        prober = self._prober
        if prober is None or min(pieces, prober.largest) == 0:
            return None
        return TablebaseAccess(prober.function, prober.address, min(pieces, prober.largest), depth, fifty, prober)

    def _report_faults(self, faults: list[str]) -> None:
        for fault in faults[:_MAX_NAMED_PATHS]:
            self._report_once(f"SyzygyPath: {fault}; ignored")
        if len(faults) > _MAX_NAMED_PATHS:
            self._report_once(f"SyzygyPath: {len(faults) - _MAX_NAMED_PATHS} more cannot be used; ignored")
        faults.clear()

    def _report_once(self, text: str) -> None:
        if text not in self._reported:
            self._reported.add(text)
            self._report(text)

    def probe(self, position: Position, fifty: bool = True) -> RootProbe | None:
        """The results of all moves of ``position``, with the ``fifty``-move rule or without; None if not covered."""
        prober = self._prober
        pieces = sum(own.bit_count() for own in position["colors"].tolist())
        if prober is None or position["castling"] or pieces > self.largest:
            return None
        moves, table = list_moves(position), prober.distance_table(position)
        self._report_faults(prober.faults)
        ranked = _rank_all(prober, position, moves, fifty, table)
        if table is not None and ranked is None:
            table, ranked = None, _rank_all(prober, position, moves, fifty, None)
        if ranked is None and prober.has_table(position):
            name = _material(position)
            self._report_once(
                f"cannot probe {name}: a table that its captures or promotions lead to is missing or damaged"
            )
        if not ranked:
            return None
        ranked.sort(key=lambda entry: (-entry.outcome, entry.plies if entry.outcome > DRAW else -entry.plies))
        best = [entry for entry in ranked if entry.outcome == ranked[0].outcome]
        if table is None and best[0].outcome > DRAW:
            self._report_once(f"no DTZ table for {_material(position)}: the win is kept, but may make no progress")
        if best[0].outcome > DRAW or best[0].outcome == BLESSED_LOSS:
            best = [entry for entry in best if entry.plies == best[0].plies]
        return RootProbe(tuple(ranked), tuple(entry.move for entry in best))


def _files(directory: str, faults: list[str]) -> Iterable[str]:
    """The tables in ``directory``; unusable files are added to ``faults``."""
    try:
        names = list_directory(directory)
    except OSError as error:
        faults.append(f"{directory}: {error.strerror}")
        return
    for name in names:
        file = os.path.join(directory, name)
        magic = _MAGIC.get(os.path.splitext(name)[1])
        if magic is None:
            continue
        try:
            with open_regular(file) as stream:
                sound = stream.read(4) == magic and size_of(stream) % _BLOCK == _CHECKSUM
        except OSError as error:
            faults.append(f"{file}: {error.strerror}")
            continue
        if sound:
            yield file
        else:
            faults.append(f"{file} is not a Syzygy table, or is damaged")


def _piece_count(file: str) -> int:
    """The number of pieces of the table in ``file``: five for KRPvKR."""
    return len(os.path.splitext(os.path.basename(file))[0].replace("v", ""))


def _material(position: Position) -> str:
    """The name of the table of ``position``, with White first."""
    from chess.syzygy import calc_key  # late: few games need it

    return calc_key(board_of(position))


def _rank_all(prober: Prober, position: Position, moves: list[int], fifty: bool, table: Any) -> list[Ranked] | None:
    """The outcomes of ``moves`` by the DTZ ``table``, or if that is None by WDL alone, as if the 50-move clock were
    zero; None if a table is missing or damaged."""
    ranked = []
    for move in moves:
        if (entry := _rank(prober, position, move, fifty, table)) is None:
            return None
        ranked.append(entry)
    return ranked


def _rank(prober: Prober, position: Position, move: int, fifty: bool, table: Any) -> Ranked | None:
    """The outcome of one move, as in :func:`_rank_all`. A distance may be rounded, so 99 plies are surely in time."""
    after = position_after(position, move)
    if after["checkers"] and not list_moves(after):
        return Ranked(move, WIN, 1)
    if (fifty and after["rule50"] >= FIFTY_MOVES) or occurred_twice(after):
        return Ranked(move, DRAW, 0)
    if after["rule50"] == 0 or table is None:
        if (outcome := prober.outcome(after)) is None:
            return None
        if outcome not in (CURSED_WIN, BLESSED_LOSS):
            return Ranked(move, -outcome, 1)
        if not fifty:  # the rule would apply in a later phase
            outcome = WIN if outcome == CURSED_WIN else LOSS
        return Ranked(move, -outcome, FIFTY_MOVES + 1)
    if (distance := prober.distance(table, after)) is None:
        return None
    if distance == 0:
        return Ranked(move, DRAW, 0)
    plies = abs(distance) + 1 + int(position["rule50"])
    in_time = not fifty or plies < FIFTY_MOVES
    if distance < 0:
        return Ranked(move, WIN if in_time else CURSED_WIN, plies)
    return Ranked(move, LOSS if in_time else BLESSED_LOSS, plies)
