//! `remap`: dense renumbering of the touched pages.
//!
//! The pages of `page_bytes` (4 KiB) that the trace reads or writes get the
//! numbers 0, 1, ... in address order, each volume for itself, so that what was
//! adjacent stays adjacent and the order stays. A trim keeps the part of its
//! range that is touched; trims of untouched pages only are left out. Reads the
//! trace twice.

use super::describe::unit_sectors;
use super::entries::{visit, Entries, Stage};
use crate::entry::TraceEntry;
use crate::error::TraceError;
use crate::page_set::{PageSet, RankedPages};
use crate::progress::Progress;
use serde::{Deserialize, Serialize};
use slcache_base::request::HostOp;

pub(super) const KIND: &str = "remap";

/// The parameters.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Remap {
    #[serde(default = "default_page")]
    page_bytes: u64,
}

fn default_page() -> u64 {
    4096
}

impl Remap {
    /// Refuses what makes no sense.
    pub(super) fn check(&self) -> Result<(), TraceError> {
        unit_sectors(KIND, "page_bytes", self.page_bytes).map(|_| ())
    }

    /// Reads the stream to its end and makes the stage.
    pub(super) fn stage(
        &self,
        entries: &mut dyn Entries,
        progress: &mut Progress<'_>,
    ) -> Result<Box<dyn Stage>, TraceError> {
        let page_sectors = unit_sectors(KIND, "page_bytes", self.page_bytes)?;
        let mut pages: Vec<PageSet> = Vec::new();
        visit(entries, progress, |entry| {
            let request = &entry.request;
            let stream = usize::from(request.stream);
            if stream >= pages.len() {
                pages.resize_with(stream + 1, PageSet::default);
            }
            if matches!(request.op, HostOp::Read | HostOp::Write) {
                let end = request.end_sector().div_ceil(page_sectors);
                pages[stream].insert(request.sector / page_sectors, end);
            }
        })?;
        // Streams that are no volumes share their addresses.
        let shared = entries.names().is_empty();
        if shared {
            let mut all = PageSet::default();
            for (first, end) in pages.iter().flat_map(PageSet::runs) {
                all.insert(first, end);
            }
            pages = vec![all];
        }
        let pages = pages.into_iter().map(PageSet::into_ranked).collect();
        Ok(Box::new(Remapper { pages, shared, page_sectors, moved: 0, dropped: 0 }))
    }
}

struct Remapper {
    /// The touched pages by stream, or of all streams.
    pages: Vec<RankedPages>,
    shared: bool,
    page_sectors: u64,
    moved: u64,
    dropped: u64,
}

impl Stage for Remapper {
    fn apply(&mut self, batch: &mut Vec<TraceEntry>) -> Result<(), TraceError> {
        batch.retain_mut(|entry| {
            if entry.request.op == HostOp::Flush {
                return true;
            }
            let set = if self.shared { 0 } else { usize::from(entry.request.stream) };
            let Some(placed) = self.pages[set].place(entry.request, self.page_sectors) else {
                self.dropped += 1;
                return false;
            };
            self.moved += u64::from(placed != entry.request);
            entry.request = placed;
            true
        });
        Ok(())
    }

    fn counts(&self) -> Vec<(&'static str, u64)> {
        vec![("trims of untouched pages", self.dropped), ("moved or cut", self.moved)]
    }
}
