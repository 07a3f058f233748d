//! Data placed at their first read, while operations on the same blocks are in flight.

use crate::it::common::{configure, device, pool, request, setup};
use serde_json::json;
use slcache_core::base::request::{HostOp, Request};
use slcache_core::base::rng::RngStream;
use slcache_core::device::config::{InflightRead, Prefill};
use slcache_core::device::{Setup, Simulation};

const MU: u64 = 4096;
const PAGE: u64 = 4 * MU;
/// All that the dense blocks have room for.
const PAGES: u32 = 168;

/// One die, whose cache gathers logical pages out of dense blocks that live on.
fn full_die(scheme: &str) -> Setup {
    let mut setup = setup(device(pool(1, 1, 15, 8, PAGE as u32), u64::from(PAGES) * PAGE), scheme);
    setup.trace.prefill = Prefill::OnRead;
    configure(&mut setup, &[("slc_blocks", json!(4)), ("merge.buffer_bytes", json!(PAGE * 3 / 2))]);
    setup
}

/// Writes of single units, and reads of pages that hold nothing: each was trimmed just before.
fn requests() -> Vec<Request> {
    let mut rng = RngStream::new(1, "requests");
    let mut all = Vec::new();
    for _ in 0..4000 {
        let unit = u64::from(rng.below(PAGES * 4));
        all.push(request(0, HostOp::Write, unit * MU, MU));
        if rng.below(4) == 0 {
            let page = u64::from(rng.below(PAGES));
            all.push(request(0, HostOp::Trim, page * PAGE, PAGE));
            all.push(request(0, HostOp::Read, page * PAGE, PAGE));
        }
    }
    all
}

#[test]
fn cleaning_for_it_leaves_what_is_in_flight_alone() {
    for scheme in ["sector", "hierarchy"] {
        let mut sim = Simulation::new(&full_die(scheme)).unwrap();
        sim.feed(&requests()).unwrap();
        let report = sim.finish().unwrap();
        let completed = requests().iter().filter(|r| r.op != HostOp::Trim).count() as u64;
        assert_eq!(report.host.requests, completed);
        assert_eq!(sim.timing().ops_in_flight(), 0);
        sim.audit().unwrap();
    }
}

/// What a read of a page takes whose program waits behind another, after data from before time 0 have
/// been placed behind it in the same block.
fn read_of_a_waiting_page_ns(inflight_read: InflightRead) -> u64 {
    let mut device = device(pool(1, 1, 15, 8, MU as u32), 100 * MU);
    device.inflight_read = inflight_read;
    let mut setup = setup(device, "tlc-only");
    setup.trace.prefill = Prefill::OnRead;
    let mut sim = Simulation::new(&setup).unwrap();
    sim.keep_log();
    let requests = [
        request(0, HostOp::Write, 0, MU),
        request(1000, HostOp::Write, MU, MU),
        request(2000, HostOp::Read, 5 * MU, MU),
        request(3000, HostOp::Read, MU, MU),
    ];
    sim.feed(&requests).unwrap();
    sim.finish().unwrap();
    sim.log().iter().find(|(r, _)| *r == requests[3]).unwrap().1
}

#[test]
fn a_read_does_not_pass_the_program_of_its_data() {
    let (program, read) = (100 + 4096 + 800_000, 100 + 60_000 + 10 + 4096);
    assert_eq!(read_of_a_waiting_page_ns(InflightRead::Wait), 2 * program + 2 * read - 3000);
    assert_eq!(read_of_a_waiting_page_ns(InflightRead::Buffer), 0);
}
