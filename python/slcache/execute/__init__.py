"""Runs as tasks: where they are done, how far they are, and where their results are kept."""
