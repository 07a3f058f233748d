//! How many write requests a page's data come from in the end.

use super::ratio;
use super::sample::Sample;
use rustc_hash::FxHashMap;
use slcache_base::request::Request;

/// Sectors of a 16 KiB page.
const PAGE_SECTORS: u64 = 32;
/// Pages followed at most, about 100 MB; beyond, every other page is dropped.
const PAGES_MAX: usize = 1 << 20;
/// Pages of one request (1 GiB) beyond which it is left out, to bound the time it takes.
const REQUEST_PAGES_MAX: u64 = 1 << 16;

/// Who wrote each sector of a page last, by a label of the page's own; 0 nobody.
type Page = [u8; PAGE_SECTORS as usize];

/// Follows who wrote the sectors of 16 KiB pages last.
pub(crate) struct Writers {
    most_pages: usize,
    pages: FxHashMap<(u16, u64), Page>,
    sample: Sample,
}

impl Default for Writers {
    fn default() -> Self {
        Self::of_at_most(PAGES_MAX)
    }
}

impl Writers {
    /// Of so many pages at most, or of a sample of them.
    pub(crate) fn of_at_most(pages: usize) -> Self {
        Self { most_pages: pages, pages: FxHashMap::default(), sample: Sample::default() }
    }

    #[inline]
    pub(crate) fn add(&mut self, write: &Request) {
        let first = write.sector / PAGE_SECTORS;
        let end = write.end_sector().div_ceil(PAGE_SECTORS);
        if end - first > REQUEST_PAGES_MAX {
            return;
        }
        for number in first..end {
            if !self.sample.has((write.stream, number)) {
                continue;
            }
            let base = number * PAGE_SECTORS;
            let from = write.sector.max(base) - base;
            let to = write.end_sector().min(base + PAGE_SECTORS) - base;
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

#[cfg(test)]
mod tests {
    use super::*;
    use slcache_base::request::HostOp;

    fn writers(writes: &[(u64, u32)]) -> Writers {
        let mut writers = Writers::default();
        for &(sector, sectors) in writes {
            writers.add(&Request { at_ns: 0, sector, sectors, stream: 0, hint: 0, op: HostOp::Write });
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
}
