//! What the scheme says of a run.

use super::super::common::tables::{page_table, smt_entry_bits, table_bytes};
use super::reclaim::CacheLevel;
use super::Hierarchy;
use crate::ftl::io::Io;
use crate::ftl::scheme::Scheme;
use crate::metrics::report::{SchemeReport, TableReport};

/// Counts over the run.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct HierarchyStats {
    pub(super) merged_pages: u64,
    pub(super) merged_units: u64,
    pub(super) l1_blocks_max: u64,
    pub(super) l1_blocks_reclaimed: u64,
    pub(super) l1_pages_migrated: u64,
    pub(super) l2_blocks_reclaimed: u64,
    pub(super) l2_pages_migrated: u64,
}

impl HierarchyStats {
    /// Counts a block of `level` that was emptied of so many pages.
    pub(super) fn reclaimed(&mut self, level: CacheLevel, pages: u64) {
        let (blocks, migrated) = match level {
            CacheLevel::L1 => (&mut self.l1_blocks_reclaimed, &mut self.l1_pages_migrated),
            CacheLevel::L2 => (&mut self.l2_blocks_reclaimed, &mut self.l2_pages_migrated),
        };
        *blocks += 1;
        *migrated += pages;
    }
}

impl Hierarchy {
    /// Blocks that L1 has in all planes, open ones included.
    pub(super) fn l1_blocks(&self) -> u64 {
        self.l1.planes().iter().map(|&plane| u64::from(self.l1.used_blocks(plane))).sum()
    }

    /// Figures, tables and series of the run.
    pub(super) fn figures(&self, io: &Io) -> SchemeReport {
        debug_assert_eq!(self.census.audit(io), Ok(()), "Invariant: every change of L1 is booked");
        let mut report = SchemeReport { name: "hierarchy".into(), ..SchemeReport::default() };
        let (stats, division) = (&self.stats, &self.division);
        let mut figure = |name: &str, value: f64| report.figures.insert(name.into(), value);
        figure("slc_free_blocks_min", f64::from(self.l1.free_blocks_min().min(self.l2.free_blocks_min())));
        figure("dense_free_blocks_min", f64::from(self.store.region.free_blocks_min()));
        figure("l1_blocks_reclaimed", stats.l1_blocks_reclaimed as f64);
        figure("l1_pages_migrated", stats.l1_pages_migrated as f64);
        figure("l2_blocks_reclaimed", stats.l2_blocks_reclaimed as f64);
        figure("l2_pages_migrated", stats.l2_pages_migrated as f64);
        figure("slc_blocks_reclaimed", (stats.l1_blocks_reclaimed + stats.l2_blocks_reclaimed) as f64);
        figure("slc_pages_migrated", (stats.l1_pages_migrated + stats.l2_pages_migrated) as f64);
        figure("merged_pages", stats.merged_pages as f64);
        figure("merged_units", stats.merged_units as f64);
        figure("l2_share", division.l2_share());
        let cache_blocks = u64::from(self.config.cache.split.slc_blocks) * self.l1.planes().len() as u64;
        let l1_blocks = stats.l1_blocks_max.max(self.l1_blocks());
        figure("l1_block_share_max", l1_blocks as f64 / cache_blocks as f64);
        figure("windows", division.windows as f64);
        figure("windows_at_l1_max", division.windows_at_l1_max as f64);
        figure("windows_at_l1_min", division.windows_at_l1_min as f64);
        report.tables.push(page_table(io));
        let entries = self.census.peak().fragments;
        let bytes = table_bytes(entries, smt_entry_bits(self.slc_pages, self.slots, io));
        report.tables.push(TableReport { name: "sector mapping table".into(), entries, bytes });
        report.series.push(division.series.report("l2_share", self.window_length().per_value()));
        report
    }
}
