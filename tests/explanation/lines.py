"""Cases written in SAN, and claims in short, for the tests."""

import chess
from chess.engine import PovScore, Score

from engine.explanation import Case, Claim
from engine.explanation.claims import ByTables, Compared, Drawn, Feature, Gain, Material, Mating, Opposition, Pieces


def moves(board: chess.Board, sans: str) -> list[chess.Move]:
    """The moves that ``sans`` spell from ``board``."""
    board = board.copy()
    return [board.push_san(san) for san in sans.split()]


def case(
    fen: str, move: str, other: str, reply: str, had: Score, has: Score, before: str = "", marked: bool = False
) -> Case:
    """The case of ``move``, the scores being from the mover's view; ``before`` is the move that came first."""
    board = chess.Board(fen)
    for played in moves(board, before):
        board.push(played)
    after = board.copy()
    after.push_san(move)
    scores = PovScore(had, board.turn), PovScore(has, board.turn)
    return Case(board, after.peek(), moves(board, other), moves(after, reply), *scores, marked)


def short(claim: Claim | Gain | Feature | None) -> str:
    """A claim's verb, theme and form, and its gain: ``R@b7-P`` is the rook on b7 for a pawn."""
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
            return f"drawn {claim.how}"
        case Opposition():
            return f"opposition {'win' if claim.win else 'draw'}"
        case ByTables():
            opposed = f", {short(claim.opposition)}" if claim.opposition else ""
            return f"tables {claim.before} {claim.after}{opposed}"
        case Compared(standing=standing):
            facts = [standing.kind, str(standing.had), str(standing.has), standing.cost, *map(short, claim.gained)]
            facts += [claim.shift.aspect, "own" if claim.shift.own else "other"] if claim.shift else []
            return " ".join(filter(None, facts))
    return str(claim)


def _letters(pieces: Pieces) -> str:
    return "".join(chess.piece_symbol(kind).upper() * count for kind, count in pieces)
