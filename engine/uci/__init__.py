"""The Universal Chess Interface: text in, text out, and nothing else.

The protocol is Stefan Meyer-Kahlen's and Rudolf Huber's (2006). Only this package reads or writes text; what
it understands it hands to :class:`engine.api.Engine`. It imports nothing heavy before it has to, because a GUI
waits for ``uciok`` and numba takes half a second to import:

``input``    lines from standard input
``parse``    lines to records
``format``   records to lines
``output``   lines to standard output, one at a time
``schedule`` the order of events: what is done at once, and what waits for the end of a search
``session``  the engine, and what the commands do with it
``loop``     the conversation itself, from the first line to ``quit``
``terminal`` the subcommands for people: bench, perft, warm-up
"""
