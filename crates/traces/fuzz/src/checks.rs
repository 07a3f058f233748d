//! The checks: whatever the bytes, a reader ends with requests or with an
//! error, and says the same each way it is asked.

use slcache_traces::workload::Workload;
use slcache_traces::{
    format_catalogue, info, lint, open, BlkparseAction, CatalogueEntry, DefaultOp, GenericColumns, HostOp,
    SubSector, TraceOptions, UnitBytes, Unsorted, VolumeChoice, ZeroSize,
};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::io::{Seek, Write};

/// Requests asked for at a time.
const BATCH: usize = 64;
/// Requests taken of a workload.
const GENERATED: usize = 300;

/// Every format of the registry.
pub fn names() -> Vec<&'static str> {
    let read = |format: &CatalogueEntry| format.reads && format.name != "parquet";
    format_catalogue().into_iter().filter(read).map(|format| format.name).collect()
}

/// One reader: the first byte chooses the options, the rest is the file.
pub fn reader(format: &str, data: &[u8]) {
    let Some((&choices, content)) = data.split_first() else { return };
    read(content, &reader_options(format, choices));
}

/// Requests that a reader takes out of such data, or the message of the error.
pub fn requests(format: &str, data: &[u8]) -> Result<u64, String> {
    let mut read = Err("no choices".to_owned());
    if let Some((&choices, content)) = data.split_first() {
        let options = reader_options(format, choices);
        with_file(content, |path| read = read_all(path, &options));
    }
    read
}

/// Compression, archives and the telling of the format.
pub fn input(data: &[u8]) {
    let Some((&choices, content)) = data.split_first() else { return };
    read(content, &options(choices));
}

/// The declared columns: JSON up to the first line end, then the file.
pub fn layout(data: &[u8]) {
    let Some(end) = data.iter().position(|&byte| byte == b'\n') else { return };
    let Ok(columns) = serde_json::from_slice::<GenericColumns>(&data[..end]) else { return };
    let generic = Some(columns);
    read(&data[end + 1..], &TraceOptions { generic, ..TraceOptions::with_format("generic") });
}

/// A workload file: what loads generates requests in time order, and loads
/// again from its canonical text as the same workload.
pub fn workload(data: &[u8]) {
    let none = BTreeMap::new();
    let Ok(text) = std::str::from_utf8(data) else { return };
    let Ok(workload) = Workload::parse("fuzzed", text, &none) else { return };
    let mut previous_ns = 0;
    for request in workload.generate(1).take(GENERATED) {
        assert!(request.at_ns >= previous_ns, "{request:?} after {previous_ns} ns");
        assert_eq!(request.sectors == 0, request.op == HostOp::Flush, "{request:?}");
        previous_ns = request.at_ns;
    }
    let again = Workload::parse("again", &workload.canonical(), &none).expect("its canonical text loads");
    assert_eq!(again.canonical(), workload.canonical());
    assert!(again.generate(1).take(GENERATED).eq(workload.generate(1).take(GENERATED)));
}

fn reader_options(format: &str, choices: u8) -> TraceOptions {
    let chosen = |bit: u8| choices >> bit & 1 == 1;
    let objects = format == "oracle_general";
    let takes = |of: CatalogueEntry| of.name == format && of.options.contains(&"action");
    let completed = format_catalogue().into_iter().any(takes) && chosen(5);
    TraceOptions {
        format: Some(format.to_owned()),
        generic: (format == "generic").then(columns),
        action: if completed { BlkparseAction::C } else { BlkparseAction::D },
        op_default: (objects && !chosen(6)).then_some(DefaultOp::Write),
        object_unit: (objects && !chosen(7)).then_some(UnitBytes::SECTOR),
        ..options(choices)
    }
}

/// Options of every format from the bits of a byte.
fn options(choices: u8) -> TraceOptions {
    let chosen = |bit: u8| choices >> bit & 1 == 1;
    TraceOptions {
        unsorted: if chosen(0) { Unsorted::Sort(3) } else { Unsorted::Error },
        volume: chosen(1).then_some(VolumeChoice::Each),
        zero_size: if chosen(2) { ZeroSize::Skip } else { ZeroSize::Error },
        sub_sector: if chosen(3) { SubSector::Round } else { SubSector::Error },
        rebase: chosen(4).then_some(chosen(5)),
        ..TraceOptions::default()
    }
}

/// Columns of the lines among the seeds.
fn columns() -> GenericColumns {
    let text = r#"{"time": 6, "time_unit": "s", "address": 4, "address_unit": "sector", "size": 5,
        "size_unit": 4096, "op": 3, "stream": 1}"#;
    serde_json::from_str(text).expect("columns")
}

/// Reads the bytes as a file in every way there is.
fn read(content: &[u8], options: &TraceOptions) {
    with_file(content, |path| {
        let outcome = read_all(path, options);
        if let Ok(report) = lint(path, options, 5) {
            // A last line without an end is read all the same, and told.
            let told = report.counts.get("no line end").map_or(0, |&count| count);
            assert_eq!(report.total() == told, outcome.is_ok(), "{outcome:?} but {report:?}");
        } else {
            assert!(outcome.is_err());
        }
        assert_eq!(info(path, options).is_ok(), outcome.is_ok());
    });
}

/// Requests of the whole file, at least one, or the message of the error.
fn read_all(path: &str, options: &TraceOptions) -> Result<u64, String> {
    let mut reader = open(path, options).map_err(|error| error.to_string())?;
    let (mut batch, mut requests) = (Vec::new(), 0);
    loop {
        match reader.next_batch(&mut batch, BATCH) {
            Ok(true) => {
                assert!((1..=BATCH).contains(&batch.len()));
                requests += batch.len() as u64;
            }
            Ok(false) => break,
            Err(error) => {
                let again = reader.next_batch(&mut batch, BATCH).expect_err("an error stays");
                assert_eq!(again.to_string(), error.to_string());
                return Err(error.to_string());
            }
        }
    }
    assert!(requests > 0);
    assert!(reader.summary().sha256.is_some());
    Ok(requests)
}

/// One file, written again and again, since making one takes longer than
/// reading it.
fn with_file(content: &[u8], check: impl FnOnce(&str)) {
    thread_local! {
        static FILE: RefCell<tempfile::NamedTempFile> = RefCell::new(tempfile::NamedTempFile::new().expect("a file"));
    }
    FILE.with_borrow_mut(|file| {
        file.as_file().set_len(0).expect("an empty file");
        file.rewind().expect("its beginning");
        file.write_all(content).expect("its content");
        file.flush().expect("its content");
        check(file.path().to_str().expect("a path in UTF-8"));
    });
}
