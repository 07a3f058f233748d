//! Requests and bytes over time, on an axis of equal cells that doubles their width as needed.

use schemars::JsonSchema;
use serde::Serialize;
use slcache_base::request::{HostOp, Request};

/// Windows at most.
const WINDOWS_MAX: usize = 512;
/// First window length is `1 << SHIFT` nanoseconds, about a microsecond.
const SHIFT: u32 = 10;

/// Reads and writes over time in at most 512 windows of equal length; columns
/// of equal length, one entry per window.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct Timeline {
    /// Length of a window in nanoseconds: a power of two.
    pub window_ns: u64,
    /// Start of the first window in nanoseconds.
    pub start_ns: u64,
    /// Reads arriving.
    pub read_requests: Vec<u64>,
    /// Writes arriving.
    pub write_requests: Vec<u64>,
    /// Bytes read.
    pub read_bytes: Vec<u64>,
    /// Bytes written.
    pub write_bytes: Vec<u64>,
}

/// Sums of one window: requests read and written, bytes read and written.
type Window = [u64; 4];

/// Counts requests by time of arrival.
pub(super) struct TimelineCounter {
    axis: Axis,
    ring: Vec<Window>,
}

impl Default for TimelineCounter {
    fn default() -> Self {
        Self { axis: Axis::new(WINDOWS_MAX, SHIFT), ring: vec![[0; 4]; WINDOWS_MAX] }
    }
}

impl TimelineCounter {
    #[inline]
    pub(super) fn add(&mut self, request: &Request) {
        for _ in 0..self.axis.doublings(request.at_ns) {
            self.axis.double(&mut self.ring, [0; 4], |window, part| {
                (0..4).for_each(|column| window[column] += part[column]);
            });
        }
        let window = &mut self.ring[self.axis.place(request.at_ns)];
        let side = usize::from(request.op == HostOp::Write);
        window[side] += 1;
        window[2 + side] += request.bytes();
    }

    /// The timeline, from the first window with a request to the last.
    pub(super) fn finish(&self) -> Timeline {
        let axis = &self.axis;
        let column = |place: usize| axis.range().map(|cell| self.ring[axis.ring(cell)][place]).collect();
        Timeline {
            window_ns: axis.width(),
            start_ns: axis.start(),
            read_requests: column(0),
            write_requests: column(1),
            read_bytes: column(2),
            write_bytes: column(3),
        }
    }
}

/// Cells of `1 << shift` each, by absolute number, at most `cells` from the
/// lowest to the highest. Data beside an axis is a ring: a cell's place is its
/// number modulo `cells`, so that growing in either direction moves nothing.
#[derive(Clone, Copy)]
pub(super) struct Axis {
    cells: u64,
    shift: u32,
    /// Lowest and highest cell number so far.
    ends: Option<(u64, u64)>,
}

impl Axis {
    /// An empty axis of at most `cells` (a power of two) cells of `1 << shift` at first.
    pub(super) fn new(cells: usize, shift: u32) -> Self {
        debug_assert!(cells.is_power_of_two());
        Self { cells: cells as u64, shift, ends: None }
    }

    /// How often the cells must double for the value to fit; 0 almost always.
    #[inline]
    pub(super) fn doublings(&self, value: u64) -> u32 {
        let cell = value >> self.shift;
        let (low, high) = self.ends.unwrap_or((cell, cell));
        if low <= cell && cell <= high {
            return 0;
        }
        let (mut low, mut high, mut doublings) = (low.min(cell), high.max(cell), 0);
        while high - low >= self.cells {
            (low, high, doublings) = (low >> 1, high >> 1, doublings + 1);
        }
        doublings
    }

    /// Doubles the cells' width once; of what `ring` holds beside them, two become one.
    #[cold]
    pub(super) fn double<T: Clone>(&mut self, ring: &mut [T], empty: T, join: impl Fn(&mut T, &T)) {
        let (old, before) = (*self, ring.to_vec());
        self.shift += 1;
        self.ends = self.ends.map(|(low, high)| (low >> 1, high >> 1));
        ring.fill(empty);
        for cell in old.range() {
            join(&mut ring[self.ring(cell >> 1)], &before[old.ring(cell)]);
        }
    }

    /// The place in the ring of a value that fits.
    #[inline]
    pub(super) fn place(&mut self, value: u64) -> usize {
        let cell = value >> self.shift;
        let (low, high) = self.ends.unwrap_or((cell, cell));
        self.ends = Some((low.min(cell), high.max(cell)));
        self.ring(cell)
    }

    /// The place in the ring of a cell.
    #[inline]
    pub(super) fn ring(&self, cell: u64) -> usize {
        (cell & (self.cells - 1)) as usize
    }

    /// The cells from the lowest to the highest.
    pub(super) fn range(&self) -> std::ops::Range<u64> {
        self.ends.map_or(0..0, |(low, high)| low..high + 1)
    }

    /// First value of the lowest cell.
    pub(super) fn start(&self) -> u64 {
        self.range().start << self.shift
    }

    /// Width of a cell.
    pub(super) fn width(&self) -> u64 {
        1 << self.shift
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(at_ns: u64, sectors: u32) -> Request {
        Request { at_ns, sector: 0, sectors, stream: 0, hint: 0, op: HostOp::Write }
    }

    #[test]
    fn nothing_is_lost_whatever_the_order_of_times() {
        let mut counter = TimelineCounter::default();
        let times: Vec<u64> = (0..20_000_u64).map(|i| (i * 7_919 % 20_000) * 1_000_003 + (1 << 60)).collect();
        times.iter().for_each(|&at_ns| counter.add(&write(at_ns, 8)));
        let timeline = counter.finish();
        assert_eq!(timeline.write_requests.iter().sum::<u64>(), 20_000);
        assert_eq!(timeline.write_bytes.iter().sum::<u64>(), 20_000 * 4096);
        assert_eq!(timeline.read_requests.iter().sum::<u64>(), 0);
        let windows = timeline.write_requests.len();
        assert!((WINDOWS_MAX / 2..=WINDOWS_MAX).contains(&windows), "{windows}");
        assert!(timeline.start_ns <= 1 << 60 && timeline.start_ns + timeline.window_ns > 1 << 60);
    }

    #[test]
    fn a_window_holds_what_arrived_in_it() {
        let mut counter = TimelineCounter::default();
        [0, 1, 1 << 20, (1 << 20) + 5, 1 << 21].into_iter().for_each(|at| counter.add(&write(at, 1)));
        let timeline = counter.finish();
        let windows: Vec<_> =
            timeline.write_requests.iter().enumerate().filter(|(_, count)| **count > 0).collect();
        let per_mebi = ((1 << 20) / timeline.window_ns) as usize;
        assert_eq!(windows, [(0, &2), (per_mebi, &2), (2 * per_mebi, &1)]);
    }
}
