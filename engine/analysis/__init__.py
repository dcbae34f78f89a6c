"""What people read: positions explained in lines, games annotated as PGN and as a page, a game in the terminal.

``judge``     what a score means for the result, and when a move is a mistake
``annotate``  a game's moves, each with its evaluation and what was better
``boards``    boards from FENs, moves as people write them
``notes``     how that is written into a PGN, read back and taken out
``files``     PGN in and out: nothing is lost, and what was begun is continued
``lines``     lines as text
``report``    annotated games as one self-contained HTML page
``positions`` ``analyse FEN``
``games``     ``analyse PGN``
``play``      ``play``
``diagram``   the board in the terminal
``clock``     the chess clock
``terminal``  signals and letters
``cli``       their command lines
"""
