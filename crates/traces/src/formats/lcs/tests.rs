use super::*;
use crate::formats::RawRequest;
use crate::options::TraceOptions;
use crate::options::generic::UnitBytes;
use crate::options::objects::DefaultOp;
use slcache_base::request::HostOp;

fn options(op_default: Option<DefaultOp>) -> TraceOptions {
    TraceOptions { op_default, object_unit: Some(UnitBytes::SECTOR), ..TraceOptions::default() }
}

fn put(bytes: &mut [u8], place: usize, value: u64, width: usize) {
    bytes[place..place + width].copy_from_slice(&value.to_le_bytes()[..width]);
}

fn magics(length: usize) -> Vec<u8> {
    let mut header = vec![0; length];
    put(&mut header, 0, MAGIC, 8);
    put(&mut header, length - 8, MAGIC, 8);
    header
}

fn versioned(length: usize, version: u64, requests: u64) -> Vec<u8> {
    let mut header = magics(length);
    put(&mut header, 8, version, 8);
    put(&mut header, 24, requests, 8);
    header
}

fn described(format: &str, [id, size, time, op, tenant]: [u8; 5], item_bytes: u64) -> Vec<u8> {
    let mut header = magics(1024);
    header[8..8 + format.len()].copy_from_slice(format.as_bytes());
    for (place, index) in [(248, id), (249, size), (250, time), (253, op), (255, tenant)] {
        header[place] = index;
    }
    put(&mut header, 1004, item_bytes, 4);
    header
}

/// Time 3, id 8, 512 bytes, a write (where there is room for one) of tenant 257.
fn record(version: u64) -> Vec<u8> {
    let (bytes, size_bytes) = match version {
        1 => (24, 4),
        2 => (28, 4),
        3 => (36, 8),
        _ => (36 + (4 << (version - 4)), 8),
    };
    let mut record = vec![0; bytes];
    put(&mut record, 0, 3, 4);
    put(&mut record, 4, 8, 8);
    put(&mut record, 12, 512, size_bytes);
    if version > 1 {
        put(&mut record, 12 + size_bytes, 13 | 257 << 8, 4);
    }
    record
}

/// The first request behind a header, or what is wrong.
fn parse(options: &TraceOptions, header: &[u8], record: &[u8]) -> Result<RawRequest<'static>, String> {
    let bytes: &[u8] = [header, record].concat().leak();
    let parser = Box::leak((FORMAT.build)(options).unwrap());
    let length = parser.frame(bytes).map_err(|fault| fault.to_string())?;
    assert_eq!(
        (length, parser.record(&bytes[..length])),
        (header.len(), Ok(Record::Skipped(SKIPPED_HEADER)))
    );
    assert_eq!(parser.frame(&bytes[length..]), Ok(record.len()));
    match parser.record(&bytes[length..]) {
        Ok(Record::Request(raw)) => Ok(raw),
        other => Err(format!("{other:?}")),
    }
}

#[test]
fn every_version() {
    let read = options(Some(DefaultOp::Read));
    for (length, versions) in [(1024, 1..=2), (8192, 1..=8)] {
        for version in versions {
            let raw = parse(&read, &versioned(length, version, 1), &record(version)).unwrap();
            let (op, tenant) = if version == 1 { (HostOp::Read, "") } else { (HostOp::Write, "257") };
            assert_eq!((raw.at_ns, raw.sector, raw.sectors, raw.op), (3_000_000_000, 8, 1, op), "{version}");
            assert_eq!(number_name(raw.volume), tenant);
        }
    }
}

#[test]
fn the_time_unit_of_the_header() {
    for (unit, at_ns) in [(1, 3_000_000_000), (2, 3_000_000), (3, 3_000), (4, 3)] {
        let mut header = versioned(1024, 2, 0);
        put(&mut header, 124, unit, 4);
        assert_eq!(parse(&options(None), &header, &record(2)).unwrap().at_ns, at_ns);
    }
    let mut header = versioned(1024, 2, 0);
    header[124] = 5;
    assert!(parse(&options(None), &header, &record(2)).unwrap_err().contains("(time_unit): \"5\""));
}

#[test]
fn fields_by_the_format_string() {
    let header = described("<IHQbiq", [3, 5, 1, 4, 2], 27);
    let mut record = vec![0; 27];
    put(&mut record, 0, 3, 4);
    put(&mut record, 4, 9, 2);
    put(&mut record, 6, 8, 8);
    record[14] = 12;
    put(&mut record, 15, 512, 4);
    let raw = parse(&options(None), &header, &record).unwrap();
    assert_eq!((raw.at_ns, raw.sector, raw.sectors, raw.op), (3_000_000_000, 8, 1, HostOp::Read));
    assert_eq!(number_name(raw.volume), "9");
    record[18] = 0x80;
    assert!(parse(&options(None), &header, &record).unwrap_err().contains("obj_size"));
}

#[test]
fn bad_headers_are_named() {
    let message = |header: &[u8]| parse(&options(None), header, &record(2)).unwrap_err();
    assert!(message(&versioned(1024, 3, 0)).contains("(version): \"3\" is not a version from 1 to 2"));
    assert!(message(&versioned(8192, 9, 0)).contains("1 to 8"));
    assert!(message(&versioned(1024, 1, 0)).contains("op_default"));
    assert!(message(&described("<IHQbiq", [3, 5, 1, 4, 2], 28)).contains("(item_size): \"28\" is not 27"));
    assert!(message(&described("<IHQbiz", [3, 5, 1, 4, 2], 28)).contains("(format)"));
    assert!(message(&described(">IQ", [1, 1, 1, 1, 1], 12)).contains("(format)"));
    assert!(message(&described("<IHQbiq", [0, 5, 1, 4, 2], 27)).contains("(obj_id): \"0\""));
    assert!(message(&described("<IHQbiq", [3, 5, 7, 4, 2], 27)).contains("from 1 to 6"));
    assert!(message(&described("<dIQb", [3, 2, 1, 4, 0], 21)).contains("whole numbers"));
    let mut start = versioned(1024, 2, 0);
    start[0] = 0;
    assert!(message(&start).contains("(start_magic)"));
    let mut end = versioned(8192, 2, 0);
    end[8191] = 0;
    assert!(message(&end).contains("(end_magic)"));
}

#[test]
fn the_number_of_records_is_checked() {
    let options = options(None);
    let mut parser = (FORMAT.build)(&options).unwrap();
    assert_eq!(parser.frame(&versioned(1024, 2, 5)), Ok(1024));
    assert_eq!(parser.end(6), Ok(()));
    assert_eq!(parser.end(5), Err(LineFault::RecordCount { found: 4, stated: 5 }));
}

#[test]
fn it_is_told_by_both_magic_numbers() {
    let fit = |bytes: &[u8]| detect(&Sample { bytes, lines: Vec::new() });
    assert_eq!(fit(&versioned(1024, 1, 0)), Fit::Yes);
    assert_eq!(fit(&versioned(8192, 3, 0)), Fit::Yes);
    assert_eq!(fit(&versioned(8192, 3, 0)[..2000]), Fit::No);
    assert_eq!(fit(&[0; 2000]), Fit::No);
}
