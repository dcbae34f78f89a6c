"""Numbat's workbench: matches, statistics, training. Every tool is a module to be run, ``python -m tuning.match``."""

import sys

from tuning.common import extras

if sys.excepthook is sys.__excepthook__:  # a debugger's or a notebook's own hook stays
    sys.excepthook = extras.explain
