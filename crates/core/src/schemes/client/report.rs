//! What `client` came to: its figures.

use super::plane::PlanePhase;
use super::Client;
use crate::ftl::io::Io;
use crate::metrics::report::SchemeReport;
use crate::schemes::common::tables::unit_table;
use crate::schemes::hybrid::{MigrationCount, TimeSplit};
use serde::{Deserialize, Serialize};

/// What is counted since time 0.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct ClientStats {
    /// Pages of the host in SLC blocks.
    #[serde(skip)]
    pub slc_pages: u64,
    /// Pages of the host in dense blocks.
    #[serde(skip)]
    pub direct_pages: u64,
    #[serde(skip)]
    pub folded: MigrationCount,
    #[serde(skip)]
    pub cleaned: MigrationCount,
    /// The most SLC blocks that a plane ever had.
    pub slc_blocks_max: u32,
}

impl ClientStats {
    /// Notes that a plane has `slc_blocks`.
    pub fn note(&mut self, slc_blocks: u32) {
        self.slc_blocks_max = self.slc_blocks_max.max(slc_blocks);
    }
}

impl Client {
    /// Whether in every plane the used and the free blocks add up to all blocks, and the static part is
    /// not dense.
    fn blocks_add_up(&self, io: &Io) -> bool {
        self.slc.planes().iter().all(|&plane| {
            let (slc, dense) = (self.slc.used_blocks(plane), self.dense.used_blocks(plane));
            slc + dense + self.free(plane, io) == self.slc.spec.blocks && dense <= self.dense.quota()
        })
    }

    pub(super) fn planes_by_phase(&self) -> Vec<(&'static str, usize)> {
        let phases =
            [(PlanePhase::Slc, "slc"), (PlanePhase::Closed, "closed"), (PlanePhase::Folding, "folding")];
        let at = |phase| {
            let planes = self.slc.planes().iter();
            planes.filter(|plane| self.planes[plane.index()].phase == phase).count()
        };
        phases.map(|(phase, name)| (name, at(phase))).to_vec()
    }

    pub(super) fn figures(&self, io: &Io) -> SchemeReport {
        debug_assert!(self.blocks_add_up(io), "Invariant: no block is lost or had twice");
        let mut report = SchemeReport { name: "client".into(), ..SchemeReport::default() };
        self.packing.report(self.stats.folded.padded + self.stats.cleaned.padded, &mut report);
        TimeSplit::of(io.counters()).report(&mut report);
        report.tables.push(unit_table(io));
        let stats = &self.stats;
        let mut figure = |name: &str, value: f64| report.figures.insert(name.into(), value);
        figure("slc_pages_written", stats.slc_pages as f64);
        figure("direct_pages_written", stats.direct_pages as f64);
        figure("slc_blocks_folded", stats.folded.blocks as f64);
        figure("folded_units", stats.folded.units as f64);
        figure("dense_blocks_cleaned", stats.cleaned.blocks as f64);
        figure("cleaned_units", stats.cleaned.units as f64);
        figure("slc_blocks_max", f64::from(stats.slc_blocks_max));
        figure("free_blocks_min", f64::from(self.slc.free_blocks_min().min(self.dense.free_blocks_min())));
        report
    }
}
