//! `hyssd` and `hyssd-static` operation for operation, on two pools whose pages differ in size: a fast
//! one of SLC pages of 4 KiB, 4 to a block, and a dense one of TLC pages of 8 KiB, 12 to a block.
//!
//! A unit is 8 KiB. The fast tier of 16 blocks is full with 32 units; its spare blocks leave room for 24.

mod rules;
mod tiers;

use crate::it::common::ops::{self, last_ns, serve, LATER};
use crate::it::common::*;
use slcache_core::device::config::RmwTransfer;

pub const UNIT: u64 = 8192;
const HALF: u64 = 4096;
/// A pause that is too short for idle work, ns.
const SHORT: u64 = LATER / 100;
/// Units of user data.
const UNITS: u64 = 120;

/// A pool that offers `mode` alone, on a bus that costs nothing: SLC 20/200 us, TLC 60/800 us.
pub fn tier(name: &str, blocks: u32, page_bytes: u32, mode: CellMode) -> PoolConfig {
    let mut chips = PoolConfig { name: name.into(), ..free_bus(pool(1, 1, blocks, 4, page_bytes)) };
    match mode {
        CellMode::Slc => chips.tlc = None,
        _ => chips.slc = None,
    }
    chips
}

/// Both pools under `scheme`.
pub fn pair(scheme: &str, values: &[(&str, Value)]) -> Setup {
    let mut flash = device(tier("fast", 16, 4096, CellMode::Slc), UNITS * UNIT);
    flash.pool.push(tier("dense", 18, 8192, CellMode::Tlc));
    with(setup(flash, scheme), &[&[("initial_utilisation", json!(0.0))], values].concat())
}

/// A fast tier that is to hold `units` units.
fn holding(units: u32, values: &[(&str, Value)]) -> Setup {
    let share = [("utilisation", json!(f64::from(units) / 32.0))];
    pair("hyssd-static", &[&share, values].concat())
}

/// Feeds whole units, far apart, from the present on.
fn write_units(sim: &mut Simulation, units: impl IntoIterator<Item = u64>) {
    for unit in units {
        serve(sim, SHORT, HostOp::Write, unit * UNIT, UNIT);
    }
}

/// Lets everything come to its end.
fn pause(sim: &mut Simulation) {
    let at_ns = sim.now_ns() + LATER;
    rest(sim, at_ns);
}

/// The mode that a unit's two halves lie in; none where there is nothing.
fn lies(sim: &Simulation, unit: u64) -> [Option<CellMode>; 2] {
    [0, 1].map(|half| ops::lies(sim, 2 * unit + half))
}

/// Units with data in the fast tier.
fn figure_now(sim: &Simulation) -> f64 {
    (0..UNITS).filter(|&unit| lies(sim, unit).contains(&Some(CellMode::Slc))).count() as f64
}

const FAST: [Option<CellMode>; 2] = [Some(CellMode::Slc); 2];
const DENSE: [Option<CellMode>; 2] = [Some(CellMode::Tlc); 2];

#[test]
fn a_miss_makes_the_unit_written_longest_ago_leave_and_waits_for_it() {
    let mut sim = watched(&holding(4, &[]));
    write_units(&mut sim, [0, 1, 2, 3, 0]);
    let before = sim.ops().len();
    assert!(sim.ops().iter().all(|op| op.cause == Cause::Host), "as long as there is room");
    // Unit 1 is the coldest: 0 was written again.
    write_units(&mut sim, [4]);
    let want = [
        "read migration 0/0 page 2",
        "read migration 0/0 page 3",
        "program migration 1/0 page 0",
        "program host 0/2 page 2",
        "program host 0/2 page 3",
    ];
    assert_eq!(story(&sim, before, 99), want);
    assert_eq!([0, 1, 4].map(|unit| lies(&sim, unit)), [FAST, DENSE, FAST]);
    // Two programs, or two reads, a program in the dense tier and two programs.
    let latencies: Vec<u64> = sim.log().iter().filter(|(r, _)| r.op == HostOp::Write).map(|l| l.1).collect();
    assert_eq!(latencies[4..], [400_000, 40_000 + 800_000 + 400_000]);
    let report = sim.finish().unwrap();
    assert_eq!(figure(&report, "destaged_units"), 1.0);
    assert_eq!(figure(&report, "passive_units"), 0.0);
}

#[test]
fn a_destage_in_the_background_makes_nobody_wait() {
    let mut sim = watched(&holding(4, &[("destage", json!("background"))]));
    write_units(&mut sim, 0..5);
    assert_eq!(lies(&sim, 0), DENSE);
    assert_eq!(last_ns(&sim, HostOp::Write), 400_000);
}

#[test]
fn a_write_of_a_unit_in_the_dense_tier_brings_it_back_and_the_old_copy_dies() {
    let mut sim = watched(&holding(4, &[]));
    write_units(&mut sim, 0..6);
    assert_eq!([0, 1].map(|unit| lies(&sim, unit)), [DENSE; 2]);
    let (before, dense) = (sim.ops().len(), sim.media().array().geometry.block(PlaneId(1), 0));
    assert_eq!(sim.media().array().live_pages(dense), 2);
    write_units(&mut sim, [0]);
    // All of it is new: nothing is read of it. Unit 2 makes way.
    let kinds = sim.ops()[before..].iter().map(|op| (op.kind, op.cause)).collect::<Vec<_>>();
    let (read, program) = (OpKind::Read, OpKind::Program);
    let want = [(read, Cause::Migration), (read, Cause::Migration), (program, Cause::Migration)];
    assert_eq!(kinds, [&want[..], &[(program, Cause::Host); 2]].concat());
    assert_eq!([0, 1, 2].map(|unit| lies(&sim, unit)), [FAST, DENSE, DENSE]);
    assert_eq!(sim.media().array().live_pages(dense), 2);
    assert_eq!(figure(&sim.finish().unwrap(), "passive_units"), 1.0);
}

#[test]
fn half_a_unit_takes_the_other_half_along_from_the_dense_tier_but_not_within_the_fast_one() {
    for (transfer, bytes) in [(RmwTransfer::Page, UNIT), (RmwTransfer::Request, HALF)] {
        let mut setup = holding(4, &[]);
        setup.device.rmw_transfer = transfer;
        let mut sim = watched(&setup);
        write_units(&mut sim, 0..5);
        assert_eq!(lies(&sim, 0), DENSE);
        let before = sim.ops().len();
        serve(&mut sim, SHORT, HostOp::Write, HALF, HALF);
        let want = [
            "read migration 0/0 page 2",
            "read migration 0/0 page 3",
            "program migration 1/0 page 1",
            "read rmw 1/0 page 0",
            "program rmw 0/2 page 2",
            "program host 0/2 page 3",
        ];
        assert_eq!(story(&sim, before, 99), want);
        assert_eq!(lies(&sim, 0), FAST);
        let rmw = sim.counters().get(1, OpKind::Read, CellMode::Tlc, Cause::Rmw);
        assert_eq!((rmw.count, rmw.bytes), (1, bytes));
        let before = sim.ops().len();
        serve(&mut sim, SHORT, HostOp::Write, 0, HALF);
        assert_eq!(story(&sim, before, 99), ["program host 0/3 page 0"]);
        // A part of a mapping unit keeps the rest of its page.
        let before = sim.ops().len();
        serve(&mut sim, SHORT, HostOp::Write, 0, 512);
        assert_eq!(story(&sim, before, 99), ["read rmw 0/3 page 0", "program host 0/3 page 1"]);
    }
}

#[test]
fn units_of_half_a_dense_page_leave_in_pairs_that_share_it() {
    let mut sim = watched(&holding(4, &[("unit_bytes", json!(HALF))]));
    // Eight units of 4 KiB are what the fast tier is to hold; the ninth makes two leave, the tenth none.
    for unit in 0..8 {
        serve(&mut sim, SHORT, HostOp::Write, unit * HALF, HALF);
    }
    let before = sim.ops().len();
    serve(&mut sim, SHORT, HostOp::Write, 8 * HALF, HALF);
    let want = [
        "read migration 0/0 page 0",
        "read migration 0/0 page 1",
        "program migration 1/0 page 0",
        "program host 0/2 page 0",
    ];
    assert_eq!(story(&sim, before, 99), want);
    let before = sim.ops().len();
    serve(&mut sim, SHORT, HostOp::Write, 9 * HALF, HALF);
    assert_eq!(story(&sim, before, 99), ["program host 0/2 page 1"]);
    assert_eq!([0, 1].map(|unit| lies(&sim, unit)), [DENSE, FAST]);
    // One of the two comes back, which leaves a hole; the other stays.
    serve(&mut sim, SHORT, HostOp::Write, HALF, HALF);
    assert_eq!(lies(&sim, 0), [Some(CellMode::Tlc), Some(CellMode::Slc)]);
    assert_eq!(figure(&sim.finish().unwrap(), "destaged_units"), 4.0);
}

/// A device that holds `units` units, of which all but `share` of the tier are due after three more write requests,
/// of what stays; and when idle time begins, 50 ms behind the last of them.
fn due(units: u64, share: f64) -> (Simulation, u64) {
    let mut sim = watched(&holding(units as u32, &[("force_after_writes", json!(2))]));
    write_units(&mut sim, 0..units);
    sim.turn(0, share).unwrap();
    write_units(&mut sim, [units - 1, units - 2]);
    let at_ns = sim.now_ns();
    sim.feed(&[request(at_ns, HostOp::Write, (units - 3) * UNIT, UNIT)]).unwrap();
    (sim, at_ns + 400_000 + 50_000_000)
}

fn migration_reads(sim: &Simulation) -> u64 {
    let reads = sim.ops().iter().filter(|op| op.kind == OpKind::Read && op.cause == Cause::Migration);
    reads.count() as u64
}

#[test]
fn forced_migration_goes_unit_by_unit_and_gives_way_to_the_host() {
    let (mut sim, idle_ns) = due(8, 0.1);
    assert_eq!(migration_reads(&sim), 0);
    // A step takes 840 us; 10 us into the second one the host is back.
    sim.feed(&[request(idle_ns + 850_000, HostOp::Write, 7 * UNIT, UNIT)]).unwrap();
    rest(&mut sim, idle_ns + 10_000_000);
    assert_eq!(migration_reads(&sim), 2 * 2, "a step that has begun goes on");
    assert_eq!([0, 1, 2].map(|unit| lies(&sim, unit)), [DENSE, DENSE, FAST]);
    // The write waited for no more than the read under way.
    assert!((400_000..=420_000).contains(&last_ns(&sim, HostOp::Write)), "{}", last_ns(&sim, HostOp::Write));
    rest(&mut sim, idle_ns + LATER);
    assert_eq!([0, 4, 5, 6, 7].map(|unit| lies(&sim, unit)), [DENSE, DENSE, FAST, FAST, FAST]);
    assert!(!sim.idle_work_left());
    assert_eq!(figure(&sim.finish().unwrap(), "forced_units"), 5.0);
}

#[test]
fn a_pause_moves_what_it_has_time_to_program() {
    for pause_ns in [1_000, 839_000, 841_000, 4_000_000] {
        let (mut sim, idle_ns) = due(20, 0.05);
        // Two reads of 20 us in the fast tier, which is idle then, and a program of 800 us in the other.
        rest(&mut sim, idle_ns + pause_ns);
        assert_eq!(migration_reads(&sim), 2 * (1 + pause_ns / 840_000), "{pause_ns}");
    }
}
