"""Games between engines, from the words on a command line to the report."""
