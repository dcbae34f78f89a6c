"""The claims of explanations: records without words, which :mod:`.english` puts into sentences."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import chess
from chess.engine import Score

from engine.explanation.line import Line
from engine.explanation.standing import Standing, expectation

#: Types of pieces with their counts, the most valuable first.
Pieces = tuple[tuple[chess.PieceType, int], ...]


class Piece(NamedTuple):
    """A piece on its square."""

    kind: chess.PieceType
    square: chess.Square

    @classmethod
    def at(cls, board: chess.Board, square: chess.Square) -> Piece:
        """The piece on ``square``, which must not be empty."""
        kind = board.piece_type_at(square)
        assert kind is not None
        return cls(kind, square)


@dataclass(frozen=True, slots=True)
class Gain:
    """Material that a side wins, or is ahead by: ``won`` for ``paid``. By ``kind`` it is a ``promotion`` to a queen,
    the ``exchange`` with pawns, a ``minor`` piece if it is unclear which of two was lost and which exchanged, a
    ``piece`` that stood on ``square`` (not needed for the queen), or a ``list`` of all that is won."""

    kind: str
    won: Pieces
    paid: Pieces = ()
    square: chess.Square | None = None

    def includes(self, kind: chess.PieceType) -> bool:
        """Whether a piece of this ``kind`` may be among those won."""
        return self.kind == "minor" or kind in dict(self.won)

    def is_piece(self, piece: Piece) -> bool:
        """Whether ``piece`` is the piece won."""
        return self.kind == "piece" and self.won[0][0] == piece.kind and self.square in (None, piece.square)


@dataclass(frozen=True, slots=True)
class Finding:
    """A ``theme`` found in a line, and its ``form``: the ``ply`` of its move, the ply ``cashed`` at which the winner
    takes what it wins, the loser's pieces involved (``targets``), another of the winner's pieces that acts
    (``actor``), ``squares``, and a threatened move (``threat``). The theme ``line`` stands for no other theme: the
    moves from ``ply`` to ``cashed`` speak for themselves."""

    theme: str
    ply: int
    cashed: int
    form: str = ""
    targets: tuple[Piece, ...] = ()
    actor: Piece | None = None
    squares: tuple[chess.Square, ...] = ()
    threat: chess.Move | None = None


@dataclass(frozen=True, slots=True)
class Shift:
    """An ``aspect`` that cost the mover ``loss`` centipawns: its ``own`` got worse, or the other side's better."""

    aspect: str
    own: bool
    loss: int


@dataclass(frozen=True, slots=True)
class Feature:
    """An ``aspect`` of a position in which ``color`` is better off, by at least ``margin`` centipawns along a line.
    ``counts`` are its passed pawns and the other side's, for that aspect."""

    aspect: str
    color: chess.Color
    margin: int = 0
    counts: tuple[int, int] = (0, 0)


#: The advantages of a side.
Facts = tuple[Gain | Feature, ...]


@dataclass(frozen=True)
class Case:
    """A move to explain, with the line that followed and the best line. ``had`` and ``has`` are the mover's scores with
    the best move and with the move played."""

    board: chess.Board
    move: chess.Move
    best: Line
    played: Line
    had: Score
    has: Score
    marked: bool = False

    @property
    def mover(self) -> chess.Color:
        return self.board.turn

    @property
    def before(self) -> float:
        """The mover's expected points with the best move."""
        return expectation(self.had, self.board.fullmove_number)

    @property
    def after(self) -> float:
        """The mover's expected points with the move played."""
        return expectation(self.has, self.board.fullmove_number)

    @property
    def drop(self) -> int:
        """Centipawns lost."""
        return self.had.score(mate_score=10_000) - self.has.score(mate_score=10_000)


@dataclass(frozen=True)
class Mating:
    """A mate in ``moves`` that ``line`` begins: the mover ``allows`` or ``misses`` it, ``leads`` to it, or is
    ``mated``. ``guard`` is the type of piece that left the square of a mate in one, ``missed`` a missed mate."""

    verb: str
    line: Line
    moves: int
    pattern: str = ""
    guard: chess.PieceType | None = None
    missed: Mating | None = None


@dataclass(frozen=True)
class Drawn:
    """A win thrown away: ``line`` is drawn after ``plies`` by ``stalemate``, ``material``, ``perpetual`` check or a
    king in the ``corner`` of a rook's pawn. Or a draw ``held`` by reaching such a corner."""

    how: str
    line: Line
    plies: int


@dataclass(frozen=True)
class Opposition:
    """The mover gave up the opposition, and with it the ``win`` or the draw."""

    case: Case
    win: bool


@dataclass(frozen=True)
class ByTables:
    """The mover's results by the tablebases, 2 (won) to -2 (lost), with the best move and with the move played, and the
    ``opposition`` that explains them."""

    case: Case
    before: int
    after: int
    opposition: Opposition | None = None


@dataclass(frozen=True)
class TableResult:
    """The ``outcome`` of ``board`` by the tablebases, and the moves that keep it, ``every`` one or ``kept``; none if
    it is lost."""

    board: chess.Board
    outcome: int
    kept: tuple[chess.Move, ...] = ()
    every: bool = False


@dataclass(frozen=True)
class Material:
    """The mover ``loses``, ``misses`` or ``wins`` the ``gain`` of the winner of ``line``, as ``finding`` shows, or
    missed a recapture that ``regains`` it; ``stake``: the win goes with it."""

    verb: str
    line: Line
    gain: Gain
    finding: Finding
    stake: bool = False


@dataclass(frozen=True)
class Threat:
    """The first move of ``best`` threatens that of ``line``: for a ``gain``, ``mate`` or a promotion."""

    best: Line
    line: Line
    gain: Gain | None = None
    mate: bool = False


@dataclass(frozen=True)
class Compared:
    """How the mover's game stood and stands: ``gained`` are the other side's new advantages, ``shift`` is the aspect
    that explains the cost."""

    case: Case
    standing: Standing
    gained: Facts = ()
    shift: Shift | None = None


@dataclass(frozen=True)
class Outlook:
    """A quiet position: how the best move compares (``only``, ``best``, ``hardly`` better than the ``other``,
    ``clearly`` best), White's ``level``, and the advantages of each side."""

    line: Line
    choice: str
    other: chess.Move | None
    level: int
    facts: dict[chess.Color, Facts]


Claim = Mating | Drawn | Opposition | ByTables | TableResult | Material | Threat | Compared | Outlook


@dataclass(frozen=True, slots=True)
class Reason:
    """Why a move is bad, or what it does: a ``theme`` and the ``claim``.

    ``line`` shows it, if any; ``gain`` is what its winner wins, in pawns, and ``mate`` the moves to a mate.
    """

    theme: str
    claim: Claim
    line: Line | None = None
    gain: int = 0
    mate: int = 0
