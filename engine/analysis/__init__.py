"""For people: positions explained in lines, games annotated as PGN and as a page, a game in the terminal.

``judge``     the expected result for a score, and how a game ended
``praise``    when a move deserves "!", "!!" or "only move"
``accuracy``  how well a side played, in the figures of lichess.org
``openings``  the names of openings, and how long a game follows theory
``budget``    how a game's time is divided among its positions
``record``    the state of a game's analysis
``annotate``  a game's moves, each with its evaluation and what was better
``notes``     annotations written into a PGN, read back and removed
``results``   the results of a file's games, kept next to it
``files``     reading and writing PGN files
``lines``     lines as text
``report``    annotated games as one self-contained HTML page
``player``    a player's report over several games
``table``     annotated games as CSV
``positions`` ``analyse FEN``
``jobs``      games annotated in this process or in several
``games``     ``analyse PGN``
``play``      ``play``
``diagram``   the board in the terminal
``clock``     the chess clock
``cli``       their command lines
"""
