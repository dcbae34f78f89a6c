"""A judge of a conversation: every command is answered, in order, with legal moves and the right position."""

import re
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import chess

#: Maximum depth of a perft that python-chess repeats.
PERFT_CHECK_PLIES = 2

#: Lines of answers that take several, and the line that ends each.
_PARTS = {
    "d": re.compile(r"  \+---|[1-8] \| |    a   b|Key: [0-9A-F]{16}$|Checkers:( [a-h][1-8])*\s*$"),
    "eval": re.compile(r"\s*[a-z -]+\|[ |\d.MGEWhiteBlackTotal-]*$|-+(\+-+)+$|\s*\|"),
    "help": re.compile(r"  |Numbat speaks UCI"),
}
_ENDS = {
    "eval": re.compile(r".*from White's view"),
    "bench": re.compile(r"\d+ nodes \d+ nps$"),
    "explain": re.compile(r".*\.$"),
    "help": re.compile(r"  quit$"),
}
_COUNT = re.compile(r"([a-h][1-8][a-h][1-8][nbrq]?|Nodes searched): (\d+)$")
_PERFT_TIME = re.compile(r"\d+ ms, \d+ nodes per second$")


class Fault(Exception):
    """A fault of the engine."""


@dataclass
class Place:
    """The engine's expected position; ``board`` is None until the engine reports it. ``king_takes_rook`` is how
    castling is written, None if the judge cannot know it."""

    board: chess.Board | None
    king_takes_rook: bool | None = None


@dataclass
class Due:
    """An answer due to line number ``order``. An ``early`` one need not wait for a search that was not stopped; what
    ``waits_for`` commands must not come before one of them."""

    kind: str
    order: int
    said: str
    place: Place
    lines: int
    early: bool = False
    waits_for: tuple[str, ...] = ()
    endless: bool = False
    stopped: int | None = None
    released: bool = False
    token: str = ""
    depth: int = 0
    first: str = ""
    counts: dict[str, int] = field(default_factory=dict)


class Judge:
    """Checks that every command is answered, with a legal move for each search, in the order of the commands."""

    def __init__(self) -> None:
        self.due: deque[Due] = deque()
        self.uci_due = self._order = 0
        self._chess960, self.lines = False, 1
        self.set_position(chess.Board(chess960=True))

    def expect(self, kind: str, said: str, **particulars: Any) -> None:
        """The answer to the line that is sent next."""
        self._order += 1
        self.due.append(Due(kind, self._order, said, self.place, self.lines, **particulars))

    def set_position(self, board: chess.Board | None) -> None:
        """The position from now on; None if the engine has to say it."""
        self.place = Place(board and board.copy(stack=False), None if board is None else self.castles_as_960(board))

    def set_chess960(self, value: bool) -> None:
        """The option UCI_Chess960, which changes how castling is written."""
        self._chess960 = value
        self.set_position(self.place.board)

    def castles_as_960(self, board: chess.Board) -> bool:
        """Whether castling is written as king takes rook: as the option says, or because no other way is clear."""
        root = board.root()
        homes = ((chess.WHITE, chess.E1), (chess.BLACK, chess.E8))
        standard = all(root.king(color) == home or not root.has_castling_rights(color) for color, home in homes)
        return self._chess960 or bool(root.castling_rights & ~chess.BB_CORNERS) or not standard

    def release(self, command: str) -> None:
        """A command that ends searches: ``stop`` or ``ponderhit``."""
        self._order += 1
        for due in self.due:
            due.stopped = self._order if command == "stop" and due.stopped is None else due.stopped
            due.released = due.released or command in due.waits_for

    @property
    def endless(self) -> bool:
        """Whether something due will not come before ``stop``."""
        return any(due.endless and due.stopped is None and not due.released for due in self.due)

    def hear(self, line: str) -> None:
        """The engine said ``line``. Raises :class:`Fault`."""
        head = self.due[0] if self.due else None
        match line.split():
            case ["readyok"]:
                self._overtake(line, "isready")
            case ["bestmove", *words]:
                self._result(line, words)
            case ["uciok"] if self.uci_due:
                self.uci_due -= 1
            case ["id" | "option", *_] if self.uci_due:
                pass
            case ["info", "string", *_]:
                self._remark(line)
            case ["info", *words]:
                self._report(line, words)
            case ["Fen:", *fields]:
                self._board(self._head(line, "d"), " ".join(fields))
            case ["Legal", "moves:", number]:
                board = self._head(line, "d").place.board
                if board is not None and board.legal_moves.count() != int(number):
                    raise Fault(f"wrong number of legal moves: {line} in {board.fen()}")
                self.due.popleft()
            case _ if head and head.kind == "perft" and (found := _COUNT.match(line)):
                head.counts[found[1]] = int(found[2])
            case _ if head and head.kind == "perft" and _PERFT_TIME.match(line):
                self._perft(self.due.popleft())
            case words:
                kinds = {due.kind for due in self.due if due is head or due.early}
                if any(kind in _ENDS and _ENDS[kind].match(line) for kind in kinds):
                    self.due.remove(next(due for due in self.due if due.kind in _ENDS and _ENDS[due.kind].match(line)))
                elif words and not any(kind in _PARTS and _PARTS[kind].match(line) for kind in kinds):
                    raise Fault(f"unexpected line: {line!r} while {head.kind if head else 'nothing'} is due")

    def _head(self, line: str, kind: str) -> Due:
        if not self.due or self.due[0].kind != kind:
            waiting = f"{self.due[0].said[:80]!r} is not answered" if self.due else "nothing is due"
            raise Fault(f"{kind} out of order: {line!r} while {waiting}")
        return self.due[0]

    def _overtake(self, line: str, kind: str, token: str = "") -> None:
        """An answer that may come before that of a search or an explanation."""
        due = next((due for due in self.due if due.kind == kind and due.token == token), None)
        if due is None:
            raise Fault(f"{kind} out of order: {line!r}, which nothing asked for")
        head = self.due[0]
        unstopped = head.kind in ("go", "explain") and (head.stopped is None or head.stopped > due.order)
        if head is not due and not (due.early and unstopped):
            raise Fault(f"{kind} out of order: {line!r} before the answer to {head.said[:80]!r}")
        self.due.remove(due)

    def _remark(self, line: str) -> None:
        if token := next((due.token for due in self.due if due.token and due.token in line), ""):
            self._overtake(line, "remark", token)
        elif self.due:
            head = self.due[0]
            ended = head.stopped is not None and line.endswith(f"{head.said.split(' ')[0]} stopped")
            ended = ended or (head.kind == "perft" and head.stopped is not None and line.endswith("perft stopped"))
            if ended or (head.kind == "explain" and line.startswith("info string explain: ")):
                self.due.popleft()  # an explanation names a move that it cannot explain

    def _report(self, line: str, words: list[str]) -> None:
        due = self._head(line, "go")
        for name in ("depth", "nodes", "time", "nps", "multipv", "hashfull"):
            if name in words and not words[words.index(name) + 1].isdigit():
                raise Fault(f"broken report: {line}")
        rank = int(words[words.index("multipv") + 1]) if "multipv" in words else 1
        if rank > due.lines:
            raise Fault(f"too many lines: {line} with MultiPV {due.lines}")
        if "pv" in words and due.place.board is not None:
            moves = words[words.index("pv") + 1 :]
            self._play(due.place, moves, "illegal PV", line)
            due.first = moves[0] if rank == 1 else due.first

    def _play(self, place: Place, moves: Iterable[str], kind: str, line: str) -> None:
        """Play moves that must be legal and written as they should be."""
        assert place.board is not None
        board = place.board.copy(stack=False)
        for text in moves:
            try:
                move = board.parse_uci(text)
            except ValueError:
                move = chess.Move.null()
            if not move:
                raise Fault(f"{kind}: {text} in {board.fen()}: {line}")
            if place.king_takes_rook is not None and board.uci(move, chess960=place.king_takes_rook) != text:
                raise Fault(f"castling written in the wrong way: {text} in {board.fen()}: {line}")
            board.push(move)

    def _result(self, line: str, words: list[str]) -> None:
        due = self._head(line, "go")
        if due.waits_for and not due.released:
            raise Fault(f"answer before stop: {line!r} to {due.said[:80]!r}")
        if (board := due.place.board) is not None:
            if (words == ["0000"]) == any(board.legal_moves):
                raise Fault(f"no move: {line!r} in {board.fen()}" if words == ["0000"] else f"illegal move: {line}")
            if len(words) not in (1, 3) or (len(words) == 3 and words[1] != "ponder"):
                raise Fault(f"broken answer: {line}")
            if words != ["0000"]:
                self._play(due.place, words[::2], "illegal move", line)
            if due.first and due.first != words[0]:
                raise Fault(f"another move than reported: {line!r} after a line that begins with {due.first}")
        self.due.popleft()

    def _board(self, due: Due, fen: str) -> None:
        if due.place.board is None:
            due.place.board = chess.Board(fen, chess960=True)
            if not due.place.board.is_valid():
                raise Fault(f"a position that cannot be: {fen}: {due.place.board.status()!r}")
        elif (expected := due.place.board.fen(en_passant="xfen")) != fen:
            raise Fault(f"another position: {fen} instead of {expected}")

    def _perft(self, due: Due) -> None:
        total = due.counts.pop("Nodes searched", -1)
        if due.depth and sum(due.counts.values()) != total:
            raise Fault(f"wrong count: {total} is not the sum of {due.counts}")
        if due.place.board is not None and due.depth <= PERFT_CHECK_PLIES:
            expected = leaves(due.place.board, due.depth)
            if total != expected:
                raise Fault(f"wrong count: {total} instead of {expected} in {due.place.board.fen()}, depth {due.depth}")


def leaves(board: chess.Board, depth: int) -> int:
    """How many leaves the tree of legal moves has."""
    if depth == 0:
        return 1
    count = 0
    for move in board.legal_moves:
        board.push(move)
        count += leaves(board, depth - 1)
        board.pop()
    return count
