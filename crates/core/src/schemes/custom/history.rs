//! When and how often logical pages were written.

use serde::{Deserialize, Serialize};

/// A page's record.
#[derive(Clone, Copy, Debug, Default)]
struct Record {
    /// When it was last written, ns.
    last_ns: u64,
    /// How often it was written.
    writes: u32,
}

/// Of all logical pages, or of none where nobody asks.
#[derive(Clone, Debug, Default)]
pub struct History(Vec<Record>);

/// What a snapshot holds: how often each page was written. A restored device is at time 0, and what was
/// written before counts as written then.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct HistoryState(Vec<u32>);

impl History {
    /// Of `pages` pages that were never written.
    pub fn new(pages: u32) -> Self {
        Self(vec![Record::default(); pages as usize])
    }

    /// Notes that `page` is written at `now_ns`; answers how long ago it was before, and how often.
    pub fn note(&mut self, page: u32, now_ns: u64) -> (Option<u64>, u32) {
        let Some(record) = self.0.get_mut(page as usize) else {
            return (None, 0);
        };
        let before = *record;
        *record = Record { last_ns: now_ns, writes: before.writes.saturating_add(1) };
        ((before.writes > 0).then(|| now_ns.saturating_sub(before.last_ns)), before.writes)
    }

    /// What a snapshot holds.
    pub fn save(&self) -> HistoryState {
        HistoryState(self.0.iter().map(|record| record.writes).collect())
    }

    /// Takes a snapshot's, or says that it is of another device.
    pub fn load(&mut self, saved: HistoryState) -> Result<(), String> {
        if saved.0.len() != self.0.len() {
            return Err(format!("a history of {} pages, of {}", saved.0.len(), self.0.len()));
        }
        self.0 = saved.0.into_iter().map(|writes| Record { last_ns: 0, writes }).collect();
        Ok(())
    }
}
