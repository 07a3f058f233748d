"""What the table of a study shows: effects, fronts, and how far seeds spread figures."""
