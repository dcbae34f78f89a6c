"""EPD test suites and perft files: reads, solves and judges them, for ``numbat suite`` and ``numbat perft FILE``."""
