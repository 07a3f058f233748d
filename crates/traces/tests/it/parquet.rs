//! slcache's Parquet layout: what is kept, and what is told when a file is not
//! as it was written.

use crate::it::common::*;

fn entries(count: u64) -> Vec<TraceEntry> {
    (0..count)
        .map(|place| {
            let op = [HostOp::Read, HostOp::Write, HostOp::Trim, HostOp::Flush][(place % 4) as usize];
            let (sector, sectors) =
                if op == HostOp::Flush { (0, 0) } else { (u64::MAX / 512 - 9 - place, 9) };
            let request = Request {
                hint: 0,
                at_ns: TIME_END_NS - count + place,
                sector,
                sectors,
                stream: (place % 3) as u16,
                op,
            };
            TraceEntry { request, response_ns: (place % 5 == 0).then_some(u64::MAX - place) }
        })
        .collect()
}

fn written(folder: &TempDir, entries: &[TraceEntry], names: &[&str], label: Option<&str>) -> String {
    let path = folder.path().join("t.parquet").to_str().unwrap().to_owned();
    let mut writer = TraceWriter::create(&path, &WriteOptions::default(), label).unwrap();
    writer.write(entries, &[]).unwrap();
    let origin = TraceOrigin {
        file: "source.csv".to_owned(),
        format: "msr".to_owned(),
        sha256: Some("ab".repeat(32)),
        label: label.map(str::to_owned),
        steps: vec!["sample {}".to_owned()],
    };
    let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
    writer.finish(&origin, &names).unwrap();
    path
}

#[test]
fn every_value_is_kept_over_several_row_groups() {
    let folder = tempfile::tempdir().unwrap();
    let all = entries(300_000);
    let path = written(&folder, &all, &["a", "b", "c"], Some("twin of a_0"));
    assert_eq!(read_entries(&path, &TraceOptions::default()), all);
    let outcome = read_path(&path, &TraceOptions::default(), 1000);
    let summary = outcome.summary;
    assert!(outcome.error.is_none(), "{:?}", outcome.error);
    assert_eq!(summary.label.as_deref(), Some("twin of a_0"));
    assert_eq!(summary.steps, ["sample {}"]);
    let volumes: Vec<(&str, u64)> = summary.volumes.iter().map(|v| (v.name.as_str(), v.requests)).collect();
    assert_eq!(volumes, [("a", 100_000), ("b", 100_000), ("c", 100_000)]);
    assert_eq!(summary.sha256, Some(sha256(&std::fs::read(&path).unwrap())));
}

#[test]
fn volumes_can_be_chosen() {
    let folder = tempfile::tempdir().unwrap();
    let all = entries(300);
    let path = written(&folder, &all, &["a", "b", "c"], None);
    let with = |volume| TraceOptions { volume: Some(volume), ..TraceOptions::default() };
    let chosen = read_entries(&path, &with(VolumeChoice::Named("b".to_owned())));
    let expected: Vec<TraceEntry> = all.iter().filter(|entry| entry.request.stream == 1).copied().collect();
    assert_eq!(chosen.len(), 100);
    assert!(chosen.iter().zip(&expected).all(|(a, b)| a.request == Request { stream: 0, ..b.request }));
    assert!(read_entries(&path, &with(VolumeChoice::Merge)).iter().all(|entry| entry.request.stream == 0));
    for (volume, expected) in [
        (VolumeChoice::Named("x".to_owned()), "volume = \"x\" is not in the file; it holds: a, b, c"),
        (VolumeChoice::Error, "holds 3 volumes: a, b, c"),
    ] {
        let error = read_path(&path, &with(volume), 100).error.unwrap().to_string();
        assert!(error.contains(expected), "{error}");
    }
}

#[test]
fn times_are_checked_as_in_any_trace() {
    let folder = tempfile::tempdir().unwrap();
    let refused = |entries: &[TraceEntry]| {
        let path = written(&folder, entries, &[], None);
        (read_path(&path, &TraceOptions::default(), 100).error.unwrap().to_string(), path)
    };
    let mut all = entries(10);
    all.swap(4, 5);
    let (error, path) = refused(&all);
    assert!(error.contains(": row 6: time runs backwards"), "{error}");
    let sorted = TraceOptions { unsorted: slcache_traces::Unsorted::Sort(4), ..TraceOptions::default() };
    assert_eq!(read_entries(&path, &sorted), entries(10));
    all[0].request.at_ns = TIME_END_NS;
    let (error, _) = refused(&all[..1]);
    assert!(error.contains("row 1: the request comes at"), "{error}");
}

#[test]
fn a_file_that_was_cut_or_changed_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let whole = written(&folder, &entries(5000), &[], None);
    let bytes = std::fs::read(&whole).unwrap();
    let mut unnoticed = Vec::new();
    let step = (bytes.len() / 400).max(1);
    for place in (0..bytes.len()).step_by(step) {
        let mut changed = bytes.clone();
        changed[place] ^= 0x10;
        let file = file(&changed);
        let options = TraceOptions::with_format("parquet");
        let outcome = std::panic::catch_unwind(|| read_path(path(&file), &options, 1000));
        let outcome = outcome.unwrap_or_else(|_| panic!("a panic with byte {place} changed"));
        if outcome.error.is_none() {
            unnoticed.push((place, outcome.requests));
        }
    }
    // What may change unnoticed says nothing about the requests: statistics, names and the like.
    let original = read_path(&whole, &TraceOptions::default(), 1000).requests;
    for (place, requests) in unnoticed {
        assert_eq!(requests, original, "byte {place}");
    }
    for length in [0, 3, 4, 100, bytes.len() / 2, bytes.len() - 1] {
        let file = file(&bytes[..length]);
        let outcome = read_path(path(&file), &TraceOptions::with_format("parquet"), 1000);
        assert!(outcome.error.is_some(), "{length}");
    }
}

#[test]
fn foreign_files_are_refused_with_the_columns_expected() {
    use parquet::data_type::Int32Type;
    use parquet::file::writer::SerializedFileWriter;
    let schema = "message m { REQUIRED INT32 lba; REQUIRED INT32 size; }";
    let schema = parquet::schema::parser::parse_message_type(schema).unwrap().into();
    let mut foreign = Vec::new();
    let mut writer = SerializedFileWriter::new(&mut foreign, schema, Default::default()).unwrap();
    let mut group = writer.next_row_group().unwrap();
    while let Some(mut column) = group.next_column().unwrap() {
        column.typed::<Int32Type>().write_batch(&[1], None, None).unwrap();
        column.close().unwrap();
    }
    group.close().unwrap();
    writer.close().unwrap();
    let error = message(&foreign, &TraceOptions::default());
    assert!(error.contains("has the columns lba, size; expected at_ns UINT64, op UINT8, sector"), "{error}");
}
