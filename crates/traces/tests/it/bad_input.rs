//! Every kind of bad input gives an error that says where and what.

use crate::it::common::{gzip, message, mqsim, msr_lines, read};
use slcache_traces::{open, FileFault, TraceError, TraceOptions};

fn msr() -> TraceOptions {
    TraceOptions::with_format("msr")
}

#[test]
fn missing_and_empty_files() {
    let error = open("no/such/file.csv", &msr()).err().unwrap();
    assert!(matches!(error, TraceError::File { fault: FileFault::Read, .. }));
    assert!(error.to_string().starts_with("no/such/file.csv: cannot be opened"), "{error}");
    for options in [msr(), TraceOptions::default()] {
        assert_eq!(message(b"", &options), ": the file is empty; a trace holds at least one request");
        assert!(message(&gzip(b""), &options).contains("the file is empty"));
    }
    assert!(message(b"CPU0 (7,0):\n", &TraceOptions::with_format("blkparse"))
        .contains("no request among its 1 lines (1 left out: blkparse summary line)"));
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
    assert_eq!(message(format!("{text}\n").as_bytes(), &msr()), ":3: the line is empty; expected a record");
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
    for (name, bytes) in
        [("gzip", gzip(text.as_bytes())), ("zstd", zstd::encode_all(text.as_bytes(), 1).unwrap())]
    {
        let whole = read(&bytes, &TraceOptions::default());
        assert_eq!((whole.requests.len(), whole.error.is_none()), (20_000, true), "{name}");
        for keep in [bytes.len() - 1, bytes.len() - 9, bytes.len() / 2, 12] {
            let message = message(&bytes[..keep], &msr());
            assert!(message.contains(&format!("the {name} data is truncated")), "{keep}: {message}");
        }
        let mut damaged = bytes.clone();
        damaged[bytes.len() / 2] ^= 0x55;
        damaged[bytes.len() / 2 + 1] ^= 0x55;
        let outcome = read(&damaged, &msr());
        assert!(outcome.error.is_some(), "{name}: damage goes unseen");
        let mut trailing = bytes;
        trailing.extend_from_slice(b"junk behind the end");
        assert!(message(&trailing, &msr()).contains("data is damaged"), "{name}");
    }
}

#[test]
fn several_frames_and_members_are_one_trace() {
    let text = msr_lines(10);
    let (first, second) = text.split_at(text.len() / 2);
    let zstd = |part: &str| zstd::encode_all(part.as_bytes(), 3).unwrap();
    for bytes in
        [[gzip(first.as_bytes()), gzip(second.as_bytes())].concat(), [zstd(first), zstd(second)].concat()]
    {
        assert_eq!(read(&bytes, &msr()).requests.len(), 10);
    }
}

#[test]
fn binary_junk() {
    let junk: Vec<u8> =
        (0..100_000u32).map(|place| (place.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
    for options in [TraceOptions::default(), msr(), mqsim()] {
        let message = message(&junk, &options);
        assert!(message.contains("binary data") || message.contains("not a line"), "{message}");
    }
    let long = vec![b'x'; 1 << 20];
    assert!(message(&long, &msr()).contains(":1: the line is longer than 262144 bytes"));
}

#[test]
fn addresses_past_64_bits() {
    let error = message(b"1 0 36028797018963960 8 1\n", &mqsim());
    assert!(error.contains("ends past the last byte"), "{error}");
    assert!(message(b"1 0 18446744073709551615 8 1\n", &mqsim()).contains("ends past the last byte"));
}
