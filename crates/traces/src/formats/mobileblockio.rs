//! MobileBlockIOTraces (phones, SYSTOR '24):
//! `proces,device,rw_flag,sector,size,timestamp` with a header line.
//!
//! Read off the published files: the process is a name and sometimes a pid, the
//! device a number (major shifted left by 20 bits and minor) and the volume
//! here, rw_flag R or W, the sector and size in 512 bytes, the timestamp in
//! seconds since boot. `proces` is how the files spell it.

use super::columns::{column, Columns, Header, Holds, Split, Units, LETTERS};
use super::lines::LineFormat;
use super::volume_names::VolumeNames;
use super::Format;

pub(super) const FORMAT: Format = Format {
    name: "mobileblockio",
    about: "MobileBlockIO csv (SYSTOR '24): process, device (volume), R/W, 512 B sector, sectors, seconds",
    example: "kworker/u17:3-7403,8388608,R,3103800,32,5218127.730127",
    extensions: &["csv"],
    ..Format::lines::<MobileBlockIo>()
};

#[derive(Default)]
struct MobileBlockIo;

impl LineFormat for MobileBlockIo {
    const COLUMNS: &'static Columns = &Columns {
        split: Split::CommasFromEnd,
        header: Header::Usual(&[(1, "process")]),
        units: Units::Sectors,
        volumes: VolumeNames::Number,
        columns: &[
            column("proces", Holds::Unused("-"), "the name of a process"),
            column("device", Holds::Volume, "a device number from 0"),
            column("rw_flag", Holds::Op(LETTERS), "R or W"),
            column("sector", Holds::Address, "a sector number from 0 to 2^64 - 1"),
            column("size", Holds::Size, "a positive number of sectors"),
            column("timestamp", Holds::Seconds, "a time in seconds, in digits with at most one point"),
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
        let mut expected =
            RawRequest::plain(5_218_127_730_127_000, (3_103_800, 32), HostOp::Read, b"8388608");
        assert_eq!(parse(FORMAT.example), Ok(Record::Request(expected)));
        // Names may hold anything, since the fields behind them are counted from the end.
        assert_eq!(parse("a,b, c,8388608,R,3103800,32,5218127.730127"), Ok(Record::Request(expected)));
        (expected.at_ns, expected.rounded_to_ns) = (5_218_127_730_127_000, true);
        assert_eq!(parse("x,8388608,R,3103800,32,5218127.7301269998"), Ok(Record::Request(expected)));
    }

    #[test]
    fn headers_are_counted() {
        for header in
            ["proces,device,rw_flag,sector,size,timestamp", "Process,device,rw_flag,sector,size,timestamp"]
        {
            assert_eq!(parse(header), Ok(Record::Skipped(SKIPPED_HEADER)), "{header}");
        }
    }

    #[test]
    fn both_ways_of_taking_a_line_apart_agree() {
        both_ways_agree::<MobileBlockIo>(&[FORMAT.example, "<...>-21515,1,W,0,1,0", "AsyncTask,8388608,R,20735584,8,5218128.179544"]);
    }

    #[test]
    fn bad_fields_are_named() {
        let cases = [
            ("p,8:0,R,0,8,1.0", "column 2 (device): \"8:0\""),
            ("p,8,D,0,8,1.0", "column 3 (rw_flag): \"D\" is not R or W"),
            ("p,8,R,-1,8,1.0", "column 4 (sector): \"-1\""),
            ("p,8,R,0,8.5,1.0", "column 5 (size): \"8.5\""),
            ("p,8,R,0,0,1.0", "column 5 (size): a request of size 0"),
            ("p,8,R,0,8,1.0e3", "column 6 (timestamp): \"1.0e3\""),
            ("p,8,R,0,8", "5 columns where 6 (proces,device,rw_flag,sector,size,timestamp)"),
        ];
        refused(&FORMAT, &TraceOptions::default(), &cases);
    }
}
