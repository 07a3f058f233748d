//! What the regions came to: figures, and where the flash's time went.

use super::super::common::tables::unit_table;
use super::{Hybrid, MigrationCount, Packing};
use crate::base::{Cause, CellMode, OpKind};
use crate::ftl::io::Io;
use crate::metrics::counters::OpCounters;
use crate::metrics::report::SchemeReport;
use serde::{Deserialize, Serialize};

/// Where the flash's time went, but for what the host read, ns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TimeSplit {
    /// The host's writes to SLC blocks, with the reads of what they cover only in part.
    pub slc_write_ns: u64,
    /// The host's writes to dense blocks, with the same.
    pub dense_write_ns: u64,
    /// Migration.
    pub slc_to_dense_ns: u64,
    /// Cleaning of dense blocks.
    pub dense_to_dense_ns: u64,
    /// Cleaning of SLC blocks.
    pub slc_to_slc_ns: u64,
}

impl TimeSplit {
    /// The time of the operations counted.
    pub fn of(ops: &OpCounters) -> Self {
        let mut split = Self::default();
        for row in ops.iter() {
            let slc = row.mode == CellMode::Slc;
            let part = match row.cause {
                Cause::Host if row.kind == OpKind::Read => continue,
                Cause::Migration => &mut split.slc_to_dense_ns,
                Cause::Gc | Cause::Agc if slc => &mut split.slc_to_slc_ns,
                Cause::Gc | Cause::Agc => &mut split.dense_to_dense_ns,
                _ if slc => &mut split.slc_write_ns,
                _ => &mut split.dense_write_ns,
            };
            *part += row.totals.time_ns;
        }
        split
    }

    /// Adds the figures.
    pub fn report(&self, report: &mut SchemeReport) {
        let mut figure = |name: &str, ns: u64| report.figures.insert(name.into(), ns as f64);
        figure("t_slc_write_ns", self.slc_write_ns);
        figure("t_dense_write_ns", self.dense_write_ns);
        figure("t_slc_to_dense_ns", self.slc_to_dense_ns);
        figure("t_dense_to_dense_ns", self.dense_to_dense_ns);
        figure("t_slc_to_slc_ns", self.slc_to_slc_ns);
    }
}

impl Packing {
    /// Adds the figures; `padded` slots were left over where data were moved.
    pub fn report(&self, padded: u64, report: &mut SchemeReport) {
        let mut figure = |name: &str, value: f64| report.figures.insert(name.into(), value);
        figure("absorbed_units", self.absorbed_units as f64);
        figure("padded_units", (self.short_slots + padded) as f64);
    }
}

/// What is counted since time 0.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct HybridStats {
    #[serde(skip)]
    pub(super) migrated: MigrationCount,
    #[serde(skip)]
    pub(super) forced_shrink_blocks: u64,
    /// Zones migrated, and those of them that were accessed lately.
    #[serde(skip)]
    zones: (u64, u64),
    /// Least and greatest size of the SLC region.
    sizes: (u32, u32),
}

impl HybridStats {
    /// Nothing happened yet to an SLC region of `slc_blocks` blocks per plane.
    pub(super) fn new(slc_blocks: u32) -> Self {
        let migrated = MigrationCount::default();
        Self { migrated, forced_shrink_blocks: 0, zones: (0, 0), sizes: (slc_blocks, slc_blocks) }
    }

    /// The sizes before the first write do not count.
    pub(super) fn begin_with(&mut self, slc_blocks: u32) {
        self.sizes = (slc_blocks, slc_blocks);
    }

    /// Counts a zone that is migrated.
    pub(super) fn count_zone(&mut self, accessed: bool, io: &Io) {
        let counts = u64::from(!io.clockless());
        self.zones.0 += counts;
        self.zones.1 += if accessed { counts } else { 0 };
    }

    /// Notes the size of the SLC region.
    pub(super) fn note_size(&mut self, slc_blocks: u32) {
        let (least, most) = self.sizes;
        self.sizes = (least.min(slc_blocks), most.max(slc_blocks));
    }
}

impl Hybrid {
    /// The figures of the regions, for the scheme `name`.
    pub fn report(&self, name: &str, io: &Io) -> SchemeReport {
        debug_assert!(self.blocks_add_up(io), "Invariant: no block is lost or had twice");
        let mut report = SchemeReport { name: name.into(), ..SchemeReport::default() };
        self.dense.report(&mut report);
        self.packing.report(self.stats.migrated.padded + self.dense.cleaned.padded, &mut report);
        TimeSplit::of(io.counters()).report(&mut report);
        report.tables.push(unit_table(io));
        let mut figure = |name: &str, value: f64| report.figures.insert(name.into(), value);
        figure("slc_blocks", f64::from(self.slc_blocks()));
        figure("slc_blocks_min", f64::from(self.stats.sizes.0));
        figure("slc_blocks_max", f64::from(self.stats.sizes.1));
        figure("theta_bytes", self.theta_bytes as f64);
        figure("slc_blocks_migrated", self.stats.migrated.blocks as f64);
        figure("migrated_units", self.stats.migrated.units as f64);
        if self.zones.is_some() {
            figure("zones_migrated", self.stats.zones.0 as f64);
            figure("accessed_zones_migrated", self.stats.zones.1 as f64);
        }
        figure("forced_shrink_blocks", self.stats.forced_shrink_blocks as f64);
        report
    }
}
