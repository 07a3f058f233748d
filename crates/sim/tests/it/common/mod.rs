//! What several tests need.

// What most tests name.
pub use serde_json::{json, Value};
pub use slcache_core::base::request::{HostOp, Request};
pub use slcache_core::base::rng::RngStream;
pub use slcache_core::base::CellMode;
pub use slcache_core::device::Simulation;
pub use slcache_core::schemes::CATALOG;
pub use slcache_sim::preset::PRESETS;
pub use slcache_sim::{execute, resolve, trace_options, Layers, RunConfig, RunRequest, SimError};
use slcache_traces::TraceOptions;
pub use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
pub use std::path::{Path, PathBuf};
pub use tempfile::NamedTempFile;

/// A device file as a user may write one.
pub const DEVICE: &str = r#"[device]
name = "mine"
user_bytes = "2MiB"

[[device.pool]]
name = "nand"
channels = 1
chips = 1
dies = 1
planes = 2
blocks = 16
wordlines = 8
page_bytes = 4096

[device.pool.bus]
ps_per_byte = 1250

[device.pool.slc]
read_ns = [20_000]
program_ns = [200_000]
erase_ns = 2_000_000

[device.pool.tlc]
read_ns = [66_000]
program_ns = [1_000_000]
erase_ns = 3_000_000
"#;

/// What makes a disk the home of the data of `tiny`, for schemes that need one.
pub const ON_DISK: [&str; 2] = [
    "device.user_bytes=64MiB",
    "device.disk={rpm=5400,track_seek_ns=2000000,average_seek_ns=12000000,mb_per_s=40,power={\
     active_mw=2550,idle_mw=800,standby_mw=250,idle_after_ns=1000000000,to_idle_ns=500000000,to_idle_mj=1150,\
     from_idle_ns=500000000,from_idle_mj=1150,standby_after_ns=3380000000,spin_down_ns=2300000000,\
     spin_down_mj=2940,spin_up_ns=1600000000,spin_up_mj=5000}}",
];

pub fn is_on_disk(scheme: &str) -> bool {
    CATALOG.iter().any(|entry| entry.name == scheme && entry.on_disk)
}

pub fn file(text: &str, suffix: &str) -> NamedTempFile {
    let mut file = tempfile::Builder::new().suffix(suffix).tempfile().expect("a temporary file");
    file.write_all(text.as_bytes()).expect("written");
    file
}

pub fn layers(device: &str, scheme: &str, sets: &[&str]) -> Layers {
    Layers {
        device: device.into(),
        scheme: scheme.to_owned(),
        sets: sets.iter().map(|set| (*set).to_owned()).collect(),
        ..Layers::default()
    }
}

/// What reads lines `time,op,address,size` of nanoseconds and sectors below their header.
pub fn by_sectors() -> TraceOptions {
    let columns = ["time", "op", "address", "size"].map(|column| (column, column));
    let units = [("time_unit", "ns"), ("address_unit", "sector"), ("size_unit", "sector")];
    let format = [("format", "generic"), ("header", "true"), ("delimiter", ",")];
    let ops = [("ops.read", "read"), ("ops.write", "write"), ("ops.trim", "trim"), ("ops.flush", "flush")];
    trace_options(format.into_iter().chain(columns).chain(units).chain(ops)).unwrap()
}

pub fn resolved(device: &str, scheme: &str, sets: &[&str]) -> RunConfig {
    resolve(&layers(device, scheme, sets)).unwrap_or_else(|errors| panic!("{errors}"))
}

/// The messages of a configuration that does not resolve.
pub fn errors(device: &str, scheme: &str, sets: &[&str]) -> Vec<String> {
    let errors = resolve(&layers(device, scheme, sets)).expect_err("must be refused");
    errors.to_string().lines().map(str::to_owned).collect()
}

/// The messages of a device file that does not resolve, without the path in front.
pub fn file_errors(text: &str, sets: &[&str]) -> Vec<String> {
    let file = file(text, ".toml");
    let path = file.path().to_str().expect("plain text").to_owned();
    errors(&path, "tlc-only", sets).iter().map(|line| line.replace(&path, "mine.toml")).collect()
}

/// A folder and a trace of MQSim's format for runs on `tiny`.
pub struct Bench {
    pub folder: tempfile::TempDir,
    pub trace: NamedTempFile,
}

impl Bench {
    pub fn new(trace: &str) -> Self {
        Self { folder: tempfile::tempdir().unwrap(), trace: file(trace, ".trace") }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn request(&self, scheme: &str, sets: &[&str]) -> RunRequest {
        RunRequest {
            trace: self.trace.path().to_str().unwrap().into(),
            trace_options: trace_options([("format", "mqsim")]).unwrap(),
            layers: layers("tiny", scheme, sets),
            ..RunRequest::default()
        }
    }
}

pub fn run(request: &RunRequest) -> Result<Value, SimError> {
    execute(request, &mut |_, _, _| true)
}

/// The message of a run that ends with `exit_code`.
pub fn refusal(request: &RunRequest, exit_code: u8) -> String {
    let error = run(request).unwrap_err();
    assert_eq!(error.exit_code(), exit_code, "{error}");
    error.to_string()
}
