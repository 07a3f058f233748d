//! Whole runs: addresses, cancelling, progress.

use crate::common::*;

/// A trace in MQSim's format: time, device, sector, sectors, 0 = write / 1 = read.
fn trace() -> String {
    let mut text = String::new();
    for i in 0..2000u64 {
        let page = i * 7919 % 500;
        text.push_str(&format!("{} 0 {} 8 {}\n", i * 300_000, page * 8, u64::from(i % 3 == 0)));
    }
    text
}

fn run_text(text: &str, sets: &[&str]) -> Result<Value, SimError> {
    run(&Bench::new(text).request("baseline", sets))
}

const FOUR_UNITS: [&str; 2] = ["device.pool[0].page_bytes=16384", "device.user_bytes=13312KiB"];

/// What a run did on a device with pages of four units, without what tells one run from another.
fn outcome(text: &str, scheme: &str, sets: &[&str]) -> [Value; 4] {
    let sets: Vec<&str> = FOUR_UNITS.iter().chain(sets).copied().collect();
    let document = run(&Bench::new(text).request(scheme, &sets)).unwrap();
    ["host", "flash", "waf", "scheme"].map(|key| document[key].clone())
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
        assert!(error.to_string().contains("request 2 of the trace"), "{error}");
    }
}

/// The phases that a run tells of.
fn phases(request: &RunRequest) -> Vec<String> {
    let mut phases = Vec::new();
    execute(request, &mut |phase, _, _| {
        phases.push(phase.to_owned());
        true
    })
    .unwrap();
    phases.dedup();
    phases
}

#[test]
fn every_phase_can_be_cancelled() {
    let bench = Bench::new(&trace());
    let request = bench.request("baseline", &["precondition.fill=0.5"]);
    let phases = phases(&request);
    assert_eq!(phases, ["scan", "precondition", "preload", "replay", "drain"]);
    for cancelled in phases {
        let result = execute(&request, &mut |phase, _, _| phase != cancelled);
        assert!(matches!(result, Err(SimError::Cancelled)), "{cancelled}");
    }
}

#[test]
fn a_trace_is_read_once_where_a_disk_holds_everything_before() {
    let bench = Bench::new(&trace());
    for (policy, scans) in [("trace.address=error", false), ("trace.address=compact", true)] {
        let sets: Vec<&str> = ON_DISK.into_iter().chain(["trace.prefill=touched", policy]).collect();
        let phases = phases(&bench.request("nvc", &sets));
        assert_eq!(phases.iter().any(|phase| phase == "scan"), scans, "{policy}");
    }
}

#[test]
fn progress_tells_how_far_the_device_is_behind() {
    // All at once in open replay, and again with a fixed number outstanding.
    let text: String = (0..20_000).map(|i| format!("0 0 {} 8 0\n", i % 500 * 8)).collect();
    let bench = Bench::new(&text);
    for (sets, told) in [(&[][..], true), (&["host.replay=closed", "host.queue_depth=4"], false)] {
        let phases = phases(&bench.request("baseline", sets));
        let behind = |phase: &String| phase.starts_with("replay (") && phase.ends_with(" requests behind)");
        assert_eq!(phases.iter().any(behind), told, "{phases:?}");
    }
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
