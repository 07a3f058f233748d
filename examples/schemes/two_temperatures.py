"""Small writes to the SLC cache, large ones past it; what is rewritten soon stays apart."""

import slcache


class TwoTemperatures(slcache.Scheme):
    """What leaves the cache goes to a hot or a cold region by how often it was written."""

    slc_blocks: int = slcache.option(64, minimum=1, help="SLC blocks per plane")
    largest: int = slcache.option(32768, minimum=512, help="bytes of the largest cached request")
    hot_writes: int = slcache.option(3, minimum=1, help="writes that make a page hot")
    regions = {"cache": slcache.slc(), "hot": slcache.dense(), "cold": slcache.dense()}

    def __init__(self) -> None:
        """Begin with pages that were never written."""
        self.writes: dict[str, int] = {}

    def place(self, write, view):
        """Cache what is small."""
        page = str(write.page)
        self.writes[page] = self.writes.get(page, 0) + 1
        return ("cache", "cold") if write.request_bytes <= self.largest else "cold"

    def reclaim(self, region, view):
        """Empty a block when none is free, page by page."""
        return slcache.reclaim() if view.free_blocks(region) == 0 else None

    def destination(self, page, region, view):
        """Keep what is rewritten often from what is not."""
        return "hot" if self.writes.get(str(page), 0) >= self.hot_writes else "cold"
