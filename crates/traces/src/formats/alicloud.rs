//! Alibaba Cloud block traces of 2020:
//! `device_id,opcode,offset,length,timestamp`.
//!
//! README of alibaba/block-traces: opcode is R or W, offset and length are
//! bytes, the timestamp is Unix time in microseconds. A volume is a device.

use super::columns::{column, Columns, Header, Holds, Split, Units, LETTERS};
use super::lines::LineFormat;
use super::volume_names::VolumeNames;
use super::Format;

pub(super) const FORMAT: Format = Format {
    name: "alicloud",
    about: "Alibaba Cloud 2020 csv: device (volume), R/W, offset and length in bytes, Unix microseconds",
    example: "419,W,8792731648,16384,1577808144360767",
    extensions: &["csv"],
    ..Format::lines::<Alicloud>()
};

const MICROSECOND_NS: u64 = 1000;

#[derive(Default)]
struct Alicloud;

impl LineFormat for Alicloud {
    const COLUMNS: &'static Columns = &Columns {
        split: Split::Commas,
        header: Header::Maybe,
        units: Units::Bytes,
        volumes: VolumeNames::Number,
        columns: &[
            column("device_id", Holds::Volume, "a device number from 0"),
            column("opcode", Holds::Op(LETTERS), "R or W"),
            column("offset", Holds::Address, "a whole number of bytes from 0 to 2^64 - 1"),
            column("length", Holds::Size, "a positive number of bytes"),
            column("timestamp", Holds::Ticks(MICROSECOND_NS), "a Unix time in microseconds (a whole number up to 18446744073709551)"),
        ],
    };
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::LineFault;
    use crate::formats::lines::SKIPPED_HEADER;
    use crate::formats::lines::check::{self, both_ways_agree, only_careful, refused};
    use crate::formats::{RawRequest, Record};
    use crate::options::TraceOptions;
    use slcache_base::request::HostOp;

    fn parse(line: &str) -> Result<Record<'_>, LineFault> {
        check::parse(&FORMAT, line)
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
        both_ways_agree::<Alicloud>(&[FORMAT.example, "0,R,0,4096,0"]);
        only_careful::<Alicloud>(&["007,R,1,18446744073709551615,18446744073709551"]);
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
        refused(&FORMAT, &TraceOptions::default(), &cases);
    }
}
