"""A long fuzzed conversation with one engine process, judged by python-chess. See ``__main__``.

``script``  what is said: steps made from a seed, kept as lines of JSON
``judge``   what must be answered, and whether it is
``talk``    one script, one process
``shrink``  the fewest steps that still fail
"""
