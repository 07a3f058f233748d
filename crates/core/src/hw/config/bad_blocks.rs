//! Blocks that are bad from the start or retire, what takes their place, and when the device ends.

use super::PoolConfig;
use crate::base::Problem;
use crate::metrics::bad_blocks::EndOfLife;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use smart_default::SmartDefault;

/// Bad blocks. A run that reaches the device's end of life ends there, with results.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema, SmartDefault)]
#[serde(deny_unknown_fields, default)]
pub struct BadBlocksConfig {
    /// Blocks retire: at an erase, once damage times what the block differs from the mean by
    /// (`variation`) is 1.
    pub retire: bool,
    /// Share of blocks that are bad from the start, below 1.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub factory_bad: f64,
    /// Spare blocks per plane, beside `blocks`: each takes the place of a bad one.
    #[schemars(range(max = 1_048_576))]
    pub spare_blocks: u32,
    /// When the device takes no more requests.
    pub end_of_life: EndOfLife,
}

impl BadBlocksConfig {
    /// Adds every problem of this section with the device's `pools`.
    pub(super) fn check(&self, pools: &[PoolConfig], problems: &mut Vec<Problem>) {
        let mut add = |key: &str, value: String, allowed: String| {
            problems.push(Problem::new(format!("device.cells.bad_blocks.{key}"), value, allowed));
        };
        if self.factory_bad >= 1.0 {
            add("factory_bad", self.factory_bad.to_string(), "0 to below 1".into());
        }
        let fewest = pools.iter().map(|pool| pool.blocks).min().unwrap_or(0);
        if self.spare_blocks > fewest {
            let allowed = format!("0 to {fewest}, the blocks of a plane");
            add("spare_blocks", self.spare_blocks.to_string(), allowed);
        }
        if self.spare_blocks > 0 && !self.retire && self.factory_bad == 0.0 {
            let allowed = "0 where no block retires (retire) or is bad from the start (factory_bad)";
            add("spare_blocks", self.spare_blocks.to_string(), allowed.into());
        }
        if self.end_of_life != EndOfLife::default() && !self.retire {
            let allowed = "left out where no block retires (retire)";
            add("end_of_life", self.end_of_life.name().into(), allowed.into());
        }
    }
}
