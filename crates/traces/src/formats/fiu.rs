//! FIU traces (SNIA IOTTA 391 and 411):
//! `ts pid process lba size op major minor [md5]`, separated by blanks.
//!
//! README of the distribution: ts is in nanoseconds, size in blocks of 512
//! bytes, as is the lba; op is W or R; the device is a major and a minor number
//! and the volume here; the md5 of each 4 KiB (in the home traces of each 512
//! bytes) is one run of hexadecimal digits and is not used.

use super::{Fit, Format, RawRequest, Record, Sample, SKIPPED_ZERO_SIZE};
use crate::error::LineFault;
use crate::fields::columns_fault;
use crate::line_end::LineEnd;
use crate::scan::{field_until, unsigned, unsigned_word, Words};
use crate::sectors::{Column, SizeRules};
use crate::volumes::plain_name;
use slcache_base::request::HostOp;

pub(super) const FORMAT: Format = Format {
    name: "fiu",
    about: "FIU: time in ns, pid, process, 512 B sector, sectors, W/R, major and minor number (volume), md5",
    example: "89968195792462 20782 gzip 283193184 8 R 6 0 56f11b711d91a065a2b6458eca924523",
    extensions: &["blkparse", "txt", "trace"],
    rebases: true,
    merges_volumes: false,
    takes_columns: false,
    text: true,
    volume_name,
    detect,
    build: |options| Ok(Box::new(Fiu { sizes: SizeRules::new(options) })),
};

const LINE: &str = "8 or 9 (ts pid process lba size op major minor [md5])";
const NAMES: [&str; 8] = ["ts", "pid", "process", "lba", "size", "op", "major", "minor"];
const SIZE: Column<'static> = Column { number: 5, name: NAMES[4] };
/// Hexadecimal digits of one md5.
const MD5_DIGITS: usize = 32;

struct Fiu {
    sizes: SizeRules,
}

/// A line taken apart.
#[derive(Debug, PartialEq, Eq)]
struct Line<'a> {
    at_ns: u64,
    sector: u64,
    sectors: u64,
    op: HostOp,
    /// Major and minor number as they stand next to each other in the line.
    device: &'a [u8],
}

impl Fiu {
    /// The request of a line taken apart.
    #[inline(always)]
    fn request<'a>(&self, line: Line<'a>) -> Result<Record<'a>, LineFault> {
        let Some(extent) = self.sizes.extent_of_sectors(line.sector, (line.sectors, SIZE))? else {
            return Ok(Record::Skipped(SKIPPED_ZERO_SIZE));
        };
        let place = (extent.sector, extent.sectors);
        Ok(Record::Request(RawRequest::plain(line.at_ns, place, line.op, line.device)))
    }
}

parses_lines!(Fiu, found => found);

/// One pass over a line whose process is one word; `None` when [`careful`] has
/// to look.
#[inline(always)]
fn quick<E: LineEnd>(line: &[u8]) -> Option<(Line<'_>, &[u8])> {
    let (at_ns, rest) = unsigned_word::<E>(line)?;
    let (_, rest) = unsigned_word::<E>(rest)?;
    let blanks = rest.iter().position(|byte| *byte != b' ')?;
    let (process, _) = field_until(&rest[blanks..], b' ')?;
    let rest = &rest[blanks + process.len()..];
    let (sector, rest) = unsigned_word::<E>(rest)?;
    let (sectors, rest) = unsigned_word::<E>(rest)?;
    let (op, device) = match rest {
        [b' ', b'R', b' ', device @ ..] => (HostOp::Read, device),
        [b' ', b'W', b' ', device @ ..] => (HostOp::Write, device),
        _ => return None,
    };
    let (_, rest) = unsigned_word::<E>(device)?;
    let (_, rest) = unsigned_word::<E>(rest)?;
    let device = device[..device.len() - rest.len()].trim_ascii_start();
    let (one_more, behind) = E::last_word(rest)?;
    let md5 = one_more.is_empty() || is_md5(one_more);
    md5.then_some((Line { at_ns, sector, sectors, op, device }, behind))
}

/// Word by word, so that whatever is wrong can be named; the fields behind the
/// process are counted from the end, since its name may hold blanks.
#[cold]
fn careful(line: &[u8]) -> Result<Line<'_>, LineFault> {
    let mut words: Vec<&[u8]> = Words::new(line).collect();
    let found = words.len();
    if words.last().is_some_and(|word| is_md5(word)) {
        words.pop();
    }
    if words.len() < NAMES.len() {
        return Err(columns_fault(line, found, LINE.to_owned()));
    }
    let is_op = |word: &[u8]| matches!(word, b"R" | b"W");
    if let [.., op, _, _, md5] = words.as_slice() {
        if words.len() > NAMES.len() && is_op(op) && !is_op(words[words.len() - 3]) {
            return Err(LineFault::field(words.len(), "md5", md5, "md5 sums of 32 hexadecimal digits each"));
        }
    }
    let behind = words.len() - NAMES.len();
    let place = |column: usize| if column <= 3 { column - 1 } else { column - 1 + behind };
    let fault = |column: usize, allowed: &str| {
        LineFault::field(place(column) + 1, NAMES[column - 1], words[place(column)], allowed)
    };
    let number =
        |column: usize, allowed: &str| unsigned(words[place(column)]).ok_or_else(|| fault(column, allowed));
    let at_ns = number(1, "a time in whole nanoseconds from 0 to 2^64 - 1")?;
    number(2, "a process number from 0")?;
    let op = match words[place(6)] {
        b"R" => HostOp::Read,
        b"W" => HostOp::Write,
        _ => return Err(fault(6, "R or W")),
    };
    let sector = number(4, "a sector number from 0 to 2^64 - 1")?;
    let sectors = number(5, "a positive number of sectors")?;
    number(7, "a major device number from 0")?;
    number(8, "a minor device number from 0")?;
    Ok(Line { at_ns, sector, sectors, op, device: between(line, words[place(7)], words[place(8)]) })
}

/// The piece of a line from one of its words to a later one.
fn between<'a>(line: &'a [u8], first: &[u8], last: &[u8]) -> &'a [u8] {
    let start = first.as_ptr().addr() - line.as_ptr().addr();
    let end = last.as_ptr().addr() + last.len() - line.as_ptr().addr();
    &line[start..end]
}

/// One or more md5 sums in a run.
#[inline]
fn is_md5(word: &[u8]) -> bool {
    !word.is_empty() && word.len() % MD5_DIGITS == 0 && word.iter().all(u8::is_ascii_hexdigit)
}

/// `6 0` is known as `6,0`.
fn volume_name(key: &[u8]) -> String {
    plain_name(key).split_whitespace().collect::<Vec<_>>().join(",")
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
        Fiu { sizes: SizeRules::new(&TraceOptions::default()) }.record(line.as_bytes())
    }

    #[test]
    fn the_documented_line() {
        let expected = RawRequest::plain(89_968_195_792_462, (283_193_184, 8), HostOp::Read, b"6 0");
        assert_eq!(parse(FORMAT.example), Ok(Record::Request(expected)));
        assert_eq!(volume_name(expected.volume), "6,0");
    }

    #[test]
    fn without_md5_with_several_and_blanks_in_names() {
        let expected = RawRequest::plain(7, (16, 8), HostOp::Write, b"253 1");
        let eight = "0123456789abcdef".repeat(16);
        for line in [
            "7 1 nfsd 16 8 W 253 1".to_owned(),
            format!("7 1 nfsd 16 8 W 253 1 {eight}"),
            "7 1 Web Content R 16 8 W 253 1".to_owned(),
        ] {
            assert_eq!(parse(&line), Ok(Record::Request(expected)), "{line}");
        }
    }

    #[test]
    fn both_ways_of_taking_a_line_apart_agree() {
        for line in [FORMAT.example, "7 1 nfsd 16 8 W 253 1", "7 1  x  0 1  R 253  1 "] {
            if let Some((quick, _)) = quick::<Alone>(line.as_bytes()) {
                assert_eq!(quick, careful(line.as_bytes()).unwrap(), "{line}");
            }
        }
        assert!(quick::<Alone>(FORMAT.example.as_bytes()).is_some());
    }

    #[test]
    fn bad_fields_are_named() {
        let cases = [
            ("1.5 1 p 0 8 R 6 0", "column 1 (ts): \"1.5\" is not a time in whole nanoseconds"),
            ("1 x p 0 8 R 6 0", "column 2 (pid): \"x\""),
            ("1 1 p -1 8 R 6 0", "column 4 (lba): \"-1\""),
            ("1 1 p 0 8k R 6 0", "column 5 (size): \"8k\""),
            ("1 1 p 0 0 R 6 0", "column 5 (size): a request of size 0"),
            ("1 1 p 0 8 Read 6 0", "column 6 (op): \"Read\" is not R or W"),
            ("1 1 p q 0 8 r 6 0", "column 7 (op): \"r\""),
            ("1 1 p 0 8 R x 0", "column 7 (major): \"x\""),
            ("1 1 p 0 8 R 6 0 56f1", "column 9 (md5): \"56f1\" is not md5 sums of 32"),
            ("1 1 p 0 8 R 6", "7 columns where 8 or 9 (ts pid process lba size op major minor [md5])"),
        ];
        for (line, expected) in cases {
            let result = parse(line);
            let message = result.unwrap_err().to_string();
            assert!(message.contains(expected), "{line}: {message}");
        }
    }
}
