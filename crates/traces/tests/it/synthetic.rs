//! The bench workloads are, to the byte, what their Python originals write.

use ring::digest::{digest, SHA256};
use slcache_traces::synthetic::{
    heavy_gc, synth1m, HEAVY_GC_MEAN_GAP_NS, HEAVY_GC_RANDOM_WRITES, SYNTH1M_REQUESTS,
};
use slcache_traces::{write_text, HostOp, Request};

fn text(requests: &[Request]) -> String {
    let mut text = Vec::new();
    write_text("mqsim", requests, &mut text).unwrap();
    String::from_utf8(text).unwrap()
}

fn sha256(text: &str) -> String {
    digest(&SHA256, text.as_bytes()).as_ref().iter().map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn synth1m_is_the_original() {
    let text = text(&synth1m(SYNTH1M_REQUESTS));
    assert_eq!(text.lines().next(), Some("25111 0 1592960 8 1"));
    assert_eq!(text.lines().last(), Some("200225258721 0 5549536 32 1"));
    assert_eq!(sha256(&text), "bb8ae1875c1d887737df5d11aabea2c34dbf858f6653c43f2bb2a9f2c7bf0b4a");
}

#[test]
fn heavy_gc_is_the_original() {
    let requests = heavy_gc(HEAVY_GC_RANDOM_WRITES, HEAVY_GC_MEAN_GAP_NS, true);
    assert_eq!(requests.len(), 2_117_976);
    let text = text(&requests);
    assert_eq!(text.lines().next(), Some("16000000 0 0 128 0"));
    assert_eq!(text.lines().last(), Some("9895453527268 0 1200528 8 0"));
    assert_eq!(sha256(&text), "968881987926fa5958e9c4891131569e760ad189ea265393c2497d05b3694c06");
}

#[test]
fn without_the_fill_only_random_writes_are_left() {
    let requests = heavy_gc(1000, HEAVY_GC_MEAN_GAP_NS, false);
    assert_eq!(requests.len(), 1000);
    assert!(requests.iter().all(|request| request.sectors == 8));
}

#[test]
fn what_mqsim_cannot_say_is_refused() {
    let flush = Request { at_ns: 0, sector: 0, sectors: 0, stream: 0, hint: 0, op: HostOp::Flush };
    let error = write_text("mqsim", &[flush], &mut Vec::new()).unwrap_err().to_string();
    assert!(error.contains("request 1 does not fit the format mqsim: it is a flush"), "{error}");
}
