//! MQSim's ASCII traces: `time device lba sectors type`, separated by blanks.
//!
//! Time is a whole number (nanoseconds unless stated), the address and length
//! are 512-byte sectors, type 0 is a WRITE and 1 a READ. MQSim itself ignores
//! the device number (README and ASCII_Trace_Definition.h of MQSim).

use super::{Fit, Format, RawRequest, Record, RecordParser, Sample, SKIPPED_ZERO_SIZE};
use crate::error::LineFault;
use crate::options::{MqsimTimeUnit, TraceOptions};
use crate::scan::{unsigned, Words};
use crate::sectors::{Column, SizeRules};
use crate::volumes::plain_name;
use slcache_core::device::request::HostOp;

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
    fn time(&self, field: &[u8]) -> Option<(u64, bool)> {
        let time = unsigned(field)?;
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

impl RecordParser for Mqsim {
    #[inline]
    fn record<'a>(&mut self, line: &'a [u8]) -> Result<Record<'a>, LineFault> {
        let fields = five_words(line)?;
        let (at_ns, rounded_to_ns) = self.time(fields[0]).ok_or_else(|| {
            let allowed = "a time as a whole number that fits 64 bits in nanoseconds";
            LineFault::field(1, NAMES[0], fields[0], allowed)
        })?;
        number(&fields, 2, "a device number from 0")?;
        let sector = number(&fields, 3, "a sector number from 0 to 2^64 - 1")?;
        let sectors = number(&fields, 4, "a positive number of sectors")?;
        let op = match fields[4] {
            b"0" => HostOp::Write,
            b"1" => HostOp::Read,
            other => return Err(LineFault::field(5, NAMES[4], other, "0 (write) or 1 (read)")),
        };
        let Some(extent) = self.sizes.extent_of_sectors(sector, (sectors, SECTORS))? else {
            return Ok(Record::Skipped(SKIPPED_ZERO_SIZE));
        };
        let mut raw = RawRequest::plain(at_ns, (extent.sector, extent.sectors), op, fields[1]);
        raw.rounded_to_ns = rounded_to_ns;
        Ok(Record::Request(raw))
    }
}

#[inline]
fn five_words(line: &[u8]) -> Result<[&[u8]; 5], LineFault> {
    let mut words = Words::new(line);
    let mut fields: [&[u8]; 5] = [&[]; 5];
    for field in &mut fields {
        *field = words.next().ok_or_else(|| columns_fault(line))?;
    }
    match words.next() {
        None => Ok(fields),
        Some(_) => Err(columns_fault(line)),
    }
}

#[cold]
fn columns_fault(line: &[u8]) -> LineFault {
    LineFault::Columns {
        found: Words::new(line).count(),
        expected: format!("5 ({})", NAMES.join(" ")),
        text: line.to_vec(),
    }
}

#[inline]
fn number(fields: &[&[u8]; 5], column: usize, allowed: &str) -> Result<u64, LineFault> {
    let field = fields[column - 1];
    unsigned(field).ok_or_else(|| LineFault::field(column, NAMES[column - 1], field, allowed))
}

/// Never told from the content: SSDsim and DiskSim files look the same and
/// mean other things by the last column and the time.
fn detect(sample: &Sample<'_>) -> Fit {
    match super::parses_most(&FORMAT, &sample.lines) {
        true => Fit::MustBeNamed,
        false => Fit::No,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
