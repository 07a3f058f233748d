//! Windows count the host's write requests, whatever becomes of them in the DRAM buffer.

use crate::it::common::{configure, device, pool, request, setup};
use serde_json::json;
use slcache_core::base::request::{HostOp, Request};
use slcache_core::device::config::BufferConfig;
use slcache_core::device::{Setup, Simulation};

const PAGE: u64 = 16384;

/// `hierarchy` with windows of 100 write requests, behind a write-back buffer of so many pages.
fn hierarchy(buffer_pages: u64) -> Setup {
    let mut setup = setup(device(pool(1, 2, 24, 32, PAGE as u32), 512 * PAGE), "hierarchy");
    configure(&mut setup, &[("slc_blocks", json!(8)), ("window_writes", json!(100))]);
    if buffer_pages > 0 {
        let bytes = buffer_pages * PAGE;
        setup.buffer = Some(BufferConfig::new(bytes));
    }
    setup
}

/// Windows, and the share of L2 at the end.
fn division(setup: &Setup, writes: &[Request]) -> (f64, f64) {
    let mut sim = Simulation::new(setup).unwrap();
    sim.feed(writes).unwrap();
    let figures = sim.finish().unwrap().scheme.figures;
    (figures["windows"], figures["l2_share"])
}

#[test]
fn a_request_written_back_page_by_page_is_one_write() {
    let write = |i: u64| request(i * 20_000_000, HostOp::Write, i * 4 % 400 * PAGE, 4 * PAGE);
    let writes: Vec<_> = (0..250).map(write).collect();
    let (windows, share) = division(&hierarchy(0), &writes);
    // From the second window on, a page of the 512 changes sides with each request.
    assert_eq!((windows, share), (2.0, 0.5 + 150.0 / 512.0));
    assert_eq!(division(&hierarchy(8), &writes), (windows, share));
}

#[test]
fn a_write_that_the_buffer_absorbs_counts() {
    let writes: Vec<_> = (0..420).map(|i| request(i * 1000, HostOp::Write, i % 4 * PAGE, PAGE)).collect();
    assert_eq!(division(&hierarchy(8), &writes).0, 4.0);
}
