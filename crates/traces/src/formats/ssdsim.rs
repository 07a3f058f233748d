//! SSDsim's ASCII traces: `time device lsn size operation`, separated by blanks.
//!
//! readme.txt of SSDsim: time is a whole number of nanoseconds, the logical
//! sector number and the size count 512-byte sectors, operation 1 is a READ and
//! 0 a WRITE. SSDsim itself ignores the device number; files made of a trace of
//! several volumes carry it, so a second one is not merged in silence.

use super::columns::{column, Columns, Header, Holds, Split, Units, ONE_IS_READ};
use super::lines::LineFormat;
use super::volume_names::VolumeNames;
use super::{Format, Detection};

pub(super) const FORMAT: Format = Format {
    name: "ssdsim",
    about: "SSDsim ASCII: time in ns, device (volume), 512 B sector, sectors, 1 = read / 0 = write",
    example: "26214000 1 240840 6 0",
    extensions: &["ascii", "trace", "txt"],
    rebases: false,
    detection: Detection::MustBeNamed,
    ..Format::lines::<Ssdsim>()
};

#[derive(Default)]
struct Ssdsim;

impl LineFormat for Ssdsim {
    const COLUMNS: &'static Columns = &Columns {
        split: Split::Blanks,
        header: Header::Never,
        units: Units::Sectors,
        volumes: VolumeNames::Number,
        columns: &[
            column("time", Holds::Ticks(1), "a time in whole nanoseconds from 0 to 2^64 - 1"),
            column("device", Holds::Volume, "a device number from 0"),
            column("lsn", Holds::Address, "a sector number from 0 to 2^64 - 1"),
            column("size", Holds::Size, "a positive number of sectors"),
            column("operation", Holds::Op(ONE_IS_READ), "1 (read) or 0 (write)"),
        ],
    };
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::LineFault;
    use crate::formats::lines::check::{self, both_ways_agree, refused};
    use crate::formats::{RawRequest, Record};
    use crate::options::TraceOptions;
    use slcache_base::request::HostOp;

    fn parse(line: &str) -> Result<Record<'_>, LineFault> {
        check::parse(&FORMAT, line)
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
        both_ways_agree::<Ssdsim>(&[FORMAT.example, " 0 0\t0 1 1 ", "9999999999999999999 07 1 1 0"]);
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
        refused(&FORMAT, &TraceOptions::default(), &cases);
    }
}
