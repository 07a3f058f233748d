//! Blocks that are bad from the start or retired, and the spare ones that take their places.
//!
//! A spare has no number among the blocks: it takes the place of the bad one, unworn, with cells of its own.

use crate::base::{BlockId, CellMode, PlaneId};
use crate::hw::config::BadBlocksConfig;
use crate::metrics::cells::EndOfLife;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// What becomes of an erased block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It is used again.
    Stays,
    /// It retired, and a spare one has its place.
    Replaced,
    /// It retired, and nothing has its place.
    Lost,
}

/// The end of the device's life.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct End {
    pub reason: EndOfLife,
    /// The plane whose block was to retire last.
    pub plane: PlaneId,
    /// When, ns; 0 if the device had ended before.
    pub at_ns: u64,
}

/// A block that retired and whose place a spare one has.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Replaced {
    pub place: BlockId,
    /// Erases by mode.
    pub erases: [u32; CellMode::COUNT],
    /// Pages by mode that its cycles took.
    pub pages: [u64; CellMode::COUNT],
    /// What it had used of its life.
    pub damage: f64,
}

/// The bad blocks of a device.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct BadBlocks {
    #[serde(skip)]
    config: BadBlocksConfig,
    /// Blocks out of use, whose places nothing has.
    lost: BTreeSet<u32>,
    /// The number of the cells that have the place of a bad block.
    spares: BTreeMap<u32, u64>,
    /// Spare blocks left, by plane.
    left: Vec<u32>,
    /// What retired since wear was last reset, and was replaced.
    replaced: Vec<Replaced>,
    /// Blocks bad from the start.
    factory_bad: u32,
    /// Blocks retired, replaced or not.
    retired: u64,
    /// The plane of the last one of them.
    last: PlaneId,
    end: Option<End>,
}

impl BadBlocks {
    /// Those of planes with these blocks, of which some `are_bad` from the start.
    pub fn new(
        config: &BadBlocksConfig,
        planes: impl Iterator<Item = impl Iterator<Item = BlockId>>,
        is_bad: impl Fn(BlockId) -> bool,
        first_spare: u64,
    ) -> Self {
        let mut bad = Self { config: *config, ..Self::default() };
        for (plane, blocks) in (0..).map(PlaneId).zip(planes) {
            bad.left.push(config.spare_blocks);
            for block in blocks.filter(|&block| is_bad(block)) {
                bad.factory_bad += 1;
                if !bad.replace(block, plane, first_spare) {
                    bad.lost.insert(block.0);
                }
            }
        }
        bad
    }

    /// Gives a spare block of `plane` the place of `block`; false if none is left.
    pub fn replace(&mut self, block: BlockId, plane: PlaneId, first_spare: u64) -> bool {
        let left = &mut self.left[plane.index()];
        if *left == 0 {
            return false;
        }
        *left -= 1;
        let number = u64::from(plane.0) * u64::from(self.config.spare_blocks) + u64::from(*left);
        self.spares.insert(block.0, first_spare + number);
        true
    }

    /// Takes `block` of `plane`, which has used up its life at `now_ns`, out of use: what becomes of it.
    /// Where its plane cannot do without it (`is_needed`), the device has ended instead.
    pub fn retire(
        &mut self,
        block: BlockId,
        plane: PlaneId,
        now_ns: u64,
        first_spare: u64,
        is_needed: bool,
    ) -> Fate {
        self.last = plane;
        if self.replace(block, plane, first_spare) {
            self.retired += 1;
            return Fate::Replaced;
        }
        if is_needed || self.config.end_of_life == EndOfLife::FirstPlaneWithoutSpare {
            self.end_at(now_ns);
            return Fate::Stays;
        }
        self.retired += 1;
        self.lost.insert(block.0);
        Fate::Lost
    }

    /// The device has ended at `now_ns`, for the reason that its configuration gives.
    pub fn end_at(&mut self, now_ns: u64) {
        let (reason, plane) = (self.config.end_of_life, self.last);
        self.end.get_or_insert(End { reason, plane, at_ns: now_ns });
    }

    /// Notes what a block had gone through that a spare one has the place of.
    pub fn note_replaced(&mut self, replaced: Replaced) {
        self.replaced.push(replaced);
    }

    /// Forgets the wear of what was replaced.
    pub fn reset_wear(&mut self) {
        self.replaced.clear();
    }

    pub fn config(&self) -> &BadBlocksConfig {
        &self.config
    }

    pub fn is_lost(&self, block: BlockId) -> bool {
        self.lost.contains(&block.0)
    }

    /// The blocks out of use, whose places nothing has.
    pub fn lost(&self) -> impl Iterator<Item = BlockId> + '_ {
        self.lost.iter().copied().map(BlockId)
    }

    /// Whether blocks that retired have no spare in their place.
    pub fn has_lost_retired(&self) -> bool {
        self.retired > 0 && !self.lost.is_empty()
    }

    /// The number of the cells in a block's place, where they are a spare block's.
    pub fn spare_at(&self, block: BlockId) -> Option<u64> {
        self.spares.get(&block.0).copied()
    }

    /// Spare blocks left, by plane.
    pub fn left(&self) -> &[u32] {
        &self.left
    }

    /// What was replaced since wear was last reset.
    pub fn replaced(&self) -> &[Replaced] {
        &self.replaced
    }

    pub fn factory_bad(&self) -> u32 {
        self.factory_bad
    }

    pub fn retired(&self) -> u64 {
        self.retired
    }

    pub fn end(&self) -> Option<End> {
        self.end
    }

    /// What a snapshot holds of them: it is time 0.
    pub fn at_rest(&self) -> Self {
        Self { end: self.end.map(|end| End { at_ns: 0, ..end }), ..self.clone() }
    }

    /// Takes the place of `fresh` out of a snapshot, or says what does not fit.
    pub fn resume(&mut self, fresh: &Self, blocks: usize) -> Result<(), String> {
        self.config = fresh.config;
        let mut places = self.lost.iter().chain(self.spares.keys());
        let spare_max = self.config.spare_blocks;
        if self.left.len() != fresh.left.len()
            || self.left.iter().any(|&left| left > spare_max)
            || places.any(|&block| block as usize >= blocks)
            || self.last.index() >= self.left.len().max(1)
        {
            return Err(format!("bad blocks of {} planes", self.left.len()));
        }
        Ok(())
    }
}
