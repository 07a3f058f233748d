//! Tencent Cloud Block Storage traces of 2018 (SNIA IOTTA parallel/28064):
//! `Timestamp,Offset,Size,IOType,VolumeID`.
//!
//! README of the distribution: Timestamp is Unix time in whole seconds, Offset
//! and Size count sectors of 512 bytes, IOType 0 is a READ and 1 a WRITE. That
//! is the other way round than in MQSim, SSDsim and DiskSim files, so the format
//! is never told from the content. `coarse_time = "spread"` spreads the requests
//! of a second over it.

use super::columns::{column, Codes, Columns, Header, Holds, Split, Units};
use super::lines::LineFormat;
use super::volume_names::VolumeNames;
use super::{Format, Detection};

pub(super) const FORMAT: Format = Format {
    name: "tencent",
    about: "Tencent CBS 2018 csv: whole Unix seconds, 512 B sector, sectors, 0 = read / 1 = write, volume",
    example: "1538323199,13896880,128,0,1063",
    extensions: &["csv"],
    detection: Detection::MustBeNamed,
    ..Format::lines::<Tencent>()
};

const SECOND_NS: u64 = 1_000_000_000;
const ZERO_IS_READ: Codes = Codes { reads: &["0"], writes: &["1"] };

#[derive(Default)]
struct Tencent;

impl LineFormat for Tencent {
    const COLUMNS: &'static Columns = &Columns {
        split: Split::Commas,
        header: Header::Maybe,
        units: Units::Sectors,
        volumes: VolumeNames::Number,
        columns: &[
            column("Timestamp", Holds::Ticks(SECOND_NS), "a Unix time in whole seconds, up to 18446744073"),
            column("Offset", Holds::Address, "a sector number from 0 to 2^64 - 1"),
            column("Size", Holds::Size, "a positive number of sectors"),
            column("IOType", Holds::Op(ZERO_IS_READ), "0 (read) or 1 (write)"),
            column("VolumeID", Holds::Volume, "a volume number from 0"),
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
    use slcache_base::request::HostOp;
    use crate::options::TraceOptions;

    fn parse(line: &str) -> Result<Record<'_>, LineFault> {
        check::parse(&FORMAT, line)
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
        both_ways_agree::<Tencent>(&[FORMAT.example, "0,0,1,1,0", "18446744073,18446744073709551,1,0,007"]);
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
        refused(&FORMAT, &TraceOptions::default(), &cases);
    }
}
