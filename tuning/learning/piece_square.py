"""Learns the piece-square tables of ``engine/evaluation/material.json`` from positions whose outcome is known.

Texel's method (https://www.chessprogramming.org/Texel%27s_Tuning_Method) as one logistic regression. The evaluation
of a quiet position is linear in the tables, so its log-odds are ``(material + table values) / scale``, fitted to
what became of the position: a blend of the game's result and of a search's evaluation. The material stays as the
file has it, which alone settles how many centipawns a unit of log-odds is worth: the scale is fitted along.

Input files have a position a line, tab-separated, and may be packed by gzip or xz:

- FEN, evaluation in centipawns from White's view, result for White (1, 0.5 or 0), anything, ply, flags (``c`` in
  check, ``x`` the move played captures or promotes, ``k`` it gives check, ``-`` none), or
- what Stockfish's network trainer reads, as text: FEN, the move played, evaluation in its internal units and, after the
  ply, result (1, 0, -1), both for the side to move.

Which games they come from matters more than how many: at 4,000 nodes a move, tables from 240,000 positions of network
training games beat tables from 600,000 positions of strong players' and engines' games by 115 to 80 with 45 draws.
A likely reason is that the strong hide the price of what they avoid: whoever is a pawn down has something for it.
"""

from __future__ import annotations

import argparse
import gzip
import json
import lzma
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import chess
import numpy as np
import scipy.sparse
from rich.progress import BarColumn, Progress, TaskProgressColumn, TimeElapsedColumn
from rich.table import Table
from scipy.optimize import minimize
from scipy.special import expit

from engine.console import Console, TextColumn
from engine.evaluation.classical.weights import STAGES
from engine.evaluation.material import FULL_PHASE, PIECE_NAMES
from engine.reading.text import quoted
from tuning.common.errors import SetupError
from tuning.learning.logistic import fit_scale, log_odds, logistic_loss
from tuning.learning.weights import write_weights

#: Positions before this ply are left out: they repeat from game to game.
FIRST_PLY = 8

#: Beyond this many centipawns a game is decided, and placement no longer what decides it.
MOST_CENTIPAWNS = 1500

#: The share of games kept from the fit, to judge it by.
HELD_OUT = 0.1

#: Stockfish's internal units in a pawn of 100 centipawns, about, at the time such training data was made.
INTERNAL_PAWN = 208

#: Log-odds are fitted in this unit (centipawns), so that all parameters are of like size.
UNIT = 100.0


class Row(NamedTuple):
    """What a line says of a position; ``evaluation`` in centipawns and ``result`` from White's view."""

    board: bytes
    evaluation: int
    result: float
    ply: int
    flags: bytes


@dataclass
class Source:
    """Quiet positions of one file, their FEN boards and what became of them; games are numbered from 0."""

    name: str
    boards: list[bytes]
    evaluations: np.ndarray
    results: np.ndarray
    games: np.ndarray


@dataclass
class Sample:
    """Positions as numbers: what the loss is computed from.

    ``features`` has a row per position and a column per kind and square (in the order of a FEN, as White sees
    them): +1 for White's piece there, -1 for Black's on the mirrored square. ``phase`` runs from 1, the full board,
    to 0; ``target`` is White's expected score; ``visits`` [stage][column] how often a piece stands there.
    """

    features: scipy.sparse.csr_matrix
    phase: np.ndarray
    target: np.ndarray
    visits: np.ndarray

    def part(self, chosen: np.ndarray) -> Sample:
        """The positions where ``chosen`` is true; the visits remain those of all."""
        return Sample(self.features[chosen], self.phase[chosen], self.target[chosen], self.visits)


def joined(samples: Sequence[Sample]) -> Sample:
    """Several samples as one."""
    return Sample(
        scipy.sparse.vstack([sample.features for sample in samples], format="csr"),
        np.concatenate([sample.phase for sample in samples]),
        np.concatenate([sample.target for sample in samples]),
        np.sum([sample.visits for sample in samples], axis=0),
    )


# Reading -------------------------------------------------------------------------------------------------------------


def read_rows(stream: Iterable[bytes], name: str) -> Iterator[Row]:
    """The lines of a file. Raises :class:`SetupError` that names the line it cannot read."""
    for number, line in enumerate(stream, start=1):
        fields = line.rstrip().split(b"\t")
        try:
            yield _training_row(fields) if len(fields) == 5 and fields[1][:1].isalpha() else _evaluation_row(fields)
        except ValueError:
            text = line.decode("utf-8", "replace").strip()
            raise SetupError(f"{name}:{number}: {quoted(text)} is in neither of the two readable formats") from None


def _evaluation_row(fields: Sequence[bytes]) -> Row:
    fen, evaluation, result = fields[:3]
    return Row(fen[: fen.index(b" ")], int(evaluation), float(result), int(fields[-2]), fields[-1])


def _training_row(fields: Sequence[bytes]) -> Row:
    """A line of the trainer's form, whose flags have to be worked out."""
    fen, uci, evaluation, ply, result = (field.decode() for field in fields)
    board, move = chess.Board(fen, chess960=True), chess.Move.from_uci(uci)
    sign = 1 if board.turn else -1
    flags = "c" * board.is_check() + "x" * (board.is_capture(move) or move.promotion is not None)
    flags += "k" * board.gives_check(move)
    return Row(
        fields[0].split(b" ")[0],
        round(int(evaluation) * sign * 100 / INTERNAL_PAWN),
        (int(result) * sign + 1) / 2,
        int(ply),
        flags.encode() or b"-",
    )


def changes_material(before: bytes, after: bytes) -> bool:
    """Whether the move between two FEN boards captures or promotes."""
    before, after = before.translate(None, b"12345678/"), after.translate(None, b"12345678/")
    return len(before) != len(after) or before.count(b"P") + before.count(b"p") != after.count(b"P") + after.count(b"p")


def quiet_rows(rows: Iterable[Row]) -> Iterator[tuple[int, Row]]:
    """The positions fit to learn from, with the number of their game.

    A placement is worth what it says only when nothing hangs: positions in check or answered by a capture,
    promotion or check are out. Not every file flags the answer, so the game's next position is looked at too.
    """
    game = 0
    last: Row | None = None
    for row in rows:
        if last is not None:
            follows = row.ply == last.ply + 1
            noisy = follows and (b"c" in row.flags or changes_material(last.board, row.board))
            if not noisy and _is_quiet(last):
                yield game, last
            game += not follows
        last = row
    if last is not None and _is_quiet(last):
        yield game, last


def _is_quiet(row: Row) -> bool:
    return row.flags == b"-" and row.ply >= FIRST_PLY and abs(row.evaluation) <= MOST_CENTIPAWNS


_UNPACK: dict[str, Callable[[Any], Any]] = {".gz": gzip.open, ".xz": lzma.open}


def read_source(file: Path, limit: int, random: np.random.Generator, progress: Progress) -> Source:
    """At most ``limit`` quiet positions of ``file`` (packed or not), chosen at random.

    Raises :class:`SetupError` for a file that is missing, damaged or without a quiet position.
    """
    try:
        with (
            progress.open(file, "rb", description=f"reading {file.name}") as raw,
            _UNPACK.get(file.suffix, nullcontext)(raw) as stream,
        ):
            kept = list(quiet_rows(read_rows(stream, file.name)))
    except (OSError, EOFError, lzma.LZMAError) as error:
        raise SetupError(f"positions {file}: {getattr(error, 'strerror', None) or error}") from None
    if not kept:
        raise SetupError(f"positions {file}: no quiet position in it")
    if len(kept) > limit:
        kept = [kept[index] for index in np.sort(random.choice(len(kept), limit, replace=False))]
    return Source(
        file.name,
        [row.board for _, row in kept],
        np.array([row.evaluation for _, row in kept], np.float64),
        np.array([row.result for _, row in kept], np.float64),
        np.array([game for game, _ in kept]),
    )


_WIDTH = np.full(256, 99, np.uint8)
_KIND = np.zeros(256, np.int32)
for _digit in range(1, 9):
    _WIDTH[ord(str(_digit))] = _digit
for _number, _letter in enumerate("pnbrqk"):
    _WIDTH[[ord(_letter), ord(_letter.upper())]] = 1
    _KIND[[ord(_letter), ord(_letter.upper())]] = _number
_WIDTH[[ord("/"), ord("\n")]] = 0


def pieces_of(boards: Sequence[bytes]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Every piece on FEN boards: the number of its board, its column, and +1 for White or -1 for Black.

    A letter's square is how many squares the letters and digits before it cover. Every board covers 64, so one
    running sum tells the squares of all boards at once. Raises :class:`SetupError` that quotes a broken board.
    """
    text = np.frombuffer(b"\n".join(boards) + b"\n", np.uint8)
    width = _WIDTH[text]
    covered = np.cumsum(width, dtype=np.int64)
    wrong = np.flatnonzero(covered[text == ord("\n")] != 64 * np.arange(1, len(boards) + 1))
    if len(wrong):
        raise SetupError(f"{boards[wrong[0]].decode('utf-8', 'replace')!r} is not the board of a FEN")
    letters = np.flatnonzero((text >= ord("A")) & (width == 1))
    index = covered[letters] - 1
    board, square = (index >> 6).astype(np.int32), (index & 63).astype(np.int32)
    white = text[letters] < ord("a")
    column = _KIND[text[letters]] << 6 | np.where(white, square, square ^ 56)
    return board, column, np.where(white, np.float32(1), np.float32(-1))


def encode(boards: Sequence[bytes], target: np.ndarray, phases: np.ndarray) -> Sample:
    """FEN boards as numbers; ``phases`` gives each kind's part of :data:`FULL_PHASE`."""
    board, column, color = pieces_of(boards)
    total = np.bincount(board, phases[column >> 6], len(boards))
    phase = (np.minimum(total, FULL_PHASE) / FULL_PHASE).astype(np.float32)
    visits = [np.bincount(column, share[board], 6 * 64) for share in (phase, 1 - phase)]
    features = scipy.sparse.coo_matrix((color, (board, column)), shape=(len(boards), 6 * 64)).tocsr()
    features.eliminate_zeros()  # where the pieces of both sides mirror each other
    return Sample(features, phase, target, np.array(visits))


# Fitting -------------------------------------------------------------------------------------------------------------


def centipawns(sample: Sample, material: np.ndarray, tables: np.ndarray) -> np.ndarray:
    """The evaluation of every position from White's view, ``tables`` being [stage][column]."""
    values = (tables + np.repeat(material, 64)).astype(np.float32)
    middlegame, endgame = (sample.features @ values.T).T
    return endgame + sample.phase * (middlegame - endgame)


def fit_tables(
    sample: Sample, material: np.ndarray, decay: float, iterations: int, report: Callable[[], None] = lambda: None
) -> tuple[np.ndarray, float]:
    """Tables [stage][column] in centipawns and the scale, together the best by penalised log-likelihood.

    ``decay`` holds the tables to 0: where pieces rarely stand, and where data cannot tell a larger scale from
    larger tables. ``report`` is called at each iteration.
    """
    phase = sample.phase
    fixed = centipawns(sample, material, np.zeros((2, 6 * 64)))
    base = fixed / np.float32(UNIT)
    transposed = sample.features.T

    def loss(parameters: np.ndarray) -> tuple[float, np.ndarray]:
        tables, slope = parameters[:-1].reshape(2, -1), np.exp(parameters[-1])
        middlegame, endgame = (sample.features @ tables.astype(np.float32).T).T
        score = base + endgame + phase * (middlegame - endgame)
        log_odds = slope * score
        residual = (expit(log_odds) - sample.target).astype(np.float32) / len(phase)
        by_stage = transposed @ np.stack((residual * phase, residual * (1 - phase)), axis=1)
        gradient = np.empty_like(parameters)
        gradient[:-1] = slope * by_stage.T.ravel() + decay * parameters[:-1]
        gradient[-1] = np.dot(residual.astype(np.float64), log_odds)
        return logistic_loss(log_odds, sample.target) + decay / 2 * float(np.sum(tables**2)), gradient

    start = np.zeros(2 * 6 * 64 + 1)
    start[-1] = np.log(UNIT / fit_scale(fixed, sample.target))
    found = minimize(
        loss, start, jac=True, method="L-BFGS-B", callback=lambda _: report(),
        options={"maxiter": iterations, "maxcor": 20, "ftol": 1e-9, "gtol": 1e-7},
    )  # fmt: skip
    tables = found.x[:-1].reshape(2, 6, 64) * UNIT
    tables[:, PIECE_NAMES.index("king")] -= tables[:, PIECE_NAMES.index("king")].mean(axis=1, keepdims=True)
    return tables.reshape(2, -1), float(UNIT / np.exp(found.x[-1]))


def blended_target(source: Source, result_share: float) -> tuple[np.ndarray, float]:
    """The expected score of each position, and the scale of the source's evaluations, fitted to its results."""
    scale = fit_scale(source.evaluations, source.results)
    expected = expit(source.evaluations / scale)
    return (result_share * source.results + (1 - result_share) * expected).astype(np.float32), scale


def held_out_games(source: Source, random: np.random.Generator) -> np.ndarray:
    """Which positions to judge by: whole games, since neighbouring positions know each other's result."""
    return (random.random(source.games[-1] + 1) < HELD_OUT)[source.games]


def effective_values(visits: np.ndarray, material: np.ndarray, tables: np.ndarray) -> np.ndarray:
    """Material plus the average of the table over where pieces stand, [stage][kind], in centipawns."""
    by_kind = visits.reshape(2, 6, 64)
    average = (by_kind * tables.reshape(2, 6, 64)).sum(axis=2) / np.maximum(by_kind.sum(axis=2), 1e-9)
    return material + average


# Weights as a file ---------------------------------------------------------------------------------------------------


def read_weights(file: Path) -> dict[str, Any]:
    """The contents of a weights file. Raises :class:`SetupError` when it is not one."""
    try:
        weights = json.loads(file.read_text())
        tables_of(weights)
        by_name(weights["material"])
        by_name(weights["phase"])
        return weights
    except (OSError, KeyError, TypeError, ValueError) as error:
        raise SetupError(f"weights {file}: {error!r}") from None


def by_name(values: dict[str, int]) -> np.ndarray:
    """A value for each kind of piece, in the order of :data:`PIECE_NAMES`."""
    return np.array([values[name] for name in PIECE_NAMES])


def tables_of(weights: dict[str, Any]) -> np.ndarray:
    """The tables of a weights file as [stage][column]."""
    tables = weights["piece_square"]
    return np.array([[tables[name][stage] for name in PIECE_NAMES] for stage in STAGES]).reshape(2, 6 * 64)


def with_tables(weights: dict[str, Any], tables: np.ndarray, note: str) -> dict[str, Any]:
    """``weights`` with other tables, a list for each rank."""
    piece_square = {
        name: {stage: tables[s].reshape(6, 8, 8)[kind].tolist() for s, stage in enumerate(STAGES)}
        for kind, name in enumerate(PIECE_NAMES)
    }
    return {**weights, "note": note, "piece_square": piece_square}


# The command ---------------------------------------------------------------------------------------------------------


def learn(arguments: argparse.Namespace, console: Console) -> None:
    """Read, fit, report and write. Raises :class:`SetupError` for input that cannot be used."""
    random = np.random.default_rng(arguments.seed)
    weights = read_weights(arguments.output)
    material, phases, before = by_name(weights["material"]), by_name(weights["phase"]), tables_of(weights)

    columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console) as progress:
        sources = [read_source(file, arguments.limit, random, progress) for file in arguments.positions]
        targets = [blended_target(source, arguments.result_share) for source in sources]
        for source, (_, scale) in zip(sources, targets, strict=True):
            console.print(
                f"{source.name}: {len(source.boards)} quiet positions of {len(np.unique(source.games))} games, "
                f"evaluation scale {scale:.0f} cp"
            )
        sample = joined(
            [encode(source.boards, target, phases) for source, (target, _) in zip(sources, targets, strict=True)]
        )
        held_out = np.concatenate([held_out_games(source, random) for source in sources])
        train, test = sample.part(~held_out), sample.part(held_out)
        if not len(train.phase) or not len(test.phase):
            raise SetupError("too few games to hold some out: give more positions")
        task = progress.add_task("fitting", total=arguments.iterations)
        tables, scale = fit_tables(
            train, material, arguments.decay, arguments.iterations, lambda: progress.advance(task)
        )
        progress.update(task, total=progress.tasks[task].completed)
    rounded = np.rint(tables).astype(np.int64)

    losses = Table("tables", "scale (cp)", "training loss", "held-out loss", title="cross-entropy (nats)")
    zero = np.zeros_like(before)
    for name, candidate in (("none", zero), (f"{arguments.output.name} before", before), ("learned", rounded)):
        scores = centipawns(train, material, candidate)
        scale = fit_scale(scores, train.target)
        training_loss = logistic_loss(scores / scale, train.target)
        held_out_loss = logistic_loss(centipawns(test, material, candidate) / scale, test.target)
        losses.add_row(name, f"{scale:.1f}", f"{training_loss:.5f}", f"{held_out_loss:.5f}")
    floor = [logistic_loss(log_odds(part.target), part.target) for part in (train, test)]
    losses.add_row("target itself", "", *(f"{loss:.5f}" for loss in floor))
    console.print(losses)

    values = Table("piece", *STAGES, title="effective value (cp): material and average table")
    for kind, row in zip(PIECE_NAMES, effective_values(sample.visits, material, rounded).T, strict=True):
        values.add_row(kind, *(f"{value:.0f}" for value in row))
    console.print(values)

    note = (
        f"learned by: python -m tuning.piece_square --positions {' '.join(source.name for source in sources)} "
        f"--limit {arguments.limit} --result-share {arguments.result_share} --decay {arguments.decay} "
        f"--iterations {arguments.iterations} --seed {arguments.seed}; "
        + "; ".join(f"{len(source.boards)} quiet positions of {source.name}" for source in sources)
        + f"; held-out loss {held_out_loss:.5f}"
    )
    write_weights(arguments.output, with_tables(weights, rounded, note))
    console.print(f"wrote {arguments.output}")
