//! Transformations against what they say they do.

use crate::common::read_entries;
use serde_json::{json, Value};
use slcache_traces::transform::{Plan, TransformReport};
use slcache_traces::{HostOp, Request, TraceEntry, TraceOptions, TraceOrigin, TraceWriter, WriteOptions};
use std::collections::{BTreeMap, BTreeSet};
use tempfile::TempDir;

fn request(at_ns: u64, sector: u64, sectors: u32, stream: u16, op: HostOp) -> Request {
    Request { at_ns, sector, sectors, stream, op }
}

/// Reads, writes, trims and flushes on two streams, one every 10 ns.
fn requests(count: u64) -> Vec<Request> {
    (0..count)
        .map(|place| {
            let stream = (place % 2) as u16;
            match place % 10 {
                8 => request(place * 10, place % 50 * 1000, 4096, stream, HostOp::Trim),
                9 => request(place * 10, 0, 0, stream, HostOp::Flush),
                kind => {
                    let op = if kind < 3 { HostOp::Read } else { HostOp::Write };
                    request(place * 10, place * 7919 % 100_000, (place % 20 + 1) as u32, stream, op)
                }
            }
        })
        .collect()
}

fn save(folder: &TempDir, name: &str, requests: &[Request], names: &[&str]) -> String {
    let path = folder.path().join(name).to_str().unwrap().to_owned();
    let mut writer = TraceWriter::create(&path, &WriteOptions::default(), None).unwrap();
    let entries: Vec<TraceEntry> =
        requests.iter().map(|request| TraceEntry { request: *request, response_ns: None }).collect();
    writer.write(&entries, &[]).unwrap();
    let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
    writer.finish(&TraceOrigin::default(), &names).unwrap();
    path
}

fn read(path: &str) -> Vec<Request> {
    read_entries(path, &TraceOptions::default()).iter().map(|entry| entry.request).collect()
}

fn run(plan: Plan, folder: &TempDir) -> Result<(Vec<Request>, TransformReport), String> {
    let output = folder.path().join("out.parquet").to_str().unwrap().to_owned();
    let report = plan.write(&output, &WriteOptions::default(), &mut |_, _, _| true);
    let report = report.map_err(|error| error.to_string())?;
    Ok((read(&output), report))
}

fn one(
    requests: &[Request],
    kind: &str,
    parameters: Value,
) -> Result<(Vec<Request>, TransformReport), String> {
    let folder = tempfile::tempdir().unwrap();
    let input = save(&folder, "in.parquet", requests, &["a", "b"]);
    let plan = Plan::of(&input, &TraceOptions::default()).then(kind, parameters);
    run(plan.map_err(|error| error.to_string())?, &folder)
}

fn counts(report: &TransformReport) -> BTreeMap<&'static str, u64> {
    report.steps[0].counts.clone()
}

#[test]
fn every_kth_request() {
    let all = requests(1000);
    let (kept, report) = one(&all, "sample", json!({"every": 7})).unwrap();
    assert_eq!(kept, all.iter().step_by(7).copied().collect::<Vec<_>>());
    assert_eq!(counts(&report)["not sampled"], 1000 - kept.len() as u64);
}

#[test]
fn a_random_share_is_a_share_and_follows_the_seed() {
    let all = requests(40_000);
    let sample = |seed: u64| one(&all, "sample", json!({"share": 0.25, "seed": seed})).unwrap().0;
    let kept = sample(1);
    // Five standard deviations of a binomial count.
    assert!(kept.len().abs_diff(10_000) < 434, "{}", kept.len());
    assert_eq!(kept, sample(1));
    assert_ne!(kept, sample(2));
    assert_eq!(one(&all, "sample", json!({"share": 1})).unwrap().0, all);
}

#[test]
fn spatial_sampling_keeps_all_or_none_of_a_unit() {
    let all = requests(40_000);
    let parameters = json!({"share": 0.3, "by": "address", "unit_bytes": 65_536, "seed": 9});
    let (kept, _) = one(&all, "sample", parameters).unwrap();
    let unit = |request: &Request| (request.stream, request.sector / 128);
    let chosen: BTreeSet<_> = kept.iter().filter(|r| r.op != HostOp::Flush).map(unit).collect();
    let expected: Vec<Request> =
        all.iter().filter(|r| r.op == HostOp::Flush || chosen.contains(&unit(r))).copied().collect();
    assert_eq!(kept, expected);
    let units: BTreeSet<_> = all.iter().map(unit).collect();
    let share = chosen.len() as f64 / units.len() as f64;
    assert!((0.2..0.4).contains(&share), "{share}");
}

#[test]
fn windows_by_time_and_by_number() {
    let all = requests(1000);
    let (kept, report) = one(&all, "window", json!({"from_ns": 100, "to_ns": 200})).unwrap();
    assert_eq!(kept, all[10..20]);
    assert_eq!(counts(&report), BTreeMap::from([("before the window", 10), ("behind the window", 980)]));
    let (kept, _) = one(&all, "window", json!({"from_ns": 105, "rebase": true})).unwrap();
    assert_eq!((kept.len(), kept[0].at_ns), (989, 5));
    let (kept, _) = one(&all, "window", json!({"skip": 3, "take": 4, "rebase": true})).unwrap();
    assert_eq!(kept.iter().map(|r| r.at_ns).collect::<Vec<_>>(), [0, 10, 20, 30]);
    let error = one(&all, "window", json!({"from_ns": 1_000_000})).unwrap_err();
    assert!(error.contains("no request is left"), "{error}");
}

#[test]
fn time_and_addresses_scale_exactly() {
    let all = requests(1000);
    let (scaled, _) = one(&all, "scale", json!({"time": "1/3", "address": 2, "unit_bytes": 4096})).unwrap();
    for (before, after) in all.iter().zip(&scaled) {
        let sector = match before.op {
            HostOp::Flush => 0,
            _ => before.sector / 8 * 16 + before.sector % 8,
        };
        assert_eq!(*after, Request { at_ns: before.at_ns / 3, sector, ..*before });
    }
    let error = one(&all, "scale", json!({"address": 18_446_744_073_709_551_615u64})).unwrap_err();
    assert!(error.contains("past the last byte"), "{error}");
}

#[test]
fn remapping_is_dense_and_keeps_order_and_adjacency() {
    let all = requests(2000);
    let (moved, report) = one(&all, "remap", json!({"page_bytes": 8192})).unwrap();
    // A plain list of the touched pages of each stream says where everything goes.
    let mut touched = [BTreeSet::new(), BTreeSet::new()];
    for r in all.iter().filter(|r| matches!(r.op, HostOp::Read | HostOp::Write)) {
        touched[usize::from(r.stream)].extend(r.sector / 16..r.end_sector().div_ceil(16));
    }
    let dense = |r: &Request, sector: u64| {
        let pages = &touched[usize::from(r.stream)];
        pages.range(..sector / 16).count() as u64 * 16
            + if pages.contains(&(sector / 16)) { sector % 16 } else { 0 }
    };
    let mut expected = Vec::new();
    for r in &all {
        if r.op == HostOp::Flush {
            expected.push(*r);
            continue;
        }
        let first = dense(r, r.sector);
        let held: u64 = (r.sector..r.end_sector())
            .filter(|sector| touched[usize::from(r.stream)].contains(&(sector / 16)))
            .count() as u64;
        if held > 0 {
            expected.push(Request { sector: first, sectors: held as u32, ..*r });
        }
    }
    assert_eq!(moved, expected);
    assert_eq!(counts(&report)["trims of untouched pages"], (all.len() - expected.len()) as u64);
}

#[test]
fn repeating_adds_time_and_may_shift_addresses() {
    let all = requests(1000);
    let (same, _) = one(&all, "repeat", json!({"times": 3, "gap_ns": 5})).unwrap();
    let length_ns = 9_990 + 5;
    let expected: Vec<Request> = (0..3u64)
        .flat_map(|copy| all.iter().map(move |r| Request { at_ns: r.at_ns + copy * length_ns, ..*r }))
        .collect();
    assert_eq!(same, expected);
    let (shifted, _) = one(&all, "repeat", json!({"times": 2, "addresses": "shifted"})).unwrap();
    let end = |stream| {
        let ends =
            all.iter().filter(|r| r.stream == stream && r.op != HostOp::Flush).map(Request::end_sector);
        ends.max().unwrap().next_multiple_of(8)
    };
    for (before, after) in all.iter().zip(&shifted[1000..]) {
        let shift = if before.op == HostOp::Flush { 0 } else { end(before.stream) };
        assert_eq!(after.sector, before.sector + shift);
    }
}

#[test]
fn steps_follow_each_other() {
    let folder = tempfile::tempdir().unwrap();
    let all = requests(1000);
    let input = save(&folder, "in.parquet", &all, &["a", "b"]);
    let plan = Plan::of(&input, &TraceOptions::default())
        .then("window", json!({"skip": 100, "take": 300, "rebase": true}))
        .and_then(|plan| plan.then("sample", json!({"every": 3})))
        .and_then(|plan| plan.then("remap", json!({})))
        .and_then(|plan| plan.then("repeat", json!({"times": 2})))
        .unwrap();
    let (result, report) = run(plan, &folder).unwrap();
    assert_eq!(result.len() % 2, 0);
    assert_eq!(result[0].at_ns, 0);
    assert_eq!(report.steps.len(), 4);
    let summary = crate::common::read_path(&report.outputs[0].file, &TraceOptions::default(), 100).summary;
    assert_eq!(summary.steps.len(), 4);
    assert_eq!(summary.steps[1], r#"sample {"every":3,"by":"request","unit_bytes":1048576,"seed":0}"#);
}

#[test]
fn bad_parameters_are_refused() {
    let all = requests(10);
    for (kind, parameters, expected) in [
        ("sample", json!({}), "one of every and share"),
        ("sample", json!({"every": 0}), "every = K from 1"),
        ("sample", json!({"share": 1.5}), "at most 1"),
        ("sample", json!({"share": -1}), "a positive number"),
        ("sample", json!({"shar": 1}), "unknown field `shar`"),
        ("sample", json!({"share": 0.5, "by": "address", "unit_bytes": 100}), "multiple of 512"),
        ("window", json!({}), "from_ns and to_ns, or skip and take"),
        ("window", json!({"from_ns": 5, "to_ns": 5}), "holds nothing"),
        ("window", json!({"from_ns": 5, "take": 5}), "give either"),
        ("scale", json!({}), "a factor"),
        ("scale", json!({"time": 0}), "a positive number"),
        ("remap", json!({"page_bytes": 0}), "page_bytes = 0"),
        ("repeat", json!({"times": 0}), "times = 0"),
        ("repeat", json!({"times": 3, "gap_ns": u64::MAX}), "would not come before 2^62 ns"),
        ("shuffle", json!({}), "\"shuffle\" is not allowed; allowed: sample, window, scale, remap, repeat"),
    ] {
        let error = one(&all, kind, parameters.clone()).expect_err(&parameters.to_string());
        assert!(error.contains(expected), "{kind} {parameters}: {error}");
    }
}

#[test]
fn merging_orders_by_time_and_keeps_volumes_apart() {
    let folder = tempfile::tempdir().unwrap();
    let first: Vec<Request> = (0..10_000).map(|i| request(i * 20, i * 8, 8, 0, HostOp::Write)).collect();
    let second: Vec<Request> = (0..10_000).map(|i| request(i * 20 + 10, i * 8, 8, 0, HostOp::Read)).collect();
    let inputs = || {
        let a = save(&folder, "a.parquet", &first, &["hm_0"]);
        let b = save(&folder, "b.parquet", &second, &[]);
        vec![(a, TraceOptions::default()), (b, TraceOptions::default())]
    };
    let merged = |parameters| run(Plan::merged(inputs(), parameters).unwrap(), &folder).unwrap();
    let (streams, report) = merged(json!({}));
    let turns = first.iter().zip(&second).flat_map(|(a, b)| [*a, Request { stream: 1, ..*b }]);
    assert_eq!(streams, turns.collect::<Vec<_>>());
    let summary = crate::common::read_path(&report.outputs[0].file, &TraceOptions::default(), 100).summary;
    let names: Vec<&str> = summary.volumes.iter().map(|volume| volume.name.as_str()).collect();
    assert_eq!(names, ["a/hm_0", "b"]);
    let (stacked, _) = merged(json!({"addresses": "stacked"}));
    assert!(stacked.iter().all(|r| r.stream == 0));
    assert_eq!((stacked[1].sector, stacked[3].sector), (80_000, 80_008));
    let (offset, _) = merged(json!({"addresses": "one", "offsets_bytes": [0, 4096]}));
    assert_eq!((offset[0].sector, offset[1].sector), (0, 8));
    assert_eq!(report.inputs.len(), 2);
}

#[test]
fn laying_volumes_over_each_other_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let a = save(&folder, "a.parquet", &requests(100), &["x", "y"]);
    let inputs = vec![(a.clone(), TraceOptions::default()), (a, TraceOptions::default())];
    let plan = Plan::merged(inputs.clone(), json!({"addresses": "one"})).unwrap();
    let error = run(plan, &folder).unwrap_err();
    assert!(error.contains("holds several volumes"), "{error}");
    let (both, _) = run(Plan::merged(inputs.clone(), json!({})).unwrap(), &folder).unwrap();
    assert_eq!(both.iter().map(|r| r.stream).collect::<BTreeSet<_>>(), BTreeSet::from([0, 1, 2, 3]));
    for (parameters, expected) in [
        (json!({"offsets_bytes": [0, 512]}), "needs addresses"),
        (json!({"addresses": "one", "offsets_bytes": [0]}), "one offset for each"),
        (json!({"addresses": "one", "offsets_bytes": [0, 100]}), "multiple of 512"),
    ] {
        let error = Plan::merged(inputs.clone(), parameters).err().unwrap().to_string();
        assert!(error.contains(expected), "{error}");
    }
}

fn split(
    requests: &[Request],
    names: &[&str],
    parameters: Value,
) -> Result<Vec<(String, Vec<Request>)>, String> {
    let folder = tempfile::tempdir().unwrap();
    let input = save(&folder, "in.parquet", requests, names);
    let output = folder.path().join("part-{}.parquet").to_str().unwrap().to_owned();
    let plan = Plan::of(&input, &TraceOptions::default());
    let report = plan.split(parameters, &output, &WriteOptions::default(), &mut |_, _, _| true);
    let report = report.map_err(|error| error.to_string())?;
    let part = |file: &str| file.rsplit("part-").next().unwrap().trim_end_matches(".parquet").to_owned();
    Ok(report.outputs.iter().map(|written| (part(&written.file), read(&written.file))).collect())
}

#[test]
fn splitting_by_volume_takes_several_passes() {
    let all: Vec<Request> = (0..8000).map(|i| request(i, i, 1, (i % 80) as u16, HostOp::Write)).collect();
    let names: Vec<String> = (0..80).map(|i| format!("v/{i}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let parts = split(&all, &names, json!({"by": "volume"})).unwrap();
    assert_eq!(parts.len(), 80);
    for (volume, (name, requests)) in parts.iter().enumerate() {
        assert_eq!(*name, format!("v_{volume}"));
        let expected = all.iter().filter(|r| usize::from(r.stream) == volume);
        assert_eq!(*requests, expected.map(|r| Request { stream: 0, ..*r }).collect::<Vec<_>>());
    }
}

#[test]
fn splitting_by_number_and_time() {
    let all = requests(25);
    let parts = split(&all, &["a", "b"], json!({"by": "requests", "requests": 10})).unwrap();
    let lengths: Vec<(&str, usize)> = parts.iter().map(|(name, part)| (name.as_str(), part.len())).collect();
    assert_eq!(lengths, [("0000", 10), ("0001", 10), ("0002", 5)]);
    let late = Request { at_ns: 1005, ..all[1] };
    let with_gap: Vec<Request> = all.iter().copied().chain([late]).collect();
    let parts =
        split(&with_gap, &["a", "b"], json!({"by": "time", "window_ns": 100, "rebase": true})).unwrap();
    let starts: Vec<(&str, u64)> = parts.iter().map(|(name, part)| (name.as_str(), part[0].at_ns)).collect();
    assert_eq!(starts, [("0000", 0), ("0001", 0), ("0002", 0), ("0010", 5)]);
    for parameters in [json!({"by": "time"}), json!({"by": "requests", "requests": 0}), json!({})] {
        assert!(split(&all, &["a", "b"], parameters).is_err());
    }
}
