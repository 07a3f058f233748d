"""Drives that are sold: what is published, the laws of their caches, presets held to both."""
