"""The engine against itself in compiled code."""
