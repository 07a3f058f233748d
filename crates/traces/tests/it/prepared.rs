//! A prepared trace is the trace it was made of, request by request and count by count.

use crate::it::common::*;
use slcache_traces::{fingerprint, prepare, SubSector, TracePath, ZeroSize};

const SPEC: &str = "requests = 70000\nfootprint_bytes = 16777216\n[global]\nrw = \"randrw\"\nbs = \"4k\"\n";

fn made(path: &str, options: &TraceOptions, folder: &tempfile::TempDir) -> std::path::PathBuf {
    let output = folder.path().join("prepared");
    prepare(path, options, &output, &mut |_, _, _| true).unwrap();
    output
}

type Whole = (Vec<Request>, TraceSummary, &'static str, bool, Vec<String>);

fn whole(path: &TracePath, options: &TraceOptions, batch: usize) -> Result<Whole, TraceError> {
    let mut reader = open(path, options)?;
    let (mut all, mut requests) = (Vec::new(), Vec::new());
    while reader.next_batch(&mut requests, batch)? {
        assert!(!requests.is_empty() && requests.len() <= batch);
        all.extend_from_slice(&requests);
    }
    let summary = reader.summary().clone();
    Ok((all, summary, reader.format(), reader.has_volumes(), reader.stream_names()))
}

/// Everything that a run asks of a trace is the same.
#[track_caller]
fn check(name: &str, options: &TraceOptions) {
    let folder = tempfile::tempdir().unwrap();
    let prepared = TracePath::with_prepared(name, made(name, options, &folder));
    let plain = whole(&name.into(), options, 1000).unwrap();
    for batch in [1, 1000, 1 << 20] {
        assert_eq!(whole(&prepared, options, batch).unwrap(), plain);
    }
    let origins = [&prepared, &name.into()].map(|path| {
        let mut reader = open(path, options).unwrap();
        while reader.next_batch(&mut Vec::new(), 4096).unwrap() {}
        reader.origin()
    });
    assert_eq!(origins[0], origins[1]);
}

#[test]
fn it_is_the_trace_it_was_made_of() {
    let text = file(msr_lines(100_000).as_bytes());
    check(path(&text), &TraceOptions::default());
    let odd = "128166385295514663,a,0,Read,0,0,1\n128166385295514763,b,1,Write,100,1000,1\n\
               128166385295514663,a,0,Read,512,512,1";
    let options = TraceOptions {
        zero_size: ZeroSize::Skip,
        sub_sector: SubSector::Round,
        volume: Some(VolumeChoice::Each),
        unsorted: Unsorted::Sort(4),
        ..TraceOptions::with_format("msr")
    };
    check(path(&file(odd.as_bytes())), &options);
    let spec = tempfile::Builder::new().suffix(".toml").tempfile().unwrap();
    std::fs::write(spec.path(), SPEC).unwrap();
    check(path(&spec), &TraceOptions { seed: Some(3), ..TraceOptions::default() });
}

#[test]
fn a_trace_that_cannot_be_read_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let output = folder.path().join("prepared");
    for text in [format!("{}nonsense\n", msr_lines(70_000)), String::new()] {
        let bad = file(text.as_bytes());
        let error = prepare(path(&bad), &TraceOptions::with_format("msr"), &output, &mut |_, _, _| true);
        let plain = whole(&path(&bad).into(), &TraceOptions::with_format("msr"), 100).unwrap_err();
        assert_eq!(error.unwrap_err().to_string(), plain.to_string());
        assert_eq!(folder.path().read_dir().unwrap().count(), 0);
    }
}

#[test]
fn what_is_damaged_or_foreign_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let text = file(msr_lines(40).as_bytes());
    let options = TraceOptions::default();
    let output = made(path(&text), &options, &folder);
    let bytes = std::fs::read(&output).unwrap();
    let read = |bytes: &[u8], options: &TraceOptions| {
        let other = folder.path().join("other");
        std::fs::write(&other, bytes).unwrap();
        whole(&TracePath::with_prepared("name", &other), options, 100)
    };
    // It is a file of Parquet, of whose every byte `parquet.rs` asks.
    assert!(read(&bytes, &options).is_ok());
    for damaged in [&bytes[..bytes.len() / 2], &bytes[1..], b""] {
        let error = read(damaged, &options).unwrap_err().to_string();
        assert!(error.contains("no prepared trace, or a damaged one"), "{error}");
    }
    assert!(read(b"1,a,0,Read,0,512,1\n", &options).is_err());
    let other = TraceOptions { sub_sector: SubSector::Round, ..TraceOptions::default() };
    assert!(read(&bytes, &other).unwrap_err().to_string().contains("other options"));
    let missing = TracePath::with_prepared("name", Path::new("/nowhere"));
    assert!(matches!(whole(&missing, &options, 100), Err(TraceError::File { fault: FileFault::Read, .. })));
}

#[test]
fn fingerprints_tell_traces_apart() {
    let mut quiet = |_: &str, _: u64, _: u64| true;
    let [one, same, other] = [10, 10, 11].map(|count| file(msr_lines(count).as_bytes()));
    let plain = TraceOptions::default();
    let mut of = |name: &str, options: &TraceOptions| fingerprint(name, options, &mut quiet).unwrap();
    assert_eq!(of(path(&one), &plain), of(path(&same), &plain));
    assert_ne!(of(path(&one), &plain), of(path(&other), &plain));
    assert_eq!(Some(of(path(&one), &plain)), whole(&path(&one).into(), &plain, 100).unwrap().1.sha256);
    let spec = tempfile::Builder::new().suffix(".toml").tempfile().unwrap();
    std::fs::write(spec.path(), SPEC).unwrap();
    let seeded = |seed| TraceOptions { seed: Some(seed), ..TraceOptions::default() };
    assert_eq!(of(path(&spec), &plain), of(path(&spec), &seeded(0)));
    assert_ne!(of(path(&spec), &seeded(1)), of(path(&spec), &seeded(2)));
}
