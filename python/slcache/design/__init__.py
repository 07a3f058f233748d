"""Sizes chosen for a constraint by simulation: how large an SLC region has to be.
