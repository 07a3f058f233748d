//! What no SLC cache can keep from a dense program: how many versions of data fit into it from birth to
//! death, counted as they are written.
//!
//! A *version* of a unit is born with a write that touches it and dies with the next one, or with a trim
//! that covers it. Whoever never programs it to dense cells holds it in a slot of the cache, or in memory,
//! all the time between. So at most F(C) versions are spared that, the most of which no more than C live at
//! once, and every other one costs a dense program. In order of death, each version is given the slot that
//! fell free last but not after its birth; none is free exactly where C would be exceeded (Faigle and
//! Nawijn; Carlisle and Lloyd: the largest k-colourable set of intervals). That needs the past only.

/// No stamp: the unit holds no version.
const NONE: u32 = u32::MAX;
/// Positions that a list may have beside those in use before it is made short; the tests force it.
const SLACK: usize = if cfg!(test) { 4 } else { 1024 };

/// Counts the versions that caches of some sizes can keep. Units are numbers from 0 on, given out without gaps.
#[derive(Clone, Debug)]
pub struct Meters {
    sizes: Vec<Slots>,
    /// Of each unit and each size the length of its list when the unit's version was born, less one.
    stamps: Vec<u32>,
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
    lost: u64,
}

/// How many versions can be kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kept {
    /// Of those that die before the end.
    pub died: u64,
    /// Of all: what lives on at the end may stay in the cache.
    pub all: u64,
}

impl Meters {
    /// Most slots: positions are 32 bits wide, and there may be as many units.
    pub const SLOTS_MAX: u32 = 1 << 30;

    /// Caches of so many slots, each at most [`Self::SLOTS_MAX`].
    pub fn new(slots: &[u32]) -> Self {
        debug_assert!(slots.iter().all(|&slots| slots <= Self::SLOTS_MAX));
        Self { sizes: slots.iter().map(|&slots| Slots::new(slots)).collect(), stamps: Vec::new() }
    }

    /// A request writes `units`, or, if it does not, trims them: first all that they held dies.
    pub fn request(&mut self, units: &[u32], writes: bool) {
        let count = self.sizes.len();
        self.shorten(units.len());
        for &unit in units {
            let first = unit as usize * count;
            let Some(stamps) = self.stamps.get_mut(first..first + count) else { continue };
            for (slots, stamp) in self.sizes.iter_mut().zip(stamps) {
                let stamp = std::mem::replace(stamp, NONE);
                if stamp != NONE {
                    slots.die(stamp);
                }
            }
        }
        if writes {
            units.iter().for_each(|&unit| self.born(unit as usize));
        }
    }

    fn born(&mut self, unit: usize) {
        let count = self.sizes.len();
        if self.stamps.len() < (unit + 1) * count {
            self.stamps.resize((unit + 1) * count, NONE);
        }
        for (slots, stamp) in self.sizes.iter().zip(&mut self.stamps[unit * count..]) {
            *stamp = slots.ends.len() as u32 - 1;
        }
    }

    /// Makes lists short that might become too long with `coming` units.
    fn shorten(&mut self, coming: usize) {
        let count = self.sizes.len();
        for (at, slots) in self.sizes.iter_mut().enumerate() {
            if slots.ends.len() + coming > slots.limit {
                let units = self.stamps.len() / count;
                slots.shorten(self.stamps.iter_mut().skip(at).step_by(count));
                slots.limit = slots.ends.len() + units / 2 + coming + SLACK;
            }
        }
    }

    /// Versions that died and could not be kept, by size: dense programs until now are at least as many.
    pub fn lost(&self) -> impl Iterator<Item = u64> + '_ {
        self.sizes.iter().map(|slots| slots.lost)
    }

    /// What could be kept in the end, by size.
    pub fn finish(self) -> Vec<Kept> {
        let count = self.sizes.len();
        let kept = |(at, mut slots): (usize, Slots)| {
            let stamps = self.stamps.iter().skip(at).step_by(count);
            let alive = stamps.filter(|&&stamp| stamp != NONE);
            let more = alive.filter(|&&stamp| slots.take(stamp)).count() as u64;
            Kept { died: slots.kept, all: slots.kept + more }
        };
        self.sizes.into_iter().enumerate().map(kept).collect()
    }
}

impl Slots {
    fn new(slots: u32) -> Self {
        Self { ends: vec![0], unused: slots, limit: SLACK, kept: 0, lost: 0 }
    }

    fn die(&mut self, stamp: u32) {
        if self.take(stamp) {
            self.kept += 1;
            self.ends.push(self.ends.len() as u32);
        } else {
            self.lost += 1;
        }
    }

    /// Takes the slot that fell free last, `stamp` at the latest; false if there is none.
    fn take(&mut self, stamp: u32) -> bool {
        let at = self.last_free(stamp);
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
            *stamp = self.ends[*stamp as usize];
        }
        self.ends.clear();
        self.ends.extend(0..free);
    }
}

#[cfg(test)]
mod tests;
