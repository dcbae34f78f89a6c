"""Endgame tablebases in Ronald de Man's Syzygy format, and their results of the root moves.

For every position with few pieces the tables hold the winner (WDL) and the distance to zeroing (DTZ): the plies to the
next capture or pawn move if the winner hurries and the loser delays it. So a won ending can be converted without
losing the win to the 50-move rule, as in Stockfish: among the winning moves, play one that brings the next zeroing move
nearest.

The root is probed through python-chess, which reads both kinds of tables but takes far longer than a node of the
search. So the search itself probes the compiled :mod:`engine.syzygy`, which reads WDL only (figures are in
``tuning/results/engine.md``)."""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import chess

from engine.files import list_directory, open_regular, size_of
from engine.jit import warmup
from engine.search.tablebase import BLESSED_LOSS, CURSED_WIN, DRAW, LOSS, WIN, TablebaseAccess

if TYPE_CHECKING:
    from chess.syzygy import Tablebase as Reader

    from engine.play.tablereader import TimedReader
    from engine.syzygy.files import Prober

#: Plies without a capture or pawn move after which a draw can be claimed.
FIFTY_MOVES = 100

#: The first bytes of each kind of table file.
_MAGIC = {".rtbw": b"\x71\xe8\x23\x5d", ".rtbz": b"\xd7\x66\x0c\xa5"}

#: Seconds lost to timeouts, in total, before the tables are closed: python-chess may loop for ever in a damaged file.
PROBE_TIMEOUT = 5.0

#: Maximum number of unusable paths to list by name; the others are only counted.
_NAMED = 10

#: Table files end with a checksum of 16 bytes after blocks of 64.
_BLOCK, _CHECKSUM = 64, 16


@dataclass(frozen=True, slots=True)
class Ranked:
    """A root move: its ``outcome`` (WIN .. LOSS) for the side that plays it, and the ``plies`` on the 50-move
    clock when the next capture or pawn move comes."""

    move: chess.Move
    outcome: int
    plies: int


@dataclass(frozen=True, slots=True)
class RootProbe:
    """The tablebases' results of all moves of a position: ``ranked``, best first. ``progress`` are the moves to play
    when no mate is in sight: of those that keep the result, if it is a win, the quickest to the next capture or pawn
    move, else all."""

    ranked: tuple[Ranked, ...]
    progress: tuple[chess.Move, ...]

    @property
    def outcome(self) -> int:
        """The result for the side to move."""
        return self.ranked[0].outcome

    @property
    def keeping(self) -> tuple[chess.Move, ...]:
        """The moves that keep it."""
        return tuple(entry.move for entry in self.ranked if entry.outcome == self.outcome)


class Tablebase:
    """The tables in some directories. ``report`` gets one line for each fault of a file, once."""

    def __init__(self, report: Callable[[str], None] = lambda line: None) -> None:
        self._report = report
        self._reader: TimedReader | None = None
        self._prober: Prober | None = None
        self._reported: set[str] = set()
        self._waited = 0.0
        #: Maximum number of pieces of a table, kings included; 0 without tables.
        self.largest = 0

    def close(self) -> None:
        """Close the files; afterwards there are no tables."""
        if self._reader is not None:
            self._reader.close()
        self._reader, self._prober, self.largest = None, None, 0

    def open(self, path: str) -> None:
        """Use the tables in the directories of ``path``, separated by ``os.pathsep``, instead of the previous ones.
        Reports the numbers of WDL and DTZ tables. An unusable directory or file is reported and skipped. No search may
        run meanwhile."""
        self.close()
        self._reported.clear()
        self._waited = 0.0
        if not path:
            return
        from engine.play.tablereader import TimedReader

        reader, tables, names = TimedReader(), [], set()
        faults: list[str] = []
        for directory in filter(None, path.split(os.pathsep)):
            for file in _files(directory, faults):
                if not reader.add_file(file):
                    continue
                names.add(os.path.basename(file))
                if file.endswith(".rtbw"):
                    tables.append(file)
                    self.largest = max(self.largest, _piece_count(file))
        self._report_faults(faults)
        self._reader = reader if tables else None
        wdl = sum(name.endswith(".rtbw") for name in names)
        pieces = f" with up to {self.largest} pieces" if tables else ""
        self._report(f"found {wdl} WDL and {len(names) - wdl} DTZ Syzygy tables{pieces} in {path}")
        if not tables:
            return
        from engine.syzygy.files import Prober  # defines kernels

        try:
            warmup.warm_up(self._report, layer="syzygy")
        except OSError as error:
            self._report_once(f"searching without Syzygy tables: their prober cannot be compiled: {error}")
            return
        faults.clear()
        self._prober = Prober(tables, faults.append)
        self._report_faults(faults)

    def access(self, pieces: int, depth: int, fifty: bool) -> TablebaseAccess | None:
        """A search's access to the tables; None if there are none. It probes positions with at most ``pieces``, and
        those with exactly as many only from ``depth`` on. Without ``fifty`` the 50-move rule is ignored."""
        prober = self._prober
        if prober is None or min(pieces, prober.largest) == 0:
            return None
        return TablebaseAccess(prober.function, prober.address, min(pieces, prober.largest), depth, fifty, prober)

    def _report_faults(self, faults: list[str]) -> None:
        for fault in faults[:_NAMED]:
            self._report_once(f"SyzygyPath: {fault}; ignored")
        if len(faults) > _NAMED:
            self._report_once(f"SyzygyPath: {len(faults) - _NAMED} more cannot be used; ignored")

    def _report_once(self, text: str) -> None:
        if text not in self._reported:
            self._reported.add(text)
            self._report(text)

    def probe(
        self, board: chess.Board, seen: Collection[int] = (), fifty: bool = True, timeout: float = PROBE_TIMEOUT
    ) -> RootProbe | None:
        """The results of all moves of ``board``; None if the tables do not cover it, or after ``timeout`` seconds.
        ``seen`` are the Zobrist keys of the positions since the last capture or pawn move, the present one included, as
        often as they occurred. Without ``fifty`` the 50-move rule is ignored."""
        reader = self._reader
        if reader is None or board.castling_rights or board.occupied.bit_count() > self.largest:
            return None
        try:
            reader.deadline.time = time.monotonic() + timeout
            return self._probe(reader, reader.board(board), seen, fifty)
        except TimeoutError:
            self._waited += timeout
            if self._waited >= PROBE_TIMEOUT:
                self._report_once(f"the Syzygy tables for {board.fen()} are damaged or too slow; no longer used")
                self.close()
            return None
        except KeyError:  # a table is missing
            return None
        except Exception as error:  # python-chess may raise anything over a damaged file
            self._report_once(f"the Syzygy tables for {board.fen()} cannot be read: {type(error).__name__}: {error}")
            return None

    def _probe(self, reader: Reader, board: chess.Board, seen: Collection[int], fifty: bool) -> RootProbe | None:
        counts = Counter(seen)
        try:
            ranked = [_rank(reader, board, move, counts, fifty, True) for move in board.legal_moves]
        except KeyError:
            ranked = [_rank(reader, board, move, counts, fifty, False) for move in board.legal_moves]
        if not ranked:
            return None
        ranked.sort(key=lambda entry: (-entry.outcome, entry.plies if entry.outcome > DRAW else -entry.plies))
        best = [entry for entry in ranked if entry.outcome == ranked[0].outcome]
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


def _rank(
    reader: Reader, board: chess.Board, move: chess.Move, counts: Mapping[int, int], fifty: bool, distances: bool
) -> Ranked:
    """The outcome of ``move`` by DTZ, or without ``distances`` by WDL alone, as if the 50-move clock were zero.
    Distances may be rounded by a ply, so only 99 plies are surely in time."""
    clock = board.halfmove_clock
    board.push(move)
    try:
        if board.is_checkmate():
            return Ranked(move, WIN, 1)
        if _is_drawn(board, counts, fifty):
            return Ranked(move, DRAW, 0)
        if board.halfmove_clock == 0 or not distances:
            outcome = -reader.probe_wdl(board)
            if outcome not in (CURSED_WIN, BLESSED_LOSS):
                return Ranked(move, outcome, 1)
            if not fifty:  # the rule would apply in a later phase
                outcome = WIN if outcome == CURSED_WIN else LOSS
            return Ranked(move, outcome, FIFTY_MOVES + 1)
        distance = -reader.probe_dtz(board)
    finally:
        board.pop()
    if distance == 0:
        return Ranked(move, DRAW, 0)
    plies = abs(distance) + 1 + clock
    in_time = not fifty or plies < FIFTY_MOVES
    if distance > 0:
        return Ranked(move, WIN if in_time else CURSED_WIN, plies)
    return Ranked(move, LOSS if in_time else BLESSED_LOSS, plies)


def _is_drawn(board: chess.Board, counts: Mapping[int, int], fifty: bool) -> bool:
    """Whether the position is drawn regardless of the tables: by a third repetition or the 50-move rule."""
    if fifty and board.halfmove_clock >= FIFTY_MOVES:
        return True
    if not counts:
        return False
    from chess.polyglot import zobrist_hash

    return counts.get(zobrist_hash(board), 0) >= 2
