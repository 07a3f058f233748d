//! The in-place-switch family against arithmetic: the closed forms and state machine of sustained
//! writes, the bounds of idle work, the balance of SLC pages.

use crate::it::common::*;
use std::collections::VecDeque;

const PLANES: u32 = 128;
const BLOCKS: u32 = 32;
/// SLC pages that the blocks offer at first, and those of the Turbo Write cache: one block per plane.
const CACHE: u64 = (PLANES * BLOCKS * 4) as u64;

/// A 64th of the paper's device, driven with one request at a time.
fn bursty(scheme: &str) -> Setup {
    let flash = switch_pool(8, 16, BLOCKS, 128, 2);
    let user = u64::from(PLANES) * 27 * 384 * 4096;
    let mut setup = setup(device(flash, user), scheme);
    configure(&mut setup, &[("slc_blocks", 1.into())]);
    closed(setup, 1)
}

/// Sequential writes of 32 KiB, `pages` in all.
fn sequential(pages: u64) -> Vec<Request> {
    (0..pages / 8).map(|i| request(0, HostOp::Write, i * 32768, 32768)).collect()
}

/// Latency of each request, in 0.1 ms, of a page-level state machine: pages striped over planes, a
/// request as long as its longest page. Written from the paper alone.
fn state_machine(ips: bool, pages: u64) -> Vec<u64> {
    struct Plane {
        fill: VecDeque<u32>,
        switch: VecDeque<u32>,
        slc_left: u32,
    }
    let plane =
        || Plane { fill: vec![0; BLOCKS as usize].into(), switch: VecDeque::new(), slc_left: BLOCKS * 4 };
    let mut planes: Vec<Plane> = (0..PLANES).map(|_| plane()).collect();
    let page = |i: u64, planes: &mut Vec<Plane>| {
        let plane = &mut planes[(i % u64::from(PLANES)) as usize];
        if !ips {
            let fast = plane.slc_left > 0;
            plane.slc_left -= u32::from(fast);
            return if fast { 5 } else { 30 };
        }
        // Operations done on the head's window: 4 fill it, 8 switch it.
        if let Some(done) = plane.fill.front_mut() {
            *done += 1;
            if *done == 4 {
                plane.fill.pop_front();
                plane.switch.push_back(0);
            }
            return 5;
        }
        let done = plane.switch.front_mut().unwrap();
        *done += 1;
        if *done == 8 {
            plane.switch.pop_front();
            plane.fill.push_back(0);
        }
        30
    };
    (0..pages / 8).map(|r| (0..8).map(|k| page(r * 8 + k, &mut planes)).max().unwrap()).collect()
}

/// Mean latencies of (in-place switch, Turbo Write) per page in ms, from W / S alone.
fn closed_form(w: f64) -> (f64, f64) {
    let (fast, rest) = (w.min(1.0), (w - 1.0).max(0.0));
    ((fast * 0.5 + rest * 6.5 / 3.0) / w, (fast * 0.5 + rest * 3.0) / w)
}

/// Latency of each write, and the report.
fn sustained(setup: &Setup, pages: u64) -> (Vec<u64>, Report) {
    let (sim, report) = ended(setup, &sequential(pages));
    (sim.log().iter().map(|(_, ns)| *ns).collect(), report)
}

/// The in-place switch copies nothing, Turbo Write all its cache; in steady state one write in three is fast.
#[test]
fn sustained_writes_take_what_the_state_machine_and_the_closed_form_say() {
    // (W / S, the state machine's ratio as published with the specification, tolerance of the closed
    // form: one partly done window of a plane, less and less of the whole).
    let cases = [(2.0, 0.777, 0.02), (0.5, 1.0, 1e-9), (7.0, 0.730, 0.006), (20.0, 0.7255, 0.002)];
    for (w, ratio, tolerance) in cases.into_iter().step_by(few(2)) {
        let pages = (CACHE as f64 * w) as u64 / 8 * 8;
        let [ips, turbo] = [("ips", true), ("turbo-write", false)].map(|(scheme, switches)| {
            let (ns, report) = sustained(&bursty(scheme), pages);
            let want: Vec<u64> = state_machine(switches, pages).iter().map(|ms| ms * 100_000).collect();
            assert_eq!(ns, want, "{scheme} at {w}");
            // Agc has no idle time here: the same as without.
            assert!(!switches || sustained(&bursty("ips-agc"), pages).0 == ns);
            report
        });
        let mean = |report: &Report| report.host.write.latency_us.as_ref().unwrap().mean;
        let found = mean(&ips) / mean(&turbo);
        assert!((found - ratio).abs() < 5e-4, "{w}: {found} is not {ratio}");
        let (want_ips, want_turbo) = closed_form(w);
        let error = found / (want_ips / want_turbo) - 1.0;
        assert!(error.abs() <= tolerance, "{w}: {error}");
        assert_eq!(ips.waf.total, 1.0);
        assert!(ips.flash.ops.iter().all(|row| row.cause == "host"), "{:?}", ips.flash.ops);
        assert_eq!(turbo.waf.total, 1.0 + f64::min(1.0, 1.0 / w));
        let fast = figure(&ips, "slc_pages_written") - CACHE as f64;
        let slow = figure(&ips, "switch_pages_written");
        // One window of each plane may be under way.
        assert!(w < 7.0 || (2.0 * fast - slow).abs() <= f64::from(PLANES) * 8.0, "{fast} : {slow}");
    }
}

/// Two planes that a mixed workload overwrites again and again, with pauses.
fn daily(scheme: &str) -> Setup {
    let mut setup = literally(setup(device(switch_pool(1, 2, 24, 16, 2), 2 * 12 * 48 * 4096), scheme));
    configure(&mut setup, &[("slc_blocks", 6.into())]);
    configure(&mut setup, &[("idle.threshold_ns", 5_000_000.into())]);
    setup
}

fn pauses(seed: u64) -> Vec<Request> {
    random(6000, 2 * 12 * 48 * 4096, 1, 0.2, 40_000_000.0, seed)
}

#[test]
fn planes_do_idle_work_independently() {
    // Plane 0 is idle while plane 1 is read without end: only plane 0 collects.
    let mut setup = literally(setup(device(switch_pool(1, 2, 8, 4, 2), 40 * 4096), "ips-agc"));
    configure(&mut setup, &[("idle.threshold_ns", 5_000_000.into())]);
    let run = |setup: &Setup| {
        let mut sim = watched(setup);
        // Both planes have a used block with an invalid page; page 1 lies in plane 1.
        sim.feed(&page_writes(0, 3_000_000, (0..16).chain([8, 9]))).unwrap();
        let reads = (0..400).map(|i| request(54_000_000 + i * 1_000_000, HostOp::Read, 4096, 4096));
        sim.feed(&reads.collect::<Vec<_>>()).unwrap();
        let geometry = &sim.media().array().geometry;
        let planes = sim.ops().iter().filter(|op| op.cause.name() == "agc");
        planes.map(|op| geometry.plane_of(geometry.block_of(op.page)).0).collect::<Vec<_>>()
    };
    let planes = run(&setup);
    assert!(!planes.is_empty() && planes.iter().all(|&plane| plane == 0), "{planes:?}");
    // With the rule for the whole device, nothing is idle.
    configure(&mut setup, &[("idle.scope", "device".into())]);
    assert_eq!(run(&setup), [0; 0]);
}

#[test]
fn the_cooperative_design_takes_what_the_closed_form_says() {
    // Per plane 128 + 1,920 SLC pages against Turbo Write's 2,048, sixteen planes.
    let setup_of = |scheme: &str, blocks: u32, slc_blocks: u32| {
        let flash = switch_pool(8, 2, blocks, 128, 2);
        let setup = setup(device(flash, 16 * 5000 * 4096), scheme);
        closed(with(setup, &[("slc_blocks", slc_blocks.into())]), 1)
    };
    let (cooperative, turbo) = (setup_of("ips-coop", 47, 15), setup_of("turbo-write", 47, 16));
    let cache = 16.0 * 2048.0;
    // The published ratios of 64 to 136 GB over a cache of 64 GB.
    let cases = [(2.125, 0.76, 0.01), (1.0, 1.0, 1e-9), (1.25, 0.83, 0.02), (1.5, 0.79, 0.015)];
    for (w, latency, tolerance) in cases.into_iter().step_by(few(2)) {
        let [ours, theirs] = [&cooperative, &turbo].map(|setup| sustained(setup, (cache * w) as u64).1);
        let mean = |report: &Report| report.host.write.latency_us.as_ref().unwrap().mean;
        let ratio = mean(&ours) / mean(&theirs);
        assert!((ratio - latency).abs() <= tolerance, "{w}: {ratio} is not {latency}");
        // Only what went to the traditional cache is written twice.
        let waf = |moved: f64| 1.0 + moved / (cache * w);
        assert!((ours.waf.total - waf(16.0 * 1920.0)).abs() < 1e-12, "{}", ours.waf.total);
        assert!((theirs.waf.total - waf(cache)).abs() < 1e-12, "{}", theirs.waf.total);
    }
}

#[test]
fn slc_pages_come_from_switched_windows_and_erased_blocks_only() {
    // Blocks that still offer SLC pages are left alone, so that none are on their way at the end.
    let setup = with(daily("ips-agc"), &[("agc.eligible", "used".into())]);
    let (_, report) = ended(&setup, &pauses(9));
    let f = |name: &str| figure(&report, name);
    let host = f("slc_pages_written") + f("switch_pages_written") + f("dense_pages_written");
    let refreshed = (f("slc_pages_refreshed_by_erase_per_host_page") * host).round();
    assert!(refreshed > 0.0 && f("windows_switched") > 0.0 && f("gc_pages_moved") == 0.0);
    let offered = 2.0 * 24.0 * 4.0 + f("windows_switched") * 4.0 + refreshed;
    assert_eq!(offered - f("slc_pages_written"), f("slc_pages_free_at_end"));
}
