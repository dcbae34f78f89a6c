"""Checks that an engine answers every command, with a legal move for each search, in the order of the commands.

The judge receives each line sent to the engine, with its :class:`Meaning`, and each line that comes back. Answers due
form a queue: each answer is that of its head, except for those that need not wait for a search.
"""

import re
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import chess

#: The meaning of a line: ``is`` names it, the rest are details (see :meth:`ProtocolJudge.say`).
Meaning = dict[str, Any]

#: The line that reports a stopped task.
_STOPPED = {
    "perft": ("info string go perft stopped",),
    "bench": ("info string bench stopped",),
    "explain": ("info string explain stopped",),
}

#: Maximum depth of a perft that python-chess repeats.
_COUNTED = 2

_EVALUATION = re.compile(r"\s*[a-z -]+\|[ |\d.MGEWhiteBlackTotal-]*$|-+(\+-+)+$|\s*\|")
_BOARD = re.compile(r"  \+---|[1-8] \| |    a   b|Key: [0-9A-F]{16}$|Checkers:( [a-h][1-8])*\s*$")
_PERFT_TIME = re.compile(r"\d+ ms, \d+ nodes per second$")
_BENCH = re.compile(r"\d+ nodes \d+ nps$")
_MOVE = re.compile(r"([a-h][1-8][a-h][1-8][nbrq]?): (\d+)$")


class Fault(Exception):
    """A fault of the engine. ``kind`` is the same for faults of the same sort."""

    def __init__(self, kind: str, detail: str) -> None:
        super().__init__(f"{kind}: {detail}")
        self.kind = kind


@dataclass
class Place:
    """The engine's expected position; ``board`` is None until the engine reports it. ``king_takes_rook`` is how
    castling is written, None if the judge cannot know it."""

    board: chess.Board | None
    king_takes_rook: bool | None = None


@dataclass
class Due:
    """An answer due to line number ``order``."""

    kind: str
    order: int
    said: str
    place: Place
    early: bool = False  # need not wait for a search that was not stopped
    waits_for: frozenset[str] = frozenset()  # a search that must not end before one of these commands
    endless: bool = False  # must not end before stop or, if that is among ``waits_for``, ponderhit
    stopped: int | None = None  # the number of the line that stopped it
    released: bool = False
    moves: frozenset[str] = frozenset()
    lines: int = 1
    depth: int = 0
    token: str = ""
    learns: bool = False
    counts: dict[str, int] = field(default_factory=dict)
    total: int = -1
    first: str = ""


def needs_chess960(board: chess.Board) -> bool:
    """Whether a castling right belongs to a king or rook that is not on its standard square."""
    for color in chess.COLORS:
        rank = chess.BB_RANK_1 if color else chess.BB_RANK_8
        rights = board.castling_rights & rank
        if rights & ~(chess.BB_FILE_A | chess.BB_FILE_H):
            return True
        if rights and board.king(color) not in (chess.E1, chess.E8):
            return True
    return False


class ProtocolJudge:
    """The state of one conversation."""

    def __init__(self) -> None:
        self.due: deque[Due] = deque()
        self.uci_due = 0
        self.over = False
        self._helping = False
        self._order = 0
        self._chess960 = False
        self._lines = 1
        self._place = Place(chess.Board(chess960=True), False)
        self.answered = 0

    # Commands

    def say(self, text: str, meaning: Meaning) -> None:
        """The line ``text`` is about to be sent."""
        if self.over:
            return
        self._order += 1
        match meaning["is"]:
            case "position":
                self._set(meaning["fen"], meaning["moves"])
            case "unknown position":
                self._place = Place(None)
            case "option":
                self._option(meaning["name"], meaning["value"])
            case "go":
                waits_for = frozenset(meaning["waits for"])
                searched = frozenset(meaning.get("moves", ()))
                endless = bool(waits_for) or meaning["endless"]
                self._owe("search", text, waits_for=waits_for, endless=endless, moves=searched, lines=self._lines)
            case "perft":
                self._owe("perft", text, depth=meaning["depth"])
            case "isready":
                self._owe("readyok", text, early=True)
            case "remark":
                self._owe("remark", text, early=meaning["early"], token=meaning["token"])
            case "d":
                self._owe("board", text, learns=self._place.board is None)
            case "bench" | "eval" | "explain" as kind:
                self._owe(kind, text)
            case "help":
                self._owe("help", text, early=True)
            case "uci":
                self.uci_due += 1
            case "stop" | "ucinewgame":
                self._release("stop")
            case "ponderhit":
                self._release("ponderhit")
            case "quit":
                self.over = True
                self._release("stop")
            case "nothing":
                pass
            case other:
                raise ValueError(f"no meaning '{other}'")

    def _owe(self, kind: str, text: str, **particulars: Any) -> None:
        self.due.append(Due(kind, self._order, text, self._place, **particulars))

    def _set(self, fen: str | None, moves: Iterable[str]) -> None:
        board = chess.Board(fen or chess.STARTING_FEN, chess960=True)
        written = self._chess960 or needs_chess960(board)
        for move in moves:
            board.push_uci(move)
        self._place = Place(board.copy(stack=False), written)

    def _option(self, name: str, value: str) -> None:
        if name == "MultiPV":
            self._lines = int(value)
        elif name == "UCI_Chess960":
            self._chess960 = value == "true"
            board = self._place.board
            self._place = Place(board, None if board is None else self._chess960 or needs_chess960(board))

    def _release(self, by: str) -> None:
        for due in self.due:
            if by == "stop" and due.stopped is None:
                due.stopped = self._order
            if by in due.waits_for:
                due.released = True

    @property
    def endless(self) -> bool:
        """Whether something due will not come before ``stop``."""
        return any(due.endless and due.stopped is None and not due.released for due in self.due)

    # Answers

    def hear(self, line: str) -> None:
        """The engine said ``line``. Raises :class:`Fault`."""
        if self._helping:  # its lines arrive together
            self._helping = line != "  quit"
            return
        words = line.split()
        match words:
            case []:
                return
            case ["Numbat", "speaks", *_]:
                self._take(line, "help")
                self._helping = True
            case ["readyok"]:
                self._take(line, "readyok")
            case ["bestmove", *rest]:
                self._result(line, rest)
            case ["uciok"]:
                if not self.uci_due:
                    raise Fault("unexpected line", line)
                self.uci_due -= 1
            case ["id" | "option", *_] if self.uci_due:
                return
            case ["info", "string", *_]:
                self._remark(line)
            case ["info", *_]:
                self._report(line, words)
            case ["Fen:", *fields]:
                self._board(line, " ".join(fields))
            case ["Legal", "moves:", number]:
                due = self._head(line, "board")
                assert due.place.board is not None
                if due.place.board.legal_moves.count() != int(number):
                    raise Fault("wrong number of legal moves", f"{line} in {due.place.board.fen()}")
                self._done(due)
            case _:
                self._other(line)

    def _other(self, line: str) -> None:
        kind = self.due[0].kind if self.due else ""
        if kind == "board" and _BOARD.match(line):
            return
        if kind == "eval" and "from White's view" in line:
            self._done(self.due[0])
        elif kind == "eval" and _EVALUATION.match(line):
            return
        elif (kind == "bench" and _BENCH.match(line)) or (kind == "explain" and line.endswith(".")):
            self._done(self.due[0])
        elif kind == "perft" and (found := _MOVE.match(line)):
            self.due[0].counts[found[1]] = int(found[2])
        elif kind == "perft" and line.startswith("Nodes searched: "):
            self.due[0].total = int(line.split()[2])
        elif kind == "perft" and _PERFT_TIME.match(line):
            self._count(self.due[0])
        else:
            raise Fault("unexpected line", f"{line!r} while {kind or 'nothing'} is due")

    def _done(self, due: Due) -> None:
        self.due.remove(due)
        self.answered += 1

    def _head(self, line: str, kind: str) -> Due:
        if not self.due or self.due[0].kind != kind:
            waiting = f"{self.due[0].said[:80]!r} is not answered" if self.due else "nothing is due"
            raise Fault(f"{kind} out of order", f"{line!r} while {waiting}")
        return self.due[0]

    def _take(self, line: str, kind: str, token: str = "") -> None:
        """An answer that may come before that of a search or an explanation."""
        for due in self.due:
            if due.kind == kind and due.token == token:
                break
        else:
            raise Fault(f"{kind} out of order", f"{line!r}, which nothing asked for")
        head = self.due[0]
        if head is not due:
            unstopped = head.kind in ("search", "explain") and (head.stopped is None or head.stopped > due.order)
            if not (due.early and unstopped):
                raise Fault(f"{kind} out of order", f"{line!r} before the answer to {head.said[:80]!r}")
        self._done(due)

    def _remark(self, line: str) -> None:
        for due in self.due:
            if due.kind == "remark" and due.token in line:
                self._take(line, "remark", due.token)
                return
        head = self.due[0] if self.due else None
        if head is None:
            return
        if head.kind == "explain" and line.startswith("info string explain: "):
            self._done(head)  # it names a move that it cannot explain
        elif head.stopped is not None and line in _STOPPED.get(head.kind, ()):
            self._done(head)

    def _report(self, line: str, words: list[str]) -> None:
        due = self._head(line, "search")
        for name in ("depth", "nodes", "time", "nps", "multipv", "hashfull"):
            if name in words and not words[words.index(name) + 1].isdigit():
                raise Fault("broken report", line)
        rank = int(words[words.index("multipv") + 1]) if "multipv" in words else 1
        if rank > due.lines:
            raise Fault("too many lines", f"{line} with MultiPV {due.lines}")
        if "pv" not in words or due.place.board is None:
            return
        board = due.place.board.copy(stack=False)
        moves = words[words.index("pv") + 1 :]
        if not moves:
            raise Fault("broken report", line)
        for move in moves:
            self._push(board, move, due.place, "illegal PV", line)
        if rank == 1:
            due.first = moves[0]

    def _push(self, board: chess.Board, text: str, place: Place, kind: str, line: str) -> None:
        """Play the move ``text``, which must be legal and written as it should be."""
        try:
            move = board.parse_uci(text)
        except ValueError:
            raise Fault(kind, f"{text} in {board.fen()}: {line}") from None
        if not move:
            raise Fault(kind, f"a null move in {board.fen()}: {line}")
        if place.king_takes_rook is not None and board.uci(move, chess960=place.king_takes_rook) != text:
            raise Fault("castling written in the wrong way", f"{text} in {board.fen()}: {line}")
        board.push(move)

    def _result(self, line: str, words: list[str]) -> None:
        due = self._head(line, "search")
        if due.waits_for and not due.released:
            raise Fault("answer before stop", f"{line!r} to {due.said[:80]!r}")
        if due.place.board is not None:
            self._judge_move(due, due.place.board.copy(stack=False), line, words)
        self._done(due)

    def _judge_move(self, due: Due, board: chess.Board, line: str, words: list[str]) -> None:
        legal = any(board.legal_moves)
        if words == ["0000"]:
            if legal:
                raise Fault("no move", f"{line!r} in {board.fen()}")
            return
        if not words or (len(words) > 1 and (words[1] != "ponder" or len(words) != 3)):
            raise Fault("broken answer", line)
        if due.moves and board.parse_uci(words[0]) not in {board.parse_uci(move) for move in due.moves}:
            raise Fault("another move than asked for", f"{line!r} to {due.said[:200]!r}")
        self._push(board, words[0], due.place, "illegal move", line)
        if due.first and due.first != words[0]:
            raise Fault("another move than reported", f"{line!r} after a line that begins with {due.first}")
        if len(words) == 3:
            self._push(board, words[2], due.place, "illegal ponder move", line)

    def _board(self, line: str, fen: str) -> None:
        due = self._head(line, "board")
        if due.learns or due.place.board is None:
            due.place.board = chess.Board(fen, chess960=True)
            if not due.place.board.is_valid():
                raise Fault("a position that cannot be", f"{line}: {due.place.board.status()!r}")
        elif due.place.board.fen(en_passant="xfen") != fen:
            raise Fault("another position", f"{line} instead of {due.place.board.fen(en_passant='xfen')}")

    def _count(self, due: Due) -> None:
        if due.depth and sum(due.counts.values()) != due.total:
            raise Fault("wrong count", f"{due.total} is not the sum of {due.counts}")
        board = due.place.board
        if board is not None and due.depth == 0 and due.total != 1:
            raise Fault("wrong count", f"{due.total} for no ply")
        if board is not None and 0 < due.depth <= _COUNTED:
            expected = leaves(board, due.depth)
            if due.total != expected:
                raise Fault("wrong count", f"{due.total} instead of {expected} in {board.fen()}, depth {due.depth}")
        self._done(due)


def leaves(board: chess.Board, depth: int) -> int:
    """How many leaves the tree of legal moves has."""
    if depth == 1:
        return board.legal_moves.count()
    count = 0
    for move in board.legal_moves:
        board.push(move)
        count += leaves(board, depth - 1)
        board.pop()
    return count
