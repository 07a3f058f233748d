//! The workloads that ship with slcache.

use crate::error::TraceError;
use crate::stored::opened::Opened;
use crate::stored::trace_path::{TracePath, STDIN};
use serde::{Deserialize, Serialize};
use std::io::{Error, ErrorKind, Read};
use std::path::Path;

/// Longest workload file; what is longer is something else.
const TEXT_BYTES_MAX: u64 = 16 << 20;

/// A workload that ships with slcache.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct WorkloadPreset {
    pub name: &'static str,
    /// What it is, in one line.
    pub about: String,
    /// Where its figures come from.
    pub source: String,
}

macro_rules! presets {
    ($($name:literal),* $(,)?) => {
        &[$(($name, include_str!(concat!("../../../../presets/workloads/", $name, ".toml")))),*]
    };
}

/// Names and texts of every preset.
static PRESETS: &[(&str, &str)] = presets![
    "uniform-4k",
    "zipf-4k",
    "hotcold",
    "sequential",
    "mixed-oltp",
    "bursty-desktop",
    "daily-server",
    "hierarchy-web_0",
    "hierarchy-hm_0",
    "hierarchy-lun1",
    "hierarchy-usr_0",
    "hierarchy-lun2",
    "hierarchy-lun3",
    "hierarchy-lun4",
    "hierarchy-web_1",
    "ips-bursty",
    "ips-hm_0",
    "ips-hm_1",
    "ips-mds_0",
    "ips-proj_4",
    "ips-rsrch_0",
    "ips-src2_0",
    "ips-stg_0",
    "ips-ts_0",
    "ips-usr_0",
    "ips-wdev_0",
    "ips-web_0",
    "rl-pc",
    "rl-phone",
    "rl-tpcc",
    "rl-oltp",
    "rl-linkbench",
    "rl-ycsb-a",
    "hyssd-financial",
    "hyssd-exchange",
    "nvc-bonnie",
    "nvc-desktop",
    "nvc-financial1",
    "nvc-financial2",
];

#[derive(Deserialize)]
struct Head {
    about: String,
    source: String,
}

/// Every preset, generic workloads first, then the twins by paper.
pub fn presets() -> Vec<WorkloadPreset> {
    let preset = |&(name, text): &(&'static str, &str)| {
        // A test loads every preset, so one that does not parse is never shipped.
        let Head { about, source } = toml::from_str(text).expect("a shipped preset parses");
        WorkloadPreset { name, about, source }
    };
    PRESETS.iter().map(preset).collect()
}

/// The names of the presets, without reading what they hold.
pub fn preset_names() -> impl Iterator<Item = &'static str> {
    PRESETS.iter().map(|(name, _)| *name)
}

fn find(name: &str) -> Option<&'static str> {
    PRESETS.iter().find(|(preset, _)| *preset == name).map(|(_, text)| *text)
}

/// Whether this names a workload rather than a trace: a `.toml` file, or a
/// preset where no file has its name.
pub fn is_workload(path_or_preset: &str) -> bool {
    let file = Path::new(path_or_preset);
    file.extension().is_some_and(|extension| extension == "toml")
        || (find(path_or_preset).is_some() && !file.exists())
}

pub(super) fn text(path: &TracePath) -> Result<String, TraceError> {
    if let Some(text) = path.content() {
        return Ok(text.to_owned());
    }
    let name = path.name();
    let failed = |source: Error| TraceError::open(name, source);
    match find(name) {
        Some(text) if !Path::new(name).exists() => return Ok(text.to_owned()),
        None if name != STDIN && !Path::new(name).exists() => {
            let names: Vec<&str> = PRESETS.iter().map(|(name, _)| *name).collect();
            let message = format!("no such file and no such preset; presets: {}", names.join(", "));
            return Err(failed(Error::new(ErrorKind::NotFound, message)));
        }
        _ => {}
    }
    let mut text = String::new();
    let (reader, _) = Opened::of(path)?.into_reader();
    let read = reader.take(TEXT_BYTES_MAX + 1).read_to_string(&mut text);
    match read {
        Ok(bytes) if bytes as u64 <= TEXT_BYTES_MAX => {
            Ok(text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text))
        }
        Ok(_) => Err(failed(Error::other("longer than 16 MiB, which no workload file is"))),
        Err(error) => Err(failed(error)),
    }
}
