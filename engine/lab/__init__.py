"""The lab compares the textbook searches: in a table, as curves, as a tree to step through, and as opponents.

``games``    the games, with their display and notation
``measure``  one row of the table: an algorithm on a game at a depth
``table``    the rows as text
``trace``    a search recorded event by event
``page``     everything on one self-contained HTML page, with the curves b^m, b^(3m/4) and Knuth and Moore's minimum
``play``     a game against a search in the terminal
``cli``      the command line
"""

from engine.lab.cli import main

__all__ = ["main"]
