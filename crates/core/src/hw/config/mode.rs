//! Timing and endurance of a cell mode.

use super::cells::ModeCells;
use crate::base::CellMode;
use crate::base::Problem;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How the pages of a wordline are programmed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ProgramRule {
    /// Each page is its own program operation.
    #[default]
    PerPage,
    /// All pages of a wordline are programmed by one operation, which takes `program_ns[0]`.
    OneShot,
}

/// Which page of a block has which latency when `read_ns` or `program_ns` lists several.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PageKinds {
    /// Page `p` has kind `p mod bits`: a wordline's pages are adjacent.
    #[default]
    ByWordline,
    /// The interleaved order of paired pages: TLC pages 0-5 LSB, 6-7 CSB, then `((p - 8) / 2) mod 3`;
    /// MLC pages 0-1 LSB, then `((p - 2) / 2) mod 2` as LSB, MSB from page 2 on in pairs.
    Interleaved,
}

/// Timing and endurance of one cell mode.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ModeConfig {
    /// Page read time in ns: one value, or one per page kind (LSB, CSB, ... MSB).
    pub read_ns: Vec<u32>,
    /// Page program time in ns: one value, or one per page kind; one value for one-shot.
    pub program_ns: Vec<u32>,
    /// How much shorter or longer than `program_ns` a program may take, as a share of it: drawn
    /// evenly for each wordline of each block, the same in every run.
    #[serde(default, skip_serializing_if = "is_none")]
    #[schemars(range(min = 0.0, max = 0.5))]
    pub program_variation: f64,
    /// Block erase time in ns.
    #[schemars(range(min = 1, max = 1_000_000_000))]
    pub erase_ns: u32,
    /// Time to copy a page to another of its plane inside the chip, without the channel, ns; absent for
    /// chips without copy-back. Not with one-shot programming: a copy-back programs one page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 1_000_000_000))]
    pub copyback_ns: Option<u32>,
    /// How SLC pages of a plane become a wordline of this mode inside the chip; absent for chips that
    /// cannot. Not for SLC.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fold: Option<FoldTimes>,
    /// Program/erase cycles a block endures; absent if the source gives none.
    #[serde(default)]
    #[schemars(range(min = 1))]
    pub endurance_cycles: Option<u32>,
    /// How these cells err, with `device.cells`; default: what is known or assumed of the mode.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cells: Option<ModeCells>,
    /// Per-page or one-shot programming.
    #[serde(default)]
    pub program: ProgramRule,
    /// Which page has which kind.
    #[serde(default)]
    pub page_kinds: PageKinds,
}

/// Times of a fold, which reads an SLC page for every bit of a cell and programs one wordline with them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct FoldTimes {
    /// Time to program the wordline, ns; default: what the mode's own programs of a wordline take.
    #[schemars(range(min = 1, max = 1_000_000_000))]
    pub program_ns: Option<u32>,
    /// Time to read one of the SLC pages, ns; default: that of the SLC mode.
    #[schemars(range(min = 1, max = 1_000_000_000))]
    pub read_ns: Option<u32>,
}

fn is_none(variation: &f64) -> bool {
    *variation == 0.0
}

impl ModeConfig {
    pub(super) fn check(&self, key: &str, mode: CellMode, problems: &mut Vec<Problem>) {
        let kinds = mode.bits() as usize;
        for (name, list) in [("read_ns", &self.read_ns), ("program_ns", &self.program_ns)] {
            if list.len() != 1 && list.len() != kinds {
                let allowed = format!("a list of 1 or {kinds} times");
                problems.push(Problem::new(format!("{key}.{name}"), format!("{list:?}"), allowed));
            }
            if list.iter().any(|&ns| ns == 0 || ns > 1_000_000_000) {
                let allowed = "times between 1 and 1000000000 ns";
                problems.push(Problem::new(format!("{key}.{name}"), format!("{list:?}"), allowed));
            }
        }
        if let Some(ns) = self.copyback_ns {
            if self.program == ProgramRule::OneShot {
                let allowed = "left out with one-shot programming: a copy-back programs one page";
                problems.push(Problem::new(format!("{key}.copyback_ns"), ns, allowed));
            }
        }
        if self.program == ProgramRule::OneShot && self.program_ns.len() != 1 {
            let value = format!("{:?}", self.program_ns);
            problems.push(Problem::new(
                format!("{key}.program_ns"),
                value,
                "one time for one-shot programming",
            ));
        }
    }

    /// The kind of page `page` in a block of `mode`: 0 = LSB.
    pub fn page_kind(&self, mode: CellMode, page: u32) -> usize {
        let bits = mode.bits();
        match (self.page_kinds, mode) {
            (PageKinds::ByWordline, _) | (_, CellMode::Slc) => (page % bits) as usize,
            (PageKinds::Interleaved, CellMode::Tlc) => match page {
                0..=5 => 0,
                6..=7 => 1,
                _ => (((page - 8) / 2) % 3) as usize,
            },
            (PageKinds::Interleaved, _) => match page {
                0..=1 => 0,
                _ => ((((page - 2) / 2) % bits + 1) % bits) as usize,
            },
        }
    }
}
