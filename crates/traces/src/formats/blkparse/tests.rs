use super::*;
use crate::options::BlkparseAction;

fn parse(line: &str, action: BlkparseAction) -> Result<Record<'_>, LineFault> {
    let options = TraceOptions { action, ..TraceOptions::default() };
    Blkparse::new(&options).record(line.as_bytes())
}

fn request(line: &str, action: BlkparseAction) -> RawRequest<'_> {
    match parse(line, action) {
        Ok(Record::Request(raw)) => raw,
        other => panic!("{line}: {other:?}"),
    }
}

fn skipped(line: &str, action: BlkparseAction) -> &'static str {
    match parse(line, action) {
        Ok(Record::Skipped(reason)) => reason,
        other => panic!("{line}: {other:?}"),
    }
}

#[test]
fn transfers() {
    let raw = request(FORMAT.example, BlkparseAction::D);
    assert_eq!(raw, RawRequest::plain(0, (14_320_672, 32), HostOp::Read, b"7,0"));
    let raw = request("  7,3 0 4127 28.940627897 44  D  DS 21245832 + 120 [kworker/0:1H]", BlkparseAction::D);
    let expected = RawRequest::plain(28_940_627_897, (21_245_832, 120), HostOp::Trim, b"7,3");
    assert_eq!(raw, expected);
    let raw = request("8,0 1 2 0.5 9 Q FWFS 64 + 8 [jbd2/sda1 8]", BlkparseAction::Q);
    assert_eq!((raw.op, raw.sectors), (HostOp::Write, 8));
    assert!(raw.flush_before && raw.forced_unit_access);
    let raw = request("8,0 1 2 0.5 9 C WS 64 + 8 (   12345) [0]", BlkparseAction::C);
    assert_eq!((raw.op, raw.sector), (HostOp::Write, 64));
}

#[test]
fn flushes_and_lines_without_sectors() {
    let raw = request("  7,5 0 35 1.000000001 13558  D  FN [kworker/0:1H]", BlkparseAction::D);
    assert_eq!(raw, RawRequest::new(1_000_000_001, HostOp::Flush, b"7,5"));
    let raw = request("  7,5 0 35 1.000000001 13558  C  FN 0 [0]", BlkparseAction::C);
    assert_eq!(raw.op, HostOp::Flush);
    let raw = request("8,0 1 2 0.5 9 Q FWS [jbd2]", BlkparseAction::Q);
    assert_eq!(raw.op, HostOp::Flush);
    for line in ["7,5 0 1 1.0 13558  C  WS 0 [0]", "7,5 0 1 1.0 13558  C WSM 8344 [0]"] {
        assert_eq!(skipped(line, BlkparseAction::C), SKIPPED_FLUSH_END);
    }
    let command = "8,0 1 2 0.5 9 D R 36 (12 00 00 00) [smartd]";
    assert_eq!(skipped(command, BlkparseAction::D), SKIPPED_PASS_THROUGH);
    assert_eq!(skipped("8,0 1 2 0.5 9 D N 0 [smartd]", BlkparseAction::D), SKIPPED_PASS_THROUGH);
}

#[test]
fn other_events_and_the_summary_are_counted() {
    let line = "7,5 0 1 1.0 13558  C  WS 8 + 8 [0]";
    assert_eq!(skipped(line, BlkparseAction::D), SKIPPED_COMPLETION);
    let message = "8,0 1 0 0.5 0 m N cfq42 insert_request";
    assert_eq!(skipped(message, BlkparseAction::D), "blkparse event m (message)");
    for line in [
        "CPU0 (7,5):",
        " Reads Queued:         576,      567MiB\t Writes Queued:       2,466",
        " Read depth:             1\t Write depth:             1",
        "Throughput (R/W): 3,506KiB/s / 35,667KiB/s",
        "Events (7,5): 12,566 entries",
        "Skips: 0 forward (0 -   0.0%)",
        "Input file loop5.blktrace.0 added",
        "^CCPU0 (7,5):",
        "",
    ] {
        assert_eq!(skipped(line, BlkparseAction::D), SKIPPED_SUMMARY, "{line}");
    }
    assert_eq!(skipped("[...]", BlkparseAction::D), SKIPPED_ELLIPSIS);
}

#[test]
fn newer_flags() {
    let write = request("259,0 11 1 0.0 1889 D WFSU 768 + 32 [atomic]", BlkparseAction::D);
    assert_eq!((write.op, write.sectors, write.forced_unit_access), (HostOp::Write, 32, true));
    for line in ["259,0 11 3 0.0 1889 D WZS 4096 + 80 [zeroer]", "259,0 11 4 0.0 1889 D ZA 4096 + 80 [zoned]"]
    {
        assert_eq!(
            request(line, BlkparseAction::D),
            RawRequest::plain(0, (4096, 80), HostOp::Write, b"259,0")
        );
    }
    for line in ["259,0 11 5 0.0 1889 D ZR 524288 + 0 [zoned]", "259,0 11 5 0.0 1889 D ZRA [zoned]"] {
        assert_eq!(skipped(line, BlkparseAction::D), SKIPPED_ZONE, "{line}");
    }
    assert!(skipped("259,0 11 6 0.0 1889 ZP WS 8 + 8 [zoned]", BlkparseAction::D).contains("event ZP/ZU"));
}

#[test]
fn notes_may_stand_above_the_events() {
    let mut parser = Blkparse::new(&TraceOptions::default());
    for note in ["# a note", "recorded on 2 disks, see below", "$ blkparse -i sda"] {
        assert_eq!(parser.record(note.as_bytes()), Ok(Record::Skipped(SKIPPED_NOTE)), "{note}");
    }
    assert!(matches!(parser.record(FORMAT.example.as_bytes()), Ok(Record::Request(_))));
    assert_eq!(parser.record(b"# another"), Ok(Record::Skipped(SKIPPED_NOTE)));
    assert!(parser.record(b"recorded on 2 disks").is_err());
}

#[test]
fn bad_lines_are_named() {
    let cases = [
        ("7,5 x 1 1.0 9 D W 8 + 8 [0]", "column 2 (cpu): \"x\""),
        ("7,5 0 x 1.0 9 D W 8 + 8 [0]", "column 3 (sequence)"),
        ("7,5 0 1 1 9 D W 8 + 8 [0]", "column 4 (time): \"1\" is not a time as seconds.nanoseconds"),
        ("7,5 0 1 -1.0 9 D W 8 + 8 [0]", "column 4 (time)"),
        ("7,5 0 1 1.0 x D W 8 + 8 [0]", "column 5 (pid)"),
        ("7,5 0 1 1.0 9 Y W 8 + 8 [0]", "column 6 (action): \"Y\""),
        ("7,5 0 1 1.0 9 D WQ 8 + 8 [0]", "column 7 (RWBS): \"WQ\""),
        ("7,5 0 1 1.0 9 D N 8 + 8 [0]", "column 7 (RWBS)"),
        ("7,5 0 1 1.0 9 D W -8 + 8 [0]", "column 8 (sector): \"-8\""),
        ("7,5 0 1 1.0 9 D W -8 [0]", "column 8 (sector): \"-8\""),
        ("7,5 0 1 1.0 9 D W 8 + -8 [0]", "column 10 (sectors): \"-8\""),
        ("7,5 0 1 1.0 9 D W 8 + 0 [0]", "a request of size 0"),
        ("7,5 0 1 1.0 9 D W 8 + 8", "not a line of this format"),
        ("7,5 0 1 1.0 9 D W 8 +", "not a line of this format"),
        ("7,5 0 1 1.0 9 D W", "not a line of this format"),
        ("7,5 0 1 1.0 9 D W [x]", "not a line of this format"),
        ("7,5 0 1 1.0", "not a line of this format"),
        ("hello 8,0 world", "not a line of this format: \"hello 8,0 world\"; expected maj,min"),
    ];
    let mut parser = Blkparse::new(&TraceOptions::default());
    assert!(parser.record(FORMAT.example.as_bytes()).is_ok());
    for (line, expected) in cases {
        let message = parser.record(line.as_bytes()).unwrap_err().to_string();
        assert!(message.contains(expected), "{line}: {message}");
    }
}
