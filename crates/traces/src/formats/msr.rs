//! MSR Cambridge traces (SNIA IOTTA block-io/387):
//! `Timestamp,Hostname,DiskNumber,Type,Offset,Size,ResponseTime`.
//!
//! Timestamp and ResponseTime are Windows file times (100 ns ticks, the former
//! since 1601); Offset and Size are bytes. A volume is a host with a disk.

use super::lines::columns::{column, Codes, Columns, Holds, Split, Units};
use super::lines::{build, Line, LineFormat};
use super::Format;
use crate::error::LineFault;
use crate::fields::scan::ScannedTime;
use crate::records::volumes::plain_name;

pub(super) const FORMAT: Format = Format {
    name: "msr",
    about: "MSR Cambridge csv: file time in 100 ns ticks, host and disk (volume), Read/Write, offset and size in bytes",
    example: "128166385295514663,hm,0,Write,9056014336,2048,2833",
    extensions: &["csv"],
    rebases: true,
    merges_volumes: false,
    reorders: false,
    takes_columns: false,
    text: true,
    volume_name,
    detect: |sample| super::certain_if_most_parse(&FORMAT, sample),
    build: build::<Msr>,
};

/// Nanoseconds in a tick of Windows file time.
const TICK_NS: u64 = 100;
const WORDS: Codes = Codes { reads: &[b"Read"], writes: &[b"Write"] };

#[derive(Default)]
struct Msr;

impl LineFormat for Msr {
    const COLUMNS: &'static Columns = &Columns {
        split: Split::BareCommas,
        header: None,
        units: Units::Bytes,
        columns: &[
            column("Timestamp", Holds::Ticks(1), "a file time in 100 ns ticks (a whole number up to 184467440737095516)"),
            column("Hostname", Holds::VolumeText, "a host name"),
            column("DiskNumber", Holds::Volume, "a disk number from 0"),
            column("Type", Holds::Op(WORDS), "Read or Write"),
            column("Offset", Holds::Address, "a whole number of bytes from 0 to 2^64 - 1"),
            column("Size", Holds::Size, "a positive number of bytes"),
            column("ResponseTime", Holds::ResponseTicks, "a whole number of ticks from 0 to 2^64 - 1"),
        ],
    };

    #[inline(always)]
    fn time(&self, line: &Line<'_>) -> Result<ScannedTime, LineFault> {
        let ticks = line.time.at_ns;
        match ticks.checked_mul(TICK_NS) {
            Some(at_ns) => Ok(ScannedTime { at_ns, rounded: false }),
            None => Err(Self::COLUMNS.fault(1, ticks.to_string().as_bytes())),
        }
    }

    #[inline(always)]
    fn response_ns(line: &Line<'_>) -> Result<Option<u64>, LineFault> {
        let ticks = line.response.unwrap_or_default();
        ticks.checked_mul(TICK_NS).map(Some).ok_or_else(|| {
            let allowed = "a response time of at most 2^64 - 1 ns";
            LineFault::field(7, "ResponseTime", ticks.to_string().as_bytes(), allowed)
        })
    }
}

/// `hm,0` is known as `hm_0`, as the published files are named.
fn volume_name(key: &[u8]) -> String {
    plain_name(key).replace(',', "_")
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
        assert_eq!(volume_name(raw.volume), "hm_0");
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
