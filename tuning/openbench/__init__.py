"""Numbat on an OpenBench server: one file that runs it, made by make."""
