"""Weaker play: what the levels are worth, and how they err."""
