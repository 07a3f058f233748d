//! Drawing at random so that the totals come out exactly.

use super::super::random::Random;

/// Values that are each drawn a fixed number of times, in random order.
#[derive(Clone, Debug)]
pub(super) struct Quota<T> {
    entries: Vec<(T, u64)>,
    left: u64,
}

impl<T: Copy> Quota<T> {
    /// Each value so many times.
    pub(super) fn new(entries: Vec<(T, u64)>) -> Self {
        let left = entries.iter().map(|(_, count)| count).sum();
        Self { entries, left }
    }

    /// Draws left.
    pub(super) fn left(&self) -> u64 {
        self.left
    }

    /// One of the values left, each draw left being equally likely; `None` at the end.
    #[inline]
    pub(super) fn draw(&mut self, random: &mut Random) -> Option<T> {
        if self.left == 0 {
            return None;
        }
        let mut at = random.below(self.left);
        for (value, count) in &mut self.entries {
            if at < *count {
                *count -= 1;
                self.left -= 1;
                return Some(*value);
            }
            at -= *count;
        }
        None
    }
}

impl<T: Copy + PartialEq> Quota<T> {
    /// Takes this very value, if one is left.
    pub(super) fn take(&mut self, value: T) -> bool {
        let entry = self.entries.iter_mut().find(|(other, count)| *other == value && *count > 0);
        let found = entry.map(|(_, count)| *count -= 1).is_some();
        self.left -= u64::from(found);
        found
    }
}

/// Divides `total` by shares that sum to about 1, the largest remainders first.
pub(super) fn apportion(total: u64, shares: &[f64]) -> Vec<u64> {
    let sum: f64 = shares.iter().sum();
    let exact: Vec<f64> = shares.iter().map(|share| share / sum * total as f64).collect();
    let mut counts: Vec<u64> = exact.iter().map(|count| *count as u64).collect();
    let mut order: Vec<usize> = (0..shares.len()).collect();
    let remainder = |place: usize| exact[place] - libm::floor(exact[place]);
    order.sort_by(|&a, &b| remainder(b).total_cmp(&remainder(a)).then(a.cmp(&b)));
    let given: u64 = counts.iter().sum();
    for place in order.into_iter().cycle().take(total.saturating_sub(given) as usize) {
        counts[place] += 1;
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_comes_as_often_as_asked() {
        let mut quota = Quota::new(vec![('a', 3), ('b', 0), ('c', 997)]);
        let mut random = Random::new(1, 0, "quota");
        let drawn: Vec<char> = std::iter::from_fn(|| quota.draw(&mut random)).collect();
        assert_eq!(drawn.iter().filter(|value| **value == 'a').count(), 3);
        assert_eq!(drawn.iter().filter(|value| **value == 'c').count(), 997);
        assert!(drawn[..900].contains(&'a'), "the rare ones come at random");
    }

    #[test]
    fn shares_add_up() {
        assert_eq!(apportion(10, &[1.0, 1.0, 1.0]), [4, 3, 3]);
        assert_eq!(apportion(7, &[0.5, 0.25, 0.25]), [3, 2, 2]);
        assert_eq!(apportion(0, &[0.5, 0.5]), [0, 0]);
    }
}
