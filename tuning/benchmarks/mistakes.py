"""Counts the mistakes of the weaker levels by kind, in games against themselves.

    python -m tuning.benchmarks.mistakes --elo 1000 1200 1500 1800 2100 --positions 300

The engine at full strength judges each move: it compares the scores of the played move and the best one. A loss of
``LEAST_LOSS`` centipawns or more in an undecided game is a mistake. Its kind follows from the two principal variations;
the code is independent of the one that chooses the moves:

hung       the reply captures, and two plies later a piece or more is lost that the best line keeps
missed     the best move wins material at once, and the played one does not
mate       the reply mates, or the best move would have
capture    none of these, and the move captures: a plausible capture that is refuted later
distance   none of these, and a piece or more is lost within ten plies: a threat that was too deep
slow       the rest: no piece is lost

Levels above 1200 should have next to nothing in the first three columns.
"""

import argparse
import json
import random
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import chess
from chess.engine import Limit
from rich.progress import track
from rich.table import Table

from engine import Analysis, Engine
from engine.console import Console
from tuning.common import command
from tuning.common.files import whole_text
from tuning.common.flags import whole

KINDS = ("hung", "missed", "mate", "capture", "distance", "slow")

LEAST_LOSS = 150
"""Centipawns lost by a mistake."""

MOST_CENTIPAWNS = 600
"""Positions with a greater advantage in centipawns are skipped, as they are decided."""

A_PIECE = 200
"""Centipawns of material, at 100, 300, 300, 500, 900, that count as a piece: one for a pawn."""

VALUES = (0, 100, 300, 300, 500, 900, 0)

AT_ONCE, IN_SIGHT = 3, 10
"""Plies of a line, the move itself included, after which material is counted."""

OPENING_PLIES = 6
"""Random plies before the level plays."""


@dataclass(frozen=True)
class PlayedMove:
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


def judge(judging: Engine, nodes: int, board: chess.Board, move: chess.Move) -> PlayedMove | None:
    """What full strength says of ``move``; None if the position is decided or leaves no choice."""
    if board.legal_moves.count() < 2:
        return None
    best = judging.analyse(board, Limit(nodes=nodes))
    if best.score.relative.mate() != 1 and abs(_points(best)) > MOST_CENTIPAWNS:
        return None
    if move == best.move:
        return PlayedMove(board, move, move, 0, "")
    played = judging.analyse(board, Limit(nodes=nodes), root_moves=[move])
    loss = _points(best) - _points(played)
    kind = kind_of(board, played.pv, best.pv) if loss >= LEAST_LOSS and best.pv and played.pv else ""
    return PlayedMove(board, move, best.pv[0], loss, kind)


def _points(line: Analysis) -> int:
    return max(-1000, min(1000, line.score.relative.score(mate_score=100_000)))


def judged(
    elo: int, count: int, nodes: int, seed: int, limit: Limit, console: Console | None = None
) -> list[PlayedMove]:
    """``count`` moves that the level of this ``elo`` plays against itself."""
    found: list[PlayedMove] = []
    with Engine(hash=16, uci_limitstrength=True, uci_elo=elo) as player, Engine(hash=16) as judging:
        games = positions(player, limit, random.Random(seed))
        numbers = range(count)
        for _ in track(numbers, f"UCI_Elo {elo}", console=console, transient=True) if console else numbers:
            played = None
            while played is None:
                played = judge(judging, nodes, *next(games))
            found.append(played)
    return found


def parser() -> argparse.ArgumentParser:
    """The command line of ``python -m tuning.benchmarks.mistakes``."""
    result = command.make_parser("benchmarks.mistakes", __doc__)
    add = result.add_argument
    add("--elo", type=int, nargs="+", default=[1000, 1200, 1500, 1800, 2100], help="UCI_Elo to examine")
    add("--positions", type=whole(1), default=300, metavar="N", help="positions for each Elo (default %(default)s)")
    add("--nodes", type=whole(1), default=40_000, help="nodes of the judge, per line (default %(default)s)")
    add("--seed", type=int, default=1, help="seed of the openings (default %(default)s)")
    add("--show", action="store_true", help="print every mistake of the first three kinds")
    add("--json", metavar="FILE", help="write every mistake to this file, one a line")
    return result


def run(arguments: argparse.Namespace, console: Console) -> int:
    """Play, judge and count. Raises :class:`SetupError` for an Elo that no level has."""
    table = Table("UCI_Elo", "moves", "mistakes", *KINDS, "at once, of 100 moves")
    lines = []
    for elo in arguments.elo:
        found = judged(elo, arguments.positions, arguments.nodes, arguments.seed, Limit(nodes=10**8), console)
        kinds = Counter(played.kind for played in found if played.kind)
        at_once = sum(kinds[kind] for kind in KINDS[:3])
        table.add_row(str(elo), str(len(found)), str(kinds.total()), *(str(kinds[kind]) for kind in KINDS),
                      f"{100 * at_once / len(found):.1f}")  # fmt: skip
        for played in found:
            if played.kind:
                board = played.board
                record = {"elo": elo, "kind": played.kind, "loss": played.loss, "fen": board.fen(),
                          "played": board.san(played.move), "best": board.san(played.best)}  # fmt: skip
                lines.append(json.dumps(record))
                if arguments.show and played.kind in KINDS[:3]:
                    console.print(lines[-1], soft_wrap=True)
    if arguments.json:
        with whole_text(Path(arguments.json)) as file:
            file.writelines(f"{line}\n" for line in lines)
    console.print(table)
    return 0


def main(words: Sequence[str] | None = None) -> int:
    """Run the command line; see :func:`tuning.common.command.execute` for the exit code."""
    return command.execute(parser, run, words)


if __name__ == "__main__":
    sys.exit(main())
