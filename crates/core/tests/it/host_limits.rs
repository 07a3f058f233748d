//! What the host sets a limit to: the link, and the time until it asks again. Closed forms, exact.

use crate::it::common::*;
use crate::it::timing::{slc_only, PAGE, PROGRAM, READ};

/// One die on each of `channels`, SLC throughout; closed replay with `depth` requests outstanding.
fn closed(channels: u32, depth: u32, turnaround_ns: u32) -> Setup {
    let mut setup = slc_only(pool(channels, 1, 64, 64, 4096));
    (setup.host.replay, setup.host.queue_depth) = (Replay::Closed, depth);
    setup.host.turnaround_ns = turnaround_ns;
    setup
}

/// The time from the first start to the last end of `count` page requests, and every latency.
fn run(setup: &Setup, op: HostOp, count: u64, stream: impl Fn(u64) -> u16) -> (u64, Vec<u64>) {
    let mut simulation = Simulation::new(setup).unwrap_or_else(|problems| panic!("{problems:?}"));
    if op == HostOp::Read {
        simulation.preload(&[(0, count as u32)]).unwrap();
    }
    simulation.keep_log();
    let requests: Vec<_> =
        (0..count).map(|i| Request { stream: stream(i), ..request(0, op, i * PAGE, PAGE) }).collect();
    simulation.feed(&requests).unwrap();
    let report = simulation.finish().unwrap();
    simulation.audit().unwrap();
    (report.host.duration_ns, simulation.log().iter().map(|&(_, ns)| ns).collect())
}

#[test]
fn one_outstanding_takes_its_latency_and_the_turnaround() {
    for (op, latency) in [(HostOp::Read, READ), (HostOp::Write, PROGRAM)] {
        for turnaround in [0, 1, 61_000, 5_000_000] {
            let (duration, latencies) = run(&closed(1, 1, turnaround), op, 100, |_| 0);
            assert_eq!(duration, 100 * latency + 99 * u64::from(turnaround), "{op:?} {turnaround}");
            assert!(latencies.iter().all(|&ns| ns == latency), "it is no part of a latency");
        }
    }
    // Open replay knows none.
    let mut open = closed(1, 1, 5_000_000);
    open.host.replay = Replay::Open;
    assert_eq!(run(&open, HostOp::Write, 10, |_| 0).0, 10 * PROGRAM);
}

#[test]
fn the_turnaround_grows_with_the_bytes_beyond_the_first_four_kib() {
    for (pages, further_ns) in [(1, 0), (2, 4096 * 111), (8, 7 * 4096 * 111)] {
        let mut setup = closed(1, 1, 5_000);
        setup.host.turnaround_ps_per_byte = 111_000;
        let mut simulation = Simulation::new(&setup).unwrap();
        let write = |i: u64| request(0, HostOp::Write, i * pages * PAGE, pages * PAGE);
        simulation.feed(&(0..20).map(write).collect::<Vec<_>>()).unwrap();
        let report = simulation.finish().unwrap();
        let latency_us = report.host.write.latency_us.unwrap().mean;
        let own_ns = report.host.duration_ns as f64 - 20.0 * 1000.0 * latency_us;
        assert!((own_ns - 19.0 * (5_000 + further_ns) as f64).abs() < 1.0, "{pages} pages: {own_ns}");
    }
}

#[test]
fn places_of_the_queue_turn_around_side_by_side() {
    // Request i goes to die i mod 8: 25 rounds of eight reads, each alone on its die.
    let (duration, _) = run(&closed(8, 8, 30_000), HostOp::Read, 200, |_| 0);
    assert_eq!(duration, 25 * READ + 24 * 30_000);
    // Two streams of one place each are two places.
    let (duration, _) = run(&closed(2, 1, 30_000), HostOp::Read, 200, |i| (i % 2) as u16);
    assert_eq!(duration, 100 * READ + 99 * 30_000);
    // Where the die is busy all the same it costs nothing: two places, one die, less than a program.
    let (duration, _) = run(&closed(1, 2, 30_000), HostOp::Write, 100, |_| 0);
    assert_eq!(duration, 100 * PROGRAM);
}

#[test]
fn a_link_that_carries_less_than_the_chips_sets_the_speed() {
    for name in ["pcie3x4", "pcie4x4", "pcie5x4", "sata", "ufs2", "ufs3", "ufs4"] {
        let link = LinkConfig::named(name).unwrap();
        let crossing = link.transfer_ns(PAGE);
        // More dies, which read and program in 10,000 ns, than the link can keep busy.
        let (read, program) = (READ - 10_000, PROGRAM - 190_000);
        let dies = (program / crossing + 8) as u32;
        let mut setup = closed(dies, 4 * dies, 0);
        setup.device.pool[0].slc = Some(mode(10_000, 10_000, 3_000_000));
        setup.host.link = Some(link);
        let count = 20 * u64::from(dies);
        let (duration, _) = run(&setup, HostOp::Write, count, |_| 0);
        assert_eq!(duration, count * crossing + program, "{name}: the last page programs after all crossed");
        let (duration, _) = run(&setup, HostOp::Read, count, |_| 0);
        assert_eq!(duration, read + count * crossing, "{name}: the link rests only before the first page");
        // The host's own time hides behind a link that always has something to carry.
        setup.host.turnaround_ns = 1_000;
        let (turned, _) = run(&setup, HostOp::Read, count, |_| 0);
        assert_eq!(turned, duration, "{name}");
    }
}
