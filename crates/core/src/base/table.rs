//! A large table of numbers that are zero until used: a clone takes only what was used, into the memory of a
//! table that is gone where there is one. Asking the system for new memory takes several times as long as copying.

use std::collections::BTreeMap;
use std::ops::{Deref, DerefMut};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Numbers that are copied, or left alone, together: a page of memory.
const RUN: usize = 1024;

/// Numbers, all zero at first.
pub struct Table(Vec<u32>);

impl Table {
    /// So many zeros; costs address space only until used.
    pub fn new(len: usize) -> Self {
        Self::over(vec![0; len])
    }

    fn over(memory: Vec<u32>) -> Self {
        register(&memory);
        Self(memory)
    }
}

impl Clone for Table {
    fn clone(&self) -> Self {
        let kept = reuse(self.len());
        let used_before = kept.is_some();
        let mut copy = kept.unwrap_or_else(|| vec![0; self.len()]);
        for (run, to) in self.chunks(RUN).zip(copy.chunks_mut(RUN)) {
            if used_before || run.iter().any(|&number| number != 0) {
                to.copy_from_slice(run);
            }
        }
        Self::over(copy)
    }
}

impl Drop for Table {
    fn drop(&mut self) {
        retire(std::mem::take(&mut self.0));
    }
}

impl From<Vec<u32>> for Table {
    fn from(memory: Vec<u32>) -> Self {
        Self::over(memory)
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

/// Tables of fewer numbers are made anew.
const LARGE: usize = 1 << 18;
/// The memory of so many is kept: of nine forks of a device, two tables each.
const KEPT: usize = 18;

/// How many large tables there are by length, and what those left that are gone: nothing is kept of a length
/// that no table has any more.
struct Retired {
    alive: BTreeMap<usize, usize>,
    kept: Vec<Vec<u32>>,
}

static RETIRED: Mutex<Retired> = Mutex::new(Retired { alive: BTreeMap::new(), kept: Vec::new() });

fn retired() -> MutexGuard<'static, Retired> {
    RETIRED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A table begins.
fn register(memory: &[u32]) {
    if memory.len() >= LARGE {
        *retired().alive.entry(memory.len()).or_default() += 1;
    }
}

/// Memory of so many numbers that a table had, whatever they are now.
fn reuse(len: usize) -> Option<Vec<u32>> {
    if len < LARGE {
        return None;
    }
    let mut retired = retired();
    let place = retired.kept.iter().rposition(|memory| memory.len() == len)?;
    Some(retired.kept.swap_remove(place))
}

/// A table is gone.
fn retire(memory: Vec<u32>) {
    let len = memory.len();
    if len < LARGE {
        return;
    }
    let mut retired = retired();
    let others = retired.alive.remove(&len).unwrap_or_default().saturating_sub(1);
    if others == 0 {
        retired.kept.retain(|kept| kept.len() != len);
        return;
    }
    retired.alive.insert(len, others);
    if retired.kept.len() < KEPT {
        retired.kept.push(memory);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::rng::RngStream;

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

    /// Tables that are written, cloned and dropped in any order, beside plain lists.
    #[test]
    fn clones_into_used_memory_are_what_plain_lists_are() {
        let len = LARGE + RUN / 2;
        let mut rng = RngStream::new(35, "tables");
        let mut tables = vec![(Table::new(len), vec![0; len])];
        for step in 1..=1000_u32 {
            let at = rng.below(tables.len() as u32) as usize;
            let start = rng.below(len as u32 - 300) as usize;
            let count = tables.len();
            let (table, list) = &mut tables[at];
            match rng.below(6) {
                0 if count < 6 => {
                    let copy = (table.clone(), list.clone());
                    assert!(copy.0[..] == copy.1[..], "step {step}");
                    tables.push(copy);
                }
                1 if count > 1 => {
                    tables.swap_remove(at);
                }
                _ => {
                    table[start..start + 300].fill(step);
                    list[start..start + 300].fill(step);
                }
            }
        }
        assert!(tables.iter().all(|(table, list)| table[..] == list[..]));
    }

    #[test]
    fn memory_is_kept_while_a_table_of_its_length_is_there() {
        // A length of its own, since tables of other tests come and go meanwhile.
        let len = LARGE + 7;
        let table = || vec![1; len];
        register(&table());
        register(&table());
        assert!(reuse(len).is_none());
        retire(table());
        assert_eq!(reuse(len).map(|kept| kept.len()), Some(len));
        assert!(reuse(len).is_none());
        register(&table());
        retire(table());
        retire(table());
        assert!(reuse(len).is_none());
    }
}
