//! A mix of sizes with a given mean and given shares of ranges.

use super::super::bisection::bisect;
use super::super::spec::{SizeShare, SizeSharesBy};
use slcache_base::request::SECTOR_BYTES;

/// Sectors in a 4 KiB page.
pub(super) const PAGE_SECTORS: u32 = 8;
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
    let pages = std::iter::once(1).chain(steps).map(|pages| pages * u64::from(PAGE_SECTORS));
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

#[cfg(test)]
mod tests {
    use super::super::super::quantity::SizeBytes;
    use super::*;

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
}
