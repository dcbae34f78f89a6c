"""Generates the steps of a soak from a seed, so that they can be repeated, stored and reduced.

A step is a group of lines, each with its meaning for the judge; a pause; or a wait for all answers due. Bytes that are
not text are stored as Latin-1.
"""

import json
import random
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import chess

from engine.uci.parse import EXTENSIONS, PROTOCOL
from tuning.benchmarks.soak.judge import Meaning

FENS = (
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
    "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8",
    "8/8/8/8/8/2k5/8/KQ6 w - - 0 1",
    "8/8/8/8/8/4k3/4P3/4K3 w - - 95 100",
    "8/5k2/8/8/3N4/8/1B6/4K3 w - - 0 1",
    "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1",  # stalemate
    "R5k1/5ppp/8/8/8/8/8/4K3 b - - 0 1",  # mate
    "6k1/5ppp/8/8/8/8/8/R3K3 w Q - 0 1",
    "8/8/8/8/8/8/8/K1k5 w - - 99 200",
    "q2k2q1/2nqn2b/1n1P1n1b/2rnr2Q/1NQ1QN1Q/3Q3B/2RQR2B/Q2K2Q1 w - - 0 1",
    "R6R/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/pp1Q4/kBNN1KB1 w - - 0 1",  # 218 moves
    "8/PPPPPPPP/8/2k5/8/2K5/pppppppp/8 w - - 0 1",
    "rnbqkb1r/ppp1pppp/5n2/3pP3/8/8/PPPP1PPP/RNBQKBNR w KQkq d6 0 3",
)

#: Lines that are not understood; {} is a unique word that identifies the answer.
BAD_LINES = (
    ("position {}", True),
    ("position fen {}", False),
    ("position fen 4k3/8/8/8/8/8/8/4K3 {} - - 0 1", False),
    ("position startpos {}", True),
    ("setoption name {} value 3", True),
    ("setoption name Hash value {}", True),
    ("setoption name Threads value -1{}", True),
    ("setoption name UCI_Chess960 value {}", True),
    ("setoption name EvalType value {}", True),
    ("debug {}", True),
    ("bench {}", True),
    ("{}", True),
    ("position startpos moves {}", False),
    ("position startpos moves e2e4 e7e5 {}", False),
    ("setoption name EvalFile value /no/such/{}", False),
    ("setoption name SyzygyPath value /no/such/{}", False),
    ("setoption name BookFile value /no/such/{}", False),
)

OPTIONS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("Hash", ("1", "2", "16", "33", "64")),
    ("Threads", ("1", "1", "2", "3", "8")),
    ("MultiPV", ("1", "1", "2", "5", "256")),
    ("Move Overhead", ("0", "10", "100", "5000")),
    ("nodestime", ("0", "0", "0", "50")),
    ("EvalType", ("NNUE", "NNUE", "Classical", "Material")),
    ("SyzygyProbeDepth", ("1", "5", "100")),
    ("SyzygyProbeLimit", ("0", "3", "7")),
    ("Syzygy50MoveRule", ("true", "false")),
    ("OwnBook", ("true", "false")),
    ("UCI_Chess960", ("true", "false")),
    ("UCI_ShowWDL", ("true", "false")),
    ("UCI_LimitStrength", ("true", "false", "false")),
    ("UCI_Elo", ("1000", "1700", "2500")),
    ("Skill Level", ("0", "7", "20", "20")),
    ("UCI_AnalyseMode", ("true", "false")),
    ("UCI_Opponent", ("GM 2800 human Somebody", "none none computer Stockfish")),
    ("Clear Hash", ("",)),
    ("Ponder", ("true", "false")),
)

#: Restores a state in which memory can be compared with earlier measurements.
DEFAULTS = (
    ("Hash", "16"),
    ("Threads", "1"),
    ("MultiPV", "1"),
    ("nodestime", "0"),
    ("EvalType", "NNUE"),
    ("EvalFile", "<empty>"),
    ("SyzygyPath", "<empty>"),
    ("BookFile", "<empty>"),
)

#: Lines between two measurements of memory.
ROUND = 1000

_LONGEST = 3_000_000


#: A line; a long one as its beginning, a filling, and the number of repetitions.
Text = str | tuple[str, str, int]


def whole(text: Text) -> str:
    """The line in full."""
    if isinstance(text, str):
        return text
    beginning, filling, count = text
    return beginning + filling * count


@dataclass
class ScriptStep:
    """Lines and their meanings; or ``pause`` seconds; or, with ``settle``, a wait for all answers due and, with
    ``measure``, a measurement of memory."""

    lines: list[tuple[Text, Meaning]] = field(default_factory=list)
    pause: float = 0.0
    settle: bool = False
    measure: bool = False

    def to_json(self) -> str:
        """One line of a script file."""
        return json.dumps({name: value for name, value in vars(self).items() if value})


def write_script(path: Path, steps: Iterable[ScriptStep]) -> None:
    """Keep ``steps`` in ``path``."""
    path.write_text("".join(step.to_json() + "\n" for step in steps), encoding="utf-8")


def read_script(path: Path) -> list[ScriptStep]:
    """The steps in ``path``."""
    return [ScriptStep(**json.loads(line)) for line in path.read_text(encoding="utf-8").splitlines() if line]


@dataclass(frozen=True)
class Files:
    """Files for options: good and bad networks, books and directories of tables."""

    nets: tuple[str, ...] = ()
    bad: tuple[str, ...] = ()
    tables: tuple[str, ...] = ()
    books: tuple[str, ...] = ()


class Author:
    """Makes steps."""

    def __init__(self, seed: int, files: Files) -> None:
        self._random = random.Random(seed)
        self._files = files
        self._seed = seed
        self._count = 0
        self._root: tuple[str | None, chess.Board] = (None, chess.Board())
        self._endless = False

    def steps(self, lines: int) -> Iterator[ScriptStep]:
        """Steps with ``lines`` lines altogether, or a few more."""
        choose: list[tuple[int, Callable[[], ScriptStep]]] = [
            (14, self._position),
            (20, self._go),
            (8, self._option),
            (3, self._file),
            (9, self._bad),
            (5, self._junk),
            (3, self._mutated),
            (2, self._long),
            (8, lambda: _say("stop", "stop")),
            (3, lambda: _say("ponderhit", "ponderhit")),
            (8, lambda: _say("isready", "isready")),
            (4, lambda: _say("d", "d")),
            (3, lambda: _say("eval", "eval")),
            (3, self._perft),
            (1, lambda: _say("help", "help")),
            (1, self._explain),
            (2, lambda: _say("ucinewgame", "ucinewgame")),
            (1, lambda: _say("uci", "uci")),
            (1, lambda: _say(self._random.choice(("debug on", "debug off", "register later")), "nothing")),
            (12, lambda: ScriptStep(pause=self._random.choice((0.0, 0.001, 0.005, 0.03)))),
            (6, self._settle),
        ]
        weights, makers = [weight for weight, _ in choose], [maker for _, maker in choose]
        said, measured = 0, -1
        while said < lines:
            if said // ROUND > measured:
                measured = said // ROUND
                yield from self._measure()
            step = self._random.choices(makers, weights)[0]()
            yield step
            said += len(step.lines)
            if self._endless and self._random.random() < 0.4:
                self._endless = False
                yield ScriptStep(pause=self._random.choice((0.0, 0.002, 0.02)))
                yield _say("stop", "stop")
                said += 1
        yield from self._measure()

    def _measure(self) -> Iterator[ScriptStep]:
        yield ScriptStep(
            [_line(f"setoption name {name} value {value}", _option(name, value)) for name, value in DEFAULTS]
        )
        yield _say("bench 1", "bench")
        yield ScriptStep(settle=True, measure=True)

    def _settle(self) -> ScriptStep:
        self._endless = False
        return ScriptStep(settle=True)

    def _word(self) -> str:
        self._count += 1
        return f"zz{self._seed}z{self._count}zz"

    def _position(self) -> ScriptStep:
        source = self._random
        kind = source.random()
        fen, board = self._root
        if kind < 0.3 or not any(board.legal_moves):
            fen, board = None, chess.Board()
        elif kind < 0.5:
            fen = source.choice(FENS)
            board = chess.Board(fen)
        elif kind < 0.6:
            board = chess.Board.from_chess960_pos(source.randrange(960))
            fen = board.fen(shredder=source.random() < 0.5)
        board = board.copy()
        board.chess960 = True
        plies = source.choice((0, 1, 2, 2, 8, 40, 300 if source.random() < 0.1 else 20))
        for _ in range(plies):
            moves = list(board.legal_moves)
            if not moves:
                break
            board.push(source.choice(moves))
        self._root = fen, board
        played = _moves_of(board, source.random() < 0.5)
        text = "position " + ("startpos" if fen is None else f"fen {fen}")
        if played or source.random() < 0.1:
            text += " moves" + "".join(f" {move}" for move in played)
        return ScriptStep([_line(text, {"is": "position", "fen": fen, "moves": played})])

    def _go(self) -> ScriptStep:
        source = self._random
        limits: dict[str, Callable[[], str]] = {
            "depth": lambda: f"depth {source.randint(1, 6)}",
            "nodes": lambda: f"nodes {source.choice((1, 2, 100, 5000))}",
            "movetime": lambda: f"movetime {source.choice((0, 1, 10, 30))}",
            "clock": self._clock,
            "mate": lambda: f"mate {source.randint(1, 2)} movetime 20",
        }
        words: list[str] = []
        waits_for: list[str] = []
        endless = False
        kind = source.random()
        if kind < 0.1:
            words, waits_for = ["infinite"], ["stop"]
        elif kind < 0.13:
            endless = True  # without any limit
        elif kind < 0.25:
            words, waits_for = ["ponder", self._clock()], ["stop", "ponderhit"]
        if not words and not endless:
            words = [limits[name]() for name in source.sample(list(limits), source.choice((1, 1, 1, 2)))]
        elif words == ["infinite"] and source.random() < 0.3:
            words.append(limits["depth"]())
        _, board = self._root
        if source.random() < 0.1 and any(board.legal_moves):
            legal = [move.uci() for move in board.legal_moves]
            moves = source.sample(legal, min(len(legal), source.randint(1, 3)))
            wrong = source.choice(([], ["a1a1"], ["e2e5", "0000"]))
            words.append("searchmoves " + " ".join([*moves, *wrong]))
        if source.random() < 0.08:
            words.insert(0, source.choice(("quickly", "wtime soon", "depth", "winc -3", "x " * 50, "nodes \u0663")))
        source.shuffle(words)
        self._endless = self._endless or endless or bool(waits_for)
        return ScriptStep([_line(" ".join(["go", *words]), {"is": "go", "waits for": waits_for, "endless": endless})])

    def _clock(self) -> str:
        source = self._random
        time = source.choice((-5, 0, 1, 50, 200))
        extra = source.choice(("", "", " winc 1 binc 1", " movestogo 1", " movestogo 40", " movestogo 0"))
        return f"wtime {time} btime {time}{extra}"

    def _option(self) -> ScriptStep:
        name, values = self._random.choice(OPTIONS)
        value = self._random.choice(values)
        text = f"setoption name {name}" + (f" value {value}" if value else "")
        if self._random.random() < 0.1:
            text = text.replace(name, name.upper()) + "   "
        return ScriptStep([_line(text, _option(name, value))])

    def _file(self) -> ScriptStep:
        source, files = self._random, self._files
        name, good = source.choice((("EvalFile", files.nets), ("SyzygyPath", files.tables), ("BookFile", files.books)))
        value = source.choice((*good, *files.bad, "<empty>", "a\0b", "x" * 5000, "/dev/zero", "/"))
        return _say(f"setoption name {name} value {value}", "nothing")

    def _bad(self) -> ScriptStep:
        text, early = self._random.choice(BAD_LINES)
        word = self._word()
        return ScriptStep([_line(text.format(word), {"is": "remark", "token": word, "early": early})])

    def _junk(self) -> ScriptStep:
        source = self._random
        data = bytes(source.choice((source.randrange(256), 32, 9, 0)) for _ in range(source.choice((0, 1, 5, 40, 400))))
        data = data.replace(b"\n", b" ")
        words = data.decode("utf-8", "replace").split()
        if (words and words[0] in EXTENSIONS) or PROTOCOL & set(words):
            data = b""
        return _say(data.decode("latin-1"), "nothing")

    def _mutated(self) -> ScriptStep:
        """A position line with an error or two; what the engine makes of it, it has to say."""
        source = self._random
        ((line, _),) = self._position().lines
        text = whole(line)
        letters = list(text[len("position ") :])
        for _ in range(source.randint(1, 3)):
            place = source.randrange(len(letters))
            match source.randrange(4):
                case 0:
                    letters[place] = source.choice("kqrbnpKQRBNP12345678/ -wabcdefgh09\u00e9\0")
                case 1:
                    letters[place : place + 1] = []
                case 2:
                    letters[place:place] = source.choice("kqrnpKQ128/ -w9")
                case _:
                    letters[place : place + source.randrange(20)] = []
            letters = letters or ["x"]
        text = "position " + "".join(letters)
        if PROTOCOL & set(text.split()[1:]):
            return _say("d", "d")
        self._root = None, chess.Board()
        return ScriptStep([_line(text, {"is": "unknown position"}), ("d", {"is": "d"})])

    def _long(self) -> ScriptStep:
        source = self._random
        size = source.choice((1_000, 100_000, 900_000, _LONGEST)) // source.choice((1, 1, 7))
        beginning, filling = source.choice(
            (
                ("setoption name a", " "),
                ("setoption name EvalFile value /no/", "x "),
                ("position startpos moves", " e2e5"),
                ("position fen ", "8/"),
                ("", "x"),
                ("debug", " on"),
            )
        )
        return ScriptStep([((beginning, filling, size // len(filling)), {"is": "nothing"})])

    def _explain(self) -> ScriptStep:
        """Most questions are stopped, because an answer takes up to two searches."""
        step = ScriptStep(
            [_line(f"explain {self._random.choice(('', 'e2e4', 'a1a1', 'Nf3'))}".rstrip(), {"is": "explain"})]
        )
        if self._random.random() < 0.7:
            step.lines.append(_line("stop", {"is": "stop"}))
        return step

    def _perft(self) -> ScriptStep:
        depth = self._random.choice((0, 1, 1, 2, 3))
        return ScriptStep([_line(f"go perft {depth}", {"is": "perft", "depth": depth})])


def _moves_of(board: chess.Board, king_takes_rook: bool) -> list[str]:
    """The moves that were played on ``board``, castling in one of the two ways where both can be understood."""
    replay = board.root()
    replay.chess960 = True
    standard = replay.has_castling_rights(chess.WHITE) or replay.has_castling_rights(chess.BLACK)
    standard = standard and replay.king(chess.WHITE) == chess.E1 and replay.king(chess.BLACK) == chess.E8
    corners = chess.BB_CORNERS
    standard = standard and not replay.castling_rights & ~corners
    moves = []
    for move in board.move_stack:
        moves.append(replay.uci(move, chess960=king_takes_rook or not standard))
        replay.push(move)
    return moves


def _option(name: str, value: str) -> Meaning:
    return {"is": "option", "name": name, "value": value}


def _say(text: str, meaning: str) -> ScriptStep:
    return ScriptStep([_line(text, {"is": meaning})])


def _line(text: str, meaning: Meaning) -> tuple[str, Meaning]:
    """Text in UTF-8, its bytes as characters."""
    try:
        return text.encode("ascii").decode("ascii"), meaning
    except UnicodeEncodeError:
        if all(ord(character) < 256 for character in text):
            return text, meaning
        return text.encode("utf-8").decode("latin-1"), meaning
