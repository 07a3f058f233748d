//! Classes by how often a page is written, as the controllers of multi-stream devices guess them.

use serde::{Deserialize, Serialize};

#[derive(Clone, Serialize, Deserialize)]
pub(super) struct Streams {
    /// By logical page, how often it was written; halved each time so many writes have come as there are pages.
    counts: Vec<u32>,
    writes: u32,
    /// The last class that is not cleaning's.
    last: u32,
}

impl Streams {
    pub(super) fn new(pages: u32, classes: u32) -> Self {
        Self { counts: vec![0; pages as usize], writes: 0, last: classes - 2 }
    }

    /// The class of a page that comes to the store.
    pub(super) fn incoming(&mut self, page: u32) -> u8 {
        self.counts[page as usize] += 1;
        self.writes += 1;
        if self.writes as usize == self.counts.len() {
            self.writes = 0;
            self.counts.iter_mut().for_each(|count| *count >>= 1);
        }
        self.counts[page as usize].checked_ilog2().unwrap_or(0).min(self.last) as u8
    }

    pub(super) fn pages(&self) -> usize {
        self.counts.len()
    }
}
