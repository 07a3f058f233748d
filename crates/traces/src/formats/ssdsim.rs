//! SSDsim's ASCII traces: `time device lsn size operation`, separated by blanks.
//!
//! readme.txt of SSDsim: time is a whole number of nanoseconds, the logical
//! sector number and the size count 512-byte sectors, operation 1 is a READ and
//! 0 a WRITE. SSDsim itself ignores the device number; files made of a trace of
//! several volumes carry it, so a second one is not merged in silence.

use super::device_line::DeviceLine;
use super::{Fit, Format, RawRequest, Record, Sample, SKIPPED_ZERO_SIZE};
use crate::error::LineFault;
use crate::fields::Fields;
use crate::line_end::LineEnd;
use crate::scan::unsigned_word;
use crate::sectors::{Column, SizeRules};
use crate::volumes::plain_name;
use slcache_base::request::HostOp;

pub(super) const FORMAT: Format = Format {
    name: "ssdsim",
    about: "SSDsim ASCII: time in ns, device (volume), 512 B sector, sectors, 1 = read / 0 = write",
    example: "26214000 1 240840 6 0",
    extensions: &["ascii", "trace", "txt"],
    rebases: false,
    merges_volumes: false,
    takes_columns: false,
    text: true,
    volume_name: plain_name,
    detect,
    build: |options| Ok(Box::new(Ssdsim { sizes: SizeRules::new(options) })),
};

const NAMES: [&str; 5] = ["time", "device", "lsn", "size", "operation"];
const SIZE: Column<'static> = Column { number: 4, name: NAMES[3] };

struct Ssdsim {
    sizes: SizeRules,
}

/// A line taken apart.
#[derive(Debug, PartialEq, Eq)]
struct Line<'a> {
    at_ns: u64,
    device: &'a [u8],
    sector: u64,
    sectors: u64,
    op: HostOp,
}

impl Ssdsim {
    /// The request of a line taken apart.
    #[inline(always)]
    fn request<'a>(&self, line: Line<'a>) -> Result<Record<'a>, LineFault> {
        let Some(extent) = self.sizes.extent_of_sectors(line.sector, (line.sectors, SIZE))? else {
            return Ok(Record::Skipped(SKIPPED_ZERO_SIZE));
        };
        let place = (extent.sector, extent.sectors);
        Ok(Record::Request(RawRequest::plain(line.at_ns, place, line.op, line.device)))
    }
}

parses_lines!(Ssdsim, found => found);

/// One pass over a well-formed line; `None` when [`careful`] has to look.
#[inline(always)]
fn quick<E: LineEnd>(line: &[u8]) -> Option<(Line<'_>, &[u8])> {
    let (at_ns, rest) = unsigned_word::<E>(line)?;
    let (DeviceLine { device, sector, sectors, code }, behind) = DeviceLine::after_time::<E>(rest)?;
    let op = match code {
        b"0" => HostOp::Write,
        b"1" => HostOp::Read,
        _ => return None,
    };
    Some((Line { at_ns, device, sector, sectors, op }, behind))
}

/// Field by field, so that whatever is wrong can be named.
#[cold]
fn careful(line: &[u8]) -> Result<Line<'_>, LineFault> {
    let fields = Fields::words(line, &NAMES)?;
    let at_ns = fields.number(1, "a time in whole nanoseconds from 0 to 2^64 - 1")?;
    fields.number(2, "a device number from 0")?;
    let sector = fields.number(3, "a sector number from 0 to 2^64 - 1")?;
    let sectors = fields.number(4, "a positive number of sectors")?;
    let op = match fields.get(5) {
        b"0" => HostOp::Write,
        b"1" => HostOp::Read,
        _ => return Err(fields.fault(5, "1 (read) or 0 (write)")),
    };
    Ok(Line { at_ns, device: fields.get(2), sector, sectors, op })
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
        Ssdsim { sizes: SizeRules::new(&TraceOptions::default()) }.record(line.as_bytes())
    }

    #[test]
    fn one_is_a_read() {
        let mut expected = RawRequest::plain(26_214_000, (240_840, 6), HostOp::Write, b"1");
        assert_eq!(parse(FORMAT.example), Ok(Record::Request(expected)));
        expected.op = HostOp::Read;
        assert_eq!(parse("26214000\t1  240840 6 1 "), Ok(Record::Request(expected)));
    }

    #[test]
    fn both_ways_of_taking_a_line_apart_agree() {
        for line in [FORMAT.example, " 0 0\t0 1 1 ", "9999999999999999999 07 1 1 0"] {
            let (quick, _) = quick::<Alone>(line.as_bytes()).unwrap();
            assert_eq!(quick, careful(line.as_bytes()).unwrap(), "{line}");
        }
    }

    #[test]
    fn bad_fields_are_named() {
        let cases = [
            ("1.5 0 0 8 1", "column 1 (time): \"1.5\" is not a time in whole nanoseconds"),
            ("1 a 0 8 1", "column 2 (device): \"a\""),
            ("1 0 -8 8 1", "column 3 (lsn): \"-8\""),
            ("1 0 0 8.0 1", "column 4 (size): \"8.0\""),
            ("1 0 0 0 1", "column 4 (size): a request of size 0"),
            ("1 0 0 8 R", "column 5 (operation): \"R\" is not 1 (read) or 0 (write)"),
            ("1 0 0 8 01", "column 5 (operation)"),
            ("1 0 0 8", "4 columns where 5 (time device lsn size operation)"),
            ("1 0 0 8 1 1", "6 columns where 5"),
        ];
        for (line, expected) in cases {
            let message = parse(line).unwrap_err().to_string();
            assert!(message.contains(expected), "{line}: {message}");
        }
    }
}
