//! The memory of large tables that are gone, for clones: asking the system for new memory takes several
//! times as long as copying.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Tables of fewer numbers are made anew.
pub const LARGE: usize = 1 << 18;
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
pub fn begin(memory: &[u32]) {
    if memory.len() >= LARGE {
        *retired().alive.entry(memory.len()).or_default() += 1;
    }
}

/// Memory of so many numbers that a table had, whatever they are now.
pub fn take(len: usize) -> Option<Vec<u32>> {
    if len < LARGE {
        return None;
    }
    let mut retired = retired();
    let place = retired.kept.iter().rposition(|memory| memory.len() == len)?;
    Some(retired.kept.swap_remove(place))
}

/// A table is gone.
pub fn end(memory: Vec<u32>) {
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
    use super::{begin, end, take, LARGE};

    #[test]
    fn memory_is_kept_while_a_table_of_its_length_is_there() {
        // A length of its own, since tables of other tests come and go meanwhile.
        let len = LARGE + 7;
        let table = || vec![1; len];
        begin(&table());
        begin(&table());
        assert!(take(len).is_none());
        end(table());
        assert_eq!(take(len).map(|kept| kept.len()), Some(len));
        assert!(take(len).is_none());
        begin(&table());
        end(table());
        end(table());
        assert!(take(len).is_none());
    }
}
