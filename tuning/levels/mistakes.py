"""The mistakes of weaker levels, sorted by what was overlooked; the kinds are those of ``tuning.mistakes``."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import chess
from chess.engine import Limit
from rich.progress import track

from engine import Analysis, Engine
from engine.console import Console

KINDS = ("hung", "missed", "mate", "capture", "distance", "slow")

LEAST_LOSS = 150
"""Centipawns that make a mistake."""

MOST_CENTIPAWNS = 600
"""Beyond so many centipawns a position is not looked at: there is not much to lose, or to hold."""

A_PIECE = 200
"""Centipawns of material, at 100, 300, 300, 500, 900, that count as a piece: one for a pawn."""

VALUES = (0, 100, 300, 300, 500, 900, 0)

AT_ONCE, IN_SIGHT = 3, 10
"""Plies of a line, the move itself included, after which material is counted."""

OPENING_PLIES = 6
"""Random plies before the level plays."""


@dataclass(frozen=True)
class Judgement:
    """What one played move was: its loss in centipawns and, for a mistake, its kind, else empty."""

    board: chess.Board
    move: chess.Move
    best: chess.Move
    loss: int
    kind: str


def balance(board: chess.Board, line: Sequence[chess.Move], plies: int) -> int:
    """Centipawns of material that the side to move has gained after the first ``plies`` of ``line``."""
    side, after = board.turn, board.copy(stack=False)
    for move in line[:plies]:
        after.push(move)
    return _material(after, side) - _material(board, side)


def _material(board: chess.Board, side: chess.Color) -> int:
    return sum(VALUES[piece.piece_type] * (1 if piece.color == side else -1) for piece in board.piece_map().values())


def kind_of(board: chess.Board, played: Sequence[chess.Move], best: Sequence[chess.Move]) -> str:
    """The kind of a mistake, from the line it allows and the line that was better."""
    after = board.copy(stack=False)
    after.push(played[0])
    if _mates(board, best[0]) or (len(played) > 1 and _mates(after, played[1])):
        return "mate"
    worse = balance(board, best, AT_ONCE) - balance(board, played, AT_ONCE)
    taken = len(played) > 1 and _takes(after, played[1])
    if worse >= A_PIECE and taken and balance(board, played, AT_ONCE) <= -A_PIECE:
        return "hung"
    if worse >= A_PIECE and _takes(board, best[0]):
        return "missed"
    if worse >= A_PIECE and taken:
        return "hung"
    if _takes(board, played[0]):
        return "capture"
    return "distance" if balance(board, best, IN_SIGHT) - balance(board, played, IN_SIGHT) >= A_PIECE else "slow"


def _takes(board: chess.Board, move: chess.Move) -> bool:
    return board.is_capture(move) or move.promotion is not None


def _mates(board: chess.Board, move: chess.Move) -> bool:
    after = board.copy(stack=False)
    after.push(move)
    return after.is_checkmate()


def positions(player: Engine, limit: Limit, chance: random.Random) -> Iterator[tuple[chess.Board, chess.Move]]:
    """Boards and the moves played on them, from games of ``player`` against itself, without end."""
    while True:
        board = chess.Board()
        for _ in range(OPENING_PLIES):
            board.push(chance.choice(list(board.legal_moves)))
            if board.is_game_over():
                break
        player.new_game()
        while not board.is_game_over(claim_draw=True):
            move = player.play(board, limit)
            assert move is not None
            yield board.copy(), move
            board.push(move)


def judge(judging: Engine, nodes: int, board: chess.Board, move: chess.Move) -> Judgement | None:
    """What full strength says of ``move``; None if the position is decided or leaves no choice."""
    if board.legal_moves.count() < 2:
        return None
    best = judging.analyse(board, Limit(nodes=nodes))
    if best.score.relative.mate() != 1 and abs(_points(best)) > MOST_CENTIPAWNS:
        return None
    if move == best.move:
        return Judgement(board, move, move, 0, "")
    played = judging.analyse(board, Limit(nodes=nodes), root_moves=[move])
    loss = _points(best) - _points(played)
    kind = kind_of(board, played.pv, best.pv) if loss >= LEAST_LOSS and best.pv and played.pv else ""
    return Judgement(board, move, best.pv[0], loss, kind)


def _points(line: Analysis) -> int:
    return max(-1000, min(1000, line.score.relative.score(mate_score=100_000)))


def judged(
    elo: int, count: int, nodes: int, seed: int, limit: Limit, console: Console | None = None
) -> list[Judgement]:
    """``count`` judgements of moves that the level of this ``elo`` plays against itself."""
    found: list[Judgement] = []
    with (
        Engine(hash=16, uci_limitstrength=True, uci_elo=elo) as player,
        Engine(hash=16) as judging,
    ):
        games = positions(player, limit, random.Random(seed))
        numbers = range(count)
        for _ in track(numbers, f"UCI_Elo {elo}", console=console, transient=True) if console else numbers:
            judgement = None
            while judgement is None:
                judgement = judge(judging, nodes, *next(games))
            found.append(judgement)
    return found
