//! Every kind of bad input gives an error that says where and what.

mod common;

use common::{file, gzip, message, mqsim, msr_lines, path, read, read_path};
use slcache_traces::{
    detect, lint, open, SubSector, TraceError, TraceOptions, Unsorted, VolumeChoice, ZeroSize,
};

fn msr() -> TraceOptions {
    TraceOptions::with_format("msr")
}

#[test]
fn missing_and_empty_files() {
    let error = open("no/such/file.csv", &msr()).err().unwrap();
    assert!(matches!(error, TraceError::Open { .. }));
    assert!(
        error
            .to_string()
            .starts_with("no/such/file.csv: cannot be opened"),
        "{error}"
    );
    for options in [msr(), TraceOptions::default()] {
        assert_eq!(
            message(b"", &options),
            ": the file is empty; a trace holds at least one request"
        );
        assert!(message(&gzip(b""), &options).contains("the file is empty"));
    }
    assert!(
        message(b"CPU0 (7,0):\n", &TraceOptions::with_format("blkparse"))
            .contains("no request among its 1 lines (1 left out: blkparse summary line)")
    );
}

#[test]
fn a_bad_line_is_named_by_number() {
    let mut text = msr_lines(16);
    text.push_str("128166385295514999,hm,0,Write,0,-4096,1\n");
    text.push_str(&msr_lines(3));
    let expected = ":17: column 6 (Size): \"-4096\" is not a positive number of bytes";
    assert_eq!(message(text.as_bytes(), &msr()), expected);
    // Found by content all the same.
    assert_eq!(message(text.as_bytes(), &TraceOptions::default()), expected);
}

#[test]
fn empty_lines_and_carriage_returns() {
    let text = msr_lines(2).replace('\n', "\r\n");
    assert_eq!(read(text.as_bytes(), &msr()).requests.len(), 2);
    assert_eq!(
        message(format!("{text}\n").as_bytes(), &msr()),
        ":3: the line is empty; expected a record"
    );
    let outcome = read(text.trim_end().as_bytes(), &msr());
    assert_eq!(outcome.requests.len(), 2);
    assert!(outcome.summary.last_line_unterminated);
}

#[test]
fn a_line_cut_short() {
    let text = msr_lines(3);
    let cut = &text[..text.len() - 6];
    let message = message(cut.as_bytes(), &msr());
    assert!(message.contains(":3: 6 columns where 7"), "{message}");
}

#[test]
fn truncated_and_damaged_compression() {
    let text = msr_lines(20_000);
    for (name, bytes) in [
        ("gzip", gzip(text.as_bytes())),
        ("zstd", zstd::encode_all(text.as_bytes(), 1).unwrap()),
    ] {
        let whole = read(&bytes, &TraceOptions::default());
        assert_eq!(
            (whole.requests.len(), whole.error.is_none()),
            (20_000, true),
            "{name}"
        );
        for keep in [bytes.len() - 1, bytes.len() - 9, bytes.len() / 2, 12] {
            let message = message(&bytes[..keep], &msr());
            assert!(
                message.contains(&format!("the {name} data is truncated")),
                "{keep}: {message}"
            );
        }
        let mut damaged = bytes.clone();
        damaged[bytes.len() / 2] ^= 0x55;
        damaged[bytes.len() / 2 + 1] ^= 0x55;
        let outcome = read(&damaged, &msr());
        assert!(outcome.error.is_some(), "{name}: damage goes unseen");
        let mut trailing = bytes;
        trailing.extend_from_slice(b"junk behind the end");
        assert!(
            message(&trailing, &msr()).contains("data is damaged"),
            "{name}"
        );
    }
}

#[test]
fn several_frames_and_members_are_one_trace() {
    let text = msr_lines(10);
    let (first, second) = text.split_at(text.len() / 2);
    let zstd = |part: &str| zstd::encode_all(part.as_bytes(), 3).unwrap();
    for bytes in [
        [gzip(first.as_bytes()), gzip(second.as_bytes())].concat(),
        [zstd(first), zstd(second)].concat(),
    ] {
        assert_eq!(read(&bytes, &msr()).requests.len(), 10);
    }
}

#[test]
fn binary_junk() {
    let junk: Vec<u8> = (0..100_000u32)
        .map(|place| (place.wrapping_mul(2_654_435_761) >> 13) as u8)
        .collect();
    for options in [TraceOptions::default(), msr(), mqsim()] {
        let message = message(&junk, &options);
        assert!(
            message.contains("binary data") || message.contains("not a line"),
            "{message}"
        );
    }
    let long = vec![b'x'; 1 << 20];
    assert!(message(&long, &msr()).contains(":1: the line is longer than 262144 bytes"));
}

#[test]
fn time_backwards() {
    let text = b"10 0 0 8 1\n30 0 0 8 1\n20 0 0 8 1\n40 0 0 8 1\n5 0 0 8 1\n";
    let error = message(text, &mqsim());
    assert!(
        error.starts_with(":3: time runs backwards: 20 ns after 30 ns"),
        "{error}"
    );
    let keep = read(
        text,
        &TraceOptions {
            unsorted: Unsorted::Keep,
            ..mqsim()
        },
    );
    assert_eq!((keep.requests.len(), keep.summary.kept_unsorted), (5, 2));
    let sorted = TraceOptions {
        unsorted: Unsorted::Sort(4),
        ..mqsim()
    };
    let outcome = read(text, &sorted);
    let times: Vec<u64> = outcome
        .requests
        .iter()
        .map(|request| request.at_ns)
        .collect();
    assert_eq!(
        (times, outcome.summary.reordered),
        (vec![5, 10, 20, 30, 40], 2)
    );
    let narrow = TraceOptions {
        unsorted: Unsorted::Sort(1),
        ..mqsim()
    };
    let error = message(text, &narrow);
    assert!(
        error.starts_with(
            ":5: time runs backwards by more than the reorder window: 5 ns, but 30 ns"
        ),
        "{error}"
    );
    let rebased = TraceOptions {
        unsorted: Unsorted::Keep,
        rebase: Some(true),
        ..mqsim()
    };
    assert!(message(text, &rebased).contains(":5: 5 ns lies before the first record (10 ns)"));
}

#[test]
fn zero_sizes_and_partial_sectors() {
    let text = b"1,a,0,Read,0,0,1\n2,a,0,Write,100,1000,1\n3,a,0,Read,512,512,1\n";
    assert!(message(text, &msr()).contains(":1: column 6 (Size): a request of size 0"));
    let skip = TraceOptions {
        zero_size: ZeroSize::Skip,
        ..msr()
    };
    assert!(
        message(text, &skip).contains(":2: column 5 (Offset): 100 bytes is not a multiple of 512")
    );
    let outcome = read(
        text,
        &TraceOptions {
            sub_sector: SubSector::Round,
            ..skip
        },
    );
    assert_eq!(
        (outcome.requests.len(), outcome.summary.rounded_to_sectors),
        (2, 1)
    );
    assert_eq!(
        (outcome.requests[0].sector, outcome.requests[0].sectors),
        (0, 3)
    );
    assert_eq!(
        (
            outcome.summary.skipped[0].reason,
            outcome.summary.skipped[0].count
        ),
        ("size 0", 1)
    );
}

#[test]
fn addresses_past_64_bits() {
    let error = message(b"1 0 36028797018963960 8 1\n", &mqsim());
    assert!(error.contains("ends past the last byte"), "{error}");
    assert!(
        message(b"1 0 18446744073709551615 8 1\n", &mqsim()).contains("ends past the last byte")
    );
}

#[test]
fn volumes() {
    let text = b"1,a,0,Read,0,512,1\n2,b,1,Write,0,512,1\n3,a,0,Read,0,512,1\n4,b,2,Read,0,512,1\n";
    let error = message(text, &msr());
    assert!(error.starts_with(":2: a second volume appears; the file holds 3 volumes: a_0 (2 requests), b_1 (1 requests), b_2 (1 requests)"), "{error}");
    let with = |volume: VolumeChoice| {
        read(
            text,
            &TraceOptions {
                volume: Some(volume),
                ..msr()
            },
        )
    };
    let streams = |outcome: common::Outcome| -> Vec<u16> {
        outcome
            .requests
            .iter()
            .map(|request| request.stream)
            .collect()
    };
    assert_eq!(streams(with(VolumeChoice::Merge)), [0, 0, 0, 0]);
    assert_eq!(streams(with(VolumeChoice::Each)), [0, 1, 0, 2]);
    let one = with(VolumeChoice::Named("b_1".to_owned()));
    assert_eq!(
        (
            one.requests.len(),
            one.requests[0].at_ns,
            one.summary.skipped[0].count
        ),
        (1, 0, 3)
    );
    let missing = TraceOptions {
        volume: Some(VolumeChoice::Named("c".to_owned())),
        ..msr()
    };
    assert!(message(text, &missing)
        .contains("volume = \"c\" is not in the file; it holds: a_0 (2 requests)"));
}

#[test]
fn options_that_do_not_fit() {
    let error = message(b"1\n", &TraceOptions::with_format("msrc"));
    assert_eq!(
        error,
        "trace option format: \"msrc\" is not allowed; allowed: msr, blkparse, mqsim, generic"
    );
    assert!(message(b"1\n", &TraceOptions::with_format("generic")).contains("trace option generic"));
}

#[test]
fn detection() {
    let found = |text: &[u8]| detect(path(&file(text)));
    assert_eq!(found(msr_lines(100).as_bytes()).unwrap(), "msr");
    assert_eq!(found(&gzip(msr_lines(5).as_bytes())).unwrap(), "msr");
    assert_eq!(
        found(b"  7,5 0 1 0.000000000 9  D  FN [x]\nCPU0 (7,5):\n").unwrap(),
        "blkparse"
    );
    let error = found(b"1 0 0 8 1\n").unwrap_err().to_string();
    assert!(
        error.contains("SSDsim") && error.contains("Pass --trace-format mqsim"),
        "{error}"
    );
    let error = found(b"hello\nworld\n").unwrap_err().to_string();
    assert!(
        error.contains("no known format fits") && error.contains("\"hello\""),
        "{error}"
    );
    let error = found(b"ab\x00\x01\n").unwrap_err().to_string();
    assert!(
        error.contains("binary data (byte 0x00) in line 1, column 3"),
        "{error}"
    );
}

#[test]
fn lint_lists_every_problem() {
    let text =
        b"5 0 0 8 1\n4 0 0 8 1\nx 0 0 8 1\n6 0 0 0 1\n7 0 0 8\n8 0 0 8 1\n7 0 0 8 1\n9 0 0 8 1\n";
    let file = file(text);
    let report = lint(path(&file), &mqsim(), 10).unwrap();
    let found: Vec<_> = report
        .problems
        .iter()
        .map(|problem| (problem.line.unwrap(), problem.kind))
        .collect();
    let expected = [
        (2, "time backwards"),
        (3, "field"),
        (4, "zero size"),
        (5, "columns"),
        (7, "time backwards"),
    ];
    assert_eq!(found, expected);
    assert_eq!(
        (
            report.total(),
            report.counts["time backwards"],
            report.read_to_end
        ),
        (5, 2, true)
    );
    assert_eq!(lint(path(&file), &mqsim(), 1).unwrap().problems.len(), 4);
    let clean = common::file(b"5 0 0 8 1\n");
    assert_eq!(lint(path(&clean), &mqsim(), 1).unwrap().total(), 0);
    assert!(read_path(path(&clean), &mqsim(), 1).error.is_none());
}
