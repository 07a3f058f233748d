//! What the user says about traces of objects, which are not block traces by
//! themselves.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The operation of records that carry none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum DefaultOp {
    /// All are reads.
    Read,
    /// All are writes.
    Write,
}
