//! Several traces written as one.

use crate::it::common::*;
use slcache_traces::ConvertReport;
use std::collections::BTreeSet;

fn request(at_ns: u64, sector: u64, op: HostOp) -> Request {
    Request { at_ns, sector, sectors: 8, stream: 0, hint: 0, op }
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

fn merged(
    folder: &TempDir,
    inputs: &[&String],
    options: &TraceOptions,
) -> Result<(Vec<Request>, ConvertReport), String> {
    let output = folder.path().join("out.parquet").to_str().unwrap().to_owned();
    let inputs = inputs.iter().map(|input| (*input).clone()).collect();
    let report =
        Conversion::of(inputs, options).write(&output, &WriteOptions::default(), &mut |_, _, _| true);
    let report = report.map_err(|error| error.to_string())?;
    let entries = read_entries(&output, &TraceOptions::default());
    Ok((entries.iter().map(|entry| entry.request).collect(), report))
}

#[test]
fn merging_orders_by_time_and_keeps_volumes_apart() {
    let folder = tempfile::tempdir().unwrap();
    let first: Vec<Request> = (0..10_000).map(|i| request(i * 20, i * 8, HostOp::Write)).collect();
    let second: Vec<Request> = (0..10_000).map(|i| request(i * 20 + 10, i * 8, HostOp::Read)).collect();
    let a = save(&folder, "a.parquet", &first, &["hm_0"]);
    let b = save(&folder, "b.parquet", &second, &[]);
    let (streams, report) = merged(&folder, &[&a, &b], &TraceOptions::default()).unwrap();
    let turns = |stream| first.iter().zip(&second).flat_map(move |(a, b)| [*a, Request { stream, ..*b }]);
    assert_eq!(streams, turns(1).collect::<Vec<_>>());
    assert_eq!(report.inputs.len(), 2);
    let summary = read_path(&report.outputs[0].file, &TraceOptions::default(), 100).summary;
    let names: Vec<&str> = summary.volumes.iter().map(|volume| volume.name.as_str()).collect();
    assert_eq!(names, ["a/hm_0", "b"]);
    let in_one = TraceOptions { volume: Some(VolumeChoice::Merge), ..TraceOptions::default() };
    assert_eq!(merged(&folder, &[&a, &b], &in_one).unwrap().0, turns(0).collect::<Vec<_>>());
}

#[test]
fn traces_of_several_volumes_keep_them() {
    let folder = tempfile::tempdir().unwrap();
    let two: Vec<Request> =
        (0..100).map(|i| Request { stream: (i % 2) as u16, ..request(i, i * 8, HostOp::Write) }).collect();
    let a = save(&folder, "a.parquet", &two, &["x", "y"]);
    let (both, _) = merged(&folder, &[&a, &a], &TraceOptions::default()).unwrap();
    assert_eq!(both.iter().map(|r| r.stream).collect::<BTreeSet<_>>(), BTreeSet::from([0, 1, 2, 3]));
    assert!(merged(&folder, &[], &TraceOptions::default()).unwrap_err().contains("expected at least one"));
}
