//! biosnoop of bcc and libbpf-tools, whose header names the columns; bpftrace's has no addresses unless
//! somebody added them.
//!
//! A line is a completion: its time is in seconds since the first line, its latency in milliseconds from
//! the issue. With `-Q` the time in the queue stands before it. Sectors are 512 bytes. bcc says R or W,
//! libbpf-tools RWBS; what moves no bytes is a flush. Where no disk is named the command is none of a disk.

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
        ("QUE", ColumnPart::Queued, 1_000_000),
        ("LAT", ColumnPart::Response, 1_000_000),
    ],
    free: Some("COMM"),
    kinds: None,
    assumed_header: None,
    notes: &["[...]", "Tracing", "Attach", "Possibly lost", "lost "],
    completes: true,
    zero_flushes: true,
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::lines::tests::{below, below_with};
    use crate::formats::RawRequest;
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
