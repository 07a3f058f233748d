//! What idle time does with the block of a cache that is only partly filled.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What idle time does with the block of a cache that is being filled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ReclaimOpen {
    /// Nothing: only blocks written to their end are reclaimed.
    Never,
    /// Its data move on and it goes on being filled: each page leaves the cache early, and there is
    /// one erase for all pages of a block.
    #[default]
    Data,
    /// It is closed before its end, emptied and erased: the whole cache is free after a pause, for an
    /// erase per pause.
    Block,
}
