//! What is known of each logical page: when it was written, what its writer looked like then, and where
//! it went.

use crate::base::table::Table;
use serde::{Deserialize, Serialize};

/// Features of a write: the constant, size of the request, interval since the page's last write, its
/// updates, whether the request goes on where one ended, free share of the cache, reclamation.
pub const FEATURES: usize = 7;
/// Names of their weights.
pub const NAMES: [&str; FEATURES] = [
    "weight_constant",
    "weight_size",
    "weight_interval",
    "weight_updates",
    "weight_sequential",
    "weight_free",
    "weight_reclaiming",
];

const SIZE_MAX: u32 = 15;
const INTERVAL_MAX: u32 = 127;
const UPDATES_MAX: u32 = 15;
const FREE_MAX: u32 = 63;

/// Where a page went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PageFate {
    /// Nowhere that is still to be judged.
    Settled = 0,
    Cache = 1,
    Past = 2,
}

/// The features of a write, as they are kept: 25 bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Seen {
    /// Binary logarithm of the request's pages.
    pub size: u32,
    /// Four times that of the page writes since the page's last one; the greatest where there was none.
    pub interval: u32,
    /// Updates of the page, halved for each turnover of the cache between them.
    pub updates: u32,
    pub sequential: bool,
    /// Share of the cache that holds nothing live, in 63rds.
    pub free: u32,
    pub reclaiming: bool,
}

impl Seen {
    /// `share` in 63rds.
    pub fn free(share: f64) -> u32 {
        (share * f64::from(FREE_MAX)) as u32
    }

    /// The features, each from 0 to 1.
    pub fn features(self) -> [f64; FEATURES] {
        let share = |value: u32, most: u32| f64::from(value) / f64::from(most);
        [
            1.0,
            share(self.size, SIZE_MAX),
            share(self.interval, INTERVAL_MAX),
            share(self.updates, UPDATES_MAX),
            f64::from(u8::from(self.sequential)),
            share(self.free, FREE_MAX),
            f64::from(u8::from(self.reclaiming)),
        ]
    }

    fn pack(self, place: PageFate) -> u32 {
        let flags = u32::from(self.sequential) | u32::from(self.reclaiming) << 1 | (place as u32) << 2;
        self.size.min(SIZE_MAX) | self.interval << 4 | self.updates << 11 | self.free << 15 | flags << 21
    }

    fn unpack(bits: u32) -> (Self, PageFate) {
        let seen = Self {
            size: bits & SIZE_MAX,
            interval: bits >> 4 & INTERVAL_MAX,
            updates: bits >> 11 & UPDATES_MAX,
            free: bits >> 15 & FREE_MAX,
            sequential: bits >> 21 & 1 != 0,
            reclaiming: bits >> 22 & 1 != 0,
        };
        let place = [PageFate::Settled, PageFate::Cache, PageFate::Past, PageFate::Settled]
            [(bits >> 23 & 3) as usize];
        (seen, place)
    }
}

/// Four times the binary logarithm of `writes`, which are at least one.
fn quarters(writes: u32) -> u32 {
    let whole = writes.ilog2();
    let next = if whole >= 2 { writes >> (whole - 2) & 3 } else { writes << (2 - whole) & 3 };
    4 * whole + next
}

/// What is known of every logical page.
#[derive(Clone, Serialize, Deserialize)]
pub struct PageRecords {
    /// The page write that was each page's last, from 1 on; 0: none.
    #[serde(with = "crate::base::sparse")]
    written: Table,
    #[serde(with = "crate::base::sparse")]
    seen: Table,
}

impl PageRecords {
    /// What a page takes, but for four bytes, which all schemes may have for a mapping unit.
    pub const PAGE_BYTES: u64 = 4;

    /// Of a device of so many logical pages, none of which was written.
    pub fn new(pages: usize) -> Self {
        Self { written: Table::new(pages), seen: Table::new(pages) }
    }

    /// The page write that was the last of `page`; 0: none.
    pub fn written(&self, page: u32) -> u32 {
        self.written[page as usize]
    }

    /// What the last writer of `page` looked like, and where the page went.
    pub fn last(&self, page: u32) -> (Seen, PageFate) {
        Seen::unpack(self.seen[page as usize])
    }

    /// Completes `seen` by what is known of `page` when page write `now` comes to it.
    pub fn look(&self, page: u32, now: u32, turnover: u32, seen: Seen) -> Seen {
        let (written, before) = (self.written(page), self.last(page).0);
        if written == 0 {
            return Seen { interval: INTERVAL_MAX, updates: 0, ..seen };
        }
        let interval = now.wrapping_sub(written).max(1);
        let kept = before.updates.checked_shr(interval / turnover.max(1)).unwrap_or(0);
        Seen { interval: quarters(interval).min(INTERVAL_MAX), updates: (kept + 1).min(UPDATES_MAX), ..seen }
    }

    /// Page write `now` wrote `page`, which went to `place`.
    pub fn note(&mut self, page: u32, now: u32, seen: Seen, place: PageFate) {
        self.written[page as usize] = now;
        self.seen[page as usize] = seen.pack(place);
    }

    /// Nothing is to be judged of `page` any more.
    pub fn settle(&mut self, page: u32) {
        let (seen, _) = self.last(page);
        self.seen[page as usize] = seen.pack(PageFate::Settled);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_comes_back() {
        let seen =
            Seen { size: 15, interval: 127, updates: 9, sequential: true, free: 63, reclaiming: false };
        for place in [PageFate::Settled, PageFate::Cache, PageFate::Past] {
            assert_eq!(Seen::unpack(seen.pack(place)), (seen, place));
            assert_eq!(Seen::unpack(Seen::default().pack(place)), (Seen::default(), place));
        }
    }

    #[test]
    fn intervals_are_logarithms_in_quarters() {
        let told = [1, 2, 3, 4, 5, 6, 7, 8, 12, 1 << 31].map(quarters);
        assert_eq!(told, [0, 4, 6, 8, 9, 10, 11, 12, 14, 124]);
        assert_eq!(quarters(u32::MAX), INTERVAL_MAX);
    }

    #[test]
    fn updates_are_halved_by_turnovers() {
        let mut pages = PageRecords::new(2);
        let mut count = |page, now| {
            let seen = pages.look(page, now, 10, Seen::default());
            pages.note(page, now, seen, PageFate::Cache);
            seen.updates
        };
        assert_eq!([1, 2, 3, 4, 5].map(|now| count(0, now)), [0, 1, 2, 3, 4]);
        // Two turnovers later a quarter of four is left, much later nothing.
        assert_eq!([25, 9999].map(|now| count(0, now)), [2, 1]);
    }
}
