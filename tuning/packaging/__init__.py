"""What a release publishes, made from a commit."""
