//! Fujitsu K5 cloud traces (SNIA IOTTA parallel/26930):
//! `ID,Timestamp,Type,Offset,Length`.
//!
//! README of the distribution: ID is the virtual storage volume, Timestamp the
//! seconds since the first request of all files, Type R or W, Offset and Length
//! are bytes. Times are kept as given, since the volumes of a data set lie in
//! files of their own and share their time 0.

use super::{Fit, Format, RawRequest, Record, Sample, SKIPPED_ZERO_SIZE};
use crate::error::LineFault;
use crate::fields::{Fields, SKIPPED_HEADER};
use crate::line_end::LineEnd;
use crate::scan::{decimal_until, digits_until, unsigned_last, unsigned_until, ScannedTime};
use crate::sectors::{Column, SizeRules};
use crate::volumes::plain_name;
use slcache_base::request::HostOp;

pub(super) const FORMAT: Format = Format {
    name: "k5cloud",
    about: "Fujitsu K5 cloud csv: volume, seconds, R/W, offset and length in bytes",
    example: "1283,3.000012,W,42932745216,65536",
    extensions: &["csv"],
    rebases: false,
    merges_volumes: false,
    takes_columns: false,
    text: true,
    volume_name: plain_name,
    detect,
    build: |options| Ok(Box::new(K5cloud { sizes: SizeRules::new(options) })),
};

const SECOND_NS: u64 = 1_000_000_000;
const NAMES: [&str; 5] = ["ID", "Timestamp", "Type", "Offset", "Length"];
const OFFSET: Column<'static> = Column { number: 4, name: NAMES[3] };
const LENGTH: Column<'static> = Column { number: 5, name: NAMES[4] };

struct K5cloud {
    sizes: SizeRules,
}

/// A line taken apart; numbers still in the units of the file.
#[derive(Debug, PartialEq, Eq)]
struct Line<'a> {
    volume: &'a [u8],
    time: ScannedTime,
    op: HostOp,
    offset: u64,
    length: u64,
}

impl K5cloud {
    /// The request of a line taken apart.
    #[inline(always)]
    fn request<'a>(&self, line: Line<'a>) -> Result<Record<'a>, LineFault> {
        let (offset, length) = ((line.offset, OFFSET), (line.length, LENGTH));
        let Some(extent) = self.sizes.extent_of_bytes(offset, length)? else {
            return Ok(Record::Skipped(SKIPPED_ZERO_SIZE));
        };
        let place = (extent.sector, extent.sectors);
        let mut raw = RawRequest::plain(line.time.at_ns, place, line.op, line.volume);
        raw.rounded_to_sectors = extent.rounded;
        raw.rounded_to_ns = line.time.rounded;
        Ok(Record::Request(raw))
    }
}

parses_lines!(K5cloud, found => match found {
    Some(parsed) => parsed,
    None => return Ok(Record::Skipped(SKIPPED_HEADER)),
});

/// One pass over a well-formed line; `None` when [`careful`] has to look.
#[inline(always)]
fn quick<E: LineEnd>(line: &[u8]) -> Option<(Line<'_>, &[u8])> {
    let (volume, rest) = digits_until(line, b',')?;
    let (at_ns, rest) = decimal_until::<9>(rest, b',')?;
    let (op, rest) = match rest {
        [b'R', b',', rest @ ..] => (HostOp::Read, rest),
        [b'W', b',', rest @ ..] => (HostOp::Write, rest),
        _ => return None,
    };
    let (offset, length) = unsigned_until(rest, b',')?;
    let (length, behind) = unsigned_last::<E>(length)?;
    Some((Line { volume, time: ScannedTime { at_ns, rounded: false }, op, offset, length }, behind))
}

/// Field by field, so that whatever is wrong can be named; `None` for a header.
#[cold]
fn careful(line: &[u8]) -> Result<Option<Line<'_>>, LineFault> {
    let fields = Fields::split(line, b',', &NAMES)?;
    if fields.is_header(&[]) {
        return Ok(None);
    }
    fields.number(1, "a volume number from 0")?;
    let time = fields.time(2, SECOND_NS, "a time in seconds from 0, in digits with at most one point")?;
    let op = match fields.get(3) {
        b"R" => HostOp::Read,
        b"W" => HostOp::Write,
        _ => return Err(fields.fault(3, "R or W")),
    };
    let offset = fields.number(4, "a whole number of bytes from 0 to 2^64 - 1")?;
    let length = fields.number(5, "a positive number of bytes")?;
    Ok(Some(Line { volume: fields.get(1), time, op, offset, length }))
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
        K5cloud { sizes: SizeRules::new(&TraceOptions::default()) }.record(line.as_bytes())
    }

    #[test]
    fn the_documented_line() {
        let place = (42_932_745_216 / 512, 128);
        let expected = RawRequest::plain(3_000_012_000, place, HostOp::Write, b"1283");
        assert_eq!(parse(FORMAT.example), Ok(Record::Request(expected)));
        assert_eq!(parse("ID, Timestamp, Type, Offset, Length"), Ok(Record::Skipped(SKIPPED_HEADER)));
    }

    #[test]
    fn both_ways_of_taking_a_line_apart_agree() {
        for line in [FORMAT.example, "0,0,R,0,512", "0,12.000000001,R,1,1"] {
            let quick = quick::<Alone>(line.as_bytes()).map(|(line, _)| line);
            assert_eq!(quick, careful(line.as_bytes()).unwrap(), "{line}");
        }
        let Ok(Record::Request(raw)) = parse("0, 0.0000000015, R, 0, 512") else {
            panic!("not a request");
        };
        assert_eq!((raw.at_ns, raw.rounded_to_ns), (2, true));
    }

    #[test]
    fn bad_fields_are_named() {
        let cases = [
            ("x,0.1,R,0,512", "column 1 (ID): \"x\""),
            ("1,x,R,0,512", "column 2 (Timestamp): \"x\""),
            ("1,0.1,Read,0,512", "column 3 (Type): \"Read\" is not R or W"),
            ("1,0.1,R,,512", "column 4 (Offset): \"\""),
            ("1,0.1,R,8,512", "column 4 (Offset): 8 bytes is not a multiple of 512"),
            ("1,0.1,R,0,x", "column 5 (Length): \"x\""),
            ("1,0.1,R,0,0", "column 5 (Length): a request of size 0"),
            ("1,0.1,R,0", "4 columns where 5 (ID,Timestamp,Type,Offset,Length)"),
        ];
        for (line, expected) in cases {
            let message = parse(line).unwrap_err().to_string();
            assert!(message.contains(expected), "{line}: {message}");
        }
    }
}
