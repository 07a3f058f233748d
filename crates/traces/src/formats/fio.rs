//! fio's iolog, versions 2 and 3: `[time] file action [offset length]`.
//!
//! fio's HOWTO ("Trace file format") and iolog.c: the first line tells the
//! version; offset and length are bytes. In version 3 every line begins with
//! microseconds since the start of the log. In version 2 a line
//! `file wait N` is a pause of N microseconds after the wait before it, and
//! without waits every request is at time 0. A volume is a file. `sync`,
//! `datasync` and `syncfs` are flushes.

use super::{Detection, Fit, Format, RawRequest, Record, RecordParser, Sample};
use crate::error::LineFault;
use crate::fields::scan::{
    field_until, unsigned, unsigned_last, unsigned_until, LineEnd, TextBlock, WholeText, Words,
};
use crate::fields::sectors::{NamedColumn, SizeRules};
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
/// Most words of a line that mean something, and one more.
const WORDS_MAX: usize = 6;
const HEADERS: [(&[u8], Version); 2] =
    [(b"fio version 2 iolog", Version::Two), (b"fio version 3 iolog", Version::Three)];
const EXPECTED_HEADER: &str = "\"fio version 2 iolog\" or \"fio version 3 iolog\" in the first line";
const ACTIONS: &str =
    "read, write, trim, sync, datasync, syncfs, sync_file_range, add, open, close (and in version 2 wait)";
const OFFSET: &str = "a whole number of bytes from 0 to 2^64 - 1";
const LENGTH: &str = "a positive number of bytes";
const SKIPPED_VERSION: &str = "iolog version line";
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
        let offset = (offset, NamedColumn { number: before + 3, name: "offset" });
        let length = (length, NamedColumn { number: before + 4, name: "length" });
        let extent = self.sizes.extent_of_bytes(offset, length)?;
        Ok(Record::transfer(RawRequest::new(at_ns, op, file), extent))
    }

    #[cold]
    fn header(&mut self, line: &[u8]) -> Result<Record<'static>, LineFault> {
        let found = HEADERS.iter().find(|(text, _)| line.trim_ascii_end() == *text);
        let Some((_, version)) = found else {
            return Err(LineFault::Unknown { text: line.to_vec(), expected: EXPECTED_HEADER.to_owned() });
        };
        self.version = Some(*version);
        Ok(Record::Skipped(SKIPPED_VERSION))
    }

    /// A line behind the first, word by word.
    fn careful<'a>(&mut self, version: Version, line: &'a [u8]) -> Result<Record<'a>, LineFault> {
        let (mut words, mut found) = ([&[][..]; WORDS_MAX], 0);
        for word in Words::new(line) {
            words[found.min(WORDS_MAX - 1)] = word;
            found += 1;
        }
        let words = &words[..found.min(WORDS_MAX)];
        let columns = |expected: &str| LineFault::columns(line, found, expected);
        let (before, at_ns) = match version {
            Version::Two => (0, self.waited_ns),
            Version::Three => (1, time(words.first().copied().unwrap_or_default())?),
        };
        let Some([file, action, rest @ ..]) = words.get(before..) else {
            return Err(columns("a file and an action"));
        };
        let number = |place: usize, name: &str, allowed: &str| {
            let expected = "the offset and the length in bytes behind the action";
            let word = rest.get(place).ok_or_else(|| columns(expected))?;
            unsigned(word).ok_or_else(|| LineFault::field(before + 3 + place, name, word, allowed))
        };
        let extent = || {
            let (offset, length) = (number(0, "offset", OFFSET)?, number(1, "length", LENGTH)?);
            match rest.len() {
                2 => Ok((offset, length)),
                _ => Err(columns("nothing behind the length")),
            }
        };
        let op = match *action {
            b"read" => HostOp::Read,
            b"write" => HostOp::Write,
            b"trim" => HostOp::Trim,
            b"sync" | b"datasync" | b"syncfs" => {
                // It may or may not tell an offset and a length; they say nothing.
                if !rest.is_empty() {
                    extent()?;
                }
                return Ok(Record::Request(RawRequest::new(at_ns, HostOp::Flush, file)));
            }
            b"sync_file_range" => return Ok(Record::Skipped(SKIPPED_RANGE)),
            b"add" | b"open" | b"close" if rest.is_empty() => return Ok(Record::Skipped(SKIPPED_FILE)),
            b"add" | b"open" | b"close" => return Err(columns("nothing behind the action")),
            b"wait" if before == 0 => {
                let word = rest.first().ok_or_else(|| columns("a time behind wait"))?;
                let waited_ns = unsigned(word).and_then(|us| us.checked_mul(MICROSECOND_NS));
                let waited_ns = waited_ns.and_then(|wait_ns| self.waited_ns.checked_add(wait_ns));
                let allowed = "a wait in whole microseconds, of which the sum fits 64 bits in nanoseconds";
                self.waited_ns = waited_ns.ok_or_else(|| LineFault::field(3, "offset", word, allowed))?;
                return Ok(Record::Skipped(SKIPPED_WAIT));
            }
            _ => return Err(LineFault::field(before + 2, "action", action, ACTIONS)),
        };
        let (offset, length) = extent()?;
        self.transfer(Transfer { at_ns, file, op, offset, length }, before)
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
        self.careful(version, line)
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
    Fit::certain(HEADERS.iter().any(|(text, _)| first == *text))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parser(version: u8) -> Fio {
        let mut parser = Fio::new(&TraceOptions::default());
        let header = format!("fio version {version} iolog");
        assert_eq!(parser.record(header.as_bytes()), Ok(Record::Skipped(SKIPPED_VERSION)));
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
        let flush = RawRequest::new(10_544_000, HostOp::Flush, b"f");
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
