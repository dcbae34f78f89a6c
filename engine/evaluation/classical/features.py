"""The features: their names, the number in each group, and the group's first index.

A feature is a number of a position for one colour, such as its number of rooks on open files. Its two weights
(middlegame and endgame) are its value to that colour in centipawns. Groups have a shape: ``mobility[kind][n]`` counts
the pieces of a type with n available squares."""

from dataclasses import dataclass
from math import prod

from engine.board.types import I64


@dataclass(frozen=True, slots=True)
class Group:
    """Features of one kind, shown in the table under ``term``; ``start`` is the index of the first."""

    name: str
    term: str
    shape: tuple[int, ...]
    help: str
    start: int

    @property
    def size(self) -> int:
        return prod(self.shape)


GROUPS: list[Group] = []  # every group, in the order of their indices


def _group(name: str, term: str, shape: tuple[int, ...], help: str) -> int:
    """Add a group and return the index of its first feature, typed so that ``term`` is compiled only once."""
    start = GROUPS[-1].start + GROUPS[-1].size if GROUPS else 0
    GROUPS.append(Group(name, term, shape, help, start))
    return I64(start)


# Placement
PIECE_SQUARE = _group("piece_square", "placement", (6, 64), "[kind][square from the owner's side] the piece itself")

# Pawn structure
ISOLATED = _group("isolated", "pawns", (2,), "[no enemy pawn ahead] no own pawn on a neighbouring file")
DOUBLED = _group("doubled", "pawns", (1,), "another own pawn ahead on the file")
BACKWARD = _group("backward", "pawns", (2,), "[no enemy pawn ahead] left behind, its next square guarded by a pawn")
PHALANX = _group("phalanx", "pawns", (8,), "[rank] an own pawn beside it")
SUPPORTED = _group("supported", "pawns", (8,), "[rank] defended by an own pawn")
CANDIDATE = _group("candidate", "pawns", (8,), "[rank] free file, and no fewer helpers than guards beside it")
PASSED = _group("passed", "passed", (8,), "[rank] no enemy pawn ahead on its file or beside it")

# Pieces
MOBILITY = _group("mobility", "mobility", (4, 28), "[kind from knight][squares it can go to]")
OUTPOST = _group("outpost", "pieces", (2,), "[kind from knight] supported by a pawn, safe from enemy pawns")
BISHOP_PAIR = _group("bishop_pair", "pieces", (1,), "two bishops or more")
BISHOP_PAWNS = _group("bishop_pawns", "pieces", (1,), "for each bishop, own pawns on squares of its colour")
LONG_DIAGONAL = _group("long_diagonal", "pieces", (1,), "a bishop that sees both squares of the centre on its diagonal")
KNIGHT_PAWNS = _group("knight_pawns", "pieces", (1,), "for each knight, own pawns beyond five")
ROOK_PAWNS = _group("rook_pawns", "pieces", (1,), "for each rook, own pawns beyond five")
BEHIND_PAWN = _group("behind_pawn", "pieces", (1,), "a minor piece right behind a pawn of either side")
KING_DISTANCE = _group("king_distance", "pieces", (2,), "[kind from knight] steps from the own king")
ROOK_FILE = _group("rook_file", "pieces", (2,), "[no enemy pawn] a rook on a file without own pawns")

# The king
SHELTER = _group("shelter", "king", (4, 8), "[steps to the edge][rank, 0 none] nearest own pawn on the king's files")
STORM = _group("storm", "king", (2, 8), "[blocked][rank, 0 none] the enemy's foremost pawn on the king's files")
ATTACKERS = _group("attackers", "king", (2, 8), "[with a queen][n] own pieces that reach the enemy king's ring")
RING_HITS = _group("ring_hits", "king", (2, 16), "[with a queen][n] attacks on squares of the enemy king's ring")
WEAK_RING = _group("weak_ring", "king", (2, 8), "[with a queen][n] ring squares attacked and weakly defended")
SAFE_CHECK = _group("safe_check", "king", (4, 2), "[kind from knight][more than one] safe squares to check from")
UNSAFE_CHECK = _group("unsafe_check", "king", (4,), "[kind from knight] checks only where the enemy takes")
FLANK_ATTACK = _group("flank_attack", "king", (1,), "attacked squares in the enemy king's camp and wing")

# Threats
PAWN_THREAT = _group("pawn_threat", "threats", (6,), "[kind] an enemy piece attacked by a pawn")
MINOR_THREAT = _group("minor_threat", "threats", (2, 6), "[weakly defended][kind] attacked by a minor piece")
ROOK_THREAT = _group("rook_threat", "threats", (2, 6), "[weakly defended][kind] attacked by a rook")
KING_THREAT = _group("king_threat", "threats", (1,), "a weakly defended piece attacked by the king")
HANGING = _group("hanging", "threats", (1,), "an enemy piece attacked and not defended, or attacked twice and weakly")
PUSH_THREAT = _group("push_threat", "threats", (1,), "an enemy piece that a safe pawn push would attack")
QUEEN_THREAT = _group("queen_threat", "threats", (2,), "[from a slider] safe squares to attack the enemy queen from")
RESTRICTED = _group("restricted", "threats", (1,), "squares the enemy attacks but does not hold, attacked too")

# Passed pawns and their way
BLOCKED_PASSER = _group("blocked_passer", "passed", (8,), "[rank] an enemy piece stands in front of it")
SAFE_STOP = _group("safe_stop", "passed", (8,), "[rank] the enemy does not attack its next square")
FREE_PATH = _group("free_path", "passed", (8,), "[rank] nothing stands on or attacks its way")
SUPPORTED_STOP = _group("supported_stop", "passed", (8,), "[rank] its next square is defended")
OWN_KING_DISTANCE = _group("own_king_distance", "passed", (8,), "[steps] own king to its next square, by ranks gone")
ENEMY_KING_DISTANCE = _group("enemy_king_distance", "passed", (8,), "[steps] enemy king to its next square, likewise")
ROOK_BEHIND = _group("rook_behind", "passed", (2,), "[enemy's] a rook behind it on its file")
UNSTOPPABLE = _group("unstoppable", "passed", (1,), "enemy without pieces, its king too far away to catch it")

# The whole
SPACE = _group("space", "space", (1,), "safe squares on ranks 2 to 4 of the centre files, twice behind own pawns")
TEMPO = _group("tempo", "tempo", (1,), "to move")

COUNT = GROUPS[-1].start + GROUPS[-1].size  # the number of features
TERMS = tuple(dict.fromkeys(group.term for group in GROUPS))  # the terms of the table, in order
