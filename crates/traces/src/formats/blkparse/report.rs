//! The summary blkparse prints behind the events.

/// How the lines of the summary begin (show_stats and friends of blkparse.c).
const BEGINNINGS: &[&[u8]] = &[
    b"CPU",
    b"Total (",
    b"Reads Queued:",
    b"Read Dispatches:",
    b"Reads Requeued:",
    b"Reads Completed:",
    b"Read Merges:",
    b"Read depth:",
    b"PC Reads Queued:",
    b"PC Read Disp.:",
    b"PC Reads Req.:",
    b"PC Reads Compl.:",
    b"IO unplugs:",
    b"Throughput (R/W):",
    b"Events (",
    b"Skips:",
    b"Input file ",
];

/// Whether a line belongs to the summary; blkparse puts empty lines between
/// its parts.
pub(super) fn is_report_line(line: &[u8]) -> bool {
    let line = line.trim_ascii();
    line.is_empty() || BEGINNINGS.iter().any(|beginning| line.starts_with(beginning))
}
