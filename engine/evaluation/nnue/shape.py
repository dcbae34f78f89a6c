"""The network's shape: ``(768 -> N)x2 -> 1`` with a skip connection and one output for each range of material.

The two perspectives, of the side to move and of the other side, are alike: a feature is a piece (own or not, six types)
on a square, seen from that side of the board and mirrored so that its own king is on the files a to d. Both are
transformed by the same N columns, clipped and squared (SCReLU), and weighted by the output row for the number of
pieces. The skip connection adds one weight per feature: a linear sum of material and piece squares, which the rest only
has to improve.

The efficiently updatable network is Yu Nasu's (2018); this form, SCReLU and mirrored perspectives, is common."""

INPUTS = 768  # features of one perspective: own or other, six types of pieces, 64 squares
MAX_HIDDEN, HIDDEN_STEP = 512, 16  # the largest N, and a number that divides every N
OUTPUT_BUCKETS = 8  # output rows, by the number of pieces on the board, kings included
QA, QB = 255, 64  # an activation of 1.0 in the transformer's integers, and a weight of 1.0 in the output's
QS = 256  # units of the skip connection per centipawn
SCALE = 400  # centipawns of an output of 1.0; its sigmoid is the expected score
WEIGHT_LIMIT = 1.98  # the largest weight; with QB it keeps the product of an activation and a weight within int16
