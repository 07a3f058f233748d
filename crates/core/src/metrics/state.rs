//! The state that decides a run's figures: before it, and of the cache while it went on.

use super::shape::Share;
use schemars::JsonSchema;
use serde::Serialize;

/// Halves of a run whose write amplification differs by no more than this part of the larger agree.
const AGREE: f64 = 0.1;
/// Points kept at most.
const POINTS_MAX: usize = 64;

/// How full the device was, how worn in, and what became of its cache.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub struct StateReport {
    /// Share of the user capacity that held data at time 0, by precondition and prefill; with a disk, that had
    /// a copy in flash.
    #[schemars(with = "Share")]
    pub full_share: f64,
    /// Random overwrites before time 0 over what was filled; null of a state that was saved after a run.
    pub overwritten_share: Option<f64>,
    /// Whether what was measured goes on: the store was cleaned before the middle, and the write amplifications
    /// of both halves differ by at most 10 % of the larger; null where there are no halves.
    pub steady: Option<bool>,
    /// Whether a block beside the cache was erased before the host had written half of its data, or before time
    /// 0.
    pub store_cleaned: bool,
    /// Write amplification while the host wrote each half of its data; null where it wrote fewer than two
    /// requests.
    pub waf_by_half: Option<[f64; 2]>,
    /// What became of the SLC cache; null without one.
    pub cache: Option<CacheUseReport>,
}

/// What became of an SLC cache. Bytes are those of whole blocks that hold data in SLC mode, of two-layer
/// blocks those of the wordlines with one bit.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub struct CacheUseReport {
    /// What it might take in SLC mode with the data that the device held at time 0.
    pub limit_bytes: u64,
    /// What it took at most, in whole blocks; of two-layer blocks in wordlines with one bit.
    pub peak_bytes: u64,
    /// What it took on average over time, until all was done that the host asked for.
    pub mean_bytes: f64,
    /// When a write first found no room in it, in any plane, so that room was made or the cache passed by; null
    /// if none ever did.
    pub full_ns: Option<u64>,
    /// Live data left in it at the end, not drained to the store.
    pub left_bytes: u64,
}

/// What had been done when the host had written so much.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Point {
    /// Written by the host.
    pub host_bytes: u64,
    /// Programmed.
    pub programmed_bytes: u64,
    /// Blocks of the store erased, before time 0 too.
    pub store_erases: u64,
}

/// Points of a run, evenly in what the host wrote: when there are too many, every second goes.
#[derive(Clone, Debug)]
pub struct Halves {
    points: Vec<Point>,
    step_bytes: u64,
    next_bytes: u64,
    last: Point,
}

impl Default for Halves {
    fn default() -> Self {
        Self { points: Vec::with_capacity(POINTS_MAX), step_bytes: 1, next_bytes: 1, last: Point::default() }
    }
}

impl Halves {
    /// Whether a point is wanted once the host has written so much.
    #[inline(always)]
    pub fn is_due(&self, host_bytes: u64) -> bool {
        host_bytes >= self.next_bytes
    }

    /// Keeps a point that is due.
    #[cold]
    pub fn note(&mut self, point: Point) {
        if self.points.len() == POINTS_MAX {
            let mut keep = false;
            self.points.retain(|_| {
                keep = !keep;
                !keep
            });
            self.step_bytes = point.host_bytes / (POINTS_MAX as u64 / 2);
        }
        self.points.push(point);
        self.next_bytes = point.host_bytes + self.step_bytes;
    }

    pub fn end(&mut self, point: Point) {
        self.last = point;
    }

    /// Whether the store was cleaned before the middle, and the write amplification of either half.
    pub fn report(&self) -> (bool, Option<[f64; 2]>) {
        let Point { host_bytes, programmed_bytes, store_erases } = self.last;
        let middle = self.points.iter().find(|point| 2 * point.host_bytes >= host_bytes);
        let Some(middle) = middle.filter(|middle| middle.host_bytes < host_bytes) else {
            return (store_erases > 0, None);
        };
        let waf = |programmed: u64, host: u64| programmed as f64 / host as f64;
        let first = waf(middle.programmed_bytes, middle.host_bytes);
        let second = waf(programmed_bytes - middle.programmed_bytes, host_bytes - middle.host_bytes);
        (middle.store_erases > 0, Some([first, second]))
    }
}

/// Whether both halves have one write amplification.
pub fn agree([first, second]: [f64; 2]) -> bool {
    (first - second).abs() <= AGREE * first.max(second)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A run of `writes` writes of `bytes`, with so many bytes programmed and blocks erased by the nth.
    fn halves(writes: u64, bytes: u64, at: impl Fn(u64) -> (u64, u64)) -> Halves {
        let mut halves = Halves::default();
        let point = |n: u64| {
            let (programmed_bytes, store_erases) = at(n);
            Point { host_bytes: n * bytes, programmed_bytes, store_erases }
        };
        for n in 1..=writes {
            if halves.is_due(n * bytes) {
                halves.note(point(n));
            }
        }
        halves.end(point(writes));
        halves
    }

    #[test]
    fn the_middle_of_a_run_is_found_whatever_its_length() {
        for writes in [2, 10, 63, 64, 65, 1000, 99_999] {
            // Twice as much is programmed from the middle on.
            let half = writes / 2;
            let run = halves(writes, 4096, |n| (4096 * (n + n.saturating_sub(half)), u64::from(n > half)));
            let [first, second] = run.report().1.unwrap();
            assert!(run.points.len() <= POINTS_MAX);
            // The point is the middle, or up to a thirty-second of the run behind it.
            assert!((1.0..=1.13).contains(&first) && second == 2.0, "{writes}: {first}, {second}");
            assert!(!agree([first, second]), "{writes}");
        }
    }

    #[test]
    fn one_write_has_no_halves() {
        assert_eq!(halves(0, 1, |_| (0, 0)).report(), (false, None));
        assert_eq!(halves(1, 512, |_| (4096, 3)).report(), (true, None));
    }

    #[test]
    fn what_was_cleaned_in_the_second_half_does_not_count() {
        assert_eq!(halves(100, 512, |n| (n * 512, u64::from(n > 60))).report(), (false, Some([1.0, 1.0])));
        assert_eq!(halves(100, 512, |n| (n * 512, u64::from(n > 40))).report(), (true, Some([1.0, 1.0])));
    }
}
