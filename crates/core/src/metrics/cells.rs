//! What reads took of cells that err, by cell mode and cause; bad blocks, and the end of a device's life.

use crate::base::{Cause, CellMode};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What was counted of reads in one cell mode for one cause.
#[derive(Clone, Debug, Default)]
struct Count {
    reads: u64,
    soft: u64,
    errors: u64,
    /// Reads by steps, those without any aside.
    stepped: BTreeMap<u8, u64>,
}

/// What reads took.
#[derive(Clone, Debug, Default)]
pub struct CellCounts {
    counts: BTreeMap<(CellMode, u8), Count>,
    /// Pages moved, or read to be programmed again, whose data could not be corrected.
    unreadable_moved: u64,
    /// Host reads that ended as errors.
    read_errors: u64,
}

impl CellCounts {
    /// Counts a read of so many steps, with soft sensing or without, that ended as an error or did not.
    pub fn count(&mut self, mode: CellMode, cause: Cause, steps: u8, soft: bool, error: bool) {
        let count = self.counts.entry((mode, cause as u8)).or_default();
        count.reads += 1;
        if steps > 0 {
            *count.stepped.entry(steps).or_default() += 1;
        }
        count.soft += u64::from(soft);
        count.errors += u64::from(error);
        if error && cause != Cause::Host {
            self.unreadable_moved += 1;
        }
    }

    /// Counts reads that took nothing more than usual.
    pub fn count_quiet(&mut self, mode: CellMode, cause: Cause, reads: u64) {
        if reads > 0 {
            self.counts.entry((mode, cause as u8)).or_default().reads += reads;
        }
    }

    /// Counts a request that ended as an error.
    pub fn count_error(&mut self) {
        self.read_errors += 1;
    }

    /// Host reads that ended as errors.
    pub fn read_errors(&self) -> u64 {
        self.read_errors
    }

    /// What was counted, beside what was done about it.
    pub fn report(&self, upkeep: Option<UpkeepReport>, bad_blocks: Option<BadBlocksReport>) -> CellsReport {
        let row = |(&(mode, cause), count): (&(CellMode, u8), &Count)| {
            let stepped: u64 = count.stepped.values().sum();
            let steps = count.stepped.iter().map(|(&steps, reads)| u64::from(steps) * reads).sum();
            let most = count.stepped.keys().next_back().copied().unwrap_or(0);
            let of = |steps| count.stepped.get(&steps).copied().unwrap_or(0);
            CellRow {
                mode: mode.name(),
                cause: Cause::ALL[usize::from(cause)].name(),
                reads: count.reads,
                steps,
                mean_steps: steps as f64 / count.reads as f64,
                soft_decodes: count.soft,
                errors: count.errors,
                histogram: std::iter::once(count.reads - stepped).chain((1..=most).map(of)).collect(),
            }
        };
        let reads = self.counts.iter().map(row).collect();
        CellsReport { reads, unreadable_moved: self.unreadable_moved, upkeep, bad_blocks }
    }
}

/// Reads of pages in one cell mode for one cause.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct CellRow {
    /// Cell mode that the wordline was read in.
    #[schemars(with = "CellMode")]
    pub mode: &'static str,
    /// Cause.
    #[schemars(with = "Cause")]
    pub cause: &'static str,
    /// Pages read.
    pub reads: u64,
    /// Steps: sensings at other references, soft ones aside.
    pub steps: u64,
    /// Steps per read.
    pub mean_steps: f64,
    /// Reads that needed soft sensing.
    pub soft_decodes: u64,
    /// Reads whose data could not be corrected.
    pub errors: u64,
    /// Reads by their steps, from none on.
    pub histogram: Vec<u64>,
}

/// What reads took of cells that err.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct CellsReport {
    /// By cell mode and cause.
    pub reads: Vec<CellRow>,
    /// Pages that could not be corrected when they were read to be programmed elsewhere.
    pub unreadable_moved: u64,
    /// What was done about it, where anything is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub upkeep: Option<UpkeepReport>,
    /// Bad blocks, of a device that has `device.cells.bad_blocks`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bad_blocks: Option<BadBlocksReport>,
}

/// Blocks that moved because of their cells.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct UpkeepReport {
    /// Blocks that were moved because they were read often.
    pub reclaimed_blocks: u64,
    /// Blocks that were moved because their data had aged.
    pub refreshed_blocks: u64,
    /// Blocks whose data were moved because they were worn less than others.
    pub levelled_blocks: u64,
    /// Pages that the patrol read.
    pub patrol_reads: u64,
    /// How often a block that was to move found no room, and waited.
    pub waits: u64,
}

/// When a device whose blocks retire takes no more requests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum EndOfLife {
    /// A block is to retire, and its plane has no spare block left.
    FirstPlaneWithoutSpare,
    /// A write finds no room: blocks retired without a spare, and nothing can be cleaned.
    #[default]
    Full,
}

impl EndOfLife {
    /// The name used in configuration and results.
    pub fn name(self) -> &'static str {
        match self {
            Self::FirstPlaneWithoutSpare => "first-plane-without-spare",
            Self::Full => "full",
        }
    }
}

/// The blocks that are bad.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct BadBlocksReport {
    /// Blocks bad from the start.
    pub factory_bad: u32,
    /// Blocks retired, before a state was saved included.
    pub retired: u64,
    /// Bad blocks whose places nothing has.
    pub without_spare: u64,
    /// Spare blocks left.
    pub spares_left: u64,
    /// Share of its life that the mean block used has used up, start included and bad ones as they were when
    /// they retired, among the blocks where that is most; null before any is used.
    pub mean_damage: Option<f64>,
    /// The end of the device's life, if it has come.
    pub end: Option<EndReport>,
}

/// The end of a device's life, and with it of the run.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct EndReport {
    /// Why.
    pub reason: EndOfLife,
    /// The pool of the plane whose block was to retire last.
    pub pool: String,
    /// Which of its planes that is.
    pub plane: u32,
    /// When, ns; 0 if the device had ended before.
    pub at_ns: u64,
    /// Bytes that the host wrote until then, as it was told.
    pub host_bytes: u64,
    /// How long that takes at `trace.write_bytes_per_day`.
    pub years: Option<f64>,
    /// Requests of the trace that were not served: all that came later, and those that found no room.
    pub unserved_requests: u64,
    /// Bytes that were complete in the DRAM buffer and found no room in the flash.
    pub unwritten_bytes: u64,
}
