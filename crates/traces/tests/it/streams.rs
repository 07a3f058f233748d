//! Batches, threads and errors: the same at any batch size.

use crate::it::common::*;
use slcache_traces::spawn;

/// Requests and error of the thread reader.
fn spawned(path: &str, options: &TraceOptions, batch: usize) -> (Vec<Request>, Option<String>) {
    let mut requests = Vec::new();
    for item in spawn(path, options, batch).unwrap() {
        match item {
            Ok(batch) => requests.extend(batch),
            Err(error) => return (requests, Some(error.to_string())),
        }
    }
    (requests, None)
}

#[test]
fn the_first_error_does_not_depend_on_the_batch() {
    let mut text = msr_lines(1000);
    text.push_str("1,hm,0,Read,0,512,1\nrubbish\n");
    text.push_str(&msr_lines(1000));
    let volumes = format!("{}2,other,0,Read,0,512,1\n", msr_lines(777));
    let truncated = gzip(msr_lines(5000).as_bytes());
    for bytes in [text.as_bytes(), volumes.as_bytes(), &truncated[..truncated.len() - 20]] {
        let file = file(bytes);
        let options = TraceOptions::with_format("msr");
        let expected = read_path(path(&file), &options, usize::MAX);
        let error = expected.error.expect("an error").to_string();
        for batch in [1, 2, 7, 999, 1000, 1001, 100_000] {
            let outcome = read_path(path(&file), &options, batch);
            assert_eq!(outcome.requests, expected.requests);
            assert_eq!(outcome.error.expect("an error").to_string(), error);
            let (requests, spawned_error) = spawned(path(&file), &options, batch);
            assert_eq!((requests, spawned_error.as_ref()), (expected.requests.clone(), Some(&error)));
        }
    }
}

#[test]
fn a_stream_ends_with_its_summary() {
    let file = file(msr_lines(5000).as_bytes());
    let mut stream = spawn(path(&file), &TraceOptions::default(), 64).unwrap();
    assert_eq!(stream.format(), "msr");
    let requests: usize = stream.by_ref().map(|batch| batch.unwrap().len()).sum();
    assert_eq!(requests, 5000);
    let summary = stream.summary().expect("a summary");
    assert_eq!((summary.requests(), summary.lines), (5000, 5000));
    assert_eq!(stream.total(), Some(stream.done()));
    // Dropping one half-way must not hang.
    let mut stream = spawn(path(&file), &TraceOptions::default(), 1).unwrap();
    assert!(stream.next().is_some());
}

#[test]
fn a_flush_before_a_write_is_never_lost() {
    let text: String = (0..9)
        .map(|place| format!("8,0 0 {place} 0.00000000{place} 1 Q FWFS {} + 8 [x]\n", place * 8))
        .collect();
    let file = file(text.as_bytes());
    let options = TraceOptions { action: slcache_traces::BlkparseAction::Q, ..TraceOptions::default() };
    for batch in 1..20 {
        let outcome = read_path(path(&file), &options, batch);
        let ops: Vec<HostOp> = outcome.requests.iter().map(|request| request.op).collect();
        assert_eq!(ops, [HostOp::Flush, HostOp::Write].repeat(9));
        assert_eq!((outcome.summary.flushes, outcome.summary.forced_unit_access_writes), (9, 9));
    }
}

#[test]
fn the_sha_is_that_of_the_stored_file() {
    for bytes in [b"1 0 0 8 1\n".to_vec(), gzip(b"1 0 0 8 1\n")] {
        let file = file(&bytes);
        assert_eq!(read_path(path(&file), &mqsim(), 10).summary.sha256, Some(sha256(&bytes)));
    }
}

#[test]
fn more_volumes_than_streams() {
    let text: String = (0..=65_536).map(|volume| format!("1 {volume} 0 8 1\n")).collect();
    let file = file(text.as_bytes());
    let options = TraceOptions { volume: Some(VolumeChoice::Each), ..mqsim() };
    let error = read_path(path(&file), &options, 1000).error.expect("an error").to_string();
    assert!(error.contains(":65537: more than 65536 volumes"), "{error}");
    assert!(open(path(&file), &mqsim()).is_ok());
}
