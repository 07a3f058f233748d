"""The native `baseline` in Python: every write to the SLC cache, emptied ahead of need."""

import slcache


class Baseline(slcache.Scheme):
    """A plane that opens an SLC block keeps a share of its blocks free, as `baseline` does."""

    slc_blocks: int = slcache.option(64, minimum=3, help="SLC blocks per plane")
    start_free_ratio: float = slcache.option(
        0.5, minimum=0, maximum=0.9, help="share of the cache that is kept free"
    )

    def __init__(self) -> None:
        """Count the blocks that are kept free; never fewer than two."""
        self.kept = max(int(self.start_free_ratio * self.slc_blocks), 2)

    def place(self, write, view):
        """Let the cache take every write."""
        return "cache"

    def reclaim(self, region, view):
        """Empty blocks into the store until enough are free."""
        return "store" if view.free_blocks(region) < self.kept else None
