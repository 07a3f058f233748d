"""Searches for the settings that make some metrics best, with Optuna as the sampler."""
