"""What a finished run found, and the record of tests."""
