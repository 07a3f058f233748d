//! Snapshots: the same result as without one, and refusal of whatever does not fit.

use crate::common::*;

const AGED: [&str; 2] = ["precondition.fill=0.9", "precondition.overwrite=2"];

fn bench() -> Bench {
    let lines = (0..1500u64).map(|i| format!("{} 0 {} 8 0\n", i * 500_000, i * 613 % 700 * 8));
    Bench::new(&lines.collect::<String>())
}

/// The result of a run that saves an aged device.
fn save(bench: &Bench) -> Value {
    let snapshot_out = Some(bench.path("state"));
    run(&RunRequest { snapshot_out, ..bench.request("baseline", &AGED) }).unwrap()
}

/// A run on the saved device.
fn resumed(bench: &Bench, scheme: &str, sets: &[&str]) -> RunRequest {
    RunRequest { snapshot_in: Some(bench.path("state")), ..bench.request(scheme, sets) }
}

#[test]
fn another_configuration_is_told_by_the_keys_that_differ() {
    let bench = bench();
    save(&bench);
    for (sets, told) in [
        (
            &["dense.victim=fifo"][..],
            &["scheme.baseline.dense.victim (snapshot \"greedy\", run \"fifo\")"][..],
        ),
        (&["buffer.bytes=65536"], &["buffer (snapshot none, run given)"]),
        (
            &["precondition.fill=0.5"],
            &["precondition.fill (snapshot 0.9, run 0.5)", "precondition.overwrite (snapshot 2.0, run 0.0)"],
        ),
        (
            &["slc_blocks=4", "device.user_bytes=3MiB", "run.seed=7", "device.pool[0].slc.erase_ns=5"],
            &[
                "scheme.baseline.slc_blocks (snapshot 3, run 4)",
                "run.seed (snapshot 1, run 7)",
                "device.pool[0].slc.erase_ns (snapshot 2000000, run 5)",
            ],
        ),
    ] {
        let text = refusal(&resumed(&bench, "baseline", sets), 1);
        let (_, keys) = text.split_once("different: ").unwrap();
        assert!(told.iter().all(|key| keys.contains(key)), "{told:?} are not in {text}");
        assert!(told.len() > 1 || keys == told[0], "more than {told:?} in {text}");
    }
    let text = refusal(&resumed(&bench, "tlc-only", &[]), 1);
    assert!(text.ends_with("different: scheme (snapshot baseline, run tlc-only)"), "{text}");
    // What is no part of a state may differ.
    assert!(run(&resumed(&bench, "baseline", &["trace.address=wrap", "host.time_scale=2.0"])).is_ok());
}

#[test]
fn a_restored_device_gives_the_same_result() {
    let bench = bench();
    let saved = save(&bench);
    let loaded = run(&resumed(&bench, "baseline", &[])).unwrap();
    for section in ["config", "flash", "host", "scheme", "series", "trace", "waf", "wear"] {
        assert_eq!(saved[section], loaded[section], "{section}");
    }
    assert_eq!(loaded["config"]["precondition"]["overwrite"], 2.0);
    let files = std::fs::read_dir(bench.folder.path()).unwrap().count();
    assert_eq!(files, 1, "no temporary file is left");
}

#[test]
fn damage_is_told() {
    let bench = bench();
    save(&bench);
    let path = bench.path("state");
    let whole = std::fs::read(&path).unwrap();
    type Damage = fn(&mut Vec<u8>);
    let damages: [(Damage, &str); 5] = [
        (|bytes| bytes.truncate(bytes.len() - 10), "truncated or damaged"),
        (|bytes| bytes.truncate(14), "truncated or damaged (too short)"),
        (|bytes| bytes[1000] ^= 1, "the checksum does not match"),
        (|bytes| bytes[8] = 99, "format version 99"),
        (|bytes| bytes[0] = b'X', "not a snapshot"),
    ];
    for (damage, told) in damages {
        let mut bytes = whole.clone();
        damage(&mut bytes);
        std::fs::write(&path, bytes).unwrap();
        assert!(refusal(&resumed(&bench, "baseline", &[]), 1).contains(told), "{told}");
    }
    std::fs::remove_file(&path).unwrap();
    assert!(refusal(&resumed(&bench, "baseline", &[]), 1).contains("No such file"));
}

#[test]
fn a_snapshot_that_cannot_be_written_is_an_error() {
    let bench = bench();
    let mut request = bench.request("baseline", &AGED);
    request.snapshot_out = Some(bench.folder.path().join("missing").join("x"));
    let error = execute(&request, &mut |_, _, _| true).unwrap_err();
    assert!(matches!(error, SimError::Snapshot(_)), "{error}");
}
