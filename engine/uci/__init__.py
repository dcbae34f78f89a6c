"""The Universal Chess Interface (Stefan Meyer-Kahlen and Rudolf Huber, 2006).

Parses commands, passes them to :class:`engine.api.Engine` and formats its reports. Heavy imports are deferred, because
a GUI waits for ``uciok`` and importing numba is slow.

``input``      lines from standard input
``parse``      lines to records
``format``     records to lines
``output``     lines to standard output, one at a time
``session``    the engine, and the order of the commands that act on it
``loop``       the conversation, from the first line to ``quit``
``jobs``       bench, perft and warmup
"""
