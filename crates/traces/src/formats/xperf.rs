//! Disk events of Windows as `xperf` dumps them, in the form of Microsoft's published server traces.
//!
//! The header block names the columns of each kind of event. Times are microseconds, offset and size bytes
//! in hexadecimal. A read, write or flush is dumped when it completes; `ElapsedTime` goes back to its
//! beginning. File names come last, in quotes, and may hold commas.

use super::layout::ColumnPart;
use super::table::{self, Table};
use super::Format;
use slcache_base::request::HostOp;

pub(super) const FORMAT: Format = Format {
    name: "xperf",
    about: "xperf csv of Windows' disk events, below BeginHeader: microseconds of completion, hexadecimal offset and size in bytes, disk (volume), elapsed time in us; action D (issued: the elapsed time is taken off) or C says which time",
    example: "DiskRead, TimeStamp, Process Name ( PID), ThreadID, IrpPtr, ByteOffset, IOSize, ElapsedTime, DiskNum, FileName\nDiskRead, 8612, reader.exe (3984), 11844, 0xffffe288b23f1b20, 0x018f0b8000, 0x00001000, 283, 0, \"C:\\one, two.dat\"",
    extensions: &["csv", "txt"],
    reorders: true,
    options: &["action"],
    ..Format::of(|options| table::build(&TABLE, options, options.action))
};

static TABLE: Table = Table {
    separator: Some(b','),
    columns: &[
        ("TimeStamp", ColumnPart::Time, 1000),
        ("ThreadID", ColumnPart::Number, 0),
        ("ByteOffset", ColumnPart::Address, 1),
        ("IOSize", ColumnPart::Size, 1),
        ("ElapsedTime", ColumnPart::Response, 1000),
        ("DiskNum", ColumnPart::Volume, 0),
    ],
    time_of_day: None,
    free: Some("FileName"),
    kinds: Some(&[("DiskRead", HostOp::Read), ("DiskWrite", HostOp::Write), ("DiskFlush", HostOp::Flush)]),
    assumed_header: None,
    notes: &["OS Version", "FirstReliable"],
    completes: true,
    zero_flushes: false,
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::lines::tests::{below, below_with};
    use crate::formats::{RawRequest, Record};
    use crate::options::{BlkparseAction, TraceOptions};

    const COLUMNS: &str = "TimeStamp, Process Name ( PID), ThreadID, CPU, IrpPtr, ByteOffset, IOSize, ElapsedTime, DiskNum, IrpFlags, DiskSvcTime, I/O Pri, VolSnap, FileObject, FileName";

    fn header() -> Vec<String> {
        let named = |kind: &str| format!("  {kind}, {COLUMNS}");
        vec![
            "BeginHeader".to_owned(),
            "  SampledProfile, TimeStamp, Process Name ( PID), ThreadID".to_owned(),
            named("DiskRead"),
            named("DiskWrite"),
            "  DiskFlush, TimeStamp, Process Name ( PID), ThreadID, IrpPtr, ElapsedTime, DiskNum, IrpFlags"
                .to_owned(),
            "  UnknownEvent/Classic, with anything".to_owned(),
            "EndHeader".to_owned(),
            "OS Version: 10.0.22000, Trace Size: 6912KB, Events Lost: 0".to_owned(),
        ]
    }

    fn parsed(action: BlkparseAction, line: &str) -> Result<RawRequest<'static>, String> {
        let header = header();
        let header: Vec<&str> = header.iter().map(String::as_str).collect();
        let options = TraceOptions { action, rebase: Some(false), ..TraceOptions::default() };
        below_with(&FORMAT, &options, &header, line)
    }

    const WRITE: &str = "  DiskWrite,  9612,  writer.exe (4000),  11848,   0, 0xffffe288b23f1b20, 0x0000200000, 0x00010000,  90,  1, 0x060043,  90,  3, Original, 0xffffe288272d0d20, \"C:\\one, two\"";

    #[test]
    fn reads_writes_and_flushes() {
        let issued = RawRequest {
            response_ns: Some(90_000),
            ..RawRequest::plain(9_522_000, (4096, 128), HostOp::Write, b"1")
        };
        assert_eq!(parsed(BlkparseAction::D, WRITE), Ok(issued));
        assert_eq!(parsed(BlkparseAction::C, WRITE), Ok(RawRequest { at_ns: 9_612_000, ..issued }));
        let read = WRITE.replace("DiskWrite", "DiskRead").replace(", \"C:\\one, two\"", "");
        assert_eq!(parsed(BlkparseAction::D, &read), Ok(RawRequest { op: HostOp::Read, ..issued }));
        let flush =
            parsed(BlkparseAction::D, "DiskFlush, 100, System (   4), 12, 0xff, 40, 0, 0x060043").unwrap();
        assert_eq!((flush.at_ns, flush.op, flush.volume), (60_000, HostOp::Flush, &b"0"[..]));
    }

    #[test]
    fn other_events_and_bad_lines() {
        let other = parsed(BlkparseAction::D, "SampledProfile, 100, a (1), 2").unwrap_err();
        assert_eq!(other, "event of another kind");
        for (line, expected) in [
            (WRITE.replace("9612", "96.1.2"), "column 2 (TimeStamp): \"96.1.2\""),
            (WRITE.replace("writer.exe", "a, b"), "column 4 (ThreadID): \"b (4000)\""),
            (WRITE.replace("0x0000200000", "0x200g"), "column 7 (ByteOffset): \"0x200g\""),
            (WRITE.replace("0x00010000", "0x0001"), "column 8 (IOSize): 1 bytes is not a multiple of 512"),
            (WRITE.replace(",  90,  1", ",  -90,  1"), "column 9 (ElapsedTime): \"-90\""),
            ("DiskWrite, 1, a (1), 2".to_owned(), "4 columns where 16, as in the header"),
            ("DiskWritten, 1, a (1), 2".to_owned(), "expected an event of a kind that the header names"),
        ] {
            let message = parsed(BlkparseAction::D, &line).unwrap_err();
            assert!(message.contains(expected), "{line}: {message}");
        }
        let options = TraceOptions { action: BlkparseAction::Q, ..TraceOptions::default() };
        assert!((FORMAT.build)(&options).is_err());
        let mut parser = (FORMAT.build)(&TraceOptions::default()).unwrap();
        assert!(matches!(parser.record(b"anything above the header"), Ok(Record::Skipped(_))));
        assert!(below(&FORMAT, &[], "DiskRead, TimeStamp")
            .unwrap_err()
            .contains("ByteOffset, IOSize, ElapsedTime"));
    }
}
