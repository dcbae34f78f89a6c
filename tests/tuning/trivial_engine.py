"""A UCI engine that only follows a line given on its command line, and misbehaves when told to.

    trivial_engine.py LINE [FAULT PLY [SECONDS]]

LINE: moves from the start position, separated by commas. FAULT at the given ply of the game: ``die``,
``hang`` (never answers again), ``deaf`` and ``dumb`` (closes its input or output, and lives on),
``late`` (sleeps SECONDS), ``illegal``, ``null``, ``badpv`` (an illegal line of thought), ``longpv``
(moves after mate), ``falsemate``, ``bounds`` (many after an exact score). FAULT ``unborn`` dies at once, ``mute`` never
says ``uciok``. The option ``Net`` takes files that exist, and says so of others. The variable NAME is the engine's
name, and its last word on dying; the file LOG gets all that the engine is told.
"""

import os
import sys
import time


def main() -> None:
    line = sys.argv[1].split(",")
    fault, at = (sys.argv[2], int(sys.argv[3])) if len(sys.argv) > 3 else (None, -1)
    name = os.environ.get("NAME", "Trivial")
    pause = float(sys.argv[4]) if len(sys.argv) > 4 else 0.0
    ply = 0
    if fault == "unborn":
        print("no licence file", file=sys.stderr)
        sys.exit(3)
    log = open(os.environ.get("LOG", os.devnull), "a")  # noqa: SIM115
    for command in map(str.strip, sys.stdin):
        print(command, file=log, flush=True)
        if command == "uci" and fault != "mute":
            print(f"id name {name}\noption name Hash type spin default 1 min 1 max 64")
            print("option name Net type string default\noption name Book type check default true\nuciok", flush=True)
        elif command.startswith("setoption name Net value "):
            file = command.removeprefix("setoption name Net value ")
            print(f"info string {file} enabled" if os.path.exists(file) else f"info string cannot read '{file}'")
        elif command == "isready":
            print("readyok", flush=True)
        elif command.startswith("position"):
            ply = len(command.partition(" moves ")[2].split())
        elif command.startswith("go"):
            now = fault if ply == at else None
            if now == "die":
                print(name, file=sys.stderr)
                sys.exit(7)
            if now in ("deaf", "dumb"):
                os.close(["deaf", "dumb"].index(now))
                time.sleep(pause)
                os._exit(0)
            if now == "hang":
                time.sleep(3600)
            if now == "late":
                time.sleep(pause)
            pv, score = line[ply], "cp 10"
            if now == "badpv":
                pv += " e1e8"
            elif now == "longpv":
                pv = " ".join(line[ply:]) + " a7a6"
            elif now == "falsemate":
                score = "mate 3"
            print(f"info depth 1 score {score} nodes 20 time 1 pv {pv}")
            if now == "bounds":
                print("\n".join([f"info depth 2 score cp 90 lowerbound nodes 20 time 1 pv {pv}"] * 9))
            move = {"illegal": "e1e8", "null": "0000"}.get(now or "", line[ply])
            print(f"bestmove {move}", flush=True)
        elif command == "quit":
            return


main()
