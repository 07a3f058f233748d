//! A drive's write path: the controller takes a command, the DRAM buffer its data, and stripes take them to
//! the flash. Closed forms.

use crate::it::common::ops::{after, and_then, counters, LATER, MU, PAGE};
use crate::it::common::*;
use slcache_core::hw::controller_config::ControllerConfig;
use slcache_core::metrics::components::components;

/// Time of a write in the controller, and of a page into SLC.
const WRITE_NS: u64 = 11_000;
const SLC_NS: u64 = 200_000;
/// Mapping units of a page.
const UNITS: u64 = PAGE / MU;

/// So many planes, each on a channel of its own.
fn chips(planes: u64) -> PoolConfig {
    pool(planes as u32, 1, 96, 256, PAGE as u32)
}

/// `client` on chips of which 64 blocks a plane are cache, asked by one writer after the other.
pub(super) fn client(chips: PoolConfig, depth: u32, buffer: BufferConfig) -> Setup {
    let user = u64::from(chips.plane_count()) * 16 * 768 * PAGE;
    let mut setup = setup(device(chips, user), "client");
    let settings = [("static_blocks", 64.into()), ("dynamic.rule", "none".into())];
    assert_eq!(configure(&mut setup, &settings), 2);
    setup.device.controller =
        Some(ControllerConfig { write_ns: WRITE_NS as u32, ..ControllerConfig::default() });
    setup.buffer = Some(buffer);
    (setup.host.replay, setup.host.queue_depth) = (Replay::Closed, depth);
    setup
}

/// Emptied at once: stripes of so many planes.
fn striped(bytes: u64, stripe_planes: u64) -> BufferConfig {
    BufferConfig {
        write_back: WriteBack::AtOnce,
        stripe_planes: stripe_planes as u32,
        ..BufferConfig::new(bytes)
    }
}

/// Random writes of `bytes`, none twice.
fn scattered(count: u64, bytes: u64) -> Vec<Request> {
    (0..count).map(|i| request(0, HostOp::Write, i * 7919 % count * bytes, bytes)).collect()
}

/// When each request was complete and how long it took, ns, in the order of completion; and the report.
fn timed(setup: &Setup, requests: &[Request]) -> (Vec<(u64, u64)>, Report) {
    let mut sim = Simulation::new(setup).unwrap_or_else(|problems| panic!("{problems:?}"));
    sim.log_requests();
    sim.feed(requests).unwrap();
    let report = sim.finish().unwrap();
    sim.audit().unwrap();
    let mut log = Vec::new();
    sim.take_logged(&mut log);
    assert!(log.iter().all(|r| r.components_ns.iter().sum::<u64>() == r.completed_ns - r.request.at_ns));
    (log.iter().map(|r| (r.completed_ns, r.completed_ns - r.request.at_ns)).collect(), report)
}

/// Requests a second in the second half, and their latencies in order.
fn steady(done: &[(u64, u64)]) -> (f64, Vec<u64>) {
    let late = &done[done.len() / 2..];
    let ns = late[late.len() - 1].0 - late[0].0;
    let mut latencies: Vec<u64> = late.iter().map(|(_, ns)| *ns).collect();
    latencies.sort_unstable();
    ((late.len() - 1) as f64 * 1e9 / ns as f64, latencies)
}

#[track_caller]
fn assert_within(found: f64, law: f64, share: f64, what: &str) {
    assert!((found / law - 1.0).abs() <= share, "{what}: {found}, not {law}");
}

#[test]
fn depth_or_the_planes_limit_small_writes_and_pages_alike() {
    let page_ns = 100 + PAGE + SLC_NS;
    for planes in [1, 16, 4].into_iter().step_by(few(2)) {
        for (stripe_planes, buffer_pages) in [(1, 2 * planes), (planes, 4 * planes), (1, 1024)] {
            for depth in [1, 2, 8, 64, 1024].into_iter().step_by(few(2)) {
                let what = format!("{planes} planes, stripes of {stripe_planes}, depth {depth}");
                let setup = client(chips(planes), depth, striped(buffer_pages * PAGE, stripe_planes));
                let array = planes as f64 * UNITS as f64 * 1e9 / page_ns as f64;
                let asked = f64::from(depth) * 1e9 / WRITE_NS as f64;
                let law = array.min(asked);
                // Until the buffer is full, the array limits nothing.
                let filling = (buffer_pages * UNITS) as f64 * asked / (asked - law).max(asked / 1e3);
                let filling = if asked > array { filling as u64 } else { 0 };
                let count = 2 * filling + 2000 * planes + 4 * u64::from(depth);
                let (rate, _) = steady(&timed(&setup, &scattered(count, MU)).0);
                assert_within(rate, law, 0.03, &what);
                let (rate, _) = steady(&timed(&setup, &scattered(count / 2, PAGE)).0);
                let law = asked.min(array / UNITS as f64);
                assert_within(rate, law, 0.03, &format!("{what}, pages"));
            }
        }
    }
}

#[test]
fn the_first_wait_comes_after_the_whole_buffer() {
    for (bytes, depth) in [(64 * PAGE, 1), (64 * PAGE, 32), (1024 * PAGE, 8)] {
        let mut slow = chips(1);
        slow.slc.as_mut().unwrap().program_ns = vec![900_000_000];
        let setup = client(slow, depth, striped(bytes, 1));
        let (done, _) = timed(&setup, &scattered(2 * bytes / MU, MU));
        let without = done.iter().take_while(|(_, ns)| *ns == WRITE_NS).count() as u64;
        assert_eq!(without, bytes / MU, "{bytes} at depth {depth}");
    }
}

#[test]
fn one_stripe_at_a_time_lets_most_writes_pass_and_the_depth_wait_for_each() {
    let (planes, run_ns) = (24, 2_365);
    let units = planes * UNITS;
    let stripe_ns = SLC_NS + units * run_ns;
    let buffer = BufferConfig {
        stripes_in_flight: Some(1),
        run_overhead_ns: run_ns as u32,
        ..striped(256 * PAGE, planes)
    };
    for depth in [2, 8, 32].into_iter().step_by(few(2)) {
        let setup = client(free_bus(chips(planes)), depth, buffer);
        let (rate, latencies) = steady(&timed(&setup, &scattered(40_000, MU)).0);
        let law = (f64::from(depth) * 1e9 / WRITE_NS as f64).min(units as f64 * 1e9 / stripe_ns as f64);
        assert_within(rate, law, 0.01, &format!("depth {depth}"));
        let rounds = units.div_ceil(u64::from(depth));
        let longest_ns = WRITE_NS.max((stripe_ns + WRITE_NS).saturating_sub(rounds * WRITE_NS));
        assert_eq!(latencies[latencies.len() / 2], WRITE_NS, "depth {depth}");
        let waiting = latencies.iter().filter(|ns| **ns > WRITE_NS).count() as f64;
        let share = if longest_ns > WRITE_NS { f64::from(depth) / units as f64 } else { 0.0 };
        assert!((waiting / latencies.len() as f64 - share).abs() < 0.01, "depth {depth}: {waiting}");
        assert_eq!(latencies[latencies.len() - 1], longest_ns, "depth {depth}");
    }
    // What is written in order is one run, whatever the requests: twice as fast.
    for bytes in [MU, 3 * MU, 8 * PAGE] {
        let requests: Vec<_> =
            (0..160_000 * MU / bytes).map(|i| request(0, HostOp::Write, i * bytes, bytes)).collect();
        let (rate, _) = steady(&timed(&client(free_bus(chips(planes)), 64, buffer), &requests).0);
        let law = (units * MU) as f64 * 1e9 / (SLC_NS + run_ns) as f64;
        assert_within(rate * bytes as f64, law, 0.03, &format!("{bytes} in order"));
    }
}

/// Chips that program all pages of a wordline at once, which takes long.
fn one_shot(planes: u64, program_ns: u32) -> PoolConfig {
    let mut chips = chips(planes);
    let mut dense = mode(60_000, program_ns, 3_000_000);
    dense.program = ProgramRule::OneShot;
    chips.tlc = Some(dense);
    chips
}

#[test]
fn programs_take_so_much_less_or_more_and_the_same_in_every_run() {
    // Times of programs in SLC and TLC.
    let times = |chips: &PoolConfig, variation: f64| {
        let mut chips = chips.clone();
        for mode in [&mut chips.slc, &mut chips.tlc].into_iter().flatten() {
            mode.program_variation = variation;
        }
        let mut setup = client(free_bus(chips), 8, striped(64 * PAGE, 1));
        configure(&mut setup, &[("static_blocks", 2.into())]);
        let mut sim = Simulation::new(&setup).unwrap_or_else(|problems| panic!("{problems:?}"));
        sim.log_operations();
        sim.feed(&scattered(20_000, PAGE)).unwrap();
        let mut ended = Vec::new();
        sim.take_operations(&mut ended);
        [CellMode::Slc, CellMode::Tlc].map(|mode| {
            let programs = ended.iter().filter(|op| op.kind == OpKind::Program && op.mode == Some(mode));
            programs.map(|op| (op.end_ns - op.begin_ns - op.in_ns) as f64).collect::<Vec<f64>>()
        })
    };
    for (chips, dense_ns) in [(one_shot(4, 1_000_000), 1e6), (chips(4), 800_000.0)] {
        for variation in [0.0, 0.05, 0.5] {
            let found = times(&chips, variation);
            for (ns, times) in [SLC_NS as f64, dense_ns].into_iter().zip(&found) {
                let what = format!("{variation} of {ns}");
                assert!(times.len() > 1000, "{what}: {}", times.len());
                assert!(times.iter().all(|time| (time - ns).abs() <= ns * variation + 1.0), "{what}");
                let least = times.iter().fold(f64::MAX, |a, &b| a.min(b));
                assert!(ns - least >= 0.95 * ns * variation, "{what}: at least {least}");
                let mean = times.iter().sum::<f64>() / times.len() as f64;
                assert!((mean / ns - 1.0).abs() < 0.05 * variation + 1e-9, "{what}: mean {mean}");
            }
            assert_eq!(found, times(&chips, variation));
        }
    }
}

#[test]
fn a_host_that_waits_pads_nothing() {
    // Programs of ten timeouts end together, and what is left of the buffer waits for them.
    for (bytes, depth, planes) in [(MU, 1, 4), (8 * PAGE, 32, 4), (PAGE, 1024, 16), (3 * MU, 7, 1)] {
        for buffer_pages in [3 * planes.min(4) + 1, 3 * planes + 2, 64 * planes] {
            let what = format!("{bytes} at depth {depth}, {buffer_pages} pages, {planes} planes");
            let mut setup =
                client(one_shot(planes, 10_000_000), depth, striped(buffer_pages * PAGE, planes.min(4)));
            configure(&mut setup, &[("static_blocks", 1.into())]);
            let count = planes * 3 * 256 * PAGE / bytes;
            let requests: Vec<_> = (0..count).map(|i| request(0, HostOp::Write, i * bytes, bytes)).collect();
            let mut sim = Simulation::new(&setup).unwrap_or_else(|problems| panic!("{problems:?}"));
            sim.feed(&requests).unwrap();
            sim.finish().unwrap();
            let programmed: Vec<_> = sim
                .counters()
                .iter()
                .filter(|row| row.kind == OpKind::Program && row.cause == Cause::Host)
                .collect();
            let pages: u64 = programmed.iter().map(|row| row.totals.pages).sum();
            let units: u64 = programmed.iter().map(|row| row.totals.slots).sum();
            assert!(programmed.iter().any(|row| row.mode == CellMode::Tlc), "{what}: past the cache");
            assert_eq!(units, pages * UNITS, "{what}: a page that is not full");
            // What is left at the end is less than a stripe.
            assert!(units * MU + planes.min(4) * 3 * PAGE > count * bytes, "{what}: {units}");
        }
    }
}

#[test]
fn less_than_a_program_waits_for_more_and_leaves_when_none_comes() {
    let mut setup = client(chips(4), 1, striped(64 * PAGE, 4));
    (setup.host.replay, setup.host.queue_depth) = (Replay::Open, 0);
    setup.device.controller = None;
    let write = |at_ns: u64, unit: u64| request(at_ns, HostOp::Write, unit * MU, MU);
    let programs = |flush_after_ns: u64, writes: &[Request], until_ns: u64| {
        let mut setup = setup.clone();
        setup.buffer.as_mut().unwrap().flush_after_ns = flush_after_ns;
        let mut sim = Simulation::new(&setup).unwrap();
        sim.feed(writes).unwrap();
        sim.feed(&[request(until_ns, HostOp::Read, 0, MU)]).unwrap();
        sim.audit().unwrap();
        counters(&sim).iter().filter(|row| row.0 == "program").map(|row| row.3).sum::<u64>()
    };
    let three = [write(0, 0), write(400_000, 9), write(800_000, 33)];
    assert_eq!(programs(1_000_000, &three, 1_799_999), 0);
    assert_eq!(programs(1_000_000, &three, 1_800_001), 1);
    assert_eq!(programs(500_000, &three, 1_250_000), 0);
    assert_eq!(programs(500_000, &three, 1_300_001), 1);
    assert_eq!(programs(300_000, &three, 800_001), 2);
    // A stripe waits for nothing, and what is written again takes no more of it.
    let all: Vec<_> = (0..4 * UNITS).map(|unit| write(unit, unit)).collect();
    assert_eq!(programs(1_000_000, &all, 100), 4);
    assert_eq!(programs(1_000_000, &[&all[..15], &all[..15]].concat(), 100), 0);
}

#[test]
fn a_scheme_that_keeps_logical_pages_together_gets_them_together() {
    let mut setup = setup(device(pool(1, 4, 16, 64, PAGE as u32), 400 * PAGE), "baseline");
    configure(&mut setup, &[("slc_blocks", 6.into())]);
    setup.buffer = Some(striped(4 * PAGE, 1));
    let quarters = |page: u64| (0..UNITS).map(move |i| request(i, HostOp::Write, page * PAGE + i * MU, MU));
    let mut sim = after(&setup, 0, &quarters(3).collect::<Vec<_>>());
    assert_eq!(counters(&sim), [("program", "slc", "host", 1, 1)]);
    // Units of four pages: each page that leaves is a program.
    let apart: Vec<_> =
        (0..UNITS).map(|i| request(3 * LATER + i, HostOp::Write, (10 + i) * PAGE, MU)).collect();
    and_then(&mut sim, &apart);
    let programs: u64 = counters(&sim).iter().filter(|row| row.0 == "program").map(|row| row.3).sum();
    assert_eq!(programs, 5);
}

#[test]
fn the_controller_takes_its_time_occupies_nothing_and_counts_commands() {
    let host = |controller, depth: u32, op: HostOp| {
        let mut setup = client(free_bus(chips(64)), depth, striped(1024 * PAGE, 1));
        setup.device.controller = Some(controller);
        (setup.device.plp, setup.buffer) = (false, None);
        setup.trace.prefill = Prefill::OnRead;
        let one = |i: u64| match op {
            HostOp::Flush => Request { sectors: 0, ..request(0, op, 0, MU) },
            _ => request(0, op, i * PAGE, PAGE),
        };
        timed(&setup, &(0..4000).map(one).collect::<Vec<_>>())
    };
    let none = ControllerConfig::default();
    let times = ControllerConfig { read_ns: 7000, write_ns: 9000, flush_ns: 500_000, ..none };
    for (op, own_ns) in [(HostOp::Read, 7000), (HostOp::Write, 9000), (HostOp::Flush, 500_000)] {
        for depth in [1, 16] {
            let (without, with) = (host(none, depth, op).0, host(times, depth, op).0);
            let each = |done: &[(u64, u64)]| done.iter().map(|(_, ns)| *ns).min().unwrap();
            assert_eq!(each(&with), each(&without) + own_ns, "{op:?} at depth {depth}");
        }
    }
    // Commands come in one by one, and what waits for that says so.
    let limited = ControllerConfig { commands_per_s: Some(70_000), read_ns: 7000, ..none };
    for depth in [1, 4, 64, 1024] {
        let (done, report) = host(limited, depth, HostOp::Read);
        let alone_ns = 7000 + 60_000;
        let law = 70_000f64.min(f64::from(depth) * 1e9 / f64::from(alone_ns));
        assert_within(steady(&done).0, law, 0.03, &format!("depth {depth}"));
        let parts = &report.host.read.attribution_us;
        assert_within(parts.service["controller"], 7.0 * 4000.0, 1e-9, "service");
        let waits = parts.wait.get("controller").copied().unwrap_or(0.0) > 0.01 * parts.total;
        assert_eq!(waits, depth > 4, "depth {depth}: {parts:?}");
    }
    assert!(components().filter(|part| part.name == "controller").count() == 2);
}

#[test]
fn jitter_adds_an_exponential_time_to_each_command_and_the_same_in_every_run() {
    let mut setup = client(chips(4), 1, striped(4096 * PAGE, 1));
    let own = ControllerConfig { write_ns: WRITE_NS as u32, ..ControllerConfig::default() };
    setup.device.controller = Some(ControllerConfig { jitter_ns: 1_000, ..own });
    let (done, report) = timed(&setup, &scattered(50_000, MU));
    let mut beyond: Vec<u64> = done.iter().map(|(_, ns)| ns - WRITE_NS).collect();
    beyond.sort_unstable();
    let at = |share: f64| beyond[(beyond.len() as f64 * share) as usize] as f64;
    for (share, law) in [(0.5, 2f64.ln()), (0.9, 10f64.ln()), (0.99, 100f64.ln()), (0.999, 1000f64.ln())] {
        assert_within(at(share), 1000.0 * law, 0.05, &format!("{share}"));
    }
    let mean_us = 1e-3 * (WRITE_NS + 1_000) as f64;
    assert_within(report.host.write.attribution_us.service["controller"], mean_us * 50_000.0, 0.01, "mean");
    assert_eq!(timed(&setup, &scattered(50_000, MU)).0, done);
    setup.device.controller = Some(own);
    assert!(timed(&setup, &scattered(1_000, MU)).0.iter().all(|(_, ns)| *ns == WRITE_NS));
}

/// What leaves the buffer in stripes of a wordline of each of four planes.
pub(super) fn wordlines_in_stripes() -> Setup {
    client(one_shot(4, 800_000), 1, striped(64 * PAGE, 4))
}

#[test]
fn stripes_of_wordlines_are_not_padded_while_the_host_writes() {
    let (planes, wordline) = (8, 3);
    for (pause_ns, told) in [(200_000, "often"), (5_000_000, "seldom")] {
        let mut setup = client(one_shot(planes, 800_000), 1, striped(1024 * PAGE, 1));
        let more = [("placement", "striped".into()), ("static_blocks", 0.into())];
        assert_eq!(configure(&mut setup, &more), 2);
        setup.host.replay = Replay::Open;
        // A page at a time. What is staged in the end is padded: little of so many.
        let count = 100 * planes * wordline;
        let each = |i: u64| request(i * pause_ns, HostOp::Write, i * PAGE, PAGE);
        let (_, report) = timed(&setup, &(0..count).map(each).collect::<Vec<_>>());
        let padded = report.waf.by_cause.get("pad").copied().unwrap_or(0.0);
        // With longer pauses than `stage_timeout_ns`, each page has a wordline of its own.
        let law = if pause_ns > setup.device.stage_timeout_ns { wordline as f64 - 1.0 } else { 0.0 };
        assert_within(1.0 + padded, 1.0 + law, 0.01, told);
    }
}
