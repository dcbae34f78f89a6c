"""Weaker play: the Elo of the levels."""
