//! What the family counts: where host pages went, what AGC moved, what refreshed SLC pages.

use super::super::common::tables::page_table;
use crate::base::sparse;
use crate::base::{Mu, Ppn};
use crate::ftl::io::Io;
use crate::ftl::piece::Piece;
use crate::ftl::two_layer::Cleaned;
use crate::ftl::two_layer::{EmptiedBlock, TwoLayerRegion};
use crate::metrics::report::SchemeReport;
use serde::{Deserialize, Serialize};

/// Pages and blocks, since time 0.
#[derive(Clone, Copy, Debug, Default)]
pub struct Balance {
    /// Host pages programmed into SLC pages of the two-layer blocks.
    pub fill: u64,
    /// Host pages programmed into a traditional SLC cache.
    pub traditional: u64,
    /// Host pages that switched wordlines.
    pub switch: u64,
    /// Host pages of the block that is filled without pausing.
    pub dense: u64,
    /// Pages AGC moved.
    pub agc: u64,
    /// Blocks AGC erased.
    pub agc_blocks: u64,
    /// Pages cleaning moved because room was short.
    pub gc: u64,
    /// Blocks it erased.
    pub gc_blocks: u64,
    /// Pages migrated out of a traditional SLC cache.
    pub migrated: u64,
    /// Of these, those that switched wordlines.
    pub migrated_switch: u64,
    /// Of these, those moved at the end of the run.
    pub migrated_at_end: u64,
    /// Blocks erased that offered no SLC pages before and offer a window now.
    pub refreshed_blocks: u64,
}

impl Balance {
    /// Host pages in all.
    pub fn host(&self) -> u64 {
        self.fill + self.traditional + self.switch + self.dense
    }

    /// Books cleaning for room.
    pub fn book_gc(&mut self, done: Cleaned) {
        self.gc += u64::from(done.pages);
        self.gc_blocks += u64::from(done.blocks);
        self.refreshed_blocks += u64::from(done.refreshed);
    }

    pub fn book_agc_erase(&mut self, victim: EmptiedBlock) {
        self.agc_blocks += 1;
        self.refreshed_blocks += u64::from(victim.used);
    }

    /// The figures of a report.
    pub fn report(&self, name: &str, region: &TwoLayerRegion, io: &Io) -> SchemeReport {
        let mut report = SchemeReport { name: name.into(), ..SchemeReport::default() };
        let mut figure = |name: &str, value: f64| report.figures.insert(name.into(), value);
        let host = self.host().max(1) as f64;
        figure("slc_pages_written", self.fill as f64);
        figure("switch_pages_written", self.switch as f64);
        figure("dense_pages_written", self.dense as f64);
        figure("windows_switched", region.switched_windows() as f64);
        figure("slc_pages_free_at_end", region.slc_pages_free(io) as f64);
        figure("gc_pages_moved", self.gc as f64);
        figure("gc_blocks_erased", self.gc_blocks as f64);
        figure("fast_share", (self.fill + self.traditional) as f64 / host);
        let refreshed = self.refreshed_blocks * u64::from(region.window_wordlines());
        figure("slc_pages_refreshed_by_erase_per_host_page", refreshed as f64 / host);
        report.tables.push(page_table(io));
        report
    }
}

/// How often AGC moved each mapping unit since the host last wrote it: moves that were in vain once
/// the host overwrites or trims it.
#[derive(Clone, Default, Serialize, Deserialize)]
pub struct VainMoves {
    /// Moves by mapping unit; made at the first one.
    #[serde(with = "sparse")]
    moves: Vec<u32>,
    /// Moves in vain so far, in mapping units.
    #[serde(skip)]
    pub units: u64,
}

impl VainMoves {
    /// Notes that what lives in `page` is about to be moved.
    pub fn note_move(&mut self, page: Ppn, io: &Io) {
        if io.clockless() {
            return;
        }
        if self.moves.is_empty() {
            self.moves = vec![0; io.mus() as usize];
        }
        for &tag in io.array().page_tags(page).iter().filter(|&&tag| tag != 0) {
            self.moves[tag as usize - 1] += 1;
        }
    }

    /// Notes that the host overwrites the units of `piece`.
    #[inline]
    pub fn note_write(&mut self, piece: &Piece, io: &Io) {
        if self.moves.is_empty() {
            return;
        }
        let first = piece.page * io.policy().mus_per_page;
        let mut rest = piece.mask;
        while rest != 0 {
            self.end(Mu(first + rest.trailing_zeros()));
            rest &= rest - 1;
        }
    }

    /// Notes that the host declares units `first..end` unused.
    pub fn note_trim(&mut self, first: u32, end: u32) {
        if !self.moves.is_empty() {
            (first..end).for_each(|mu| self.end(Mu(mu)));
        }
    }

    #[inline]
    fn end(&mut self, mu: Mu) {
        self.units += u64::from(std::mem::take(&mut self.moves[mu.index()]));
    }

    /// Moves in vain, in pages of `page_bytes`.
    pub fn pages(&self, mu_bytes: u32, page_bytes: u32) -> f64 {
        self.units as f64 * f64::from(mu_bytes) / f64::from(page_bytes)
    }
}
