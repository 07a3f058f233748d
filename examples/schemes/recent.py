"""A cache that is emptied late, and lets in what was written not long ago."""

import slcache


class Recent(slcache.Scheme):
    """A page written within so many cache sizes of writes goes to the cache, another past it."""

    regions = {"cache": slcache.slc(blocks="slc_blocks"), "store": slcache.dense()}
    slc_blocks: int = slcache.option(64, minimum=2, help="SLC blocks per plane")
    within: float = slcache.option(
        0.0, minimum=0, help="cache sizes of writes since a page's last one; 0 lets in everything"
    )

    def __init__(self) -> None:
        """Begin with no write seen."""
        self.written = 0
        self.last: list[int] = []

    def place(self, write, view):
        """Let into the cache what was written lately."""
        self.written += 1
        if not self.within:
            return ("cache", "store")
        if write.page >= len(self.last):
            self.last.extend([0] * (write.page + 1 - len(self.last)))
        since, last = self.written, self.last[write.page]
        self.last[write.page] = self.written
        pages = self.slc_blocks * view.planes * view.pages_per_block("cache")
        is_recent = last and since - last <= self.within * pages
        return ("cache", "store") if is_recent else "store"

    def reclaim(self, region, view):
        """Empty a block of the cache where only one is free."""
        return "store" if region == "cache" and view.free_blocks(region) <= 1 else None
