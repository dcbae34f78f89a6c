"""Cases written in SAN, and claims in short, for the tests."""

from pathlib import Path

import chess
from chess.engine import Cp, Mate, PovScore, Score

from engine.explanation import Case, Claim
from engine.explanation.claims import (
    ByTables,
    Compared,
    Drawn,
    Feature,
    Gain,
    GameOver,
    Material,
    Mating,
    OnlyMove,
    Opposition,
    Outlook,
    Pieces,
    Sacrifice,
    TableResult,
)
from engine.explanation.line import Line

CASES = Path(__file__).with_name("cases.txt").read_text(encoding="utf-8").splitlines()


def cases(kind: str) -> list[list[str]]:
    """The columns of ``cases.txt``, described there, for this ``kind`` of claim."""
    rows = [[cell.strip() for cell in line.split(" # ")[0].split("|")] for line in CASES if line[0] != "#"]
    return [cells for name, *cells in rows if name == kind]


def board_of(text: str) -> chess.Board:
    """The board of a FEN or of ``startpos``."""
    return chess.Board(chess.STARTING_FEN if text == "startpos" else text)


def case_of(position: str, played: str, best: str, reply: str, scores: str) -> Case:
    """The case in a row of ``cases.txt``."""
    board, had, has, *marked = board_of(position), *scores.split()
    *before, move = moves(board, played)
    for each in before:
        board.push(each)
    after = board.copy()
    after.push(move)
    found = [PovScore(score(each), board.turn) for each in (had, has)]
    return Case(board, move, moves(board, best), moves(after, reply), *found, bool(marked))


def score(text: str) -> Score:
    """Centipawns, or ``M3`` and ``M-3`` for mates in three."""
    return Mate(int(text[1:])) if text[0] == "M" else Cp(int(text))


def moves(board: chess.Board, sans: str) -> list[chess.Move]:
    """The moves that ``sans`` spell from ``board``."""
    board = board.copy()
    return [board.push_san(san) for san in sans.split()]


def line_of(fen: str, sans: str = "", winner: chess.Color | None = None) -> Line:
    """The line that ``sans`` spell."""
    board = chess.Board(fen)
    return Line.of(board, moves(board, sans), winner)


def short(claim: Claim | Gain | Feature | None) -> str:
    """A claim's verb or aim, theme and form, and its gain: ``R@b7-P`` is the rook on b7 for a pawn."""
    match claim:
        case Gain():
            square = "" if claim.square is None else f"@{chess.square_name(claim.square)}"
            kind = "" if claim.kind in ("piece", "list") else f"{claim.kind} "
            won = claim.won[1:] if claim.kind == "exchange" else claim.won
            return (kind + _letters(won) + square + (f"-{_letters(claim.paid)}" if claim.paid else "")).strip()
        case Feature():
            return claim.aspect
        case Material(verb=verb, finding=finding):
            how = f"{claim.theme}/{finding.form}" if finding.form and verb != "regains" else claim.theme
            return f"{verb} {how} {short(claim.gain)}{' and the win' if claim.stake else ''}"
        case Mating():
            guard = f" guard {chess.piece_symbol(claim.guard).upper()}" if claim.guard else ""
            missed = f", {short(claim.missed)}" if claim.missed else ""
            return f"{claim.verb} {claim.theme} {claim.moves}{guard}{missed}"
        case Drawn():
            return f"{'misses' if claim.missed else 'drawn'} {claim.how}"
        case Opposition():
            return f"opposition {'win' if claim.win else 'draw'}"
        case ByTables():
            opposed = f", {short(claim.opposition)}" if claim.opposition else ""
            return f"tables {claim.before} {claim.after}{opposed}"
        case Compared(standing=standing):
            facts = [standing.kind, str(standing.had), str(standing.has), standing.cost]
            return " ".join(filter(None, facts)) + (f", {short(claim.missed)}" if claim.missed else "")
        case Sacrifice(piece=piece):
            what = "exchange" if claim.exchange else _letters(((piece.kind, 1),))
            aims = {"mate": claim.moves, "material": short(claim.gains), "standing": claim.level}
            aims["attack"] = "king" if claim.target is None else chess.square_name(claim.target)
            return f"sacrifices {what}@{chess.square_name(piece.square)} {claim.aim} {aims.get(claim.aim, '')}".strip()
        case OnlyMove():
            other = f", {short(claim.other)}" if claim.other else ""
            return f"only {claim.aim}{' quiet' if claim.quiet else ''}{other}"
        case Outlook():
            facts = [f"{'white' if color else 'black'} {short(fact)}" for color, told in claim.facts for fact in told]
            return ", ".join([f"outlook {claim.choice} {claim.level}", *facts])
        case TableResult():
            kept = "every" if claim.every else " ".join(map(claim.line.boards[0].san, claim.kept))
            return f"tables {claim.outcome} {kept}".strip()
        case GameOver():
            return f"over {'checkmate' if claim.checkmate else 'draw'}"
    return str(claim)


def _letters(pieces: Pieces) -> str:
    return "".join(chess.piece_symbol(kind).upper() * count for kind, count in pieces)
