//! What no SLC cache can keep from a dense program: how many versions of data fit into it from birth to
//! death, counted as they are written.
//!
//! A *version* of a unit is born with a write that touches it and dies with the next one, or with a trim
//! that covers it. Whoever never programs it to dense cells holds it in a slot of the cache, or in memory,
//! all the time between. So at most F(C) versions are spared that, the most of which no more than C live at
//! once, and every other one costs a dense program. In order of death, each version is given the slot that
//! fell free last but not after its birth; none is free exactly where C would be exceeded (Faigle and
//! Nawijn; Carlisle and Lloyd: the largest k-colourable set of intervals). That needs the past only.

/// No stamp: the unit holds no version. Zero, so that a table of units that nothing was written to takes no
/// memory.
const NONE: u32 = 0;
/// Positions that a list may have beside those in use before it is made short; the tests force it.
const SLACK: usize = if cfg!(test) { 4 } else { 1024 };

/// Units whose stamps lie together: 4 KiB of them for one size. Those of which none was written are never
/// looked at.
const CHUNK: usize = 1024;

/// Counts the versions that caches of some sizes can keep. Units are numbers from 0 on.
#[derive(Clone, Debug)]
pub struct Meters {
    sizes: Vec<Slots>,
    /// Of each unit and each size the length of its list when the unit's version was born.
    stamps: Vec<u32>,
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
        Self::with_units(slots, 0)
    }

    /// The same with places for `units` units from the start, which take memory as they are written.
    pub fn with_units(slots: &[u32], units: u32) -> Self {
        debug_assert!(slots.iter().all(|&slots| slots <= Self::SLOTS_MAX));
        let chunks = (units as usize).div_ceil(CHUNK);
        Self {
            sizes: slots.iter().map(|&slots| Slots::new(slots)).collect(),
            stamps: vec![NONE; chunks * CHUNK * slots.len()],
            used: vec![false; chunks],
            used_count: 0,
        }
    }

    /// A request writes `units`, or, if it does not, trims them: first all that they held dies.
    pub fn request(&mut self, units: impl ExactSizeIterator<Item = u32> + Clone, writes: bool) {
        let count = self.sizes.len();
        self.shorten(units.len());
        for unit in units.clone() {
            let unit = unit as usize;
            if !self.used.get(unit / CHUNK).is_some_and(|used| *used) {
                continue;
            }
            for (slots, stamp) in self.sizes.iter_mut().zip(&mut self.stamps[unit * count..]) {
                let stamp = std::mem::replace(stamp, NONE);
                if stamp != NONE {
                    slots.die(stamp);
                }
            }
        }
        if writes {
            units.for_each(|unit| self.born(unit as usize));
        }
    }

    #[inline]
    fn born(&mut self, unit: usize) {
        let count = self.sizes.len();
        if !self.used.get(unit / CHUNK).is_some_and(|used| *used) {
            self.use_chunk(unit / CHUNK);
        }
        for (slots, stamp) in self.sizes.iter().zip(&mut self.stamps[unit * count..]) {
            *stamp = slots.ends.len() as u32;
        }
    }

    #[cold]
    fn use_chunk(&mut self, chunk: usize) {
        if chunk >= self.used.len() {
            self.used.resize(chunk + 1, false);
            self.stamps.resize((chunk + 1) * CHUNK * self.sizes.len(), NONE);
        }
        self.used[chunk] = true;
        self.used_count += 1;
    }

    /// Makes lists short that might become too long with `coming` units.
    fn shorten(&mut self, coming: usize) {
        let count = self.sizes.len();
        for (at, slots) in self.sizes.iter_mut().enumerate() {
            if slots.ends.len() + coming > slots.limit {
                let used = self.stamps.chunks_mut(CHUNK * count).zip(&self.used).filter(|(_, used)| **used);
                slots.shorten(used.flat_map(|(stamps, _)| stamps.iter_mut().skip(at).step_by(count)));
                slots.limit = slots.ends.len() + self.used_count * CHUNK / 2 + coming + SLACK;
            }
        }
    }

    /// Versions that died and could not be kept, by size: dense programs until now are at least as many.
    pub fn lost(&self) -> impl Iterator<Item = u64> + '_ {
        self.sizes.iter().map(|slots| slots.lost)
    }

    /// What could be kept if this is the end, by size.
    pub fn finish(&self) -> Vec<Kept> {
        let count = self.sizes.len();
        let kept = |(at, mut slots): (usize, Slots)| {
            let used = self.stamps.chunks(CHUNK * count).zip(&self.used).filter(|(_, used)| **used);
            let stamps = used.flat_map(|(stamps, _)| stamps.iter().skip(at).step_by(count));
            let alive = stamps.filter(|&&stamp| stamp != NONE);
            let more = alive.filter(|&&stamp| slots.take(stamp)).count() as u64;
            Kept { died: slots.kept, all: slots.kept + more }
        };
        self.sizes.iter().cloned().enumerate().map(kept).collect()
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
