"""Results as pages and pictures, and as text for terminals."""
