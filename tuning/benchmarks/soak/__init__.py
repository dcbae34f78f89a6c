"""A long fuzzed conversation with one engine process, judged by python-chess. See ``__main__``.

``script``  generates the steps of a conversation from a seed; they are stored as lines of JSON
``judge``   checks the answers
``talk``    runs one script with one process
``shrink``  finds the fewest steps that still fail
"""
