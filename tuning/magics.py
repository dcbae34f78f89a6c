"""Finds the magic multipliers in ``engine/board/magics.json``: ``python -m tuning.magics > engine/board/magics.json``.

A magic maps the blockers on a slider's rays to an index without harmful collisions (see
https://www.chessprogramming.org/Magic_Bitboards). Random numbers with few bits set are tried until one fits;
the seed is fixed, so the file can be made again.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence

import numpy as np

from engine.board.tables import BISHOP_STEPS, ROOK_STEPS, blocker_sets, relevant_squares, slider_attacks
from engine.console import Console
from tuning.common import command

SEED = 1


def find_magic(square: int, steps: Sequence[tuple[int, int]], random: np.random.Generator) -> int:
    """A magic multiplier for a slider on ``square`` that indexes exactly 2**n entries for n relevant squares."""
    mask = relevant_squares(square, steps)
    blockers = blocker_sets(mask)
    attacks = slider_attacks(square, steps, blockers)
    shift = np.uint64(64 - mask.bit_count())
    table = np.zeros(len(blockers), np.uint64)
    while True:
        parts = random.integers(0, 2**64, 3, np.uint64, endpoint=False)
        magic = parts[0] & parts[1] & parts[2]
        if int(np.uint64(mask) * magic >> np.uint64(56)).bit_count() < 6:
            continue
        index = blockers * magic >> shift
        table[index] = attacks
        if np.array_equal(table[index], attacks):
            return int(magic)


def parser() -> argparse.ArgumentParser:
    """The command line of ``python -m tuning.magics``."""
    return command.make_parser("magics", __doc__)


def run(arguments: argparse.Namespace, console: Console) -> int:
    """Print the magics of all squares as JSON."""
    np.seterr(over="ignore")
    random = np.random.default_rng(SEED)
    magics = {
        name: [f"{find_magic(square, steps, random):016x}" for square in range(64)]
        for name, steps in (("rook", ROOK_STEPS), ("bishop", BISHOP_STEPS))
    }
    note = f"made by tuning/magics.py with seed {SEED}"
    print(json.dumps({"note": note, **magics}, indent=1))
    return 0


def main(words: Sequence[str] | None = None) -> int:
    """Run the command line; see :func:`tuning.common.command.execute` for the exit code."""
    return command.execute(parser, run, words)


if __name__ == "__main__":
    sys.exit(main())
