"""A fake UCI engine that answers everything but ``go``: enough for what the workbench asks before a match.

    fake_engine.py [FAULT]

FAULT ``unborn`` dies at once, ``mute`` never answers. The option ``Net`` takes files that exist, and says so of others.
The variable NAME is the engine's name; the file LOG gets all that the engine is told.
"""

import os
import sys

fault = sys.argv[1] if len(sys.argv) > 1 else ""
if fault == "unborn":
    print("no licence file", file=sys.stderr)
    sys.exit(3)
log = open(os.environ.get("LOG", os.devnull), "a")  # noqa: SIM115
for command in map(str.strip, sys.stdin):
    print(command, file=log, flush=True)
    if command == "uci" and fault != "mute":
        print(f"id name {os.environ.get('NAME', 'Trivial')}\noption name Hash type spin default 1 min 1 max 64")
        print("option name Net type string default\noption name Book type check default true\nuciok", flush=True)
    elif command.startswith("setoption name Net value "):
        file = command.removeprefix("setoption name Net value ")
        print(f"info string {file} enabled" if os.path.exists(file) else f"info string cannot read '{file}'")
    elif command == "isready":
        print("readyok", flush=True)
    elif command == "quit":
        break
