"""Fits to games: networks, weights, win rates, search parameters."""
