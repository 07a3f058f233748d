//! What the SLC cache takes and took, block by block, and when it first had no room.

use crate::hw::array::RegionId;

/// The blocks of a scheme's SLC cache, counted as they are opened and erased.
#[derive(Clone, Debug, Default)]
pub struct CacheUse {
    regions: Vec<RegionId>,
    bytes: u64,
    peak_bytes: u64,
    /// Bytes times ns, up to `since_ns`.
    area: u128,
    since_ns: u64,
    /// Of the time until all was done that the host asked for.
    mean_bytes: f64,
    full_ns: Option<u64>,
    /// The scheme works without being pressed by a write: in idle time, between windows, at the end.
    at_leisure: bool,
    store_erases: u64,
}

impl CacheUse {
    /// Counts the blocks of `regions` from now on; `bytes` of them are in use.
    pub(super) fn watch(&mut self, regions: Vec<RegionId>, bytes: u64, store_erases: u64) {
        (self.regions, self.bytes, self.store_erases) = (regions, bytes, store_erases);
    }

    /// Time 0: what was before counts no more.
    pub(super) fn begin(&mut self) {
        (self.peak_bytes, self.area, self.since_ns, self.full_ns) = (self.bytes, 0, 0, None);
    }

    /// Whether `region` is the cache, or a part of it.
    #[inline]
    pub fn is_cache(&self, region: RegionId) -> bool {
        self.regions.contains(&region)
    }

    #[inline]
    fn pass(&mut self, now_ns: u64) {
        self.area += u128::from(self.bytes) * u128::from(now_ns - self.since_ns);
        self.since_ns = now_ns;
    }

    /// The cache takes `bytes` more.
    #[inline]
    pub(super) fn take(&mut self, bytes: u64, now_ns: u64) {
        self.pass(now_ns);
        self.bytes += bytes;
        self.peak_bytes = self.peak_bytes.max(self.bytes);
    }

    /// The cache takes `bytes` less.
    #[inline]
    pub(super) fn give(&mut self, bytes: u64, now_ns: u64) {
        self.pass(now_ns);
        self.bytes -= bytes;
    }

    /// A block that is none of the cache's was erased.
    pub(super) fn count_store_erase(&mut self) {
        self.store_erases += 1;
    }

    /// A write found no room in the cache.
    #[inline]
    pub(super) fn note_full(&mut self, now_ns: u64) {
        if !self.at_leisure {
            self.full_ns.get_or_insert(now_ns);
        }
    }

    pub(super) fn set_at_leisure(&mut self, at_leisure: bool) {
        self.at_leisure = at_leisure;
    }

    pub(super) fn end(&mut self, now_ns: u64) {
        self.pass(now_ns);
        self.mean_bytes = if now_ns == 0 { self.bytes as f64 } else { self.area as f64 / now_ns as f64 };
    }

    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// What it took at most since time 0.
    pub fn peak_bytes(&self) -> u64 {
        self.peak_bytes
    }

    /// What it took on average, until all was done that the host asked for.
    pub fn mean_bytes(&self) -> f64 {
        self.mean_bytes
    }

    /// When a write first found no room in it, ns.
    pub fn full_ns(&self) -> Option<u64> {
        self.full_ns
    }

    /// Blocks beside the cache that were erased, before time 0 too.
    pub fn store_erases(&self) -> u64 {
        self.store_erases
    }
}
