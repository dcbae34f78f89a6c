"""Measures the marks of annotated games by another engine.

    python -m tuning.benchmarks.marks GAMES.pgn --judge stockfish --nodes 60000 --judge-nodes 600000 --known FILE

Numbat annotates the games, and the judge searches every position of them. Its scores give each move the mark of
lichess.org's rules. Counted are:

confirmed  marks of Numbat at moves to which the judge gives a mark, too
found      marks ? and ?? of the judge at moves to which Numbat gives a mark, and those to which it gives ? or ??
also good  moves called as good as the better one that by the judge's scores are no inaccuracy beside the best
reasons    marks with a reason that is more than the scores
praised    moves with ! or !! in the file that get ! or !!, and moves that get it without

The judge's scores are kept in FILE, so that an interrupted run goes on, and another limit needs no new ones.
"""

import argparse
import json
import sys
import time
from collections import Counter
from collections.abc import Sequence
from functools import partial
from itertools import pairwise
from pathlib import Path

import chess
import chess.pgn
from chess.engine import Cp, Limit, Mate, Score, SimpleEngine
from rich.progress import track

from engine import Engine
from engine.analysis.annotate import Annotator
from engine.analysis.files import AnalysisError, read_games
from engine.analysis.record import Judged, positions
from engine.console import Console
from engine.explanation import explain
from engine.explanation.grades import Grade, lichess_grade
from tuning.common import command
from tuning.common.errors import SetupError
from tuning.common.flags import whole
from tuning.matches.engines import parse_words

PRAISE = (Grade.GOOD, Grade.BRILLIANT)


class Judge:
    """Another engine, whose scores are kept in a file of JSON lines."""

    def __init__(self, engine: SimpleEngine, nodes: int, known: Path | None) -> None:
        self._engine, self._nodes, self._file = engine, nodes, known
        self._known: dict[str, Score] = {}
        if known is not None and known.exists():
            for line in known.read_text("utf-8").splitlines():
                row = json.loads(line)
                if row["nodes"] == nodes:
                    self._known[row["position"]] = Cp(row["cp"]) if row["mate"] is None else Mate(row["mate"])

    def score(self, board: chess.Board) -> Score:
        """The score of ``board`` from the view of its side to move."""
        if board.is_game_over():
            return Mate(0) if board.is_checkmate() else Cp(0)
        key = " ".join([board.root().fen(), "moves", *(move.uci() for move in board.move_stack)])
        if key not in self._known:
            score = self._engine.analyse(board, Limit(nodes=self._nodes), game=object())["score"].relative
            self._known[key] = score
            if self._file is not None:
                row = {"position": key, "nodes": self._nodes, "cp": score.score(), "mate": score.mate()}
                with self._file.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(row) + "\n")
        return self._known[key]

    def after(self, board: chess.Board, move: chess.Move) -> Score:
        """The score after ``move``, from the view of its player."""
        board = board.copy()
        board.push(move)
        score = -self.score(board)
        mate = score.mate()
        return Mate(mate + 1) if mate is not None and mate >= 0 and score > Cp(0) else score


#: The themes of claims that only compare scores.
_COMPARISONS = ("comparison", "positional", "verdict")


def count(game: chess.pgn.Game, found: Sequence[Judged], judge: Judge, show: Console) -> Counter[str]:
    """The counts of one game; marks that are not confirmed, and those that are missing, are shown."""
    counts: Counter[str] = Counter()
    for (node, child), judged in zip(pairwise(positions(game)), found[1:], strict=False):
        board, own, move = node.board(), judged.grade, judged.move
        assert move is not None
        had, has = judge.score(board), judge.after(board, move)
        theirs = lichess_grade(had, has) if board.legal_moves.count() > 1 else Grade.FINE
        name = f"{board.variation_san([move])}{own.glyph} ({had} to {has}, {theirs.glyph})"
        if own.bad:
            counts[f"{own.glyph} marks"] += 1
            counts[f"{own.glyph} confirmed"] += theirs.bad
            counts[f"{own.glyph} with the judge's {theirs.glyph or 'none'}"] += 1
            counts[f"{own.glyph} with a reason"] += judged.theme not in ("", *_COMPARISONS)
            if not theirs.bad:
                show.print(f"not confirmed: {name}")
        if theirs in (Grade.MISTAKE, Grade.BLUNDER):
            counts["judge's ? and ??"] += 1
            counts["judge's ? and ?? with a mark"] += own.bad
            counts["judge's ? and ?? with ? or ??"] += own in (Grade.MISTAKE, Grade.BLUNDER)
            if not own.bad:
                show.print(f"missing: {name}")
        if theirs is Grade.INACCURACY:
            counts["judge's ?!"] += 1
            counts["judge's ?! with a mark"] += own.bad
        for other in judged.also:
            fine = not lichess_grade(had, judge.after(board, other)).bad
            counts["also good"] += 1
            counts["also good confirmed"] += fine
            if not fine:
                show.print(f"not as good: {board.san(other)} at {name}, {judge.after(board, other)}")
        famous = bool({1, 3} & child.nags)
        counts["famous"] += famous
        counts["famous praised"] += famous and own in PRAISE
        counts["praised"] += own in PRAISE
        counts["praised with a reason"] += own in PRAISE and judged.theme != ""
        if famous and own not in PRAISE:
            show.print(f"not praised: {name}")
        if own in PRAISE and not famous:
            show.print(f"praised: {name}")
    return counts


def parser() -> argparse.ArgumentParser:
    """The command line of ``python -m tuning.benchmarks.marks``."""
    result = command.make_parser("benchmarks.marks", __doc__)
    result.add_argument("games", type=Path, nargs="+", metavar="PGN", help="games")
    result.add_argument("--judge", required=True, metavar="COMMAND", help="UCI engine that judges")
    result.add_argument("--nodes", type=whole(1), default=60_000, help="nodes a position (default %(default)s)")
    result.add_argument("--judge-nodes", type=whole(1), default=600_000, help="the judge's (default %(default)s)")
    result.add_argument("--known", type=Path, metavar="FILE", help="scores of the judge, read and written")
    return result


def run(arguments: argparse.Namespace, console: Console) -> int:
    """Annotate, judge and count. Raises :class:`SetupError` for a judge, nodes or games that cannot be used."""
    judging = parse_words([f"cmd={arguments.judge}"]).resolved_command()
    try:
        games = [game for path in arguments.games for game in read_games(path)]
    except AnalysisError as error:
        raise SetupError(str(error)) from None
    counts: Counter[str] = Counter()
    seconds = 0.0
    with SimpleEngine.popen_uci(judging, timeout=60) as engine, Engine() as numbat:
        judge = Judge(engine, arguments.judge_nodes, arguments.known)
        annotator = Annotator(
            numbat, Limit(nodes=arguments.nodes), explain=partial(explain, tables=numbat.table_outcome)
        )
        for game in track(games, console=console, transient=True):
            begun = time.process_time()
            found = annotator.annotate(game).judged()
            seconds += time.process_time() - begun
            console.print(f"{game.headers['White']} - {game.headers['Black']}")
            counts += count(game, found, judge, console)
    for name, number in sorted(counts.items()):
        console.print(f"{name:40}{number:5}")
    console.print(f"{seconds / len(games):.1f} seconds of processor time a game")
    return 0


def main(words: Sequence[str] | None = None) -> int:
    """Run the command line; see :func:`tuning.common.command.execute` for the exit code."""
    return command.execute(parser, run, words)


if __name__ == "__main__":
    sys.exit(main())
