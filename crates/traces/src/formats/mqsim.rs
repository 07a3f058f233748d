//! MQSim's ASCII traces: `time device lba sectors type`, separated by blanks.
//!
//! Time is a whole number (nanoseconds unless stated), the address and length
//! are 512-byte sectors, type 0 is a WRITE and 1 a READ. MQSim itself ignores
//! the device number (README and ASCII_Trace_Definition.h of MQSim).

use super::device_line::DeviceLine;
use super::{Fit, Format, RawRequest, Record, Sample, SKIPPED_ZERO_SIZE};
use crate::error::LineFault;
use crate::fields::Fields;
use crate::line_end::LineEnd;
use crate::options::{MqsimTimeUnit, TraceOptions};
use crate::scan::unsigned_word;
use crate::sectors::{Column, SizeRules};
use crate::volumes::plain_name;
use slcache_base::request::HostOp;

pub(super) const FORMAT: Format = Format {
    name: "mqsim",
    about: "MQSim ASCII: time (ns by default), device (ignored unless a volume is chosen), 512 B sector, sectors, 0 = write / 1 = read",
    example: "938513000 4 264719034 16 0",
    extensions: &["trace", "txt"],
    rebases: false,
    merges_volumes: true,
    takes_columns: false,
    text: true,
    volume_name: plain_name,
    detect,
    build: |options| Ok(Box::new(Mqsim::new(options))),
};

const NAMES: [&str; 5] = ["time", "device", "lba", "sectors", "type"];
const TIME: &str = "a time as a whole number that fits 64 bits in nanoseconds";
const SECTORS: Column<'static> = Column { number: 4, name: NAMES[3] };

struct Mqsim {
    unit: MqsimTimeUnit,
    sizes: SizeRules,
}

impl Mqsim {
    fn new(options: &TraceOptions) -> Self {
        Self { unit: options.mqsim_time_unit, sizes: SizeRules::new(options) }
    }

    /// Nanoseconds, and whether picoseconds were rounded.
    #[inline]
    fn nanoseconds(&self, time: u64) -> Option<(u64, bool)> {
        match self.unit {
            MqsimTimeUnit::Ns => Some((time, false)),
            MqsimTimeUnit::Us => time.checked_mul(1000).map(|at_ns| (at_ns, false)),
            MqsimTimeUnit::Ps => {
                let (whole, rest) = (time / 1000, time % 1000);
                Some((whole + u64::from(rest >= 500), rest != 0))
            }
        }
    }
}

/// A line taken apart; the time still in the unit of the file.
#[derive(Debug, PartialEq, Eq)]
struct Line<'a> {
    time: u64,
    device: &'a [u8],
    sector: u64,
    sectors: u64,
    op: HostOp,
}

impl Mqsim {
    /// The request of a line taken apart.
    #[inline(always)]
    fn request<'a>(&self, line: Line<'a>) -> Result<Record<'a>, LineFault> {
        let (at_ns, rounded_to_ns) = self.nanoseconds(line.time).ok_or_else(|| time_fault(line.time))?;
        let Some(extent) = self.sizes.extent_of_sectors(line.sector, (line.sectors, SECTORS))? else {
            return Ok(Record::Skipped(SKIPPED_ZERO_SIZE));
        };
        let place = (extent.sector, extent.sectors);
        let mut raw = RawRequest::plain(at_ns, place, line.op, line.device);
        raw.rounded_to_ns = rounded_to_ns;
        Ok(Record::Request(raw))
    }
}

parses_lines!(Mqsim, found => found);

#[cold]
fn time_fault(time: u64) -> LineFault {
    LineFault::field(1, NAMES[0], time.to_string().as_bytes(), TIME)
}

/// One pass over a well-formed line; `None` when [`careful`] has to look.
#[inline(always)]
fn quick<E: LineEnd>(line: &[u8]) -> Option<(Line<'_>, &[u8])> {
    let (time, rest) = unsigned_word::<E>(line)?;
    let (DeviceLine { device, sector, sectors, code }, behind) = DeviceLine::after_time::<E>(rest)?;
    let op = match code {
        b"0" => HostOp::Write,
        b"1" => HostOp::Read,
        _ => return None,
    };
    Some((Line { time, device, sector, sectors, op }, behind))
}

/// Field by field, so that whatever is wrong can be named.
#[cold]
fn careful(line: &[u8]) -> Result<Line<'_>, LineFault> {
    let fields = Fields::words(line, &NAMES)?;
    let time = fields.number(1, TIME)?;
    fields.number(2, "a device number from 0")?;
    let sector = fields.number(3, "a sector number from 0 to 2^64 - 1")?;
    let sectors = fields.number(4, "a positive number of sectors")?;
    let op = match fields.get(5) {
        b"0" => HostOp::Write,
        b"1" => HostOp::Read,
        _ => return Err(fields.fault(5, "0 (write) or 1 (read)")),
    };
    Ok(Line { time, device: fields.get(2), sector, sectors, op })
}

/// Never told from the content: SSDsim and DiskSim files look the same and
/// mean other things by the last column and the time.
fn detect(sample: &Sample<'_>) -> Fit {
    super::named_if_most_parse(&FORMAT, sample)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::RecordParser;
    use crate::line_end::Alone;

    fn parse(line: &str, unit: MqsimTimeUnit) -> Result<Record<'_>, LineFault> {
        let options = TraceOptions { mqsim_time_unit: unit, ..TraceOptions::default() };
        Mqsim::new(&options).record(line.as_bytes())
    }

    fn time(line: &str, unit: MqsimTimeUnit) -> (u64, bool) {
        match parse(line, unit) {
            Ok(Record::Request(raw)) => (raw.at_ns, raw.rounded_to_ns),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn the_documented_line() {
        let Ok(Record::Request(raw)) = parse(FORMAT.example, MqsimTimeUnit::Ns) else {
            panic!("not a request");
        };
        let expected = RawRequest::plain(938_513_000, (264_719_034, 16), HostOp::Write, b"4");
        assert_eq!(raw, expected);
    }

    #[test]
    fn time_units() {
        assert_eq!(time("1500 0 0 8 1", MqsimTimeUnit::Ns), (1500, false));
        assert_eq!(time("1500 0 0 8 1", MqsimTimeUnit::Us), (1_500_000, false));
        assert_eq!(time("1500 0 0 8 1", MqsimTimeUnit::Ps), (2, true));
        assert_eq!(time("1000\t0  0 8 1 ", MqsimTimeUnit::Ps), (1, false));
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
            ("-1 0 0 8 1", "column 1 (time): \"-1\""),
            ("18446744073709551615 0 0 8 1", "column 1 (time)"),
            ("1 x 0 8 1", "column 2 (device)"),
            ("1 0 1.5 8 1", "column 3 (lba)"),
            ("1 0 0 -8 1", "column 4 (sectors)"),
            ("1 0 0 4294967296 1", "column 4 (sectors)"),
            ("1 0 0 0 1", "column 4 (sectors): a request of size 0"),
            ("1 0 0 8 2", "column 5 (type): \"2\" is not 0 (write) or 1 (read)"),
            ("1 0 0 8", "4 columns where 5 (time device lba sectors type)"),
            ("1 0 0 8 1 1", "6 columns where 5"),
        ];
        for (line, expected) in cases {
            let message = parse(line, MqsimTimeUnit::Us).unwrap_err().to_string();
            assert!(message.contains(expected), "{line}: {message}");
        }
    }
}
