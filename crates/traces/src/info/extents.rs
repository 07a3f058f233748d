//! Whether what is overwritten was written in the same pieces before.

use super::ratio;
use super::sample::Sample;
use rustc_hash::FxHashSet;
use slcache_base::request::Request;

/// Extents remembered at most, about 70 MB; beyond, every other start is dropped.
const EXTENTS_MAX: usize = 1 << 21;

/// Remembers the extents (start and length) of writes.
#[derive(Default)]
pub(super) struct Extents {
    written: FxHashSet<(u16, u64, u32)>,
    /// Of the starts.
    sample: Sample,
    overwriting: u64,
    /// Those of a sample, each standing for the others that it represents.
    sampled: u64,
    repeated: u64,
}

impl Extents {
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
    fn start_and_length_must_both_repeat() {
        let mut extents = Extents::default();
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
        let mut extents = Extents::default();
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
