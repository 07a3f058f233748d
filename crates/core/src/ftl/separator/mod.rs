//! Separation by lifetime: which class a page of a dense store is of.
//!
//! A class has an open block of its own in each plane. Pages are asked for once when they come to the store,
//! from the host or out of a cache, and again when cleaning moves them.

mod sepbit;

use super::config::{Isolated, Separation};
use super::io::Io;
use super::oracle::NEVER;
use crate::base::{BlockId, CellMode};
use sepbit::SepBit;
use serde::{Deserialize, Serialize};

/// Rows of blocks, one of every plane, in the first class of the oracle.
const FIRST_ROWS: u32 = 4;

/// What tells classes apart.
#[derive(Clone, Serialize, Deserialize)]
enum Rule {
    SepBit(SepBit),
    Streams(Streams),
    AgeChain,
    /// Pages of a row of blocks, and whether classes are equal.
    Oracle {
        row: u32,
        linear: bool,
    },
    Hint {
        classes: u32,
        isolated: Isolated,
    },
}

/// The classes of a region's pages.
#[derive(Clone, Serialize, Deserialize)]
pub struct Separator {
    rule: Rule,
    classes: u8,
    /// By block of the device, the class that it was opened for.
    class_of: Vec<u8>,
    /// Blocks that a class wrote to which were another's.
    #[serde(skip)]
    pub(super) lent: u64,
}

impl Separator {
    /// Of a region of blocks of `pool` in `mode`, if its data are separated.
    pub(super) fn new(separation: Separation, pool: usize, mode: CellMode, io: &mut Io) -> Option<Box<Self>> {
        let pages = io.mus() / io.policy().mus_per_page;
        let geometry = io.geometry();
        let pool = &geometry.pools[pool];
        let (row, blocks) = (pool.mode(mode).pages * pool.planes, geometry.block_numbers());
        let rule = match separation {
            Separation::None => return None,
            Separation::SepBit => Rule::SepBit(SepBit::new(pages, blocks)),
            Separation::Streams { classes } => Rule::Streams(Streams::new(pages, classes)),
            Separation::AgeChain { .. } => Rule::AgeChain,
            Separation::Oracle => Rule::Oracle { row, linear: false },
            Separation::OracleLinear => Rule::Oracle { row, linear: true },
            Separation::Hint { classes, isolated } => Rule::Hint { classes, isolated },
        };
        if matches!(rule, Rule::Hint { .. }) {
            io.keep_hints();
        }
        let classes = separation.classes() as u8;
        Some(Box::new(Self { rule, classes, class_of: vec![0; blocks], lent: 0 }))
    }

    /// Bytes that it takes for each logical page of the device.
    pub fn page_bytes(separation: Separation) -> u64 {
        match separation {
            Separation::SepBit | Separation::Streams { .. } => size_of::<u32>() as u64,
            Separation::Hint { .. } => 1,
            _ => 0,
        }
    }

    /// The class of logical page `page`, of which `units` units come to the store, where `live` others live.
    pub(super) fn incoming(&mut self, page: u32, units: u32, live: u64, io: &Io) -> u8 {
        match &mut self.rule {
            Rule::SepBit(sepbit) => sepbit.incoming(page, units, live),
            Rule::Streams(streams) => streams.incoming(page),
            Rule::AgeChain => 0,
            Rule::Oracle { row, linear } => by_death(page, *row, *linear, self.classes, io),
            Rule::Hint { classes, .. } => (u32::from(io.hint(page)) % *classes) as u8,
        }
    }

    /// The class of logical page `page`, which cleaning moves out of `block`.
    pub(super) fn moved(&mut self, block: BlockId, page: u32, io: &Io) -> u8 {
        match (self.moved_whole(block), &self.rule) {
            (Some(class), _) => class,
            (None, Rule::SepBit(sepbit)) => sepbit.moved(page),
            (None, Rule::Oracle { row, linear }) => by_death(page, *row, *linear, self.classes, io),
            (None, _) => unreachable!("Invariant: others move blocks as a whole"),
        }
    }

    /// The class of all that cleaning moves out of `block`, if it is one.
    pub(super) fn moved_whole(&self, block: BlockId) -> Option<u8> {
        let from = self.class_of(block);
        let last = self.classes - 1;
        match &self.rule {
            Rule::SepBit(_) => (from == 0).then_some(sepbit::SHORT_LIVED_MOVED),
            Rule::Streams(_) | Rule::Hint { isolated: Isolated::Initially, .. } => Some(last),
            Rule::AgeChain => Some(last.min(from + 1)),
            Rule::Oracle { .. } => None,
            Rule::Hint { isolated: Isolated::Persistently, .. } => Some(from),
        }
    }

    /// `block` was opened for `class`.
    pub(super) fn opened(&mut self, block: BlockId, class: u8) {
        self.class_of[block.index()] = class;
        if let Rule::SepBit(sepbit) = &mut self.rule {
            sepbit.opened(block.index());
        }
    }

    /// What lived in `block` has left it.
    pub(super) fn collected(&mut self, block: BlockId) {
        let class = self.class_of(block);
        if let Rule::SepBit(sepbit) = &mut self.rule {
            sepbit.collected(block.index(), class);
        }
    }

    /// The class that `block` was last opened for.
    pub(super) fn class_of(&self, block: BlockId) -> u8 {
        self.class_of[block.index()]
    }

    /// What a snapshot must agree with.
    pub(super) fn shape(&self) -> (u8, usize, [usize; 2]) {
        let tables = match &self.rule {
            Rule::SepBit(sepbit) => sepbit.tables(),
            Rule::Streams(streams) => [streams.pages(), 0],
            _ => [0; 2],
        };
        (self.classes, self.class_of.len(), tables)
    }

    /// Its figures, by name.
    pub fn figures(&self) -> Vec<(&'static str, f64)> {
        let mut figures = vec![("separation_lent_blocks", self.lent as f64)];
        if let Rule::SepBit(sepbit) = &self.rule {
            figures.extend(sepbit.figures());
        }
        figures
    }
}

/// The class of `page` by when it dies; what is not known to die lives longest.
fn by_death(page: u32, row: u32, linear: bool, classes: u8, io: &Io) -> u8 {
    let left = io.oracle().map_or(NEVER, |oracle| oracle.death(page).saturating_sub(oracle.now()));
    class_by_life(left, row, linear, classes)
}

/// The class of what lives for `left` more steps.
fn class_by_life(left: u32, row: u32, linear: bool, classes: u8) -> u8 {
    let class = match linear {
        true => left / row,
        false => u32::BITS - (left / (FIRST_ROWS * row)).leading_zeros(),
    };
    class.min(u32::from(classes) - 1) as u8
}

/// Classes by how often a page is written, as the controllers of multi-stream devices guess them.
#[derive(Clone, Serialize, Deserialize)]
struct Streams {
    /// By logical page, how often it was written; halved each time so many writes have come as there are pages.
    counts: Vec<u32>,
    writes: u32,
    /// The last class that is not cleaning's.
    last: u32,
}

impl Streams {
    fn new(pages: u32, classes: u32) -> Self {
        Self { counts: vec![0; pages as usize], writes: 0, last: classes - 2 }
    }

    /// The class of a page that comes to the store.
    fn incoming(&mut self, page: u32) -> u8 {
        self.counts[page as usize] += 1;
        self.writes += 1;
        if self.writes as usize == self.counts.len() {
            self.writes = 0;
            self.counts.iter_mut().for_each(|count| *count >>= 1);
        }
        self.counts[page as usize].checked_ilog2().unwrap_or(0).min(self.last) as u8
    }

    fn pages(&self) -> usize {
        self.counts.len()
    }
}

#[cfg(test)]
mod tests;
