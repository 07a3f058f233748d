//! Victim selection: which closed block of a region in a plane is cleaned next.
//!
//! Within a region only blocks with a page to win are candidates, so cleaning always makes
//! progress; a block whose pages leave the region may be full.

use super::config::Victim;
use super::io::Io;
use super::region::Region;
use crate::base::{BlockId, PlaneId};

/// The next victim of `region` in `plane`, if any; a block without dead pages only if its pages
/// are to leave the region.
pub fn choose(region: &Region, io: &mut Io, plane: PlaneId, leave: bool) -> Option<BlockId> {
    let first = io.media.array.geometry.block(plane, region.spec.first_block);
    let count = region.spec.blocks;
    let mark = region.spec.id + 1;
    let full = region.pages_per_block as u16 + u16::from(leave);
    let index = match region.spec.clean.victim {
        Victim::Greedy => greedy(io, first, count, mark),
        Victim::Fifo => oldest(io, first, count, mark, full),
        Victim::CostBenefit => cost_benefit(io, first, count, mark, full),
        Victim::Random => random(io, first, count, mark, full, 1),
        Victim::DChoices { d } => random(io, first, count, mark, full, d),
    }?;
    let block = BlockId(first.0 + index);
    (io.media.array.live_pages(block) < u32::from(full)).then_some(block)
}

/// The candidate with the fewest live pages, lowest number on ties.
fn greedy(io: &Io, first: BlockId, count: u32, mark: u8) -> Option<u32> {
    let (live, candidate) = io.media.array.scan(first, count);
    let score = |(&live, &mark_here): (&u16, &u8)| if mark_here == mark { live } else { u16::MAX };
    // Two passes that vectorise beat one that tracks the position.
    let best = live.iter().zip(candidate).map(score).min()?;
    let index = live.iter().zip(candidate).position(|pair| score(pair) == best)?;
    (best < u16::MAX).then_some(index as u32)
}

fn eligible(io: &Io, first: BlockId, count: u32, mark: u8, full: u16) -> impl Iterator<Item = u32> + '_ {
    let (live, candidate) = io.media.array.scan(first, count);
    (0..count).filter(move |&i| candidate[i as usize] == mark && live[i as usize] < full)
}

fn oldest(io: &Io, first: BlockId, count: u32, mark: u8, full: u16) -> Option<u32> {
    eligible(io, first, count, mark, full).min_by_key(|i| io.media.array.block(BlockId(first.0 + i)).opened)
}

fn cost_benefit(io: &Io, first: BlockId, count: u32, mark: u8, full: u16) -> Option<u32> {
    let now = io.media.array.openings();
    let score = |i: u32| {
        let block = BlockId(first.0 + i);
        let u = f64::from(io.media.array.live_pages(block)) / f64::from(full);
        let age = f64::from(now - io.media.array.block(block).opened) + 1.0;
        if u == 0.0 {
            f64::INFINITY
        } else {
            (1.0 - u) * age / (2.0 * u)
        }
    };
    let mut best: Option<(f64, u32)> = None;
    for i in eligible(io, first, count, mark, full) {
        let s = score(i);
        if best.is_none_or(|(b, _)| s > b) {
            best = Some((s, i));
        }
    }
    best.map(|(_, i)| i)
}

/// The best of `d` draws, with repetition, from the eligible blocks.
fn random(io: &mut Io, first: BlockId, count: u32, mark: u8, full: u16, d: u32) -> Option<u32> {
    let blocks: Vec<u32> = eligible(io, first, count, mark, full).collect();
    if blocks.is_empty() {
        return None;
    }
    (0..d)
        .map(|_| blocks[io.rng.below(blocks.len() as u32) as usize])
        .min_by_key(|i| (io.media.array.live_pages(BlockId(first.0 + i)), *i))
}
