"""How much of an SLC cache's gain survives where the dense store separates data by lifetime."""
