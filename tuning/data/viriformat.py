"""Games with the score of every move, four bytes each: the viriformat of the engine Viridithas.

This is the format of the viriformat crate, version 3.0.0 (github.com/cosmobobak/viriformat, Cosmo Bobak; the
layout is unchanged since 1.0.0). All numbers are little-endian. A file is games one after the other; a game is a
:data:`tuning.data.marlinformat.PACKED` position with the result, then for each move two bytes of move and two of score
(centipawns, White's view, of the search in the position before the move), then four zero bytes. A move is
``from | to << 6 | promotion << 12 | type << 14``, the promotion 0..3 for knight to queen, the type 1 for en
passant, 2 for castling (the king takes its rook) and 3 for promotion. (The example in the crate's description shows
the two pieces of each byte the other way round than its code, which decides.)
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TextIO

import chess
import chess.engine
import chess.pgn
import numpy as np

from engine.board.aliases import Move, Position
from engine.board.fen import to_fen
from engine.board.legality import is_legal
from engine.board.moves import (
    CAPTURE,
    CASTLE_LONG,
    CASTLE_SHORT,
    DOUBLE_PUSH,
    EN_PASSANT,
    PROMOTION,
    encode,
    is_castling,
    is_noisy,
    is_promotion,
    kind_of,
)
from engine.board.position import POSITION_T, type_on
from engine.board.setup import new_position, play_move
from engine.board.types import I64, NO_TYPE, PAWN, WHITE, ZERO
from engine.jit import inlined, int32, int64, kernel, new_record, types, uint32
from engine.search.scores import MATE, to_message
from tuning.common.errors import SetupError
from tuning.data.marlinformat import IN_CHECK, NOISY_MOVE, PACKED, PACKED_T, PackedBoard, PackedBoards, pack, unpack

SUFFIX = ".vf"  # the usual suffix of files

_EN_PASSANT, _CASTLING, _PROMOTION = 1, 2, 3

_HEAD_WORDS = PACKED.itemsize // 4  # words of 32 bits of a position; a move with its score has one
_RESULTS = ("0.0", "0.5", "1.0")  # results in the text form, by White's half points


@inlined
def encode_move(move: Move) -> int:
    """The engine's ``move`` as the format writes it."""
    squares = move & 0xFFF
    if is_promotion(move):
        return squares | (move & 3 << 12) | _PROMOTION << 14
    if is_castling(move):
        return squares | _CASTLING << 14
    return squares | _EN_PASSANT << 14 if kind_of(move) == EN_PASSANT else squares


@inlined
def decode_move(position: Position, written: int) -> Move:
    """The engine's move for the format's 16 bits; test it with ``is_legal`` before making it."""
    origin, target, kind = written & 63, written >> 6 & 63, written >> 14
    capture = CAPTURE if type_on(position, target) != NO_TYPE else 0
    if kind == _PROMOTION:
        return encode(origin, target, PROMOTION | capture | written >> 12 & 3)
    if kind == _EN_PASSANT:
        return encode(origin, target, EN_PASSANT)
    if kind == _CASTLING:
        return encode(origin, target, CASTLE_SHORT if target > origin else CASTLE_LONG)
    if type_on(position, origin) == PAWN and abs(target - origin) == 16:
        return encode(origin, target, DOUBLE_PUSH)
    return encode(origin, target, capture)


@kernel(int64(uint32[::1], PACKED_T, POSITION_T, types.Array(PACKED_T, 1, "C")))
def replay_game(words: np.ndarray, start: PackedBoard, position: Position, boards: PackedBoards) -> int:
    """Replay a game from ``start`` by its ``words`` of moves, to fill ``boards``; ``position`` is scratch space.

    Returns the number of moves before the first illegal one, or -1 for an illegal start."""
    if unpack(position, start) == 0 or start.result > 2:
        return -1
    for ply in range(len(words)):
        move = decode_move(position, I64(words[ply] & 0xFFFF))
        if not is_legal(position, move):
            return ply
        board = boards[ply]
        pack(position, board)
        board.score = _signed(I64(words[ply] >> 16))
        board.result = start.result
        board.extra = (IN_CHECK if position.checkers != ZERO else 0) | (NOISY_MOVE if is_noisy(move) else 0)
        play_move(position, move)
    return len(words)


@kernel(types.void(POSITION_T, int32[::1], int32[::1], PACKED_T, uint32[::1]))
def encode_game(
    position: Position, moves: np.ndarray, scores: np.ndarray, start: PackedBoard, words: np.ndarray
) -> None:
    """Write ``position`` to ``start``, and a word for each of the ``moves`` from there with its score."""
    pack(position, start)
    sign = 1 if position.side == WHITE else -1
    for ply in range(len(moves)):
        words[ply] = encode_move(I64(moves[ply])) | (sign * scores[ply] & 0xFFFF) << 16
        sign = -sign


@inlined
def _signed(bits: int) -> int:
    return bits - 0x1_0000 if bits >= 0x8000 else bits


@dataclass(frozen=True, slots=True)
class Positions:
    """Positions of games, in order: ``boards`` are :data:`PACKED`, their extra byte the flags of
    :mod:`tuning.data.marlinformat`; ``games`` (int32) numbers the game that each is of, from 0 through all files."""

    boards: Any
    games: Any

    def __len__(self) -> int:
        return len(self.boards)


def game_bytes(position: Any, moves: Sequence[int], scores: Sequence[int], result: int) -> bytes:
    """A game from ``position`` in the file's format: ``moves`` as the engine encodes them, ``scores`` in centipawns of
    the side that moved, ``result`` White's half points."""
    start = new_record(PACKED)
    words = np.zeros(len(moves) + 1, np.uint32)
    encode_game(position, np.array(moves, np.int32), np.array(scores, np.int32), start, words)
    start["result"] = result
    return bytes(start.tobytes() + words.tobytes())


def _words(path: Path) -> Any:
    """The file in words of 32 bits; bytes left over at its end belong to an incomplete game."""
    try:
        return np.fromfile(path, "<u4")
    except OSError as error:
        raise SetupError(f"cannot read {path}: {error.strerror}") from None


def _spans(words: np.ndarray) -> list[tuple[int, int]]:
    """The first word of each complete game, and the zero at its end."""
    zeros = np.flatnonzero(words == 0)
    spans, begin = [], 0
    while (place := int(np.searchsorted(zeros, begin + _HEAD_WORDS))) < len(zeros):
        spans.append((begin, int(zeros[place])))
        begin = spans[-1][1] + 1
    return spans


def count_file(path: Path) -> tuple[int, int, int]:
    """The number of complete games of the file, of positions and of bytes; moves are not checked.

    Further bytes are an incomplete game of a killed writer. Raises :class:`SetupError`."""
    spans = _spans(_words(path))
    positions = sum(end - begin - _HEAD_WORDS for begin, end in spans)
    return len(spans), positions, 4 * (spans[-1][1] + 1) if spans else 0


def read_positions(paths: Iterable[Path]) -> Positions:
    """All positions of the files' complete games with score, result and flags; every move is checked. Raises
    :class:`SetupError` that names the file and the faulty game."""
    boards, lengths, position = [np.empty(0, PACKED)], [], new_position()
    for path in paths:
        words = _words(path)
        for number, (begin, end) in enumerate(_spans(words), start=1):
            moves = words[begin + _HEAD_WORDS : end]
            boards.append(np.empty(len(moves), PACKED))
            legal = replay_game(moves, _head(words, begin), position, boards[-1])
            if legal < len(moves):
                fault = "has no legal start position" if legal < 0 else f"has an illegal move after {legal} plies"
                raise SetupError(f"{path}: game {number} at byte {4 * begin} {fault}")
            lengths.append(len(moves))
    return Positions(np.concatenate(boards), np.repeat(np.arange(len(lengths), dtype=np.int32), lengths))


def _head(words: np.ndarray, begin: int) -> Any:
    """The PACKED start position of the game at ``begin``."""
    return words[begin : begin + _HEAD_WORDS].view(PACKED)[0]


def with_scores(path: Path, scores: np.ndarray) -> bytes:
    """The complete games of the file with new ``scores`` int16 of their positions, in order."""
    words = _words(path)
    spans = _spans(words)
    moves = np.concatenate([np.empty(0, int), *(np.arange(begin + _HEAD_WORDS, end) for begin, end in spans)])
    words[moves] = words[moves] & 0xFFFF | scores.astype("<i2").view("<u2").astype("<u4") << 16
    return bytes(words[: spans[-1][1] + 1 if spans else 0].tobytes())


def _to_chess(board: chess.Board, written: int) -> chess.Move:
    """The move for python-chess, which castles by the king's own move except in Chess960."""
    origin, target, kind = written & 63, written >> 6 & 63, written >> 14
    if kind == _CASTLING and not board.chess960:
        target = chess.square(6 if target > origin else 2, chess.square_rank(origin))
    promotion = (written >> 12 & 3) + chess.KNIGHT if kind == _PROMOTION else None
    return chess.Move(origin, target, promotion)


def _to_score(bits: int) -> chess.engine.Score:
    """The score for python-chess; scores beyond this engine's mates are other engines' mates."""
    score = to_message(max(min(int(_signed(bits)), MATE - 1), 1 - MATE))
    return chess.engine.Cp(score.cp) if score.cp is not None else chess.engine.Mate(score.mate or 0)


def files_of(path: Path) -> list[Path]:
    """The files of games at ``path``: the file itself, or those in a run's directory."""
    return sorted(path.glob(f"*{SUFFIX}")) if path.is_dir() else [path]


def games_to_read(path: Path, out: Path) -> list[Path]:
    """The files of games at ``path``, for a tool that writes files of the same names to the folder ``out``. Raises
    :class:`SetupError` if there are none, or ``out`` would overwrite them."""
    files = files_of(path)
    for file in files:
        if not file.is_file():
            raise SetupError(f"{file}: no such file")
        if file.parent.resolve() == out.resolve():
            raise SetupError(f"--out {out} holds the games themselves")
    if not files:
        raise SetupError(f"no games in {path}")
    return files


def without_copy(files: Iterable[Path], folder: Path) -> list[Path]:
    """The ``files`` of games without a copy in ``folder``: the same name and as many bytes of complete games."""
    copies = [(file, folder / file.name) for file in files]
    return [file for file, copy in copies if not copy.is_file() or copy.stat().st_size != count_file(file)[2]]


def games_of(path: Path) -> Iterator[chess.pgn.Game]:
    """The file's complete games for python-chess, with scores as ``[%eval ...]``. Raises :class:`SetupError`."""
    read_positions([path])  # finds illegal moves
    words = _words(path)
    position = new_position()
    for number, (begin, end) in enumerate(_spans(words), start=1):
        start = _head(words, begin)
        unpack(position, start)
        board = chess.Board(to_fen(position), chess960=bool(position["chess960"]))
        game = chess.pgn.Game()
        game.setup(board)
        game.headers["Round"] = str(number)
        game.headers["Result"] = ("0-1", "1/2-1/2", "1-0")[start["result"]]
        node: chess.pgn.GameNode = game
        for word in words[begin + _HEAD_WORDS : end].tolist():
            node = node.add_variation(_to_chess(board, word & 0xFFFF))
            node.set_eval(chess.engine.PovScore(_to_score(word >> 16), chess.WHITE))
        yield game


def write_text(positions: Positions, stream: TextIO) -> None:
    """Write the positions as lines ``FEN | score | result``: centipawns and points (1.0, 0.5 or 0.0), White's view."""
    position = new_position()
    for board in positions.boards:
        unpack(position, board)
        stream.write(f"{to_fen(position)} | {board['score']} | {_RESULTS[board['result']]}\n")
