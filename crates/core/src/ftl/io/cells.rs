//! Reads of cells that err: what they take more than usual, and whose they are.

use super::place::{PagePlace, Times};
use super::Io;
use crate::base::op::Cause;
use crate::base::rng::RngStream;
use crate::base::{BlockId, Ppn};
use crate::hw::cells::Outcome;
use crate::hw::config::{CellsConfig, RetryConfig};
use crate::hw::timing::{OpId, RequestId};
use crate::metrics::cells::CellCounts;

/// What reading cells that err needs beside the array.
#[derive(Clone)]
pub(super) struct CellReads {
    config: CellsConfig,
    pub(super) rng: RngStream,
    pub(super) counts: CellCounts,
    /// Requests in flight that read what could not be corrected, once for each page.
    failed: Vec<RequestId>,
}

impl CellReads {
    pub(super) fn new(config: &CellsConfig, seed: u64) -> Self {
        Self {
            config: config.clone(),
            rng: RngStream::new(seed, "cells"),
            counts: CellCounts::default(),
            failed: Vec::new(),
        }
    }
}

/// What a read takes for its repetitions, ns.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct RetryTimes {
    array_ns: u32,
    bus_ns: u32,
}

impl Io {
    /// Whether cells err.
    #[inline(always)]
    pub(super) fn has_cells(&self) -> bool {
        self.cells.is_some()
    }

    /// What reads took of cells that err, where they do.
    pub fn cell_counts(&self) -> Option<&CellCounts> {
        self.cells.as_ref().map(|cells| &cells.counts)
    }

    /// Whether a host read ended as an error, which is counted.
    pub(crate) fn take_read_error(&mut self, request: RequestId) -> bool {
        let Some(cells) = self.cells.as_mut().filter(|cells| !cells.failed.is_empty()) else { return false };
        let before = cells.failed.len();
        cells.failed.retain(|&failed| failed != request);
        let is_error = cells.failed.len() < before;
        if is_error {
            cells.counts.count_error();
        }
        is_error
    }

    /// Adds what a read of `bytes` of a page takes for its repetitions to `times`; how much that is.
    #[inline(never)]
    pub(super) fn read_again(
        &mut self,
        at: &PagePlace,
        bytes: u32,
        cause: Cause,
        request: RequestId,
        times: &mut Times,
    ) -> RetryTimes {
        let now_ns = self.timing.now_ns();
        let Some(cells) = self.cells.as_mut() else { return RetryTimes::default() };
        let array = self.media.cells();
        let page = array.geometry.page(at.block, at.index);
        let units = bytes.div_ceil(array.geometry.mu_bytes);
        let outcome = array.read_cells(page, units, now_ns, &mut cells.rng);
        let Outcome { steps, soft, error } = outcome;
        cells.counts.count(at.array.read_mode, cause, steps, soft, error);
        if error && cause == Cause::Host && !request.is_none() {
            cells.failed.push(request);
        }
        let more = repeated(&cells.config, outcome, times);
        times.array_ns += more.array_ns;
        times.out_ns += more.bus_ns;
        self.note_found();
        more
    }

    /// Notes how much of `read` is for its repetitions.
    pub(super) fn note_retry(&mut self, read: OpId, times: RetryTimes) {
        self.timing.note_retry(read, times.array_ns, times.bus_ns);
    }

    /// Whether the next `count` reads of a block take nothing more than usual.
    pub(super) fn reads_quietly(&mut self, block: BlockId, count: u32) -> bool {
        let now_ns = self.timing.now_ns();
        let quiet = !self.has_cells() || self.media.cells().reads_quietly(block, count, now_ns);
        self.note_found();
        quiet
    }

    /// Whether the chip can copy a page: it corrects nothing.
    pub(in crate::ftl) fn reads_cleanly(&mut self, page: Ppn) -> bool {
        let now_ns = self.timing.now_ns();
        let cleanly = !self.has_cells() || self.clockless || self.media.cells().reads_cleanly(page, now_ns);
        self.note_found();
        cleanly
    }

    /// How often a read of a page is repeated; 0 where cells do not err.
    pub fn retries(&mut self, page: Ppn) -> u32 {
        let now_ns = self.timing.now_ns();
        let steps = if self.has_cells() { self.media.cells().read_steps(page, now_ns) } else { 0 };
        self.note_found();
        steps
    }

    /// Counts reads of pages of the block of `at` that take nothing more than usual.
    pub(super) fn count_quiet_reads(&mut self, at: &PagePlace, cause: Cause, pages: u32) {
        if let Some(cells) = self.cells.as_mut() {
            cells.counts.count_quiet(at.array.read_mode, cause, pages.into());
            self.media.cells().count_reads(at.block, pages);
        }
    }

    /// A block, or a window of its layers, is opened: what is programmed without the clock was there before.
    pub(super) fn note_opened_cells(&mut self, block: BlockId) {
        if self.has_cells() {
            let now_ns = self.timing.now_ns();
            self.media.cells().open_cells(block, now_ns, self.clockless);
            // The one before it may be closed.
            self.ask_again(block);
        }
    }
}

/// What the repetitions of a read of these times take.
fn repeated(config: &CellsConfig, outcome: Outcome, times: &Times) -> RetryTimes {
    if outcome == Outcome::default() {
        return RetryTimes::default();
    }
    let RetryConfig { time_factor, decode_ns, soft_senses, soft_ns, .. } = config.retry;
    let step_ns = libm::round(time_factor * f64::from(times.array_ns)) as u32 + decode_ns;
    let soft_ns = if outcome.soft { soft_senses * times.array_ns + soft_ns } else { 0 };
    RetryTimes {
        array_ns: u32::from(outcome.steps) * step_ns + soft_ns,
        bus_ns: (config.transfers(outcome.steps.into(), outcome.soft) - 1) * times.out_ns,
    }
}
