"""Pure functions of counts: Elo, SPRT, ratings."""
