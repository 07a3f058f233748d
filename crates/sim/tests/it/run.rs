//! Whole runs: policies, counts, determinism, cancelling.

use crate::common::{file, layers, ON_DISK};
use serde_json::Value;
use slcache_sim::{execute, trace_options, RunRequest, SimError};

/// A trace in MQSim's format: time, device, sector, sectors, 0 = write / 1 = read.
fn trace() -> String {
    let mut text = String::new();
    for i in 0..2000u64 {
        let page = i * 7919 % 500;
        text.push_str(&format!("{} 0 {} 8 {}\n", i * 300_000, page * 8, u64::from(i % 3 == 0)));
    }
    text
}

fn request(trace: &str, scheme: &str, sets: &[&str]) -> RunRequest {
    RunRequest {
        trace: trace.into(),
        trace_options: trace_options([("format", "mqsim")]).unwrap(),
        layers: layers("tiny", scheme, sets),
        ..RunRequest::default()
    }
}

fn run_text(text: &str, sets: &[&str]) -> Result<Value, SimError> {
    let file = file(text, ".trace");
    execute(&request(file.path().to_str().unwrap(), "baseline", sets), &mut |_, _, _| true)
}

#[test]
fn a_document_has_every_section() {
    let document = run_text(&trace(), &[]).unwrap();
    let sections = [
        "cache",
        "config",
        "flash",
        "host",
        "provenance",
        "scheme",
        "figures",
        "schema_version",
        "series",
        "sim",
        "state",
        "trace",
        "waf",
        "wear",
    ];
    let mut keys: Vec<&str> = document.as_object().unwrap().keys().map(String::as_str).collect();
    keys.sort_unstable();
    let mut sections = sections.to_vec();
    sections.sort_unstable();
    assert_eq!(keys, sections);
    assert_eq!(document["trace"]["requests"], 2000);
    assert_eq!(document["trace"]["reads"], 667);
    assert_eq!(document["trace"]["footprint_bytes"], 500 * 4096);
    assert_eq!(document["host"]["requests"], 2000);
    assert_eq!(document["host"]["unmapped_reads"], 0);
    assert_eq!(document["trace"]["sha256"].as_str().unwrap().len(), 64);
    assert_eq!(document["provenance"]["config_hash"].as_str().unwrap().len(), 64);
    assert!(document["sim"]["peak_rss_bytes"].as_u64().unwrap() > 1 << 20);
}

#[test]
fn runs_are_deterministic() {
    let text = trace();
    let stable = |mut document: Value| {
        let map = document.as_object_mut().unwrap();
        map.remove("sim");
        map.remove("provenance");
        map["trace"].as_object_mut().unwrap().remove("path");
        document.to_string()
    };
    let sets = ["precondition.fill=0.8", "precondition.overwrite=1"];
    let first = stable(run_text(&text, &sets).unwrap());
    assert_eq!(first, stable(run_text(&text, &sets).unwrap()));
    let other = stable(
        run_text(&text, &["precondition.fill=0.8", "precondition.overwrite=1", "run.seed=2"]).unwrap(),
    );
    assert_ne!(first, other);
}

#[test]
fn prefill_is_a_choice() {
    let text = "0 0 0 8 1\n1000 0 800 8 1\n";
    assert_eq!(run_text(text, &[]).unwrap()["host"]["unmapped_reads"], 0);
    let none = run_text(text, &["trace.prefill=none"]).unwrap();
    assert_eq!(none["host"]["unmapped_reads"], 2);
    assert_eq!(none["trace"]["footprint_bytes"], 8192);
}

const FOUR_UNITS: [&str; 2] = ["device.pool[0].page_bytes=16384", "device.user_bytes=13312KiB"];

/// What a run did on a device with pages of four units, without what tells one run from another.
fn outcome(text: &str, scheme: &str, sets: &[&str]) -> [Value; 4] {
    let file = file(text, ".trace");
    let sets: Vec<&str> = FOUR_UNITS.iter().chain(sets).copied().collect();
    let request = request(file.path().to_str().unwrap(), scheme, &sets);
    let document = execute(&request, &mut |_, _, _| true).unwrap();
    ["host", "flash", "waf", "scheme"].map(|key| document[key].clone())
}

#[test]
fn prefill_by_units_holds_what_the_trace_touches_were_it_only_a_part_of_a_unit() {
    // A sector of unit 1, and the last sector of unit 5 with the first of unit 6.
    let text = "0 0 9 1 1\n1000000 0 47 2 1\n";
    let reads = |prefill: &str| {
        let [host, flash, ..] = outcome(text, "sa", &[&format!("trace.prefill={prefill}")]);
        (host["unmapped_reads"].as_u64().unwrap(), flash["ops"].as_array().unwrap().clone())
    };
    let (unmapped, ops) = reads("touched-units");
    assert_eq!((unmapped, ops.len()), (0, 1));
    assert_eq!((unmapped, ops), reads("touched"));
    assert_eq!(reads("none"), (2, Vec::new()));
}

#[test]
fn prefill_by_units_gives_sa_short_pages_to_pack() {
    // Updates of the first of two touched units of each page: what two pages hold fills one.
    let reads: String = (0..64).map(|page| format!("{page}000000 0 {} 16 1\n", page * 32)).collect();
    let write = |page: u64| format!("{} 0 {} 8 0\n", 1_000_000_000 + page * 1000, page * 32);
    let text = reads + &(0..64).map(write).collect::<String>();
    let figures = |prefill: &str| {
        let [.., scheme] = outcome(&text, "sa", &[&format!("trace.prefill={prefill}")]);
        ["merged_pages", "merged_units"].map(|name| scheme["figures"][name].as_f64().unwrap())
    };
    assert_eq!(figures("touched-units"), [32.0, 64.0]);
    assert_eq!(figures("touched"), [0.0, 0.0]);
}

#[test]
fn units_keep_their_places_in_pages_that_are_numbered_anew() {
    // (page, unit, units): the third reaches into the page behind its own.
    let touched = [(0, 1, 2), (1, 0, 1), (1, 3, 3), (2, 2, 1), (2, 2, 2)];
    let text = |pages: [u64; 3]| -> String {
        let request = |(i, (page, unit, units)): (usize, (usize, u64, u64))| {
            let sector = pages[page] * 32 + unit * 8;
            format!("{} 0 {sector} {} {}\n", i * 500_000, units * 8, i % 2)
        };
        touched.into_iter().enumerate().map(request).collect()
    };
    let sets = ["trace.prefill=touched-units", "trace.address=compact"];
    let far = outcome(&text([7, 1 << 30, 1 << 40]), "hierarchy", &sets);
    assert_eq!(far, outcome(&text([0, 1, 3]), "hierarchy", &sets[..1]));
    assert_eq!(far[0]["unmapped_reads"], 0);
}

#[test]
fn beyond_the_capacity_is_an_error_by_default() {
    let text = "0 0 0 8 0\n1000 0 80000 8 0\n";
    for prefill in ["trace.prefill=touched", "trace.prefill=touched-units", "trace.prefill=none"] {
        let error = run_text(text, &[prefill]).unwrap_err();
        assert_eq!(error.exit_code(), 4);
        let message = error.to_string();
        assert!(message.contains("request 2 of the trace"), "{message}");
        assert!(message.contains("\"wrap\", \"compact\" or \"clip\""), "{message}");
    }
}

#[test]
fn address_policies_are_counted() {
    let text = "0 0 0 8 0\n1000 0 80000 8 0\n2000 0 6652 8 1\n";
    let adjusted = |policy: &str| {
        let document = run_text(text, &[&format!("trace.address={policy}")]).unwrap();
        (document["trace"]["adjusted"].clone(), document["host"]["requests"].as_u64().unwrap())
    };
    let (wrap, requests) = adjusted("wrap");
    assert_eq!((&wrap["address_wrapped"], requests), (&2.into(), 3));
    let (clip, requests) = adjusted("clip");
    assert_eq!((&clip["address_clipped"], &clip["address_dropped"], requests), (&1.into(), &1.into(), 2));
    let (compact, requests) = adjusted("compact");
    assert_eq!((&compact["address_compacted"], requests), (&2.into(), 3));
}

#[test]
fn errors_of_every_kind_have_their_exit_code() {
    let missing = execute(&request("/nonexistent.trace", "baseline", &[]), &mut |_, _, _| true);
    assert_eq!(missing.unwrap_err().exit_code(), 4);
    assert_eq!(run_text("", &[]).unwrap_err().exit_code(), 4);
    assert_eq!(run_text("0 0 0 8 7\n", &[]).unwrap_err().exit_code(), 4);
    assert_eq!(run_text(&trace(), &["slc_blocks=99"]).unwrap_err().exit_code(), 3);
}

#[test]
fn every_phase_can_be_cancelled() {
    let text = trace();
    let file = file(&text, ".trace");
    let request = request(file.path().to_str().unwrap(), "baseline", &["precondition.fill=0.5"]);
    let mut phases = Vec::new();
    execute(&request, &mut |phase, _, _| {
        phases.push(phase.to_owned());
        true
    })
    .unwrap();
    phases.dedup();
    assert_eq!(phases, ["scan", "precondition", "preload", "replay", "drain"]);
    for cancelled in phases {
        let result = execute(&request, &mut |phase, _, _| phase != cancelled);
        assert!(matches!(result, Err(SimError::Cancelled)), "{cancelled}");
    }
}

#[test]
fn a_trace_is_read_once_where_a_disk_holds_everything_before() {
    let file = file(&trace(), ".trace");
    let scans = |policy: &str| {
        let sets: Vec<&str> = ON_DISK.into_iter().chain(["trace.prefill=touched", policy]).collect();
        let mut phases = Vec::new();
        execute(&request(file.path().to_str().unwrap(), "nvc", &sets), &mut |phase, _, _| {
            phases.push(phase.to_owned());
            true
        })
        .unwrap();
        phases.iter().any(|phase| phase == "scan")
    };
    assert!(!scans("trace.address=error"));
    assert!(scans("trace.address=compact"));
}

#[test]
fn progress_tells_how_far_the_device_is_behind() {
    // All at once in open replay, and again with a fixed number outstanding.
    let text: String = (0..20_000).map(|i| format!("0 0 {} 8 0\n", i % 500 * 8)).collect();
    let file = file(&text, ".trace");
    let told = |sets: &[&str]| {
        let mut phases = Vec::new();
        execute(&request(file.path().to_str().unwrap(), "baseline", sets), &mut |phase, _, _| {
            phases.push(phase.to_owned());
            true
        })
        .unwrap();
        phases.iter().any(|phase| phase.starts_with("replay (") && phase.ends_with(" requests behind)"))
    };
    assert!(told(&[]));
    assert!(!told(&["host.replay=closed", "host.queue_depth=4"]));
}

#[test]
fn what_is_offered_is_told_beside_what_is_served() {
    // A write each microsecond, which takes the flash much longer.
    let text: String = (1..=100).map(|i| format!("{} 0 {} 8 0\n", i * 1000, i * 8)).collect();
    let open = run_text(&text, &[]).unwrap();
    assert_eq!(open["trace"]["offered_iops"], 1e6);
    assert!(open["host"]["iops"].as_f64().unwrap() < 1e5);
    let closed = run_text(&text, &["host.replay=closed", "host.queue_depth=4"]).unwrap();
    assert!(closed["trace"]["offered_iops"].is_null());
}
