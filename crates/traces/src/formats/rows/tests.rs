use super::*;
use crate::error::LineFault;
use crate::formats::lines::tests::{self as check, both_ways_agree, only_careful, refused};
use crate::formats::{RawRequest, Record, SKIPPED_HEADER};
use crate::options::{SubSector, TraceOptions, ZeroSize};
use crate::records::parser::SKIPPED_ZERO_SIZE;
use slcache_base::request::HostOp::{Read, Write};

fn parse<'a>(format: &Format, line: &'a str) -> Result<Record<'a>, LineFault> {
    check::parse(format, line)
}

fn request<'a>(format: &Format, line: &'a str) -> RawRequest<'a> {
    match parse(format, line) {
        Ok(Record::Request(raw)) => raw,
        other => panic!("{line}: {other:?}"),
    }
}

#[test]
fn the_documented_lines() {
    let sector = |bytes: u64| bytes / 512;
    let ticks = RawRequest::plain(12_816_638_529_551_466_300, (sector(9_056_014_336), 4), Write, b"hm,0");
    for (format, expected) in [
        (&MSR, RawRequest { response_ns: Some(283_300), ..ticks }),
        (&SPC, RawRequest::plain(26_214_000, (303_567, 7), Write, b"0")),
        (&ALICLOUD, RawRequest::plain(1_577_808_144_360_767_000, (sector(8_792_731_648), 32), Write, b"419")),
        (&TENCENT, RawRequest::plain(1_538_323_199_000_000_000, (13_896_880, 128), Read, b"1063")),
        (&K5CLOUD, RawRequest::plain(3_000_012_000, (sector(42_932_745_216), 128), Write, b"1283")),
        (&MOBILEBLOCKIO, RawRequest::plain(5_218_127_730_127_000, (3_103_800, 32), Read, b"8388608")),
        (&SSDSIM, RawRequest::plain(26_214_000, (240_840, 6), Write, b"1")),
        (&DISKSIM, RawRequest::plain(221_000, (162_947_904, 16), Read, b"5")),
    ] {
        assert_eq!(request(format, format.example), expected, "{}", format.name);
    }
    assert_eq!((MSR.volume_name)(b"hm,0"), "hm_0");
}

#[test]
fn headers_are_counted() {
    for (format, header) in [
        (&MSR, "Timestamp,Hostname,DiskNumber,Type,Offset,Size,ResponseTime"),
        (&ALICLOUD, "device_id,opcode,offset,length,timestamp"),
        (&TENCENT, "Timestamp,Offset,Size,IOType,VolumeID"),
        (&K5CLOUD, "ID, Timestamp, Type, Offset, Length"),
        (&MOBILEBLOCKIO, "proces,device,rw_flag,sector,size,timestamp"),
        (&MOBILEBLOCKIO, "Process,device,rw_flag,sector,size,timestamp"),
    ] {
        assert_eq!(parse(format, header), Ok(Record::Skipped(SKIPPED_HEADER)), "{header}");
    }
}

#[test]
fn blanks_and_further_columns() {
    let expected = RawRequest::plain(11_413_000, (20_939_840, 16), Read, b"1");
    for line in
        ["1,20939840,8192,R,0.011413", " 1, 20939840 ,8192,r,0.011413", "1,20939840,8192,R,0.011413,7,x"]
    {
        assert_eq!(request(&SPC, line), expected, "{line}");
    }
    // Names may hold anything, since the fields behind them are counted from the end.
    let named = "a,b, c,8388608,R,3103800,32,5218127.730127";
    assert_eq!(request(&MOBILEBLOCKIO, named), request(&MOBILEBLOCKIO, MOBILEBLOCKIO.example));
}

#[test]
fn times_are_rounded_to_nanoseconds() {
    for (format, line, at_ns) in [
        (&SPC, "0,1,512,R,0.0000000001", 0),
        (&K5CLOUD, "0, 0.0000000015, R, 0, 512", 2),
        (&MOBILEBLOCKIO, "x,8388608,R,3103800,32,5218127.7301269998", 5_218_127_730_127_000),
        (&DISKSIM, " 100000.5999999\t07 1 1 10", 100_000_600_000),
    ] {
        let raw = request(format, line);
        assert_eq!((raw.at_ns, raw.rounded_to_ns), (at_ns, true), "{line}");
    }
}

#[test]
fn codes_of_operations() {
    for (format, line, op) in [
        (&TENCENT, "1538323199,13896880,128,1,1063", Write),
        (&SSDSIM, "26214000\t1  240840 6 1 ", Read),
        (&DISKSIM, "12 0 0 8 0", Write),
        (&DISKSIM, "12 0 0 8 1", Read),
        (&DISKSIM, "12 0 0 8 80", Write),
        (&DISKSIM, "12 0 0 8 0x81", Read),
        (&DISKSIM, "12 0 0 8 FFFFfffe", Write),
    ] {
        assert_eq!(request(format, line).op, op, "{line}");
    }
}

#[test]
fn sizes_that_are_not_whole_sectors() {
    let options =
        TraceOptions { sub_sector: SubSector::Round, zero_size: ZeroSize::Skip, ..TraceOptions::default() };
    let parse = |line| check::parse_with(&SPC, &options, line);
    let Ok(Record::Request(raw)) = parse("0,10,513,w,1.0") else {
        panic!("not a request");
    };
    assert_eq!((raw.sector, raw.sectors, raw.rounded_to_sectors), (10, 2, true));
    assert_eq!(parse("0,10,0,w,1.0"), Ok(Record::Skipped(SKIPPED_ZERO_SIZE)));
}

#[test]
fn both_ways_of_taking_a_line_apart_agree() {
    both_ways_agree::<Msr>(&[MSR.example, "0,h,1,Read,5,1,0"]);
    only_careful::<Msr>(&["1,a b,07,Read,0,18446744073709551615,3"]);
    both_ways_agree::<Spc>(&[SPC.example, "21,0,1,R,0"]);
    only_careful::<Spc>(&["00,7,18446744073709551615,W,12.5"]);
    both_ways_agree::<Alicloud>(&[ALICLOUD.example, "0,R,0,4096,0"]);
    only_careful::<Alicloud>(&["007,R,1,18446744073709551615,18446744073709551"]);
    both_ways_agree::<Tencent>(&[TENCENT.example, "0,0,1,1,0", "18446744073,18446744073709551,1,0,007"]);
    both_ways_agree::<K5cloud>(&[K5CLOUD.example, "0,0,R,0,512", "0,12.000000001,R,1,1"]);
    both_ways_agree::<MobileBlockIo>(&[
        MOBILEBLOCKIO.example,
        "<...>-21515,1,W,0,1,0",
        "AsyncTask,8388608,R,20735584,8,5218128.179544",
    ]);
    both_ways_agree::<Ssdsim>(&[SSDSIM.example, " 0 0\t0 1 1 ", "9999999999999999999 07 1 1 0"]);
    both_ways_agree::<Disksim>(&[DISKSIM.example, "0 0\t0 1 1 ", "100000.599999 07 1 1 10"]);
}

#[test]
fn bad_fields_are_named() {
    let cases: [(&Format, &[(&str, &str)]); 8] = [
        (
            &MSR,
            &[
                ("1,hm,0,Write,0,-4096,1", "column 6 (Size): \"-4096\" is not a positive number of bytes"),
                ("x,hm,0,Write,0,512,1", "column 1 (Timestamp): \"x\" is not a file time"),
                ("999999999999999999,hm,0,Write,0,512,1", "column 1 (Timestamp): \"999999999999999999\""),
                ("1,,0,Write,0,512,1", "column 2 (Hostname)"),
                ("1,hm,d,Write,0,512,1", "column 3 (DiskNumber)"),
                ("1,hm,0,write,0,512,1", "column 4 (Type): \"write\" is not Read or Write"),
                ("1,hm,0,Write,99999999999999999999,512,1", "column 5 (Offset)"),
                ("1,hm,0,Write,0,512,", "column 7 (ResponseTime)"),
                ("1,hm,0,Write,0,0,1", "column 6 (Size): a request of size 0"),
                ("1,hm,0,Write,5,512,1", "column 5 (Offset): 5 bytes is not a multiple of 512"),
                ("1,hm,0,Write,0,512", "6 columns where 7 (Timestamp,"),
                ("1,hm,0,Write,0,512,1,2", "8 columns where 7"),
            ],
        ),
        (
            &SPC,
            &[
                ("x,1,512,R,0.1", "column 1 (ASU): \"x\""),
                ("0,-1,512,R,0.1", "column 2 (LBA): \"-1\""),
                ("0,36028797018963968,512,R,0.1", "ends past the last byte"),
                ("0,1,51.2,R,0.1", "column 3 (Size): \"51.2\""),
                ("0,1,513,R,0.1", "column 3 (Size): 513 bytes is not a multiple of 512"),
                ("0,1,0,R,0.1", "column 3 (Size): a request of size 0"),
                ("0,1,512,Read,0.1", "column 4 (Opcode): \"Read\" is not R or W"),
                ("0,1,512,0,0.1", "column 4 (Opcode)"),
                ("0,1,512,R,1e-3", "column 5 (Timestamp): \"1e-3\""),
                ("0,1,512,R,-0.1", "column 5 (Timestamp)"),
                ("0,1,512,R", "4 columns where at least 5 (ASU,LBA,Size,Opcode,Timestamp)"),
            ],
        ),
        (
            &ALICLOUD,
            &[
                ("x,R,0,512,1", "column 1 (device_id): \"x\""),
                ("1,r,0,512,1", "column 2 (opcode): \"r\" is not R or W"),
                ("1,1,0,512,1", "column 2 (opcode)"),
                ("1,R,1.5,512,1", "column 3 (offset): \"1.5\""),
                ("1,R,1,512,1", "column 3 (offset): 1 bytes is not a multiple of 512"),
                ("1,R,0,-1,1", "column 4 (length): \"-1\""),
                ("1,R,0,0,1", "column 4 (length): a request of size 0"),
                ("1,R,0,512,1.5", "column 5 (timestamp): \"1.5\""),
                ("1,R,0,512,18446744073709552", "column 5 (timestamp)"),
                ("1,R,0,512", "4 columns where 5 (device_id,opcode,offset,length,timestamp)"),
            ],
        ),
        (
            &TENCENT,
            &[
                ("1.5,0,8,0,1", "column 1 (Timestamp): \"1.5\" is not a Unix time in whole seconds"),
                ("18446744074,0,8,0,1", "column 1 (Timestamp)"),
                ("1,-1,8,0,1", "column 2 (Offset): \"-1\""),
                ("1,0,x,0,1", "column 3 (Size): \"x\""),
                ("1,0,4294967296,0,1", "column 3 (Size)"),
                ("1,0,0,0,1", "column 3 (Size): a request of size 0"),
                ("1,0,8,2,1", "column 4 (IOType): \"2\" is not 0 (read) or 1 (write)"),
                ("1,0,8,R,1", "column 4 (IOType)"),
                ("1,0,8,0,", "column 5 (VolumeID): \"\""),
                ("1,0,8,0", "4 columns where 5 (Timestamp,Offset,Size,IOType,VolumeID)"),
            ],
        ),
        (
            &K5CLOUD,
            &[
                ("x,0.1,R,0,512", "column 1 (ID): \"x\""),
                ("1,x,R,0,512", "column 2 (Timestamp): \"x\""),
                ("1,0.1,Read,0,512", "column 3 (Type): \"Read\" is not R or W"),
                ("1,0.1,R,,512", "column 4 (Offset): \"\""),
                ("1,0.1,R,8,512", "column 4 (Offset): 8 bytes is not a multiple of 512"),
                ("1,0.1,R,0,x", "column 5 (Length): \"x\""),
                ("1,0.1,R,0,0", "column 5 (Length): a request of size 0"),
                ("1,0.1,R,0", "4 columns where 5 (ID,Timestamp,Type,Offset,Length)"),
            ],
        ),
        (
            &MOBILEBLOCKIO,
            &[
                ("p,8:0,R,0,8,1.0", "column 2 (device): \"8:0\""),
                ("p,8,D,0,8,1.0", "column 3 (rw_flag): \"D\" is not R or W"),
                ("p,8,R,-1,8,1.0", "column 4 (sector): \"-1\""),
                ("p,8,R,0,8.5,1.0", "column 5 (size): \"8.5\""),
                ("p,8,R,0,0,1.0", "column 5 (size): a request of size 0"),
                ("p,8,R,0,8,1.0e3", "column 6 (timestamp): \"1.0e3\""),
                ("p,8,R,0,8", "5 columns where 6 (proces,device,rw_flag,sector,size,timestamp)"),
            ],
        ),
        (
            &SSDSIM,
            &[
                ("1.5 0 0 8 1", "column 1 (time): \"1.5\" is not a time in whole nanoseconds"),
                ("1 a 0 8 1", "column 2 (device): \"a\""),
                ("1 0 -8 8 1", "column 3 (lsn): \"-8\""),
                ("1 0 0 8.0 1", "column 4 (size): \"8.0\""),
                ("1 0 0 0 1", "column 4 (size): a request of size 0"),
                ("1 0 0 8 R", "column 5 (operation): \"R\" is not 1 (read) or 0 (write)"),
                ("1 0 0 8 01", "column 5 (operation)"),
                ("1 0 0 8", "4 columns where 5 (time device lsn size operation)"),
                ("1 0 0 8 1 1", "6 columns where 5"),
            ],
        ),
        (
            &DISKSIM,
            &[
                ("-1.5 0 0 8 1", "column 1 (time): \"-1.5\" is not a time in milliseconds"),
                ("1 a 0 8 1", "column 2 (device): \"a\""),
                ("1 0 -8 8 1", "column 3 (block): \"-8\""),
                ("1 0 0 8.0 1", "column 4 (blocks): \"8.0\""),
                ("1 0 0 0 1", "column 4 (blocks): a request of size 0"),
                ("1 0 0 8 R", "column 5 (flags): \"R\" is not hexadecimal flags"),
                ("1 0 0 8 100000001", "column 5 (flags)"),
                ("1 0 0 8", "4 columns where 5 (time device block blocks flags)"),
            ],
        ),
    ];
    for (format, cases) in cases {
        refused(format, &TraceOptions::default(), cases);
    }
}
