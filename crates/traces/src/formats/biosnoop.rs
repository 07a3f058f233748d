//! biosnoop of bcc and libbpf-tools, whose header names the columns; bpftrace's has no addresses unless
//! somebody added them.
//!
//! A line is a completion: its time is in seconds since the first line, its latency in milliseconds from
//! the issue. With `-Q` the time in the queue stands before it. Sectors are 512 bytes. bcc says R or W,
//! libbpf-tools RWBS; what moves no bytes is a flush. Where no disk is named the command is none of a disk.
//! `-P` of bcc prints a letter behind the bytes, from seven digits on without a blank. `-t` of libbpf-tools
//! prints the time of day.

use super::layout::ColumnPart;
use super::table::{self, Table};
use super::Format;

pub(super) const FORMAT: Format = Format {
    name: "biosnoop",
    about: "biosnoop of bcc or libbpf-tools, below its header: seconds of completion, disk (volume), R/W or RWBS, 512 B sector, bytes, latency in ms; action D (issued: the latency is taken off), Q or C says which time",
    example: "TIME(s)     COMM           PID    DISK      T SECTOR     BYTES   LAT(ms)\n2.004204    kworker/0:3    77     nvme0n1   R 41950344   65536      0.34",
    extensions: &["biosnoop", "txt"],
    reorders: true,
    options: &["action"],
    ..Format::of(|options| table::build(&TABLE, options, options.action))
};

static TABLE: Table = Table {
    separator: None,
    columns: &[
        ("TIME", ColumnPart::Time, 1_000_000_000),
        ("PID", ColumnPart::Number, 0),
        ("DISK", ColumnPart::Volume, 0),
        ("T", ColumnPart::Op, 0),
        ("SECTOR", ColumnPart::Address, 512),
        ("BYTES", ColumnPart::Size, 1),
        ("P", ColumnPart::Mark, 0),
        ("QUE", ColumnPart::Queued, 1_000_000),
        ("LAT", ColumnPart::Response, 1_000_000),
    ],
    time_of_day: Some("TIMESTAMP"),
    free: Some("COMM"),
    kinds: None,
    assumed_header: Some("TIME(s) COMM PID DISK T SECTOR BYTES LAT(ms)"),
    notes: &["#", "Tracing", "Attach", "Possibly lost", "lost "],
    completes: true,
    zero_flushes: true,
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::lines::tests::{below, below_with};
    use crate::formats::{RawRequest, Record, SKIPPED_HEADER};
    use crate::options::{BlkparseAction, TraceOptions};
    use slcache_base::request::HostOp;

    const HEADER: &str = "TIME(s)     COMM           PID    DISK      T SECTOR     BYTES   LAT(ms)";
    const QUEUED: &str = "TIME(s)     COMM           PID     DISK      T SECTOR     BYTES  QUE(ms) LAT(ms)";

    fn options(action: BlkparseAction) -> TraceOptions {
        TraceOptions { action, rebase: Some(false), ..TraceOptions::default() }
    }

    #[test]
    fn an_issue_is_a_completion_less_its_latency() {
        let line = "2.004204    kworker/0:3    77     nvme0n1   R 41950344   65536      0.20    0.34";
        for (action, at_ns) in [
            (BlkparseAction::D, 2_003_864_000),
            (BlkparseAction::Q, 2_003_664_000),
            (BlkparseAction::C, 2_004_204_000),
        ] {
            let mut expected = RawRequest::plain(at_ns, (41_950_344, 128), HostOp::Read, b"nvme0n1");
            expected.response_ns = Some(340_000);
            assert_eq!(below_with(&FORMAT, &options(action), &["Tracing", QUEUED], line), Ok(expected));
        }
    }

    #[test]
    fn names_and_flags_as_they_come() {
        let issued = options(BlkparseAction::C);
        let parsed = |line| below_with(&FORMAT, &issued, &[HEADER], line).unwrap();
        let expected = RawRequest {
            flush_before: true,
            forced_unit_access: true,
            response_ns: Some(500_000),
            ..RawRequest::plain(1_000_000_000, (8, 8), HostOp::Write, b"sda")
        };
        assert_eq!(parsed("1.0 Web Content: 2 9 sda FWFS 8 4096 0.5"), expected);
        assert_eq!(parsed("^C1.0 9 sda FWFS 8 4096 0.5"), expected);
        assert_eq!(parsed("1.0 sync 9 sda R 18446744073709551615 0 0.5").op, HostOp::Flush);
        assert_eq!(parsed("1.0 fstrim 9 sda DS 8 4096 0.500").op, HostOp::Trim);
    }

    #[test]
    fn a_pattern_may_stick_to_the_bytes() {
        let header = HEADER.replace(" LAT", "P LAT");
        for (line, sectors) in
            [("4096   R    0.34", 8), ("1048576S    0.34", 2048), ("1048576?    0.34", 2048)]
        {
            let line = format!("2.004204    kworker/0:3    77     vda       W 4195034 {line}");
            let parsed = below_with(&FORMAT, &options(BlkparseAction::C), &[&header], &line).unwrap();
            assert_eq!(
                (parsed.sector, parsed.sectors, parsed.response_ns),
                (4_195_034, sectors, Some(340_000))
            );
        }
    }

    #[test]
    fn a_time_of_day_may_pass_midnight() {
        let header = HEADER.replace("TIME(s)", "TIMESTAMP");
        let mut parser = (FORMAT.build)(&options(BlkparseAction::C)).unwrap();
        assert_eq!(parser.record(header.as_bytes()), Ok(Record::Skipped(SKIPPED_HEADER)));
        for (time, at_ns) in [
            ("23:59:59.990", 86_399_990_000_000),
            ("23:59:59.980", 86_399_980_000_000),
            ("00:00:00.010", 86_400_010_000_000),
        ] {
            let line = format!("{time} dd 9 sda W 8 4096 0.5");
            let Ok(Record::Request(raw)) = parser.record(line.as_bytes()) else { panic!("{line}") };
            assert_eq!(raw.at_ns, at_ns, "{line}");
        }
    }

    #[test]
    fn what_was_not_queued_has_no_time_in_the_queue() {
        let line = "2.004204    kworker/0:3    77     nvme0n1   R 41950344   65536    -1.000   0.340";
        let parsed = |action| below_with(&FORMAT, &options(action), &[QUEUED], line).unwrap();
        assert_eq!(parsed(BlkparseAction::Q), parsed(BlkparseAction::D));
    }

    #[test]
    fn a_named_file_may_lack_its_header() {
        let named = TraceOptions { format: Some("biosnoop".to_owned()), ..options(BlkparseAction::C) };
        let parsed = below_with(&FORMAT, &named, &[], "1.0 a b 9 sda W 8 4096 0.5").unwrap();
        assert_eq!((parsed.at_ns, parsed.sectors, parsed.volume), (1_000_000_000, 8, &b"sda"[..]));
    }

    #[test]
    fn a_process_may_be_called_as_a_column() {
        let issued = options(BlkparseAction::C);
        let parsed = below_with(&FORMAT, &issued, &[HEADER], "1.0 TIME 9 sda W 8 4096 0.5").unwrap();
        assert_eq!((parsed.at_ns, parsed.op), (1_000_000_000, HostOp::Write));
    }

    #[test]
    fn commands_of_no_disk_are_counted() {
        for line in [
            "0.000000    kworker/23:1   9126           R 18446744073709551615 0         0.61",
            "1.774609    ?              0              R 0          0         0.21",
            "2.023791    Web Content    12             R 0          8        11.83",
        ] {
            let skipped = below(&FORMAT, &[HEADER], line).unwrap_err();
            assert!(skipped.contains("command of no disk"), "{line}: {skipped}");
        }
    }

    #[test]
    fn bad_lines_are_named() {
        for (line, expected) in [
            ("x c 9 sda W 8 4096 0.5", "column 1 (TIME): \"x\""),
            ("1.0 c d sda W 8 4096 0.5", "column 3 (PID): \"d\""),
            ("1.0 c 9 sda Q 8 4096 0.5", "column 5 (RWBS): \"Q\""),
            ("1.0 c 9 sda W 8k 4096 0.5", "column 6 (SECTOR): \"8k\""),
            ("1.0 c 9 sda W 8 4000 0.5", "column 7 (BYTES): 4000 bytes is not a multiple of 512"),
            ("1.0 c 9 sda W 8 4096 ?", "column 8 (LAT): \"?\""),
            (
                "1.0 c 9 sda W 8 4096 9999999",
                "column 1 (TIME): \"1.0\" is not a time that its latency can be taken off",
            ),
            ("1.0 c 9 sda W", "5 columns where 8, as in the header"),
        ] {
            let message = below(&FORMAT, &[HEADER], line).unwrap_err();
            assert!(message.contains(expected), "{line}: {message}");
        }
        let without =
            below(&FORMAT, &[], "TIME(ms)     DISK    COMM             PID    LAT(ms)").unwrap_err();
        assert!(without.contains("a header that names T, SECTOR, BYTES too"), "{without}");
        let queued = below_with(&FORMAT, &options(BlkparseAction::Q), &[], HEADER).unwrap_err();
        assert!(queued.contains("a header that names QUE too"), "{queued}");
    }
}
