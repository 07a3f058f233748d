//! What `ust` counts and reports.

use super::super::common::tables::unit_table;
use super::super::hybrid::TimeSplit;
use super::Ust;
use crate::ftl::io::Io;
use crate::metrics::report::SchemeReport;
use crate::metrics::series::PerValue;

/// What was done since time 0.
#[derive(Clone, Copy, Debug, Default)]
pub struct UstStats {
    absorbed_units: u64,
    padded_units: u64,
    hot_units_copied: u64,
    cold_units_moved: u64,
    collected_blocks: u64,
    reclaimed: u64,
}

impl UstStats {
    /// Units rewritten while they waited.
    pub fn absorbed(&mut self, units: u32, io: &Io) {
        self.absorbed_units += counted(u64::from(units), io);
    }

    /// Slots left empty.
    pub fn padded(&mut self, units: u64, io: &Io) {
        self.padded_units += counted(units, io);
    }

    /// Hot units copied within SLC.
    pub fn copied_hot(&mut self, units: u64, padded: u64, io: &Io) {
        self.hot_units_copied += counted(units, io);
        self.collected_blocks += counted(1, io);
        self.padded(padded, io);
    }

    /// Units that went from SLC to dense blocks.
    pub fn moved_cold(&mut self, units: u64, padded: u64, io: &Io) {
        self.cold_units_moved += counted(units, io);
        self.padded(padded, io);
    }

    /// A logical block lost all its SLC blocks.
    pub fn reclaimed(&mut self, io: &Io) {
        self.reclaimed += counted(1, io);
    }
}

/// Nothing is counted before time 0.
fn counted(amount: u64, io: &Io) -> u64 {
    if io.clockless() {
        0
    } else {
        amount
    }
}

impl Ust {
    pub(super) fn figures(&self, io: &Io) -> SchemeReport {
        let mut report = SchemeReport { name: "ust".into(), ..SchemeReport::default() };
        let mut figure = |name: &str, value: f64| report.figures.insert(name.into(), value);
        let stats = &self.stats;
        figure("slc_blocks", f64::from(self.owners.blocks()));
        figure("slc_blocks_max", f64::from(self.owners.blocks_max()));
        figure("free_blocks_min", f64::from(self.dense.free_blocks_min().min(self.slc.free_blocks_min())));
        figure("absorbed_units", stats.absorbed_units as f64);
        figure("padded_units", stats.padded_units as f64);
        figure("hot_units_copied", stats.hot_units_copied as f64);
        figure("cold_units_moved", stats.cold_units_moved as f64);
        figure("blocks_collected", stats.collected_blocks as f64);
        figure("logical_blocks_reclaimed", stats.reclaimed as f64);
        TimeSplit::of(io.counters()).report(&mut report);
        let window = PerValue::WriteBytes(self.window_bytes);
        report.series.push(self.slc_blocks_series.report("slc_blocks", window));
        report.tables.push(unit_table(io));
        report
    }
}
