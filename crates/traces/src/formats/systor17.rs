//! SYSTOR '17 traces (LUNs of a virtual desktop service, SNIA IOTTA):
//! `Timestamp,Response,IOType,LUN,Offset,Size` with a header line.
//!
//! README of the distribution: Timestamp is Unix time in seconds with nine
//! decimals, of which the last three mean nothing; Response is in seconds;
//! IOType is R, W or blank where no response was captured; Offset and Size are
//! bytes. Which way a blank request went is not known, so it is left out.

use super::{Fit, Format, RawRequest, Record, Sample, SKIPPED_ZERO_SIZE};
use crate::error::LineFault;
use crate::fields::{Fields, SKIPPED_HEADER};
use crate::line_end::LineEnd;
use crate::scan::{
    decimal_time, decimal_until, digits_until, unsigned_last, unsigned_until, ScannedTime,
};
use crate::sectors::{Column, SizeRules};
use crate::volumes::plain_name;
use slcache_base::request::HostOp;

pub(super) const FORMAT: Format = Format {
    name: "systor17",
    about: "SYSTOR '17 csv: seconds, response seconds, R/W (blank: left out), LUN (volume), offset and size in bytes",
    example: "1456095145.133076000,0.000806000,R,0,899056122368,131072",
    extensions: &["csv"],
    rebases: true,
    merges_volumes: false,
    takes_columns: false,
    text: true,
    volume_name: plain_name,
    detect,
    build: |options| Ok(Box::new(Systor17 { sizes: SizeRules::new(options) })),
};

const SECOND_NS: u64 = 1_000_000_000;
const NAMES: [&str; 6] = ["Timestamp", "Response", "IOType", "LUN", "Offset", "Size"];
/// Names found in headers beside those of the README.
const OTHER_NAMES: [(usize, &str); 4] =
    [(2, "ResponseTime"), (2, "Response Time"), (3, "IO Type"), (3, "Type")];
const OFFSET: Column<'static> = Column { number: 5, name: NAMES[4] };
const SIZE: Column<'static> = Column { number: 6, name: NAMES[5] };
const SKIPPED_NO_RESPONSE: &str = "blank IOType (no response was captured)";

struct Systor17 {
    sizes: SizeRules,
}

/// A line taken apart; numbers still in the units of the file.
#[derive(Debug, PartialEq, Eq)]
struct Line<'a> {
    time: ScannedTime,
    response_ns: Option<u64>,
    op: HostOp,
    lun: &'a [u8],
    offset: u64,
    size: u64,
}

impl Systor17 {
    /// The request of a line taken apart.
    #[inline(always)]
    fn request<'a>(&self, line: Line<'a>) -> Result<Record<'a>, LineFault> {
        let (offset, size) = ((line.offset, OFFSET), (line.size, SIZE));
        let Some(extent) = self.sizes.extent_of_bytes(offset, size)? else {
            return Ok(Record::Skipped(SKIPPED_ZERO_SIZE));
        };
        let place = (extent.sector, extent.sectors);
        let mut raw = RawRequest::plain(line.time.at_ns, place, line.op, line.lun);
        raw.response_ns = line.response_ns;
        raw.rounded_to_sectors = extent.rounded;
        raw.rounded_to_ns = line.time.rounded;
        Ok(Record::Request(raw))
    }
}

parses_lines!(Systor17, found => match found {
    Ok(parsed) => parsed,
    Err(skipped) => return Ok(Record::Skipped(skipped)),
});

/// One pass over a well-formed line; `None` when [`careful`] has to look.
#[inline(always)]
fn quick<E: LineEnd>(line: &[u8]) -> Option<(Line<'_>, &[u8])> {
    let (at_ns, rest) = decimal_until::<9>(line, b',')?;
    let (response_ns, rest) = decimal_until::<9>(rest, b',')?;
    let (op, named) = match rest {
        [b'R', b',', named @ ..] => (HostOp::Read, named),
        [b'W', b',', named @ ..] => (HostOp::Write, named),
        _ => return None,
    };
    let (lun, rest) = digits_until(named, b',')?;
    let (offset, size) = unsigned_until(rest, b',')?;
    let (size, behind) = unsigned_last::<E>(size)?;
    let time = ScannedTime { at_ns, rounded: false };
    Some((Line { time, response_ns: Some(response_ns), op, lun, offset, size }, behind))
}

/// Field by field, so that whatever is wrong can be named; or why the line is
/// left out.
#[cold]
fn careful(line: &[u8]) -> Result<Result<Line<'_>, &'static str>, LineFault> {
    let fields = Fields::split(line, b',', &NAMES)?;
    if fields.is_header(&OTHER_NAMES) {
        return Ok(Err(SKIPPED_HEADER));
    }
    let time = fields.time(1, SECOND_NS, "a Unix time in seconds, in digits with at most one point")?;
    let op = match fields.get(3) {
        b"R" => HostOp::Read,
        b"W" => HostOp::Write,
        b"" => return Ok(Err(SKIPPED_NO_RESPONSE)),
        _ => return Err(fields.fault(3, "R, W or blank")),
    };
    let response = decimal_time(fields.get(2), SECOND_NS);
    let response_ns = match (fields.get(2), response) {
        (b"", _) => None,
        (_, Some(response)) => Some(response.at_ns),
        _ => return Err(fields.fault(2, "a response time in seconds from 0, or blank")),
    };
    fields.number(4, "a LUN number from 0")?;
    let offset = fields.number(5, "a whole number of bytes from 0 to 2^64 - 1")?;
    let size = fields.number(6, "a positive number of bytes")?;
    Ok(Ok(Line { time, response_ns, op, lun: fields.get(4), offset, size }))
}

fn detect(sample: &Sample<'_>) -> Fit {
    super::certain_if_most_parse(&FORMAT, sample)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::RecordParser;
    use crate::line_end::Alone;
    use crate::options::TraceOptions;

    fn parse(line: &str) -> Result<Record<'_>, LineFault> {
        Systor17 { sizes: SizeRules::new(&TraceOptions::default()) }.record(line.as_bytes())
    }

    #[test]
    fn the_documented_line() {
        let place = (899_056_122_368 / 512, 256);
        let mut expected = RawRequest::plain(1_456_095_145_133_076_000, place, HostOp::Read, b"0");
        expected.response_ns = Some(806_000);
        assert_eq!(parse(FORMAT.example), Ok(Record::Request(expected)));
    }

    #[test]
    fn headers_and_blank_types_are_counted() {
        for header in [
            "Timestamp,Response,IOType,LUN,Offset,Size",
            "timestamp, ResponseTime, IO Type, lun, offset, size",
        ] {
            assert_eq!(parse(header), Ok(Record::Skipped(SKIPPED_HEADER)), "{header}");
        }
        for blank in ["1456095145.1,0.0,,4,0,512", "1456095145.1,, ,4,0,512"] {
            assert_eq!(parse(blank), Ok(Record::Skipped(SKIPPED_NO_RESPONSE)), "{blank}");
        }
    }

    #[test]
    fn both_ways_of_taking_a_line_apart_agree() {
        for line in [FORMAT.example, "1,0,W,6,0,4096", "1456095145.1,12.5,R,00,512,1"] {
            let (quick, _) = quick::<Alone>(line.as_bytes()).unwrap();
            assert_eq!(Ok(quick), careful(line.as_bytes()).unwrap(), "{line}");
        }
        let Ok(Record::Request(raw)) = parse("1.0000000004,,R,0,0,512") else {
            panic!("not a request");
        };
        assert_eq!((raw.at_ns, raw.rounded_to_ns, raw.response_ns), (1_000_000_000, true, None));
    }

    #[test]
    fn bad_fields_are_named() {
        let cases = [
            ("x,0.1,R,0,0,512", "column 1 (Timestamp): \"x\""),
            ("1.5,-0.1,R,0,0,512", "column 2 (Response): \"-0.1\""),
            ("1.5,0.1,Read,0,0,512", "column 3 (IOType): \"Read\" is not R, W or blank"),
            ("1.5,0.1,R,a,0,512", "column 4 (LUN): \"a\""),
            ("1.5,0.1,R,0,-512,512", "column 5 (Offset): \"-512\""),
            ("1.5,0.1,R,0,100,512", "column 5 (Offset): 100 bytes is not a multiple of 512"),
            ("1.5,0.1,R,0,0,5.5", "column 6 (Size): \"5.5\""),
            ("1.5,0.1,R,0,0,0", "column 6 (Size): a request of size 0"),
            ("1.5,0.1,R,0,0", "5 columns where 6 (Timestamp,Response,IOType,LUN,Offset,Size)"),
            ("1.5,0.1,R,0,0,512,1", "7 columns where 6"),
        ];
        for (line, expected) in cases {
            let message = parse(line).unwrap_err().to_string();
            assert!(message.contains(expected), "{line}: {message}");
        }
    }
}
