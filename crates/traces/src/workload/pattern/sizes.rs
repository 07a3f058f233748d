//! Reading the keys that say how large requests are.

use super::super::bisection::bisect;
use super::super::quantity::parse_size_bytes;
use super::super::spec::StreamSpec;
use super::size_table::SizeTable;
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
}
