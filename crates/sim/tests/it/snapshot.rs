//! Snapshots: the same result as without one, and refusal of whatever does not fit.

use crate::common::{file, layers};
use sha2::{Digest, Sha256};
use slcache_sim::{execute, resolve, snapshot, trace_options, RunConfig, RunRequest, SimError};
use std::path::{Path, PathBuf};

const AGED: [&str; 2] = ["precondition.fill=0.9", "precondition.overwrite=2"];

struct Bench {
    directory: tempfile::TempDir,
    trace: tempfile::NamedTempFile,
}

impl Bench {
    fn new() -> Self {
        let lines = (0..1500u64).map(|i| format!("{} 0 {} 8 0\n", i * 500_000, i * 613 % 700 * 8));
        let text: String = lines.collect();
        Self { directory: tempfile::tempdir().unwrap(), trace: file(&text, ".trace") }
    }

    fn snapshot(&self) -> PathBuf {
        self.directory.path().join("aged.snapshot")
    }

    fn request(&self, sets: &[&str]) -> RunRequest {
        RunRequest {
            trace: self.trace.path().to_str().unwrap().into(),
            trace_options: trace_options([("format", "mqsim")]).unwrap(),
            layers: layers("tiny", "baseline", sets),
            ..RunRequest::default()
        }
    }

    fn config(&self) -> RunConfig {
        resolve(&self.request(&AGED).layers).unwrap()
    }

    fn save(&self) -> serde_json::Value {
        let mut request = self.request(&AGED);
        request.snapshot_out = Some(self.snapshot());
        execute(&request, &mut |_, _, _| true).unwrap()
    }

    fn load(&self, sets: &[&str]) -> Result<serde_json::Value, SimError> {
        let mut request = self.request(sets);
        request.snapshot_in = Some(self.snapshot());
        execute(&request, &mut |_, _, _| true)
    }

    fn refusal(&self, sets: &[&str]) -> String {
        let error = self.load(sets).unwrap_err();
        assert_eq!(error.exit_code(), 1, "{error}");
        error.to_string()
    }
}

#[test]
fn another_configuration_is_told_by_the_keys_that_differ() {
    let bench = Bench::new();
    bench.save();
    let text = bench.refusal(&["dense.victim=fifo"]);
    let key = "scheme.baseline.dense.victim (snapshot \"greedy\", run \"fifo\")";
    assert!(text.ends_with(&format!("different: {key}")), "{text}");
    let text = bench.refusal(&["buffer.bytes=65536"]);
    assert!(text.ends_with("different: buffer (snapshot none, run given)"), "{text}");
    let mut request = bench.request(&[]);
    request.layers = layers("tiny", "tlc-only", &[]);
    request.snapshot_in = Some(bench.snapshot());
    let text = execute(&request, &mut |_, _, _| true).unwrap_err().to_string();
    assert!(text.ends_with("different: scheme (snapshot baseline, run tlc-only)"), "{text}");
}

fn change(path: &Path, edit: impl FnOnce(&mut Vec<u8>)) {
    let mut bytes = std::fs::read(path).unwrap();
    edit(&mut bytes);
    std::fs::write(path, bytes).unwrap();
}

#[test]
fn a_restored_device_gives_the_same_result() {
    let bench = Bench::new();
    let saved = bench.save();
    let loaded = bench.load(&[]).unwrap();
    for section in ["config", "flash", "host", "scheme", "series", "trace", "waf", "wear"] {
        assert_eq!(saved[section], loaded[section], "{section}");
    }
    assert_eq!(loaded["config"]["precondition"]["overwrite"], 2.0);
    let files = std::fs::read_dir(bench.directory.path()).unwrap().count();
    assert_eq!(files, 1, "no temporary file is left");
}

#[test]
fn another_configuration_is_refused_by_name() {
    let bench = Bench::new();
    bench.save();
    let text = bench.refusal(&[
        "slc_blocks=4",
        "device.user_bytes=3MiB",
        "run.seed=7",
        "device.pool[0].slc.erase_ns=5",
    ]);
    for part in [
        "scheme.baseline.slc_blocks (snapshot 3, run 4)",
        "run.seed (snapshot 1, run 7)",
        "device.pool[0].slc.erase_ns (snapshot 2000000, run 5)",
    ] {
        assert!(text.contains(part), "{part} is not in {text}");
    }
    let text = bench.refusal(&["precondition.fill=0.5"]);
    assert!(text.contains("precondition.fill (snapshot 0.9, run 0.5)"), "{text}");
}

#[test]
fn what_may_differ_is_accepted() {
    let bench = Bench::new();
    bench.save();
    assert!(bench.load(&["trace.address=wrap", "host.time_scale=2.0"]).is_ok());
}

#[test]
fn damage_is_told() {
    let bench = Bench::new();
    bench.save();
    let path = bench.snapshot();
    let whole = std::fs::read(&path).unwrap();
    change(&path, |bytes| bytes.truncate(whole.len() - 10));
    assert!(bench.refusal(&[]).contains("truncated or damaged"));
    change(&path, |bytes| bytes.truncate(14));
    assert!(bench.refusal(&[]).contains("truncated or damaged (too short)"));
    change(&path, |bytes| {
        bytes.clone_from(&whole);
        bytes[whole.len() / 2] ^= 1;
    });
    assert!(bench.refusal(&[]).contains("the checksum does not match"));
    change(&path, |bytes| {
        bytes.clone_from(&whole);
        bytes[8] = 99;
    });
    assert!(bench.refusal(&[]).contains("format version 99"));
    change(&path, |bytes| bytes[0] = b'X');
    assert!(bench.refusal(&[]).contains("not a snapshot"));
    std::fs::remove_file(&path).unwrap();
    assert!(bench.refusal(&[]).contains("No such file"));
}

/// A state with a right checksum whose counts are none of a device's is refused by its audit.
#[test]
fn a_state_that_no_device_can_be_in_is_refused() {
    const PREFIX: usize = 16;
    let bench = Bench::new();
    bench.save();
    let path = bench.snapshot();
    let whole = std::fs::read(&path).unwrap();
    let head = PREFIX + u32::from_le_bytes(whole[PREFIX - 4..PREFIX].try_into().unwrap()) as usize;
    let state = zstd::decode_all(&whole[head..whole.len() - 32]).unwrap();
    let mut refused = 0;
    for place in (0..state.len()).step_by(state.len() / 100) {
        let mut forged = state.clone();
        forged[place] ^= 0x15;
        let mut file = whole[..head].to_vec();
        file.extend(zstd::encode_all(&forged[..], 1).unwrap());
        let checksum = Sha256::digest(&file);
        file.extend_from_slice(&checksum);
        std::fs::write(&path, file).unwrap();
        let mut config = bench.config();
        refused += usize::from(snapshot::load(&path, &mut config).is_err());
    }
    assert!(refused > 40, "{refused} refused");
}

#[test]
fn a_snapshot_that_cannot_be_written_is_an_error() {
    let bench = Bench::new();
    let mut request = bench.request(&AGED);
    request.snapshot_out = Some(bench.directory.path().join("missing").join("x"));
    let error = execute(&request, &mut |_, _, _| true).unwrap_err();
    assert!(matches!(error, SimError::Snapshot(_)), "{error}");
}
