//! DiskSim's ASCII traces: `time device block blocks flags`, separated by blanks.
//!
//! disksim_iotrace.c and disksim_reqflags.h: time is in milliseconds with a
//! fraction, the block number and the count are in 512-byte blocks, flags are
//! hexadecimal. Bit 0 of the flags set is a READ, clear a WRITE; the other bits
//! tell a scheduler how urgent a request is and whether it is asynchronous,
//! and are not used here.

use super::device_line::DeviceLine;
use super::{Fit, Format, RawRequest, Record, Sample, SKIPPED_ZERO_SIZE};
use crate::error::LineFault;
use crate::fields::Fields;
use crate::line_end::LineEnd;
use crate::scan::{decimal_until, ScannedTime};
use crate::sectors::{Column, SizeRules};
use crate::volumes::plain_name;
use slcache_base::request::HostOp;

pub(super) const FORMAT: Format = Format {
    name: "disksim",
    about: "DiskSim ASCII: time in ms, device (volume), 512 B block, blocks, hexadecimal flags (bit 0 set = read)",
    example: "0.221 5 162947904 16 1",
    extensions: &["trace", "ascii", "txt"],
    rebases: false,
    merges_volumes: false,
    takes_columns: false,
    text: true,
    volume_name: plain_name,
    detect,
    build: |options| Ok(Box::new(Disksim { sizes: SizeRules::new(options) })),
};

const MILLISECOND_NS: u64 = 1_000_000;
/// DISKSIM_READ.
const READ: u32 = 1;
const NAMES: [&str; 5] = ["time", "device", "block", "blocks", "flags"];
const BLOCKS: Column<'static> = Column { number: 4, name: NAMES[3] };

struct Disksim {
    sizes: SizeRules,
}

/// A line taken apart.
#[derive(Debug, PartialEq, Eq)]
struct Line<'a> {
    time: ScannedTime,
    device: &'a [u8],
    sector: u64,
    sectors: u64,
    flags: u32,
}

impl Disksim {
    /// The request of a line taken apart.
    #[inline(always)]
    fn request<'a>(&self, line: Line<'a>) -> Result<Record<'a>, LineFault> {
        let op = if line.flags & READ == 0 { HostOp::Write } else { HostOp::Read };
        let Some(extent) = self.sizes.extent_of_sectors(line.sector, (line.sectors, BLOCKS))? else {
            return Ok(Record::Skipped(SKIPPED_ZERO_SIZE));
        };
        let place = (extent.sector, extent.sectors);
        let mut raw = RawRequest::plain(line.time.at_ns, place, op, line.device);
        raw.rounded_to_ns = line.time.rounded;
        Ok(Record::Request(raw))
    }
}

parses_lines!(Disksim, found => found);

/// One pass over a well-formed line; `None` when [`careful`] has to look.
#[inline(always)]
fn quick<E: LineEnd>(line: &[u8]) -> Option<(Line<'_>, &[u8])> {
    let (at_ns, rest) = decimal_until::<6>(line, b' ')?;
    let (DeviceLine { device, sector, sectors, code }, behind) = DeviceLine::after_time::<E>(rest)?;
    let flags = hexadecimal(code)?;
    let time = ScannedTime { at_ns, rounded: false };
    Some((Line { time, device, sector, sectors, flags }, behind))
}

/// Field by field, so that whatever is wrong can be named.
#[cold]
fn careful(line: &[u8]) -> Result<Line<'_>, LineFault> {
    let fields = Fields::words(line, &NAMES)?;
    let time = fields.time(1, MILLISECOND_NS, "a time in milliseconds, in digits with at most one point")?;
    fields.number(2, "a device number from 0")?;
    let sector = fields.number(3, "a block number from 0 to 2^64 - 1")?;
    let sectors = fields.number(4, "a positive number of blocks")?;
    let flags = hexadecimal(fields.get(5));
    let flags = flags.ok_or_else(|| fields.fault(5, "hexadecimal flags of at most 32 bits"))?;
    Ok(Line { time, device: fields.get(2), sector, sectors, flags })
}

/// Hexadecimal digits, with or without `0x` in front.
#[inline]
fn hexadecimal(field: &[u8]) -> Option<u32> {
    let digits = field.strip_prefix(b"0x").unwrap_or(field);
    if !(1..=8).contains(&digits.len()) {
        return None;
    }
    digits.iter().try_fold(0u32, |value, &digit| Some(value << 4 | char::from(digit).to_digit(16)?))
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
        Disksim { sizes: SizeRules::new(&TraceOptions::default()) }.record(line.as_bytes())
    }

    fn op(line: &str) -> HostOp {
        match parse(line) {
            Ok(Record::Request(raw)) => raw.op,
            other => panic!("{line}: {other:?}"),
        }
    }

    #[test]
    fn the_documented_line() {
        let expected = RawRequest::plain(221_000, (162_947_904, 16), HostOp::Read, b"5");
        assert_eq!(parse(FORMAT.example), Ok(Record::Request(expected)));
    }

    #[test]
    fn bit_0_of_the_flags_is_the_direction() {
        for (flags, expected) in [
            ("0", HostOp::Write),
            ("1", HostOp::Read),
            ("80", HostOp::Write),
            ("0x81", HostOp::Read),
            ("FFFFfffe", HostOp::Write),
        ] {
            assert_eq!(op(&format!("12 0 0 8 {flags}")), expected, "{flags}");
        }
    }

    #[test]
    fn both_ways_of_taking_a_line_apart_agree() {
        for line in [FORMAT.example, "0 0\t0 1 1 ", "100000.599999 07 1 1 10"] {
            let (quick, _) = quick::<Alone>(line.as_bytes()).unwrap();
            assert_eq!(quick, careful(line.as_bytes()).unwrap(), "{line}");
        }
        let Ok(Record::Request(raw)) = parse(" 100000.5999999\t07 1 1 10") else {
            panic!("not a request");
        };
        assert_eq!((raw.at_ns, raw.rounded_to_ns), (100_000_600_000, true));
    }

    #[test]
    fn bad_fields_are_named() {
        let cases = [
            ("-1.5 0 0 8 1", "column 1 (time): \"-1.5\" is not a time in milliseconds"),
            ("1 a 0 8 1", "column 2 (device): \"a\""),
            ("1 0 -8 8 1", "column 3 (block): \"-8\""),
            ("1 0 0 8.0 1", "column 4 (blocks): \"8.0\""),
            ("1 0 0 0 1", "column 4 (blocks): a request of size 0"),
            ("1 0 0 8 R", "column 5 (flags): \"R\" is not hexadecimal flags"),
            ("1 0 0 8 100000001", "column 5 (flags)"),
            ("1 0 0 8", "4 columns where 5 (time device block blocks flags)"),
        ];
        for (line, expected) in cases {
            let message = parse(line).unwrap_err().to_string();
            assert!(message.contains(expected), "{line}: {message}");
        }
    }
}
