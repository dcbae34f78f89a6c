"""Compiled Syzygy probing, fast enough for inner nodes of the search.

The format is Ronald de Man's. python-chess reads the headers of the files (:mod:`engine.syzygy.files`), and the rest
follows its reader: a position gets its number in the table of its material (:mod:`engine.syzygy.numbering`), the value
under that number is decompressed (:mod:`engine.syzygy.packing`), and captures, which tables do not store, are searched
(:mod:`engine.syzygy.probe`). Distances to the next capture or pawn move (:mod:`engine.syzygy.distance`) are for the
root. The tables are read-only, so any number of threads may probe them.

Nothing here is imported, and so compiled, until a directory with tables is set."""
