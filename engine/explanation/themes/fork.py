"""Fork and double attack: one piece attacks two targets at once, and captures one of them in the line.

The definition follows the tagger of the lichess puzzles (github.com/ornicar/lichess-puzzler, AGPL-3: ideas and test
positions, no code), but is stricter: the fork must win its targets, and the forking piece must capture one."""

import chess

from engine.explanation.claims import Finding, Piece
from engine.explanation.line import Line
from engine.explanation.material import winnable
from engine.play.captures import value


def find(line: Line, ply: int) -> Finding | None:
    """A fork whose piece captures a target within its next two moves, or is taken by a target that falls."""
    payoff = _payoff(line, ply)
    targets = _targets(line, ply) if payoff else []
    if payoff is None or len(targets) < 2 or payoff[1] not in targets:
        return None
    pieces = tuple(Piece.at(line.boards[ply + 1], square) for square in targets)
    if line.boards[ply].piece_type_at(line.moves[ply].from_square) in (chess.PAWN, chess.KNIGHT):
        return Finding("fork", ply, payoff[0], "fork", pieces)
    others = tuple(piece for piece in pieces if piece.kind != chess.KING)
    return Finding("fork", ply, payoff[0], "check" if len(others) < len(pieces) else "attack", others)


def _payoff(line: Line, ply: int) -> tuple[int, chess.Square] | None:
    """The ply at which a target falls, and its square after the fork."""
    forker = line.moves[ply].to_square
    if ply + 2 < len(line) and line.moves[ply + 1].to_square == forker == line.moves[ply + 2].to_square:
        return ply + 2, line.moves[ply + 1].from_square
    for later in range(ply + 2, min(ply + 5, len(line)), 2):
        square = line.moves[later].to_square
        if line.moves[later].from_square == forker:
            return (later, square) if line.origin(square, ply + 1, later) == square else None
    return None


def _targets(line: Line, ply: int) -> list[chess.Square]:
    """The squares of the targets that the piece moved at ``ply`` could win, the king included. Pieces that the forking
    piece attacked before do not count as won by the fork, nor do those that were already lost unless it gives check. A
    queen that has to flee guards nothing."""
    before, after, move = line.boards[ply], line.boards[ply + 1], line.moves[ply]
    found = []
    for square in after.attacks(move.to_square) & after.occupied_co[not line.winner]:
        kind = after.piece_type_at(square)
        if kind == chess.KING or (
            _wins(after, move.to_square, square)
            and square not in before.attacks(move.from_square)
            and (after.is_check() or winnable(before, square) < value(kind))
        ):
            found.append(square)
    pieces = [square for square in found if after.piece_type_at(square) != chess.PAWN]
    return pieces if len(pieces) > 1 or not pieces else found[:3]


def _wins(board: chess.Board, attacker: chess.Square, square: chess.Square) -> bool:
    """Whether the piece on ``attacker`` would win material by capturing on ``square``."""
    loser = not board.color_at(attacker)
    fleeing = board.attacks(attacker) & board.pieces(chess.QUEEN, loser)
    return not board.attackers(loser, square) - fleeing or value(board.piece_type_at(square)) > value(
        board.piece_type_at(attacker)
    )
