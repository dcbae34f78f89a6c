"""The rules of chess, compiled: positions, moves and their consequences.

``aliases``    names for annotations
``types``      colours, pieces, squares and bitboards
``tables``     lookup tables: attacks, lines, keys
``attacks``    the squares that a piece attacks
``moves``      moves as numbers
``position``   the position record
``movegen``    legal move generation
``legality``   legality of a single move
``make``       making and unmaking moves
``draws``      repetition and insufficient material
``cycles``     upcoming repetitions
``see``        static exchange evaluation
``exchange``   exact values of captures, in pawns
``setup``      positions and moves from outside
``fen``        positions as FEN
``notation``   moves as text
``perft``      counting the leaves of the tree of legal moves
"""
