"""Positions of the endgame tables (random and won), and the induction step that proves a won one is converted."""

import random
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import chess
import chess.syzygy

from engine.api.boards import position_of
from engine.board.notation import to_uci
from engine.play.tablebase import RootProbe, Tablebase
from engine.search.tablebase import CURSED_WIN, LOSS, WIN

#: The greatest sum of clock and distance to zeroing that is surely in time: distances are rounded by a ply.
IN_TIME = 99


def materials(folder: Path) -> list[str]:
    """The names of all tables, such as KQvKR."""
    return sorted(path.stem for path in folder.glob("*.rtbw"))


def random_board(material: str, source: random.Random) -> chess.Board:
    """A legal position with ``material``, either side being the stronger one and either to move."""
    while True:
        board = chess.Board.empty()
        swap = source.random() < 0.5
        squares = source.sample(range(64), len(material) - 1)
        for color, letters in zip((chess.WHITE, chess.BLACK), material.split("v"), strict=True):
            for letter in letters:
                board.set_piece_at(squares.pop(), chess.Piece(chess.Piece.from_symbol(letter).piece_type, color ^ swap))
        board.turn = source.random() < 0.5
        if board.is_valid() and any(board.legal_moves):
            return board


def won_board(
    oracle: chess.syzygy.Tablebase, material: str, source: random.Random, tries: int = 300
) -> chess.Board | None:
    """A random position won for the side to move; None if there seems to be none."""
    for _ in range(tries):
        board = random_board(material, source)
        if oracle.probe_wdl(board) == WIN:
            return board
    return None


def won_boards(
    oracle: chess.syzygy.Tablebase, names: list[str], count: int, source: random.Random
) -> Iterator[chess.Board]:
    """``count`` positions of each material in which the side to move wins, if there are any."""
    for material in names:
        for _ in range(count):
            board = won_board(oracle, material, source)
            if board is None:
                break
            yield board


def distance(oracle: chess.syzygy.Tablebase, board: chess.Board, move: chess.Move) -> int:
    """The DTZ after ``move`` for the side to move then; a mate is nearer than anything."""
    board.push(move)
    try:
        return 0 if board.is_checkmate() else oracle.probe_dtz(board)
    finally:
        board.pop()


#: The tables' results for a board, with python-chess's moves.
BoardProbe = Callable[[chess.Board], RootProbe]


def probe_of(tables: Tablebase, board: chess.Board, fifty: bool = True) -> Any:
    """What ``tables`` know of ``board``, with python-chess's moves; None if they do not cover it."""
    if (probe := tables.probe(position_of(board), fifty)) is None:
        return None
    moves = {entry.move: chess.Move.from_uci(to_uci(entry.move, False)) for entry in probe.ranked}
    ranked = [replace(entry, move=moves[entry.move]) for entry in probe.ranked]
    return RootProbe(tuple(ranked), tuple(moves[move] for move in probe.progress))


def check_step(probe_of: BoardProbe, oracle: chess.syzygy.Tablebase, board: chess.Board, source: random.Random) -> None:
    """Check that no move that ``probe_of`` advises in ``board``, won for the side to move, throws away the win.

    With ``left`` plies to the next zeroing move by the oracle, the position counts as won while clock and ``left``
    sum to 99 at most. After every advised move and every reply the game must be

    - over by mate, or
    - won, with a capture or pawn move just made, of which a game has finitely many, or
    - won with ``left`` at least two plies smaller, so that the sum of clock and ``left`` does not grow. A ``left`` of 2
      may be a 3 rounded, and 1 then remains: such a position must be won even with the clock at its last ply.

    By induction, a player who always reaches such positions mates in the end. Raises AssertionError with the position.
    """
    left = oracle.probe_dtz(board)
    assert 0 < left < IN_TIME, board.fen()
    board = board.copy(stack=False)
    board.halfmove_clock = source.randrange(IN_TIME - left)
    probe = probe_of(board)
    assert probe is not None, board.fen()
    assert probe.outcome == WIN, board.fen()
    assert probe.progress, board.fen()
    board.halfmove_clock = IN_TIME - left  # the last in time: a more cautious probe, but the same advice
    last = probe_of(board)
    assert last is not None, board.fen()
    assert last.outcome >= CURSED_WIN, board.fen()
    assert last.progress == probe.progress, board.fen()
    for move in probe.progress:
        board.push(move)
        if board.halfmove_clock == 0 and not board.is_checkmate():
            assert oracle.probe_wdl(board) == LOSS, board.fen()
        elif not board.is_checkmate():
            _check_replies(probe_of, oracle, board, left)
        board.pop()


def _check_replies(probe_of: BoardProbe, oracle: chess.syzygy.Tablebase, board: chess.Board, left: int) -> None:
    """The part of :func:`check_step` after a quiet move."""
    replies = list(board.legal_moves)
    assert replies, f"{board.fen()} is stalemate"
    for reply in replies:
        board.push(reply)
        if board.halfmove_clock == 0:
            assert oracle.probe_wdl(board) == WIN, board.fen()
        else:
            now = oracle.probe_dtz(board)
            assert 0 < now < left, board.fen()
            if now > left - 2:
                late = board.copy(stack=False)
                late.halfmove_clock = IN_TIME
                probe = probe_of(late)
                assert now == 1, board.fen()
                assert probe is not None, late.fen()
                assert probe.outcome == WIN, late.fen()
        board.pop()
