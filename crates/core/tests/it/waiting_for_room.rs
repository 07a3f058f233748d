//! What requests waited for that waited for room in the DRAM buffer: the flash work that kept it.

use crate::it::common::ops::{MU, PAGE};
use crate::it::common::{
    configure, device, few, foresee, free_bus, mode, pool, request, setup, versatile_pool,
};
use slcache_core::base::request::{HostOp, Request};
use slcache_core::base::rng::RngStream;
use slcache_core::device::config::{BufferConfig, Replay, WriteBack};
use slcache_core::device::request_log::LoggedRequest;
use slcache_core::device::{Setup, Simulation};
use slcache_core::hw::config::{PoolConfig, ProgramRule};
use slcache_core::metrics::components::{components, Component, COMPONENTS};
use slcache_core::metrics::report::Report;
use slcache_core::schemes::CATALOG;
use std::collections::{BTreeMap, BTreeSet};

/// Time of a page into SLC, without a channel.
const SLC_NS: u64 = 200_000;

fn logged(setup: &Setup, requests: &[Request]) -> (Vec<LoggedRequest>, Report) {
    run_logged(Simulation::new(setup).unwrap_or_else(|problems| panic!("{problems:?}")), requests)
}

/// The requests of a run as they were logged, in their order, and its report.
pub(super) fn run_logged(mut sim: Simulation, requests: &[Request]) -> (Vec<LoggedRequest>, Report) {
    sim.log_requests();
    foresee(&mut sim, requests);
    sim.feed(requests).unwrap();
    let report = sim.finish().unwrap();
    let mut log = Vec::new();
    sim.take_logged(&mut log);
    log.sort_by_key(|logged| logged.number);
    (log, report)
}

/// What a request waited for in the end, by its name without `buffer-`, ns.
fn kept(logged: &LoggedRequest) -> BTreeMap<&'static str, u64> {
    let parts = components().zip(logged.components_ns);
    let kept = parts.filter_map(|(part, ns)| Some((part.name.strip_prefix("buffer-")?, ns)));
    kept.filter(|(_, ns)| *ns > 0).collect()
}

/// The sums of that over all requests.
fn kept_in_all(log: &[LoggedRequest]) -> BTreeMap<&'static str, u64> {
    let mut sums = BTreeMap::new();
    for (name, ns) in log.iter().flat_map(kept) {
        *sums.entry(name).or_insert(0) += ns;
    }
    sums
}

/// Writes and some reads of up to six units in `bytes`, with trims and flushes between.
fn mix(count: u64, bytes: u64) -> Vec<Request> {
    let mut rng = RngStream::new(7, "waiting for room");
    let units = (bytes / MU) as u32;
    let one = |i: u64| {
        let many = 1 + rng.below(6);
        let first = u64::from(rng.below(units - many));
        let op = match rng.below(40) {
            0..=31 => HostOp::Write,
            32..=37 => HostOp::Read,
            38 => HostOp::Trim,
            _ => return Request { at_ns: i, sector: 0, sectors: 0, stream: 0, hint: 0, op: HostOp::Flush },
        };
        request(i, op, first * MU, u64::from(many) * MU)
    };
    (0..count).map(one).collect()
}

fn assert_told(what: &str, log: &[LoggedRequest], report: &Report) {
    let mut sums = [0; COMPONENTS];
    for logged in log {
        let latency_ns = logged.completed_ns - logged.request.at_ns;
        assert_eq!(logged.components_ns.iter().sum::<u64>(), latency_ns, "{what}: {logged:?}");
        if logged.request.op == HostOp::Write {
            sums.iter_mut().zip(logged.components_ns).for_each(|(sum, ns)| *sum += ns);
        }
    }
    let parts = &report.host.write.attribution_us;
    for (Component { name, is_service, .. }, sum_ns) in components().zip(sums) {
        let told = if is_service { &parts.service } else { &parts.wait };
        let told_us = told.get(name).copied().unwrap_or(0.0);
        assert!((told_us - sum_ns as f64 / 1e3).abs() < 1e-3, "{what}, {name}: {told_us} us, {sum_ns} ns");
    }
}

#[test]
fn every_wait_for_room_is_told_to_the_nanosecond_by_what_kept_the_room() {
    let (mut tried, mut kinds) = (0, BTreeSet::new());
    let emptied = [(WriteBack::WhenFull, 1), (WriteBack::AtOnce, 1), (WriteBack::AtOnce, 4)];
    let buffers = [(16 << 10, true), (256 << 10, false), (1 << 20, true)];
    let cases = || emptied.into_iter().flat_map(|emptied| buffers.map(|buffer| (emptied, buffer)));
    for entry in CATALOG {
        for ((write_back, stripe_planes), (bytes, plp)) in cases().step_by(few(4)) {
            let what = format!("{} {write_back:?} {stripe_planes} {bytes}", entry.name);
            let user = 12 << 20;
            let mut setup = setup(device(versatile_pool(2, 2, 24, 16, 8192), user), entry.name);
            configure(&mut setup, &[("slc_blocks", 6.into())]);
            (setup.host.replay, setup.host.queue_depth) = (Replay::Closed, 32);
            setup.device.plp = plp;
            setup.buffer = Some(BufferConfig {
                write_back,
                stripe_planes,
                stripes_in_flight: (stripe_planes > 1).then_some(1),
                run_overhead_ns: if stripe_planes > 1 { 20_000 } else { 0 },
                ..BufferConfig::new(bytes)
            });
            if let Err(problems) = Simulation::new(&setup) {
                // A stripe and a page do not fit.
                assert!(problems.iter().all(|problem| problem.key == "buffer.bytes"), "{problems:?}");
                continue;
            }
            tried += 1;
            let (log, report) = logged(&setup, &mix(1500, user));
            assert_told(&what, &log, &report);
            let kept = kept_in_all(&log);
            let kept_us = kept.values().sum::<u64>() as f64 / 1e3;
            let untold_us = report.host.write.attribution_us.wait.get("buffer").copied().unwrap_or(0.0);
            assert!(untold_us <= 0.01 * kept_us, "{what}: {untold_us} us, beside {kept:?} ns");
            kinds.extend(kept.into_keys());
        }
    }
    assert!(tried >= 3 * CATALOG.len(), "{tried}");
    let flash = ["host", "rmw", "migration", "gc", "flush", "promote", "fill"];
    let others = ["channel", "order", "disk", "merge", "stripe"];
    assert!(flash.iter().chain(&others).all(|kind| kinds.contains(kind)), "{kinds:?}");
}

/// `client` on so many planes without a channel, of which 64 blocks are cache, asked by writers that wait.
fn client(chips: PoolConfig, depth: u32, buffer: BufferConfig) -> Setup {
    let mut setup = crate::it::write_path::client(free_bus(chips), depth, buffer);
    setup.device.controller = None;
    setup
}

fn pages(count: u64) -> Vec<Request> {
    (0..count).map(|i| request(0, HostOp::Write, i * PAGE, PAGE)).collect()
}

#[test]
fn one_writer_behind_a_full_buffer_waits_for_its_own_program() {
    let setup = client(pool(1, 1, 96, 256, PAGE as u32), 1, BufferConfig::new(2 * PAGE));
    let (log, report) = logged(&setup, &pages(500));
    assert_told("one writer", &log, &report);
    assert!(log[..2].iter().all(|logged| kept(logged).is_empty()));
    assert!(log[2..].iter().all(|logged| kept(logged) == BTreeMap::from([("host", SLC_NS)])), "{log:?}");
}

#[test]
fn what_a_stripe_takes_beside_its_programs_is_told_apart() {
    // A stripe of four pages takes a program, and 30 us for each of its runs.
    for (depth, is_in_order, overhead_ns) in [(64, true, 30_000), (64, false, 16 * 30_000)] {
        let buffer = BufferConfig {
            write_back: WriteBack::AtOnce,
            stripe_planes: 4,
            stripes_in_flight: Some(1),
            run_overhead_ns: 30_000,
            ..BufferConfig::new(16 * PAGE)
        };
        let setup = client(pool(4, 1, 96, 256, PAGE as u32), depth, buffer);
        let place = |i: u64| if is_in_order { i } else { i * 7919 % 16_000 };
        let requests: Vec<_> = (0..16_000).map(|i| request(0, HostOp::Write, place(i) * MU, MU)).collect();
        let (log, report) = logged(&setup, &requests);
        assert_told("stripes", &log, &report);
        let kept = kept_in_all(&log[8_000..]);
        let names: Vec<_> = kept.keys().copied().collect();
        assert_eq!(names, ["host", "stripe"], "{kept:?}");
        let found = kept["stripe"] as f64 / kept["host"] as f64;
        let law = overhead_ns as f64 / SLC_NS as f64;
        assert!((found / law - 1.0).abs() < 0.02, "{found}, not {law}");
    }
}

#[test]
fn past_the_cache_the_planes_work_says_what_kept_the_room() {
    let planes = 4;
    let mut chips = pool(planes, 1, 40, 64, PAGE as u32);
    let mut dense = mode(60_000, 2_400_000, 3_000_000);
    dense.program = ProgramRule::OneShot;
    chips.tlc = Some(dense);
    let deep = [(WriteBack::AtOnce, 32), (WriteBack::WhenFull, 32), (WriteBack::AtOnce, 1)];
    for ((write_back, depth), full) in
        deep.into_iter().flat_map(|way| ["direct", "through"].map(|full| (way, full)))
    {
        let buffer = BufferConfig { write_back, ..BufferConfig::new(u64::from(planes) * 4 * PAGE) };
        let mut setup = client(chips.clone(), depth, buffer);
        setup.device.user_bytes = u64::from(planes) * 24 * 64 * 3 * PAGE;
        let settings = [("static_blocks", 4.into()), ("full", full.into()), ("fold.keep_blocks", 2.into())];
        configure(&mut setup, &settings);
        let (log, report) = logged(&setup, &pages(u64::from(planes) * 1500));
        assert_told("past the cache", &log, &report);
        let kept = kept_in_all(&log[log.len() / 2..]);
        let sum = kept.values().sum::<u64>() as f64;
        let share = |kind| kept.get(kind).map_or(0.0, |&ns| ns as f64 / sum);
        let is_told = match full {
            // Cached data are not moved while the host writes.
            "direct" => share("host") + share("stage") > 0.999 && share("host") > 0.7,
            _ => share("migration") > 0.8,
        };
        assert!(is_told, "{write_back:?}, depth {depth}, {full}: {kept:?}");
    }
}
