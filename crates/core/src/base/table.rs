//! A large table of numbers that are zero until used: a clone takes only what was used.

use std::ops::{Deref, DerefMut};

/// Numbers that are copied, or left alone, together: a page of memory.
const RUN: usize = 1024;

/// Numbers, all zero at first.
pub struct Table(Vec<u32>);

impl Table {
    /// So many zeros; costs address space only until used.
    pub fn new(len: usize) -> Self {
        Self(vec![0; len])
    }
}

impl Clone for Table {
    fn clone(&self) -> Self {
        let mut copy = vec![0; self.len()];
        for (run, to) in self.chunks(RUN).zip(copy.chunks_mut(RUN)) {
            if run.iter().any(|&number| number != 0) {
                to.copy_from_slice(run);
            }
        }
        Self(copy)
    }
}

impl Deref for Table {
    type Target = [u32];
    #[inline(always)]
    fn deref(&self) -> &[u32] {
        &self.0
    }
}

impl DerefMut for Table {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut [u32] {
        &mut self.0
    }
}

#[cfg(test)]
mod tests {
    use super::{Table, RUN};

    #[test]
    fn a_clone_holds_the_same_numbers() {
        let mut table = Table::new(5 * RUN + 3);
        for place in [0, RUN - 1, 3 * RUN, 5 * RUN + 2] {
            table[place] = place as u32 + 1;
        }
        let mut clone = table.clone();
        assert_eq!(clone[..], table[..]);
        clone[RUN] = 7;
        assert_eq!(table[RUN], 0);
    }
}
