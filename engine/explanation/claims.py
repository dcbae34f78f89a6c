"""The claims of explanations: records without words, which :mod:`.english` puts into sentences."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import chess
from chess.engine import PovScore, Score

from engine.explanation.line import Line
from engine.explanation.verdicts import Standing, expectation

Pieces = tuple[tuple[chess.PieceType, int], ...]  # types of pieces with their counts, the most valuable first

#: Tactical themes, named as in the lichess puzzles, with the forms in which each occurs; an empty one if there is only
#: one. ``line`` stands for no other theme: the moves speak for themselves.
FORMS: dict[str, tuple[str, ...]] = {
    "discoveredAttack": ("check", "both", "attack"),
    "doubleCheck": ("",),
    "fork": ("fork", "check", "attack"),
    "hanging": ("loose", "cheaper", "outnumbered", "unguarded"),
    "line": ("",),
    "overloaded": ("both", "away"),
    "pin": ("guard", "pins", "pinned"),
    "promotion": ("now", "later"),
    "removedDefender": ("square", "piece"),
    "skewer": ("",),
    "trapped": ("",),
}

#: A ``promotion`` to a queen, the ``exchange`` with pawns, a ``minor`` piece if it is unclear which of two was lost and
#: which exchanged, a ``piece`` that stood on a square (not needed for the queen), or a ``list`` of all that is won.
GainKind = Literal["promotion", "exchange", "minor", "piece", "list"]

COMPARISONS = ("verdict", "comparison")  # the themes of claims that only say how the scores changed

MatePattern = Literal["", "backRankMate", "smotheredMate"]

#: Draws; ``corner`` is that of a rook's pawn, ``held`` the same for the side that reaches it.
DrawKind = Literal["stalemate", "material", "perpetual", "repetition", "corner", "held"]

#: Aspects of the evaluation in which a side can be better off.
FeatureAspect = Literal["passed", "structure", "mobility", "pressure", "bishops"]


@dataclass(frozen=True, slots=True)
class Piece:
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
    """Material that a side wins, or is ahead by: ``won`` for ``paid``; a ``piece`` stood on ``square``."""

    kind: GainKind
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
    """A theme found in a line. Raises ValueError for a theme and form not in :data:`FORMS`."""

    theme: str
    ply: int  # of its move
    payoff_ply: int  # of the capture, mate or promotion that it leads to
    form: str = ""
    targets: tuple[Piece, ...] = ()  # the loser's pieces involved
    actor: Piece | None = None  # another of the winner's pieces that acts
    squares: tuple[chess.Square, ...] = ()

    def __post_init__(self) -> None:
        if self.form not in FORMS.get(self.theme, ()):
            raise ValueError(f"{self.theme} has no form {self.form!r}")


@dataclass(frozen=True, slots=True)
class Feature:
    """An ``aspect`` of a position in which ``color`` is better off, by at least ``margin`` centipawns along a line.
    ``counts`` are its passed pawns and the other side's, for that aspect."""

    aspect: FeatureAspect
    color: chess.Color
    margin: int = 0
    counts: tuple[int, int] = (0, 0)


#: Looks a board up in the tablebases: 2 (won) to -2 (lost) for the side to move; None if it is not found.
Tables = Callable[[chess.Board], int | None]

Facts = tuple[Gain | Feature, ...]  # the advantages of a side


@dataclass(frozen=True)
class Case:
    """A move, compared with the best other one."""

    board: chess.Board
    move: chess.Move
    other_line: Sequence[chess.Move]  # begins with the other move
    reply_line: Sequence[chess.Move]  # begins with the reply to ``move``, or with ``move`` itself
    other_score: PovScore  # of the board with the other move
    score: PovScore  # of the position after ``move``
    marked: bool = False  # whether the move is marked as bad: then it always gets a reason

    @property
    def mover(self) -> chess.Color:
        return self.board.turn

    @cached_property
    def best_line(self) -> Line:
        """The line of the best other move."""
        return Line.of(self.board, self.other_line)

    @cached_property
    def played_line(self) -> Line:
        """The line of the move played, which the opponent should win."""
        repeated = self.move in self.reply_line[:1]  # it cannot be a reply: its square is empty now
        return Line.of(self.board, [self.move, *self.reply_line[repeated:]], winner=not self.mover)

    @cached_property
    def praised_line(self) -> Line:
        """The line of the move played, which the mover should win."""
        return Line(self.played_line.boards, self.played_line.moves, self.mover)

    @property
    def had(self) -> Score:
        """The mover's score with the other move."""
        return self.other_score.pov(self.mover)

    @property
    def has(self) -> Score:
        """The mover's score with the move played."""
        return self.score.pov(self.mover)

    @property
    def before(self) -> float:
        """The mover's expected points with the other move."""
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

    verb: Literal["allows", "misses", "leads", "mated"]
    line: Line
    moves: int
    pattern: MatePattern = ""
    guard: chess.PieceType | None = None
    missed: Mating | None = None

    @property
    def theme(self) -> str:
        """The pattern of the mate, else ``mateIn2`` and the like; ``mated`` for the side that is."""
        return "mated" if self.verb == "mated" else self.pattern or f"mateIn{self.moves}"


@dataclass(frozen=True)
class Drawn:
    """A win thrown away, a draw ``missed``, or one ``held``: ``line`` is drawn after ``plies``."""

    how: DrawKind
    line: Line
    plies: int
    missed: bool = False

    @property
    def theme(self) -> str:
        """``stalemate``, ``perpetual``, or ``draw`` for others."""
        return self.how if self.how in ("stalemate", "perpetual") else "draw"


@dataclass(frozen=True)
class Opposition:
    """The mover of ``line`` gave up the opposition, and with it the ``win`` or the draw; ``best`` kept it."""

    theme = "opposition"
    best: Line
    line: Line
    win: bool


@dataclass(frozen=True)
class ByTables:
    """The mover's results by the tablebases, 2 (won) to -2 (lost), with ``best`` and with ``line``, and the
    ``opposition`` that explains them."""

    theme = "tables"
    best: Line
    line: Line
    before: int
    after: int
    opposition: Opposition | None = None


@dataclass(frozen=True)
class TableResult:
    """The ``outcome`` of the position at the beginning of ``line`` by the tablebases, and the moves that keep it,
    ``every`` one or ``kept``; none if it is lost."""

    theme = "tables"
    line: Line
    outcome: int
    kept: tuple[chess.Move, ...] = ()
    every: bool = False


@dataclass(frozen=True)
class Material:
    """The mover ``loses``, ``misses`` or ``wins`` the ``gain`` of the winner of ``line``, as ``finding`` shows, or
    missed a recapture that ``regains`` it; ``stake``: the win goes with it."""

    verb: Literal["loses", "misses", "wins", "regains"]
    line: Line
    gain: Gain
    finding: Finding
    stake: bool = False

    @property
    def theme(self) -> str:
        """The theme by which it is won."""
        return "recapture" if self.verb == "regains" else self.finding.theme


@dataclass(frozen=True)
class Threat:
    """The first move of ``best`` threatens that of ``line``: for a ``gain``, ``mate`` or a promotion."""

    theme = "threat"
    best: Line
    line: Line
    gain: Gain | None = None
    mate: bool = False


@dataclass(frozen=True)
class Compared:
    """The mover's prospects with ``best`` and with ``line``; ``missed`` is what ``best`` would have won."""

    best: Line
    line: Line
    standing: Standing
    missed: Material | None = None

    @property
    def theme(self) -> str:
        """The theme of the missed gain, else ``verdict`` if the game turned, or ``comparison``."""
        if self.missed:
            return self.missed.theme
        return "verdict" if self.standing.kind in ("decided", "lost") else "comparison"


@dataclass(frozen=True)
class Outlook:
    """A quiet position: how the best move compares (``only``, ``best``, ``hardly`` better than the ``other``,
    ``clearly`` best), White's ``level``, and the advantages of each side that has some. ``certain`` if the material
    alone makes it a draw or a forced mate."""

    theme = "outlook"
    line: Line
    choice: Literal["only", "best", "hardly", "clearly"]
    other: chess.Move | None
    level: int
    facts: tuple[tuple[chess.Color, Facts], ...]
    certain: bool = False


@dataclass(frozen=True)
class AsGood:
    """The first move of ``line`` is about as good as that of ``best``."""

    theme = "asGood"
    best: Line
    line: Line


@dataclass(frozen=True)
class GameOver:
    """The game is over at the beginning of ``line``, by ``checkmate`` or as a draw."""

    theme = "gameOver"
    line: Line
    checkmate: bool


@dataclass(frozen=True)
class Sacrifice:
    """The mover gives up ``piece``, or the ``exchange``, for mate in ``moves``, for ``material`` (``gains``, or what it
    gave), the ``attack`` on the king or on ``target``, a ``draw``, or a position of this ``level`` for it."""

    theme = "sacrifice"
    line: Line
    piece: Piece
    exchange: bool
    aim: Literal["mate", "material", "attack", "draw", "standing"]
    moves: int = 0
    gains: Gain | None = None
    target: chess.Square | None = None
    level: int = 0


@dataclass(frozen=True)
class OnlyMove:
    """The first move of ``line`` is the only one that ``wins``, ``parries`` a mate, ``keeps`` an advantage, ``holds`` a
    game that is lost otherwise, or ``balances`` it, or the only ``good`` one; ``quiet`` if it neither takes nor checks.
    ``other`` says what the next best move would have cost."""

    theme = "onlyMove"
    line: Line
    aim: Literal["wins", "parries", "keeps", "holds", "balances", "good"]
    quiet: bool
    other: Mating | Drawn | Opposition | Material | None = None


Claim = (
    Mating
    | Drawn
    | Opposition
    | ByTables
    | TableResult
    | Material
    | Threat
    | Compared
    | Outlook
    | Sacrifice
    | OnlyMove
    | AsGood
    | GameOver
)
