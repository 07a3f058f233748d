//! MSR Cambridge traces (SNIA IOTTA block-io/387):
//! `Timestamp,Hostname,DiskNumber,Type,Offset,Size,ResponseTime`.
//!
//! Timestamp and ResponseTime are Windows file times (100 ns ticks, the former
//! since 1601); Offset and Size are bytes. A volume is a host with a disk.

use super::columns::{column, Codes, Columns, Header, Holds, Split, Units};
use super::lines::LineFormat;
use super::volume_names::VolumeNames;
use super::Format;

pub(super) const FORMAT: Format = Format {
    name: "msr",
    about: "MSR Cambridge csv: file time in 100 ns ticks, host and disk (volume), Read/Write, offset and size in bytes",
    example: "128166385295514663,hm,0,Write,9056014336,2048,2833",
    extensions: &["csv"],
    ..Format::lines::<Msr>()
};

/// Nanoseconds in a tick of Windows file time.
const TICK_NS: u64 = 100;
const WORDS: Codes = Codes { reads: &["Read"], writes: &["Write"] };

#[derive(Default)]
struct Msr;

impl LineFormat for Msr {
    const COLUMNS: &'static Columns = &Columns {
        split: Split::BareCommas,
        header: Header::Never,
        units: Units::Bytes,
        volumes: VolumeNames::HostAndDisk,
        columns: &[
            column("Timestamp", Holds::Ticks(TICK_NS), "a file time in 100 ns ticks (a whole number up to 184467440737095516)"),
            column("Hostname", Holds::VolumeText, "a host name"),
            column("DiskNumber", Holds::Volume, "a disk number from 0"),
            column("Type", Holds::Op(WORDS), "Read or Write"),
            column("Offset", Holds::Address, "a whole number of bytes from 0 to 2^64 - 1"),
            column("Size", Holds::Size, "a positive number of bytes"),
            column("ResponseTime", Holds::ResponseTicks(TICK_NS), "a response time of at most 2^64 - 1 ns, in whole ticks"),
        ],
    };
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::lines::check::{both_ways_agree, only_careful, parse, refused};
    use crate::formats::Record;
    use slcache_base::request::HostOp;
    use crate::options::TraceOptions;

    #[test]
    fn the_documented_line() {
        let Ok(Record::Request(raw)) = parse(&FORMAT, FORMAT.example) else {
            panic!("not a request");
        };
        assert_eq!(raw.at_ns, 12_816_638_529_551_466_300);
        assert_eq!((raw.sector, raw.sectors), (9_056_014_336 / 512, 4));
        assert_eq!((raw.op, raw.volume), (HostOp::Write, &b"hm,0"[..]));
        assert_eq!((FORMAT.volume_name)(raw.volume), "hm_0");
    }

    #[test]
    fn both_ways_of_taking_a_line_apart_agree() {
        both_ways_agree::<Msr>(&[FORMAT.example, "0,h,1,Read,5,1,0"]);
        only_careful::<Msr>(&["1,a b,07,Read,0,18446744073709551615,3"]);
    }

    #[test]
    fn bad_fields_are_named() {
        let cases = [
            ("1,hm,0,Write,0,-4096,1", "column 6 (Size): \"-4096\" is not a positive number of bytes"),
            ("x,hm,0,Write,0,512,1", "column 1 (Timestamp): \"x\" is not a file time"),
            ("999999999999999999,hm,0,Write,0,512,1", "column 1 (Timestamp): \"999999999999999999\""),
            ("1,,0,Write,0,512,1", "column 2 (Hostname)"),
            ("1,hm,d,Write,0,512,1", "column 3 (DiskNumber)"),
            ("1,hm,0,write,0,512,1", "column 4 (Type): \"write\" is not Read or Write"),
            ("1,hm,0,Write,99999999999999999999,512,1", "column 5 (Offset)"),
            ("1,hm,0,Write,0,512,", "column 7 (ResponseTime)"),
            ("1,hm,0,Write,0,0,1", "column 6 (Size): a request of size 0"),
            ("1,hm,0,Write,5,512,1", "column 5 (Offset): 5 bytes is not a multiple of 512"),
            ("1,hm,0,Write,0,512", "6 columns where 7 (Timestamp,"),
            ("1,hm,0,Write,0,512,1,2", "8 columns where 7"),
        ];
        refused(&FORMAT, &TraceOptions::default(), &cases);
    }
}
