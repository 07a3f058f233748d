"""The Gymnasium environment."""
