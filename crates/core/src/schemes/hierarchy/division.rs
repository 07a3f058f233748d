//! The division of the SLC cache between L1 and L2 (Algorithm 1, lines 3-11 and 24-31).

use super::config::{DivisionRule, HierarchyConfig};
use crate::metrics::series::WindowSeries;
use serde::{Deserialize, Serialize};

/// The shares, in pages of the cache, and what moves them.
#[derive(Clone, Serialize, Deserialize)]
pub struct Division {
    rule: DivisionRule,
    /// Pages of the whole cache: CACHE_SIZE.
    cache_pages: u64,
    /// Pages of L2 now: cur_ratio.
    l2_pages: u64,
    /// Pages of L2 to move towards: ratio_L2.
    target_pages: u64,
    /// Fewest and most pages of L2 that a window may ask for.
    bounds: (u64, u64),
    /// Pages of L1 at least.
    l1_pages_min: u64,
    /// Full page writes and merged writes of the window: omega_L and omega_S.
    omega_l: u64,
    omega_s: u64,
    /// The last write request had its page allocated from L1 (line 6), else from L2 (line 9).
    pub names_l1: bool,
    /// Windows so far, and those that asked for less of L2 than there must be, or for more.
    #[serde(skip)]
    pub windows: u64,
    /// Windows that asked for more of L1 than it may have.
    #[serde(skip)]
    pub windows_at_l1_max: u64,
    /// Windows that asked for less of L1 than an open block in every plane.
    #[serde(skip)]
    pub windows_at_l1_min: u64,
    /// Share of L2 at each window's end.
    #[serde(skip)]
    pub series: WindowSeries,
}

impl Division {
    /// The division at first of a cache of `cache_pages` pages, of which `l1_pages_min` are always L1's.
    pub fn new(config: &HierarchyConfig, cache_pages: u64, l1_pages_min: u64) -> Self {
        let bounds = bounds(cache_pages, l1_pages_min, config.l1_share_max);
        let first = pages(config.initial_l2_share, cache_pages).clamp(bounds.0, bounds.1);
        Self {
            l1_pages_min,
            rule: config.division,
            cache_pages,
            l2_pages: first,
            target_pages: first,
            bounds,
            omega_l: 0,
            omega_s: 0,
            names_l1: false,
            windows: 0,
            windows_at_l1_max: 0,
            windows_at_l1_min: 0,
            series: WindowSeries::default(),
        }
    }

    /// Sets the largest share of L1 that a window may ask for; the division drifts there.
    pub fn set_l1_share_max(&mut self, share: f64) {
        self.bounds = bounds(self.cache_pages, self.l1_pages_min, share);
        self.target_pages = self.target_pages.clamp(self.bounds.0, self.bounds.1);
    }

    /// A write request: at most one page changes sides (lines 5-11).
    #[inline]
    pub fn step(&mut self) {
        self.names_l1 = self.target_pages > self.l2_pages;
        if self.target_pages > self.l2_pages {
            self.l2_pages += 1;
        } else if self.target_pages < self.l2_pages || self.rule == DivisionRule::Literal {
            self.l2_pages -= 1;
        }
    }

    /// A full page was written to L2 (line 22).
    pub fn count_full(&mut self) {
        self.omega_l += 1;
    }

    /// Something was written to L1 that `omega_s` counts (line 18).
    pub fn count_merged(&mut self) {
        self.omega_s += 1;
    }

    /// A window is over (lines 25-31): r = omega_L / (omega_S + omega_L), where anything was written.
    pub fn end_window(&mut self) {
        let (full, all) = (self.omega_l, self.omega_l + self.omega_s);
        if all > 0 {
            // Rounded to the nearest page.
            let wanted = (full * self.cache_pages * 2 + all) / (all * 2);
            self.target_pages = wanted.clamp(self.bounds.0, self.bounds.1);
            self.windows_at_l1_max += u64::from(wanted < self.bounds.0);
            self.windows_at_l1_min += u64::from(wanted > self.bounds.1);
        }
        self.windows += 1;
        self.series.push(self.l2_share());
        (self.omega_l, self.omega_s) = (0, 0);
    }

    /// cur_ratio.
    pub fn l2_share(&self) -> f64 {
        self.l2_pages as f64 / self.cache_pages as f64
    }

    /// Blocks of L1 and of L2 in a plane with `blocks` blocks to use, at least one each.
    pub fn quotas(&self, blocks: u32) -> (u32, u32) {
        let half = self.cache_pages / 2;
        let l2 = (self.l2_pages * u64::from(blocks) + half) / self.cache_pages;
        let l2 = (l2 as u32).clamp(1, blocks - 1);
        (blocks - l2, l2)
    }
}

/// A share of the cache, rounded to the nearest page.
fn pages(share: f64, cache_pages: u64) -> u64 {
    libm::round(share * cache_pages as f64) as u64
}

/// Fewest and most pages of L2 that a window may ask for.
fn bounds(cache_pages: u64, l1_pages_min: u64, l1_share_max: f64) -> (u64, u64) {
    let most = cache_pages - l1_pages_min;
    (pages(1.0 - l1_share_max, cache_pages).clamp(l1_pages_min.min(most), most), most)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The paper's cache: 2^17 pages, an open block of 128 pages in each of 16 planes.
    fn paper(config: &HierarchyConfig) -> Division {
        Division::new(config, 1 << 17, 16 * 128)
    }

    /// One window of 1,024 write requests of which `full` of `all` pages written are full.
    fn window(division: &mut Division, full: u64, all: u64) {
        (0..1024).for_each(|_| division.step());
        (0..full).for_each(|_| division.count_full());
        (full..all).for_each(|_| division.count_merged());
        division.end_window();
    }

    #[test]
    fn the_share_moves_at_most_0_78_percent_per_window_and_stays_in_bounds() {
        let mut division = paper(&HierarchyConfig::default());
        let mut before = division.l2_share();
        assert_eq!(before, 0.5);
        for i in 0..1000 {
            window(&mut division, (i * 37) % 1024, 1024);
            let now = division.l2_share();
            assert!((now - before).abs() <= 1024.0 / 131_072.0);
            assert!((0.5..1.0).contains(&now));
            before = now;
        }
    }

    #[test]
    fn full_writes_only_raise_the_share_to_all_but_the_open_blocks() {
        let mut division = paper(&HierarchyConfig::default());
        window(&mut division, 1024, 1024);
        assert_eq!(division.l2_share(), 0.5);
        window(&mut division, 1024, 1024);
        assert_eq!(division.l2_share(), 0.5 + 1024.0 / 131_072.0);
        (0..70).for_each(|_| window(&mut division, 1024, 1024));
        assert_eq!(division.l2_share(), 1.0 - 1.0 / 64.0);
        assert_eq!((division.windows, division.windows_at_l1_min), (72, 72));
    }

    #[test]
    fn partial_writes_only_keep_l1_at_its_largest() {
        let mut division = paper(&HierarchyConfig::default());
        (0..10).for_each(|_| window(&mut division, 0, 100));
        assert_eq!((division.l2_share(), division.windows_at_l1_max), (0.5, 10));
        // A window without writes of either kind says nothing.
        window(&mut division, 0, 0);
        assert_eq!((division.l2_share(), division.windows_at_l1_max), (0.5, 10));
    }

    #[test]
    fn to_the_letter_the_share_never_rests() {
        let literal = HierarchyConfig { division: DivisionRule::Literal, ..HierarchyConfig::default() };
        let mut division = paper(&literal);
        let shares: Vec<u64> = (0..4).map(|_| (division.step(), division.l2_pages).1).collect();
        assert_eq!(shares, [65_535, 65_536, 65_535, 65_536]);
    }

    #[test]
    fn quotas_are_the_share_of_the_usable_blocks_and_never_zero() {
        let mut division = paper(&HierarchyConfig::default());
        assert_eq!(division.quotas(32), (16, 16));
        assert_eq!(division.quotas(2), (1, 1));
        division.l2_pages = 131_072 - 2048;
        assert_eq!(division.quotas(32), (1, 31));
        assert_eq!(division.quotas(62), (1, 61));
    }
}
