//! A workload in the place of a trace file.

use crate::it::common::*;
use crate::it::workload_presets::{load, overrides};
use crate::spawn;
use slcache_traces::fingerprint;

fn options(settings: &[(&str, &str)], seed: u64) -> TraceOptions {
    TraceOptions { seed: Some(seed), workload: overrides(settings), ..TraceOptions::default() }
}

#[test]
fn a_preset_reads_as_its_generator_makes_it() {
    let settings = [("requests", "5000")];
    let expected: Vec<_> = load("zipf-4k", &settings).generate(3).collect();
    let outcome = read_path("zipf-4k", &options(&settings, 3), 777);
    assert_eq!(outcome.requests, expected);
    assert_eq!(outcome.requests.len(), 5000);
    let sha256 = |seed| read_path("zipf-4k", &options(&settings, seed), 777).summary.sha256.unwrap();
    assert_eq!(outcome.summary.sha256.clone(), Some(sha256(3)));
    assert_ne!(sha256(3), sha256(4));
    assert_eq!(open("zipf-4k", &options(&settings, 3)).unwrap().format(), "workload");
}

#[test]
fn a_workload_without_end_ends_where_its_part_does() {
    let part = |skip, take, settings: &[_]| TraceOptions { skip, take, ..options(settings, 3) };
    for (skip, end) in [(None, "50"), (Some(0), "50"), (Some(20), "70")] {
        let endless = read_path("zipf-4k", &part(skip, Some(50), &[]), 7);
        let bounded = read_path("zipf-4k", &part(skip, Some(50), &[("requests", end)]), 7);
        assert!(endless.error.is_none() && endless.requests.len() == 50, "{:?}", endless.error);
        assert_eq!(endless.requests, bounded.requests);
    }
    let copies =
        TraceOptions { copies: Some(serde_json::from_str("2").unwrap()), ..part(Some(20), Some(50), &[]) };
    assert_eq!(read_path("zipf-4k", &copies, 7).requests.len(), 100);
    assert_eq!(open("zipf-4k", &part(Some(20), Some(50), &[])).unwrap().total(), Some(70));
    fingerprint("zipf-4k", &part(None, Some(50), &[]), &mut |_, _, _| true).unwrap();
    let error = read_path("zipf-4k", &part(Some(20), None, &[]), 7).error.unwrap().to_string();
    assert!(error.contains("has no end; bound it"), "{error}");
}

#[test]
fn what_is_made_tells_how_far_it_is() {
    for (workload, requests) in [("zipf-4k", "5000"), ("hierarchy-hm_0", "2000")] {
        let mut stream = spawn(workload, &options(&[("requests", requests)], 3), 64).unwrap();
        assert_eq!(stream.total(), requests.parse().ok());
        let made = stream.by_ref().map(|batch| batch.unwrap().len() as u64).sum();
        assert_eq!((Some(made), Some(stream.done())), (stream.total(), stream.total()));
    }
    // Time ends it after a number that nobody knows before.
    let by_time = spawn("zipf-4k", &options(&[("duration_ns", "1s")], 3), 64).unwrap();
    assert_eq!(by_time.total(), None);
}

#[test]
fn a_twin_is_called_a_twin_in_its_parquet_file_too() {
    let folder = tempfile::tempdir().unwrap();
    let output = folder.path().join("t.parquet").to_str().unwrap().to_owned();
    let made = options(&[("requests", "20000")], 1);
    let conversion = Conversion::of(vec!["hierarchy-hm_0".to_owned()], &made);
    let report = conversion.write(&output, &WriteOptions::default(), &mut |_, _, _| true);
    let label = report.unwrap().label.unwrap();
    assert!(label.starts_with("twin of hm_0"), "{label}");
    let outcome = read_path(&output, &TraceOptions::default(), 1000);
    assert_eq!(outcome.summary.label, Some(label));
    assert_eq!(read_entries(&output, &TraceOptions::default()), read_entries("hierarchy-hm_0", &made));
}

#[test]
fn what_makes_no_sense_is_refused() {
    let error = read_path("zipf-4k", &options(&[], 1), 10).error.unwrap().to_string();
    assert!(error.contains("has no end; bound it"), "{error}");
    let sorted = TraceOptions { unsorted: Unsorted::Keep, ..options(&[("requests", "10")], 1) };
    let error = read_path("zipf-4k", &sorted, 10).error.unwrap().to_string();
    assert!(
        error.contains("trace option unsorted: \"keep\"") && error.contains("with a recording"),
        "{error}"
    );
    for wrong in [options(&[], 5), TraceOptions { seed: None, ..options(&[("requests", "5")], 0) }] {
        let error = message(msr_lines(3).as_bytes(), &wrong);
        assert!(error.contains("only with a workload"), "{error}");
    }
}
