//! What the user says about a trace, and which formats have a use for it.

pub(crate) mod generic;
pub(crate) mod ratio;

use crate::catalogue::PARQUET;
use crate::error::TraceError;
use crate::formats::{Format, FORMATS};
use crate::options::generic::{GenericColumns, UnitBytes};
use crate::options::ratio::Ratio;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// How to read a trace file. Everything left out has the stated default.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct TraceOptions {
    /// Name of the format, such as `msr` or `blkparse`; left out, it is told
    /// from the content where exactly one format fits.
    pub format: Option<String>,
    /// Columns and units of a `generic` trace; required there, refused elsewhere.
    pub generic: Option<GenericColumns>,
    /// Which event is a request, of formats that record several or a completion
    /// and how long it took; default `D` (issued to the driver).
    pub action: BlkparseAction,
    /// What a block address counts in UFS events without `hwq_id`, of kernels before
    /// 6.3: 512 bytes (up to 5.13) or 4096. Required for those.
    pub ufs_lba_bytes: Option<u32>,
    /// Unit of the time column of an MQSim trace; default `ns`.
    pub mqsim_time_unit: MqsimTimeUnit,
    /// What to do with several volumes in one file: `error`, `merge`, `each`
    /// or the name of the one to take. Default `error`, for MQSim `merge`
    /// (MQSim itself ignores its device column).
    pub volume: Option<VolumeChoice>,
    /// What to do when time runs backwards: `error` (default), `sort:N` or `keep`.
    pub unsorted: Unsorted,
    /// What to do with reads, writes and trims of size 0; default `error`.
    pub zero_size: ZeroSize,
    /// What to do with byte addresses and sizes that are not multiples of 512;
    /// default `error`.
    pub sub_sector: SubSector,
    /// What all requests of a trace are whose records carry no operation:
    /// `read` or `write`. Required for `oracle_general`, refused elsewhere.
    pub op_default: Option<DefaultOp>,
    /// What the ids of objects count in, where they are block addresses:
    /// `sector`, `byte` or a number of bytes. Required for `oracle_general`, refused elsewhere.
    pub object_unit: Option<UnitBytes>,
    /// Whether time 0 is the first request taken (`true`) or times are kept as
    /// given (`false`). Default `false` for the formats whose times count from
    /// the start of the trace and for `generic`, `true` for the others.
    pub rebase: Option<bool>,
    /// Seed of a workload's random draws; default 0. Refused for files.
    pub seed: Option<u64>,
    /// Settings of a workload that differ from its file, by dotted key.
    /// Refused for files.
    pub workload: BTreeMap<String, String>,
    /// What to do with the requests of a trace that tells whole seconds only,
    /// such as `tencent`: `keep` (default) or `spread`.
    pub coarse_time: CoarseTime,
    /// First time taken, counted from the trace's time 0; default 0. What lies before, or
    /// behind the end, is left out and counted, and time 0 is then this one, unless `rebase`
    /// is `false`.
    pub from_ns: Option<u64>,
    /// First time no longer taken; default none.
    pub to_ns: Option<u64>,
    /// How many requests are left out at the beginning, flushes and trims among them. Time 0
    /// is then the first one taken. Refused beside `from_ns` and `to_ns`.
    pub skip: Option<u64>,
    /// How many requests are taken from there; default all.
    pub take: Option<u64>,
    /// How often what is taken comes, one copy behind the other, each with its first request
    /// at the time of the last one before; `5/2` ends in the middle of the third. Default 1.
    pub copies: Option<Ratio>,
    /// Factor on all times, rounded down to nanoseconds: 0.5 doubles the load. `1/3` is
    /// exact. Response times stay.
    pub time_scale: Option<Ratio>,
    /// Number of a draw of the trace: stretches of its time in random order. The same number
    /// is the same draw. Refused for workloads, which are drawn by their seed.
    pub resample: Option<u64>,
    /// Mean length of those stretches in nanoseconds; default a twentieth of the trace.
    pub resample_block_ns: Option<u64>,
}

impl TraceOptions {
    /// The default options with the format named.
    pub fn with_format(format: &str) -> Self {
        Self { format: Some(format.to_owned()), ..Self::default() }
    }
}

/// Which blkparse event counts as the request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum BlkparseAction {
    /// Queued by the file system or program.
    Q,
    /// Issued to the device's driver.
    #[default]
    D,
    /// Completed; times are completion times.
    C,
    /// Completed, each with the time since its issue: service times, not a choice of the user.
    #[serde(skip)]
    #[doc(hidden)]
    Timed,
}

/// What an event of a recording is to whoever reads it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EventRole {
    Request,
    Issue,
    Requeue,
}

impl BlkparseAction {
    /// What an event is, by its letter in blkparse's action column; none for those left out.
    #[inline(always)]
    pub(crate) fn role(self, letter: u8) -> Option<EventRole> {
        match (self, letter) {
            (Self::D, b'D') | (Self::Q, b'Q') | (Self::C | Self::Timed, b'C') => Some(EventRole::Request),
            (Self::Timed, b'D') => Some(EventRole::Issue),
            (Self::D | Self::Timed, b'R') => Some(EventRole::Requeue),
            _ => None,
        }
    }
}

/// The operation of records that carry none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum DefaultOp {
    /// All are reads.
    Read,
    /// All are writes.
    Write,
}

/// Unit of MQSim's time column.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum MqsimTimeUnit {
    /// Picoseconds; rounded to nanoseconds and counted where not whole.
    Ps,
    /// Nanoseconds.
    #[default]
    Ns,
    /// Microseconds.
    Us,
}

/// What to do with times that are whole seconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum CoarseTime {
    /// All requests of a second arrive at its start.
    #[default]
    Keep,
    /// The requests of a second are spaced evenly over it, in file order, and
    /// those moved are counted. A time that is no whole second is an error.
    Spread,
}

/// What to do with zero-size requests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ZeroSize {
    /// An error naming the line.
    #[default]
    Error,
    /// Left out and counted.
    Skip,
}

/// What to do with bytes that are not whole sectors.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum SubSector {
    /// An error naming the line.
    #[default]
    Error,
    /// Widened to the sectors touched and counted.
    Round,
}

/// What to do with several volumes in one file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(from = "String", into = "String")]
pub enum VolumeChoice {
    /// One volume only; a second one is an error that lists them.
    #[default]
    Error,
    /// Ignore the volume: one address space, addresses as they are.
    Merge,
    /// Streams 0, 1, ... in order of first appearance.
    Each,
    /// The volume of this name; the others are left out and counted.
    Named(String),
}

impl From<String> for VolumeChoice {
    fn from(text: String) -> Self {
        match text.as_str() {
            "error" => Self::Error,
            "merge" => Self::Merge,
            "each" => Self::Each,
            _ => Self::Named(text),
        }
    }
}

impl From<VolumeChoice> for String {
    fn from(choice: VolumeChoice) -> Self {
        match choice {
            VolumeChoice::Error => "error".to_owned(),
            VolumeChoice::Merge => "merge".to_owned(),
            VolumeChoice::Each => "each".to_owned(),
            VolumeChoice::Named(name) => name,
        }
    }
}

/// What to do when time runs backwards.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
pub enum Unsorted {
    /// An error naming the line.
    #[default]
    Error,
    /// Put in order within a window of so many requests; `sort:N` in text.
    Sort(usize),
    /// Times are kept as given; how many ran backwards is counted.
    Keep,
}

/// Widest reorder window: bounds memory at about 1 GiB.
const WINDOW_MAX: usize = 1 << 25;

impl TryFrom<String> for Unsorted {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let window = text.strip_prefix("sort:").map(str::parse::<usize>);
        match (text.as_str(), window) {
            ("error", _) => Ok(Self::Error),
            ("keep", _) => Ok(Self::Keep),
            (_, Some(Ok(window))) if (1..=WINDOW_MAX).contains(&window) => Ok(Self::Sort(window)),
            _ => {
                Err(format!("\"{text}\" is not allowed; allowed: \"error\", \"keep\", \"sort:N\" with N from 1 to {WINDOW_MAX}"))
            }
        }
    }
}

impl From<Unsorted> for String {
    fn from(unsorted: Unsorted) -> Self {
        match unsorted {
            Unsorted::Error => "error".to_owned(),
            Unsorted::Keep => "keep".to_owned(),
            Unsorted::Sort(window) => format!("sort:{window}"),
        }
    }
}

/// The options that few formats have a use for, and whether each is set to something else than its default.
fn rare(options: &TraceOptions) -> [(&'static str, bool); 5] {
    let default = TraceOptions::default();
    [
        ("action", options.action != default.action),
        ("mqsim_time_unit", options.mqsim_time_unit != default.mqsim_time_unit),
        ("ufs_lba_bytes", options.ufs_lba_bytes.is_some()),
        ("op_default", options.op_default.is_some()),
        ("object_unit", options.object_unit.is_some()),
    ]
}

/// The formats that have a use for such an option.
fn takers(option: &str) -> Vec<&'static str> {
    let takes = |format: &&Format| format.options.contains(&option);
    FORMATS.iter().filter(takes).map(|format| format.name).collect()
}

/// Which event is the request of a trace of `format`, of a format that records several.
pub fn event(options: &TraceOptions, format: &str) -> Option<&'static str> {
    takers("action").contains(&format).then_some(match options.action {
        BlkparseAction::Q => "queue",
        BlkparseAction::D => "issue",
        BlkparseAction::C | BlkparseAction::Timed => "completion",
    })
}

/// Columns declared for a format that has its own.
pub(crate) fn foreign_columns(format: &str) -> TraceError {
    let allowed = "generic columns only with format = \"generic\"";
    TraceError::option("generic", format!("columns declared for format {format}"), allowed)
}

/// Refuses an option that a trace of `format` would not heed.
pub(crate) fn refuse_foreign(options: &TraceOptions, format: &str) -> Result<(), TraceError> {
    let foreign = |key, allowed: String| {
        Err(TraceError::option(key, format!("given for a trace of format {format}"), allowed))
    };
    for (key, _) in rare(options).into_iter().filter(|(_, given)| *given) {
        let formats = takers(key);
        if !formats.contains(&format) {
            return foreign(key, format!("only with format {}", formats.join(", ")));
        }
    }
    // The Parquet layout holds whole sectors and nothing of size 0.
    let checks = [
        ("zero_size", options.zero_size != ZeroSize::Error),
        ("sub_sector", options.sub_sector != SubSector::Error),
    ];
    match checks.into_iter().find(|(_, given)| *given && format == PARQUET) {
        Some((key, _)) => foreign(key, "with any format but parquet".to_owned()),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_forms_round_trip() {
        let text = r#"{"format":"msr","unsorted":"sort:64","volume":"each","action":"Q"}"#;
        let options: TraceOptions = serde_json::from_str(text).unwrap();
        assert_eq!(options.unsorted, Unsorted::Sort(64));
        assert_eq!(options.volume, Some(VolumeChoice::Each));
        let again: TraceOptions = serde_json::from_str(&serde_json::to_string(&options).unwrap()).unwrap();
        assert_eq!(again, options);
    }

    #[test]
    fn the_schema_describes_every_option() {
        let schema = serde_json::to_value(schemars::schema_for!(TraceOptions)).unwrap();
        let properties = schema["properties"].as_object().unwrap();
        let options = serde_json::to_value(TraceOptions::default()).unwrap();
        assert_eq!(properties.len(), options.as_object().unwrap().len());
        for (name, property) in properties {
            assert!(property["description"].is_string(), "{name}");
        }
        assert_eq!(schema["additionalProperties"], false);
    }

    #[test]
    fn unknown_keys_and_values_are_refused() {
        assert!(serde_json::from_str::<TraceOptions>(r#"{"formt":"msr"}"#).is_err());
        for value in ["sort", "sort:0", "sort:-1", "sort:99999999999", "Keep"] {
            let error = Unsorted::try_from(value.to_owned()).unwrap_err();
            assert!(error.to_string().contains("sort:N"), "{error}");
        }
    }

    /// Every option that belongs to some formats, set.
    fn settings() -> Vec<(&'static str, TraceOptions)> {
        let option = |key: &'static str, value: &str| {
            let text = format!("{{\"{key}\":{value}}}");
            (key, serde_json::from_str(&text).unwrap_or_else(|error| panic!("{text}: {error}")))
        };
        vec![
            option("action", "\"Q\""),
            option("mqsim_time_unit", "\"us\""),
            option("ufs_lba_bytes", "512"),
            option("op_default", "\"read\""),
            option("object_unit", "512"),
        ]
    }

    #[test]
    fn an_option_of_another_format_is_refused() {
        for (key, options) in settings() {
            let takers: Vec<&str> = FORMATS
                .iter()
                .map(|format| format.name)
                .filter(|name| refuse_foreign(&options, name).is_ok())
                .collect();
            assert!(!takers.is_empty() && takers.len() <= 5, "{key}: {takers:?}");
            let error = refuse_foreign(&options, "msr").unwrap_err().to_string();
            assert!(error.contains(key) && error.contains(takers[0]), "{error}");
            assert!(refuse_foreign(&options, PARQUET).is_err(), "{key}");
        }
        assert_eq!(settings().len(), rare(&TraceOptions::default()).len());
    }

    #[test]
    fn the_formats_named_read_the_option() {
        let source = |format: &str| {
            let file = |name: &str| format!("{}/src/formats/{name}.rs", env!("CARGO_MANIFEST_DIR"));
            // What has no file of its own is a row.
            std::fs::read_to_string(file(format)).or_else(|_| std::fs::read_to_string(file("rows"))).unwrap()
        };
        for (key, options) in settings() {
            for format in FORMATS.iter().map(|format| format.name) {
                let reads = source(format).contains(&format!("options.{key}"));
                assert_eq!(refuse_foreign(&options, format).is_ok(), reads, "{key} of {format}");
            }
        }
    }
}
