//! SYSTOR '17 traces (LUNs of a virtual desktop service, SNIA IOTTA):
//! `Timestamp,Response,IOType,LUN,Offset,Size` with a header line.
//!
//! README of the distribution: Timestamp is Unix time in seconds with nine
//! decimals, of which the last three mean nothing; Response is in seconds;
//! IOType is R, W or blank where no response was captured; Offset and Size are
//! bytes. Which way a blank request went is not known, so it is left out.

use super::columns::{column, Columns, Header, Holds, Split, Units, LETTERS};
use super::lines::{Line, LineContent, LineFields, LineFormat};
use super::volume_names::VolumeNames;
use super::{Format, SKIPPED_HEADER};
use crate::error::LineFault;

pub(super) const FORMAT: Format = Format {
    name: "systor17",
    about: "SYSTOR '17 csv: seconds, response seconds, R/W (blank: left out), LUN (volume), offset and size in bytes",
    example: "1456095145.133076000,0.000806000,R,0,899056122368,131072",
    extensions: &["csv"],
    ..Format::lines::<Systor17>()
};

/// Names found in headers beside those of the README.
const OTHER_NAMES: &[(usize, &str)] =
    &[(2, "ResponseTime"), (2, "Response Time"), (3, "IO Type"), (3, "Type")];
const SKIPPED_NO_RESPONSE: &str = "blank IOType (no response was captured)";

#[derive(Default)]
struct Systor17;

impl LineFormat for Systor17 {
    const COLUMNS: &'static Columns = &Columns {
        split: Split::Commas,
        header: Header::Usual(OTHER_NAMES),
        units: Units::Bytes,
        volumes: VolumeNames::Number,
        columns: &[
            column("Timestamp", Holds::Seconds, "a Unix time in seconds, in digits with at most one point"),
            column("Response", Holds::ResponseSeconds, "a response time in seconds from 0, or blank"),
            column("IOType", Holds::Op(LETTERS), "R, W or blank"),
            column("LUN", Holds::Volume, "a LUN number from 0"),
            column("Offset", Holds::Address, "a whole number of bytes from 0 to 2^64 - 1"),
            column("Size", Holds::Size, "a positive number of bytes"),
        ],
    };

    /// A blank IOType comes before what is wrong with the response, which then means nothing.
    #[cold]
    fn careful(line: &[u8]) -> Result<LineContent<'_>, LineFault> {
        let fields = LineFields::split(Self::COLUMNS, line)?;
        if fields.is_header() {
            return Ok(LineContent::Skipped(SKIPPED_HEADER));
        }
        let mut found = Line::at(0);
        fields.put(1, &mut found)?;
        if fields.get(3).is_empty() {
            return Ok(LineContent::Skipped(SKIPPED_NO_RESPONSE));
        }
        for column in [3, 2, 4, 5, 6] {
            fields.put(column, &mut found)?;
        }
        Ok(LineContent::Line(found))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::LineFault;
    use crate::formats::lines::tests::{self as check, both_ways_agree, refused};
    use crate::formats::{RawRequest, Record};
    use crate::options::TraceOptions;
    use slcache_base::request::HostOp;

    fn parse(line: &str) -> Result<Record<'_>, LineFault> {
        check::parse(&FORMAT, line)
    }

    #[test]
    fn the_documented_line() {
        let place = (899_056_122_368 / 512, 256);
        let mut expected = RawRequest::plain(1_456_095_145_133_076_000, place, HostOp::Read, b"0");
        expected.response_ns = Some(806_000);
        assert_eq!(parse(FORMAT.example), Ok(Record::Request(expected)));
    }

    #[test]
    fn headers_and_blank_types_are_counted() {
        for header in [
            "Timestamp,Response,IOType,LUN,Offset,Size",
            "timestamp, ResponseTime, IO Type, lun, offset, size",
        ] {
            assert_eq!(parse(header), Ok(Record::Skipped(SKIPPED_HEADER)), "{header}");
        }
        for blank in ["1456095145.1,0.0,,4,0,512", "1456095145.1,, ,4,0,512"] {
            assert_eq!(parse(blank), Ok(Record::Skipped(SKIPPED_NO_RESPONSE)), "{blank}");
        }
    }

    #[test]
    fn both_ways_of_taking_a_line_apart_agree() {
        both_ways_agree::<Systor17>(&[FORMAT.example, "1,0,W,6,0,4096", "1456095145.1,12.5,R,00,512,1"]);
        let Ok(Record::Request(raw)) = parse("1.0000000004,,R,0,0,512") else {
            panic!("not a request");
        };
        assert_eq!((raw.at_ns, raw.rounded_to_ns, raw.response_ns), (1_000_000_000, true, None));
    }

    #[test]
    fn bad_fields_are_named() {
        let cases = [
            ("x,0.1,R,0,0,512", "column 1 (Timestamp): \"x\""),
            ("1.5,-0.1,R,0,0,512", "column 2 (Response): \"-0.1\""),
            ("1.5,0.1,Read,0,0,512", "column 3 (IOType): \"Read\" is not R, W or blank"),
            ("1.5,0.1,R,a,0,512", "column 4 (LUN): \"a\""),
            ("1.5,0.1,R,0,-512,512", "column 5 (Offset): \"-512\""),
            ("1.5,0.1,R,0,100,512", "column 5 (Offset): 100 bytes is not a multiple of 512"),
            ("1.5,0.1,R,0,0,5.5", "column 6 (Size): \"5.5\""),
            ("1.5,0.1,R,0,0,0", "column 6 (Size): a request of size 0"),
            ("1.5,0.1,R,0,0", "5 columns where 6 (Timestamp,Response,IOType,LUN,Offset,Size)"),
            ("1.5,0.1,R,0,0,512,1", "7 columns where 6"),
        ];
        refused(&FORMAT, &TraceOptions::default(), &cases);
    }
}
