"""Choosing and reporting a move: from the book, the tablebases, the search, or weaker on purpose.

``selector``    the order of these sources
``reporter``    lines of the search as reports
``book``        opening books in Polyglot's format
``tablebase``   the tablebases' results of the root moves
``strength``    playing weaker on purpose
``boards``      python-chess boards as position records, and back
``captures``    values of captures on python-chess boards, and what a move visibly wins
``wdl``         win, draw and loss chances, and normalized centipawns
"""
