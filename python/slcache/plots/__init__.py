"""The figures: one module draws one figure from labels and result documents."""
