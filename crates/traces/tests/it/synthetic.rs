//! The bench workloads are, to the byte, what their Python originals write.

use crate::it::common::*;
use slcache_traces::synthetic::{self, SYNTH1M_REQUESTS};
use slcache_traces::write_text;

#[test]
fn they_are_the_originals() {
    for (requests, sha) in [
        (
            synthetic::synth1m(SYNTH1M_REQUESTS),
            "bb8ae1875c1d887737df5d11aabea2c34dbf858f6653c43f2bb2a9f2c7bf0b4a",
        ),
        (synthetic::heavy_gc(100_000), "463b7d3e3a0576c92b9238d1eb9ebd4e32fec9059ffa16dbcf377cb75865aa15"),
    ] {
        let mut text = Vec::new();
        write_text("mqsim", &requests, &mut text).unwrap();
        assert_eq!(sha256(&text), sha);
    }
}

#[test]
fn what_mqsim_cannot_say_is_refused() {
    let flush = Request { at_ns: 0, sector: 0, sectors: 0, stream: 0, hint: 0, op: HostOp::Flush };
    let error = write_text("mqsim", &[flush], &mut Vec::new()).unwrap_err().to_string();
    assert!(error.contains("request 1 does not fit the format mqsim: it is a flush"), "{error}");
}
