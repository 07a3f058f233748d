//! What the options choose, what detection tells and what lint lists.

use crate::it::common::*;
use slcache_traces::{SubSector, ZeroSize};

#[test]
fn time_backwards() {
    let text = b"10 0 0 8 1\n30 0 0 8 1\n20 0 0 8 1\n40 0 0 8 1\n5 0 0 8 1\n";
    let error = message(text, &mqsim());
    assert!(error.starts_with(":3: time runs backwards: 20 ns after 30 ns"), "{error}");
    let keep = read(text, &TraceOptions { unsorted: Unsorted::Keep, ..mqsim() });
    assert_eq!((keep.requests.len(), keep.summary.kept_unsorted), (5, 2));
    let sorted = TraceOptions { unsorted: Unsorted::Sort(4), ..mqsim() };
    let outcome = read(text, &sorted);
    let times: Vec<u64> = outcome.requests.iter().map(|request| request.at_ns).collect();
    assert_eq!((times, outcome.summary.reordered), (vec![5, 10, 20, 30, 40], 2));
    let narrow = TraceOptions { unsorted: Unsorted::Sort(1), ..mqsim() };
    let error = message(text, &narrow);
    assert!(error.starts_with(":5: time runs backwards by more than the reorder window"), "{error}");
    let rebased = TraceOptions { unsorted: Unsorted::Keep, rebase: Some(true), ..mqsim() };
    assert!(message(text, &rebased).contains(":5: 5 ns lies before the first record (10 ns)"));
}

#[test]
fn zero_sizes_and_partial_sectors() {
    let text = b"1,a,0,Read,0,0,1\n2,a,0,Write,100,1000,1\n3,a,0,Read,512,512,1\n";
    assert!(message(text, &msr()).contains(":1: column 6 (Size): a request of size 0"));
    let skip = TraceOptions { zero_size: ZeroSize::Skip, ..msr() };
    assert!(message(text, &skip).contains(":2: column 5 (Offset): 100 bytes is not a multiple of 512"));
    let outcome = read(text, &TraceOptions { sub_sector: SubSector::Round, ..skip });
    assert_eq!((outcome.requests.len(), outcome.summary.rounded_to_sectors), (2, 1));
    assert_eq!((outcome.requests[0].sector, outcome.requests[0].sectors), (0, 3));
    assert_eq!((&*outcome.summary.skipped[0].reason, outcome.summary.skipped[0].count), ("size 0", 1));
}

#[test]
fn volumes() {
    let text = b"1,a,0,Read,0,512,1\n2,b,1,Write,0,512,1\n3,a,0,Read,0,512,1\n4,b,2,Read,0,512,1\n";
    let error = message(text, &msr());
    assert!(error.starts_with(":2: a second volume appears; the file holds 3 volumes: a_0 (2 "), "{error}");
    let with = |volume: VolumeChoice| read(text, &TraceOptions { volume: Some(volume), ..msr() });
    let streams = |outcome: crate::it::common::Outcome| -> Vec<u16> {
        outcome.requests.iter().map(|request| request.stream).collect()
    };
    assert_eq!(streams(with(VolumeChoice::Merge)), [0, 0, 0, 0]);
    assert_eq!(streams(with(VolumeChoice::Each)), [0, 1, 0, 2]);
    let one = with(VolumeChoice::Named("b_1".to_owned()));
    assert_eq!((one.requests.len(), one.requests[0].at_ns, one.summary.skipped[0].count), (1, 0, 3));
    let missing = TraceOptions { volume: Some(VolumeChoice::Named("c".to_owned())), ..msr() };
    assert!(message(text, &missing).contains("volume = \"c\" is not in the file; it holds: a_0 (2 requests)"));
}

#[test]
fn detection() {
    let found = |text: &[u8]| detect(path(&file(text)));
    assert_eq!(found(&gzip(msr_lines(5).as_bytes())).unwrap(), "msr");
    assert_eq!(found(b"  7,5 0 1 0.000000000 9  D  FN [x]\nCPU0 (7,5):\n").unwrap(), "blkparse");
    assert_eq!(found(b"  7,5 0 1 0.000000000 9  D  FN [x]\n^C\n[...]\n").unwrap(), "blkparse");
    let traced =
        b"a-1 [001] d... 1.000100: block_rq_issue: 8,0 W 0 () 8 + 8 [a]\n[...]\n^C\nEnding tracing...\n";
    assert_eq!(found(traced).unwrap(), "ftrace");
    assert!(found(b"\xff\xfea\0\n\0").unwrap_err().to_string().contains("UTF-16"));
    let error = found(b"hello\nworld\n").unwrap_err().to_string();
    assert!(error.contains("no known format fits") && error.contains("\"hello\""), "{error}");
    let error = found(b"ab\x00\x01\n").unwrap_err().to_string();
    assert!(error.contains("binary data (byte 0x00) in line 1, column 3"), "{error}");
}

#[test]
fn lint_lists_every_problem() {
    let text = b"5 0 0 8 1\n4 0 0 8 1\nx 0 0 8 1\n6 0 0 0 1\n7 0 0 8\n8 0 0 8 1\n7 0 0 8 1\n9 0 0 8 1\n";
    let file = file(text);
    let report = lint(path(&file), &mqsim(), 10).unwrap();
    let found: Vec<_> = report.problems.iter().map(|problem| (problem.line.unwrap(), problem.kind)).collect();
    let expected =
        [(2, "time backwards"), (3, "field"), (4, "zero size"), (5, "columns"), (7, "time backwards")];
    assert_eq!(found, expected);
    assert_eq!((report.total(), report.counts["time backwards"], report.read_to_end), (5, 2, true));
    assert_eq!(lint(path(&file), &mqsim(), 1).unwrap().problems.len(), 4);
    let clean = crate::it::common::file(b"5 0 0 8 1\n");
    assert_eq!(lint(path(&clean), &mqsim(), 1).unwrap().total(), 0);
    assert!(read_path(path(&clean), &mqsim(), 1).error.is_none());
}

/// A number that lost its last digits is a number still, so only the missing line end tells. What is no
/// line any more, as where a recorder was killed, is left out.
#[test]
fn a_last_line_cut_short_is_never_taken_silently() {
    let text = b"5 0 0 8 1\n6 0 40960 8192 1\n";
    let mut taken = 0;
    for end in b"5 0 0 8 1\n6".len()..text.len() {
        let cut = crate::it::common::file(&text[..end]);
        let outcome = read_path(path(&cut), &mqsim(), 10);
        let report = lint(path(&cut), &mqsim(), 10).unwrap();
        assert_eq!(report.counts["no line end"], 1, "{end}");
        let problem = report.problems.last().unwrap();
        assert_eq!((problem.line, problem.kind), (Some(2), "no line end"));
        assert!(problem.message.contains(":2: the last line or record has no end"), "{}", problem.message);
        assert!(outcome.summary.last_line_unterminated && outcome.error.is_none(), "{end}");
        let left_out = outcome.summary.skipped.iter().any(|each| each.reason.contains("cut short"));
        assert_eq!(outcome.requests.len(), if left_out { 1 } else { 2 }, "{end}");
        taken += outcome.requests.len() - 1;
    }
    assert_eq!(taken, 1);
    let alone = message(b"5 0 0", &mqsim());
    assert!(alone.contains("1 left out: last line or record, cut short"), "{alone}");
    let whole = crate::it::common::file(text);
    assert_eq!(lint(path(&whole), &mqsim(), 10).unwrap().total(), 0);
}
