//! The workloads that ship with slcache.

use serde::{Deserialize, Serialize};
use std::path::Path;

/// A workload that ships with slcache.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct WorkloadPreset {
    /// Its name.
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

/// The text of a workload file or preset.
pub(super) fn text(path_or_preset: &str) -> std::io::Result<String> {
    match find(path_or_preset) {
        Some(text) if !Path::new(path_or_preset).exists() => Ok(text.to_owned()),
        _ => std::fs::read_to_string(path_or_preset).map_err(|error| match error.kind() {
            std::io::ErrorKind::NotFound => {
                let names: Vec<&str> = PRESETS.iter().map(|(name, _)| *name).collect();
                let message = format!("no such file and no such preset; presets: {}", names.join(", "));
                std::io::Error::new(error.kind(), message)
            }
            _ => error,
        }),
    }
}
