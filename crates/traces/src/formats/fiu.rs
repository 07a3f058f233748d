//! FIU traces (SNIA IOTTA 391 and 411):
//! `ts pid process lba size op major minor [md5]`, separated by blanks.
//!
//! README of the distribution: ts is in nanoseconds, size in blocks of 512
//! bytes, as is the lba; op is W or R; the device is a major and a minor number
//! and the volume here; the md5 of each 4 KiB (in the home traces of each 512
//! bytes) is one run of hexadecimal digits and is not used.

use super::columns::{column, Columns, Header, Holds, Split, Units, LETTERS};
use super::lines::{between, Line, LineContent, LineFormat};
use super::volume_names::VolumeNames;
use super::Format;
use crate::error::LineFault;
use crate::fields::scan::{field_until, unsigned, unsigned_word, LineEnd, Words};
use slcache_base::request::HostOp;

pub(super) const FORMAT: Format = Format {
    name: "fiu",
    about: "FIU: time in ns, pid, process, 512 B sector, sectors, W/R, major and minor number (volume), md5",
    example: "89968195792462 20782 gzip 283193184 8 R 6 0 56f11b711d91a065a2b6458eca924523",
    extensions: &["blkparse", "txt", "trace"],
    ..Format::lines::<Fiu>()
};

const LINE: &str = "8 or 9 (ts pid process lba size op major minor [md5])";
/// Hexadecimal digits of one md5.
const MD5_DIGITS: usize = 32;

#[derive(Default)]
struct Fiu;

impl LineFormat for Fiu {
    const COLUMNS: &'static Columns = &Columns {
        split: Split::Blanks,
        header: Header::Never,
        units: Units::Sectors,
        volumes: VolumeNames::MajorAndMinor,
        columns: &[
            column("ts", Holds::Ticks(1), "a time in whole nanoseconds from 0 to 2^64 - 1"),
            column("pid", Holds::Unused("0"), "a process number from 0"),
            column("process", Holds::Unused("-"), "the name of a process"),
            column("lba", Holds::Address, "a sector number from 0 to 2^64 - 1"),
            column("size", Holds::Size, "a positive number of sectors"),
            column("op", Holds::Op(LETTERS), "R or W"),
            column("major", Holds::VolumeText, "a major device number from 0"),
            column("minor", Holds::Volume, "a minor device number from 0"),
        ],
    };

    /// One pass over a line whose process is one word.
    #[inline(always)]
    fn quick<E: LineEnd>(line: &[u8]) -> Option<(Line<'_>, &[u8])> {
        let (at_ns, rest) = unsigned_word::<E>(line)?;
        let (_, rest) = unsigned_word::<E>(rest)?;
        let blanks = rest.iter().position(|byte| *byte != b' ')?;
        let (process, _) = field_until(&rest[blanks..], b' ')?;
        let rest = &rest[blanks + process.len()..];
        let (address, rest) = unsigned_word::<E>(rest)?;
        let (size, rest) = unsigned_word::<E>(rest)?;
        let (op, device) = match rest {
            [b' ', b'R', b' ', device @ ..] => (HostOp::Read, device),
            [b' ', b'W', b' ', device @ ..] => (HostOp::Write, device),
            _ => return None,
        };
        let (_, rest) = unsigned_word::<E>(device)?;
        let (_, rest) = unsigned_word::<E>(rest)?;
        let volume = device[..device.len() - rest.len()].trim_ascii_start();
        let (one_more, behind) = E::last_word(rest)?;
        let md5 = one_more.is_empty() || is_md5(one_more);
        md5.then_some((Line { op, address, size, volume, ..Line::at(at_ns) }, behind))
    }

    /// The fields behind the process are counted from the end, since its name may hold blanks.
    #[cold]
    fn careful(line: &[u8]) -> Result<LineContent<'_>, LineFault> {
        let words = words(line)?;
        let columns = Self::COLUMNS.columns;
        let behind = words.len() - columns.len();
        let place = |column: usize| if column <= 3 { column - 1 } else { column - 1 + behind };
        let word = |column: usize| words[place(column)];
        let fault = |column: usize| {
            let expected = &columns[column - 1];
            LineFault::field(place(column) + 1, expected.name, word(column), expected.allowed)
        };
        let number = |column: usize| unsigned(word(column)).ok_or_else(|| fault(column));
        let at_ns = number(1)?;
        number(2)?;
        let op = LETTERS.op(word(6)).ok_or_else(|| fault(6))?;
        let (address, size) = (number(4)?, number(5)?);
        number(7)?;
        number(8)?;
        let volume = between(line, word(7), word(8));
        Ok(LineContent::Line(Line { op, address, size, volume, ..Line::at(at_ns) }))
    }
}

/// The words of a line without its md5 sums.
fn words(line: &[u8]) -> Result<Vec<&[u8]>, LineFault> {
    let mut words: Vec<&[u8]> = Words::new(line).collect();
    let (found, columns) = (words.len(), Fiu::COLUMNS.columns.len());
    if words.last().is_some_and(|word| is_md5(word)) {
        words.pop();
    }
    if words.len() < columns {
        return Err(LineFault::columns(line, found, LINE));
    }
    let is_op = |word: &[u8]| matches!(word, b"R" | b"W");
    if let [.., op, _, _, md5] = words.as_slice() {
        if words.len() > columns && is_op(op) && !is_op(words[words.len() - 3]) {
            return Err(LineFault::field(words.len(), "md5", md5, "md5 sums of 32 hexadecimal digits each"));
        }
    }
    Ok(words)
}

/// One or more md5 sums in a run.
#[inline]
fn is_md5(word: &[u8]) -> bool {
    !word.is_empty() && word.len() % MD5_DIGITS == 0 && word.iter().all(u8::is_ascii_hexdigit)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::lines::tests::{both_ways_agree, only_careful, parse, refused};
    use crate::formats::{RawRequest, Record};
    use crate::options::TraceOptions;

    #[test]
    fn the_documented_line() {
        let expected = RawRequest::plain(89_968_195_792_462, (283_193_184, 8), HostOp::Read, b"6 0");
        assert_eq!(parse(&FORMAT, FORMAT.example), Ok(Record::Request(expected)));
        assert_eq!((FORMAT.volume_name)(expected.volume), "6,0");
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
            assert_eq!(parse(&FORMAT, &line), Ok(Record::Request(expected)), "{line}");
        }
    }

    #[test]
    fn both_ways_of_taking_a_line_apart_agree() {
        both_ways_agree::<Fiu>(&[FORMAT.example, "7 1 nfsd 16 8 W 253 1", "7 1  x  0 1 R 253  1 "]);
        only_careful::<Fiu>(&["7 1  x  0 1  R 253  1 "]);
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
        refused(&FORMAT, &TraceOptions::default(), &cases);
    }
}
