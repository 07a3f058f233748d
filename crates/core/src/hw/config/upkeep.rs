//! What is done about cells that err: blocks that move before their data are lost.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use smart_default::SmartDefault;

/// Read reclaim: a block that was read often is moved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, SmartDefault)]
#[serde(deny_unknown_fields, default)]
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
#[serde(deny_unknown_fields, default)]
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
