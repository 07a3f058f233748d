//! Every format that can be written gives the same requests when it is read
//! back, through the Parquet layout and again as text.

use crate::it::common::*;
use slcache_traces::{writable_formats, Losses, Written};

fn write(input: &str, options: &TraceOptions, output: &Path, format: &str, lossy: &str) -> Written {
    let lossy = Losses::parse(lossy).unwrap();
    let write = WriteOptions { format: Some(format.to_owned()), lossy };
    let conversion = Conversion::of(vec![input.to_owned()], options);
    let report = conversion.write(output.to_str().unwrap(), &write, &mut |_, _, _| true);
    report.unwrap_or_else(|error| panic!("{format}: {error}")).outputs.remove(0)
}

/// Text to Parquet to text to requests, once for every ending of compressed files.
#[track_caller]
fn round_trip(text: &Path, format: &str, options: &TraceOptions) {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str| -> PathBuf { folder.path().join(name) };
    let text = text.to_str().unwrap();
    let as_read = TraceOptions { rebase: Some(false), ..options.clone() };
    let original = read_entries(text, &as_read);
    let again = if format == "parquet" { "b.parquet" } else { "b.txt.zst" };
    let (parquet, again) = (file("a.parquet"), file(again));
    write(text, &as_read, &parquet, "parquet", "");
    // Times that run backwards are no less an error here than in the text.
    let kept = TraceOptions { unsorted: options.unsorted, rebase: Some(false), ..TraceOptions::default() };
    let from_parquet = read_entries(parquet.to_str().unwrap(), &kept);
    assert_eq!(from_parquet, original, "{format}: text to Parquet");
    let written = write(parquet.to_str().unwrap(), &kept, &again, format, "");
    assert!(written.lost.is_empty(), "{format}: {:?}", written.lost);
    assert_eq!(written.requests, original.len() as u64, "{format}");
    let read_back = TraceOptions { unsorted: options.unsorted, ..written.read_back };
    assert_eq!(read_entries(again.to_str().unwrap(), &read_back), original, "{format}: Parquet to text");
}

/// Some requests that the format can hold, in a file of the format.
fn sample(format: &str, folder: &Path) -> (PathBuf, TraceOptions) {
    let mut entries: Vec<TraceEntry> = (0..3000u64).map(|place| entry(place, format)).collect();
    if !matches!(format, "blkparse" | "fio" | "generic" | "parquet") {
        entries.retain(|entry| matches!(entry.request.op, HostOp::Read | HostOp::Write));
    }
    let path = folder.join(format!("{format}.txt"));
    let options = WriteOptions { format: Some(format.to_owned()), ..WriteOptions::default() };
    let mut writer = slcache_traces::TraceWriter::create(path.to_str().unwrap(), &options, None).unwrap();
    writer.write(&entries, &[]).unwrap();
    let written = writer.finish(&slcache_traces::TraceOrigin::default(), &[]).unwrap();
    let read = read_entries(path.to_str().unwrap(), &written.read_back);
    if format != "generic" {
        assert_eq!(read, entries, "{format}");
    }
    (path, written.read_back)
}

fn entry(place: u64, format: &str) -> TraceEntry {
    let unit_ns = match format {
        "msr" => 100,
        "alicloud" | "fio" => 1000,
        "tencent" => 1_000_000_000,
        _ => 1,
    };
    let op = match place % 7 {
        0 | 3 => HostOp::Read,
        5 => HostOp::Trim,
        6 if place % 2 == 0 => HostOp::Flush,
        _ => HostOp::Write,
    };
    let (sector, sectors) = match op {
        HostOp::Flush => (0, 0),
        _ => (place * 7919 % 1_000_003 + (place % 5) * (1 << 40), (place % 300 + 1) as u32),
    };
    // The first request is of stream 0, so that streams are numbered alike when read.
    let stream = (place % 4).min(place) as u16;
    let response_ns = match format {
        "msr" => Some(place * 100),
        "systor17" | "generic" | "parquet" => (place % 3 > 0).then_some(place * 17),
        _ => None,
    };
    let hint = if matches!(format, "generic" | "parquet") { (place % 256) as u8 } else { 0 };
    TraceEntry {
        request: Request { at_ns: place / 2 * 3 * unit_ns, sector, sectors, stream, hint, op },
        response_ns,
    }
}

#[test]
fn every_format_holds_what_it_says() {
    let folder = tempfile::tempdir().unwrap();
    for format in writable_formats() {
        let (path, options) = sample(format, folder.path());
        round_trip(&path, format, &options);
    }
}

#[test]
fn the_shipped_excerpt() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/linkbench-40s.blkparse.zst");
    round_trip(&path, "blkparse", &TraceOptions::default());
}
