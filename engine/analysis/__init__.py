"""What people read: positions explained in lines, games annotated as PGN and as a page, a game in the terminal.

``judge``     what a score means for the result, and when a move is a mistake
``praise``    when a move deserves "!", "!!" or "only move"
``accuracy``  how well a side played, in the figures of lichess.org
``openings``  the names of openings, and how far theory goes
``pace``      how a game's time is shared out among its positions
``record``    what is known of a game while it is analysed
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
``limits``    the limits of the command line
``terminal``  signals and letters
``cli``       their command lines
"""
