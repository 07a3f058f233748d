//! Data placed at their first read, while operations on the same blocks are in flight.

use crate::common::{configure, device, pool, request, setup};
use serde_json::json;
use slcache_core::base::request::{HostOp, Request};
use slcache_core::base::rng::RngStream;
use slcache_core::device::config::Prefill;
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
