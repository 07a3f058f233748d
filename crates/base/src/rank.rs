//! Percentiles by nearest rank, in whole numbers: in floating point 99.9 % of 4,000 is a little above 3,996,
//! which rounded up is the next rank.

use hdrhistogram::Histogram;

/// The rank, from 1, of the smallest of `count` values that so many in ten thousand do not exceed.
pub fn rank(count: u64, per_myriad: u64) -> u64 {
    ((u128::from(count) * u128::from(per_myriad)).div_ceil(10_000) as u64).max(1)
}

/// The place of the first of some counts that reaches a rank together with those before it.
pub fn place_of(rank: u64, mut counts: impl Iterator<Item = u64>) -> Option<usize> {
    let mut reached = 0;
    counts.position(|count| {
        reached += count;
        reached >= rank
    })
}

/// The value of that rank in a histogram.
pub fn value_at(histogram: &Histogram<u64>, per_myriad: u64) -> u64 {
    // The histogram rounds up what it is asked for.
    let below = rank(histogram.len(), per_myriad) as f64 - 0.5;
    histogram.value_at_quantile(below / histogram.len().max(1) as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rank_is_the_first_that_enough_do_not_exceed() {
        for count in 1..3000 {
            for per_myriad in [0, 1, 5000, 9000, 9500, 9900, 9990, 9999, 10_000] {
                let found = rank(count, per_myriad);
                let enough = |rank: u64| rank * 10_000 >= count * per_myriad;
                assert!((1..=count).contains(&found) && enough(found), "{count}, {per_myriad}");
                assert!(found == 1 || !enough(found - 1), "{count}, {per_myriad}");
            }
        }
        assert_eq!((rank(0, 9_990), rank(u64::MAX, 10_000)), (1, u64::MAX));
        let place = |rank| place_of(rank, [0, 2, 0, 3].into_iter());
        assert_eq!([1, 2, 3, 5, 6].map(place), [Some(1), Some(1), Some(3), Some(3), None]);
    }

    #[test]
    fn a_histogram_gives_the_value_of_the_rank() {
        for count in (1..=40).chain((1000..=20_000).step_by(500)) {
            let mut histogram = Histogram::<u64>::new_with_bounds(1, 1 << 16, 5).unwrap();
            // So far below the histogram's precision that each has a bucket of its own.
            (1..=count).for_each(|value| histogram.record(value).unwrap());
            for per_myriad in [1, 5000, 9000, 9500, 9900, 9990, 9999, 10_000] {
                assert_eq!(
                    value_at(&histogram, per_myriad),
                    rank(count, per_myriad),
                    "{count}, {per_myriad}"
                );
            }
        }
    }
}
