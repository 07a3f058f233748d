//! How many extents of each size a twin has, and how they lie.

use super::super::bisection::bisect;
use super::extent_counts::Classes;
use super::extents::{ExtentCount, EVEN_EXTENTS};
use super::variants::starts;

/// Of the pieces that could differ from all earlier writes, those counted on:
/// the extents they are pieces of are not all there from the beginning.
const COUNTED_ON: f64 = 0.8;

/// So many extents of a size are many: a few more or less lying alone do not show.
const MANY_EXTENTS: u64 = 8 * EVEN_EXTENTS;

/// Extents in exact counts.
#[derive(Clone, Debug)]
pub(super) struct ExtentPlan {
    /// For each size of writes.
    pub(super) written: Vec<ExtentCount>,
    /// For each size of reads, those never written.
    pub(super) read_only: Vec<ExtentCount>,
    /// For each size of writes, how many pieces of an extent are written at most
    /// that differ from all earlier writes.
    pub(super) variants_per_extent: Vec<u64>,
    pub(super) repeated_share: f64,
    /// Mean number of writes that a written 16 KiB page is from, in the first requests.
    pub(super) writers: f64,
}

impl ExtentPlan {
    /// `written` and `read_only` extents of each size, of which `dense_share` are neighbours.
    /// Overwriting writes repeat an extent with `repeated_share`, or the nearest that can be.
    pub(super) fn new(
        writes: &Classes,
        (written, read_only): (&[u64], &[u64]),
        dense_share: f64,
        repeated_share: f64,
    ) -> Self {
        let written = divide(written, dense_share);
        let variants = Room::of(writes, &written);
        Self {
            variants_per_extent: variants.per_extent(1.0 - repeated_share),
            read_only: divide(read_only, 1.0),
            written,
            repeated_share,
            writers: 0.0,
        }
    }

    /// Writes over pages written before.
    pub(super) fn update_writes(&self, writes: &Classes) -> u64 {
        writes.iter().zip(&self.written).map(|((_, n), extents)| n - extents.all()).sum()
    }
}

/// Divides extents into neighbours and lone ones: each size alike where there
/// are many, whose neighbours fill 16 KiB pages, else the few of all sizes together.
fn divide(extents: &[u64], dense_share: f64) -> Vec<ExtentCount> {
    let (mut few, mut few_dense) = (0, 0);
    let mut dense = |extents: u64| {
        if extents >= MANY_EXTENTS {
            let steps = libm::round(extents as f64 * dense_share / EVEN_EXTENTS as f64) as u64;
            return if dense_share < 1.0 { (steps * EVEN_EXTENTS).min(extents) } else { extents };
        }
        few += extents;
        let now = (libm::round(few as f64 * dense_share) as u64).saturating_sub(few_dense).min(extents);
        few_dense += now;
        now
    };
    let part = |&extents: &u64| {
        let dense = dense(extents);
        ExtentCount { dense, alone: extents - dense }
    };
    extents.iter().map(part).collect()
}

/// What room there is for writes that overwrite but repeat none.
pub(super) struct Room {
    /// For each size, overwriting writes, and pieces by (extents, pieces in each).
    sizes: Vec<(u64, Vec<(u64, u64)>)>,
    /// Sizes that begin with such a write because they have no extent of their own.
    homeless: u64,
}

impl Room {
    pub(super) fn of(writes: &Classes, extents: &[ExtentCount]) -> Self {
        let pieces = |own: usize, host: usize| {
            let starts = |alone| starts(writes[own].0.pages(), writes[host].0.pages(), own == host, alone);
            let ExtentCount { dense, alone } = extents[host];
            // Extents of the same size count in pairs, in each of their two groups.
            let dense = if own == host { dense.saturating_sub(2) } else { dense };
            [(dense, starts(false)), (alone, starts(true))]
        };
        let size = |own: usize| {
            let hosts = (0..writes.len()).flat_map(|host| pieces(own, host));
            (writes[own].1 - extents[own].all(), hosts.filter(|(n, each)| n * each > 0).collect())
        };
        let homeless = writes.iter().zip(extents).filter(|((_, n), extents)| *n > 0 && extents.all() == 0);
        Self { sizes: (0..writes.len()).map(size).collect(), homeless: homeless.count() as u64 }
    }

    fn overwriting(&self) -> f64 {
        self.sizes.iter().map(|(n, _)| *n).sum::<u64>() as f64
    }

    /// Writes of a size that can differ, if `share` of them are asked to.
    fn differing((overwriting, pieces): &(u64, Vec<(u64, u64)>), share: f64) -> f64 {
        let room: u64 = pieces.iter().map(|(extents, each)| extents * each).sum();
        (share * *overwriting as f64).min(COUNTED_ON * room as f64)
    }

    /// Least and greatest share of overwriting writes that can repeat an extent.
    pub(super) fn repeated_shares(&self) -> (f64, f64) {
        let all = self.overwriting().max(1.0);
        let most: f64 = self.sizes.iter().map(|size| Self::differing(size, 1.0)).sum();
        (1.0 - most / all, 1.0 - self.homeless as f64 / all)
    }

    /// Pieces of an extent that each size has to take for `share` of all to
    /// differ; sizes with room make up for those without.
    fn per_extent(&self, share: f64) -> Vec<u64> {
        let total = |share: f64| -> f64 { self.sizes.iter().map(|size| Self::differing(size, share)).sum() };
        let (_, high) = bisect((0.0, 1.0), 60, |part| total(part) < share * self.overwriting());
        let least = |size: &(u64, Vec<(u64, u64)>)| {
            let wanted = Self::differing(size, high) / COUNTED_ON;
            let most = size.1.iter().map(|(_, each)| *each).max().unwrap_or(1);
            let room = |limit: u64| size.1.iter().map(|(n, each)| n * limit.min(*each)).sum::<u64>() as f64;
            (1..most).find(|&limit| room(limit) >= wanted).unwrap_or(most)
        };
        self.sizes.iter().map(least).collect()
    }
}
