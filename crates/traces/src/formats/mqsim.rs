//! MQSim's ASCII traces: `time device lba sectors type`, separated by blanks.
//!
//! Time is a whole number (nanoseconds unless stated), the address and length
//! are 512-byte sectors, type 0 is a WRITE and 1 a READ. MQSim itself ignores
//! the device number (README and ASCII_Trace_Definition.h of MQSim).

use super::columns::{column, Columns, Header, Holds, Split, Units, ONE_IS_READ};
use super::lines::{Line, LineFormat};
use super::volume_names::VolumeNames;
use super::{Detection, Format};
use crate::error::LineFault;
use crate::fields::scan::ScannedTime;
use crate::options::{MqsimTimeUnit, TraceOptions};

pub(super) const FORMAT: Format = Format {
    name: "mqsim",
    about: "MQSim ASCII: time (ns by default), device (ignored unless a volume is chosen), 512 B sector, sectors, 0 = write / 1 = read",
    example: "938513000 4 264719034 16 0",
    extensions: &["trace", "txt"],
    rebases: false,
    merges_volumes: true,
    // SSDsim and DiskSim files look the same and mean other things by the last column and the time.
    detection: Detection::MustBeNamed,
    options: &["mqsim_time_unit"],
    ..Format::lines::<Mqsim>()
};

#[derive(Default)]
struct Mqsim {
    unit: MqsimTimeUnit,
}

impl LineFormat for Mqsim {
    const COLUMNS: &'static Columns = &Columns {
        split: Split::Blanks,
        header: Header::Never,
        units: Units::Sectors,
        volumes: VolumeNames::Number,
        columns: &[
            column("time", Holds::Ticks(1), "a time as a whole number that fits 64 bits in nanoseconds"),
            column("device", Holds::Volume, "a device number from 0"),
            column("lba", Holds::Address, "a sector number from 0 to 2^64 - 1"),
            column("sectors", Holds::Size, "a positive number of sectors"),
            column("type", Holds::Op(ONE_IS_READ), "0 (write) or 1 (read)"),
        ],
    };

    fn new(options: &TraceOptions) -> Self {
        Self { unit: options.mqsim_time_unit }
    }

    #[inline(always)]
    fn time(&self, line: &Line<'_>) -> Result<ScannedTime, LineFault> {
        let time = line.time.at_ns;
        match self.unit {
            MqsimTimeUnit::Ns => Ok(line.time),
            MqsimTimeUnit::Us => match time.checked_mul(1000) {
                Some(at_ns) => Ok(ScannedTime { at_ns, rounded: false }),
                None => Err(Self::COLUMNS.fault(1, time.to_string().as_bytes())),
            },
            MqsimTimeUnit::Ps => {
                let (whole, rest) = (time / 1000, time % 1000);
                Ok(ScannedTime { at_ns: whole + u64::from(rest >= 500), rounded: rest != 0 })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::lines::tests::{both_ways_agree, parse_with, refused};
    use crate::formats::{RawRequest, Record};
    use slcache_base::request::HostOp;

    fn unit(unit: MqsimTimeUnit) -> TraceOptions {
        TraceOptions { mqsim_time_unit: unit, ..TraceOptions::default() }
    }

    fn time(line: &str, time_unit: MqsimTimeUnit) -> (u64, bool) {
        match parse_with(&FORMAT, &unit(time_unit), line) {
            Ok(Record::Request(raw)) => (raw.at_ns, raw.rounded_to_ns),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn the_documented_line() {
        let Ok(Record::Request(raw)) = parse_with(&FORMAT, &unit(MqsimTimeUnit::Ns), FORMAT.example) else {
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
        both_ways_agree::<Mqsim>(&[FORMAT.example, " 0 0\t0 1 1 ", "9999999999999999999 07 1 1 0"]);
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
        refused(&FORMAT, &unit(MqsimTimeUnit::Us), &cases);
    }
}
