//! When idle work starts.

use crate::base::Problem;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use smart_default::SmartDefault;

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
#[serde(deny_unknown_fields, default)]
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
