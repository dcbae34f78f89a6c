"""The rules of chess, compiled: positions, moves, and what follows from them.

``aliases``    names for annotations
``types``      colours, pieces, squares and bitboards
``tables``     what can be looked up: attacks, lines, keys
``attacks``    which squares a piece attacks
``moves``      moves as numbers
``position``   the position's record
``movegen``    the legal moves
``legality``   whether one move is legal
``make``       making and unmaking moves
``draws``      repetition and insufficient material
``cycles``     repetitions that one move can bring about
``see``        static exchange evaluation
``exchange``   exact values of captures, in pawns
``setup``      positions and moves from outside
``fen``        positions as FEN
``notation``   moves as text
``perft``      counting the leaves of the tree of legal moves
"""
