//! The ends of the ranges: bus times, suspended operations and simulated time itself.

use crate::it::common::*;
use slcache_core::device::RunError;
use slcache_core::hw::config::SuspendConfig;
use slcache_core::hw::geometry::Geometry;
use slcache_core::hw::timing::{OpSpec, Timing};

const PAGE: u64 = 4096;
const A: BlockId = BlockId(0);
const B: BlockId = BlockId(1);

/// More reads than 16 bits count are served while one erase is suspended: each takes its own time,
/// and the erase lasts as long as the reads delay it.
#[test]
fn any_number_of_reads_may_pass_a_suspended_erase() {
    let mut config = pool(1, 1, 16, 8, 4096);
    config.suspend =
        SuspendConfig { program: false, erase: true, suspend_ns: 0, resume_ns: 0, max_suspends: 1 };
    let slc = config.slc.as_mut().unwrap();
    slc.erase_ns = 1_000_000_000;
    let geometry = Geometry::new(&[config], 4096).unwrap();
    let mut timing = Timing::new(&geometry, 0);
    let erase = OpSpec::new(OpKind::Erase, Cause::Gc, Class::Background, A, 0);
    timing.emit(OpSpec { array_ns: 1_000_000_000, ..erase }, &[]);
    timing.kick();
    let reads = 70_000;
    for _ in 0..reads {
        let read = OpSpec::new(OpKind::Read, Cause::Host, Class::HostRead, B, 0);
        timing.emit(OpSpec { array_ns: 1000, ..read }, &[]);
    }
    timing.kick();
    let mut ends = Vec::new();
    let mut left = timing.ops_in_flight();
    while timing.next_ns() != u64::MAX {
        timing.step();
        if timing.ops_in_flight() < left {
            left = timing.ops_in_flight();
            ends.push(timing.now_ns());
        }
    }
    let want: Vec<u64> = (1..=reads).map(|i| i * 1000).chain([reads * 1000 + 1_000_000_000]).collect();
    assert_eq!(ends, want);
}

/// The run ends with an error, not with a wrapped clock, where time would pass 2^62 ns.
#[test]
fn time_beyond_the_limit_is_an_error() {
    let setup = setup(device(pool(1, 1, 16, 8, 4096), 256 << 10), "tlc-only");
    let mut simulation = Simulation::new(&setup).unwrap();
    let last = (1 << 62) - 1;
    let refused = simulation.feed(&[request(1 << 62, HostOp::Write, 0, PAGE)]);
    assert!(
        matches!(refused, Err(RunError::TimeLimit { index: 1, at_ns }) if at_ns == 1 << 62),
        "{refused:?}"
    );
    let mut simulation = Simulation::new(&setup).unwrap();
    simulation.feed(&[request(last, HostOp::Write, 0, PAGE)]).unwrap();
    let refused = simulation.finish().map(|_| ());
    assert!(matches!(refused, Err(RunError::TimeLimit { .. })), "{refused:?}");
}
