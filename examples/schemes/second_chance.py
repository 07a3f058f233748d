"""A cache that keeps what was written again while it was there."""

import slcache


class SecondChance(slcache.Scheme):
    """What leaves the cache was written once there; the rest stays until the block is emptied again."""

    regions = {"cache": slcache.slc(blocks="slc_blocks"), "store": slcache.dense()}
    slc_blocks: int = slcache.option(64, minimum=2, help="SLC blocks per plane")
    chances: int = slcache.option(1, minimum=0, help="times that a page may stay for one more write")

    def __init__(self) -> None:
        """Begin with an empty cache."""
        self.left: list[int] = []

    def place(self, write, view):
        """Cache everything; a write of what is in the cache earns a chance."""
        if write.page >= len(self.left):
            self.left.extend([-1] * (write.page + 1 - len(self.left)))
        before = self.left[write.page]
        self.left[write.page] = min(before + 1, self.chances)
        return ("cache", "store")

    def reclaim(self, region, view):
        """Empty a block page by page while one is free for what stays; else all of it leaves."""
        if region != "cache" or view.free_blocks(region) > 1:
            return None
        return slcache.reclaim() if view.free_blocks(region) else "store"

    def destination(self, page, region, view):
        """Let a page stay once for each chance."""
        if self.left[page] <= 0:
            self.left[page] = -1
            return "store"
        self.left[page] -= 1
        return "cache"
