"""Sizes chosen for a constraint by simulation: how large an SLC region has to be.

>>> from slcache import design
>>> found = design.nvc("nvc-financial1", lifespan="2x", out="out")
>>> found.r_min, found.slc_blocks
"""

from slcache.design.outcome import Design
from slcache.design.region import nvc
from slcache.design.wording import sentences

__all__ = ["Design", "nvc", "sentences"]
