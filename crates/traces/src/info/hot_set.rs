//! How concentrated a trace is: the share of accesses on the hottest pages.

use super::ratio;
use super::rewrites::PlaceSample;
use rustc_hash::FxHashMap;
use schemars::JsonSchema;
use serde::Serialize;
use slcache_base::request::{HostOp, Request};

/// 4 KiB pages counted together: two cache lines of counters.
const GROUP_PAGES: u64 = 16;
const GROUP_SECTORS: u64 = GROUP_PAGES * 8;
/// Groups counted at most, about 300 MB; beyond, every other group is dropped.
const GROUPS_MAX: usize = 1 << 21;
/// Groups of one request beyond which it is left out, to bound the time it takes.
const REQUEST_GROUPS_MAX: u64 = 1 << 14;
/// Hottest shares that are reported.
const SHARES: [f64; 7] = [0.001, 0.01, 0.05, 0.1, 0.2, 0.5, 1.0];
/// Points of a curve.
const POINTS: u32 = 60;

/// How accesses spread over 4 KiB pages. A page covered in part counts as accessed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct HotSet {
    /// 1 when every page was counted; N when only one of N groups of 16 pages was,
    /// chosen by a hash of its address because all would not fit in memory.
    pub sampled_one_in: u64,
    /// Pages counted, read or written.
    pub pages: u64,
    /// Pages counted that were written.
    pub written_pages: u64,
    /// Requests above 1 GiB, which are left out here.
    pub left_out_requests: u64,
    /// Pages whose count stopped at 2^32 - 1; their true share is larger.
    pub saturated_pages: u64,
    /// Shares of accesses and page writes on the hottest pages.
    pub hottest: Vec<HotShare>,
    /// Accesses: (share of the pages touched, hottest first; share of page accesses).
    pub access_curve: Vec<(f64, f64)>,
    /// Writes: (share of the pages written, hottest first; share of page writes).
    pub write_curve: Vec<(f64, f64)>,
}

/// What the hottest pages take.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct HotShare {
    /// Share of the pages, from 0 to 1; a fraction of a page counts in proportion.
    pub pages_share: f64,
    /// Share of the page accesses on so many of the pages touched.
    pub access_share: f64,
    /// Share of the page writes on so many of the pages written.
    pub write_share: f64,
}

/// Counters of a group, by page; one that stops at the largest number is reported.
#[derive(Clone, Default)]
struct Group {
    accesses: [u32; GROUP_PAGES as usize],
    writes: [u32; GROUP_PAGES as usize],
}

/// Counts accesses by page.
#[derive(Default)]
pub(super) struct PageHeat {
    places: FxHashMap<(u16, u64), u32>,
    groups: Vec<Group>,
    sample: PlaceSample,
    left_out_requests: u64,
}

impl PageHeat {
    #[inline]
    pub(super) fn add(&mut self, request: &Request) {
        let first = request.sector / GROUP_SECTORS;
        let end = request.end_sector().div_ceil(GROUP_SECTORS);
        if end - first > REQUEST_GROUPS_MAX {
            self.left_out_requests += 1;
            return;
        }
        let first_page = request.sector / 8;
        let end_page = request.end_sector().div_ceil(8);
        for group in first..end {
            let base = group * GROUP_PAGES;
            let from = first_page.max(base) - base;
            let to = end_page.min(base + GROUP_PAGES) - base;
            self.count((request.stream, group), from as usize..to as usize, request.op == HostOp::Write);
        }
    }

    #[inline]
    fn count(&mut self, key: (u16, u64), pages: std::ops::Range<usize>, is_write: bool) {
        if !self.sample.has(key) {
            return;
        }
        let fresh = self.groups.len() as u32;
        let place = *self.places.entry(key).or_insert(fresh);
        if place == fresh {
            self.groups.push(Group::default());
        }
        let group = &mut self.groups[place as usize];
        for accesses in &mut group.accesses[pages.clone()] {
            *accesses = accesses.saturating_add(1);
        }
        for writes in &mut group.writes[pages] {
            *writes = writes.saturating_add(u32::from(is_write));
        }
        if self.groups.len() > GROUPS_MAX {
            self.thin_out();
        }
    }

    /// Drops every other group, by hash, until half are gone; those kept have been counted in full.
    #[cold]
    fn thin_out(&mut self) {
        let sample = self.sample.halve();
        let mut kept: Vec<((u16, u64), u32)> =
            self.places.drain().filter(|&(key, _)| sample.has(key)).collect();
        // By place, so that groups can move to the front of their own list.
        kept.sort_unstable_by_key(|&(_, place)| place);
        for (to, &(key, place)) in kept.iter().enumerate() {
            self.groups.swap(to, place as usize);
            self.places.insert(key, to as u32);
        }
        self.groups.truncate(kept.len());
    }

    pub(super) fn finish(&self) -> HotSet {
        let accesses = Ranking::new(self.groups.iter().flat_map(|group| group.accesses));
        let writes = Ranking::new(self.groups.iter().flat_map(|group| group.writes));
        let share = |pages_share: f64| HotShare {
            pages_share,
            access_share: accesses.share(pages_share),
            write_share: writes.share(pages_share),
        };
        HotSet {
            sampled_one_in: self.sample.one_in(),
            pages: accesses.pages,
            written_pages: writes.pages,
            left_out_requests: self.left_out_requests,
            saturated_pages: accesses.saturated_pages(),
            hottest: SHARES.into_iter().map(share).collect(),
            access_curve: accesses.curve(),
            write_curve: writes.curve(),
        }
    }
}

/// Pages from the hottest to the coldest.
struct Ranking {
    /// (count, pages with that count), highest count first.
    classes: Vec<(u32, u64)>,
    pages: u64,
    total: f64,
}

impl Ranking {
    fn new(counts: impl Iterator<Item = u32>) -> Self {
        let mut pages_by_count: FxHashMap<u32, u64> = FxHashMap::default();
        for count in counts.filter(|&count| count > 0) {
            *pages_by_count.entry(count).or_insert(0) += 1;
        }
        let mut classes: Vec<(u32, u64)> = pages_by_count.into_iter().collect();
        classes.sort_unstable_by_key(|&(count, _)| std::cmp::Reverse(count));
        let pages = classes.iter().map(|&(_, pages)| pages).sum();
        let total = classes.iter().map(|&(count, pages)| f64::from(count) * pages as f64).sum();
        Self { classes, pages, total }
    }

    fn saturated_pages(&self) -> u64 {
        let hottest = self.classes.first().filter(|&&(count, _)| count == u32::MAX);
        hottest.map_or(0, |&(_, pages)| pages)
    }

    /// Share of the accesses on this share of the pages, the hottest ones.
    fn share(&self, pages_share: f64) -> f64 {
        let mut left = pages_share * self.pages as f64;
        let mut accesses = 0.0;
        for &(count, pages) in &self.classes {
            let taken = left.min(pages as f64);
            accesses += taken * f64::from(count);
            left -= taken;
        }
        ratio(accesses, self.total)
    }

    /// The share of accesses by the share of pages, from one page to all, evenly on a log axis.
    fn curve(&self) -> Vec<(f64, f64)> {
        if self.pages == 0 {
            return Vec::new();
        }
        let least = 1.0 / self.pages as f64;
        let point = |step: u32| {
            let pages_share = libm::pow(least, 1.0 - f64::from(step) / f64::from(POINTS));
            (pages_share, self.share(pages_share))
        };
        (0..=POINTS).map(point).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(op: HostOp, page: u64, pages: u32) -> Request {
        Request { at_ns: 0, sector: page * 8, sectors: pages * 8, stream: 0, hint: 0, op }
    }

    fn at(figures: &HotSet, share: f64) -> &HotShare {
        figures.hottest.iter().find(|hot| hot.pages_share == share).expect("a reported share")
    }

    #[test]
    fn shares_follow_the_counts() {
        let mut heat = PageHeat::default();
        // Ten pages: one written eleven times, nine once; ten more only read.
        heat.add(&request(HostOp::Write, 0, 10));
        (0..10).for_each(|_| heat.add(&request(HostOp::Write, 3, 1)));
        heat.add(&request(HostOp::Read, 100, 10));
        let figures = heat.finish();
        assert_eq!((figures.pages, figures.written_pages, figures.sampled_one_in), (20, 10, 1));
        let close = |value: f64, expected: f64| assert!((value - expected).abs() < 1e-12, "{value}");
        close(at(&figures, 0.1).write_share, 11.0 / 20.0);
        close(at(&figures, 0.1).access_share, 12.0 / 30.0);
        close(at(&figures, 0.5).write_share, 15.0 / 20.0);
        close(at(&figures, 0.01).write_share, 1.1 / 20.0);
        close(at(&figures, 1.0).access_share, 1.0);
        close(figures.write_curve[0].0, 0.1);
        close(figures.write_curve[0].1, 11.0 / 20.0);
    }

    #[test]
    fn a_page_covered_in_part_counts_once() {
        let mut heat = PageHeat::default();
        heat.add(&Request { at_ns: 0, sector: 127, sectors: 2, stream: 0, hint: 0, op: HostOp::Write });
        heat.add(&Request { at_ns: 0, sector: 120, sectors: 1, stream: 1, hint: 0, op: HostOp::Read });
        assert_eq!((heat.finish().pages, heat.finish().written_pages), (3, 2));
    }

    #[test]
    fn thinning_out_keeps_whole_counts_of_a_fair_sample() {
        let mut heat = PageHeat::default();
        // Every hundredth group is a hundred times as hot as the others.
        for group in 0..100_000_u64 {
            let times = if group % 100 == 0 { 100 } else { 1 };
            (0..times).for_each(|_| heat.add(&request(HostOp::Write, group * GROUP_PAGES, 1)));
        }
        let exact = at(&heat.finish(), 0.01).write_share;
        (0..4).for_each(|_| heat.thin_out());
        let figures = heat.finish();
        assert_eq!(figures.sampled_one_in, 16);
        assert!((figures.pages as f64 / 6_250.0 - 1.0).abs() < 0.05, "{}", figures.pages);
        let sampled = at(&figures, 0.01).write_share;
        assert!((sampled - exact).abs() < 0.06, "{sampled} is not {exact}");
        (0..10).for_each(|i| heat.add(&request(HostOp::Write, i * 160_000, 160_000)));
        assert!((heat.finish().pages as f64 / 100_000.0 - 1.0).abs() < 0.05);
    }

    #[test]
    fn a_count_that_stops_is_reported() {
        let mut heat = PageHeat::default();
        heat.add(&request(HostOp::Write, 0, 2));
        heat.groups[0].accesses[0] = u32::MAX;
        heat.add(&request(HostOp::Write, 0, 1));
        assert_eq!(heat.finish().saturated_pages, 1);
    }

    #[test]
    fn huge_requests_are_left_out_and_counted() {
        let mut heat = PageHeat::default();
        heat.add(&Request { at_ns: 0, sector: 0, sectors: u32::MAX, stream: 0, hint: 0, op: HostOp::Write });
        assert_eq!((heat.finish().left_out_requests, heat.finish().pages), (1, 0));
    }
}
