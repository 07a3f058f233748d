//! What both schemes with advanced garbage collection let the user choose about it.

use crate::ftl::two_layer::Eligible;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What advanced garbage collection collects.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct AgcConfig {
    /// Which blocks.
    pub eligible: Eligible,
    /// Invalid pages that a block has at least.
    #[schemars(range(min = 1, max = 32_767))]
    pub min_invalid: u32,
}

impl Default for AgcConfig {
    fn default() -> Self {
        Self { eligible: Eligible::Used, min_invalid: 3 }
    }
}
