//! Fujitsu K5 cloud traces (SNIA IOTTA parallel/26930):
//! `ID,Timestamp,Type,Offset,Length`.
//!
//! README of the distribution: ID is the virtual storage volume, Timestamp the
//! seconds since the first request of all files, Type R or W, Offset and Length
//! are bytes. Times are kept as given, since the volumes of a data set lie in
//! files of their own and share their time 0.

use super::columns::{column, Columns, Header, Holds, Split, Units, LETTERS};
use super::lines::LineFormat;
use super::volume_names::VolumeNames;
use super::Format;

pub(super) const FORMAT: Format = Format {
    name: "k5cloud",
    about: "Fujitsu K5 cloud csv: volume, seconds, R/W, offset and length in bytes",
    example: "1283,3.000012,W,42932745216,65536",
    extensions: &["csv"],
    rebases: false,
    ..Format::lines::<K5cloud>()
};

#[derive(Default)]
struct K5cloud;

impl LineFormat for K5cloud {
    const COLUMNS: &'static Columns = &Columns {
        split: Split::Commas,
        header: Header::Maybe,
        units: Units::Bytes,
        volumes: VolumeNames::Number,
        columns: &[
            column("ID", Holds::Volume, "a volume number from 0"),
            column("Timestamp", Holds::Seconds, "a time in seconds from 0, in digits with at most one point"),
            column("Type", Holds::Op(LETTERS), "R or W"),
            column("Offset", Holds::Address, "a whole number of bytes from 0 to 2^64 - 1"),
            column("Length", Holds::Size, "a positive number of bytes"),
        ],
    };
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::LineFault;
    use crate::formats::lines::SKIPPED_HEADER;
    use crate::formats::lines::check::{self, both_ways_agree, refused};
    use crate::formats::{RawRequest, Record};
    use crate::options::TraceOptions;
    use slcache_base::request::HostOp;

    fn parse(line: &str) -> Result<Record<'_>, LineFault> {
        check::parse(&FORMAT, line)
    }

    #[test]
    fn the_documented_line() {
        let place = (42_932_745_216 / 512, 128);
        let expected = RawRequest::plain(3_000_012_000, place, HostOp::Write, b"1283");
        assert_eq!(parse(FORMAT.example), Ok(Record::Request(expected)));
        assert_eq!(parse("ID, Timestamp, Type, Offset, Length"), Ok(Record::Skipped(SKIPPED_HEADER)));
    }

    #[test]
    fn both_ways_of_taking_a_line_apart_agree() {
        both_ways_agree::<K5cloud>(&[FORMAT.example, "0,0,R,0,512", "0,12.000000001,R,1,1"]);
        let Ok(Record::Request(raw)) = parse("0, 0.0000000015, R, 0, 512") else {
            panic!("not a request");
        };
        assert_eq!((raw.at_ns, raw.rounded_to_ns), (2, true));
    }

    #[test]
    fn bad_fields_are_named() {
        let cases = [
            ("x,0.1,R,0,512", "column 1 (ID): \"x\""),
            ("1,x,R,0,512", "column 2 (Timestamp): \"x\""),
            ("1,0.1,Read,0,512", "column 3 (Type): \"Read\" is not R or W"),
            ("1,0.1,R,,512", "column 4 (Offset): \"\""),
            ("1,0.1,R,8,512", "column 4 (Offset): 8 bytes is not a multiple of 512"),
            ("1,0.1,R,0,x", "column 5 (Length): \"x\""),
            ("1,0.1,R,0,0", "column 5 (Length): a request of size 0"),
            ("1,0.1,R,0", "4 columns where 5 (ID,Timestamp,Type,Offset,Length)"),
        ];
        refused(&FORMAT, &TraceOptions::default(), &cases);
    }
}
