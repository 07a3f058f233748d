//! `hyssd` and `hyssd-static` operation for operation, on two pools whose pages differ in size: a fast
//! one of SLC pages of 4 KiB, 4 to a block, and a dense one of TLC pages of 8 KiB, 12 to a block.
//!
//! A unit is 8 KiB. The fast tier of 16 blocks is full with 32 units; its spare blocks leave room for 24.

use crate::common::ops::LATER;
use crate::common::{configure, device, figure, mode, pool, random, request, rest, setup, story};
use serde_json::{json, Value};
use slcache_core::base::op::{Cause, OpKind};
use slcache_core::base::request::{HostOp, Request};
use slcache_core::base::{CellMode, Mu, PlaneId};
use slcache_core::device::config::RmwTransfer;
use slcache_core::device::{Setup, Simulation};
use slcache_core::hw::config::{BusConfig, PoolConfig, ProgramRule};

const UNIT: u64 = 8192;
const HALF: u64 = 4096;
/// Units of user data.
const UNITS: u64 = 120;

/// A pool that offers `mode` alone, on a bus that costs nothing: SLC 20/200 us, TLC 60/800 us.
fn tier(name: &str, blocks: u32, page_bytes: u32, mode: CellMode) -> PoolConfig {
    let mut chips = pool(1, 1, blocks, 4, page_bytes);
    chips.name = name.into();
    let bus = BusConfig { ps_per_byte: 0, read_command_ns: 0, read_data_ns: 0, ..chips.bus };
    chips.bus = BusConfig { program_command_ns: 0, erase_command_ns: 0, ..bus };
    match mode {
        CellMode::Slc => chips.tlc = None,
        _ => chips.slc = None,
    }
    chips
}

/// Both pools under `scheme`.
fn pair(scheme: &str, values: &[(&str, Value)]) -> Setup {
    let mut flash = device(tier("fast", 16, 4096, CellMode::Slc), UNITS * UNIT);
    flash.pool.push(tier("dense", 18, 8192, CellMode::Tlc));
    let mut setup = setup(flash, scheme);
    let all = [&[("initial_utilisation", json!(0.0))], values].concat();
    assert_eq!(configure(&mut setup, &all), all.len());
    setup
}

/// A fast tier that is to hold `units` units.
fn holding(units: u32, values: &[(&str, Value)]) -> Setup {
    let share = [("utilisation", json!(f64::from(units) / 32.0))];
    pair("hyssd-static", &[&share, values].concat())
}

fn fresh(setup: &Setup) -> Simulation {
    let mut sim = Simulation::new(setup).unwrap_or_else(|problems| panic!("{problems:?}"));
    sim.track_versions();
    sim.keep_ops();
    sim.keep_log();
    sim
}

/// Feeds whole units, far apart, from the present on.
fn write_units(sim: &mut Simulation, units: impl IntoIterator<Item = u64>) {
    for unit in units {
        serve(sim, HostOp::Write, unit * UNIT, UNIT);
    }
}

/// Serves a request, far from any other.
fn serve(sim: &mut Simulation, op: HostOp, at: u64, bytes: u64) {
    let at_ns = sim.now_ns() + LATER / 100;
    sim.feed(&[request(at_ns, op, at, bytes)]).unwrap();
    let at_ns = sim.now_ns() + LATER / 200;
    rest(sim, at_ns);
    sim.audit().unwrap();
}

/// Lets everything come to its end.
fn pause(sim: &mut Simulation) {
    let at_ns = sim.now_ns() + LATER;
    rest(sim, at_ns);
}

/// The mode that a unit's two halves lie in; none where there is nothing.
fn lies(sim: &Simulation, unit: u64) -> [Option<CellMode>; 2] {
    let array = sim.media().array();
    [0, 1].map(|half| {
        let slot = sim.media().lookup(Mu((2 * unit + half) as u32))?;
        Some(array.block(array.geometry.block_of(array.geometry.page_of(slot))).mode())
    })
}

const FAST: [Option<CellMode>; 2] = [Some(CellMode::Slc); 2];
const DENSE: [Option<CellMode>; 2] = [Some(CellMode::Tlc); 2];

#[test]
fn a_miss_makes_the_unit_written_longest_ago_leave_and_waits_for_it() {
    let mut sim = fresh(&holding(4, &[]));
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
    let mut sim = fresh(&holding(4, &[("destage", json!("background"))]));
    write_units(&mut sim, 0..5);
    assert_eq!(lies(&sim, 0), DENSE);
    assert_eq!(sim.log().iter().rfind(|(r, _)| r.op == HostOp::Write).unwrap().1, 400_000);
}

#[test]
fn a_write_of_a_unit_in_the_dense_tier_brings_it_back_and_the_old_copy_dies() {
    let mut sim = fresh(&holding(4, &[]));
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
        let mut sim = fresh(&setup);
        write_units(&mut sim, 0..5);
        assert_eq!(lies(&sim, 0), DENSE);
        let before = sim.ops().len();
        serve(&mut sim, HostOp::Write, HALF, HALF);
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
        serve(&mut sim, HostOp::Write, 0, HALF);
        assert_eq!(story(&sim, before, 99), ["program host 0/3 page 0"]);
        // A part of a mapping unit keeps the rest of its page.
        let before = sim.ops().len();
        serve(&mut sim, HostOp::Write, 0, 512);
        assert_eq!(story(&sim, before, 99), ["read rmw 0/3 page 0", "program host 0/3 page 1"]);
    }
}

#[test]
fn units_of_half_a_dense_page_leave_in_pairs_that_share_it() {
    let mut sim = fresh(&holding(4, &[("unit_bytes", json!(HALF))]));
    // Eight units of 4 KiB are what the fast tier is to hold; the ninth makes two leave, the tenth none.
    for unit in 0..8 {
        serve(&mut sim, HostOp::Write, unit * HALF, HALF);
    }
    let before = sim.ops().len();
    serve(&mut sim, HostOp::Write, 8 * HALF, HALF);
    let want = [
        "read migration 0/0 page 0",
        "read migration 0/0 page 1",
        "program migration 1/0 page 0",
        "program host 0/2 page 0",
    ];
    assert_eq!(story(&sim, before, 99), want);
    let before = sim.ops().len();
    serve(&mut sim, HostOp::Write, 9 * HALF, HALF);
    assert_eq!(story(&sim, before, 99), ["program host 0/2 page 1"]);
    assert_eq!([0, 1].map(|unit| lies(&sim, unit)), [DENSE, FAST]);
    // One of the two comes back, which leaves a hole; the other stays.
    serve(&mut sim, HostOp::Write, HALF, HALF);
    assert_eq!(lies(&sim, 0), [Some(CellMode::Tlc), Some(CellMode::Slc)]);
    assert_eq!(figure(&sim.finish().unwrap(), "destaged_units"), 4.0);
}

#[test]
fn forced_migration_goes_unit_by_unit_and_gives_way_to_the_host() {
    let mut sim = fresh(&holding(8, &[("force_after_writes", json!(2))]));
    write_units(&mut sim, 0..8);
    sim.turn(0, 0.1).unwrap();
    assert_eq!(figure_now(&sim), 8.0);
    // Three more write requests, of what stays: the surplus of five, 0 to 4, is due.
    write_units(&mut sim, [7, 6]);
    let before = sim.ops().len();
    let at_ns = sim.now_ns();
    sim.feed(&[request(at_ns, HostOp::Write, 5 * UNIT, UNIT)]).unwrap();
    // 50 ms after the last program idle time begins. A step takes 840 us; 10 us into the second one the
    // host is back.
    let idle_ns = at_ns + 400_000 + 50_000_000;
    sim.feed(&[request(idle_ns + 850_000, HostOp::Write, 7 * UNIT, UNIT)]).unwrap();
    rest(&mut sim, idle_ns + 10_000_000);
    let reads = |sim: &Simulation| {
        sim.ops()[before..]
            .iter()
            .filter(|op| op.kind == OpKind::Read && op.cause == Cause::Migration)
            .count()
    };
    assert_eq!(reads(&sim), 2 * 2, "a step that has begun goes on");
    assert_eq!([0, 1, 2].map(|unit| lies(&sim, unit)), [DENSE, DENSE, FAST]);
    // The write waited for no more than the read under way.
    let latency_ns = sim.log().iter().rfind(|(r, _)| r.op == HostOp::Write).unwrap().1;
    assert!((400_000..=420_000).contains(&latency_ns), "{latency_ns}");
    rest(&mut sim, idle_ns + LATER);
    assert_eq!([0, 4, 5, 6, 7].map(|unit| lies(&sim, unit)), [DENSE, DENSE, FAST, FAST, FAST]);
    assert!(!sim.idle_work_left());
    assert_eq!(figure(&sim.finish().unwrap(), "forced_units"), 5.0);
}

#[test]
fn a_pause_moves_what_it_has_time_to_program() {
    for pause_ns in [1_000, 839_000, 841_000, 4_000_000] {
        let mut sim = fresh(&holding(20, &[("force_after_writes", json!(2))]));
        write_units(&mut sim, 0..20);
        sim.turn(0, 0.05).unwrap();
        write_units(&mut sim, [19, 18]);
        let before = sim.ops().len();
        let at_ns = sim.now_ns();
        sim.feed(&[request(at_ns, HostOp::Write, 17 * UNIT, UNIT)]).unwrap();
        // Two reads of 20 us in the fast tier, which is idle then, and a program of 800 us in the other.
        rest(&mut sim, at_ns + 400_000 + 50_000_000 + pause_ns);
        let reads = sim.ops()[before..].iter().filter(|op| op.kind == OpKind::Read).count() as u64;
        assert_eq!(reads, 2 * (1 + pause_ns / 840_000), "{pause_ns}");
    }
}

/// Units with data in the fast tier.
fn figure_now(sim: &Simulation) -> f64 {
    (0..UNITS).filter(|&unit| lies(sim, unit).contains(&Some(CellMode::Slc))).count() as f64
}

#[test]
fn what_was_written_lately_is_not_forced_out() {
    let mut sim = fresh(&holding(8, &[("force_after_writes", json!(6))]));
    write_units(&mut sim, 0..8);
    sim.turn(0, 0.1).unwrap();
    // Six write requests later the surplus is due, of which only 0, 1 and 2 were not written meanwhile.
    write_units(&mut sim, [3, 4, 5, 6, 7, 3]);
    pause(&mut sim);
    assert_eq!([0, 1, 2, 3].map(|unit| lies(&sim, unit)), [DENSE, DENSE, DENSE, FAST]);
    assert_eq!(figure_now(&sim), 5.0);
}

#[test]
fn the_fast_tier_never_holds_more_than_it_can_be_written_with() {
    // 400 blocks: 7 are held back, which leaves more than 97 %.
    let mut setup = pair("hyssd-static", &[("utilisation", json!(0.97))]);
    setup.device.pool[0].blocks = 400;
    setup.device.user_bytes = 900 * UNIT;
    let mut sim = fresh(&setup);
    let most = (0.97 * 400.0 * 2.0) as u64;
    for request in random(6_000, setup.device.user_bytes, 4, 0.0, 2_000_000.0, 3) {
        sim.feed(&[request]).unwrap();
        assert!(live_slots(&sim, 0) <= 2 * most);
    }
    let report = sim.finish().unwrap();
    assert_eq!(figure(&report, "utilisation_max"), 0.97);
    assert_eq!(live_slots(&sim, 0), 2 * most, "it is full");
    sim.audit().unwrap();
}

/// Live mapping units in a pool's blocks.
fn live_slots(sim: &Simulation, pool: u8) -> u64 {
    let array = sim.media().array();
    let in_pool = |block: &slcache_core::base::BlockId| {
        array.geometry.planes[array.geometry.plane_of(*block).index()].pool == pool
    };
    array.used_blocks().filter(in_pool).map(|block| u64::from(array.block(block).live())).sum()
}

#[test]
fn reads_move_nothing_and_the_tiers_hold_all_data_between_them() {
    let mut sim = fresh(&pair("hyssd", &[("period_writes", json!(50))]));
    sim.preload(&[(0, UNITS as u32)]).unwrap();
    sim.feed(&random(3_000, UNITS * UNIT, 4, 0.3, 2_000_000.0, 5)).unwrap();
    pause(&mut sim);
    let map =
        |sim: &Simulation| (0..sim.media().mus()).map(|mu| sim.media().lookup(Mu(mu))).collect::<Vec<_>>();
    let (before, ops) = (map(&sim), sim.ops().len());
    let start_ns = sim.now_ns();
    let read = |unit| request(start_ns + unit * 10_000, HostOp::Read, unit * UNIT, UNIT);
    sim.feed(&(0..UNITS).map(read).collect::<Vec<_>>()).unwrap();
    pause(&mut sim);
    assert!(map(&sim) == before);
    assert!(sim.ops()[ops..].iter().all(|op| op.kind == OpKind::Read && op.cause == Cause::Host));
    assert_eq!(live_slots(&sim, 0) + live_slots(&sim, 1), sim.media().mapped());
    assert_eq!(sim.media().mapped(), 2 * UNITS);
}

#[test]
fn the_tiers_wait_for_each_other_only_through_a_destage() {
    let mut sim = fresh(&holding(4, &[]));
    write_units(&mut sim, 0..6);
    // Hits of the fast tier all the while that the dense one is read: neither notices the other.
    let start_ns = sim.now_ns() + LATER;
    let write = |i: u64| request(start_ns + i * 400_000, HostOp::Write, (2 + i % 4) * UNIT, UNIT);
    let read = |i: u64| request(start_ns + i * 60_000, HostOp::Read, (i % 2) * UNIT, UNIT);
    let mut both: Vec<Request> = (0..18).map(write).chain((0..200).map(read)).collect();
    both.sort_by_key(|request| request.at_ns);
    let before = sim.log().len();
    sim.feed(&both).unwrap();
    rest(&mut sim, start_ns + LATER);
    for (request, ns) in sim.log()[before..].iter().filter(|(r, _)| r.op != HostOp::Flush) {
        let want = if request.op == HostOp::Read { 60_000 } else { 400_000 };
        assert_eq!(*ns, want, "{request:?}");
    }
    assert!(sim.ops().iter().all(|op| op.cause != Cause::Gc));
}

/// Positions by a list that is searched from the front.
#[derive(Default)]
struct NaiveStack {
    units: Vec<u64>,
    written: std::collections::BTreeSet<u64>,
    hits: [f64; 2],
    accesses: [f64; 2],
}

impl NaiveStack {
    fn access(&mut self, request: &Request, size: usize) {
        let is_write = request.op == HostOp::Write;
        let first = request.sector * 512 / UNIT;
        let last = ((request.sector + u64::from(request.sectors)) * 512 - 1) / UNIT;
        for unit in first..=last {
            let place = self.units.iter().position(|&other| other == unit);
            if !is_write && !self.written.contains(&request.sector) {
                continue; // Nothing is there to be read.
            }
            self.accesses[usize::from(is_write)] += 1.0;
            self.hits[usize::from(is_write)] += f64::from(u8::from(place.is_some_and(|place| place < size)));
            if is_write {
                self.written.insert(request.sector);
                place.map(|place| self.units.remove(place));
                self.units.insert(0, unit);
            }
        }
    }
}

#[test]
fn hit_rates_are_those_of_a_list_searched_from_the_front() {
    for units in [4, 12, 24] {
        let mut sim = fresh(&holding(units, &[]));
        let mut naive = NaiveStack::default();
        // Single units, as a request's own units would move each other.
        let requests: Vec<Request> = random(4_000, UNITS * UNIT / 3, 1, 0.4, 2_000_000.0, 9);
        requests.iter().for_each(|request| naive.access(request, units as usize));
        sim.feed(&requests).unwrap();
        let report = sim.finish().unwrap();
        for (kind, name) in ["read_hit_rate", "write_hit_rate"].into_iter().enumerate() {
            assert_eq!(
                figure(&report, name),
                naive.hits[kind] / naive.accesses[kind],
                "{name}, {units} units"
            );
        }
        // What the fast tier holds is what the list says: a write that misses is one that brings a unit.
        let missed = naive.accesses[1] - naive.hits[1];
        let distinct = naive.units.len() as f64;
        assert_eq!(figure(&report, "passive_units"), missed - distinct);
        assert_eq!(figure(&report, "destaged_units"), missed - f64::from(units));
    }
}

#[test]
fn the_lifetime_rule_evens_out_the_tiers() {
    let mut setup = pair("hyssd", &[("period_writes", json!(100)), ("goal", json!("lifetime"))]);
    setup.device.pool[0].blocks = 64;
    setup.device.pool[1].blocks = 40;
    setup.device.user_bytes = 400 * UNIT;
    // The dense tier wears out sooner at the utilisation that is cheapest.
    setup.device.pool[0].slc.as_mut().unwrap().endurance_cycles = Some(7_000);
    setup.device.pool[1].tlc.as_mut().unwrap().endurance_cycles = Some(1_000);
    let gaps = |goal: &str| {
        let mut setup = setup.clone();
        configure(&mut setup, &[("goal", json!(goal))]);
        let mut sim = Simulation::new(&setup).unwrap_or_else(|problems| panic!("{problems:?}"));
        sim.preload(&[(0, 400)]).unwrap();
        sim.feed(&random(40_000, 400 * UNIT, 2, 0.2, 4_000_000.0, 2)).unwrap();
        let report = sim.finish().unwrap();
        let series = |name: &str| {
            report.scheme.series.iter().find(|series| series.name == name).unwrap().values.clone()
        };
        let (fast, dense) = (series("lifetime_fast"), series("lifetime_dense"));
        let gap = |i: usize| (fast[i] - dense[i]).abs() / fast[i].min(dense[i]);
        [fast.len() / 8, fast.len() / 2, fast.len() - 1].map(gap)
    };
    let (even, free) = (gaps("lifetime"), gaps("performance"));
    assert!(even[0] > even[1] && even[1] > even[2] && even[2] < 0.1, "{even:?}");
    assert!(free[2] > 2.0 * even[2], "{free:?}, {even:?}");
}

#[test]
fn a_write_does_not_wait_for_a_wordline_that_nobody_fills() {
    let mut setup = holding(4, &[]);
    setup.device.stage_timeout_ns = 1_000_000_000;
    setup.device.pool[1].tlc = Some(mode(60_000, 800_000, 3_000_000));
    setup.device.pool[1].tlc.as_mut().unwrap().program = ProgramRule::OneShot;
    for plp in [true, false] {
        setup.device.plp = plp;
        let mut sim = fresh(&setup);
        sim.feed(&(0..6).map(|i| request(i * 10_000_000, HostOp::Write, i * UNIT, UNIT)).collect::<Vec<_>>())
            .unwrap();
        sim.feed(&[request(100_000_000, HostOp::Read, 0, UNIT)]).unwrap();
        sim.finish().unwrap();
        let latencies: Vec<u64> = sim.log().iter().map(|entry| entry.1).collect();
        // Two destaged pages of three: the writes wait for the reads alone. What is staged is read from the
        // controller, but is stored before a block opens whose cleaning would wait for it.
        assert_eq!(latencies[..6], [400_000, 400_000, 400_000, 400_000, 440_000, 440_000]);
        assert_eq!(latencies[6], if plp { 0 } else { 60_000 });
        sim.feed(&random(4_000, UNITS * UNIT, 4, 0.2, 3_000_000.0, 4)).unwrap();
        sim.finish().unwrap();
        sim.audit().unwrap();
    }
}

#[test]
fn a_full_pair_takes_every_overwrite_and_keeps_what_was_there_before() {
    for (scheme, unit) in [("hyssd", UNIT), ("hyssd-static", UNIT), ("hyssd", HALF), ("hyssd-static", HALF)] {
        let mut setup = pair(scheme, &[("period_writes", json!(100)), ("unit_bytes", json!(unit))]);
        // The most that the tiers accept.
        let fits = |units: &u64| {
            let mut setup = setup.clone();
            setup.device.user_bytes = units * UNIT;
            setup.check().is_empty()
        };
        setup.device.user_bytes = (UNITS..2 * UNITS).rev().find(fits).unwrap() * UNIT;
        setup.precondition.fill = 1.0;
        setup.precondition.overwrite = 1.0;
        let mut sim = fresh(&setup);
        sim.precondition(&mut |_, _| true).unwrap();
        sim.audit().unwrap();
        let bytes = setup.device.user_bytes;
        for batch in random(6_000, bytes, 4, 0.1, 2_000_000.0, 7).chunks(500) {
            sim.feed(batch).unwrap();
            sim.audit().unwrap();
        }
        sim.finish().unwrap();
        assert_eq!(sim.media().mapped(), bytes / HALF, "{scheme}, {unit}");
    }
}

#[test]
fn data_from_before_time_0_fill_the_fast_tier_as_far_as_is_said() {
    for (share, units) in [(0.0, 0), (0.25, 8)] {
        let mut setup = pair("hyssd-static", &[("utilisation", json!(0.5))]);
        configure(&mut setup, &[("initial_utilisation", json!(share))]);
        let mut sim = fresh(&setup);
        sim.preload(&[(0, UNITS as u32)]).unwrap();
        let fast: Vec<u64> = (0..UNITS).filter(|&unit| lies(&sim, unit) == FAST).collect();
        assert_eq!(fast, (0..units).collect::<Vec<_>>());
        // They are the coldest: the first to leave once the fast tier is full.
        write_units(&mut sim, 100..117);
        assert_eq!(lies(&sim, 0), if units > 0 { DENSE } else { lies(&sim, 0) });
        assert_eq!(lies(&sim, 116), FAST);
    }
}

#[test]
fn what_does_not_fit_is_refused_with_key_value_and_range() {
    let told = |setup: &Setup| setup.check().iter().map(ToString::to_string).collect::<Vec<_>>().join("; ");
    let of = |scheme: &str, key: &str, value: Value| told(&pair(scheme, &[(key, value)]));
    for (scheme, key, value, words) in [
        (
            "hyssd",
            "utilisation_max",
            json!(0.8),
            "scheme.hyssd.utilisation_max = 0.8: must be enough for two logical pages and at most 0.75",
        ),
        ("hyssd", "utilisation_max", json!(0.01), "two logical pages"),
        (
            "hyssd",
            "utilisation_min",
            json!(0.76),
            "scheme.hyssd.utilisation_min = 0.76: must be between 0 and 0.75",
        ),
        ("hyssd", "utilisation_min", json!(-0.1), "must be between 0 and"),
        (
            "hyssd",
            "initial_utilisation",
            json!(0.9),
            "scheme.hyssd.initial_utilisation = 0.9: must be between 0 and 0.75",
        ),
        (
            "hyssd-static",
            "utilisation",
            json!(0.9),
            "scheme.hyssd-static.utilisation = 0.9: must be between 0 and 0.75",
        ),
        ("hyssd", "utilisation_step", json!(0.0), "must be between 0.0001 and 1"),
        ("hyssd", "lifetime.step", json!(0.0), "must be above 0 and at most 1"),
        (
            "hyssd",
            "unit_bytes",
            json!(0),
            "scheme.hyssd.unit_bytes = 0: must be a divisor of the logical page of 8192 bytes",
        ),
        ("hyssd", "unit_bytes", json!(6144), "a divisor of the logical page"),
        ("hyssd", "unit_bytes", json!(2048), "a multiple of the mapping unit of 4096 bytes"),
        ("hyssd", "fast_blocks", json!(8), "left out: on a device of two pools each tier is a pool"),
        ("hyssd", "fast_mode", json!("mlc"), "a mode that pool \"fast\" offers: slc"),
        ("hyssd", "period_writes", json!(0), "between 1 and 1000000000"),
        ("hyssd", "force_after_writes", json!(0), "between 1 and 1000000000"),
    ] {
        let told = of(scheme, key, value.clone());
        assert!(told.contains(words) && told.contains(key), "{key} = {value}: {told}");
    }
    let changed = |change: &dyn Fn(&mut Setup)| {
        let mut setup = pair("hyssd", &[("goal", json!("lifetime"))]);
        assert_eq!(told(&setup), "");
        change(&mut setup);
        told(&setup)
    };
    let large = changed(&|setup| setup.device.user_bytes = 240 * UNIT);
    // 14 blocks of 12 units, and 1 unit at a utilisation of 0.05, less a logical page in both.
    assert!(
        large.contains(&format!("device.user_bytes = {}: must be at most {}", 240 * UNIT, 168 * UNIT)),
        "{large}"
    );
    let three = changed(&|setup| setup.device.pool.push(tier("third", 16, 4096, CellMode::Slc)));
    assert!(three.contains("device.pool = 3 pools: must be a list of 1 or 2 pools"), "{three}");
    let one = changed(&|setup| drop(setup.device.pool.remove(0)));
    assert!(one.contains("given a second cell mode beside tlc"), "{one}");
    let unknown = changed(&|setup| setup.device.pool[1].tlc.as_mut().unwrap().endurance_cycles = None);
    assert!(
        unknown.contains("device.pool[1].tlc.endurance_cycles = not given: must be 1 or more"),
        "{unknown}"
    );
    let none = changed(&|setup| setup.device.pool[0].slc.as_mut().unwrap().endurance_cycles = Some(0));
    assert!(none.contains("device.pool[0].slc.endurance_cycles = 0: must be between 1 and"), "{none}");
    let wide = changed(&|setup| {
        (setup.device.pool[0].page_bytes, setup.device.piece_bytes) = (16384, UNIT as u32);
    });
    assert!(wide.contains("a multiple of the 16384 bytes of a page of pool \"fast\""), "{wide}");
}

#[test]
fn cold_misses_go_to_the_dense_tier_where_that_is_chosen() {
    let mut sim = fresh(&holding(4, &[("misses", json!("dense")), ("period_writes", json!(4))]));
    // In the first period nothing is hot; at its end 1, 2, 3 and 0 are. Unit 4 is not, and 1 comes back.
    write_units(&mut sim, [0, 1, 2, 3, 4, 1]);
    let want = ["program host 1/0 page 4", "program host 0/0 page 0", "program host 0/0 page 1"];
    assert_eq!(story(&sim, 4, 99), want);
    assert_eq!([0, 1, 4].map(|unit| lies(&sim, unit)), [DENSE, FAST, DENSE]);
    // What a miss does not cover of a page is kept; a hit stays in the fast tier however cold it is.
    serve(&mut sim, HostOp::Write, 4 * UNIT, HALF);
    serve(&mut sim, HostOp::Write, UNIT, HALF);
    let want = ["read rmw 1/0 page 4", "program host 1/0 page 5", "program host 0/0 page 2"];
    assert_eq!(story(&sim, 7, 99), want);
    let report = sim.finish().unwrap();
    assert_eq!((figure(&report, "missed_units"), figure(&report, "passive_units")), (6.0, 1.0));
}

#[test]
fn a_trimmed_unit_leaves_its_place() {
    let mut sim = fresh(&holding(4, &[]));
    write_units(&mut sim, 0..4);
    serve(&mut sim, HostOp::Trim, 2 * UNIT, UNIT);
    serve(&mut sim, HostOp::Trim, 3 * UNIT, HALF);
    let before = sim.ops().len();
    // There is room for one again; half of unit 3 keeps its place.
    write_units(&mut sim, [4]);
    assert!(sim.ops()[before..].iter().all(|op| op.cause == Cause::Host));
    write_units(&mut sim, [5]);
    assert_eq!([0, 1].map(|unit| lies(&sim, unit)), [DENSE, FAST]);
    write_units(&mut sim, [6, 7]);
    assert_eq!(lies(&sim, 3), [None, Some(CellMode::Tlc)]);
}

#[test]
fn a_fill_leaves_its_last_units_in_the_fast_tier_and_a_preload_its_first() {
    let setup = |scheme| pair(scheme, &[("initial_utilisation", json!(4.0 / 32.0))]);
    let lying = |sim: &Simulation| (0..UNITS).filter(|&unit| lies(sim, unit) == FAST).collect::<Vec<_>>();
    for scheme in ["hyssd", "hyssd-static"] {
        let mut filled = setup(scheme);
        filled.precondition.fill = 1.0;
        let mut sim = fresh(&filled);
        sim.precondition(&mut |_, _| true).unwrap();
        // Written one after the other, as the host would: each that comes makes the oldest leave.
        assert_eq!(lying(&sim), Vec::from_iter(UNITS - 4..UNITS), "{scheme}");
        let mut sim = fresh(&setup(scheme));
        sim.preload(&[(0, UNITS as u32)]).unwrap();
        // Placed where there is room: nothing leaves for what comes later.
        assert_eq!(lying(&sim), Vec::from_iter(0..4), "{scheme}");
    }
}
