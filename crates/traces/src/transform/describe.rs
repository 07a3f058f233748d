//! Parameters of transformations: reading them and saying them again.

use crate::error::TraceError;
use serde::de::DeserializeOwned;
use serde::Serialize;
use serde_json::Value;

/// Reads parameters; an error names the key and what is allowed.
pub(super) fn parse<T: DeserializeOwned>(kind: &'static str, parameters: Value) -> Result<T, TraceError> {
    serde_json::from_value(parameters).map_err(|error| refused(kind, error.to_string()))
}

/// The transformation with its parameters, the same text for the same ones.
pub(super) fn step_text<T: Serialize>(kind: &str, parameters: &T) -> String {
    // Plain data with text keys always has a JSON form.
    let json = serde_json::to_string(parameters).expect("parameters are plain data");
    format!("{kind} {json}")
}

/// An error about a transformation.
pub(super) fn refused(kind: &'static str, reason: impl Into<String>) -> TraceError {
    TraceError::Transform { kind, reason: reason.into() }
}

/// Sectors of a unit in bytes; an error when it is not a positive multiple of 512.
pub(super) fn unit_sectors(kind: &'static str, key: &str, bytes: u64) -> Result<u64, TraceError> {
    match bytes {
        0 => Err(refused(kind, format!("{key} = 0; expected a positive multiple of 512 bytes"))),
        _ if bytes % 512 != 0 => {
            Err(refused(kind, format!("{key} = {bytes}; expected a positive multiple of 512 bytes")))
        }
        _ => Ok(bytes / 512),
    }
}
