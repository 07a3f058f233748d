//! Alibaba Cloud block traces of 2020:
//! `device_id,opcode,offset,length,timestamp`.
//!
//! README of alibaba/block-traces: opcode is R or W, offset and length are
//! bytes, the timestamp is Unix time in microseconds. A volume is a device.

use super::{Fit, Format, RawRequest, Record, Sample, SKIPPED_ZERO_SIZE};
use crate::error::LineFault;
use crate::fields::{Fields, SKIPPED_HEADER};
use crate::line_end::LineEnd;
use crate::scan::{digits_until, unsigned_last, unsigned_until};
use crate::sectors::{Column, SizeRules};
use crate::volumes::plain_name;
use slcache_base::request::HostOp;

pub(super) const FORMAT: Format = Format {
    name: "alicloud",
    about: "Alibaba Cloud 2020 csv: device (volume), R/W, offset and length in bytes, Unix microseconds",
    example: "419,W,8792731648,16384,1577808144360767",
    extensions: &["csv"],
    rebases: true,
    merges_volumes: false,
    takes_columns: false,
    text: true,
    volume_name: plain_name,
    detect,
    build: |options| Ok(Box::new(Alicloud { sizes: SizeRules::new(options) })),
};

const MICROSECOND_NS: u64 = 1000;
const NAMES: [&str; 5] = ["device_id", "opcode", "offset", "length", "timestamp"];
const OFFSET: Column<'static> = Column { number: 3, name: NAMES[2] };
const LENGTH: Column<'static> = Column { number: 4, name: NAMES[3] };

struct Alicloud {
    sizes: SizeRules,
}

/// A line taken apart; numbers still in the units of the file.
#[derive(Debug, PartialEq, Eq)]
struct Line<'a> {
    device: &'a [u8],
    op: HostOp,
    offset: u64,
    length: u64,
    at_ns: u64,
}

impl Alicloud {
    /// The request of a line taken apart.
    #[inline(always)]
    fn request<'a>(&self, line: Line<'a>) -> Result<Record<'a>, LineFault> {
        let (offset, length) = ((line.offset, OFFSET), (line.length, LENGTH));
        let Some(extent) = self.sizes.extent_of_bytes(offset, length)? else {
            return Ok(Record::Skipped(SKIPPED_ZERO_SIZE));
        };
        let place = (extent.sector, extent.sectors);
        let mut raw = RawRequest::plain(line.at_ns, place, line.op, line.device);
        raw.rounded_to_sectors = extent.rounded;
        Ok(Record::Request(raw))
    }
}

parses_lines!(Alicloud, found => match found {
    Some(parsed) => parsed,
    None => return Ok(Record::Skipped(SKIPPED_HEADER)),
});

/// One pass over a well-formed line; `None` when [`careful`] has to look.
#[inline(always)]
fn quick<E: LineEnd>(line: &[u8]) -> Option<(Line<'_>, &[u8])> {
    let (device, rest) = digits_until(line, b',')?;
    let (op, rest) = match rest {
        [b'R', b',', rest @ ..] => (HostOp::Read, rest),
        [b'W', b',', rest @ ..] => (HostOp::Write, rest),
        _ => return None,
    };
    let (offset, rest) = unsigned_until(rest, b',')?;
    let (length, rest) = unsigned_until(rest, b',')?;
    let (time_us, behind) = unsigned_last::<E>(rest)?;
    let at_ns = time_us.checked_mul(MICROSECOND_NS)?;
    Some((Line { device, op, offset, length, at_ns }, behind))
}

/// Field by field, so that whatever is wrong can be named; `None` for a header.
#[cold]
fn careful(line: &[u8]) -> Result<Option<Line<'_>>, LineFault> {
    let fields = Fields::split(line, b',', &NAMES)?;
    if fields.is_header(&[]) {
        return Ok(None);
    }
    fields.number(1, "a device number from 0")?;
    let op = match fields.get(2) {
        b"R" => HostOp::Read,
        b"W" => HostOp::Write,
        _ => return Err(fields.fault(2, "R or W")),
    };
    let offset = fields.number(3, "a whole number of bytes from 0 to 2^64 - 1")?;
    let length = fields.number(4, "a positive number of bytes")?;
    let allowed = "a Unix time in microseconds (a whole number up to 18446744073709551)";
    let at_ns = fields.number(5, allowed)?.checked_mul(MICROSECOND_NS);
    let at_ns = at_ns.ok_or_else(|| fields.fault(5, allowed))?;
    Ok(Some(Line { device: fields.get(1), op, offset, length, at_ns }))
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
        Alicloud { sizes: SizeRules::new(&TraceOptions::default()) }.record(line.as_bytes())
    }

    #[test]
    fn the_documented_line() {
        let place = (8_792_731_648 / 512, 32);
        let expected = RawRequest::plain(1_577_808_144_360_767_000, place, HostOp::Write, b"419");
        assert_eq!(parse(FORMAT.example), Ok(Record::Request(expected)));
        assert_eq!(parse("device_id,opcode,offset,length,timestamp"), Ok(Record::Skipped(SKIPPED_HEADER)));
    }

    #[test]
    fn both_ways_of_taking_a_line_apart_agree() {
        for line in [FORMAT.example, "0,R,0,4096,0", "007,R,1,18446744073709551615,18446744073709551"] {
            if let Some((quick, _)) = quick::<Alone>(line.as_bytes()) {
                assert_eq!(Some(quick), careful(line.as_bytes()).unwrap(), "{line}");
            }
        }
    }

    #[test]
    fn bad_fields_are_named() {
        let cases = [
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
        ];
        for (line, expected) in cases {
            let message = parse(line).unwrap_err().to_string();
            assert!(message.contains(expected), "{line}: {message}");
        }
    }
}
