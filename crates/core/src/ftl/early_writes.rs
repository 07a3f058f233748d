//! Data acknowledged before they are programmed: those on their way to the flash, and the flushes
//! that wait for them.

use crate::base::slab::Slab;
use std::collections::VecDeque;

/// One write of acknowledged data.
#[derive(Clone, Copy, Debug, Default)]
struct EarlyWrite {
    units: u32,
    /// How many flushes that wait had come before it.
    epoch: u64,
}

/// Acknowledged data on their way to the flash.
#[derive(Clone)]
pub struct EarlyWrites {
    /// The writes, by their tokens.
    writes: Slab<EarlyWrite>,
    /// Writes on their way, by epoch: each flush that waits ends one. The first is not over.
    epochs: VecDeque<u32>,
    first_epoch: u64,
    /// Writes on their way of the epoch after them, which no flush has ended.
    open: u32,
    units: u32,
}

impl Default for EarlyWrites {
    fn default() -> Self {
        Self {
            writes: Slab::new(EarlyWrite::default()),
            epochs: VecDeque::new(),
            first_epoch: 0,
            open: 0,
            units: 0,
        }
    }
}

impl EarlyWrites {
    /// Mapping units that the hold buffer has room for only once they are programmed.
    pub fn units(&self) -> u32 {
        self.units
    }

    /// Number of the epoch that no flush has ended.
    #[inline(always)]
    fn open_epoch(&self) -> u64 {
        self.first_epoch + self.epochs.len() as u64
    }

    /// A write of acknowledged data begins, with `units` out of the hold buffer; returns the token
    /// that ends it.
    #[inline]
    pub fn begin(&mut self, units: u32) -> u32 {
        self.units += units;
        self.open += 1;
        self.writes.insert(EarlyWrite { units, epoch: self.open_epoch() })
    }

    /// The write of `token` is complete; returns how many flushes, the oldest ones, need wait no longer.
    #[inline]
    pub fn end(&mut self, token: u32) -> usize {
        let EarlyWrite { units, epoch } = self.writes[token as usize];
        self.writes.remove(token);
        self.units -= units;
        if epoch == self.open_epoch() {
            self.open -= 1;
            return 0;
        }
        self.end_before_flush((epoch - self.first_epoch) as usize)
    }

    /// A write of one of the epochs that flushes have ended is complete.
    #[cold]
    fn end_before_flush(&mut self, epoch: usize) -> usize {
        self.epochs[epoch] -= 1;
        let mut flushes = 0;
        while self.epochs.front() == Some(&0) {
            self.epochs.pop_front();
            self.first_epoch += 1;
            flushes += 1;
        }
        flushes
    }

    /// A flush comes; whether it has to wait, for what is on its way.
    pub fn flush(&mut self) -> bool {
        let waits = !self.writes.is_empty();
        if waits {
            self.epochs.push_back(std::mem::take(&mut self.open));
        }
        waits
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flush_waits_for_what_came_before_it_and_for_the_flush_before() {
        let mut early = EarlyWrites::default();
        assert!(!early.flush());
        let (first, second) = (early.begin(3), early.begin(0));
        assert!(early.flush());
        let third = early.begin(2);
        assert!(early.flush() && early.flush());
        let after = early.begin(1);
        assert_eq!(early.units(), 6);
        assert_eq!((early.end(after), early.end(third)), (0, 0));
        assert_eq!((early.end(first), early.units()), (0, 0));
        assert_eq!(early.end(second), 3);
        assert!(!early.flush());
    }
}
