//! Where a result comes from: version, commit, configuration, time and machine.

use crate::config::RunConfig;
use ring::digest::{digest, SHA256};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{json, Value};
use slcache_core::MODEL_VERSION;
use std::time::{SystemTime, UNIX_EPOCH};

/// SHA-256 in hex, and nothing behind it.
pub const SHA256_HEX: &str = r"^[0-9a-f]{64}$(?!\n)";
/// `PAPER/PART:READING`.
const READING: &str = r"^[a-z0-9-]+/[a-z0-9-]+:[a-z0-9-]+$(?!\n)";

/// The simulator's version.
pub fn version() -> &'static str {
    env!("CARGO_PKG_VERSION")
}

/// The version of the model, raised whenever its results move.
pub fn model_version() -> u32 {
    MODEL_VERSION
}

/// The commit the simulator was built from; `unknown` outside a repository.
pub fn commit() -> &'static str {
    env!("SLCACHE_COMMIT")
}

/// The compiler the simulator was built with; `unknown` where it does not say.
pub fn compiler() -> &'static str {
    env!("SLCACHE_RUSTC")
}

/// What made a result.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Provenance {
    /// The version of slcache.
    pub version: String,
    /// Raised whenever the model's results move.
    #[schemars(range(min = 1))]
    pub model_version: u32,
    /// The commit that it was built from.
    pub commit: String,
    /// The seed of every random choice.
    pub seed: u64,
    /// The set-up of a paper's evaluation that the run began with (`--reading`), as `PAPER/PART:READING`;
    /// absent where it began with none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(regex(pattern = READING))]
    pub reading: Option<String>,
    /// SHA-256 of the configuration's JSON with sorted keys.
    #[schemars(length(min = 1))]
    pub config_hash: String,
    /// When the run ended.
    pub time: String,
    /// The machine.
    pub host: String,
    /// What the scheme had learned before the run; absent where it began anew.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory_in: Option<MemoryIn>,
    /// Where what the scheme has learned was saved.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory_out: Option<MemoryOut>,
    /// Only where a timeline was drawn.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeline: Option<TimelineFile>,
}

/// What the scheme had learned before the run.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct MemoryIn {
    /// The file of what the scheme had learned.
    pub file: String,
    /// SHA-256 of this file.
    #[schemars(regex(pattern = SHA256_HEX))]
    pub sha256: String,
    /// The runs it was learned in, first to last.
    pub runs: Vec<LearningRun>,
}

/// A run that a memory was learned in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LearningRun {
    /// SHA-256 of the trace, as in results.
    pub trace_sha256: Option<String>,
    /// Hash of the configuration, as in results.
    pub config_hash: String,
}

impl LearningRun {
    /// A run under `config`.
    pub fn of(config: &RunConfig, trace_sha256: Option<String>) -> Self {
        Self { trace_sha256, config_hash: config_hash(&config.to_json()) }
    }
}

/// Where what the scheme has learned was saved.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct MemoryOut {
    /// The file of what the scheme had learned.
    pub file: String,
    /// SHA-256 of this file.
    #[schemars(regex(pattern = SHA256_HEX))]
    pub sha256: String,
}

/// The file that a timeline went to.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct TimelineFile {
    /// The file that was asked for.
    pub file: String,
    /// Only where it is above 1: of every which of the host's requests the timeline has operations.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 2))]
    pub every: Option<u32>,
}

impl Provenance {
    /// Of a run under `config` that is over now.
    pub fn of(config: &RunConfig) -> Self {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs());
        Self {
            version: version().into(),
            model_version: MODEL_VERSION,
            commit: commit().into(),
            seed: config.run.seed,
            reading: None,
            config_hash: config_hash(&config.to_json()),
            time: rfc3339(now),
            host: host(),
            memory_in: None,
            memory_out: None,
            timeline: None,
        }
    }
}

/// Of a result's provenance what equal runs have in common.
pub(crate) fn of_equal_runs(config: &RunConfig) -> Value {
    json!({
        "version": version(),
        "model_version": MODEL_VERSION,
        "commit": commit(),
        "seed": config.run.seed,
        "config_hash": config_hash(&config.to_json()),
    })
}

/// SHA-256 of a configuration's JSON with sorted keys and no spaces.
pub fn config_hash(config: &Value) -> String {
    // serde_json's maps are sorted unless a crate asks for insertion order; a test watches that.
    sha256_hex(config.to_string().as_bytes())
}

/// SHA-256 in hex.
pub(crate) fn sha256_hex(bytes: &[u8]) -> String {
    digest(&SHA256, bytes).as_ref().iter().map(|byte| format!("{byte:02x}")).collect()
}

fn host() -> String {
    let cpus = std::thread::available_parallelism().map_or(1, usize::from);
    format!("{} {}, {cpus} cpus", std::env::consts::OS, std::env::consts::ARCH)
}

/// Seconds since 1970 as UTC text, by Howard Hinnant's `civil_from_days`.
fn rfc3339(unix_s: u64) -> String {
    let (days, second) = (unix_s / 86_400 + 719_468, unix_s % 86_400);
    let (era, day_of_era) = (days / 146_097, days % 146_097);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 };
    let year = year_of_era + era * 400 + u64::from(month <= 2);
    let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_match_the_calendar() {
        assert_eq!(rfc3339(0), "1970-01-01T00:00:00Z");
        assert_eq!(rfc3339(951_827_696), "2000-02-29T12:34:56Z");
        assert_eq!(rfc3339(1_795_291_200), "2026-11-21T20:00:00Z");
    }

    #[test]
    fn keys_are_hashed_sorted() {
        let value: Value = serde_json::from_str(r#"{"b": 1, "a": {"d": 2, "c": 3}}"#).unwrap();
        assert_eq!(value.to_string(), r#"{"a":{"c":3,"d":2},"b":1}"#);
    }
}
