//! Memories between runs: what was learned comes back bit for bit, and what does not fit is refused.

use crate::common::*;
use sha2::{Digest, Sha256};
use std::fmt::Write;

/// `rl` on `tiny` with steps of 64 KiB.
const STEPS: &str = "step_bytes=65536";

/// Writes of 4 to 12 KiB, by a small generator.
fn trace(writes: u64, seed: u64) -> String {
    let mut text = String::new();
    let mut state = seed;
    for i in 0..writes {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let (place, units) = ((state >> 33) % 300, 1 + (state >> 20) % 3);
        writeln!(text, "{} 0 {} {} 0", i * 500_000, place * 8, units * 8).unwrap();
    }
    text
}

fn bench() -> Bench {
    Bench::new(&trace(1500, 1))
}

/// A memory learned from the trace of `bench`.
fn learn(bench: &Bench) -> PathBuf {
    let path = bench.path("memory");
    run(&RunRequest { memory_out: Some(path.clone()), ..bench.request("rl", &[STEPS]) }).unwrap();
    path
}

/// A run that begins with the memory.
fn taught(bench: &Bench, scheme: &str, sets: &[&str]) -> RunRequest {
    RunRequest { memory_in: Some(bench.path("memory")), ..bench.request(scheme, sets) }
}

fn read(path: &Path) -> Value {
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}

fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().fold(String::new(), |text, byte| text + &format!("{byte:02x}"))
}

/// A memory with other content, behind a right checksum.
fn write_content(path: &Path, content: &str) {
    let head = r#"{"format":"slcache memory","format_version":1,"sha256":""#;
    let whole = format!("{head}{}\",\"content\":{content}}}\n", sha256(content.as_bytes()));
    std::fs::write(path, whole).unwrap();
}

#[test]
fn what_was_learned_comes_back_bit_for_bit() {
    let mut bench = bench();
    let learned = read(&learn(&bench))["content"].take();
    assert!(learned["memory"]["tables"]["q"].as_array().unwrap().iter().any(|q| *q != json!(0.0)));
    // Not enough for a step: nothing is learned.
    bench.trace = file(&trace(3, 2), ".trace");
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
fn what_was_learned_decides_on_another_trace() {
    let mut bench = bench();
    let first = std::fs::read(learn(&bench)).unwrap();
    assert_eq!(std::fs::read(learn(&bench)).unwrap(), first, "equal runs learn equal files");
    bench.trace = file(&trace(1500, 9), ".trace");
    let anew = run(&bench.request("rl", &[STEPS])).unwrap();
    let with = run(&taught(&bench, "rl", &[STEPS])).unwrap();
    assert!(anew["provenance"].get("memory_in").is_none());
    assert_ne!(anew["scheme"]["histograms"], with["scheme"]["histograms"]);
}

#[test]
fn what_may_differ_is_accepted_and_the_rest_refused_by_the_keys_that_differ() {
    let bench = bench();
    learn(&bench);
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
        run(&taught(&bench, "rl", sets)).unwrap_or_else(|error| panic!("{set}: {error}"));
    }
    for (set, told) in [
        ("device.pool[0].slc.erase_ns=5", &["device.pool[0].slc.erase_ns (memory 2000000, run 5)"][..]),
        ("device.user_bytes=2MiB", &["device.user_bytes (memory "]),
        (
            "slc_share_bins=8",
            &[
                "memory.shape.slc_share_bins (memory 9.0, run 8.0)",
                "memory.values.q (memory 11664, run 10368)",
            ],
        ),
        ("slc_step_blocks=2", &["memory.shape.slc_step_share"]),
    ] {
        let text = refusal(&taught(&bench, "rl", &[STEPS, set]), 1);
        assert!(told.iter().all(|part| text.contains(part)), "{told:?} are not in {text}");
    }
    for (scheme, sets, told) in [
        ("tlc-only", &[][..], "scheme tlc-only has no memory; schemes with one: rl"),
        ("rl", &["agent=none"], "scheme rl has no memory with these settings; schemes with one: rl"),
    ] {
        assert_eq!(refusal(&taught(&bench, scheme, sets), 3), told);
    }
    let to = bench.path("none");
    let request = RunRequest { memory_out: Some(to.clone()), ..bench.request("baseline", &[]) };
    assert_eq!(run(&request).unwrap_err().exit_code(), 3);
    assert!(!to.exists());
}

#[test]
fn damage_is_told() {
    let bench = bench();
    let path = learn(&bench);
    let whole = std::fs::read(&path).unwrap();
    let text = String::from_utf8(whole.clone()).unwrap();
    let other = text.replacen("\"visits\":[", "\"visits\":[7.0,", 1);
    let newer = text.replacen("\"format_version\":1", "\"format_version\":2", 1);
    let behind = [&whole[..], b"{}"].concat();
    for (bytes, told) in [
        (&whole[..whole.len() - 10], "truncated or damaged"),
        (&whole[..40], "truncated or damaged"),
        (other.as_bytes(), "the checksum does not match"),
        (&behind, "truncated or damaged"),
        (newer.as_bytes(), "format version 2, and this program reads version 1"),
        (b"", "not a memory of slcache"),
        (b"{", "not a memory of slcache"),
        (b"{\"format\":\"other\"}", "not a memory of slcache"),
        (&whole[1..], "not a memory of slcache"),
        (b"\x00\xff", "not a memory of slcache"),
    ] {
        std::fs::write(&path, bytes).unwrap();
        let text = refusal(&taught(&bench, "rl", &[STEPS]), 1);
        assert!(text.contains(told), "{told}: {text}");
    }
    std::fs::remove_file(&path).unwrap();
    assert!(refusal(&taught(&bench, "rl", &[STEPS]), 1).contains("No such file"));
}

#[test]
fn content_that_no_run_leaves_is_refused_behind_a_right_checksum() {
    let bench = bench();
    let path = learn(&bench);
    let whole = std::fs::read(&path).unwrap();
    type Edit = fn(&mut Value);
    let edits: [(Edit, &str); 13] = [
        (|c| c["memory"]["scheme"] = "other".into(), "learned by other, and the run's scheme is rl"),
        (|c| c["memory"]["version"] = 9.into(), "version 9 of the memory of rl, and this program reads"),
        (|c| c["memory"]["tables"]["q"][3] = Value::Null, "(memory.tables.q[3]: invalid type"),
        (|c| c["memory"]["tables"]["q"][3] = (-1e300).into(), "in the Q-table"),
        (|c| c["memory"]["tables"]["q"][3] = "1".into(), "(memory.tables.q[3]: invalid type"),
        (|c| drop(c["memory"]["tables"]["q"].as_array_mut().unwrap().pop()), "memory.values.q (memory 11663"),
        (
            |c| drop(c["memory"]["tables"].as_object_mut().unwrap().remove("q")),
            "memory.values.q (memory none",
        ),
        (|c| c["memory"]["tables"]["more"] = json!([0.0]), "memory.values.more (memory 1, run none)"),
        (|c| c["memory"]["tables"]["visits"][0] = (-1.0).into(), "visits"),
        (|c| c["memory"]["tables"]["visits"][0] = 0.5.into(), "visits"),
        (|c| c["memory"]["shape"]["actions"] = 8.0.into(), "memory.shape.actions (memory 8.0, run 9.0)"),
        (|c| c["more"] = 1.into(), "unknown field"),
        (|c| drop(c.as_object_mut().unwrap().remove("runs")), "runs"),
    ];
    for (edit, part) in edits {
        std::fs::write(&path, &whole).unwrap();
        let mut content = read(&path)["content"].take();
        edit(&mut content);
        write_content(&path, &content.to_string());
        let text = refusal(&taught(&bench, "rl", &[STEPS]), 1);
        assert!(text.contains(part), "{part} is not in {text}");
    }
    // JSON has no infinity, and none comes of a number that is too large.
    std::fs::write(&path, &whole).unwrap();
    let content = read(&path)["content"].to_string().replacen("\"q\":[", "\"q\":[1e999,", 1);
    write_content(&path, &content);
    assert!(refusal(&taught(&bench, "rl", &[STEPS]), 1).contains("truncated or damaged"));
}

#[test]
fn a_run_without_an_end_leaves_the_memory_before() {
    let mut bench = bench();
    let memory = learn(&bench);
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
    let bench = bench();
    let memory = Some(learn(&bench));
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
