"""The native `turbo-write` in Python: a static cache that pauses empty, and writes past it."""

import slcache


class TurboWrite(slcache.Scheme):
    """SLC pages as long as there are any, then the dense store; the oldest block leaves in a pause."""

    slc_blocks: int = slcache.option(64, minimum=1, help="SLC blocks per plane")
    regions = {"cache": slcache.slc(victim="fifo"), "store": slcache.dense()}
    #: The end of a run empties the cache.
    drain = True

    def place(self, write, view):
        """Fall back on the store where the cache is used up."""
        return "cache", "store"

    def reclaim(self, region, view):
        """Never make a write wait for room."""

    def idle(self, view):
        """Empty the oldest block, then take what is in the one that is being filled."""
        return slcache.reclaim("cache", to="store", open=True, uninterrupted=True)
