"""Benchmarks and soak tests of the engine; they are not in the wheel."""
