//! Requests by size and alignment, in exact counts.

use super::super::quantity::SizeBytes;
use super::super::spec::{SizeShare, SizeSharesBy, TwinSpec};
use super::counts::Counts;
use super::quota::apportion;
use super::sizes::{Ranges, SizeClass};
use crate::error::workload_problem::WorkloadProblem;

const DEFAULT_MAX_BYTES: u64 = 128 << 10;

#[derive(Clone, Copy, PartialEq)]
pub(super) enum Side {
    Read,
    Write,
}

/// Sizes of one kind of request in exact counts.
pub(super) fn classes(
    spec: &TwinSpec,
    counts: &Counts,
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
