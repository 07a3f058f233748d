"""Sizes chosen by simulation so that a constraint is met.

>>> from slcache import design
>>> asked = {"size": {"scheme.baseline.slc_blocks": "4..128"}, "keep": "waf<=2"}
>>> found = design.size("web.csv.gz", device="ips-384g", scheme="baseline", **asked)
>>> found.size, found.chosen, design.sentences(found)

How large the SLC region of a flash cache in front of a disk has to be:

>>> found = design.nvc("nvc-financial1", lifespan="2x", keep="out")
>>> found.r_min, found.slc_blocks
"""

from slcache.design.outcome import Design
from slcache.design.region import nvc
from slcache.design.sized import Sized
from slcache.design.sizing import size
from slcache.design.told import sentences

__all__ = ["Design", "Sized", "nvc", "sentences", "size"]
