//! What requests waited for that waited for room in the DRAM buffer: the flash work that kept it.

use crate::it::common::ops::{MU, PAGE};
use crate::it::common::*;
use crate::it::conservation::assert_told;
use slcache_core::device::request_log::LoggedRequest;
use slcache_core::metrics::components::components;

/// Time of a page into SLC, without a channel.
const SLC_NS: u64 = 200_000;

fn logged(setup: &Setup, requests: &[Request]) -> (Vec<LoggedRequest>, Report) {
    run_logged(&mut Simulation::new(setup).unwrap_or_else(|problems| panic!("{problems:?}")), requests)
}

/// The requests of a run as they were logged, in their order, and its report.
pub(super) fn run_logged(sim: &mut Simulation, requests: &[Request]) -> (Vec<LoggedRequest>, Report) {
    sim.log_requests();
    foresee(sim, requests);
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
