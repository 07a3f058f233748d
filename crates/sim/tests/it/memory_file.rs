//! Memories between runs: what was learned comes back bit for bit, and what does not fit is refused.

use crate::common::{file, layers};
use serde_json::{json, Value};
use sha2::{Digest, Sha256};
use slcache_sim::{execute, trace_options, RunRequest, SimError};
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// `rl` on `tiny` with steps of 64 KiB.
const STEPS: &str = "step_bytes=65536";

struct Bench {
    folder: tempfile::TempDir,
    trace: tempfile::NamedTempFile,
}

/// Writes of 4 to 12 KiB, by a small generator.
fn trace(writes: u64, seed: u64) -> tempfile::NamedTempFile {
    let mut text = String::new();
    let mut state = seed;
    for i in 0..writes {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let (place, units) = ((state >> 33) % 300, 1 + (state >> 20) % 3);
        writeln!(text, "{} 0 {} {} 0", i * 500_000, place * 8, units * 8).unwrap();
    }
    file(&text, ".trace")
}

impl Bench {
    fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap(), trace: trace(1500, 1) }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn request(&self, scheme: &str, sets: &[&str]) -> RunRequest {
        RunRequest {
            trace: self.trace.path().to_str().unwrap().into(),
            trace_options: trace_options([("format", "mqsim")]).unwrap(),
            layers: layers("tiny", scheme, sets),
            ..RunRequest::default()
        }
    }

    /// A memory learned from the trace.
    fn learn(&self) -> PathBuf {
        let path = self.path("memory");
        let request = RunRequest { memory_out: Some(path.clone()), ..self.request("rl", &[STEPS]) };
        run(&request).unwrap();
        path
    }

    /// A run that begins with the memory.
    fn with_memory(&self, scheme: &str, sets: &[&str]) -> Result<Value, SimError> {
        run(&RunRequest { memory_in: Some(self.path("memory")), ..self.request(scheme, sets) })
    }

    fn refusal(&self, scheme: &str, sets: &[&str], exit_code: u8) -> String {
        let error = self.with_memory(scheme, sets).unwrap_err();
        assert_eq!(error.exit_code(), exit_code, "{error}");
        error.to_string()
    }
}

fn run(request: &RunRequest) -> Result<Value, SimError> {
    execute(request, &mut |_, _, _| true)
}

fn read(path: &Path) -> Value {
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}

fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().fold(String::new(), |text, byte| text + &format!("{byte:02x}"))
}

/// Changes a memory's content, behind a right checksum.
fn change(path: &Path, edit: impl FnOnce(&mut Value)) {
    let mut content = read(path)["content"].take();
    edit(&mut content);
    write_content(path, &content.to_string());
}

fn write_content(path: &Path, content: &str) {
    let head = r#"{"format":"slcache memory","format_version":1,"sha256":""#;
    let whole = format!("{head}{}\",\"content\":{content}}}\n", sha256(content.as_bytes()));
    std::fs::write(path, whole).unwrap();
}

#[test]
fn what_was_learned_comes_back_bit_for_bit() {
    let mut bench = Bench::new();
    let learned = read(&bench.learn())["content"].take();
    assert!(learned["memory"]["tables"]["q"].as_array().unwrap().iter().any(|q| *q != json!(0.0)));
    // Not enough for a step: nothing is learned.
    bench.trace = trace(3, 2);
    let again = bench.path("again");
    let request = RunRequest {
        memory_in: Some(bench.path("memory")),
        memory_out: Some(again.clone()),
        ..bench.request("rl", &[STEPS])
    };
    let document = run(&request).unwrap();
    let later = read(&again)["content"].take();
    assert_eq!(later["memory"].to_string(), learned["memory"].to_string());
    assert_eq!(later["runs"][0], learned["runs"][0]);
    let this = json!({
        "trace_sha256": document["trace"]["sha256"],
        "config_hash": document["provenance"]["config_hash"],
    });
    assert_eq!(later["runs"][1], this);
    let told = &document["provenance"];
    let hash = |path: &Path| sha256(&std::fs::read(path).unwrap());
    assert_eq!(told["memory_in"]["sha256"], hash(&bench.path("memory")));
    assert_eq!(told["memory_in"]["runs"], learned["runs"]);
    assert_eq!(told["memory_out"], json!({ "file": again.to_str().unwrap(), "sha256": hash(&again) }));
}

#[test]
fn equal_runs_learn_equal_files() {
    let bench = Bench::new();
    let first = std::fs::read(bench.learn()).unwrap();
    assert_eq!(std::fs::read(bench.learn()).unwrap(), first);
}

#[test]
fn what_was_learned_decides_on_another_trace() {
    let mut bench = Bench::new();
    bench.learn();
    bench.trace = trace(1500, 9);
    let anew = run(&bench.request("rl", &[STEPS])).unwrap();
    let with = bench.with_memory("rl", &[STEPS]).unwrap();
    assert!(anew["provenance"].get("memory_in").is_none());
    assert_ne!(anew["scheme"]["histograms"], with["scheme"]["histograms"]);
}

#[test]
fn what_may_differ_is_accepted() {
    let bench = Bench::new();
    bench.learn();
    for set in [
        "run.seed=7",
        "precondition.fill=0.5",
        "device.name=other",
        "trace.address=wrap",
        "alpha=0.3",
        "gamma=0.5",
        "epsilon=0.0",
        "initial_slc_blocks=4",
        "step_bytes=131072",
    ] {
        let sets: &[&str] = if set.starts_with("step") { &[set] } else { &[STEPS, set] };
        bench.with_memory("rl", sets).unwrap_or_else(|error| panic!("{set}: {error}"));
    }
}

#[test]
fn another_device_is_refused_by_the_keys_that_differ() {
    let bench = Bench::new();
    bench.learn();
    let text = bench.refusal("rl", &[STEPS, "device.pool[0].slc.erase_ns=5", "device.user_bytes=2MiB"], 1);
    assert!(text.contains("device.pool[0].slc.erase_ns (memory 2000000, run 5)"), "{text}");
    assert!(text.contains("device.user_bytes (memory "), "{text}");
}

#[test]
fn other_states_and_actions_are_refused_by_what_differs() {
    let bench = Bench::new();
    bench.learn();
    let text = bench.refusal("rl", &[STEPS, "slc_share_bins=8"], 1);
    assert!(text.contains("memory.shape.slc_share_bins (memory 9.0, run 8.0)"), "{text}");
    assert!(text.contains("memory.values.q (memory 11664, run 10368)"), "{text}");
    let text = bench.refusal("rl", &[STEPS, "slc_step_blocks=2"], 1);
    assert!(text.contains("memory.shape.slc_step_share"), "{text}");
}

#[test]
fn a_scheme_that_learns_nothing_is_refused() {
    let bench = Bench::new();
    bench.learn();
    let text = bench.refusal("tlc-only", &[], 3);
    assert_eq!(text, "scheme tlc-only has no memory; schemes with one: rl");
    let text = bench.refusal("rl", &["agent=none"], 3);
    assert_eq!(text, "scheme rl has no memory with these settings; schemes with one: rl");
    let to = bench.path("none");
    let request = RunRequest { memory_out: Some(to.clone()), ..bench.request("baseline", &[]) };
    assert_eq!(run(&request).unwrap_err().exit_code(), 3);
    assert!(!to.exists());
}

#[test]
fn damage_is_told() {
    let bench = Bench::new();
    let path = bench.learn();
    let whole = std::fs::read(&path).unwrap();
    let with = |bytes: &[u8]| {
        std::fs::write(&path, bytes).unwrap();
        bench.refusal("rl", &[STEPS], 1)
    };
    assert!(with(&whole[..whole.len() - 10]).contains("truncated or damaged"));
    assert!(with(&whole[..40]).contains("truncated or damaged"));
    let text = String::from_utf8(whole.clone()).unwrap();
    let other = text.replacen("\"visits\":[", "\"visits\":[7.0,", 1);
    assert!(with(other.as_bytes()).contains("the checksum does not match"));
    assert!(with(&[&whole[..], b"{}"].concat()).contains("truncated or damaged"));
    let newer = text.replacen("\"format_version\":1", "\"format_version\":2", 1);
    assert!(with(newer.as_bytes()).contains("format version 2, and this program reads version 1"));
    for other in [&b""[..], b"{", b"{\"format\":\"other\"}", &whole[1..], b"\x00\xff"] {
        assert!(with(other).ends_with("not a memory of slcache"), "{other:?}");
    }
    std::fs::remove_file(&path).unwrap();
    assert!(bench.refusal("rl", &[STEPS], 1).contains("No such file"));
}

#[test]
fn content_that_no_run_leaves_is_refused_behind_a_right_checksum() {
    let bench = Bench::new();
    let path = bench.learn();
    let whole = std::fs::read(&path).unwrap();
    let refused = |edit: &dyn Fn(&mut Value), part: &str| {
        std::fs::write(&path, &whole).unwrap();
        change(&path, edit);
        let text = bench.refusal("rl", &[STEPS], 1);
        assert!(text.contains(part), "{part} is not in {text}");
    };
    refused(&|c| c["memory"]["scheme"] = "other".into(), "learned by other, and the run's scheme is rl");
    refused(&|c| c["memory"]["version"] = 9.into(), "version 9 of the memory of rl, and this program reads");
    refused(&|c| c["memory"]["tables"]["q"][3] = Value::Null, "(memory.tables.q[3]: invalid type");
    refused(&|c| c["memory"]["tables"]["q"][3] = (-1e300).into(), "in the Q-table");
    refused(&|c| c["memory"]["tables"]["q"][3] = "1".into(), "(memory.tables.q[3]: invalid type");
    refused(
        &|c| drop(c["memory"]["tables"]["q"].as_array_mut().unwrap().pop()),
        "memory.values.q (memory 11663",
    );
    refused(
        &|c| drop(c["memory"]["tables"].as_object_mut().unwrap().remove("q")),
        "memory.values.q (memory none",
    );
    refused(&|c| c["memory"]["tables"]["more"] = json!([0.0]), "memory.values.more (memory 1, run none)");
    refused(&|c| c["memory"]["tables"]["visits"][0] = (-1.0).into(), "visits");
    refused(&|c| c["memory"]["tables"]["visits"][0] = 0.5.into(), "visits");
    refused(&|c| c["memory"]["shape"]["actions"] = 8.0.into(), "memory.shape.actions (memory 8.0, run 9.0)");
    refused(&|c| c["more"] = 1.into(), "unknown field");
    refused(&|c| drop(c.as_object_mut().unwrap().remove("runs")), "runs");
    // JSON has no infinity, and none comes of a number that is too large.
    std::fs::write(&path, &whole).unwrap();
    let content = read(&path)["content"].to_string().replacen("\"q\":[", "\"q\":[1e999,", 1);
    write_content(&path, &content);
    assert!(bench.refusal("rl", &[STEPS], 1).contains("truncated or damaged"));
}

#[test]
fn no_memory_takes_the_place_of_another_file_of_the_run() {
    let bench = Bench::new();
    let memory = bench.learn();
    let before = std::fs::read(&memory).unwrap();
    let trace = bench.trace.path().to_path_buf();
    let state = Some(bench.path("state"));
    let request = || bench.request("rl", &[STEPS]);
    for (what, request) in [
        (
            "memory",
            RunRequest { memory_in: Some(memory.clone()), memory_out: Some(memory.clone()), ..request() },
        ),
        ("trace", RunRequest { memory_out: Some(trace.clone()), ..request() }),
        ("state", RunRequest { snapshot_out: state.clone(), memory_out: state.clone(), ..request() }),
        (
            "state",
            RunRequest { snapshot_out: Some(memory.clone()), memory_in: Some(memory.clone()), ..request() },
        ),
    ] {
        let error = run(&request).unwrap_err();
        assert_eq!(error.exit_code(), 3, "{what}: {error}");
    }
    assert_eq!(std::fs::read(&memory).unwrap(), before);
    assert!(!bench.path("state").exists());
    let missing = RunRequest { memory_out: Some(bench.path("no").join("memory")), ..request() };
    assert_eq!(run(&missing).unwrap_err().exit_code(), 1);
}

#[test]
fn a_run_without_an_end_leaves_the_memory_before() {
    let mut bench = Bench::new();
    let memory = bench.learn();
    let before = std::fs::read(&memory).unwrap();
    let again = |bench: &Bench| RunRequest {
        memory_out: Some(memory.clone()),
        ..bench.request("rl", &[STEPS, "run.seed=2"])
    };
    let cancelled = execute(&again(&bench), &mut |phase, _, _| phase != "drain");
    assert_eq!(cancelled.unwrap_err().exit_code(), 130);
    assert_eq!(std::fs::read(&memory).unwrap(), before);
    let text = std::fs::read_to_string(bench.trace.path()).unwrap();
    bench.trace = file(&format!("{text}nonsense\n"), ".trace");
    assert_eq!(run(&again(&bench)).unwrap_err().exit_code(), 4);
    assert_eq!(std::fs::read(&memory).unwrap(), before);
    let files = std::fs::read_dir(bench.folder.path()).unwrap().count();
    assert_eq!(files, 1, "no temporary file is left");
}

#[test]
fn a_saved_state_is_the_devices_alone() {
    let bench = Bench::new();
    let memory = Some(bench.learn());
    let request = |state: &str| RunRequest {
        snapshot_out: Some(bench.path(state)),
        ..bench.request("rl", &[STEPS, "precondition.fill=0.5"])
    };
    run(&request("plain")).unwrap();
    let with = run(&RunRequest { memory_in: memory.clone(), ..request("with") }).unwrap();
    let bytes = |name: &str| std::fs::read(bench.path(name)).unwrap();
    assert_eq!(bytes("plain"), bytes("with"));
    // Both files again give that run again.
    let request = bench.request("rl", &[STEPS]);
    let again =
        run(&RunRequest { snapshot_in: Some(bench.path("plain")), memory_in: memory, ..request }).unwrap();
    for section in ["host", "flash", "waf", "scheme"] {
        assert_eq!(again[section], with[section], "{section}");
    }
}
