use super::*;
use crate::options::ZeroSize;
use crate::records::parser::SKIPPED_ZERO_SIZE;

fn v1(cmd: u16, lbn: u64, len: u32, ts: u64) -> Vec<u8> {
    let mut record = Vec::new();
    record.extend(7u32.to_le_bytes());
    record.extend(len.to_le_bytes());
    record.extend(1u32.to_le_bytes());
    record.extend(cmd.to_le_bytes());
    record.extend(0x100u16.to_le_bytes());
    record.extend(lbn.to_le_bytes());
    record.extend(ts.to_le_bytes());
    record
}

fn v2(cmd: u16, lbn: u64, len: u32, (ts, rt): (u64, u64)) -> Vec<u8> {
    let mut record = Vec::new();
    record.extend(cmd.to_le_bytes());
    record.extend(0x201u16.to_le_bytes());
    record.extend(7u32.to_le_bytes());
    record.extend(len.to_le_bytes());
    record.extend(1u32.to_le_bytes());
    record.extend(lbn.to_le_bytes());
    record.extend(ts.to_le_bytes());
    record.extend(rt.to_le_bytes());
    record
}

fn parse(record: &[u8]) -> Result<RawRequest<'static>, String> {
    let parser = Box::leak(Box::new(Vscsi::new(&TraceOptions::default())));
    let record: &[u8] = record.to_vec().leak();
    assert_eq!(parser.frame(record).map_err(|fault| fault.to_string())?, record.len());
    match parser.record(record) {
        Ok(Record::Request(raw)) => Ok(raw),
        Ok(Record::Skipped(reason)) => Err(reason.to_owned()),
        Ok(other) => Err(format!("{other:?}")),
        Err(fault) => Err(fault.to_string()),
    }
}

#[test]
fn both_versions() {
    let write = RawRequest::plain(5_633_898_368_802_000, (42_932_745, 1), HostOp::Write, b"");
    assert_eq!(parse(&v1(0x2a, 42_932_745, 512, 5_633_898_368_802)), Ok(write));
    let read =
        RawRequest { response_ns: Some(250_000), ..RawRequest::plain(3000, (8, 16), HostOp::Read, b"") };
    assert_eq!(parse(&v2(0x88, 8, 8192, (3, 250))), Ok(read));
}

#[test]
fn every_command_is_a_request_or_told() {
    for (code, op) in [
        (0x08, HostOp::Read),
        (0xa8, HostOp::Read),
        (0x0a, HostOp::Write),
        (0x8a, HostOp::Write),
        (0x2e, HostOp::Write),
        (0x91, HostOp::Flush),
    ] {
        assert_eq!(parse(&v1(code, 0, 512, 1)).map(|raw| raw.op), Ok(op), "{code:#x}");
    }
    assert_eq!(parse(&v1(0x35, 99, 7, 1)).map(|raw| (raw.sector, raw.sectors)), Ok((0, 0)));
    assert!(parse(&v1(0x42, 0, 24, 1)).unwrap_err().contains("UNMAP"));
    assert!(parse(&v1(0x12, 0, 36, 1)).unwrap_err().contains("other SCSI command"));
    assert!(parse(&v1(0x12a, 0, 36, 1))
        .unwrap_err()
        .contains("column 4 (cmd): \"298\" is not a SCSI operation"));
}

#[test]
fn bad_fields_are_named() {
    assert!(parse(&v1(0x2a, 8, 700, 1)).unwrap_err().contains("column 2 (len): 700 bytes is not a multiple"));
    assert!(parse(&v1(0x2a, 8, 0, 1)).unwrap_err().contains("column 2 (len): a request of size 0"));
    assert!(parse(&v1(0x2a, u64::MAX, 512, 1)).unwrap_err().contains("past the last byte"));
    assert!(parse(&v1(0x2a, 0, 512, u64::MAX)).unwrap_err().contains("column 7 (ts)"));
    assert!(parse(&v2(0x2a, 0, 512, (1, u64::MAX))).unwrap_err().contains("column 8 (rt)"));
    assert!(parse(&[0; 32]).unwrap_err().contains("vscsi version 1"));
}

#[test]
fn the_version_holds_for_all_records() {
    let mut parser = Vscsi::new(&TraceOptions { zero_size: ZeroSize::Skip, ..TraceOptions::default() });
    let mut records = [v1(0x2a, 0, 512, 1), v1(0x28, 0, 0, 2), v1(0x28, 0, 512, 3)].concat();
    records[64 + 15] = 2;
    assert_eq!(parser.frame(&records), Ok(32));
    assert!(matches!(parser.record(&records[..32]), Ok(Record::Request(_))));
    assert_eq!(parser.record(&records[32..64]), Ok(Record::Skipped(SKIPPED_ZERO_SIZE)));
    let fault = parser.record(&records[64..]).unwrap_err().to_string();
    assert!(fault.contains("column 5 (ver): \"512\" is not version 1"), "{fault}");
}

#[test]
fn it_is_told_by_the_version_fields() {
    let fit = |bytes: &[u8]| detect(&Sample { bytes, lines: Vec::new() });
    assert_eq!(fit(&[v1(0x2a, 0, 512, 1), v1(0x28, 0, 512, 2)].concat()), Fit::Yes);
    assert_eq!(fit(&[v2(0x2a, 0, 512, (1, 1)), v2(0x28, 0, 512, (2, 1))].concat()), Fit::Yes);
    assert_eq!(fit(&v1(0x2a, 0, 512, 1)), Fit::No);
    assert_eq!(fit(&[b'1'; 400]), Fit::No);
}
