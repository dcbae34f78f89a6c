"""Positions and games as data: their formats, and arrays made of them."""
