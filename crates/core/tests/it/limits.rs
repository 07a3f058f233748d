//! The ends of the ranges: bus times, suspended operations and simulated time itself.

use crate::it::common::{configure, device, pool, request, setup};
use serde_json::json;
use slcache_core::base::op::{Cause, Class, OpKind};
use slcache_core::base::request::HostOp;
use slcache_core::base::BlockId;
use slcache_core::device::{RunError, Simulation};
use slcache_core::hw::config::{PlaneParallelism, PoolConfig, SuspendConfig};
use slcache_core::hw::geometry::Geometry;
use slcache_core::hw::timing::{OpSpec, Timing};

const PAGE: u64 = 4096;
const A: BlockId = BlockId(0);
const B: BlockId = BlockId(1);

/// What the pool's checks say of one changed configuration.
fn pool_problems(change: impl Fn(&mut PoolConfig)) -> Vec<String> {
    let mut config = pool(1, 16, 16, 8, 1 << 20);
    config.plane_parallelism = PlaneParallelism::MultiPlane;
    change(&mut config);
    let mut problems = Vec::new();
    config.check("device.pool[0]", 1 << 20, &mut problems);
    problems.iter().map(ToString::to_string).collect()
}

#[test]
fn a_hold_of_the_channel_that_32_bits_do_not_count_is_refused() {
    assert_eq!(pool_problems(|_| ()), Vec::<String>::new());
    let long = pool_problems(|p| p.bus.program_command_ns = u32::MAX);
    assert!(
        long.len() == 1 && long[0].contains("device.pool[0].bus") && long[0].contains("program_command_ns"),
        "{long:?}"
    );
    // 16 planes with 1 MiB each at 1 us per byte: 16.8 s.
    let planes = pool_problems(|p| p.bus.ps_per_byte = 1_000_000);
    assert_eq!(planes.len(), 2, "{planes:?}");
    assert!(planes.iter().all(|text| text.contains("16777216")), "{planes:?}");
}

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

/// A problem names the key that a user set, of each section by itself.
#[test]
fn cleaning_in_idle_time_is_refused_by_its_key_where_a_scheme_has_none() {
    for scheme in ["baseline", "sa", "sector", "hierarchy", "turbo-write"] {
        let mut setup = setup(device(pool(1, 1, 16, 8, PAGE as u32), PAGE), scheme);
        let (slc, dense) = ("slc.idle_free_ratio", "dense.idle_free_ratio");
        let keys = [("slc_blocks", json!(4)), (slc, json!(0.2)), (dense, json!(0.1))];
        let found = configure(&mut setup, &keys);
        let told: Vec<String> = setup.check().iter().map(ToString::to_string).collect();
        let why = "must be 0: the scheme cleans nothing in idle time";
        let of = |key: &str, value: f64| format!("scheme.{scheme}.{key} = {value}: {why}");
        let both = [of(slc, 0.2), of(dense, 0.1)];
        // turbo-write has no section for its SLC blocks.
        assert_eq!(told, both[3 - found..], "{scheme}");
    }
}
