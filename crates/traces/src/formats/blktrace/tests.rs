use super::*;

const WRITE: u32 = 1 << 17;
const FLUSH: u32 = 1 << 18;
const DISCARD: u32 = 1 << 29;
const FUA: u32 = 1 << 31;
const PC: u32 = 1 << 25;

fn record(big_endian: bool, place: (u64, u64, u32), action: u32, payload: &[u8]) -> Vec<u8> {
    versioned(7, big_endian, place, action.into(), payload)
}

fn versioned(
    version: u64,
    big_endian: bool,
    (time, sector, bytes): (u64, u64, u32),
    action: u64,
    payload: &[u8],
) -> Vec<u8> {
    let mut record = Vec::new();
    let number = |record: &mut Vec<u8>, value: u64, width: usize| match big_endian {
        true => record.extend(&value.to_be_bytes()[8 - width..]),
        false => record.extend(&value.to_le_bytes()[..width]),
    };
    number(&mut record, 0x6561_7400 | version, 4);
    number(&mut record, 5, 4);
    number(&mut record, time, 8);
    number(&mut record, sector, 8);
    number(&mut record, bytes.into(), 4);
    if version == 7 {
        number(&mut record, action, 4);
    }
    number(&mut record, 17_560, 4);
    if version == 8 {
        number(&mut record, action, 8);
    }
    number(&mut record, 7 << 20 | 3, 4);
    number(&mut record, 1, 4);
    number(&mut record, 0, 2);
    number(&mut record, payload.len() as u64, 2);
    record.extend(&[0; 12][..if version == 8 { 12 } else { 0 }]);
    record.extend(payload);
    record
}

fn parse_as(bytes: &[u8], action: BlkparseAction) -> Result<RawRequest<'static>, String> {
    let options = TraceOptions { action, ..TraceOptions::default() };
    let parser = Box::leak(Box::new(Blktrace::new(&options)));
    let bytes = bytes.to_vec().leak();
    for _ in 0..2 {
        assert_eq!(parser.frame(bytes).map_err(|fault| fault.to_string())?, bytes.len());
        parser.normalise(bytes);
    }
    match parser.record(bytes) {
        Ok(Record::Request(raw)) => Ok(raw),
        Ok(Record::Skipped(reason)) => Err(reason.to_owned()),
        Ok(other) => Err(format!("{other:?}")),
        Err(fault) => Err(fault.to_string()),
    }
}

fn parse(bytes: &[u8]) -> Result<RawRequest<'static>, String> {
    parse_as(bytes, BlkparseAction::D)
}

#[test]
fn both_byte_orders_name_one_volume() {
    let expected = RawRequest::plain(99, (14_320_672, 32), HostOp::Read, &[3, 0, 0x70, 0]);
    for big_endian in [false, true] {
        let bytes = record(big_endian, (99, 14_320_672, 16_384), 7 | 1 << 16, b"name");
        assert_eq!(parse(&bytes), Ok(expected), "big endian: {big_endian}");
        let mut normal = bytes.clone();
        Blktrace::new(&TraceOptions::default()).normalise(&mut normal);
        assert_eq!(merge_key(&normal), (99, 7 << 20 | 3, 5));
    }
    assert_eq!(device_name(expected.volume), "7,3");
}

#[test]
fn version_8_says_the_same_in_other_places() {
    for big_endian in [false, true] {
        let issued = |action| versioned(8, big_endian, (99, 4096, 16_384), 7 | action, b"name");
        let write = RawRequest::plain(99, (4096, 32), HostOp::Write, &[3, 0, 0x70, 0]);
        assert_eq!(parse(&issued(u64::from(WRITE))), Ok(write), "big endian: {big_endian}");
        let (zone_append, write_zeroes) = (1 << 32, 1 << 38);
        for category in [zone_append, write_zeroes] {
            assert_eq!(parse(&issued(u64::from(WRITE) | category)), Ok(write));
        }
        for category in 33..=37 {
            let management = issued(u64::from(WRITE) | 1 << category);
            assert!(parse(&management).unwrap_err().starts_with("zone management"), "{category}");
        }
        let mut normal = issued(0);
        Blktrace::new(&TraceOptions::default()).normalise(&mut normal);
        assert_eq!(merge_key(&normal), (99, 7 << 20 | 3, 5));
    }
    let plugged = versioned(8, false, (1, 8, 512), 18, b"");
    assert!(parse(&plugged).unwrap_err().contains("event ZP/ZU"));
    let whole = versioned(8, false, (1, 8, 512), 7, b"");
    assert_eq!(Blktrace::new(&TraceOptions::default()).frame(&whole[..50]), Ok(64));
}

#[test]
fn what_is_asked() {
    let parsed = |bytes, category| parse(&record(false, (1, 8, bytes), 7 | category, b"")).unwrap();
    let write = parsed(512, WRITE | FLUSH | FUA);
    assert_eq!((write.op, write.flush_before, write.forced_unit_access), (HostOp::Write, true, true));
    assert_eq!(parsed(512, DISCARD | WRITE).op, HostOp::Trim);
    let read = parsed(512, FUA);
    assert_eq!((read.op, read.forced_unit_access), (HostOp::Read, false));
    let flush = parsed(0, FLUSH);
    assert_eq!((flush.op, flush.sector, flush.sectors, flush.flush_before), (HostOp::Flush, 0, 0, false));
}

#[test]
fn what_is_left_out_is_told() {
    let reason = |action| parse(&record(false, (1, 8, 0), action, b"")).unwrap_err();
    assert!(reason(1).contains("event Q"));
    assert!(reason(15).contains("event A (remapped)"));
    assert!(reason(1 << 26).contains("notify"));
    assert!(reason(7 | PC).contains("pass-through"));
    assert!(reason(8).contains("event C"));
    let completion = record(false, (1, 8, 0), 8 | WRITE, b"");
    assert!(parse_as(&completion, BlkparseAction::C).unwrap_err().contains("end of a flush sequence"));
    // With a control group's id in the payload the event is the same.
    assert!(parse(&record(false, (1, 8, 512), 7 | 1 << 8, &[0; 8])).is_ok());
}

#[test]
fn bad_records_are_named() {
    let good = record(false, (1, 8, 512), 7, b"");
    assert!(parse(&record(false, (1, 8, 512), 99, b"")).unwrap_err().contains("column 6 (action): \"99\""));
    assert!(parse(&record(false, (1, 8, 700), 7, b"")).unwrap_err().contains("column 5 (bytes): 700 bytes"));
    let zero = parse(&record(false, (1, 8, 0), 7 | WRITE, b"")).unwrap_err();
    assert!(zero.contains("column 5 (bytes): a request of size 0"), "{zero}");
    assert!(parse(&record(false, (1, u64::MAX, 512), 7, b"")).unwrap_err().contains("past the last byte"));
    let mut version = good.clone();
    version[0] = 6;
    assert!(parse(&version).unwrap_err().contains("\"6\" is not version 7 or 8"));
    let mut magic = good.clone();
    magic[2] = 0;
    assert!(parse(&magic).unwrap_err().contains("column 1 (magic)"));
    assert_eq!(Blktrace::new(&TraceOptions::default()).frame(&good[..20]), Ok(48));
}

#[test]
fn it_is_told_by_the_magic_number() {
    let fit = |bytes: &[u8]| detect(&Sample { bytes, lines: Vec::new() });
    for big_endian in [false, true] {
        for version in [7, 8] {
            assert_eq!(fit(&versioned(version, big_endian, (1, 8, 512), 7, b"")), Fit::Yes);
        }
    }
    assert_eq!(fit(&[0; 100]), Fit::No);
    assert_eq!(fit(b"ta"), Fit::No);
}
