"""Numbat's workbench: matches, statistics, training. Every tool is a module to be run, ``python -m tuning.match``."""

import sys
from pathlib import Path

if sys.path[:1] != [root := str(Path(__file__).resolve().parent.parent)]:
    sys.path.insert(0, root)  # before a user's own engine.py in the working directory

from tuning.common import extras

if sys.excepthook is sys.__excepthook__:  # a debugger's or a notebook's own hook stays
    sys.excepthook = extras.explain
