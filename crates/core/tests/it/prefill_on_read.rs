//! Data placed at their first read, while operations on the same blocks are in flight.

use crate::it::common::{device, pool, request, setup};
use slcache_core::base::request::HostOp;
use slcache_core::device::config::{InflightRead, Prefill};
use slcache_core::device::Simulation;

const MU: u64 = 4096;

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
