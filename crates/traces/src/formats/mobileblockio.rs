//! MobileBlockIOTraces (phones, SYSTOR '24):
//! `proces,device,rw_flag,sector,size,timestamp` with a header line.
//!
//! Read off the published files: the process is a name and sometimes a pid, the
//! device a number (major shifted left by 20 bits and minor) and the volume
//! here, rw_flag R or W, the sector and size in 512 bytes, the timestamp in
//! seconds since boot. `proces` is how the files spell it.

use super::{Fit, Format, RawRequest, Record, Sample, SKIPPED_ZERO_SIZE};
use crate::error::LineFault;
use crate::fields::{Fields, SKIPPED_HEADER};
use crate::line_end::LineEnd;
use crate::scan::{decimal_last, digits_until, field_until, unsigned_until, ScannedTime};
use crate::sectors::{Column, SizeRules};
use crate::volumes::plain_name;
use slcache_base::request::HostOp;

pub(super) const FORMAT: Format = Format {
    name: "mobileblockio",
    about: "MobileBlockIO csv (SYSTOR '24): process, device (volume), R/W, 512 B sector, sectors, seconds",
    example: "kworker/u17:3-7403,8388608,R,3103800,32,5218127.730127",
    extensions: &["csv"],
    rebases: true,
    merges_volumes: false,
    takes_columns: false,
    text: true,
    volume_name: plain_name,
    detect,
    build: |options| Ok(Box::new(MobileBlockIo { sizes: SizeRules::new(options) })),
};

const SECOND_NS: u64 = 1_000_000_000;
const NAMES: [&str; 6] = ["proces", "device", "rw_flag", "sector", "size", "timestamp"];
const OTHER_NAMES: [(usize, &str); 1] = [(1, "process")];
const SIZE: Column<'static> = Column { number: 5, name: NAMES[4] };

struct MobileBlockIo {
    sizes: SizeRules,
}

/// A line taken apart; numbers still in the units of the file.
#[derive(Debug, PartialEq, Eq)]
struct Line<'a> {
    device: &'a [u8],
    op: HostOp,
    sector: u64,
    sectors: u64,
    time: ScannedTime,
}

impl MobileBlockIo {
    /// The request of a line taken apart.
    #[inline(always)]
    fn request<'a>(&self, line: Line<'a>) -> Result<Record<'a>, LineFault> {
        let Some(extent) = self.sizes.extent_of_sectors(line.sector, (line.sectors, SIZE))? else {
            return Ok(Record::Skipped(SKIPPED_ZERO_SIZE));
        };
        let place = (extent.sector, extent.sectors);
        let mut raw = RawRequest::plain(line.time.at_ns, place, line.op, line.device);
        raw.rounded_to_ns = line.time.rounded;
        Ok(Record::Request(raw))
    }
}

parses_lines!(MobileBlockIo, found => match found {
    Some(parsed) => parsed,
    None => return Ok(Record::Skipped(SKIPPED_HEADER)),
});

/// One pass over a line whose process has no comma; `None` when [`careful`] has
/// to look.
#[inline(always)]
fn quick<E: LineEnd>(line: &[u8]) -> Option<(Line<'_>, &[u8])> {
    let (_, named) = field_until(line, b',')?;
    let (device, rest) = digits_until(named, b',')?;
    let (op, rest) = match rest {
        [b'R', b',', rest @ ..] => (HostOp::Read, rest),
        [b'W', b',', rest @ ..] => (HostOp::Write, rest),
        _ => return None,
    };
    let (sector, rest) = unsigned_until(rest, b',')?;
    let (sectors, rest) = unsigned_until(rest, b',')?;
    let (at_ns, behind) = decimal_last::<9, E>(rest)?;
    Some((Line { device, op, sector, sectors, time: ScannedTime { at_ns, rounded: false } }, behind))
}

/// Field by field, so that whatever is wrong can be named; `None` for a header.
#[cold]
fn careful(line: &[u8]) -> Result<Option<Line<'_>>, LineFault> {
    let fields = Fields::split_from_end(line, b',', &NAMES)?;
    if fields.is_header(&OTHER_NAMES) {
        return Ok(None);
    }
    fields.number(2, "a device number from 0")?;
    let op = match fields.get(3) {
        b"R" => HostOp::Read,
        b"W" => HostOp::Write,
        _ => return Err(fields.fault(3, "R or W")),
    };
    let sector = fields.number(4, "a sector number from 0 to 2^64 - 1")?;
    let sectors = fields.number(5, "a positive number of sectors")?;
    let time = fields.time(6, SECOND_NS, "a time in seconds, in digits with at most one point")?;
    Ok(Some(Line { device: fields.get(2), op, sector, sectors, time }))
}

fn detect(sample: &Sample<'_>) -> Fit {
    super::certain_if_most_parse(&FORMAT, sample)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::RecordParser;
    use crate::line_end::Alone;
    use crate::options::TraceOptions;

    fn parse(line: &str) -> Result<Record<'_>, LineFault> {
        MobileBlockIo { sizes: SizeRules::new(&TraceOptions::default()) }.record(line.as_bytes())
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
        for line in [FORMAT.example, "<...>-21515,1,W,0,1,0", "AsyncTask,8388608,R,20735584,8,5218128.179544"]
        {
            let quick = quick::<Alone>(line.as_bytes()).map(|(line, _)| line);
            assert_eq!(quick, careful(line.as_bytes()).unwrap(), "{line}");
        }
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
        for (line, expected) in cases {
            let message = parse(line).unwrap_err().to_string();
            assert!(message.contains(expected), "{line}: {message}");
        }
    }
}
