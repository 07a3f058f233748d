//! Every kind of bad input gives an error that says where and what.

use crate::it::common::*;

#[test]
fn what_is_wrong_is_told_by_its_place() {
    let bad = format!("{}128166385295514999,hm,0,Write,0,-4096,1\n{}", msr_lines(16), msr_lines(3));
    let empty_line = msr_lines(2).replace('\n', "\r\n") + "\n";
    let short = msr_lines(3).replace(",100\n", "\n");
    let junk: Vec<u8> =
        (0..100_000u32).map(|place| (place.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
    let (found, named) = (TraceOptions::default, TraceOptions::with_format);
    let cases: [(&[u8], TraceOptions, &str); 13] = [
        (b"", msr(), ": the file is empty"),
        (b"", found(), ": the file is empty"),
        (b"CPU0 (7,0):\n", named("blkparse"), "no request among its 1 lines (1 left out"),
        (bad.as_bytes(), msr(), ":17: column 6 (Size): \"-4096\""),
        // Found by content all the same.
        (bad.as_bytes(), found(), ":17: column 6 (Size): \"-4096\""),
        (empty_line.as_bytes(), msr(), ":3: the line is empty"),
        (short.as_bytes(), msr(), ":1: 6 columns where 7"),
        (&junk, found(), "binary data"),
        (&junk, msr(), "binary data"),
        (&[b'x'; 1 << 20], msr(), ":1: the line is longer than 262144 bytes"),
        (b"1 0 36028797018963960 8 1\n", mqsim(), "ends past the last byte"),
        (b"1\n", named("msrc"), "trace option format: \"msrc\" is not allowed; allowed: msr, "),
        (b"1\n", named("generic"), "trace option generic"),
    ];
    for (bytes, options, told) in cases {
        let message = message(bytes, &options);
        assert!(message.contains(told), "{told}: {message}");
    }
    let error = open("no/such/file.csv", &msr()).err().unwrap();
    assert!(matches!(error, TraceError::File { fault: FileFault::Read, .. }));
    assert!(error.to_string().starts_with("no/such/file.csv: cannot be opened"), "{error}");
}
