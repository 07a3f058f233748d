//! Binary formats through the public reader, and real files of them.

use crate::it::common::*;
use slcache_traces::{DefaultOp, UnitBytes};
use std::io::Read;

pub(crate) fn vscsi1(cmd: u16, lbn: u64, len: u32, ts: u64) -> Vec<u8> {
    let mut record = Vec::new();
    for number in [1, len, 1] {
        record.extend(number.to_le_bytes());
    }
    record.extend(cmd.to_le_bytes());
    record.extend(0x100u16.to_le_bytes());
    record.extend(lbn.to_le_bytes());
    record.extend(ts.to_le_bytes());
    record
}

#[test]
fn vscsi_is_found_and_counted() {
    let bytes =
        [vscsi1(0x2a, 8, 4096, 5), vscsi1(0x42, 0, 24, 6), vscsi1(0x35, 0, 0, 7), vscsi1(0x28, 0, 512, 9)];
    let outcome = read(&bytes.concat(), &TraceOptions::default());
    let ops: Vec<HostOp> = outcome.requests.iter().map(|request| request.op).collect();
    assert_eq!(ops, [HostOp::Write, HostOp::Flush, HostOp::Read]);
    assert_eq!(outcome.requests[2].at_ns, 4000);
    let [skipped] = &outcome.summary.skipped[..] else { panic!("{:?}", outcome.summary) };
    assert!(skipped.reason.contains("UNMAP") && skipped.count == 1);
    // One record is too short to be told, and read where it is named.
    assert_eq!(read(&bytes[0], &TraceOptions::with_format("vscsi")).requests.len(), 1);
}

#[test]
fn a_binary_file_cut_short_is_told() {
    let bytes = [vscsi1(0x2a, 8, 4096, 5), vscsi1(0x2a, 8, 4096, 6)].concat();
    let outcome = read(&bytes[..50], &TraceOptions::with_format("vscsi"));
    assert_eq!((outcome.requests.len(), outcome.summary.last_line_unterminated), (1, true));
    assert_eq!(outcome.summary.skipped[0].reason, "last line or record, cut short");
    let cut = file(&bytes[..50]);
    let report = lint(path(&cut), &TraceOptions::with_format("vscsi"), 5).unwrap();
    assert_eq!(report.counts.into_iter().collect::<Vec<_>>(), [("no line end", 1)]);
}

#[test]
fn traces_of_objects_have_to_be_named() {
    let record = [2, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0, 0, 0, 16, 0, 0, 255, 255, 255, 255, 255, 255, 255, 255];
    assert!(message(&record, &TraceOptions::default()).contains("known formats"));
    let named = TraceOptions {
        op_default: Some(DefaultOp::Write),
        object_unit: Some(UnitBytes::SECTOR),
        ..TraceOptions::with_format("oracle_general")
    };
    let outcome = read(&record, &named);
    assert_eq!((outcome.requests[0].sector, outcome.requests[0].sectors), (9, 8));
}

/// The CSV of the same trace: `version,time (s),opcode,size,lbn`.
#[test]
fn the_cloudphysics_file_is_its_csv() {
    let Some(binary) = shared("public/cloudPhysicsIO.vscsi.zst") else { return };
    let Some(text) = shared("public/cloudPhysicsIO.csv.zst") else { return };
    assert_eq!(detect(&binary).unwrap(), "vscsi");
    let options = TraceOptions { rebase: Some(false), ..TraceOptions::default() };
    let entries = read_entries(&binary, &options);
    let mut csv = String::new();
    zstd::Decoder::new(std::fs::File::open(text).unwrap()).unwrap().read_to_string(&mut csv).unwrap();
    let lines: Vec<&str> = csv.lines().skip(1).collect();
    assert_eq!((entries.len(), lines.len()), (113_872, 113_872));
    for (entry, line) in entries.iter().zip(lines) {
        let request = entry.request;
        let op = if request.op == HostOp::Read { "28" } else { "2a" };
        let seconds = request.at_ns / 1_000_000_000;
        assert_eq!(format!("1,{seconds},{op},{},{}", request.bytes(), request.sector), line);
    }
}
