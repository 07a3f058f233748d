"""Traces from Python: what they hold, twins of them, and two side by side."""
