//! When and how often logical pages were written.

use serde::{Deserialize, Serialize};

/// A page's record.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
struct Record {
    /// When it was last written, ns.
    #[serde(skip)]
    last_ns: u64,
    /// How often it was written.
    writes: u32,
}

/// Of all logical pages, or of none where nobody asks.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct WriteHistory(Vec<Record>);

impl WriteHistory {
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
}
