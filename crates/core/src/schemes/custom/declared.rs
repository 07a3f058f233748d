//! What a policy declares, as a configuration has it: values of options, and regions.

use crate::base::CellMode;
use crate::ftl::config::Victim;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The value of an option.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum OptionValue {
    /// Yes or no.
    Bool(bool),
    /// A whole number.
    Whole(i64),
    /// A number.
    Number(f64),
    /// A word.
    Text(String),
}

/// A region of a custom scheme.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RegionConfig {
    /// What the policy calls it.
    pub name: String,
    /// Cell mode; default: `dense_mode`.
    #[serde(default)]
    pub mode: Option<CellMode>,
    /// Blocks per plane of its own. Default: `slc_blocks` in SLC mode; else what is left, which all such
    /// regions share and where the user's data have their place.
    #[serde(default)]
    pub blocks: Option<u32>,
    /// Which of its blocks is emptied next; default: `greedy`.
    #[serde(default)]
    pub victim: Option<Victim>,
}
