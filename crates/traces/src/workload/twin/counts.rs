//! How many requests of which mean size, from whatever figures are given.

use super::super::spec::TwinSpec;

/// Reads and writes with their mean sizes, as far as the figures determine them.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Counts {
    pub(super) requests: Option<f64>,
    pub(super) reads: Option<f64>,
    pub(super) writes: Option<f64>,
    pub(super) write_share: Option<f64>,
    pub(super) read_bytes: Option<f64>,
    pub(super) write_bytes: Option<f64>,
    pub(super) mean_read_bytes: Option<f64>,
    pub(super) mean_write_bytes: Option<f64>,
}

/// Sets a value that is not known yet.
fn learn(known: &mut Option<f64>, value: Option<f64>) {
    if known.is_none() {
        *known = value.filter(|value| value.is_finite() && *value >= 0.0);
    }
}

fn both(a: Option<f64>, b: Option<f64>, of: impl Fn(f64, f64) -> f64) -> Option<f64> {
    Some(of(a?, b?))
}

impl Counts {
    /// Follows the arithmetic between the figures until nothing new comes out.
    /// What is given is never changed here; contradictions show up later, when
    /// all given figures are compared with what comes out.
    pub(super) fn of(spec: &TwinSpec) -> Self {
        let mut counts = Self {
            requests: spec.requests.map(|requests| requests as f64),
            write_share: spec.write_share,
            read_bytes: spec.read_bytes.map(|figure| figure.0),
            write_bytes: spec.write_bytes.map(|figure| figure.0),
            mean_read_bytes: spec.mean_read_bytes.map(|figure| figure.0),
            mean_write_bytes: spec.mean_write_bytes.map(|figure| figure.0),
            ..Self::default()
        };
        for _ in 0..8 {
            counts.learn_counts();
            counts.learn_bytes(spec);
        }
        counts
    }

    fn learn_counts(&mut self) {
        learn(&mut self.writes, both(self.requests, self.write_share, |n, share| n * share));
        learn(&mut self.writes, both(self.write_bytes, self.mean_write_bytes, |bytes, mean| bytes / mean));
        learn(&mut self.reads, both(self.requests, self.writes, |n, writes| n - writes));
        learn(&mut self.reads, both(self.read_bytes, self.mean_read_bytes, |bytes, mean| bytes / mean));
        if let (Some(writes), Some(share)) = (self.writes, self.write_share) {
            learn(&mut self.requests, (share > 0.0).then(|| writes / share));
        }
        if let (Some(reads), Some(share)) = (self.reads, self.write_share) {
            learn(&mut self.requests, (share < 1.0).then(|| reads / (1.0 - share)));
        }
        learn(&mut self.requests, both(self.reads, self.writes, |reads, writes| reads + writes));
        learn(&mut self.writes, both(self.requests, self.reads, |n, reads| n - reads));
        learn(&mut self.write_share, both(self.writes, self.requests, |writes, n| writes / n));
    }

    fn learn_bytes(&mut self, spec: &TwinSpec) {
        if let Some(share) = spec.write_bytes_share {
            learn(&mut self.read_bytes, self.write_bytes.map(|bytes| bytes * (1.0 - share) / share));
            learn(&mut self.write_bytes, self.read_bytes.map(|bytes| bytes * share / (1.0 - share)));
        }
        learn(&mut self.write_bytes, both(self.writes, self.mean_write_bytes, |n, mean| n * mean));
        learn(&mut self.read_bytes, both(self.reads, self.mean_read_bytes, |n, mean| n * mean));
        learn(&mut self.mean_write_bytes, both(self.write_bytes, self.writes, |bytes, n| bytes / n));
        learn(&mut self.mean_read_bytes, both(self.read_bytes, self.reads, |bytes, n| bytes / n));
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::quantity::FigureBytes;
    use super::*;

    #[test]
    fn totals_and_means_give_counts() {
        let gib = |gib: f64| Some(FigureBytes(gib * 1_073_741_824.0));
        let kib = |kib: f64| Some(FigureBytes(kib * 1024.0));
        let spec = TwinSpec {
            read_bytes: gib(6.76),
            write_bytes: gib(28.16),
            mean_read_bytes: kib(5.73),
            mean_write_bytes: kib(7.2),
            ..TwinSpec::default()
        };
        let counts = Counts::of(&spec);
        assert_eq!(counts.writes.unwrap() as u64, 4_101_097);
        assert_eq!(counts.reads.unwrap() as u64, 1237063);
    }

    #[test]
    fn a_mean_and_a_total_give_counts_of_a_write_only_trace() {
        let spec = TwinSpec {
            write_share: Some(1.0),
            write_bytes: Some(FigureBytes(46_426.0 * 1_048_576.0)),
            mean_write_bytes: Some(FigureBytes(66.7 * 1024.0)),
            ..TwinSpec::default()
        };
        let counts = Counts::of(&spec);
        assert_eq!((counts.writes.unwrap() as u64, counts.reads.unwrap()), (712_746, 0.0));
    }
}
