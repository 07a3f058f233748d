//! Where the requests of a trace come from, as files and reports tell it.

use serde::{Deserialize, Serialize};

/// Where the requests of a trace come from.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Origin {
    /// Name of the file, without its folders.
    pub file: String,
    /// Format it was read as.
    pub format: String,
    /// SHA-256 of the file as stored, in hex.
    pub sha256: Option<String>,
    /// What the requests are where they are not a recording, such as `twin of ...`.
    pub label: Option<String>,
    /// Transformations applied since, in order, each with its parameters.
    pub steps: Vec<String>,
}
