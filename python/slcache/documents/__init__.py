"""Result documents: their schemas, how they are read and checked, and the figures in them."""
