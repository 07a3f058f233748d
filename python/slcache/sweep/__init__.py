"""Studies: many runs over varied parameters, which can be interrupted, continued and shared."""
