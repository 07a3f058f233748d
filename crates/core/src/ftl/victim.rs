//! Victim selection: which closed block of a region in a plane is cleaned next.
//!
//! Within a region only blocks with a page to win are candidates, so cleaning always makes
//! progress; a block whose pages leave the region may be full.

use super::config::Victim;
use super::io::Io;
use super::region::{Pack, Region};
use crate::base::{BlockId, PlaneId};

/// Bytes of a word, and words of what is compared at once when the victim's place is looked for.
const BYTES: usize = size_of::<u64>();
const WORDS: usize = 8;

/// The blocks of one region in a plane, or of several that share a bank, as selection sees them.
struct VictimBlocks<'a, const N: usize> {
    io: &'a Io,
    regions: [&'a Region; N],
    first: BlockId,
    count: u32,
    /// Live pages (units where pages are mixed) from which a block is no candidate.
    limit: u32,
}

impl<const N: usize> VictimBlocks<'_, N> {
    fn live(&self, index: u32) -> u32 {
        live_of(self.regions, BlockId(self.first.0 + index), self.io)
    }

    fn opened(&self, index: u32) -> u32 {
        self.io.array().block(BlockId(self.first.0 + index)).opened
    }

    fn eligible(&self) -> impl Iterator<Item = u32> + '_ {
        let closed = |i: &u32| self.io.array().is_closed(BlockId(self.first.0 + i));
        (0..self.count).filter(closed).filter(|&i| self.owns(i) && self.live(i) < self.limit)
    }

    fn owns(&self, index: u32) -> bool {
        let block = BlockId(self.first.0 + index);
        self.regions.iter().any(|region| region.opened(block, self.io))
    }

    /// The block with the least live data, the one opened first on ties.
    fn greedy(&self) -> Option<u32> {
        // Scores are live pages, of every region's blocks.
        if self.regions[0].spec.pack == Pack::Mu || !self.regions[0].is_alone(self.io) {
            return self.eligible().min_by_key(|&i| (self.live(i), self.opened(i)));
        }
        let scores = self.io.array().scores(self.first, self.count);
        let best = scores.iter().copied().min().filter(|&s| s < 0)?;
        let mut oldest = (u32::MAX, 0);
        for (stride, first) in scores.chunks(WORDS * BYTES).zip((0..).step_by(WORDS * BYTES)) {
            // A byte for each that ties: compared as a whole, which vectorises, and looked at word by word.
            let mut ties = [[0; BYTES]; WORDS];
            ties.as_flattened_mut().iter_mut().zip(stride).for_each(|(tie, &s)| *tie = u8::from(s == best));
            for (word, first) in ties.into_iter().zip((first..).step_by(BYTES)) {
                let mut ties = u64::from_le_bytes(word);
                while ties != 0 {
                    let i = first + ties.trailing_zeros() / u8::BITS;
                    oldest = oldest.min((self.opened(i), i));
                    ties &= ties - 1;
                }
            }
        }
        Some(oldest.1)
    }

    fn oldest(&self) -> Option<u32> {
        self.eligible().min_by_key(|&i| self.opened(i))
    }

    /// Best `benefit` by live share and age, the one opened first on ties; one without live data is the best.
    fn cost_benefit(&self, full: u32, benefit: impl Fn(f64, f64) -> f64) -> Option<u32> {
        let now = self.io.array().openings();
        let score = |i: u32| {
            let u = f64::from(self.live(i)) / f64::from(full);
            let age = f64::from(now - self.opened(i)) + 1.0;
            if u == 0.0 {
                f64::INFINITY
            } else {
                benefit(u, age)
            }
        };
        let mut best: Option<(f64, u32, u32)> = None;
        for i in self.eligible() {
            let (s, opened) = (score(i), self.opened(i));
            if best.is_none_or(|(b, first, _)| s > b || (s == b && opened < first)) {
                best = Some((s, opened, i));
            }
        }
        best.map(|(_, _, i)| i)
    }
}

/// The next victim of `region` in `plane`, if any; a block without dead pages only if its pages
/// are to leave the region.
pub fn choose(region: &Region, io: &mut Io, plane: PlaneId, leave: bool) -> Option<BlockId> {
    choose_below(region, io, plane, region.full_block(io) + u32::from(leave))
}

/// The closed block of `region` in `plane` with the least live data, the one opened first on ties.
pub fn least_live(region: &Region, io: &Io, plane: PlaneId) -> Option<BlockId> {
    if !region.may_have_closed(plane, io) {
        return None;
    }
    let (first, count) = region.block_run(plane, io);
    let index = VictimBlocks { io, regions: [region], first, count, limit: u32::MAX }.greedy()?;
    Some(BlockId(first.0 + index))
}

/// The next victim of `region` in `plane` that has fewer than `limit` live pages, or units where pages
/// are mixed.
pub fn choose_below(region: &Region, io: &mut Io, plane: PlaneId, limit: u32) -> Option<BlockId> {
    choose_among([region], io, plane, limit)
}

/// The next victim in `plane` of any of `regions`, which share a bank, count live data alike and go by
/// the first one's rule; its data are to leave them.
pub fn choose_of<const N: usize>(regions: [&Region; N], io: &mut Io, plane: PlaneId) -> Option<BlockId> {
    choose_among(regions, io, plane, regions[0].full_block(io) + 1)
}

fn choose_among<const N: usize>(
    regions: [&Region; N],
    io: &mut Io,
    plane: PlaneId,
    limit: u32,
) -> Option<BlockId> {
    // Idle time asks again and again while there is nothing to find.
    if !regions.iter().any(|region| region.may_have_closed(plane, io)) {
        return None;
    }
    let (first, count) = regions[0].block_run(plane, io);
    let full = regions[0].full_block(io);
    let victim = regions[0].spec.clean.victim;
    let draws = match victim {
        Victim::Random => 1,
        Victim::DChoices { d } => d,
        _ => 0,
    };
    let blocks = VictimBlocks { io, regions, first, count, limit };
    let index = match victim {
        Victim::Greedy => blocks.greedy(),
        Victim::Fifo => blocks.oldest(),
        Victim::CostBenefit => blocks.cost_benefit(full, |u, age| (1.0 - u) * age / (2.0 * u)),
        Victim::CostBenefitSqrt => blocks.cost_benefit(full, |u, age| (1.0 - u) / u * age.sqrt()),
        Victim::Random | Victim::DChoices { .. } => {
            let eligible: Vec<u32> = blocks.eligible().collect();
            best_of_draws(regions, io, first, &eligible, draws)
        }
    }?;
    let block = BlockId(first.0 + index);
    (live_of(regions, block, io) < limit).then_some(block)
}

/// Live data of a block of one of `regions`; a block that is another's has none for them.
#[inline(always)]
fn live_of<const N: usize>(regions: [&Region; N], block: BlockId, io: &Io) -> u32 {
    regions.iter().map(|region| region.live_of(block, io)).sum()
}

/// The best of `draws` draws, with repetition, from the eligible blocks; the one opened first on ties.
fn best_of_draws<const N: usize>(
    regions: [&Region; N],
    io: &mut Io,
    first: BlockId,
    eligible: &[u32],
    draws: u32,
) -> Option<u32> {
    if eligible.is_empty() {
        return None;
    }
    let drawn: Vec<u32> =
        (0..draws).map(|_| eligible[io.draw_below(eligible.len() as u32) as usize]).collect();
    let key = |block: BlockId| (live_of(regions, block, io), io.array().block(block).opened);
    drawn.into_iter().min_by_key(|&i| key(BlockId(first.0 + i)))
}
