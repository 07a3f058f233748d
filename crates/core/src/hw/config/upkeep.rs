//! When idle work starts, and what is done about cells that err: blocks that move before their data are lost.

use super::PoolConfig;
use crate::base::Problem;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use smart_default::SmartDefault;

/// The threshold of levelling where none is given, as a share of the endurance. Chosen.
const DEFAULT_SHARE: f64 = 0.05;

/// Read reclaim: a block that was read often is moved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, SmartDefault)]
#[serde(default)]
pub struct ReclaimConfig {
    /// Reads of a block since it was opened at which its data are moved once it is closed, at once and in the
    /// background. Known as what most devices stand: 100000.
    #[schemars(range(min = 1, max = 2_000_000_000))]
    #[default(100_000)]
    pub reads: u32,
}

/// Who finds the blocks that are to be refreshed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Scrub {
    /// Reads of the blocks.
    #[default]
    Read,
    /// Those, and a read in the background of a page of each block in turn.
    Patrol,
}

/// Refresh: a block whose data have aged is moved in idle time.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema, SmartDefault)]
#[serde(default)]
pub struct RefreshConfig {
    /// Steps that a read of a whole page takes more than if it were freshly written there, at which a closed
    /// block is due. It is too where its worst codeword comes within 10 % of what soft sensing corrects, and
    /// would not freshly written. Assumed: 6.
    #[schemars(range(min = 1, max = 63))]
    #[default(6)]
    pub steps: u32,
    /// Who finds such blocks.
    pub scrub: Scrub,
    /// Age gained between two patrol reads of a block, days; in a pause of the host they wait for idle work or
    /// for the next flash operation. Assumed: 7.
    #[schemars(range(min = 1e-6, max = 36_500.0))]
    #[default(7.0)]
    pub patrol_days: f64,
}

/// Static levelling: data that stay where a block is worn less than others move to a worn one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct LevellingConfig {
    /// Cycles of the densest mode by which the most and the least worn block of a plane differ when the latter's
    /// data move, after an erase. Default: 5 % of that mode's endurance.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 10_000_000))]
    pub threshold: Option<u32>,
    /// In place of `threshold`: the evenness at which data move, the square of a plane's cycles over its blocks
    /// times the sum of their squares; 1 where all are alike. SimpleSSD has 0.7.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.01, max = 0.99))]
    pub evenness: Option<f64>,
}

/// When the blocks of a plane are worn unevenly.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Uneven {
    /// Cycles of the densest mode by which the most and the least worn closed block differ at least.
    pub threshold: f64,
    /// Evenness of all at most.
    pub evenness: f64,
}

impl LevellingConfig {
    /// When blocks of a plane of `pool` are worn unevenly.
    pub fn uneven_in(&self, pool: &PoolConfig) -> Uneven {
        let endurance = pool.mode(pool.densest()).and_then(|mode| mode.endurance_cycles);
        let share = || endurance.map_or(f64::INFINITY, |cycles| DEFAULT_SHARE * f64::from(cycles));
        match self.evenness {
            Some(evenness) => Uneven { threshold: 1.0, evenness },
            None => {
                Uneven { threshold: self.threshold.map_or_else(share, f64::from).max(1.0), evenness: 1.0 }
            }
        }
    }

    /// Adds every problem of this section.
    pub(super) fn check(&self, problems: &mut Vec<Problem>) {
        if let (Some(threshold), Some(_)) = (self.threshold, self.evenness) {
            let allowed = "left out beside evenness, which is in place of it";
            problems.push(Problem::new("device.cells.levelling.threshold", threshold, allowed));
        }
    }
}

/// What must have been idle before idle work starts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum IdleScope {
    /// The plane (or the die, where planes cannot work alone).
    #[default]
    Plane,
    /// The whole device.
    Device,
}

/// When idle work starts; it goes on until the host comes back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, SmartDefault)]
#[serde(default)]
pub struct IdleRule {
    /// How long the host must have stayed away, ns: at most an hour, for a device at least 0.1 ms.
    #[schemars(range(max = Self::THRESHOLD_NS_MAX))]
    #[default(50_000_000)]
    pub threshold_ns: u64,
    /// From what.
    #[default(IdleScope::Plane)]
    pub scope: IdleScope,
}

impl IdleRule {
    /// The longest threshold: an hour.
    pub const THRESHOLD_NS_MAX: u64 = 3_600_000_000_000;

    /// Adds every problem; `key` is the section's dotted place.
    pub fn check(&self, key: &str, problems: &mut Vec<Problem>) {
        if self.scope == IdleScope::Device && self.threshold_ns < 100_000 {
            let allowed = "at least 100000 with scope = \"device\"";
            problems.push(Problem::new(format!("{key}.threshold_ns"), self.threshold_ns, allowed));
        }
    }
}
