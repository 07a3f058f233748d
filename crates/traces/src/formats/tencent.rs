//! Tencent Cloud Block Storage traces of 2018 (SNIA IOTTA parallel/28064):
//! `Timestamp,Offset,Size,IOType,VolumeID`.
//!
//! README of the distribution: Timestamp is Unix time in whole seconds, Offset
//! and Size count sectors of 512 bytes, IOType 0 is a READ and 1 a WRITE. That
//! is the other way round than in MQSim, SSDsim and DiskSim files, so the format
//! is never told from the content. `coarse_time = "spread"` spreads the requests
//! of a second over it.

use super::{Fit, Format, RawRequest, Record, Sample, SKIPPED_ZERO_SIZE};
use crate::digits::leading_digits;
use crate::error::LineFault;
use crate::fields::{Fields, SKIPPED_HEADER};
use crate::line_end::LineEnd;
use crate::scan::unsigned_until;
use crate::sectors::{Column, SizeRules};
use crate::volumes::plain_name;
use slcache_base::request::HostOp;

pub(super) const FORMAT: Format = Format {
    name: "tencent",
    about: "Tencent CBS 2018 csv: whole Unix seconds, 512 B sector, sectors, 0 = read / 1 = write, volume",
    example: "1538323199,13896880,128,0,1063",
    extensions: &["csv"],
    rebases: true,
    merges_volumes: false,
    takes_columns: false,
    text: true,
    volume_name: plain_name,
    detect,
    build: |options| Ok(Box::new(Tencent { sizes: SizeRules::new(options) })),
};

const SECOND_NS: u64 = 1_000_000_000;
const NAMES: [&str; 5] = ["Timestamp", "Offset", "Size", "IOType", "VolumeID"];
const SIZE: Column<'static> = Column { number: 3, name: NAMES[2] };

struct Tencent {
    sizes: SizeRules,
}

/// A line taken apart; numbers still in the units of the file.
#[derive(Debug, PartialEq, Eq)]
struct Line<'a> {
    at_ns: u64,
    sector: u64,
    sectors: u64,
    op: HostOp,
    volume: &'a [u8],
}

impl Tencent {
    /// The request of a line taken apart.
    #[inline(always)]
    fn request<'a>(&self, line: Line<'a>) -> Result<Record<'a>, LineFault> {
        let Some(extent) = self.sizes.extent_of_sectors(line.sector, (line.sectors, SIZE))? else {
            return Ok(Record::Skipped(SKIPPED_ZERO_SIZE));
        };
        let place = (extent.sector, extent.sectors);
        Ok(Record::Request(RawRequest::plain(line.at_ns, place, line.op, line.volume)))
    }
}

parses_lines!(Tencent, found => match found {
    Some(parsed) => parsed,
    None => return Ok(Record::Skipped(SKIPPED_HEADER)),
});

/// One pass over a well-formed line; `None` when [`careful`] has to look.
#[inline(always)]
fn quick<E: LineEnd>(line: &[u8]) -> Option<(Line<'_>, &[u8])> {
    let (seconds, rest) = unsigned_until(line, b',')?;
    let (sector, rest) = unsigned_until(rest, b',')?;
    let (sectors, rest) = unsigned_until(rest, b',')?;
    let (op, volume) = match rest {
        [b'0', b',', volume @ ..] => (HostOp::Read, volume),
        [b'1', b',', volume @ ..] => (HostOp::Write, volume),
        _ => return None,
    };
    let (_, digits) = leading_digits(volume);
    let behind = E::behind(&volume[digits..]).filter(|_| digits > 0)?;
    let at_ns = seconds.checked_mul(SECOND_NS)?;
    Some((Line { at_ns, sector, sectors, op, volume: &volume[..digits] }, behind))
}

/// Field by field, so that whatever is wrong can be named; `None` for a header.
#[cold]
fn careful(line: &[u8]) -> Result<Option<Line<'_>>, LineFault> {
    let fields = Fields::split(line, b',', &NAMES)?;
    if fields.is_header(&[]) {
        return Ok(None);
    }
    let allowed = "a Unix time in whole seconds, up to 18446744073";
    let at_ns = fields.number(1, allowed)?.checked_mul(SECOND_NS);
    let at_ns = at_ns.ok_or_else(|| fields.fault(1, allowed))?;
    let sector = fields.number(2, "a sector number from 0 to 2^64 - 1")?;
    let sectors = fields.number(3, "a positive number of sectors")?;
    let op = match fields.get(4) {
        b"0" => HostOp::Read,
        b"1" => HostOp::Write,
        _ => return Err(fields.fault(4, "0 (read) or 1 (write)")),
    };
    fields.number(5, "a volume number from 0")?;
    Ok(Some(Line { at_ns, sector, sectors, op, volume: fields.get(5) }))
}

fn detect(sample: &Sample<'_>) -> Fit {
    super::named_if_most_parse(&FORMAT, sample)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::RecordParser;
    use crate::line_end::Alone;
    use crate::options::TraceOptions;

    fn parse(line: &str) -> Result<Record<'_>, LineFault> {
        Tencent { sizes: SizeRules::new(&TraceOptions::default()) }.record(line.as_bytes())
    }

    #[test]
    fn zero_is_a_read() {
        let mut expected =
            RawRequest::plain(1_538_323_199_000_000_000, (13_896_880, 128), HostOp::Read, b"1063");
        assert_eq!(parse(FORMAT.example), Ok(Record::Request(expected)));
        expected.op = HostOp::Write;
        assert_eq!(parse("1538323199,13896880,128,1,1063"), Ok(Record::Request(expected)));
        assert_eq!(parse("Timestamp,Offset,Size,IOType,VolumeID"), Ok(Record::Skipped(SKIPPED_HEADER)));
    }

    #[test]
    fn both_ways_of_taking_a_line_apart_agree() {
        for line in [FORMAT.example, "0,0,1,1,0", "18446744073,18446744073709551,1,0,007"] {
            let quick = quick::<Alone>(line.as_bytes()).map(|(line, _)| line);
            assert_eq!(quick, careful(line.as_bytes()).unwrap(), "{line}");
        }
    }

    #[test]
    fn bad_fields_are_named() {
        let cases = [
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
        ];
        for (line, expected) in cases {
            let message = parse(line).unwrap_err().to_string();
            assert!(message.contains(expected), "{line}: {message}");
        }
    }
}
