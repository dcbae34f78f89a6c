"""Results of finished runs, and the record of tests."""
