//! Which block of a two-layer region is emptied next, and how far it is.

use super::TwoLayerRegion;
use crate::base::{BlockId, PlaneId, Ppn};
use crate::ftl::io::Io;
use crate::hw::two_layer::WindowPhase;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Scores compared at once when a victim is looked for.
const STRIDE: usize = 64;

/// The mask that lets a score through.
const ALL: i16 = -1;

/// The least of some scores, 0 for those that a mask hides.
fn least(scores: &[i16], masks: Option<&[i16]>) -> i16 {
    match masks {
        None => scores.iter().fold(0, |least, &score| least.min(score)),
        Some(masks) => scores.iter().zip(masks).fold(0, |least, (&score, &mask)| least.min(score & mask)),
    }
}

/// Which blocks may be emptied to win room.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Eligible {
    /// Any block that holds data and is not being written.
    #[default]
    Any,
    /// Only blocks without SLC pages to offer: their window is used, or they are full.
    Used,
    /// Only full blocks.
    Full,
}

/// A block that is being emptied.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct EmptiedBlock {
    /// The block.
    pub block: BlockId,
    /// Whether it offered no SLC pages when it was chosen, so that its erase refreshes a window.
    pub used: bool,
    /// Pages before this one hold nothing live any more.
    next_page: u32,
}

impl EmptiedBlock {}

impl TwoLayerRegion {
    /// The block of `plane` that is being emptied.
    #[inline]
    pub fn victim(&self, plane: PlaneId) -> Option<EmptiedBlock> {
        self.part(plane).victim
    }

    /// Chooses the eligible block with the most dead pages, at least `dead_min` (the one opened first
    /// on ties), and takes it out of its queue; it is stored to no more.
    pub fn choose_victim(
        &mut self,
        io: &mut Io,
        plane: PlaneId,
        eligible: Eligible,
        dead_min: u32,
    ) -> Option<EmptiedBlock> {
        let block = self.most_dead(io, plane, eligible, dead_min)?;
        let programmed = io.array().block(block).write_ptr();
        let phase = self.layout.phase(programmed);
        let part = &mut self.parts[(plane.0 - self.first_plane) as usize];
        part.free_pages -= self.layout.pages - programmed;
        match phase {
            WindowPhase::Fill => self.links.remove(&mut part.fill, block),
            WindowPhase::Switch => self.links.remove(&mut part.switch, block),
            WindowPhase::Done => {}
        }
        if phase != WindowPhase::Done {
            io.close_block(block);
        }
        part.victim = Some(EmptiedBlock { block, used: phase != WindowPhase::Fill, next_page: 0 });
        part.victim
    }

    fn most_dead(&self, io: &Io, plane: PlaneId, eligible: Eligible, dead_min: u32) -> Option<BlockId> {
        let array = io.array();
        let part = self.part(plane);
        let (first, count) = self.block_run(plane, io);
        let taken = [part.filling, part.switch.head(), part.dense, part.victim.map(|v| v.block)];
        let allowed = |block: BlockId| {
            let phase = self.layout.phase(array.block(block).write_ptr());
            let fits = eligible != Eligible::Full || phase == WindowPhase::Done;
            let own = fits && array.block(block).region() == self.id && !taken.contains(&Some(block));
            debug_assert!(!own || self.is_used(block) == (phase != WindowPhase::Fill));
            own
        };
        let run = first.index()..first.index() + count as usize;
        let masks = (eligible != Eligible::Any).then(|| &self.used[run]);
        let scores = array.scores(first, count);
        // The least of (score, opened) is the victim.
        let (mut best, mut found) = ((-(dead_min.max(1) as i16), u32::MAX), None);
        for start in (0..scores.len()).step_by(STRIDE) {
            let stride = start..scores.len().min(start + STRIDE);
            // The stride as a whole is compared first, which vectorises.
            let masked = masks.map(|masks| &masks[stride.clone()]);
            if least(&scores[stride.clone()], masked) > best.0 {
                continue;
            }
            for i in stride {
                let score = scores[i] & masks.map_or(ALL, |masks| masks[i]);
                if score > best.0 {
                    continue;
                }
                let block = BlockId(first.0 + i as u32);
                let key = (score, array.block(block).opened);
                if key < best && allowed(block) {
                    (best, found) = (key, Some(block));
                }
            }
        }
        found
    }

    pub(super) fn is_used(&self, block: BlockId) -> bool {
        self.used[block.index()] == ALL
    }

    /// Notes whether a block that is not being written offers SLC pages.
    #[inline(always)]
    pub(super) fn note_used(&mut self, block: BlockId, used: bool) {
        self.used[block.index()] = if used { ALL } else { 0 };
    }

    /// The next page of the victim of `plane` that holds something live.
    pub fn next_live(&mut self, io: &Io, plane: PlaneId) -> Option<Ppn> {
        let victim = self.part_mut(plane).victim.as_mut()?;
        let array = io.array();
        if array.block(victim.block).live() == 0 {
            return None;
        }
        while array.page_tags(array.geometry.page(victim.block, victim.next_page)).iter().all(|&t| t == 0) {
            victim.next_page += 1;
        }
        Some(array.geometry.page(victim.block, victim.next_page))
    }

    /// Takes the erased victim of `plane` back: it offers its first window again.
    pub(super) fn give_back(&mut self, io: &mut Io, plane: PlaneId) {
        let part = &mut self.parts[(plane.0 - self.first_plane) as usize];
        if let Some(victim) = part.victim.take() {
            // What lives in any other block must find room.
            let is_needed = part.free_pages < self.layout.pages;
            if io.takes_out(victim.block, is_needed) {
                part.lost += 1;
                return self.note_used(victim.block, false);
            }
            part.free_pages += self.layout.pages;
            self.links.push(&mut part.fill, victim.block);
            self.note_used(victim.block, false);
        }
    }
}
