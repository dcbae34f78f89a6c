"""Win, draw or loss from Syzygy tables in compiled code, so that the search can ask as often as it likes.

The format is Ronald de Man's. python-chess reads the headers of the files (:mod:`engine.syzygy.files`), and its reader
showed how the rest is done: a position gets its number in the table of its material (:mod:`engine.syzygy.numbering`),
what is stored under that number is unpacked (:mod:`engine.syzygy.packing`), and captures, of which the tables know
nothing, are played out (:mod:`engine.syzygy.probe`). The tables are only read, so any number of threads may ask.

Nothing here is imported, and so compiled, before somebody names a directory with tables.
"""
