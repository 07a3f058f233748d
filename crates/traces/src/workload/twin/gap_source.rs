//! Gaps of one class.

use super::super::bisection::bisect;
use super::super::permutation::Permutation;
use super::gaps::GapClass;

/// Quantiles in a table at most.
const QUANTILES: u64 = 1024;

/// One class at work: stratified draws, so that every block of draws has
/// exactly the mean.
#[derive(Clone, Debug)]
pub(super) struct GapSource {
    base_ns: f64,
    scale_ns: f64,
    quantiles: Box<[f64]>,
    order: Permutation,
    drawn: u64,
    key: u64,
}

impl GapSource {
    /// The gaps of `class` in an order that `key` decides.
    pub(super) fn new(class: &GapClass, key: u64) -> Self {
        let blocks = class.count.div_ceil(QUANTILES).max(1);
        let len = class.count.div_ceil(blocks).max(1);
        let exponential = exponential(len);
        // A nanosecond inside both bounds, so that rounding does not cross them.
        let over = if class.over_ns > 0.0 { class.over_ns + 2.0 } else { 0.0 };
        let (room, width) = (class.mean_ns - over, class.to_ns - 2.0 - over);
        let (base_ns, scale_ns, quantiles) = if over + room * exponential[0] < class.to_ns - 2.0 {
            (over, room, exponential)
        } else if class.fills {
            (over, width, bounded(len, room / width))
        } else {
            let half = room.min(class.to_ns - 2.0 - class.mean_ns);
            let even = (0..len).map(|at| (2 * at + 1) as f64 / len as f64 - 1.0).collect();
            (class.mean_ns, half, even)
        };
        Self { base_ns, scale_ns, quantiles, order: Permutation::new(len, key), drawn: 0, key }
    }

    /// The next gap in ns.
    #[inline]
    pub(super) fn draw(&mut self) -> f64 {
        let len = self.quantiles.len() as u64;
        let place = self.drawn % len;
        if place == 0 {
            self.order = self.order.keyed(self.key.wrapping_add(self.drawn));
        }
        self.drawn += 1;
        self.base_ns + self.scale_ns * self.quantiles[self.order.apply(place) as usize]
    }
}

/// Quantiles of the exponential law with mean 1, the largest first.
fn exponential(len: u64) -> Box<[f64]> {
    let values: Box<[f64]> = (0..len).map(|at| -libm::log((at as f64 + 0.5) / len as f64)).collect();
    with_mean(values, 1.0)
}

/// Quantiles of the exponential law cut off at 1 (rising towards 1 where `mean`
/// is above a half): of all laws between 0 and 1 with this mean the most even.
fn bounded(len: u64, mean: f64) -> Box<[f64]> {
    if mean > 0.5 {
        return bounded(len, 1.0 - mean).iter().map(|value| 1.0 - value).collect();
    }
    // The rate at which the law has the mean, which falls with the rate.
    let mean_at = |rate: f64| 1.0 / rate - 1.0 / libm::expm1(rate);
    let (low, _) = bisect((1e-6, 700.0), 60, |rate| mean_at(rate) > mean);
    let reach = -libm::expm1(-low);
    let quantile = |at: u64| -libm::log1p(-reach * (at as f64 + 0.5) / len as f64) / low;
    with_mean((0..len).map(quantile).collect(), mean)
}

/// The values, brought to exactly this mean.
fn with_mean(mut values: Box<[f64]>, mean: f64) -> Box<[f64]> {
    let found = values.iter().sum::<f64>() / values.len() as f64;
    values.iter_mut().for_each(|value| *value = *value / found * mean);
    values
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounded_laws_have_their_mean_and_stay_inside() {
        for len in [1, 2, 3, 10, 1024] {
            for mean in [0.001, 0.01, 0.1, 0.3, 0.499, 0.5, 0.501, 0.7, 0.95, 0.999] {
                let values = bounded(len, mean);
                let found = values.iter().sum::<f64>() / len as f64;
                assert!((found - mean).abs() < 1e-9, "{len} {mean} {found}");
                assert!(values.iter().all(|value| (0.0..=1.0).contains(value)), "{len} {mean}");
            }
        }
    }

    #[test]
    fn a_bounded_law_with_its_mean_in_the_middle_is_even() {
        let values = bounded(4, 0.5);
        let even = [0.125, 0.375, 0.625, 0.875];
        assert!(values.iter().zip(even).all(|(value, even)| (value - even).abs() < 1e-5), "{values:?}");
    }
}
