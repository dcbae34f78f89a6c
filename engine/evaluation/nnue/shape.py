"""The network's shape: ``(768 -> N)x2 -> 1`` with a skip connection, one output for each amount of material.

Two perspectives, the side to move's and the other's, see the board alike: a feature says which piece (own or
not, six kinds) stands on which square, from that side of the board, mirrored so that its own king stands on
the files a to d. Both are transformed by the same N columns, clipped and squared (SCReLU), and weighed by the
output row of the number of pieces. The skip connection adds one weight for each feature: the linear sum of
material and piece squares, which the rest only has to better.

The efficiently updatable network is Yu Nasu's (2018); this small form of it, with SCReLU and mirrored
perspectives, is common among open engines.
"""

#: Features of one perspective: own or other, six kinds of pieces, 64 squares.
INPUTS = 768

#: The largest N, and the number that divides every N.
MAX_HIDDEN, HIDDEN_STEP = 512, 16

#: Output rows, by the number of pieces on the board, kings included.
OUTPUT_BUCKETS = 8

#: An activation of 1.0 in the transformer's integers, and a weight of 1.0 in the output's.
QA, QB = 255, 64

#: Parts of a centipawn in which the skip connection counts.
QS = 256

#: Centipawns of an output of 1.0; its sigmoid is the expected score.
SCALE = 400

#: The largest weight, as a number: with QB it keeps the product of an activation and a weight within int16.
WEIGHT_LIMIT = 1.98
