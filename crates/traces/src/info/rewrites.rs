//! How much is written between two writes of a page.

use super::log_buckets::LogBuckets;
use super::sample::Sample;
use rustc_hash::FxHashMap;
use slcache_base::request::Request;

/// Sectors of a 4 KiB page.
const PAGE_SECTORS: u64 = 8;
/// Pages followed at most, about 50 MB; beyond, every other page is dropped.
const PAGES_MAX: usize = 1 << 21;

/// Remembers when pages were written last, by the bytes written until then.
#[derive(Debug, Default)]
pub(super) struct Rewrites {
    pages: FxHashMap<(u16, u64), u64>,
    sample: Sample,
    written_bytes: u64,
    distances: LogBuckets,
}

impl Rewrites {
    pub(super) fn add(&mut self, write: &Request) {
        let before = self.written_bytes;
        self.written_bytes += write.bytes();
        for page in write.sector / PAGE_SECTORS..write.end_sector().div_ceil(PAGE_SECTORS) {
            if !self.sample.has((write.stream, page)) {
                continue;
            }
            if let Some(last) = self.pages.insert((write.stream, page), self.written_bytes) {
                self.distances.add(before - last, self.sample.one_in());
            } else if self.pages.len() > PAGES_MAX {
                self.thin_out();
            }
        }
    }

    #[cold]
    fn thin_out(&mut self) {
        let sample = self.sample.halve();
        self.pages.retain(|&page, _| sample.has(page));
    }

    /// Bytes that at most are written between the two writes, of so many in ten thousand pages rewritten.
    pub(super) fn distance_bytes(&self, per_myriad: u64) -> u64 {
        self.distances.quantile(per_myriad)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use slcache_base::request::HostOp;

    fn write(page: u64) -> Request {
        Request { at_ns: 0, sector: page * 8, sectors: 8, stream: 0, hint: 0, op: HostOp::Write }
    }

    #[test]
    fn only_what_others_write_counts() {
        let mut rewrites = Rewrites::default();
        [1, 1, 2, 3, 2].iter().for_each(|&page| rewrites.add(&write(page)));
        assert_eq!((rewrites.distance_bytes(5_000), rewrites.distance_bytes(9_000)), (0, 4351));
    }

    #[test]
    fn a_sample_keeps_the_distance() {
        let mut rewrites = Rewrites::default();
        for turn in 0..5 {
            (0..1000).for_each(|page| rewrites.add(&write(page)));
            if turn < 2 {
                rewrites.thin_out();
            }
        }
        let exact = 999.0 * 4096.0;
        let found = rewrites.distance_bytes(5_000) as f64;
        assert!((exact..=exact * 1.0625).contains(&found), "{found}");
    }
}
