//! How much times, sizes and operations say about each other.

use super::arrivals::SHORT_NS;
use super::gaps::{gap_class, CLASSES as GAPS};
use super::ratio;
use super::sizes::LogBuckets;
use slcache_base::request::{HostOp, Request};

/// Classes of sizes: up to 512 bytes, 1 KiB, 2 KiB, ...
const SIZES: usize = 33;

/// Counts requests by gap, size and operation.
#[derive(Clone, Debug)]
pub(super) struct Coupling {
    counts: Vec<[[u64; SIZES]; 2]>,
    /// Bytes written in the burst that goes on.
    burst_bytes: u64,
    /// Bursts by the bytes that they write, weighed with these.
    bursts: LogBuckets,
}

impl Default for Coupling {
    fn default() -> Self {
        Self { counts: vec![[[0; SIZES]; 2]; GAPS], burst_bytes: 0, bursts: LogBuckets::default() }
    }
}

impl Coupling {
    /// Takes a read or write, and the gap before it.
    pub(super) fn add(&mut self, request: &Request, gap_ns: Option<u64>) {
        let is_write = request.op == HostOp::Write;
        if let Some(gap_ns) = gap_ns {
            let size = (32 - request.sectors.saturating_sub(1).leading_zeros()) as usize;
            self.counts[gap_class(gap_ns)][usize::from(is_write)][size] += 1;
            if gap_ns > SHORT_NS {
                self.bursts.add(self.burst_bytes, self.burst_bytes);
                self.burst_bytes = 0;
            }
        }
        if is_write {
            self.burst_bytes += request.bytes();
        }
    }

    /// Cramér's V of the gap before a request and its size.
    pub(super) fn gap_size(&self) -> f64 {
        cramers_v::<GAPS, SIZES>(|gap, size| self.counts[gap][0][size] + self.counts[gap][1][size])
    }

    /// Cramér's V of the gap before a request and its operation.
    pub(super) fn gap_op(&self) -> f64 {
        cramers_v::<GAPS, 2>(|gap, op| self.counts[gap][op].iter().sum())
    }

    /// Cramér's V of a request's size and its operation.
    pub(super) fn size_op(&self) -> f64 {
        cramers_v::<SIZES, 2>(|size, op| self.counts.iter().map(|gap| gap[op][size]).sum())
    }

    /// Bytes written by bursts that half of all bytes written lie in bursts up to.
    pub(super) fn median_burst_write_bytes(&self) -> u64 {
        let mut bursts = self.bursts.clone();
        bursts.add(self.burst_bytes, self.burst_bytes);
        bursts.quantile(5_000)
    }
}

/// Cramér's V of a table of counts: 0 where rows and columns are independent, 1 where one decides
/// the other. Empty rows and columns are left out.
fn cramers_v<const ROWS: usize, const COLUMNS: usize>(count: impl Fn(usize, usize) -> u64) -> f64 {
    let (mut rows, mut columns) = ([0.0; ROWS], [0.0; COLUMNS]);
    for (row, of_row) in rows.iter_mut().enumerate() {
        for (column, of_column) in columns.iter_mut().enumerate() {
            let count = count(row, column) as f64;
            *of_row += count;
            *of_column += count;
        }
    }
    let used = |sums: &[f64]| sums.iter().filter(|&&sum| sum > 0.0).count();
    let least = used(&rows).min(used(&columns));
    if least < 2 {
        return 0.0;
    }
    let mut square = 0.0;
    for (row, of_row) in rows.iter().enumerate() {
        for (column, of_column) in columns.iter().enumerate() {
            let count = count(row, column) as f64;
            square += ratio(count * count, of_row * of_column);
        }
    }
    ((square - 1.0).max(0.0) / (least - 1) as f64).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn coupling(requests: &[(u64, u32, HostOp)]) -> Coupling {
        let (mut coupling, mut previous_us) = (Coupling::default(), None);
        for &(at_us, sectors, op) in requests {
            let request = Request { at_ns: at_us * 1000, sector: 0, sectors, stream: 0, hint: 0, op };
            let gap_ns = previous_us.replace(at_us).map(|previous_us| 1000 * (at_us - previous_us));
            coupling.add(&request, gap_ns);
        }
        coupling
    }

    #[test]
    fn what_decides_is_one_and_what_is_independent_nothing() {
        use HostOp::{Read, Write};
        // Behind a gap of 5 us small reads, behind one of 5 ms large writes.
        let mut tied = vec![(0, 8, Read)];
        // Every gap with every size and operation as often.
        let mut free = tied.clone();
        let (mut tied_us, mut free_us) = (0, 0);
        for turn in 0..64_u64 {
            let long = turn % 2 == 1;
            tied_us += if long { 5_000 } else { 5 };
            tied.push((tied_us, if long { 64 } else { 8 }, if long { Write } else { Read }));
            free_us += if long { 5_000 } else { 5 };
            let size = if turn / 2 % 2 == 1 { 64 } else { 8 };
            free.push((free_us, size, if turn / 4 % 2 == 1 { Write } else { Read }));
        }
        let (tied, free) = (coupling(&tied), coupling(&free));
        for (one, nothing) in [
            (tied.gap_size(), free.gap_size()),
            (tied.gap_op(), free.gap_op()),
            (tied.size_op(), free.size_op()),
        ] {
            assert!((one - 1.0).abs() < 1e-12 && nothing < 1e-6, "{one} {nothing}");
        }
        assert_eq!(coupling(&[(0, 8, Write), (1, 8, Write)]).gap_size(), 0.0);
    }

    #[test]
    fn bursts_are_weighed_by_what_they_write() {
        use HostOp::{Read, Write};
        let taken = coupling(&[(0, 16, Write), (10, 8, Read), (20, 16, Write), (9_000, 8, Write)]);
        assert_eq!(taken.median_burst_write_bytes(), 17_407);
        assert_eq!(Coupling::default().median_burst_write_bytes(), 0);
    }
}
