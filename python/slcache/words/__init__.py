"""Names, figures and units as people read them."""
