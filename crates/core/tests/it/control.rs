//! A controller outside: the device pauses where a window ends. That nothing else changes by it is asked of episodes.

use crate::it::common::{configure, device, pool, request, setup};
use slcache_core::base::request::{HostOp, Request};
use slcache_core::device::{Setup, Simulation};
use slcache_core::ftl::window::{WindowLength, WindowUnit};

const PAGE: u64 = 16384;

fn small() -> Setup {
    let mut setup = setup(device(pool(1, 2, 24, 32, PAGE as u32), 512 * PAGE), "baseline");
    configure(&mut setup, &[("slc_blocks", 6.into())]);
    setup
}

fn writes(count: u64, gap_ns: u64) -> Vec<Request> {
    (0..count).map(|i| request(i * gap_ns, HostOp::Write, i * 7 % 500 * PAGE, PAGE)).collect()
}

/// Feeds under a controller that does nothing; the windows' writes and times.
fn controlled(sim: &mut Simulation, requests: &[Request], pages: u64) -> Vec<(u64, u64)> {
    sim.set_control(WindowLength { unit: WindowUnit::WriteBytes, count: pages * PAGE });
    let (mut done, mut windows) = (0, Vec::new());
    while done < requests.len() {
        let fed = sim.feed_control(&requests[done..]).unwrap();
        done += fed.taken;
        windows.extend(fed.window.map(|window| (window.writes.bytes / PAGE, window.duration_ns)));
    }
    windows
}

#[test]
fn a_window_ends_when_the_next_request_arrives() {
    let requests = writes(35, 1_000_000);
    let mut sim = Simulation::new(&small()).unwrap();
    let windows = controlled(&mut sim, &requests, 10);
    // The first begins at 0, each ends with the arrival of the write behind its tenth.
    assert_eq!(windows, [(10, 10_000_000); 3]);
    assert_eq!(sim.control_window().writes.requests, 5);
}
