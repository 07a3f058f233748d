//! What the bench finds out.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Median, lowest and highest of several rounds.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Spread {
    pub median: f64,
    pub min: f64,
    pub max: f64,
}

impl Spread {
    /// The spread of at least one value.
    pub fn of(mut values: Vec<f64>) -> Self {
        values.sort_by(f64::total_cmp);
        let middle = values.len() / 2;
        let median =
            if values.len() % 2 == 1 { values[middle] } else { (values[middle - 1] + values[middle]) / 2.0 };
        Self { median, min: values[0], max: values[values.len() - 1] }
    }
}

/// One workload under one scheme.
#[derive(Clone, Debug, Serialize)]
pub struct Speed {
    pub workload: String,
    pub device: String,
    pub scheme: String,
    pub requests: usize,
    pub wall_s: Spread,
    pub cpu_s: Spread,
    pub requests_per_s: f64,
    /// What `requests_per_s` is on a machine that does nothing else.
    pub requests_per_cpu_s: f64,
    /// Of CPU time, as are the other times per piece of work.
    pub ns_per_request: f64,
    /// Flash commands: reads, programs and erases.
    pub flash_operations: u64,
    /// None without flash commands.
    pub ns_per_flash_operation: Option<f64>,
    /// Pages read and programmed.
    pub page_operations: u64,
    pub page_operations_per_cpu_s: f64,
    pub waf: f64,
    /// Write amplification after the sequential fill.
    pub waf_random_part: Option<f64>,
    pub floor: Option<Floor>,
}

/// What the requests of a case take in a bare loop.
#[derive(Clone, Debug, Serialize)]
pub struct Floor {
    /// Scaled to the engine's number of page programs.
    pub cpu_s: Spread,
    /// Engine over floor in CPU time, medians.
    pub ratio: f64,
    /// Engine page programs over those of the loop, by which its time was scaled.
    pub scaled_by: f64,
}

/// Reading, writing and making traces, all of CPU time.
#[derive(Clone, Debug, Default, Serialize)]
pub struct TraceSpeed {
    /// By format, the file's hash among the work.
    pub text_read_mb_per_cpu_s: BTreeMap<String, Spread>,
    pub text_written_mb_per_cpu_s: BTreeMap<String, Spread>,
    pub parquet_read_requests_per_cpu_s: Option<Spread>,
    pub parquet_written_requests_per_cpu_s: Option<Spread>,
    pub parquet_bytes_per_request: Option<f64>,
    /// By workload.
    pub generated_requests_per_cpu_s: BTreeMap<String, Spread>,
}

/// Preconditioning a 32 GiB device.
#[derive(Clone, Debug, Serialize)]
pub struct Preconditioning {
    pub page_programs: u64,
    pub cpu_s: Spread,
    pub page_programs_per_cpu_s: f64,
}

/// A run that stops at windows, beside the run that does not.
#[derive(Clone, Debug, Serialize)]
pub struct Environment {
    pub workload: String,
    pub device: String,
    pub scheme: String,
    pub requests: usize,
    pub windows: u64,
    /// From trace to document, as the command line does it.
    pub run_cpu_s: Spread,
    /// The run's work in an episode that is observed at every window.
    pub episode_cpu_s: Spread,
    /// Requests per CPU second of the episode over those of the run, medians.
    pub speed_beside_run: f64,
    pub fork_s: Spread,
    /// Threads of this machine, and as many episodes side by side.
    pub threads: usize,
    pub one_thread_s: Spread,
    pub all_threads_s: Spread,
    /// Speed on all threads over that on one, for each thread.
    pub scaling_per_thread: f64,
}

/// What the end of a window costs under a scheme that searches the least cost then.
#[derive(Clone, Debug, Serialize)]
pub struct Analyser {
    pub device: String,
    /// Windows of the run.
    pub windows: usize,
    pub window_us: f64,
    pub run_cpu_s: Spread,
    /// With a hundred times as many windows.
    pub busier_cpu_s: Spread,
    /// The windows' part of the run.
    pub share: f64,
}

/// Memory of a device in use, measured in a process of its own.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Memory {
    pub device: String,
    pub mapping_units: u64,
    pub blocks: u64,
    pub grown_bytes: u64,
    pub bytes_per_mapping_unit: f64,
    /// 12 bytes per mapping unit + 64 MiB + 32 bytes per block.
    pub budget_bytes: u64,
    pub peak_rss_bytes: u64,
}

/// A 4 TiB device in a process of its own.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct LargeDevice {
    pub start_s: f64,
    pub requests: usize,
    pub peak_rss_bytes: u64,
}

/// Instructions per request, by what is counted, or why nothing was.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Instructions {
    PerRequest(BTreeMap<String, f64>),
    NotCounted(String),
}

#[derive(Clone, Debug, Serialize)]
pub struct Figures {
    pub rounds: usize,
    pub workloads: Vec<Speed>,
    pub instructions: Instructions,
    pub traces: TraceSpeed,
    pub preconditioning: Preconditioning,
    pub environment: Environment,
    pub analyser: Analyser,
    pub memory: Vec<Memory>,
    pub large_device: LargeDevice,
}
