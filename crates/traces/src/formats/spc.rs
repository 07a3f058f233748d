//! SPC traces, among them the UMass Financial and WebSearch traces:
//! `ASU,LBA,Size,Opcode,Timestamp` and optional fields behind them.
//!
//! SPC Trace File Format Specification, revision 1.0.1: the logical block
//! address counts blocks of the application storage unit (ASU), which is a
//! volume here; Size is in bytes and need not be a multiple of 512; Opcode is
//! R or W in either case; Timestamp is in seconds from the start of the trace;
//! fields may be surrounded by blanks. The size of a block is not in the file;
//! it is 512 bytes in the UMass traces.

use super::columns::{column, Codes, Columns, Header, Holds, Split, Units};
use super::lines::LineFormat;
use super::volume_names::VolumeNames;
use super::Format;

pub(super) const FORMAT: Format = Format {
    name: "spc",
    about: "SPC / UMass csv: ASU (volume), address in 512 B blocks, size in bytes, R/W, seconds",
    example: "0,303567,3584,w,0.026214",
    extensions: &["spc"],
    rebases: false,
    ..Format::lines::<Spc>()
};

/// Letters in either case.
const ANY_CASE: Codes = Codes { reads: &["r", "R"], writes: &["w", "W"] };

#[derive(Default)]
struct Spc;

impl LineFormat for Spc {
    const COLUMNS: &'static Columns = &Columns {
        split: Split::CommasOrMore,
        header: Header::Never,
        units: Units::SectorAndBytes,
        volumes: VolumeNames::Number,
        columns: &[
            column("ASU", Holds::Volume, "an application storage unit: a whole number from 0"),
            column("LBA", Holds::Address, "a block number from 0 to 2^64 - 1"),
            column("Size", Holds::Size, "a number of bytes from 0 to 2^64 - 1"),
            column("Opcode", Holds::Op(ANY_CASE), "R or W (or r or w)"),
            column("Timestamp", Holds::Seconds, "a time in seconds, in digits with at most one point"),
        ],
    };
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::LineFault;
    use crate::formats::lines::check::{self, both_ways_agree, only_careful, refused};
    use crate::formats::{RawRequest, Record, SKIPPED_ZERO_SIZE};
    use slcache_base::request::HostOp;
    use crate::options::{SubSector, TraceOptions, ZeroSize};

    fn parse(line: &str) -> Result<Record<'_>, LineFault> {
        check::parse(&FORMAT, line)
    }

    fn request(line: &str) -> RawRequest<'_> {
        match parse(line) {
            Ok(Record::Request(raw)) => raw,
            other => panic!("{line}: {other:?}"),
        }
    }

    #[test]
    fn the_documented_line() {
        let expected = RawRequest::plain(26_214_000, (303_567, 7), HostOp::Write, b"0");
        assert_eq!(request(FORMAT.example), expected);
    }

    #[test]
    fn blanks_case_and_optional_fields() {
        let expected = RawRequest::plain(11_413_000, (20_939_840, 16), HostOp::Read, b"1");
        for line in
            ["1,20939840,8192,R,0.011413", " 1, 20939840 ,8192,r,0.011413", "1,20939840,8192,R,0.011413,7,x"]
        {
            assert_eq!(request(line), expected, "{line}");
        }
        assert!(request("0,1,512,R,0.0000000001").rounded_to_ns);
    }

    #[test]
    fn both_ways_of_taking_a_line_apart_agree() {
        both_ways_agree::<Spc>(&[FORMAT.example, "21,0,1,R,0"]);
        only_careful::<Spc>(&["00,7,18446744073709551615,W,12.5"]);
    }

    #[test]
    fn sizes_that_are_not_whole_sectors() {
        let options = TraceOptions {
            sub_sector: SubSector::Round,
            zero_size: ZeroSize::Skip,
            ..TraceOptions::default()
        };
        let parse = |line| check::parse_with(&FORMAT, &options, line);
        let Ok(Record::Request(raw)) = parse("0,10,513,w,1.0") else {
            panic!("not a request");
        };
        assert_eq!((raw.sector, raw.sectors, raw.rounded_to_sectors), (10, 2, true));
        assert_eq!(parse("0,10,0,w,1.0"), Ok(Record::Skipped(SKIPPED_ZERO_SIZE)));
    }

    #[test]
    fn bad_fields_are_named() {
        let cases = [
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
        ];
        refused(&FORMAT, &TraceOptions::default(), &cases);
    }
}
