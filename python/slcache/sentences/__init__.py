"""What results say in sentences: who wins and why, and what is to be known of a run."""
