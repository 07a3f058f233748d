"""Studies: many runs over varied parameters, and what they show."""
