//! How many requests of a twin have which size and alignment, in exact counts.

use super::super::quantity::SizeBytes;
use super::super::random::bisect;
use super::super::spec::{SizeShare, SizeSharesBy, TwinSpec};
use super::quota::apportion;
use crate::error::workload_problem::WorkloadProblem;
use slcache_base::request::SECTOR_BYTES;

/// Sectors in a 4 KiB page.
const PAGE_SECTORS: u32 = 8;
pub(super) const SECTORS: u64 = PAGE_SECTORS as u64;
/// Steepest fall of counts with size that is tried.
const STEEPEST: f64 = 40.0;

/// Shares of sizes (in sectors) by count.
pub(super) type SizeMix = Vec<(u32, f64)>;

/// Ranges of sizes with their shares, to be filled.
pub(super) struct Ranges {
    /// Sizes in each range and its share.
    ranges: Vec<(Vec<u32>, f64)>,
    by: SizeSharesBy,
}

impl Ranges {
    /// The ranges asked for; without any, one from 4 KiB to `max_bytes`.
    pub(super) fn new(shares: &[SizeShare], by: SizeSharesBy, max_bytes: u64) -> Result<Self, String> {
        let whole = [SizeShare { to_bytes: None, share: 1.0 }];
        let shares = if shares.is_empty() { &whole } else { shares };
        let mut lower = 0;
        let mut ranges = Vec::new();
        for (place, SizeShare { to_bytes, share }) in shares.iter().enumerate() {
            let to_bytes = match to_bytes {
                Some(to_bytes) => to_bytes.0,
                None if place + 1 == shares.len() => max_bytes,
                None => return Err("only the last range may leave to_bytes out".to_owned()),
            };
            let to = u32::try_from(to_bytes / SECTOR_BYTES).ok().filter(|_| to_bytes % SECTOR_BYTES == 0);
            let to = to.filter(|to| *to > lower).ok_or_else(|| {
                format!("{to_bytes} is not allowed; allowed: ascending multiples of 512 below 2 TiB")
            })?;
            if !(share.is_finite() && *share >= 0.0) {
                return Err(format!("a share of {share} is not allowed; allowed: 0 or more"));
            }
            ranges.push((ladder(lower, to), *share));
            lower = to;
        }
        let total: f64 = ranges.iter().map(|(_, share)| share).sum();
        if total <= 0.0 {
            return Err("the shares are all 0".to_owned());
        }
        ranges.iter_mut().for_each(|(_, share)| *share /= total);
        ranges.retain(|(_, share)| *share > 0.0);
        Ok(Self { ranges, by })
    }

    /// The mix whose counts fall within each range by the same power of the
    /// size, chosen so that the mean is `mean_bytes` (without: by the size itself).
    pub(super) fn mix(&self, mean_bytes: Option<f64>) -> Result<SizeMix, String> {
        let Some(mean_bytes) = mean_bytes else {
            return Ok(self.with_fall(1.0));
        };
        let (least, most) = (mean_of(&self.with_fall(STEEPEST)), mean_of(&self.with_fall(-STEEPEST)));
        // The ends are reached but for rounding.
        if !(least * 0.9999..=most * 1.0001).contains(&mean_bytes) {
            return Err(format!("these sizes have a mean between {least:.0} and {most:.0} bytes"));
        }
        let (low, high) =
            bisect((-STEEPEST, STEEPEST), 100, |power| mean_of(&self.with_fall(power)) > mean_bytes);
        Ok(self.with_fall((low + high) / 2.0))
    }

    fn with_fall(&self, power: f64) -> SizeMix {
        let mut mix = SizeMix::new();
        for (sizes, share) in &self.ranges {
            let middle = f64::from(sizes[0]);
            let weight = |sectors: u32| libm::exp(-power * libm::log(f64::from(sectors) / middle));
            let total: f64 = sizes.iter().map(|&sectors| weight(sectors)).sum();
            let mean: f64 = sizes.iter().map(|&s| f64::from(s) * weight(s) / total).sum();
            let count_share = match self.by {
                SizeSharesBy::Count => *share,
                SizeSharesBy::Volume => share / mean,
            };
            mix.extend(sizes.iter().map(|&sectors| (sectors, count_share * weight(sectors) / total)));
        }
        let total: f64 = mix.iter().map(|(_, share)| share).sum();
        mix.iter_mut().for_each(|(_, share)| *share /= total);
        mix
    }
}

/// Mean size in bytes.
pub(super) fn mean_of(mix: &SizeMix) -> f64 {
    mix.iter().map(|(sectors, share)| f64::from(*sectors) * SECTOR_BYTES as f64 * share).sum()
}

/// Sizes above `lower` up to `upper` sectors: 1, 2, 3, 4, 6, 8, 12, 16, ...
/// pages of 4 KiB, and the upper end itself.
fn ladder(lower: u32, upper: u32) -> Vec<u32> {
    let powers = (0..30).map(|power| 1u64 << power);
    let steps = powers.flat_map(|power| [power * 2, power * 3]);
    let pages = std::iter::once(1).chain(steps).map(|pages| pages * SECTORS);
    let mut sizes: Vec<u32> = pages
        .filter_map(|sectors| u32::try_from(sectors).ok())
        .filter(|sectors| *sectors > lower && *sectors <= upper)
        .collect();
    sizes.push(upper);
    sizes.sort_unstable();
    sizes.dedup();
    sizes
}

/// Requests of one size.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct SizeClass {
    pub(super) sectors: u32,
    /// Whether they start off the 4 KiB pages; only whole pages do.
    pub(super) shifted: bool,
}

impl SizeClass {
    /// 4 KiB pages that such a request touches.
    pub(super) fn pages(self) -> u64 {
        u64::from(self.sectors.div_ceil(PAGE_SECTORS)) + u64::from(self.shifted)
    }

    /// Whether its start or length is off the 4 KiB pages.
    pub(super) fn unaligned(self) -> bool {
        self.shifted || self.sectors % PAGE_SECTORS != 0
    }
}

const DEFAULT_MAX_BYTES: u64 = 128 << 10;

#[derive(Clone, Copy, PartialEq)]
pub(super) enum Side {
    Read,
    Write,
}

/// Sizes of one kind of request in exact counts.
pub(super) fn classes(
    spec: &TwinSpec,
    counts: &RequestCounts,
    side: Side,
    total: u64,
) -> Result<Vec<(SizeClass, u64)>, WorkloadProblem> {
    if total == 0 {
        return Ok(Vec::new());
    }
    let (shares, max, mean, name) = match side {
        Side::Read => (spec.read_sizes.clone(), spec.max_read_bytes, counts.mean_read_bytes, "read"),
        Side::Write => (spec.write_sizes.clone(), spec.max_write_bytes, counts.mean_write_bytes, "write"),
    };
    let max_bytes = max.map_or(DEFAULT_MAX_BYTES, |size| size.0);
    let (shares, by) = match spec.small_write_share.filter(|_| side == Side::Write) {
        Some(small) => (small_and_large(small), SizeSharesBy::Count),
        None => (shares, spec.size_shares_by.unwrap_or(SizeSharesBy::Count)),
    };
    let refused = |message: String| WorkloadProblem::new(format!("twin.mean_{name}_bytes"), message);
    if mean.is_none() && shares.is_empty() {
        return Err(refused(format!("missing: the sizes of {name}s do not follow from the figures given")));
    }
    let mix = Ranges::new(&shares, by, max_bytes).and_then(|ranges| ranges.mix(mean));
    let mix = mix.map_err(|message| {
        let mean = mean.map_or("not given".to_owned(), |mean| format!("{mean:.0}"));
        let with = if side == Side::Write { ", small_write_share" } else { "" };
        refused(format!(
            "{mean} conflicts with {name}_sizes{with} and max_{name}_bytes = {max_bytes}: {message}"
        ))
    })?;
    let shares: Vec<f64> = mix.iter().map(|(_, share)| *share).collect();
    let counts = apportion(total, &shares);
    let class =
        |((sectors, _), count): (&(u32, f64), u64)| (SizeClass { sectors: *sectors, shifted: false }, count);
    Ok(mix.iter().zip(counts).map(class).collect())
}

fn small_and_large(small: f64) -> Vec<SizeShare> {
    let to_4kib = SizeShare { to_bytes: Some(SizeBytes(4096)), share: small };
    vec![to_4kib, SizeShare { to_bytes: None, share: 1.0 - small }]
}

/// Moves requests off the 4 KiB pages until as many are unaligned as asked for.
pub(super) fn shift(
    spec: &TwinSpec,
    reads: &mut Vec<(SizeClass, u64)>,
    writes: &mut Vec<(SizeClass, u64)>,
) -> Result<(), WorkloadProblem> {
    let Some(share) = spec.not_4kib_aligned_share else {
        return Ok(());
    };
    let all = || reads.iter().chain(writes.iter());
    let total: u64 = all().map(|(_, count)| count).sum();
    let by_size: u64 = all().filter(|(class, _)| class.unaligned()).map(|(_, count)| count).sum();
    let wanted = libm::round(share * total as f64) as u64;
    if by_size > wanted {
        let sizes = by_size as f64 / total as f64;
        let message =
            format!("{share} conflicts with the sizes: {sizes:.4} of the requests are no whole pages");
        return Err(WorkloadProblem::new("twin.not_4kib_aligned_share", message));
    }
    let counts: Vec<f64> =
        all().map(|(class, count)| if class.unaligned() { 0.0 } else { *count as f64 }).collect();
    if wanted == by_size {
        return Ok(());
    }
    let moved = apportion(wanted - by_size, &counts);
    let (for_reads, for_writes) = moved.split_at(reads.len());
    for (classes, moved) in [(reads, for_reads), (writes, for_writes)] {
        let mut shifted = Vec::new();
        for ((class, count), moved) in classes.iter_mut().zip(moved) {
            *count -= moved;
            shifted.push((SizeClass { shifted: true, ..*class }, *moved));
        }
        classes.extend(shifted.into_iter().filter(|(_, count)| *count > 0));
    }
    Ok(())
}

/// Reads and writes with their mean sizes, as far as the figures determine them.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct RequestCounts {
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

impl RequestCounts {
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
    use super::super::super::quantity::SizeBytes;
    use super::*;
    use crate::workload::quantity::FigureBytes;

    fn shares(list: &[(u64, f64)]) -> Vec<SizeShare> {
        list.iter().map(|&(to, share)| SizeShare { to_bytes: Some(SizeBytes(to << 10)), share }).collect()
    }

    #[test]
    fn mean_and_shares_by_volume_are_met() {
        let ranges = shares(&[(128, 29.47), (256, 23.08), (512, 27.03), (1024, 20.42)]);
        let mix = Ranges::new(&ranges, SizeSharesBy::Volume, 0).unwrap().mix(Some(66.7 * 1024.0)).unwrap();
        assert!((mean_of(&mix) / 1024.0 - 66.7).abs() < 1e-6);
        let volume = |from: u32, to: u32| -> f64 {
            let inside = mix.iter().filter(|(s, _)| *s > from * 2 && *s <= to * 2);
            inside.map(|(s, share)| f64::from(*s) * share).sum::<f64>() / (66.7 * 2.0)
        };
        assert!((volume(0, 128) - 0.2947).abs() < 1e-6);
        assert!((volume(512, 1024) - 0.2042).abs() < 1e-6);
    }

    #[test]
    fn shares_by_count_are_met() {
        let ranges = shares(&[(4, 0.66), (128, 0.34)]);
        let mix = Ranges::new(&ranges, SizeSharesBy::Count, 0).unwrap().mix(Some(8529.92)).unwrap();
        assert_eq!(mix[0].0, 8);
        assert!((mix[0].1 - 0.66).abs() < 1e-9);
        assert!((mean_of(&mix) - 8529.92).abs() < 1e-3);
    }

    #[test]
    fn impossible_means_are_refused_with_the_possible_ones() {
        let ranges = shares(&[(4, 0.9), (128, 0.1)]);
        let error = Ranges::new(&ranges, SizeSharesBy::Count, 0).unwrap().mix(Some(40_000.0)).unwrap_err();
        assert!(error.contains("between 4506 and 16"), "{error}");
    }

    #[test]
    fn ladders_hold_their_ends() {
        assert_eq!(ladder(0, 64), [8, 16, 24, 32, 48, 64]);
        assert_eq!(ladder(64, 100), [96, 100]);
        assert_eq!(ladder(0, 1), [1]);
    }

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
        let counts = RequestCounts::of(&spec);
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
        let counts = RequestCounts::of(&spec);
        assert_eq!((counts.writes.unwrap() as u64, counts.reads.unwrap()), (712_746, 0.0));
    }
}
