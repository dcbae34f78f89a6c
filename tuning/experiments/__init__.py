"""The queue of jobs, what a finished run found, and the record of tests."""
