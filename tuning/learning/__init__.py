"""What is fitted to games: networks, weights, win rates, search parameters."""
