"""Fork and double attack: one piece attacks two targets at once, and captures one of them in the line.

The definition follows the tagger of the lichess puzzles (github.com/ornicar/lichess-puzzler, AGPL-3: ideas and test
positions, no code), but is stricter: the fork must win its targets, and the forking piece must capture one."""

import chess

from engine.explanation.claims import Finding, Piece
from engine.explanation.line import Line
from engine.explanation.material import winnable
from engine.play.captures import value


def find(line: Line, ply: int) -> Finding | None:
    """A fork that captures two plies later."""
    if ply + 2 >= len(line) or line.moves[ply + 2].from_square != line.moves[ply].to_square:
        return None
    targets = _targets(line, ply)
    if len(targets) < 2 or line.moves[ply + 2].to_square not in targets:
        return None
    pieces = tuple(Piece.at(line.boards[ply + 1], square) for square in targets)
    if line.boards[ply].piece_type_at(line.moves[ply].from_square) in (chess.PAWN, chess.KNIGHT):
        return Finding("fork", ply, ply + 2, "fork", pieces)
    others = tuple(piece for piece in pieces if piece.kind != chess.KING)
    return Finding("fork", ply, ply + 2, "check" if len(others) < len(pieces) else "attack", others)


def _targets(line: Line, ply: int) -> list[chess.Square]:
    """The squares of the targets that the piece moved at ``ply`` could win, the king included. Pieces that the forking
    piece attacked before do not count as won by the fork, nor do those that were already lost unless it gives check."""
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
    guards = board.attackers(not board.color_at(attacker), square)
    return not guards or value(board.piece_type_at(square)) > value(board.piece_type_at(attacker))
