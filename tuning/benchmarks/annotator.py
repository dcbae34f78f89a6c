"""Measures whether marks and sentences about moves are true, with Stockfish as the judge.

    python -m tuning.benchmarks.annotator GAMES.pgn --judge stockfish --known FILE
    python -m tuning.benchmarks.annotator puzzles levels --judge stockfish --count 300

Sources: games, which are annotated, and whose positions are described; ``puzzles`` of the public data, half of them as
the mistake before the puzzle, made by taking a move back; ``levels`` that play against themselves. Each kind of
claim is a row of the table: how often it was made, and how often the judge agrees. A search of ``--judge-nodes`` nodes
must show that a move marked as bad is bad (by lichess's rules), and that a line wins what is claimed: six tenths of
three pawns or more suffice. A verdict such as "Black is winning" may be off by :data:`SLACK`. The mistakes of levels
are only counted, by kind (:func:`kind_of`). The judge's lines are kept in ``--known``, so that an interrupted run goes
on.
"""

import argparse
import json
import os
import random
import re
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import pairwise
from pathlib import Path

import chess
import chess.pgn
from chess.engine import Cp, Limit, Mate, PovScore, Score, SimpleEngine
from rich.progress import track

from engine import Analysis, Engine
from engine.analysis.annotate import Annotator
from engine.analysis.files import AnalysisError, read_games
from engine.analysis.record import positions as nodes_of
from engine.api.explaining import case_of, mate_moved, over, threat
from engine.console import Console
from engine.explanation import Case, Claim, merit_of, reason_of, sentence, verdicts
from engine.explanation.assessment import outlook
from engine.explanation.claims import COMPARISONS, ByTables, Compared, Material, Mating, Opposition, Threat
from engine.explanation.grades import Grade, lichess_grade
from engine.explanation.line import Line
from engine.explanation.mistakes import MIN_LOST_POINTS
from engine.explanation.verdicts import Standing, expectation
from tuning.common import command
from tuning.common.display import table
from tuning.common.errors import SetupError
from tuning.common.flags import whole
from tuning.matches.engines import parse_words

DATA = Path(os.environ.get("NUMBAT_DATA") or Path(__file__).resolve().parents[3] / "shared" / "data")
"""The public data, as for the tests."""

MIN_LINE_PLIES, POSITION_INTERVAL = 8, 37
"""Plies of a line of the judge that show what comes of it, and of a game from one position described to the next."""

SLACK, LEVEL_POINTS = 0.05, 0.61
"""Expected points by which a verdict may be off, because verdicts change abruptly, and the most of an even game."""

DRAW_CP, UNNOTICED_CP = 50, 25  # centipawns up to which a score confirms a draw, and too few to notice

TAGS = {
    "fork": {"fork"}, "hanging": {"hangingPiece"}, "pin": {"pin"}, "skewer": {"skewer"},
    "discoveredAttack": {"discoveredAttack"}, "doubleCheck": {"doubleCheck"}, "trapped": {"trappedPiece"},
    "removedDefender": {"capturingDefender"}, "overloaded": {"deflection", "overloading"},
    "promotion": {"promotion", "advancedPawn"}, "backRankMate": {"backRankMate"},
    "smotheredMate": {"smotheredMate"}, **{f"mateIn{moves}": {f"mateIn{moves}"} for moves in range(1, 6)},
}  # fmt: skip
"""Themes, and the puzzle tags that confirm them."""


class Judge:
    """The other engine, whose lines are kept in a file of JSON."""

    def __init__(self, engine: SimpleEngine, nodes: int, known: Path | None) -> None:
        self._engine, self._nodes, self._file = engine, nodes, known
        lines = known.read_text("utf-8").splitlines() if known is not None and known.exists() else []
        self._known = {row["key"]: row for row in map(json.loads, lines) if row["nodes"] == nodes}

    def look(self, board: chess.Board, moves: Sequence[chess.Move] | None = None) -> Analysis:
        """Its best line, among ``moves`` if they are given."""
        if ended := over(board):
            return ended
        key = " ".join([board.root().fen(), *map(chess.Move.uci, board.move_stack), "of", *map(str, moves or ())])
        if key not in self._known:
            info = self._engine.analyse(board, Limit(nodes=self._nodes), game=object(), root_moves=moves)
            score, pv = info["score"].white(), [*map(chess.Move.uci, info["pv"])]
            self._known[key] = dict(key=key, nodes=self._nodes, cp=score.score(), mate=score.mate(), pv=pv)
            if self._file is not None:
                with self._file.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(self._known[key]) + "\n")
        row = self._known[key]
        white = PovScore(Cp(row["cp"]) if row["mate"] is None else Mate(row["mate"]), chess.WHITE)
        own = PovScore(white.pov(board.turn), board.turn)
        return Analysis(own, pv=tuple(map(chess.Move.from_uci, row["pv"])))

    def after(self, board: chess.Board, move: chess.Move) -> Score:
        """The score after ``move``, for its player."""
        board = board.copy()
        board.push(move)
        return mate_moved(self.look(board).score, not board.turn, 1).pov(not board.turn)


class JudgeTally:
    """Counts of claims made and of claims confirmed, by name; doubtful ones are printed."""

    def __init__(self, console: Console) -> None:
        self.console, self.said, self.true = console, Counter[str](), Counter[str]()

    def count(self, name: str, true: bool, doubt: str = "") -> None:
        """Count something that was said under ``name``."""
        self.said[name] += 1
        self.true[name] += true
        if not true:
            self.console.print(f"{name}: {doubt}", soft_wrap=True, highlight=False)


class Benchmark:
    """Numbat, the judge, and the counts."""

    def __init__(self, engine: Engine, judge: Judge, nodes: int, tally: JudgeTally) -> None:
        self.engine, self.judge, self.tally, self.limit = engine, judge, tally, Limit(nodes=nodes)

    def look(self, board: chess.Board, root_moves: list[chess.Move] | None = None) -> Analysis:
        """Numbat's search with a clear table."""
        if ended := over(board):
            return ended
        self.engine.new_game()
        return self.engine.analyse(board, self.limit, root_moves=root_moves)

    def game(self, game: chess.pgn.Game) -> None:
        """The marks of an annotated game, their reasons, and praise."""
        cases: dict[int, Case] = {}

        def note(case: Case) -> None:  # the case of the move comes before the alternatives'
            cases.setdefault(case.board.ply(), case)

        judged = Annotator(self.engine, self.limit, explain=note).annotate(game).judged_moves()
        for (node, child), mark in zip(pairwise(nodes_of(game)), judged[1:], strict=False):
            board, own, move = node.board(), mark.grade, mark.move
            assert move is not None
            had, has = self.judge.look(board).score.relative, self.judge.after(board, move)
            theirs = lichess_grade(had, has) if board.legal_moves.count() > 1 else Grade.FINE
            name = f"{board.variation_san([move])}{own.glyph} ({had} to {has}, {theirs.glyph})"
            if own.bad:
                self.tally.count(f"mark {own.glyph}", theirs.bad, name)
                self._explained(cases[board.ply()], f"mark {own.glyph} with a theme")
            if board.ply() % POSITION_INTERVAL == 0 and not over(board):
                self.position(board)
            if theirs in (Grade.MISTAKE, Grade.BLUNDER):
                self.tally.count("judge's ? and ?? with a mark", own.bad, name)
            for other in mark.equal_moves:
                fine = not lichess_grade(had, self.judge.after(board, other)).bad
                self.tally.count("move called as good", fine, f"{board.san(other)} at {name}")
            famous, praised = bool({1, 3} & child.nags), own in (Grade.GOOD, Grade.BRILLIANT)
            if famous:
                self.tally.count("! and !! of the file with praise", praised, name)
            if praised and any({1, 3} & each.nags for each in game.mainline()):
                self.tally.count("praise that the file has", famous, name)

    def mistake(self, board: chess.Board, move: chess.Move, tags: str = "") -> None:
        """The reason why ``move`` is bad, if one is found."""
        self._explained(case_of(board, move, self.look), "mistake with a theme", tags)

    def _explained(self, case: Case, name: str, tags: str = "") -> None:
        claim = reason_of(case)
        theme = claim is not None and claim.theme not in COMPARISONS
        self.tally.count(name, theme, case.board.fen())
        if claim is not None:
            self._count(claim, case.board, self._doubt_mistake(case.board, case.move, claim, case.other_line[0]), tags)

    def best(self, board: chess.Board, tags: str = "") -> None:
        """What the best move achieves, if a theme is found."""
        best = self.look(board)
        assert best.move is not None
        claim = merit_of(board, best.pv, best.score)
        claim = claim or merit_of(board, best.pv, best.score, threat(board, best.move, self.look))
        if claim is not None:
            self._count(claim, board, self._doubt_merit(board, claim, best.move), tags)

    def position(self, board: chess.Board) -> None:
        """Where no theme is found: how the moves compare, who is better, and what speaks for each side."""
        lines = self.engine.analyse(board, self.limit, multipv=2)
        if merit_of(board, lines[0].pv, lines[0].score):
            return
        line = Line.of(board, lines[0].pv)
        said = outlook(line, lines[0].score, (lines[1].pv[0], lines[1].score) if len(lines) > 1 else None)
        text = f"{sentence(said)} {board.fen()}"
        best, played = self._white_points(board), self._white_points(board, [line.moves[0]])
        sign = 1 if board.turn else -1
        self.tally.count("verdict on a position", stands(said.level, best), text)
        if said.choice != "only":
            self.tally.count("best move", sign * (best - played) <= 2 * SLACK, text)
        if said.choice == "hardly":
            other = self._white_points(board, [lines[1].pv[0]])
            self.tally.count("hardly better", sign * (played - other) <= SLACK, text)
        if said.choice == "clearly":
            others = [move for move in board.legal_moves if move != line.moves[0]]
            self.tally.count("clearly better", sign * (played - self._white_points(board, others)) >= SLACK, text)

    def _white_points(self, board: chess.Board, moves: Sequence[chess.Move] | None = None) -> float:
        return expectation(self.judge.look(board, moves).score.white(), board.fullmove_number)

    def _count(self, claim: Claim, board: chess.Board, doubt: str, tags: str) -> None:
        text = f"{sentence(claim)} {board.fen()}"
        self.tally.count(f"sentence: {claim.theme}", not doubt, f"{text} {doubt}")
        if tags and claim.theme in TAGS:
            self.tally.count("theme that the puzzle has", bool(set(tags.split()) & TAGS[claim.theme]), f"{text} {tags}")

    def _doubt_mistake(self, board: chess.Board, move: chess.Move, claim: Claim, better: chess.Move) -> str:
        best, played = self.judge.look(board, [better]), self.judge.look(board, [move])
        had, has = (expectation(found.score.pov(board.turn), board.fullmove_number) for found in (best, played))
        standing = claim.standing if isinstance(claim, Compared) else None
        cheap = had - has < MIN_LOST_POINTS / 2 and not isinstance(claim, Mating)
        if standing and standing.kind not in ("decided", "lost") and (said := said_cost(standing)):
            drop = Case(board, move, [], [], best.score, played.score).drop
            if not said[0] <= drop <= said[1]:
                return f"the move costs {drop} centipawns"
        elif cheap and (standing is None or standing.kind not in ("either", "worse")):
            return f"the move costs only {had - has:.2f} points"
        if standing and len(claim.line) > 1:
            answered = self.judge.look(claim.line.boards[2])
            has = expectation(answered.score.pov(board.turn), board.fullmove_number)
        if standing and not compares(standing.kind, standing.had, standing.has, had, has, SLACK):
            return f"{had:.2f} and {has:.2f} expected points"
        if standing or isinstance(claim, (ByTables, Opposition)):
            return ""
        winning = claim.line.winner == board.turn
        return self.doubt_line(board, claim, best if winning else played, 0 if winning else 1)

    def _doubt_merit(self, board: chess.Board, claim: Claim, move: chess.Move) -> str:
        best, other = self.judge.look(board, [move]), self.judge.look(board)
        had, has = (expectation(found.score.relative, board.fullmove_number) for found in (other, best))
        if had - has > 0.1:
            return f"{board.san(move)} is not the best move"
        unchecked = isinstance(claim, Threat) or (isinstance(claim, Mating) and claim.verb == "mated")
        return "" if unchecked else self.doubt_line(board, claim, best, 0)

    def doubt_line(self, board: chess.Board, claim: Claim, found: Analysis, start: int) -> str:
        """The doubt about a claim whose line ``found`` should confirm from the move ``start`` on; empty without one."""
        line, moves = claim.line, found.pv
        if line.moves[start] not in found.pv[start : start + 1]:
            found = self.judge.look(line.boards[start], [line.moves[start]])
            moves = (*line.moves[:start], *found.pv)
        score = found.score.pov(line.winner)
        mate = score.mate()
        if isinstance(claim, Mating):
            return "" if mate is not None and 0 < mate <= claim.moves else f"no mate in {claim.moves}: {score}"
        if mate is not None and mate > 0:
            return ""
        if not isinstance(claim, Material):
            return "" if abs(score.score(mate_score=10_000)) <= DRAW_CP else f"no draw: {score}"
        shown = Line.of(board, moves, line.winner)
        while len(shown) < MIN_LINE_PLIES and not shown.final_board.is_game_over():
            shown = Line.of(board, [*shown.moves, *self.judge.look(shown.final_board).pv], line.winner)
        least = round(0.6 * line.gain) if line.gain >= 3 else line.gain
        return "" if shown.gain >= least else f"wins {shown.gain} instead of {line.gain}"


def stands(said: int, points: float, slack: float = SLACK) -> bool:
    """Whether the level that was ``said`` of a side is true of its expected ``points``; a side that is winning is also
    better."""
    if said == 0:
        return abs(points - 0.5) <= LEVEL_POINTS - 0.5 + slack
    least = (verdicts.EDGE, verdicts.CLEAR, verdicts.WINNING)[abs(said) - 1]
    return (points if said > 0 else 1 - points) >= least - slack


def compares(kind: str, had: int, has: int, before: float, after: float, slack: float) -> bool:
    """Whether a :class:`~engine.explanation.verdicts.Standing` of this ``kind`` and these levels is true of a side with
    expected points ``before`` by the better move and ``after`` by the other.

    >>> compares("now", 1, -2, 0.55, 0.05, 0.05), compares("now", 1, -2, 0.55, 0.4, 0.05)
    (True, False)
    """
    fits = partial(stands, slack=slack)
    match kind:
        case "little":
            return True  # claims only the cost, which is checked in centipawns
        case "lost":
            return fits(had, before) and after < verdicts.CLEAR + slack
        case "decided":  # claims only that there was an advantage
            return (had <= 0 or fits(had, before)) and fits(has, after)
        case "open":
            return abs(after - 0.5) < verdicts.CLEAR - 0.5 + slack
        case "now":
            return fits(has, after)
        case "anyway":
            return fits(-3, before) and fits(-3, after)
        case "either" | "worse":
            return fits(min(had, has) if has > 0 else had, before) and fits(has, after)
        case "half":  # half of an advantage at least
            return before >= verdicts.EDGE - slack and after - 0.5 <= (before - 0.5) / 2 + slack
    return fits(min(1, max(-1, had)), before) and fits(has, after)  # how great the advantage was is not said


def said_cost(said: Standing) -> tuple[float, float] | None:
    """The range of centipawns that a move must have cost for the cost in ``said`` to be right: within a factor of two,
    and a move said to be slightly or probably better must not be worse. None if no cost is given.

    >>> said_cost(Standing("less", 3, 3, "pawns")), said_cost(Standing("half", 1, 0))
    ((105.5, 660), None)
    """
    return {
        "surely": (UNNOTICED_CP, 10_000),
        "slightly": (-UNNOTICED_CP, 2 * verdicts.UNSURE_CP),
        "probably": (-UNNOTICED_CP, 20_000),
        "pawns": ((verdicts.SURE_CP + 1) / 2, 2 * verdicts.SEVERAL_CP),
        "several": ((verdicts.SEVERAL_CP + 1) / 2, 2 * verdicts.FAR_CP),
        "far": ((verdicts.FAR_CP + 1) / 2, 20_000),
    }.get(said.cost)


KINDS = ("hung", "missed", "mate", "capture", "distance", "slow")
MIN_MISTAKE_CP, MAX_UNDECIDED_CP, PIECE_PAWNS = 150, 600, 2
"""Centipawns lost by a mistake, of a position that is not decided, and pawns of material that count as a piece."""
COUNTED_PLIES, IN_SIGHT_PLIES, RANDOM_PLIES = 3, 10, 6
"""Plies of a line, the move itself included, after which material is counted, and of a game that are random."""


def kind_of(board: chess.Board, played: Sequence[chess.Move], best: Sequence[chess.Move]) -> str:
    """The kind of a mistake, from the line it allows and the line that was better.

    hung: the reply captures and wins a piece that the best line keeps; missed: the best move wins material immediately;
    mate: the reply or the best move mates; capture: a plausible capture that is refuted later; distance: a piece is
    lost within ten plies; slow: the rest."""
    worse, better = Line.of(board, played), Line.of(board, best)
    if better.boards[1].is_checkmate() or (len(worse) > 1 and worse.boards[2].is_checkmate()):
        return "mate"
    loss = _won(better, COUNTED_PLIES) - _won(worse, COUNTED_PLIES) >= PIECE_PAWNS
    taken = len(worse) > 1 and _takes(worse, 1)
    if loss and _takes(better, 0) and not (taken and _won(worse, COUNTED_PLIES) <= -PIECE_PAWNS):
        return "missed"
    if (loss and taken) or _takes(worse, 0):
        return "hung" if loss and taken else "capture"
    return "distance" if _won(better, IN_SIGHT_PLIES) - _won(worse, IN_SIGHT_PLIES) >= PIECE_PAWNS else "slow"


def _won(line: Line, plies: int) -> int:
    return line.gain_on(line.boards[min(plies, len(line))])


def _takes(line: Line, ply: int) -> bool:
    return line.captured(ply) is not None or line.moves[ply].promotion is not None


def level_mistakes(judge: Judge, elo: int, count: int, chance: random.Random, tally: JudgeTally) -> None:
    """Count the mistakes among ``count`` moves that a level plays against itself, in positions that are not decided."""
    board = chess.Board()
    with Engine(hash=16, uci_limitstrength=True, uci_elo=elo) as player:
        while count:
            if len(board.move_stack) < RANDOM_PLIES:
                board.push(chance.choice(list(board.legal_moves)))
            if board.is_game_over(claim_draw=True):
                board = chess.Board()
                player.new_game()
            if len(board.move_stack) < RANDOM_PLIES:
                continue
            move, best = player.play(board, Limit(nodes=10**8)), judge.look(board)
            assert move is not None
            had = best.score.relative
            if board.legal_moves.count() > 1 and (had.mate() == 1 or abs(_capped(had)) <= MAX_UNDECIDED_CP):
                count -= 1
                played = judge.look(board, [move])
                loss = _capped(had) - _capped(played.score.relative)
                kind = kind_of(board, played.pv, best.pv) if loss >= MIN_MISTAKE_CP else ""
                tally.count(f"level {elo}: no mistake", not kind, f"{kind} {board.san(move)} {board.fen()}")
                for each in KINDS if kind else ():
                    tally.said[f"level {elo}: {each}"] += each == kind
            board.push(move)


def _capped(score: Score) -> int:
    return max(-1000, min(1000, score.score(mate_score=100_000)))


def puzzles(data: Path, chance: random.Random, count: int) -> Iterator[tuple[chess.Board, chess.Move | None, str]]:
    """Puzzles with their tags, every second one as the position before it and the mistake."""
    lines = (data / "suites" / "lichess_puzzles_5k.epd").read_text(encoding="utf-8").splitlines()
    for number, line in enumerate(chance.sample(lines, min(count, len(lines)))):
        board = chess.Board(" ".join(line.split()[:4]) + " 0 30")
        tags = found[1] if (found := re.search(r'c2 "([^"]*)"', line)) else ""
        if number % 2 == 0:
            yield board, None, tags
        elif steps := taken_back(board):
            yield *chance.choice(steps), tags


def taken_back(board: chess.Board) -> list[tuple[chess.Board, chess.Move]]:
    """The positions before ``board``, with the moves of a piece (no pawn, no capture) that can have led to it."""
    steps = []
    for square in chess.SquareSet(board.occupied_co[not board.turn] & ~board.pawns):
        for origin in board.attacks(square) & ~chess.SquareSet(board.occupied):
            before = board.copy(stack=False)
            before.ep_square, before.turn = None, not board.turn
            before.set_piece_at(origin, before.remove_piece_at(square))
            move = chess.Move(origin, square)
            if before.is_valid() and before.is_legal(move) and not before.is_check():
                steps.append((before, move))
    return steps


def parser() -> argparse.ArgumentParser:
    """The command line of ``python -m tuning.benchmarks.annotator``."""
    result = command.make_parser("benchmarks.annotator", __doc__)
    add = result.add_argument
    add("sources", nargs="+", metavar="GAMES.pgn|puzzles|levels", help="what is examined")
    add("--judge", required=True, metavar="COMMAND", help="UCI engine that judges, such as Stockfish")
    add("--nodes", type=whole(1), default=60_000, help="nodes of each search for a sentence (default %(default)s)")
    add("--judge-nodes", type=whole(1), default=600_000, help="the judge's (default %(default)s)")
    add("--known", type=Path, metavar="FILE", help="lines of the judge, read and written")
    add("--count", type=whole(1), default=300, help="puzzles, and moves of each level (default %(default)s)")
    add("--elo", type=int, nargs="+", default=[1000, 1200, 1500, 1800, 2100], help="levels")
    add("--seed", type=int, default=1, help="seed of the sample (default %(default)s)")
    add("--data", type=Path, default=DATA, help="folder of the public data")
    return result


def run(arguments: argparse.Namespace, console: Console) -> int:
    """Ask, judge and count. Raises :class:`SetupError` for a judge, nodes or games that cannot be used."""
    program = parse_words([f"cmd={arguments.judge}"]).resolved_command()
    chance, tally = random.Random(arguments.seed), JudgeTally(console)
    paths = [Path(source) for source in arguments.sources if source not in ("puzzles", "levels")]
    try:
        games = [game for path in paths for game in read_games(path)]
    except AnalysisError as error:
        raise SetupError(str(error)) from None
    with SimpleEngine.popen_uci(program, timeout=60) as stockfish, Engine(hash=64) as engine:
        judge = Judge(stockfish, arguments.judge_nodes, arguments.known)
        bench = Benchmark(engine, judge, arguments.nodes, tally)
        for game in track(games, "games", console=console, transient=True):
            bench.game(game)
        for board, move, tags in puzzles(arguments.data, chance, arguments.count * ("puzzles" in arguments.sources)):
            bench.mistake(board, move, tags) if move else bench.best(board, tags)
        for elo in arguments.elo if "levels" in arguments.sources else ():
            level_mistakes(judge, elo, arguments.count, chance, tally)
    made = table(1, "What is said", "Times", "True", "%")
    for name, said in sorted(tally.said.items()):
        true = tally.true[name]
        made.add_row(name, str(said), *((str(true), f"{100 * true / said:.1f}") if name in tally.true else ("", "")))
    console.print(made)
    return 0


main = partial(command.execute, parser, run)

if __name__ == "__main__":
    sys.exit(main())
