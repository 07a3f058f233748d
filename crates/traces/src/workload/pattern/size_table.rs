//! Sizes drawn from a table of weights.

use super::super::random::Random;

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
    use super::*;

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
