//! DiskSim's ASCII traces: `time device block blocks flags`, separated by blanks.
//!
//! disksim_iotrace.c and disksim_reqflags.h: time is in milliseconds with a
//! fraction, the block number and the count are in 512-byte blocks, flags are
//! hexadecimal. Bit 0 of the flags set is a READ, clear a WRITE; the other bits
//! tell a scheduler how urgent a request is and whether it is asynchronous,
//! and are not used here.

use super::columns::{column, Columns, Header, Holds, Split, Units};
use super::lines::LineFormat;
use super::volume_names::VolumeNames;
use super::{Format, Detection};

pub(super) const FORMAT: Format = Format {
    name: "disksim",
    about: "DiskSim ASCII: time in ms, device (volume), 512 B block, blocks, hexadecimal flags (bit 0 set = read)",
    example: "0.221 5 162947904 16 1",
    extensions: &["trace", "ascii", "txt"],
    rebases: false,
    detection: Detection::MustBeNamed,
    ..Format::lines::<Disksim>()
};

const READ: u32 = 1;

#[derive(Default)]
struct Disksim;

impl LineFormat for Disksim {
    const COLUMNS: &'static Columns = &Columns {
        split: Split::Blanks,
        header: Header::Never,
        units: Units::Sectors,
        volumes: VolumeNames::Number,
        columns: &[
            column("time", Holds::Milliseconds, "a time in milliseconds, in digits with at most one point"),
            column("device", Holds::Volume, "a device number from 0"),
            column("block", Holds::Address, "a block number from 0 to 2^64 - 1"),
            column("blocks", Holds::Size, "a positive number of blocks"),
            column("flags", Holds::Flags(READ), "hexadecimal flags of at most 32 bits"),
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
        both_ways_agree::<Disksim>(&[FORMAT.example, "0 0\t0 1 1 ", "100000.599999 07 1 1 10"]);
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
        refused(&FORMAT, &TraceOptions::default(), &cases);
    }
}
