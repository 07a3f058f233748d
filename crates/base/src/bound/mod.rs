//! What no SLC cache can keep from a dense program: how many versions of data fit into it from birth to
//! death, counted as they are written.
//!
//! A *version* of a unit is born with a write that touches it and dies with the next one, or with a trim
//! that covers it. Whoever never programs it to dense cells holds it in a slot of the cache, or in memory,
//! all the time between. So at most F(C) versions are spared that, the most of which no more than C live at
//! once, and every other one costs a dense program. In order of death, each version is given the slot that
//! fell free last but not after its birth; none is free exactly where C would be exceeded (Faigle and
//! Nawijn; Carlisle and Lloyd: the largest k-colourable set of intervals). That needs the past only.

use std::collections::TryReserveError;

/// No stamp: the unit holds no version. Zero, so that a table of units that nothing was written to takes no
/// memory.
const NONE: u32 = 0;
/// Positions that a list may have beside those in use before it is made short; the tests force it.
const SLACK: usize = if cfg!(test) { 4 } else { 1024 };

/// Units whose stamps lie together: 4 KiB of them for one size. Those of which none was written are never
/// looked at.
const CHUNK: usize = 1024;

/// Counts the versions that caches of some sizes can keep. Units are numbers from 0 on.
///
/// What a cache keeps, every larger one keeps too: the versions are taken in one order, and a set of them
/// that leaves room for one more in C slots does so in C + 1. So a version that is lost is asked for in no
/// smaller cache. As long as nothing was lost, all sizes do the same but for their unused slots: they share
/// the state of the smallest of them.
#[derive(Clone, Debug)]
pub struct Meters {
    /// Slots by size, rising.
    slots: Vec<u32>,
    /// States of the sizes that have lost a version, and last, of the next one, which the others share.
    sizes: Vec<Slots>,
    /// Of each unit and each size the length of its list when the unit's version was born.
    stamps: Vec<u32>,
    /// Versions that died.
    died: u64,
    /// Chunks with a unit that was written, and how many those are.
    used: Vec<bool>,
    used_count: usize,
}

/// The slots of one cache.
///
/// `ends` lists the deaths of the versions kept, in their order; the slot of each falls free there. A
/// version that dies takes the last of these at or before its birth that nobody has taken, which a union-find
/// tells: a position that is taken leads to the one before it.
#[derive(Clone, Debug)]
struct Slots {
    ends: Vec<u32>,
    /// Slots that nothing has been in yet.
    unused: u32,
    /// Length of `ends` at which it is made short.
    limit: usize,
    kept: u64,
}

/// How many versions can be kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeptVersions {
    /// Of those that die before the end.
    pub died: u64,
    /// Of all: what lives on at the end may stay in the cache.
    pub all: u64,
}

impl Meters {
    /// Most slots: positions are 32 bits wide, and there may be as many units.
    pub const SLOTS_MAX: u32 = 1 << 30;

    /// Caches of so many slots, rising and each at most [`Self::SLOTS_MAX`].
    pub fn new(slots: &[u32]) -> Self {
        Self::with_units(slots, 0)
    }

    /// The same with places for `units` units from the start, which take memory as they are written.
    pub fn with_units(slots: &[u32], units: u32) -> Self {
        assert!(
            !slots.is_empty() && slots.is_sorted() && slots.iter().all(|&slots| slots <= Self::SLOTS_MAX)
        );
        let chunks = (units as usize).div_ceil(CHUNK);
        Self {
            slots: slots.to_vec(),
            sizes: slots.iter().take(1).map(|&slots| Slots::new(slots)).collect(),
            stamps: vec![NONE; chunks * CHUNK * slots.len()],
            died: 0,
            used: vec![false; chunks],
            used_count: 0,
        }
    }

    /// Asks for the memory that a request of `coming` units below `end` may take: to grow without it ends
    /// the process.
    pub fn make_room(&mut self, end: u64, coming: usize) -> Result<(), TryReserveError> {
        let chunks = (end as usize).div_ceil(CHUNK);
        let stamps = chunks.saturating_mul(CHUNK * self.slots.len());
        self.stamps.try_reserve(stamps.saturating_sub(self.stamps.len()))?;
        self.used.try_reserve(chunks.saturating_sub(self.used.len()))?;
        self.sizes.iter_mut().try_for_each(|slots| slots.ends.try_reserve(coming))
    }

    /// A request writes `units`, or, if it does not, trims them: first all that they held dies.
    pub fn request(&mut self, units: impl ExactSizeIterator<Item = u32> + Clone, writes: bool) {
        self.shorten(units.len());
        units.clone().for_each(|unit| self.die(unit as usize));
        if writes {
            units.for_each(|unit| self.born(unit as usize));
        }
    }

    /// The version in `unit`, if there is one, dies.
    #[inline]
    fn die(&mut self, unit: usize) {
        let at = unit * self.slots.len();
        if !self.is_used(unit) || self.stamps[at] == NONE {
            return;
        }
        self.died += 1;
        while !keep(&mut self.sizes, &self.stamps[at..]) && self.sizes.len() < self.slots.len() {
            part(&mut self.sizes, &self.slots);
            let last = self.sizes.len() - 1;
            self.of_used(|stamps| stamps[last] = stamps[last - 1]);
        }
        self.stamps[at..at + self.sizes.len()].fill(NONE);
    }

    /// Has the stamps of each unit of the chunks in use.
    fn of_used(&mut self, mut change: impl FnMut(&mut [u32])) {
        let count = self.slots.len();
        let chunks = self.stamps.chunks_mut(CHUNK * count).zip(&self.used).filter(|(_, used)| **used);
        chunks.flat_map(|(chunk, _)| chunk.chunks_mut(count)).for_each(&mut change);
    }

    #[inline]
    fn is_used(&self, unit: usize) -> bool {
        self.used.get(unit / CHUNK).is_some_and(|used| *used)
    }

    #[inline]
    fn born(&mut self, unit: usize) {
        if !self.is_used(unit) {
            self.use_chunk(unit / CHUNK);
        }
        let at = unit * self.slots.len();
        for (slots, stamp) in self.sizes.iter().zip(&mut self.stamps[at..]) {
            *stamp = slots.ends.len() as u32;
        }
    }

    #[cold]
    fn use_chunk(&mut self, chunk: usize) {
        if chunk >= self.used.len() {
            self.used.resize(chunk + 1, false);
            self.stamps.resize((chunk + 1) * CHUNK * self.slots.len(), NONE);
        }
        self.used[chunk] = true;
        self.used_count += 1;
    }

    /// Makes lists short that might become too long with `coming` units.
    fn shorten(&mut self, coming: usize) {
        let count = self.slots.len();
        for (at, slots) in self.sizes.iter_mut().enumerate() {
            if slots.ends.len() + coming > slots.limit {
                let used = self.stamps.chunks_mut(CHUNK * count).zip(&self.used).filter(|(_, used)| **used);
                slots.shorten(used.flat_map(|(stamps, _)| stamps.iter_mut().skip(at).step_by(count)));
                slots.limit = slots.ends.len() + self.used_count * CHUNK / 2 + coming + SLACK;
            }
        }
    }

    /// Versions that died and were kept, by size.
    fn kept(&self) -> impl Iterator<Item = u64> + '_ {
        let last = self.sizes.len() - 1;
        (0..self.slots.len()).map(move |at| self.sizes[at.min(last)].kept)
    }

    /// Versions that died and could not be kept, by size: dense programs until now are at least as many.
    pub fn lost(&self) -> impl Iterator<Item = u64> + '_ {
        self.kept().map(|kept| self.died - kept)
    }

    /// What could be kept if this is the end, by size.
    pub fn finish(&self) -> Vec<KeptVersions> {
        let (count, mut end) = (self.slots.len(), self.sizes.clone());
        let chunks = self.stamps.chunks(CHUNK * count).zip(&self.used).filter(|(_, used)| **used);
        for stamps in chunks.flat_map(|(chunk, _)| chunk.chunks(count)).filter(|stamps| stamps[0] != NONE) {
            let own = &stamps[..self.sizes.len()];
            while !keep(&mut end, own) && end.len() < count {
                part(&mut end, &self.slots);
            }
        }
        let died = self.kept();
        let all = (0..count).map(|at| end[at.min(end.len() - 1)].kept);
        died.zip(all).map(|(died, all)| KeptVersions { died, all }).collect()
    }
}

/// Keeps the version of these stamps in every cache that has a slot for it; false if none has. Of the sizes
/// beyond the stamps the last one holds.
#[inline]
fn keep(sizes: &mut [Slots], stamps: &[u32]) -> bool {
    let stamp = |at: usize| stamps[at.min(stamps.len() - 1)];
    let lost = sizes.iter_mut().enumerate().rev().position(|(at, slots)| !slots.die(stamp(at)));
    lost != Some(0)
}

/// The smallest of the sizes that share the last state goes on alone: it will lose what the others keep.
#[cold]
fn part(sizes: &mut Vec<Slots>, slots: &[u32]) {
    let at = sizes.len();
    let mut next = sizes[at - 1].clone();
    next.unused += slots[at] - slots[at - 1];
    sizes.push(next);
}

impl Slots {
    fn new(slots: u32) -> Self {
        Self { ends: vec![0], unused: slots, limit: SLACK, kept: 0 }
    }

    /// A version born at `stamp` dies; false if there was no slot for it.
    #[inline]
    fn die(&mut self, stamp: u32) -> bool {
        let kept = self.take(stamp);
        if kept {
            self.kept += 1;
            self.ends.push(self.ends.len() as u32);
        }
        kept
    }

    /// Takes the slot that fell free last, before the list was longer than `stamp`; false if there is none.
    fn take(&mut self, stamp: u32) -> bool {
        let at = self.last_free(stamp - 1);
        if at > 0 {
            self.ends[at as usize] = at - 1;
        } else if self.unused > 0 {
            self.unused -= 1;
        } else {
            return false;
        }
        true
    }

    fn last_free(&mut self, mut at: u32) -> u32 {
        while self.ends[at as usize] != at {
            let before = self.ends[self.ends[at as usize] as usize];
            self.ends[at as usize] = before;
            at = before;
        }
        at
    }

    /// Forgets the positions that are taken, of which there may be many more than slots.
    #[cold]
    fn shorten<'a>(&mut self, stamps: impl Iterator<Item = &'a mut u32>) {
        let mut free = 0;
        // A position leads to an earlier one, whose rank is known: each becomes its own rank.
        for at in 0..self.ends.len() {
            let to = self.ends[at] as usize;
            self.ends[at] = self.ends[to];
            if to == at {
                self.ends[at] = free;
                free += 1;
            }
        }
        for stamp in stamps.filter(|stamp| **stamp != NONE) {
            *stamp = self.ends[*stamp as usize - 1] + 1;
        }
        self.ends.clear();
        self.ends.extend(0..free);
    }
}

#[cfg(test)]
mod tests;
