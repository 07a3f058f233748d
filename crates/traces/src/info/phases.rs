//! How unlike the parts of a trace are.

use super::ratio;

/// Parts of like many requests at most; twice as many become this many again.
const PARTS: usize = 16;

#[derive(Clone, Copy, Debug, Default)]
struct TracePart {
    requests: u64,
    writes: u64,
    page_writes: u64,
    updates: u64,
}

/// Follows the parts of a trace, of which nobody knows the length.
#[derive(Clone, Debug, Default)]
pub(super) struct Phases {
    parts: Vec<TracePart>,
    /// Every part but the last has `1 << doublings` requests.
    doublings: u32,
}

impl Phases {
    /// Takes a read or write: the pages it writes, and those of them written before.
    pub(super) fn add(&mut self, is_write: bool, page_writes: u64, updates: u64) {
        if self.parts.last().is_none_or(|part| part.requests >> self.doublings > 0) {
            if self.parts.len() == 2 * PARTS {
                self.double();
            }
            self.parts.push(TracePart::default());
        }
        let Some(part) = self.parts.last_mut() else { return };
        part.requests += 1;
        part.writes += u64::from(is_write);
        part.page_writes += page_writes;
        part.updates += updates;
    }

    #[cold]
    fn double(&mut self) {
        let both = |pair: &[TracePart]| TracePart {
            requests: pair.iter().map(|part| part.requests).sum(),
            writes: pair.iter().map(|part| part.writes).sum(),
            page_writes: pair.iter().map(|part| part.page_writes).sum(),
            updates: pair.iter().map(|part| part.updates).sum(),
        };
        self.parts = self.parts.chunks(2).map(both).collect();
        self.doublings += 1;
    }

    /// Standard deviation of the share of writes over the parts.
    pub(super) fn write_share_spread(&self) -> f64 {
        self.spread(|part| (part.writes, part.requests))
    }

    /// Standard deviation of the update ratio over the parts.
    pub(super) fn update_ratio_spread(&self) -> f64 {
        self.spread(|part| (part.updates, part.page_writes))
    }

    /// The deviation of a share, parts weighed by what they have of the whole.
    fn spread(&self, share: fn(&TracePart) -> (u64, u64)) -> f64 {
        let shares = self.parts.iter().map(share);
        let (part, whole) = shares.clone().fold((0, 0), |sum, add| (sum.0 + add.0, sum.1 + add.1));
        let mean = ratio(part as f64, whole as f64);
        let off = |(part, whole): (u64, u64)| {
            let share = ratio(part as f64, whole as f64);
            whole as f64 * (share - mean) * (share - mean)
        };
        ratio(shares.map(off).sum(), whole as f64).sqrt()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trace_of_two_halves_has_phases_and_a_mixed_one_none() {
        for requests in [100_u64, 1_000, 100_000] {
            let (mut halves, mut mixed) = (Phases::default(), Phases::default());
            for place in 0..requests {
                halves.add(place < requests / 2, 4, if place < requests / 2 { 4 } else { 0 });
                mixed.add(place % 2 == 0, 4, 1);
            }
            for spread in [halves.write_share_spread(), halves.update_ratio_spread()] {
                assert!((spread - 0.5).abs() < 0.03, "{requests}: {spread}");
            }
            assert!(mixed.write_share_spread() < 0.03);
            assert_eq!(mixed.update_ratio_spread(), 0.0);
        }
        assert_eq!(Phases::default().write_share_spread(), 0.0);
    }
}
