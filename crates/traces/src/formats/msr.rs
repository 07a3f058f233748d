//! MSR Cambridge traces (SNIA IOTTA block-io/387):
//! `Timestamp,Hostname,DiskNumber,Type,Offset,Size,ResponseTime`.
//!
//! Timestamp and ResponseTime are Windows file times (100 ns ticks, the former
//! since 1601); Offset and Size are bytes. A volume is a host with a disk.

use super::{Fit, Format, RawRequest, Record, Sample, SKIPPED_ZERO_SIZE};
use crate::error::LineFault;
use crate::line_end::LineEnd;
use crate::scan::{digits_until, field_until, split_exact, unsigned, unsigned_last, unsigned_until};
use crate::sectors::{Column, SizeRules};
use crate::volumes::plain_name;
use slcache_base::request::HostOp;

pub(super) const FORMAT: Format = Format {
    name: "msr",
    about: "MSR Cambridge csv: file time in 100 ns ticks, host and disk (volume), Read/Write, offset and size in bytes",
    example: "128166385295514663,hm,0,Write,9056014336,2048,2833",
    extensions: &["csv"],
    rebases: true,
    merges_volumes: false,
    takes_columns: false,
    text: true,
    volume_name,
    detect,
    build: |options| Ok(Box::new(Msr { sizes: SizeRules::new(options) })),
};

/// Nanoseconds in a tick of Windows file time.
const TICK_NS: u64 = 100;
const NAMES: [&str; 7] =
    ["Timestamp", "Hostname", "DiskNumber", "Type", "Offset", "Size", "ResponseTime"];
const OFFSET: Column<'static> = Column { number: 5, name: NAMES[4] };
const SIZE: Column<'static> = Column { number: 6, name: NAMES[5] };

struct Msr {
    sizes: SizeRules,
}

/// A line taken apart; numbers still in the units of the file.
struct Line<'a> {
    ticks: u64,
    volume: &'a [u8],
    op: HostOp,
    offset: u64,
    size: u64,
    response_ticks: u64,
}

impl Msr {
    /// The request of a line taken apart.
    #[inline(always)]
    fn request<'a>(&self, line: Line<'a>) -> Result<Record<'a>, LineFault> {
        let at_ns = match line.ticks.checked_mul(TICK_NS) {
            Some(at_ns) => at_ns,
            None => return Err(time_fault(line.ticks.to_string().as_bytes())),
        };
        let (offset, size) = ((line.offset, OFFSET), (line.size, SIZE));
        let Some(extent) = self.sizes.extent_of_bytes(offset, size)? else {
            return Ok(Record::Skipped(SKIPPED_ZERO_SIZE));
        };
        let place = (extent.sector, extent.sectors);
        let mut raw = RawRequest::plain(at_ns, place, line.op, line.volume);
        raw.rounded_to_sectors = extent.rounded;
        raw.response_ns = Some(response_ns(line.response_ticks)?);
        Ok(Record::Request(raw))
    }
}

parses_lines!(Msr, found => found);

#[inline]
fn response_ns(ticks: u64) -> Result<u64, LineFault> {
    ticks.checked_mul(TICK_NS).ok_or_else(|| {
        let allowed = "a response time of at most 2^64 - 1 ns";
        LineFault::field(7, NAMES[6], ticks.to_string().as_bytes(), allowed)
    })
}

/// One pass over a well-formed line; `None` when [`careful`] has to look.
#[inline(always)]
fn quick<E: LineEnd>(line: &[u8]) -> Option<(Line<'_>, &[u8])> {
    let (ticks, named) = unsigned_until(line, b',')?;
    let (host, disk) = field_until(named, b',').filter(|(host, _)| !host.is_empty())?;
    let (disk, typed) = digits_until(disk, b',')?;
    let volume = &named[..host.len() + 1 + disk.len()];
    let (op, rest) = match typed {
        [b'R', b'e', b'a', b'd', b',', rest @ ..] => (HostOp::Read, rest),
        [b'W', b'r', b'i', b't', b'e', b',', rest @ ..] => (HostOp::Write, rest),
        _ => return None,
    };
    let (offset, rest) = unsigned_until(rest, b',')?;
    let (size, response) = unsigned_until(rest, b',')?;
    let (response_ticks, behind) = unsigned_last::<E>(response)?;
    Some((Line { ticks, volume, op, offset, size, response_ticks }, behind))
}

/// Field by field, so that whatever is wrong can be named.
#[cold]
fn careful(line: &[u8]) -> Result<Line<'_>, LineFault> {
    let fields: [&[u8]; 7] = split_exact(line, b',').map_err(|found| columns_fault(line, found))?;
    let ticks = unsigned(fields[0]).ok_or_else(|| time_fault(fields[0]))?;
    let volume = volume_key(line, &fields)?;
    let op = match fields[3] {
        b"Read" => HostOp::Read,
        b"Write" => HostOp::Write,
        other => return Err(LineFault::field(4, NAMES[3], other, "Read or Write")),
    };
    let offset = number(&fields, 5, "a whole number of bytes from 0 to 2^64 - 1")?;
    let size = number(&fields, 6, "a positive number of bytes")?;
    let response_ticks = number(&fields, 7, "a whole number of ticks from 0 to 2^64 - 1")?;
    Ok(Line { ticks, volume, op, offset, size, response_ticks })
}

#[cold]
fn columns_fault(line: &[u8], found: usize) -> LineFault {
    LineFault::Columns {
        found,
        expected: format!("7 ({})", NAMES.join(",")),
        text: line.to_vec(),
    }
}

fn number(fields: &[&[u8]; 7], column: usize, allowed: &str) -> Result<u64, LineFault> {
    let field = fields[column - 1];
    unsigned(field).ok_or_else(|| LineFault::field(column, NAMES[column - 1], field, allowed))
}

#[cold]
fn time_fault(field: &[u8]) -> LineFault {
    let allowed = "a file time in 100 ns ticks (a whole number up to 184467440737095516)";
    LineFault::field(1, NAMES[0], field, allowed)
}

/// Host and disk as they stand next to each other in the line: `hm,0`.
fn volume_key<'a>(line: &'a [u8], fields: &[&'a [u8]; 7]) -> Result<&'a [u8], LineFault> {
    if fields[1].is_empty() {
        return Err(LineFault::field(2, NAMES[1], fields[1], "a host name"));
    }
    number(fields, 3, "a disk number from 0")?;
    let start = fields[0].len() + 1;
    Ok(&line[start..start + fields[1].len() + 1 + fields[2].len()])
}

/// `hm,0` is known as `hm_0`, as the published files are named.
fn volume_name(key: &[u8]) -> String {
    plain_name(key).replace(',', "_")
}

fn detect(sample: &Sample<'_>) -> Fit {
    match super::parses_most(&FORMAT, &sample.lines) {
        true => Fit::Yes,
        false => Fit::No,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::RecordParser;
    use crate::line_end::Alone;
    use crate::options::TraceOptions;

    fn parse(line: &str) -> Result<Record<'_>, LineFault> {
        Msr { sizes: SizeRules::new(&TraceOptions::default()) }.record(line.as_bytes())
    }

    fn message(line: &str) -> String {
        parse(line).unwrap_err().to_string()
    }

    #[test]
    fn the_documented_line() {
        let Ok(Record::Request(raw)) = parse(FORMAT.example) else {
            panic!("not a request");
        };
        assert_eq!(raw.at_ns, 12_816_638_529_551_466_300);
        assert_eq!((raw.sector, raw.sectors), (9_056_014_336 / 512, 4));
        assert_eq!((raw.op, raw.volume), (HostOp::Write, &b"hm,0"[..]));
        assert_eq!(volume_name(raw.volume), "hm_0");
    }

    #[test]
    fn both_ways_of_taking_a_line_apart_agree() {
        for line in [FORMAT.example, "1,a b,07,Read,0,18446744073709551615,3", "0,h,1,Read,5,1,0"] {
            let slow = careful(line.as_bytes()).unwrap();
            let Some((quick, _)) = quick::<Alone>(line.as_bytes()) else {
                assert!(line.contains("18446744073709551615"));
                continue;
            };
            assert_eq!((quick.ticks, quick.volume, quick.op), (slow.ticks, slow.volume, slow.op));
            assert_eq!((quick.offset, quick.size), (slow.offset, slow.size));
        }
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
        for (line, expected) in cases {
            let message = message(line);
            assert!(message.contains(expected), "{line}: {message}");
        }
    }
}
