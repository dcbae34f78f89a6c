"""Test suites in EPD and perft files: reading, solving and judging them, and the commands for that."""
