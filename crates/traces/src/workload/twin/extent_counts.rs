//! Extents of each size, so that they make up a footprint.

use super::super::bisection::bisect;
use super::sizes::SizeClass;
use std::cmp::Reverse;

/// Steepest dependence of fresh requests on their size that is tried, as a power of it.
const STEEPEST: f64 = 8.0;

/// Sizes with how often they are requested.
pub(super) type Classes = [(SizeClass, u64)];

/// Extents of each size that lie on `pages` pages together (fewer where the
/// sizes do not go up): in proportion to its requests, times its pages to the
/// power of `tilt`. The largest size has one at least, so that all others,
/// which may have none, can go into it.
fn with_tilt(classes: &Classes, pages: u64, tilt: f64) -> Vec<u64> {
    let exact = exact(classes, pages, tilt);
    let mut counts: Vec<u64> = exact.iter().map(|count| *count as u64).collect();
    let mut order: Vec<usize> = (0..classes.len()).filter(|&at| classes[at].1 > 0).collect();
    order.sort_by_key(|&at| Reverse(classes[at].0.pages()));
    let size = |at: usize| classes[at].0.pages();
    let used = |counts: &[u64]| -> u64 { (0..classes.len()).map(|at| size(at) * counts[at]).sum() };
    if let Some(&largest) = order.first().filter(|&&at| counts[at] == 0 && size(at) <= pages) {
        counts[largest] = 1;
        for &at in &order[1..] {
            let over = used(&counts).saturating_sub(pages).div_ceil(size(at));
            counts[at] -= over.min(counts[at]);
        }
    }
    // What rounding left: first where most is missing, then wherever it fits.
    for least_missing in [0.5, f64::NEG_INFINITY] {
        for &at in &order {
            let missing = exact[at] - counts[at] as f64;
            let most = if least_missing > 0.0 { u64::from(missing >= least_missing) } else { classes[at].1 };
            let fit = pages.saturating_sub(used(&counts)) / size(at);
            counts[at] += fit.min(most).min(classes[at].1 - counts[at]);
        }
    }
    counts
}

/// How many extents each class has at this tilt, before rounding.
fn exact(classes: &Classes, pages: u64, tilt: f64) -> Vec<f64> {
    let count = |(class, n): &(SizeClass, u64), log: f64| {
        let share = libm::exp(log + tilt * libm::log(class.pages() as f64));
        share.min(1.0) * *n as f64
    };
    let total =
        |log: f64| -> f64 { classes.iter().map(|size| count(size, log) * size.0.pages() as f64).sum() };
    let (_, high) = bisect((-200.0, 200.0), 100, |log| total(log) < pages as f64);
    classes.iter().map(|size| count(size, high)).collect()
}

/// Extents of each size on `pages` pages; the requests to pages requested before
/// are `updates` where that is given, else the same share of each size. `Err`
/// has the least and the greatest number of updates there can be.
pub(super) fn extent_counts(
    classes: &Classes,
    pages: u64,
    updates: Option<f64>,
) -> Result<Vec<u64>, (u64, u64)> {
    let Some(updates) = updates else {
        return Ok(with_tilt(classes, pages, 0.0));
    };
    let made = |tilt: f64| -> u64 {
        classes.iter().zip(with_tilt(classes, pages, tilt)).map(|((_, n), extents)| n - extents).sum()
    };
    let (least, most) = (made(-STEEPEST), made(STEEPEST));
    if updates < least as f64 * 0.99 - 1.0 || updates > most as f64 * 1.01 + 1.0 {
        return Err((least, most));
    }
    // The larger the fresh extents, the fewer of them and the more updates.
    let (low, high) = bisect((-STEEPEST, STEEPEST), 50, |tilt| (made(tilt) as f64) < updates);
    let off = |tilt: f64| (made(tilt) as f64 - updates).abs();
    Ok(with_tilt(classes, pages, if off(low) < off(high) { low } else { high }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn classes(sizes: &[(u32, u64)]) -> Vec<(SizeClass, u64)> {
        let class = |&(pages, n): &(u32, u64)| (SizeClass { sectors: pages * 8, shifted: false }, n);
        sizes.iter().map(class).collect()
    }

    fn pages(classes: &Classes, counts: &[u64]) -> u64 {
        classes.iter().zip(counts).map(|((class, _), n)| class.pages() * n).sum()
    }

    #[test]
    fn extents_make_up_the_footprint() {
        let sizes = classes(&[(1, 500), (2, 200), (3, 100), (8, 30), (32, 3)]);
        for footprint in [32, 33, 50, 99, 400, 1000, 1400, 1536] {
            let counts = extent_counts(&sizes, footprint, None).unwrap();
            assert_eq!(pages(&sizes, &counts), footprint, "{counts:?}");
            assert!(counts[4] >= 1 && sizes.iter().zip(&counts).all(|((_, n), count)| count <= n));
        }
        // Nothing fits between multiples of the only size.
        assert_eq!(extent_counts(&classes(&[(4, 10)]), 23, None), Ok(vec![5]));
    }

    #[test]
    fn updates_are_met_or_their_range_is_told() {
        let sizes = classes(&[(1, 5000), (2, 2000), (8, 300), (32, 30)]);
        for updates in [8000.0_f64, 6500.0, 7000.0] {
            match extent_counts(&sizes, 2000, Some(updates)) {
                Ok(counts) => {
                    let made = 7330 - counts.iter().sum::<u64>();
                    assert_eq!(pages(&sizes, &counts), 2000);
                    assert!((made as f64 - updates).abs() < 0.01 * updates, "{made} for {updates}");
                }
                Err((least, most)) => assert!(updates > most as f64 && least < most, "{least} to {most}"),
            }
        }
    }
}
