//! The recency stack: all units ever written in the order of their last write, with the exact position
//! of each.
//!
//! Every write gets the next **stamp**. A unit's position is the number of units with a later one: they
//! are counted in a bitmap of the stamps in use, a cache line of it at a time, under a Fenwick tree of
//! the lines' counts. When the stamps run out those in use are renumbered, which leaves the order as it
//! is.

use serde::{Deserialize, Serialize};

/// Words of a line: 64 bytes.
const WORDS: usize = 8;
/// Stamps of a line.
const LINE: u32 = WORDS as u32 * 64;
/// Fewest stamps there are.
const STAMPS_MIN: u32 = 8 * LINE;
/// Write requests beyond which it does not matter how many more there were.
const SINCE_MAX: u32 = 1 << 31;

/// A bit for every stamp, by lines.
type Bits = Vec<[u64; WORDS]>;

/// Write recency of units, and which of them are resident in the fast tier.
#[derive(Clone, Serialize, Deserialize)]
pub struct Recency {
    /// By unit: its stamp + 1; 0 = never written.
    stamps: Vec<u32>,
    /// By stamp: the unit that got it.
    units: Vec<u32>,
    /// By stamp: the write request that gave it, as `requests` counts them.
    written: Vec<u32>,
    /// The stamps in use.
    used: Bits,
    /// Those of resident units.
    resident: Bits,
    /// Fenwick tree: stamps in use by line.
    tree: Vec<u32>,
    /// The next stamp.
    next: u32,
    /// Units in the stack.
    len: u32,
    /// Resident units.
    residents: u32,
    /// No line before this one has a resident unit.
    coldest: u32,
    /// Write requests so far; less a constant, where it would overflow.
    requests: u32,
}

impl Recency {
    /// The stack of `units` units, none of which was written.
    pub fn new(units: u32) -> Self {
        let mut recency = Self {
            stamps: vec![0; units as usize],
            units: Vec::new(),
            written: Vec::new(),
            used: Bits::new(),
            resident: Bits::new(),
            tree: Vec::new(),
            next: 0,
            len: 0,
            residents: 0,
            coldest: 0,
            requests: 0,
        };
        recency.renumber();
        recency
    }

    pub fn len(&self) -> u32 {
        self.len
    }

    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Resident units.
    pub fn residents(&self) -> u32 {
        self.residents
    }

    /// How many units were written after `unit`; none where it was never written.
    #[inline]
    pub fn position(&self, unit: u32) -> Option<u32> {
        let stamp = self.stamp(unit)?;
        Some(self.len - 1 - self.used_before(stamp))
    }

    #[inline]
    pub fn is_resident(&self, unit: u32) -> bool {
        self.stamp(unit).is_some_and(|stamp| bit(&self.resident, stamp))
    }

    #[inline]
    pub fn write_request(&mut self) {
        if self.requests == u32::MAX {
            self.rebase();
        }
        self.requests += 1;
    }

    /// Write requests that have begun after the last write of `unit`, up to 2^31 of them; none where
    /// it was never written.
    #[inline]
    pub fn writes_since(&self, unit: u32) -> Option<u32> {
        let stamp = self.stamp(unit)?;
        Some((self.requests - self.written[stamp as usize]).min(SINCE_MAX))
    }

    /// Puts `unit` in front, resident or not.
    pub fn touch(&mut self, unit: u32, resident: bool) {
        if let Some(stamp) = self.stamp(unit) {
            self.take_out(stamp);
        }
        if self.next as usize == self.units.len() {
            self.renumber();
        }
        let stamp = self.next;
        self.next += 1;
        self.len += 1;
        self.units[stamp as usize] = unit;
        self.written[stamp as usize] = self.requests;
        self.stamps[unit as usize] = stamp + 1;
        *word(&mut self.used, stamp) |= 1 << (stamp % 64);
        self.count(stamp, 1);
        self.mark(stamp, resident);
    }

    /// Notes whether `unit`, which is in the stack, is resident.
    pub fn set_resident(&mut self, unit: u32, resident: bool) {
        let stamp = self.stamp(unit).expect("Invariant: only written units are resident");
        self.mark(stamp, resident);
    }

    /// Notes whether the unit with `stamp` is resident.
    #[inline(always)]
    fn mark(&mut self, stamp: u32, resident: bool) {
        let (word, bit) = (word(&mut self.resident, stamp), 1 << (stamp % 64));
        if (*word & bit != 0) == resident {
            return;
        }
        *word ^= bit;
        if resident {
            self.residents += 1;
            self.coldest = self.coldest.min(stamp / LINE);
        } else {
            self.residents -= 1;
        }
    }

    /// The resident unit whose last write is the longest ago.
    pub fn coldest_resident(&mut self) -> Option<u32> {
        if self.residents == 0 {
            return None;
        }
        let none = [0; WORDS];
        while self.resident[self.coldest as usize] == none {
            self.coldest += 1;
        }
        let stamp = stamps(&self.resident[self.coldest as usize..]).next()?;
        Some(self.units[(self.coldest * LINE + stamp) as usize])
    }

    /// Takes `unit` out of the stack.
    pub fn forget(&mut self, unit: u32) {
        let Some(stamp) = self.stamp(unit) else { return };
        self.take_out(stamp);
        self.stamps[unit as usize] = 0;
    }

    /// Takes the unit with `stamp`, which is in use, out of the stack; the caller gives the unit another or
    /// none.
    #[inline(always)]
    fn take_out(&mut self, stamp: u32) {
        self.mark(stamp, false);
        *word(&mut self.used, stamp) &= !(1 << (stamp % 64));
        self.count(stamp, -1);
        self.len -= 1;
    }

    /// The units, the one written last first.
    pub fn recent(&self) -> impl Iterator<Item = u32> + '_ {
        let lines = self.used.iter().enumerate().rev();
        lines.flat_map(move |(line, words)| {
            let words = words.iter().enumerate().rev();
            words.flat_map(move |(number, &word)| {
                let first = line * LINE as usize + number * 64;
                (0..64).rev().filter(move |bit| word >> bit & 1 == 1).map(move |bit| self.units[first + bit])
            })
        })
    }

    #[inline]
    fn stamp(&self, unit: u32) -> Option<u32> {
        self.stamps[unit as usize].checked_sub(1)
    }

    /// Stamps in use below `stamp`.
    #[inline]
    fn used_before(&self, stamp: u32) -> u32 {
        let line = (stamp / LINE) as usize;
        let mut sum = 0;
        let mut node = line;
        while node > 0 {
            sum += self.tree[node];
            node &= node - 1;
        }
        let (words, rest) = (&self.used[line], stamp % LINE);
        let (whole, part) = ((rest / 64) as usize, rest % 64);
        let below = words[whole] & ((1 << part) - 1);
        sum + words[..whole].iter().map(|word| word.count_ones()).sum::<u32>() + below.count_ones()
    }

    /// Adds `change` to the line of `stamp`.
    #[inline]
    fn count(&mut self, stamp: u32, change: i32) {
        let mut node = (stamp / LINE) as usize + 1;
        while node < self.tree.len() {
            self.tree[node] = self.tree[node].wrapping_add_signed(change);
            node += node & node.wrapping_neg();
        }
    }

    /// Gives the units the first stamps, in order, and half as many again as they need.
    fn renumber(&mut self) {
        let mut next = 0;
        let (mut used, mut resident) = (Bits::new(), Bits::new());
        std::mem::swap(&mut used, &mut self.used);
        std::mem::swap(&mut resident, &mut self.resident);
        self.resize();
        let words = used.as_flattened().iter().zip(resident.as_flattened());
        for (first, (&word, &residents)) in (0..).step_by(64).zip(words) {
            if word == u64::MAX && next == first {
                // Of the oldest ones none is gone: they keep their stamps.
                self.resident.as_flattened_mut()[(first / 64) as usize] = residents;
                next += 64;
                continue;
            }
            let mut left = word;
            while left != 0 {
                let bit = left.trailing_zeros();
                left &= left - 1;
                self.restamp(first + bit, next, residents >> bit & 1);
                next += 1;
            }
        }
        // Those in use are the first ones now.
        for (line, words) in self.used.iter_mut().enumerate() {
            let before = line as u32 * LINE;
            for (word, first) in words.iter_mut().zip((before..).step_by(64)) {
                let count = next.saturating_sub(first).min(64);
                *word = if count == 64 { u64::MAX } else { (1 << count) - 1 };
            }
            self.tree[line + 1] = next.saturating_sub(before).min(LINE);
        }
        for node in 1..self.tree.len() {
            let parent = node + (node & node.wrapping_neg());
            if parent < self.tree.len() {
                self.tree[parent] += self.tree[node];
            }
        }
        self.next = next;
        self.coldest = 0;
    }

    /// Gives the unit with `stamp` an earlier one, `to`; `resident` is 1 if the unit is.
    #[inline(always)]
    fn restamp(&mut self, stamp: u32, to: u32, resident: u64) {
        let unit = self.units[stamp as usize];
        self.units[to as usize] = unit;
        self.written[to as usize] = self.written[stamp as usize];
        self.stamps[unit as usize] = to + 1;
        *word(&mut self.resident, to) |= resident << (to % 64);
    }

    /// Makes room for half as many stamps again as there are units, none of them in use.
    fn resize(&mut self) {
        let lines = (self.len + self.len / 2).max(STAMPS_MIN).div_ceil(LINE) as usize;
        // A stack that shrank keeps its room: the units still lie where they were.
        let lines = lines.max(self.units.len() / LINE as usize);
        self.units.resize(lines * LINE as usize, 0);
        self.written.resize(lines * LINE as usize, 0);
        self.used = vec![[0; WORDS]; lines];
        self.resident = vec![[0; WORDS]; lines];
        self.tree = vec![0; lines + 1];
    }

    /// Lets the count of the write requests begin 2^31 later; what is older seems to be that old.
    fn rebase(&mut self) {
        self.requests -= SINCE_MAX;
        self.written.iter_mut().for_each(|written| *written = written.saturating_sub(SINCE_MAX));
    }
}

#[inline]
fn bit(bits: &Bits, stamp: u32) -> bool {
    bits.as_flattened()[(stamp / 64) as usize] >> (stamp % 64) & 1 == 1
}

#[inline(always)]
fn word(bits: &mut Bits, stamp: u32) -> &mut u64 {
    &mut bits.as_flattened_mut()[(stamp / 64) as usize]
}

/// The stamps whose bits are set, in order.
fn stamps(bits: &[[u64; WORDS]]) -> impl Iterator<Item = u32> + '_ {
    let words = bits.iter().flatten().enumerate();
    words.flat_map(|(number, &word)| {
        let mut left = word;
        std::iter::from_fn(move || {
            let bit = (left != 0).then(|| left.trailing_zeros())?;
            left &= left - 1;
            Some(number as u32 * 64 + bit)
        })
    })
}

#[cfg(test)]
mod tests;
