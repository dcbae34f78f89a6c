"""How a move is chosen and reported: by the book, by endgame tables, by the search, or weaker on purpose.

``thinker``     the order in which these are asked, and the reports
``book``        opening books in Polyglot's format
``tablebase``   what endgame tables say of a root position
``tablereader`` python-chess's reader of these tables, with a deadline
``strength``    playing weaker on purpose
``glance``      what a player sees at a glance, for the weaker levels
``exchange``    values of captures on python-chess boards
``wdl``         the chances to win, draw and lose, and the centipawns that are shown
"""
