//! What reclaiming an SLC cache came to, and the figures with which its report begins.

use super::tables::page_table;
use crate::ftl::io::Io;
use crate::ftl::region::Region;
use crate::ftl::store::Store;
use crate::metrics::report::SchemeReport;

/// What left the cache since time 0.
#[derive(Clone, Copy, Debug, Default)]
pub struct Reclaimed {
    blocks: u64,
    pages: u64,
}

impl Reclaimed {
    /// Counts a block from which `pages` pages were moved to the store.
    #[inline]
    pub fn count(&mut self, pages: u64, io: &Io) {
        if !io.clockless() {
            self.blocks += 1;
            self.pages += pages;
        }
    }

    /// The report of the scheme `name`, a cache in `slc` before `store`, with its page mapping table.
    pub fn report(&self, name: &str, slc: &Region, store: &Store, io: &Io) -> SchemeReport {
        let mut report = SchemeReport { name: name.into(), ..SchemeReport::default() };
        let mut figure = |name: &str, value: f64| report.figures.insert(name.into(), value);
        figure("slc_free_blocks_min", f64::from(slc.free_blocks_min()));
        figure("dense_free_blocks_min", f64::from(store.region.free_blocks_min()));
        figure("slc_blocks_reclaimed", self.blocks as f64);
        figure("slc_pages_migrated", self.pages as f64);
        report.tables.push(page_table(io));
        report
    }
}
