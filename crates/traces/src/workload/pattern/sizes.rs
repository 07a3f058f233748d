//! Sizes of a pattern's requests, drawn from a table of weights.

use super::super::quantity::parse_size_bytes;
use super::super::random::{bisect, Random};
use super::super::spec::StreamSpec;
use crate::error::workload_problem::WorkloadProblem;
use slcache_base::request::SECTOR_BYTES;

/// Sizes of reads, writes and trims.
pub(super) type SizeTables = [SizeTable; 3];

/// Most sizes in the table of a distribution.
const MOST_STEPS: u64 = 65_536;

/// The sizes a stream asks for; `at` is the prefix of its keys.
pub(super) fn read(spec: &StreamSpec, at: &str) -> Result<SizeTables, WorkloadProblem> {
    let said: Vec<(&str, &String)> = [
        ("bs", spec.bs.as_ref().map(|bs| &bs.0)),
        ("bssplit", spec.bssplit.as_ref()),
        ("bsrange", spec.bsrange.as_ref()),
        ("bs_distribution", spec.bs_distribution.as_ref()),
    ]
    .into_iter()
    .filter_map(|(key, value)| Some((key, value?)))
    .collect();
    let step = spec.blockalign.map_or(4096, |size| size.0);
    let (key, text) = match said[..] {
        [] => return Ok([const { SizeTable::Fixed(8) }; 3]),
        [(key, text)] => (key, text),
        _ => {
            let keys: Vec<&str> = said.iter().map(|(key, _)| *key).collect();
            let message = format!("only one of {} may be given", keys.join(", "));
            return Err(WorkloadProblem::new(format!("{at}{}", keys[1]), message));
        }
    };
    let one = |text: &str| match key {
        "bs" => sectors(text).map(SizeTable::Fixed),
        "bssplit" => split(text),
        "bsrange" => range(text, step),
        _ => distribution(text, step),
    };
    let refused = |message: String| {
        WorkloadProblem::new(format!("{at}{key}"), format!("\"{text}\" is not allowed: {message}"))
    };
    let tables = text.split(',').map(|part| one(part.trim())).collect::<Result<Vec<_>, _>>();
    let tables = tables.map_err(refused)?;
    if !(1..=3).contains(&tables.len()) {
        return Err(refused(format!("{} parts; allowed: 1 to 3 (reads, writes, trims)", tables.len())));
    }
    // As in fio, what is left out behind the last comma is taken from before it.
    Ok([0, 1, 2].map(|place: usize| tables[place.min(tables.len() - 1)].clone()))
}

fn sectors(text: &str) -> Result<u32, String> {
    let bytes = parse_size_bytes(text).filter(|bytes| *bytes > 0 && bytes % SECTOR_BYTES == 0);
    let sectors = bytes.and_then(|bytes| u32::try_from(bytes / SECTOR_BYTES).ok());
    sectors.ok_or_else(|| format!("\"{text}\" is no size; allowed: a positive multiple of 512 below 2 TiB"))
}

fn number(text: &str, least: f64, what: &str) -> Result<f64, String> {
    let number = text.parse::<f64>().ok().filter(|number| number.is_finite() && *number >= least);
    number.ok_or_else(|| format!("\"{text}\" is no {what}; allowed: a number from {least}"))
}

/// `4k/60:16k/40`.
fn split(text: &str) -> Result<SizeTable, String> {
    let mut entries = Vec::new();
    for part in text.split(':') {
        let (size, weight) =
            part.split_once('/').ok_or_else(|| format!("\"{part}\" has no weight; write SIZE/WEIGHT"))?;
        entries.push((sectors(size)?, number(weight, 0.0, "weight")?));
    }
    if entries.iter().all(|(_, weight)| *weight == 0.0) {
        return Err("all weights are 0".to_owned());
    }
    Ok(SizeTable::weighted(&entries))
}

/// `4k-64k` in steps.
fn range(text: &str, step_bytes: u64) -> Result<SizeTable, String> {
    let (from, to) = text.split_once('-').ok_or("write SMALLEST-LARGEST")?;
    let (least, most) = (sectors(from)?, sectors(to)?);
    let step = step_sectors(step_bytes)?;
    if most < least || (most - least) % step != 0 {
        return Err(format!("the largest size must be the smallest plus a multiple of {step_bytes}"));
    }
    Ok(SizeTable::Range { least, step, count: u64::from((most - least) / step) + 1 })
}

fn step_sectors(bytes: u64) -> Result<u32, String> {
    let step = u32::try_from(bytes / SECTOR_BYTES).ok().filter(|step| *step > 0 && bytes % SECTOR_BYTES == 0);
    step.ok_or_else(|| format!("blockalign of {bytes} bytes is not a multiple of 512 below 2 TiB"))
}

/// `geometric:MEAN:MAX` or `lognormal:MEAN:SIGMA:MAX`, as a table whose mean
/// is exactly the one asked for.
fn distribution(text: &str, step_bytes: u64) -> Result<SizeTable, String> {
    let parts: Vec<&str> = text.split(':').map(str::trim).collect();
    let step = step_sectors(step_bytes)?;
    let steps = |text: &str| Ok::<f64, String>(f64::from(sectors(text)?) / f64::from(step));
    let (mean, most, sigma) = match parts[..] {
        ["geometric", mean, most] => (steps(mean)?, steps(most)?, None),
        ["lognormal", mean, sigma, most] => (steps(mean)?, steps(most)?, Some(number(sigma, 0.01, "sigma")?)),
        _ => return Err("write geometric:MEAN:MAX or lognormal:MEAN:SIGMA:MAX".to_owned()),
    };
    let count = most as u64;
    if most != count as f64 || count > MOST_STEPS {
        return Err(format!("MAX must be a multiple of {step_bytes} and at most {MOST_STEPS} times that"));
    }
    if !(mean >= 1.0 && mean <= most) {
        return Err(format!("MEAN must lie between {step_bytes} bytes and MAX"));
    }
    let weights = |shift: f64| -> Vec<f64> {
        (1..=count).map(|n| weight(n as f64, shift, sigma)).collect::<Vec<f64>>()
    };
    // Far above the largest size, the weights of a lognormal all vanish.
    let ends = (-60.0, sigma.map_or(60.0, |sigma| libm::log(most) + 6.0 * sigma));
    let (low, high) = bisect(ends, 100, |shift| mean_of(&weights(shift)) < mean);
    let weights = weights((low + high) / 2.0);
    let reached = mean_of(&weights);
    if (reached - mean).abs() > 1e-6 * mean {
        return Err(format!(
            "no such distribution has this mean: the nearest is {}",
            reached * step_bytes as f64
        ));
    }
    let entry = |(place, weight): (usize, &f64)| (step * (place as u32 + 1), *weight);
    Ok(SizeTable::weighted(&weights.iter().enumerate().map(entry).collect::<Vec<_>>()))
}

/// The weight of `n` steps; larger shifts favour larger sizes.
fn weight(n: f64, shift: f64, sigma: Option<f64>) -> f64 {
    match sigma {
        None => {
            let log_ratio = -libm::exp(-shift);
            libm::exp(log_ratio * (n - 1.0))
        }
        Some(sigma) => {
            let below =
                |x: f64| 0.5 * libm::erfc(-(libm::log(x) - shift) / (sigma * core::f64::consts::SQRT_2));
            let lower = if n > 1.0 { below(n - 0.5) } else { 0.0 };
            below(n + 0.5) - lower
        }
    }
}

/// The mean of 1, 2, ... under weights; 1 where all weights vanish.
fn mean_of(weights: &[f64]) -> f64 {
    let total: f64 = weights.iter().sum();
    let moment: f64 = weights.iter().enumerate().map(|(place, weight)| (place + 1) as f64 * weight).sum();
    if total > 0.0 {
        moment / total
    } else {
        1.0
    }
}

/// How a size is drawn, in sectors of 512 bytes.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum SizeTable {
    /// Always the same.
    Fixed(u32),
    /// `least + step * n` with `n` below `count`, all equally likely.
    Range { least: u32, step: u32, count: u64 },
    /// By weight, in constant time (Walker's alias method).
    Alias(Box<[AliasEntry]>),
}

/// A size, the chance to keep it, and the size taken otherwise.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct AliasEntry {
    sectors: u32,
    keep: u32,
    other: u32,
}

impl SizeTable {
    /// Sizes by weight; weights are not negative and not all 0.
    pub(super) fn weighted(entries: &[(u32, f64)]) -> Self {
        if let [(sectors, _)] = entries {
            return Self::Fixed(*sectors);
        }
        let total: f64 = entries.iter().map(|(_, weight)| weight).sum();
        let count = entries.len() as f64;
        let mut scaled: Vec<f64> = entries.iter().map(|(_, weight)| weight / total * count).collect();
        let mut table: Vec<AliasEntry> = entries
            .iter()
            .map(|&(sectors, _)| AliasEntry { sectors, keep: u32::MAX, other: sectors })
            .collect();
        let (mut small, mut large): (Vec<usize>, Vec<usize>) =
            (0..entries.len()).partition(|&place| scaled[place] < 1.0);
        while let (Some(poor), Some(&rich)) = (small.pop(), large.last()) {
            table[poor].keep = (scaled[poor] * 4_294_967_296.0) as u32;
            table[poor].other = entries[rich].0;
            scaled[rich] -= 1.0 - scaled[poor];
            if scaled[rich] < 1.0 {
                small.extend(large.pop());
            }
        }
        Self::Alias(table.into())
    }

    /// A size in sectors.
    #[inline]
    pub(super) fn draw(&self, random: &mut Random) -> u32 {
        match self {
            Self::Fixed(sectors) => *sectors,
            Self::Range { least, step, count } => least + step * random.below(*count) as u32,
            Self::Alias(table) => {
                let product = u128::from(random.bits()) * table.len() as u128;
                let entry = &table[(product >> 64) as usize];
                // The fraction below the place is uniform again.
                if ((product as u64) >> 32) as u32 <= entry.keep {
                    entry.sectors
                } else {
                    entry.other
                }
            }
        }
    }

    /// Smallest and largest size in sectors.
    pub(super) fn bounds(&self) -> (u32, u32) {
        match self {
            Self::Fixed(sectors) => (*sectors, *sectors),
            Self::Range { least, step, count } => (*least, least + step * (*count as u32 - 1)),
            Self::Alias(table) => {
                let sizes = || table.iter().map(|entry| entry.sectors);
                (sizes().min().unwrap_or(0), sizes().max().unwrap_or(0))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::random::Random;
    use super::*;

    fn mean_bytes(text: &str) -> f64 {
        let table = distribution(text, 4096).unwrap();
        let mut random = Random::new(5, 0, "size");
        let total: f64 = (0..200_000).map(|_| f64::from(table.draw(&mut random))).sum();
        total / 200_000.0 * 512.0
    }

    #[test]
    fn distributions_have_the_mean_asked_for() {
        for text in ["geometric:16k:1M", "lognormal:16k:1.0:1M", "geometric:4k:64k", "lognormal:64k:0.3:256k"]
        {
            let wanted = parse_size_bytes(text.split(':').nth(1).unwrap()).unwrap() as f64;
            assert!((mean_bytes(text) / wanted - 1.0).abs() < 0.015, "{text}: {}", mean_bytes(text));
        }
    }

    #[test]
    fn geometric_falls_by_a_constant_ratio() {
        let weights: Vec<f64> = (1..=5).map(|n| weight(f64::from(n), 0.3, None)).collect();
        let ratio = weights[1] / weights[0];
        assert!(weights.windows(2).all(|pair| (pair[1] / pair[0] - ratio).abs() < 1e-12));
    }

    #[test]
    fn impossible_sizes_are_refused() {
        for text in
            ["geometric:1000k:1M", "lognormal:2M:1:1M", "geometric:3k:1M", "normal:4k:8k", "geometric:8k:10k"]
        {
            assert!(distribution(text, 4096).is_err(), "{text}");
        }
        assert!(split("4k/0").is_err());
        assert!(split("4k").is_err());
        assert!(range("4k-10k", 4096).is_err());
        assert!(sectors("1000").is_err());
    }

    #[test]
    fn alias_draws_follow_the_weights() {
        let weights = [(8, 60.0), (32, 30.0), (128, 9.0), (256, 1.0), (512, 0.0)];
        let table = SizeTable::weighted(&weights);
        let mut random = Random::new(3, 0, "size");
        let draws: Vec<u32> = (0..200_000).map(|_| table.draw(&mut random)).collect();
        let chi_square: f64 = weights[..4]
            .iter()
            .map(|&(sectors, weight)| {
                let (seen, expected) =
                    (draws.iter().filter(|&&d| d == sectors).count() as f64, weight * 2000.0);
                (seen - expected) * (seen - expected) / expected
            })
            .sum();
        // 3 degrees of freedom: 16.3 is exceeded once in a thousand times.
        assert!(chi_square < 16.3, "{chi_square}");
        assert!(!draws.contains(&512));
        assert_eq!(table.bounds(), (8, 512));
    }
}
