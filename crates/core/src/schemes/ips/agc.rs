//! What both schemes with advanced garbage collection let the user choose about it.

use crate::ftl::two_layer::Eligible;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use smart_default::SmartDefault;

/// What advanced garbage collection collects.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, SmartDefault)]
#[serde(deny_unknown_fields, default)]
pub struct AgcConfig {
    /// Which blocks.
    #[default(Eligible::Used)]
    pub eligible: Eligible,
    /// Invalid pages that a block has at least.
    #[schemars(range(min = 1, max = 32_767))]
    #[default(3)]
    pub min_invalid: u32,
}
