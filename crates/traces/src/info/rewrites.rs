//! What is written again: how far apart, in which pieces, and how many writes a page's data come from.

use super::ratio;
use super::sizes::LogBuckets;
use rustc_hash::{FxHashMap, FxHashSet};
use slcache_base::request::Request;
use slcache_base::rng::mix;

/// Sectors of a 4 KiB page.
const PAGE_SECTORS: u64 = 8;
/// Pages followed at most, about 50 MB; beyond, every other page is dropped.
const PAGES_MAX: usize = 1 << 21;

/// Remembers when pages were written last, by the bytes written until then.
#[derive(Debug, Default)]
pub(super) struct Rewrites {
    pages: FxHashMap<(u16, u64), u64>,
    sample: PlaceSample,
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

/// One place in `1 << bits`, by a hash of it; a larger `bits` takes a part of the smaller one's sample.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct PlaceSample {
    bits: u32,
}

impl PlaceSample {
    /// Whether a place of a stream belongs to it. Places of two streams may share a key, which only makes
    /// them sampled together.
    #[inline]
    pub(super) fn has(self, (stream, place): (u16, u64)) -> bool {
        if self.bits == 0 {
            return true;
        }
        // Neighbouring keys get unrelated hashes.
        mix(place ^ u64::from(stream) << 48).trailing_zeros() >= self.bits
    }

    /// Takes half of what it took.
    pub(super) fn halve(&mut self) -> Self {
        self.bits += 1;
        *self
    }

    /// How many places each one stands for.
    pub(super) fn one_in(self) -> u64 {
        1 << self.bits
    }
}

/// Sectors of a 16 KiB page.
const WIDE_PAGE_SECTORS: u64 = 32;
/// Pages followed at most, about 100 MB; beyond, every other page is dropped.
const WIDE_PAGES_MAX: usize = 1 << 20;
/// Pages of one request (1 GiB) beyond which it is left out, to bound the time it takes.
const REQUEST_PAGES_MAX: u64 = 1 << 16;

/// Who wrote each sector of a page last, by a label of the page's own; 0 nobody.
type Page = [u8; WIDE_PAGE_SECTORS as usize];

/// Follows who wrote the sectors of 16 KiB pages last.
pub(crate) struct Writers {
    most_pages: usize,
    pages: FxHashMap<(u16, u64), Page>,
    sample: PlaceSample,
}

impl Default for Writers {
    fn default() -> Self {
        Self::of_at_most(WIDE_PAGES_MAX)
    }
}

impl Writers {
    /// Of so many pages at most, or of a sample of them.
    pub(crate) fn of_at_most(pages: usize) -> Self {
        Self { most_pages: pages, pages: FxHashMap::default(), sample: PlaceSample::default() }
    }

    #[inline]
    pub(crate) fn add(&mut self, write: &Request) {
        let first = write.sector / WIDE_PAGE_SECTORS;
        let end = write.end_sector().div_ceil(WIDE_PAGE_SECTORS);
        if end - first > REQUEST_PAGES_MAX {
            return;
        }
        for number in first..end {
            if !self.sample.has((write.stream, number)) {
                continue;
            }
            let base = number * WIDE_PAGE_SECTORS;
            let from = write.sector.max(base) - base;
            let to = write.end_sector().min(base + WIDE_PAGE_SECTORS) - base;
            let page = self.pages.entry((write.stream, number)).or_default();
            page[from as usize..to as usize].fill(0);
            // At most 31 labels are left where a sector was cleared, so one of 1 to 32 is free.
            let label = (!(labels(page) | 1)).trailing_zeros() as u8;
            page[from as usize..to as usize].fill(label);
            if self.pages.len() > self.most_pages {
                self.thin_out();
            }
        }
    }

    #[cold]
    fn thin_out(&mut self) {
        let sample = self.sample.halve();
        self.pages.retain(|&page, _| sample.has(page));
    }

    /// Mean number of writes that parts of a page are from.
    pub(crate) fn per_page(&self) -> f64 {
        let writers: u64 = self.pages.values().map(|page| u64::from((labels(page) & !1).count_ones())).sum();
        ratio(writers as f64, self.pages.len() as f64)
    }

    /// How many pages each one followed stands for.
    pub(super) fn sampled_one_in(&self) -> u64 {
        self.sample.one_in()
    }
}

/// The labels in use, as bits.
fn labels(page: &Page) -> u64 {
    page.iter().fold(0, |labels, &label| labels | 1 << label)
}

/// Extents remembered at most, about 70 MB; beyond, every other start is dropped.
const EXTENTS_MAX: usize = 1 << 21;

/// Remembers the extents (start and length) of writes.
#[derive(Default)]
pub(super) struct WrittenExtents {
    written: FxHashSet<(u16, u64, u32)>,
    /// Of the starts.
    sample: PlaceSample,
    overwriting: u64,
    /// Those of a sample, each standing for the others that it represents.
    sampled: u64,
    repeated: u64,
}

impl WrittenExtents {
    /// Takes a write, and whether all its 4 KiB pages were written before.
    #[inline]
    pub(super) fn add(&mut self, write: &Request, overwrites: bool) {
        self.overwriting += u64::from(overwrites);
        if !self.sample.has((write.stream, write.sector)) {
            return;
        }
        let fresh = self.written.insert((write.stream, write.sector, write.sectors));
        if overwrites {
            self.sampled += self.sample.one_in();
            self.repeated += u64::from(!fresh) * self.sample.one_in();
        }
        if self.written.len() > EXTENTS_MAX {
            self.thin_out();
        }
    }

    #[cold]
    fn thin_out(&mut self) {
        let sample = self.sample.halve();
        self.written.retain(|&(stream, sector, _)| sample.has((stream, sector)));
    }

    /// Writes whose pages were all written before.
    pub(super) fn overwriting(&self) -> u64 {
        self.overwriting
    }

    /// Those of them whose start and length are those of an earlier write.
    pub(super) fn repeated_share(&self) -> f64 {
        ratio(self.repeated as f64, self.sampled as f64)
    }

    /// How many starts each one remembered stands for.
    pub(super) fn sampled_one_in(&self) -> u64 {
        self.sample.one_in()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use slcache_base::request::HostOp;

    fn write(sector: u64, sectors: u32) -> Request {
        Request { at_ns: 0, sector, sectors, stream: 0, hint: 0, op: HostOp::Write }
    }

    #[test]
    fn only_what_others_write_counts() {
        let mut rewrites = Rewrites::default();
        [1, 1, 2, 3, 2].iter().for_each(|&page| rewrites.add(&write(page * 8, 8)));
        assert_eq!((rewrites.distance_bytes(5_000), rewrites.distance_bytes(9_000)), (0, 4351));
    }

    #[test]
    fn a_sample_keeps_the_distance() {
        let mut rewrites = Rewrites::default();
        for turn in 0..5 {
            (0..1000).for_each(|page| rewrites.add(&write(page * 8, 8)));
            if turn < 2 {
                rewrites.thin_out();
            }
        }
        let exact = 999.0 * 4096.0;
        let found = rewrites.distance_bytes(5_000) as f64;
        assert!((exact..=exact * 1.0625).contains(&found), "{found}");
    }

    fn writers(writes: &[(u64, u32)]) -> Writers {
        let mut writers = Writers::default();
        for &(sector, sectors) in writes {
            writers.add(&write(sector, sectors));
        }
        writers
    }

    #[test]
    fn only_the_last_writers_count() {
        assert_eq!(writers(&[(0, 8)]).per_page(), 1.0);
        assert_eq!(writers(&[(0, 8), (8, 8), (16, 16)]).per_page(), 3.0);
        // The middle of a page from another write: the two ends are from one.
        assert_eq!(writers(&[(0, 32), (8, 8)]).per_page(), 2.0);
        assert_eq!(writers(&[(0, 8), (8, 8), (0, 32)]).per_page(), 1.0);
        // Two pages: one from two writes, one from one.
        assert_eq!(writers(&[(0, 8), (24, 16)]).per_page(), 1.5);
        assert_eq!(Writers::default().per_page(), 0.0);
    }

    #[test]
    fn every_sector_may_have_a_writer_of_its_own() {
        let singles: Vec<(u64, u32)> = (0..200).map(|place| (place * 7 % 32, 1)).collect();
        assert_eq!(writers(&singles).per_page(), 32.0);
    }

    #[test]
    fn a_sample_keeps_whole_pages() {
        let mut all: Vec<(u64, u32)> = (0..40_000_u64).map(|page| (page * 32, 16)).collect();
        all.extend((0..40_000_u64).filter(|page| page % 4 == 0).map(|page| (page * 32 + 16, 16)));
        let mut sampled = writers(&all);
        assert_eq!(sampled.per_page(), 1.25);
        (0..3).for_each(|_| sampled.thin_out());
        assert_eq!(sampled.sampled_one_in(), 8);
        assert!((sampled.per_page() - 1.25).abs() < 0.03, "{}", sampled.per_page());
    }

    #[test]
    fn huge_writes_are_left_out() {
        assert_eq!(writers(&[(0, u32::MAX)]).per_page(), 0.0);
    }

    #[test]
    fn start_and_length_must_both_repeat() {
        let mut extents = WrittenExtents::default();
        for (request, overwrites) in [
            (write(0, 16), false),
            (write(0, 8), true),
            (write(0, 16), true),
            (write(0, 8), true),
            (write(8, 16), false),
            (write(8, 16), true),
            (Request { stream: 1, ..write(0, 8) }, false),
        ] {
            extents.add(&request, overwrites);
        }
        assert_eq!((extents.overwriting(), extents.repeated_share(), extents.sampled_one_in()), (4, 0.75, 1));
    }

    #[test]
    fn a_sample_keeps_the_share() {
        let mut extents = WrittenExtents::default();
        // Every third overwriting write repeats an extent; the starts are thinned out midway.
        for place in 0..60_000_u64 {
            extents.add(&write(place * 8, 8), false);
            extents.add(&write(place * 8, if place % 3 == 0 { 8 } else { 4 }), true);
            if place % 20_000 == 19_999 {
                extents.thin_out();
            }
        }
        assert_eq!((extents.overwriting(), extents.sampled_one_in()), (60_000, 8));
        let share = extents.repeated_share();
        assert!((share - 1.0 / 3.0).abs() < 0.02, "{share}");
    }
}
