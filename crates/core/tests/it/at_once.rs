//! A DRAM buffer that is written back at once: one writer keeps every plane busy, and what is there in
//! part waits for the rest.

use crate::common::ops::{after, and_then, counters, LATER, PAGE};
use crate::common::{configure, device, pool, request, setup};
use slcache_core::base::request::{HostOp, Request};
use slcache_core::device::config::{BufferConfig, Replay, WriteBack};
use slcache_core::device::{Setup, Simulation};

const PLANES: u64 = 4;
/// A page of 16 KiB on the channel and into SLC: command, data, array.
const SLC_NS: u64 = 100 + PAGE + 200_000;

/// `baseline` behind a buffer of so many logical pages.
fn buffered(pages: u64, write_back: WriteBack) -> Setup {
    let mut setup = setup(device(pool(1, PLANES as u32, 16, 64, PAGE as u32), 400 * PAGE), "baseline");
    configure(&mut setup, &[("slc_blocks", 6.into())]);
    setup.buffer = Some(BufferConfig {
        bytes: pages * PAGE,
        acknowledge: Default::default(),
        write_back,
        access_ns: 1000,
        fill_on_read: false,
    });
    setup
}

fn write(at_ns: u64, from: u64, bytes: u64) -> Request {
    request(at_ns, HostOp::Write, from, bytes)
}

/// Time until the last of so many writes of a page is acknowledged, one after the other, ns.
fn one_by_one_ns(write_back: WriteBack, writes: u64) -> u64 {
    let mut setup = buffered(2 * PLANES, write_back);
    (setup.host.replay, setup.host.queue_depth) = (Replay::Closed, 1);
    let requests: Vec<_> = (0..writes).map(|page| write(0, page * PAGE, PAGE)).collect();
    let mut sim = Simulation::new(&setup).unwrap();
    sim.keep_log();
    sim.feed(&requests).unwrap();
    sim.finish().unwrap();
    sim.log().iter().map(|(_, ns)| *ns).sum()
}

#[test]
fn one_writer_keeps_every_plane_busy() {
    let writes = 200;
    let all_planes_ns = writes * SLC_NS / PLANES;
    let found_ns = one_by_one_ns(WriteBack::AtOnce, writes);
    // What is in the buffer at the end has not been waited for.
    assert!(
        found_ns <= all_planes_ns && found_ns * 100 > all_planes_ns * 95,
        "{found_ns}, not {all_planes_ns}"
    );
    // Room that is made when it is needed is made a page at a time.
    let found_ns = one_by_one_ns(WriteBack::WhenFull, writes);
    assert!(found_ns * 100 > writes * SLC_NS * 90, "{found_ns} in turn");
}

#[test]
fn a_part_of_a_page_waits_for_the_rest_and_other_parts_for_room() {
    let half = PAGE / 2;
    let mut sim = after(&buffered(2, WriteBack::AtOnce), 0, &[write(0, 0, half), write(LATER, PAGE, half)]);
    assert_eq!(counters(&sim), []);
    and_then(&mut sim, &[write(3 * LATER, half, half)]);
    assert_eq!(counters(&sim), [("program", "slc", "host", 1, 1)]);
    // The other half page, which is the oldest, makes room for two more.
    and_then(&mut sim, &[write(5 * LATER, 2 * PAGE, half), write(6 * LATER, 3 * PAGE, half)]);
    assert_eq!(counters(&sim), [("program", "slc", "host", 2, 2)]);
}
