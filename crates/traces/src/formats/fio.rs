//! fio's iolog, versions 2 and 3: `[time] file action [offset length]`.
//!
//! fio's HOWTO ("Trace file format") and iolog.c: the first line tells the
//! version; offset and length are bytes. In version 3 every line begins with
//! microseconds since the start of the log. In version 2 a line
//! `file wait N` is a pause of N microseconds after the wait before it, and
//! without waits every request is at time 0. A volume is a file. `sync`,
//! `datasync` and `syncfs` are flushes.

use super::{Detection, Fit, Format, RawRequest, Record, RecordParser, Sample, SKIPPED_ZERO_SIZE};
use crate::error::LineFault;
use crate::fields::line_end::{LineEnd, TextBlock, WholeText};
use crate::fields::scan::{field_until, unsigned, unsigned_last, unsigned_until, Words};
use crate::fields::sectors::{Column, SizeRules};
use crate::options::TraceOptions;
use slcache_base::request::HostOp;

pub(super) const FORMAT: Format = Format {
    name: "fio",
    about: "fio iolog version 2 or 3: time in us (3) or waits (2), file (volume), action, offset and length in bytes",
    example: "fio version 3 iolog\n158 /dev/sda read 61440 4096",
    extensions: &["log", "iolog"],
    rebases: false,
    detection: Detection::By(detect),
    ..Format::of(|options| Ok(Box::new(Fio::new(options))))
};

const MICROSECOND_NS: u64 = 1000;
const HEADERS: [(&[u8], Version); 2] =
    [(b"fio version 2 iolog", Version::Two), (b"fio version 3 iolog", Version::Three)];
const EXPECTED_HEADER: &str = "\"fio version 2 iolog\" or \"fio version 3 iolog\" in the first line";
const ACTIONS: &str =
    "read, write, trim, sync, datasync, syncfs, sync_file_range, add, open, close (and in version 2 wait)";
const OFFSET: &str = "a whole number of bytes from 0 to 2^64 - 1";
const LENGTH: &str = "a positive number of bytes";
const SKIPPED_HEADER: &str = "iolog version line";
const SKIPPED_FILE: &str = "add, open or close of a file";
const SKIPPED_WAIT: &str = "wait (its time is taken)";
const SKIPPED_RANGE: &str = "sync_file_range (not a flush of the device)";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Version {
    Two,
    Three,
}

struct Fio {
    sizes: SizeRules,
    /// Known once the first line is read.
    version: Option<Version>,
    /// Version 2: the waits so far.
    waited_ns: u64,
}

impl Fio {
    fn new(options: &TraceOptions) -> Self {
        Self { sizes: SizeRules::new(options), version: None, waited_ns: 0 }
    }

    #[inline(always)]
    fn transfer<'a>(&self, transfer: Transfer<'a>, before: usize) -> Result<Record<'a>, LineFault> {
        let Transfer { at_ns, file, op, offset, length } = transfer;
        let offset = (offset, Column { number: before + 3, name: "offset" });
        let length = (length, Column { number: before + 4, name: "length" });
        let Some(extent) = self.sizes.extent_of_bytes(offset, length)? else {
            return Ok(Record::Skipped(SKIPPED_ZERO_SIZE));
        };
        let mut raw = RawRequest::plain(at_ns, (extent.sector, extent.sectors), op, file);
        raw.rounded_to_sectors = extent.rounded;
        Ok(Record::Request(raw))
    }

    #[cold]
    fn header(&mut self, line: &[u8]) -> Result<Record<'static>, LineFault> {
        let found = HEADERS.iter().find(|(text, _)| line.trim_ascii_end() == *text);
        let Some((_, version)) = found else {
            return Err(LineFault::Unknown { text: line.to_vec(), expected: EXPECTED_HEADER.to_owned() });
        };
        self.version = Some(*version);
        Ok(Record::Skipped(SKIPPED_HEADER))
    }

    /// Whatever is not a transfer.
    fn other<'a>(
        &mut self,
        line: &[u8],
        action: &[u8],
        mut after: LineRest<'a>,
    ) -> Result<Record<'a>, LineFault> {
        match action {
            b"sync" | b"datasync" | b"syncfs" => {
                after.offset_and_length_or_none(line)?;
                Ok(Record::Request(RawRequest::plain(after.at_ns, (0, 0), HostOp::Flush, after.file)))
            }
            b"sync_file_range" => Ok(Record::Skipped(SKIPPED_RANGE)),
            b"add" | b"open" | b"close" => match after.words.next() {
                None => Ok(Record::Skipped(SKIPPED_FILE)),
                Some(_) => Err(after.columns(line, "nothing behind the action")),
            },
            b"wait" if after.before == 0 => self.wait(line, after),
            _ => Err(LineFault::field(after.before + 2, "action", action, ACTIONS)),
        }
    }

    fn wait<'a>(&mut self, line: &[u8], mut after: LineRest<'a>) -> Result<Record<'a>, LineFault> {
        let allowed = "a wait in whole microseconds, of which the sum fits 64 bits in nanoseconds";
        let word = after.words.next().ok_or_else(|| after.columns(line, "a time behind wait"))?;
        let wait_ns = unsigned(word).and_then(|us| us.checked_mul(MICROSECOND_NS));
        let waited_ns = wait_ns.and_then(|wait_ns| self.waited_ns.checked_add(wait_ns));
        self.waited_ns = waited_ns.ok_or_else(|| LineFault::field(3, "offset", word, allowed))?;
        Ok(Record::Skipped(SKIPPED_WAIT))
    }
}

/// A read, write or trim in the units of the file but for its time.
#[derive(Debug, PartialEq, Eq)]
struct Transfer<'a> {
    at_ns: u64,
    file: &'a [u8],
    op: HostOp,
    offset: u64,
    length: u64,
}

/// A line from its file on.
struct LineRest<'a> {
    /// Columns before the file.
    before: usize,
    at_ns: u64,
    file: &'a [u8],
    /// The words behind the action.
    words: Words<'a>,
}

impl LineRest<'_> {
    #[inline]
    fn number(&mut self, line: &[u8], column: usize, name: &str, allowed: &str) -> Result<u64, LineFault> {
        let expected = "the offset and the length in bytes behind the action";
        let word = self.words.next().ok_or_else(|| self.columns(line, expected))?;
        unsigned(word).ok_or_else(|| LineFault::field(self.before + column, name, word, allowed))
    }

    /// The offset and the length, and nothing behind them.
    #[inline]
    fn offset_and_length(&mut self, line: &[u8]) -> Result<(u64, u64), LineFault> {
        let offset = self.number(line, 3, "offset", OFFSET)?;
        let length = self.number(line, 4, "length", LENGTH)?;
        match self.words.next() {
            None => Ok((offset, length)),
            Some(_) => Err(self.columns(line, "nothing behind the length")),
        }
    }

    /// A flush may or may not tell an offset and a length; they say nothing.
    fn offset_and_length_or_none(&mut self, line: &[u8]) -> Result<(), LineFault> {
        match self.words.clone().next() {
            None => Ok(()),
            Some(_) => self.offset_and_length(line).map(|_| ()),
        }
    }

    #[cold]
    fn columns(&self, line: &[u8], expected: &str) -> LineFault {
        LineFault::columns(line, Words::new(line).count(), expected)
    }
}

impl RecordParser for Fio {
    #[inline]
    fn record<'a>(&mut self, line: &'a [u8]) -> Result<Record<'a>, LineFault> {
        let Some(version) = self.version else {
            return self.header(line);
        };
        if version == Version::Three {
            if let Some((transfer, _)) = quick::<WholeText>(line) {
                return self.transfer(transfer, 1);
            }
        }
        let mut words = Words::new(line);
        let (before, at_ns) = match version {
            Version::Two => (0, self.waited_ns),
            Version::Three => (1, time(words.next().unwrap_or_default())?),
        };
        let (Some(file), Some(action)) = (words.next(), words.next()) else {
            let expected = "a file and an action";
            return Err(LineFault::columns(line, Words::new(line).count(), expected));
        };
        let mut after = LineRest { before, at_ns, file, words };
        let op = match action {
            b"read" => HostOp::Read,
            b"write" => HostOp::Write,
            b"trim" => HostOp::Trim,
            _ => return self.other(line, action, after),
        };
        let (offset, length) = after.offset_and_length(line)?;
        self.transfer(Transfer { at_ns, file, op, offset, length }, before)
    }

    #[inline(always)]
    fn quick<'a>(&self, pending: &'a [u8]) -> Option<(Record<'a>, &'a [u8])> {
        let (before, (transfer, behind)) = match self.version? {
            Version::Two => (0, quick_from_file::<TextBlock>(pending, self.waited_ns)?),
            Version::Three => (1, quick::<TextBlock>(pending)?),
        };
        Some((self.transfer(transfer, before).ok()?, behind))
    }
}

/// One pass over a well-formed read, write or trim of version 3, and what is behind the line;
/// `None` for any other line.
#[inline(always)]
fn quick<E: LineEnd>(line: &[u8]) -> Option<(Transfer<'_>, &[u8])> {
    let (time_us, rest) = unsigned_until(line, b' ')?;
    let at_ns = time_us.checked_mul(MICROSECOND_NS)?;
    quick_from_file::<E>(rest, at_ns)
}

/// Reads a line of version 2 from its file on; the time before it is known.
#[inline(always)]
fn quick_from_file<E: LineEnd>(line: &[u8], at_ns: u64) -> Option<(Transfer<'_>, &[u8])> {
    let (file, rest) = field_until(line, b' ').filter(|(file, _)| !file.is_empty())?;
    let (op, rest) = match rest {
        [b'r', b'e', b'a', b'd', b' ', rest @ ..] => (HostOp::Read, rest),
        [b'w', b'r', b'i', b't', b'e', b' ', rest @ ..] => (HostOp::Write, rest),
        [b't', b'r', b'i', b'm', b' ', rest @ ..] => (HostOp::Trim, rest),
        _ => return None,
    };
    let (offset, length) = unsigned_until(rest, b' ')?;
    let (length, behind) = unsigned_last::<E>(length)?;
    Some((Transfer { at_ns, file, op, offset, length }, behind))
}

/// Version 3: microseconds since the start of the log.
#[inline]
fn time(field: &[u8]) -> Result<u64, LineFault> {
    let at_ns = unsigned(field).and_then(|us| us.checked_mul(MICROSECOND_NS));
    at_ns.ok_or_else(|| {
        LineFault::field(1, "timestamp", field, "a time in whole microseconds up to 18446744073709551")
    })
}

fn detect(sample: &Sample<'_>) -> Fit {
    let first = sample.lines.first().map_or(&b""[..], |line| line.trim_ascii_end());
    match HEADERS.iter().any(|(text, _)| first == *text) {
        true => Fit::Yes,
        false => Fit::No,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parser(version: u8) -> Fio {
        let mut parser = Fio::new(&TraceOptions::default());
        let header = format!("fio version {version} iolog");
        assert_eq!(parser.record(header.as_bytes()), Ok(Record::Skipped(SKIPPED_HEADER)));
        parser
    }

    #[test]
    fn version_3_tells_the_time_of_every_line() {
        let mut parser = parser(3);
        let expected = RawRequest::plain(158_000, (120, 8), HostOp::Read, b"/dev/sda");
        let line = FORMAT.example.lines().nth(1).unwrap();
        assert_eq!(parser.record(line.as_bytes()), Ok(Record::Request(expected)));
        for (action, op) in [("write", HostOp::Write), ("trim", HostOp::Trim)] {
            let line = format!("158 /dev/sda {action} 61440 4096");
            assert_eq!(parser.record(line.as_bytes()), Ok(Record::Request(RawRequest { op, ..expected })));
        }
        for line in ["158\t/dev/sda read  61440 4096 ", " 158 /dev/sda read 61440 4096"] {
            assert!(quick::<WholeText>(line.as_bytes()).is_none());
            assert_eq!(parser.record(line.as_bytes()), Ok(Record::Request(expected)), "{line}");
        }
        assert!(parser.record(b"158 /dev/sda\tx read 61440 4096").is_err());
        let flush = RawRequest::plain(10_544_000, (0, 0), HostOp::Flush, b"f");
        for line in ["10544 f sync 442368 0", "10544 f datasync", "10544 f syncfs 0 0"] {
            assert_eq!(parser.record(line.as_bytes()), Ok(Record::Request(flush)), "{line}");
        }
        for line in ["41 f add", "153 f open", "78537 f close"] {
            assert_eq!(parser.record(line.as_bytes()), Ok(Record::Skipped(SKIPPED_FILE)), "{line}");
        }
        assert_eq!(parser.record(b"9 f sync_file_range 0 512"), Ok(Record::Skipped(SKIPPED_RANGE)));
    }

    #[test]
    fn version_2_adds_up_its_waits() {
        let mut parser = parser(2);
        let request = |at_ns| Ok(Record::Request(RawRequest::plain(at_ns, (8, 1), HostOp::Write, b"f")));
        assert_eq!(parser.record(b"f write 4096 512"), request(0));
        assert_eq!(parser.record(b"f wait 250 0"), Ok(Record::Skipped(SKIPPED_WAIT)));
        assert_eq!(parser.record(b"f write 4096 512"), request(250_000));
        assert_eq!(parser.record(b"f wait 5"), Ok(Record::Skipped(SKIPPED_WAIT)));
        assert_eq!(parser.record(b"f write 4096 512"), request(255_000));
        let error = parser.record(b"f wait 18446744073709551").unwrap_err().to_string();
        assert!(error.contains("column 3 (offset): \"18446744073709551\" is not a wait"), "{error}");
    }

    #[test]
    fn the_first_line_tells_the_version() {
        for line in ["0 f read 0 512", "fio version 1 iolog", "0, 0, 512"] {
            let error = Fio::new(&TraceOptions::default()).record(line.as_bytes()).unwrap_err().to_string();
            assert!(error.contains("\"fio version 2 iolog\" or \"fio version 3 iolog\""), "{line}: {error}");
        }
    }

    #[test]
    fn bad_lines_are_named() {
        let cases = [
            (3, "x f read 0 512", "column 1 (timestamp): \"x\" is not a time in whole microseconds"),
            (3, "18446744073709552 f read 0 512", "column 1 (timestamp)"),
            (3, "1 f wait 5 0", "column 3 (action): \"wait\" is not read, write, trim"),
            (2, "f fsync", "column 2 (action): \"fsync\""),
            (3, "1 f read -1 512", "column 4 (offset): \"-1\""),
            (2, "f read 1 512", "column 3 (offset): 1 bytes is not a multiple of 512"),
            (3, "1 f write 0 x", "column 5 (length): \"x\""),
            (2, "f write 0 0", "column 4 (length): a request of size 0"),
            (3, "1 f write 0", "4 columns where the offset and the length"),
            (3, "1 f write 0 512 9", "6 columns where nothing behind the length"),
            (3, "1 f open 0 0", "5 columns where nothing behind the action"),
            (3, "1 f", "2 columns where a file and an action"),
            (2, "f wait", "2 columns where a time behind wait"),
        ];
        for (version, line, expected) in cases {
            let message = parser(version).record(line.as_bytes()).unwrap_err().to_string();
            assert!(message.contains(expected), "{line}: {message}");
        }
    }
}
