"""Benchmarks of the engine; they are not in the wheel."""
