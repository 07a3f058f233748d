//! SPC traces, among them the UMass Financial and WebSearch traces:
//! `ASU,LBA,Size,Opcode,Timestamp` and optional fields behind them.
//!
//! SPC Trace File Format Specification, revision 1.0.1: the logical block
//! address counts blocks of the application storage unit (ASU), which is a
//! volume here; Size is in bytes and need not be a multiple of 512; Opcode is
//! R or W in either case; Timestamp is in seconds from the start of the trace;
//! fields may be surrounded by blanks. The size of a block is not in the file;
//! it is 512 bytes in the UMass traces.

use super::{Fit, Format, RawRequest, Record, Sample, SKIPPED_ZERO_SIZE};
use crate::error::LineFault;
use crate::fields::Fields;
use crate::line_end::LineEnd;
use crate::scan::{decimal_last, digits_until, unsigned_until, ScannedTime};
use crate::sectors::{Column, SizeRules};
use crate::volumes::plain_name;
use slcache_base::request::HostOp;

pub(super) const FORMAT: Format = Format {
    name: "spc",
    about: "SPC / UMass csv: ASU (volume), address in 512 B blocks, size in bytes, R/W, seconds",
    example: "0,303567,3584,w,0.026214",
    extensions: &["spc"],
    rebases: false,
    merges_volumes: false,
    takes_columns: false,
    text: true,
    volume_name: plain_name,
    detect,
    build: |options| Ok(Box::new(Spc { sizes: SizeRules::new(options) })),
};

const NAMES: [&str; 5] = ["ASU", "LBA", "Size", "Opcode", "Timestamp"];
const LBA: Column<'static> = Column { number: 2, name: NAMES[1] };
const SIZE: Column<'static> = Column { number: 3, name: NAMES[2] };

struct Spc {
    sizes: SizeRules,
}

/// A line taken apart; numbers still in the units of the file.
#[derive(Debug, PartialEq, Eq)]
struct Line<'a> {
    asu: &'a [u8],
    lba: u64,
    size: u64,
    op: HostOp,
    time: ScannedTime,
}

impl Spc {
    /// The request of a line taken apart.
    #[inline(always)]
    fn request<'a>(&self, line: Line<'a>) -> Result<Record<'a>, LineFault> {
        let (lba, size) = ((line.lba, LBA), (line.size, SIZE));
        let Some(extent) = self.sizes.extent_of_sector_and_bytes(lba, size)? else {
            return Ok(Record::Skipped(SKIPPED_ZERO_SIZE));
        };
        let place = (extent.sector, extent.sectors);
        let mut raw = RawRequest::plain(line.time.at_ns, place, line.op, line.asu);
        raw.rounded_to_sectors = extent.rounded;
        raw.rounded_to_ns = line.time.rounded;
        Ok(Record::Request(raw))
    }
}

parses_lines!(Spc, found => found);

/// One pass over a line of five fields; `None` when [`careful`] has to look.
#[inline(always)]
fn quick<E: LineEnd>(line: &[u8]) -> Option<(Line<'_>, &[u8])> {
    let (asu, rest) = digits_until(line, b',')?;
    let (lba, rest) = unsigned_until(rest, b',')?;
    let (size, rest) = unsigned_until(rest, b',')?;
    let [letter, b',', rest @ ..] = rest else {
        return None;
    };
    let op = op_of(*letter)?;
    let (at_ns, behind) = decimal_last::<9, E>(rest)?;
    Some((Line { asu, lba, size, op, time: ScannedTime { at_ns, rounded: false } }, behind))
}

/// Field by field, so that whatever is wrong can be named.
#[cold]
fn careful(line: &[u8]) -> Result<Line<'_>, LineFault> {
    let fields = Fields::split_at_least(line, b',', &NAMES)?;
    fields.number(1, "an application storage unit: a whole number from 0")?;
    let lba = fields.number(2, "a block number from 0 to 2^64 - 1")?;
    let size = fields.number(3, "a number of bytes from 0 to 2^64 - 1")?;
    let op = match fields.get(4) {
        [letter] => op_of(*letter),
        _ => None,
    };
    let op = op.ok_or_else(|| fields.fault(4, "R or W (or r or w)"))?;
    let time = fields.time(5, 1_000_000_000, "a time in seconds, in digits with at most one point")?;
    Ok(Line { asu: fields.get(1), lba, size, op, time })
}

#[inline]
fn op_of(letter: u8) -> Option<HostOp> {
    match letter {
        b'R' | b'r' => Some(HostOp::Read),
        b'W' | b'w' => Some(HostOp::Write),
        _ => None,
    }
}

fn detect(sample: &Sample<'_>) -> Fit {
    super::certain_if_most_parse(&FORMAT, sample)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::RecordParser;
    use crate::line_end::Alone;
    use crate::options::{SubSector, TraceOptions, ZeroSize};

    fn parse(line: &str) -> Result<Record<'_>, LineFault> {
        Spc { sizes: SizeRules::new(&TraceOptions::default()) }.record(line.as_bytes())
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
        for line in [FORMAT.example, "21,0,1,R,0", "00,7,18446744073709551615,W,12.5"] {
            if let Some((quick, _)) = quick::<Alone>(line.as_bytes()) {
                assert_eq!(quick, careful(line.as_bytes()).unwrap());
            }
        }
        assert!(quick::<Alone>(FORMAT.example.as_bytes()).is_some());
    }

    #[test]
    fn sizes_that_are_not_whole_sectors() {
        let options = TraceOptions {
            sub_sector: SubSector::Round,
            zero_size: ZeroSize::Skip,
            ..TraceOptions::default()
        };
        let mut parser = Spc { sizes: SizeRules::new(&options) };
        let Ok(Record::Request(raw)) = parser.record(b"0,10,513,w,1.0") else {
            panic!("not a request");
        };
        assert_eq!((raw.sector, raw.sectors, raw.rounded_to_sectors), (10, 2, true));
        assert_eq!(parser.record(b"0,10,0,w,1.0"), Ok(Record::Skipped(SKIPPED_ZERO_SIZE)));
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
        for (line, expected) in cases {
            let message = parse(line).unwrap_err().to_string();
            assert!(message.contains(expected), "{line}: {message}");
        }
    }
}
