//! Pieces that wait to be packed: which write waits for which program, to the nanosecond, under every
//! `merge.wait` and `merge.acknowledge`; what bounds them, what ends them, and that all are programmed.
//!
//! One plane, pages of 4 mapping units, SLC blocks of 8 pages.

use crate::it::common::ops::*;
use crate::it::common::{
    closed, configure, device, ended, pool, random, request, setup, turning, versatile_pool, watched, with,
};
use crate::it::conformance::using_flash;
use serde_json::{json, Value};
use slcache_core::base::request::{HostOp, Request};
use slcache_core::base::{CellMode, Mu};
use slcache_core::device::{Setup, Simulation};
use slcache_core::ftl::config::MergeConfig;

const SCHEMES: [&str; 3] = ["sa", "sector", "hierarchy"];

/// With a timer and an acknowledgement behind the program.
const LATE: (&str, &str) = ("timeout", "on-program");
/// The rules that acknowledge before the program, with and without a timer.
const EARLY: [(&str, &str); 4] = [
    ("timeout", "on-buffer"),
    ("timeout", "on-fill"),
    ("until-full", "on-buffer"),
    ("until-full", "on-fill"),
];

/// The program of a page with `units` units: command, data and array, ns.
fn program_ns(units: u64) -> u64 {
    100 + units * MU + 200_000
}

fn merging(scheme: &str, wait: &str, acknowledge: &str, more: &[(&str, Value)]) -> Setup {
    let setup = setup(device(pool(1, 1, 18, 8, PAGE as u32), 8 * 24 * PAGE), scheme);
    let rules = [
        ("slc_blocks", json!(6)),
        ("slc.start_free_ratio", json!(0.0)),
        ("merge.wait", json!(wait)),
        ("merge.acknowledge", json!(acknowledge)),
    ];
    with(setup, &[&rules, more].concat())
}

/// The device after `requests`, audited after each, and the end of the run.
fn served(setup: &Setup, requests: &[Request]) -> Simulation {
    let mut sim = watched(setup);
    for request in requests {
        sim.feed(std::slice::from_ref(request)).unwrap();
        sim.audit().unwrap();
    }
    sim.finish().unwrap();
    sim.audit().unwrap();
    sim
}

/// Latencies of requests of one kind in the order of their arrival, ns.
fn latencies(sim: &Simulation, op: HostOp) -> Vec<u64> {
    let mut log: Vec<_> = sim.log().iter().filter(|(r, _)| r.op == op).copied().collect();
    log.sort_by_key(|(r, _)| r.at_ns);
    log.into_iter().map(|(_, ns)| ns).collect()
}

fn write_latencies(sim: &Simulation) -> Vec<u64> {
    latencies(sim, HostOp::Write)
}

/// When each program was emitted, ns.
fn emitted(sim: &Simulation) -> Vec<u64> {
    sim.ops().iter().map(|op| op.at_ns).collect()
}

#[test]
fn a_piece_waits_for_others_as_long_as_is_said_and_ends_with_its_page() {
    assert_eq!(MergeConfig::default().timeout_ns, 100_000);
    let rewrites = partial(0, &[(0, 0, 1), (0, 0, 1), (0, 0, 1)]);
    for scheme in SCHEMES {
        let setup = merging(scheme, LATE.0, LATE.1, &[]);
        // A rewrite of what waits joins it.
        let sim = served(&setup, &rewrites);
        assert_eq!(write_latencies(&sim), [0, 1000, 2000].map(|ns| 100_000 + program_ns(1) - ns), "{scheme}");
        assert_eq!(counters(&sim), [("program", "slc", "host", 1, 1)]);
        let sim = served(&setup, &partial(0, &[(0, 0, 2), (1, 0, 2)]));
        assert_eq!(write_latencies(&sim), [1000 + program_ns(4), program_ns(4)], "{scheme}");
    }
}

#[test]
fn until_full_three_quarters_of_a_page_wait_for_the_fourth_however_long() {
    let mut requests = partial(0, &[(0, 0, 1), (1, 0, 1), (2, 0, 1)]);
    requests.extend(partial(LATER, &[(3, 0, 1)]));
    for scheme in SCHEMES {
        for (acknowledge, filler_ns) in [("on-buffer", 0), ("on-fill", program_ns(4))] {
            let sim = served(&merging(scheme, "until-full", acknowledge, &[]), &requests);
            assert_eq!(write_latencies(&sim), [0, 0, 0, filler_ns], "{scheme} {acknowledge}");
            assert_eq!(emitted(&sim), [LATER], "{scheme} {acknowledge}");
            assert_eq!(counters(&sim), [("program", "slc", "host", 1, 1)]);
        }
    }
}

#[test]
fn on_fill_nobody_waits_for_a_page_whose_time_is_over() {
    // Two units fill no page; the third comes when they are on their way, and waits for its own time.
    let mut requests = partial(0, &[(0, 0, 1), (1, 0, 1)]);
    requests.extend(partial(150_000, &[(2, 0, 1)]));
    for scheme in SCHEMES {
        let sim = served(&merging(scheme, "timeout", "on-fill", &[]), &requests);
        assert_eq!(write_latencies(&sim), [0, 0, 0], "{scheme}");
        assert_eq!(emitted(&sim), [100_000, 250_000], "{scheme}");
    }
}

#[test]
fn on_fill_a_request_waits_for_the_page_that_one_of_its_pieces_fills() {
    // The second request ends page 1 with two units and begins page 2 with two: the former fill a page.
    let requests = [partial(0, &[(0, 0, 2)])[0], request(1000, HostOp::Write, 2 * PAGE - 2 * MU, 4 * MU)];
    for scheme in SCHEMES {
        let sim = served(&merging(scheme, "until-full", "on-fill", &[]), &requests);
        assert_eq!(write_latencies(&sim), [0, program_ns(4)], "{scheme}");
        assert_eq!(emitted(&sim)[0], 1000, "{scheme}");
        assert_eq!(emitted(&sim).len(), 2, "{scheme}: the end of the run programs the rest");
    }
}

#[test]
fn a_write_that_becomes_a_page_of_its_own_waits_for_it_whatever_the_rule() {
    for scheme in ["sa", "hierarchy"] {
        for (wait, acknowledge) in EARLY {
            let sim = served(&merging(scheme, wait, acknowledge, &[]), &partial(0, &[(0, 0, 4)]));
            assert_eq!(write_latencies(&sim), [program_ns(4)], "{scheme} {wait} {acknowledge}");
        }
    }
}

#[test]
fn a_write_without_room_for_what_is_being_programmed_waits_until_there_is() {
    // Room for six units; four are being programmed when the third piece of two comes, and all eight
    // when the fourth does. Its page is programmed behind the first.
    let writes = partial(0, &[(0, 0, 2), (1, 0, 2), (2, 0, 2), (3, 0, 2)]);
    let room = [("merge.buffer_bytes", json!(6 * MU))];
    let first_end_ns = 1000 + program_ns(4);
    let fourth = |acknowledge: &str, wait: &str| match (acknowledge, wait) {
        ("on-buffer", "until-full") => first_end_ns - 3000,
        _ => first_end_ns + program_ns(4) - 3000,
    };
    for scheme in SCHEMES {
        for (wait, acknowledge) in EARLY {
            let sim = served(&merging(scheme, wait, acknowledge, &room), &writes);
            let filler_ns = if acknowledge == "on-fill" { program_ns(4) } else { 0 };
            let want = [0, filler_ns, 0, fourth(acknowledge, wait)];
            assert_eq!(write_latencies(&sim), want, "{scheme} {wait} {acknowledge}");
        }
    }
}

#[test]
fn a_write_that_finds_the_buffer_full_has_the_oldest_programmed_and_on_fill_waits_for_it() {
    // Room for six units; pieces of three of one logical page each. sector would fill a page with them.
    let writes = partial(0, &[(0, 0, 3), (1, 0, 3), (2, 0, 3)]);
    let room = [("merge.buffer_bytes", json!(6 * MU))];
    for scheme in ["sa", "hierarchy"] {
        let sim = served(&merging(scheme, "until-full", "on-fill", &room), &writes);
        // Nine units are held or being programmed meanwhile: it waits for that room, which is free at
        // the same time.
        assert_eq!(write_latencies(&sim), [0, 0, program_ns(3)], "{scheme}");
        assert_eq!(emitted(&sim)[0], 2000, "{scheme}");
        assert_eq!(emitted(&sim).len(), 3, "{scheme}: the end of the run programs the others");
        let patient = [&room[..], &[("merge.timeout_ns", json!(1_000_000))]].concat();
        let sim = served(&merging(scheme, LATE.0, LATE.1, &patient), &writes);
        assert_eq!(write_latencies(&sim)[..2], [2000, 1_000_000].map(|ns| ns + program_ns(3)), "{scheme}");
    }
}

/// Where power loss is covered it waits for nothing.
#[test]
fn a_flush_programs_what_waits_and_waits_for_it_and_for_what_is_being_programmed() {
    let alone = [partial(0, &[(0, 0, 1)]), vec![request(10_000, HostOp::Flush, 0, 0)]].concat();
    let full = [partial(0, &[(0, 0, 2), (1, 0, 2)]), vec![request(10_000, HostOp::Flush, 0, 0)]].concat();
    for (scheme, (wait, acknowledge)) in
        SCHEMES.into_iter().flat_map(|s| EARLY.into_iter().chain([LATE]).map(move |e| (s, e)))
    {
        let mut setup = merging(scheme, wait, acknowledge, &[]);
        let flush_ns = |setup: &Setup, requests| latencies(&served(setup, requests), HostOp::Flush);
        assert_eq!(flush_ns(&setup, &alone), [0], "{scheme} {wait} {acknowledge}");
        setup.device.plp = false;
        assert_eq!(flush_ns(&setup, &alone), [program_ns(1)], "{scheme} {wait} {acknowledge}");
        // A flush waits for what was acknowledged before it.
        let rest_ns = if acknowledge == LATE.1 { 0 } else { 1000 + program_ns(4) - 10_000 };
        assert_eq!(flush_ns(&setup, &full), [rest_ns], "{scheme} {wait} {acknowledge}");
        assert_eq!(emitted(&served(&setup, &alone)).len(), 1, "{scheme} {wait} {acknowledge}");
    }
}

#[test]
fn a_trim_of_what_waits_completes_its_writes_and_leaves_only_the_rest_to_program() {
    // All of page 0 is gone; of page 1 a unit is left, which waits on.
    let mut requests = partial(0, &[(0, 0, 1), (1, 0, 2)]);
    requests.push(request(5000, HostOp::Trim, 0, PAGE + MU));
    for scheme in SCHEMES {
        let sim = served(&merging(scheme, LATE.0, LATE.1, &[]), &requests);
        assert_eq!(write_latencies(&sim), [5000, 100_000 + program_ns(1)], "{scheme}");
        assert_eq!((sim.media().mapped(), sim.media().lookup(Mu(5)).is_some()), (1, true), "{scheme}");
        let more = partial(LATER, &[(2, 0, 1), (3, 0, 2)]);
        let sim = served(&merging(scheme, "until-full", "on-fill", &[]), &[&requests[..], &more].concat());
        assert_eq!(write_latencies(&sim), [0, 0, 0, program_ns(4)], "{scheme}");
        assert_eq!((emitted(&sim), sim.media().mapped()), (vec![LATER + 1000], 4), "{scheme}");
    }
}

/// A buffer of a page and one of many, requests one at a time and many at once.
#[test]
fn closed_replay_comes_to_its_end_under_every_rule() {
    let mut requests = random(1000, 8 * 24 * PAGE, 5, 0.3, 0.0, 3);
    (0..1000).step_by(97).for_each(|i| requests[i].op = HostOp::Flush);
    for (scheme, (wait, acknowledge)) in SCHEMES.into_iter().flat_map(|s| EARLY.map(|early| (s, early))) {
        for (bytes, depth) in [(PAGE, 1), (256 << 10, 1), (PAGE, 16), (256 << 10, 16)] {
            let room = [("merge.buffer_bytes", json!(bytes))];
            let mut setup = closed(merging(scheme, wait, acknowledge, &room), depth);
            setup.device.plp = false;
            let (sim, report) = ended(&setup, &requests);
            let held = (sim.media().held().is_empty(), report.host.requests);
            assert_eq!(held, (true, 1000 - 11), "{scheme} {wait} {acknowledge} {bytes} {depth}");
        }
    }
}

#[test]
fn where_nothing_is_timed_the_knob_of_the_time_stays_where_it_is() {
    for (scheme, wait) in SCHEMES.into_iter().flat_map(|s| ["timeout", "until-full"].map(|wait| (s, wait))) {
        let sim = Simulation::new(&merging(scheme, wait, "on-fill", &[])).unwrap();
        let knobs = sim.knobs();
        let knob = knobs.iter().find(|knob| knob.spec.name == "merge.timeout_ns").unwrap();
        assert_eq!(knob.value, 100_000.0);
        assert_eq!(turning::values(&knob.range).len() > 1, wait == "timeout", "{scheme}");
    }
}

#[test]
fn nothing_waits_on_a_device_whose_pages_are_mapping_units() {
    let writes: Vec<_> = (0..64).map(|i| request(i * LATER, HostOp::Write, i * MU, MU)).collect();
    for entry in using_flash() {
        let mut setup = setup(device(versatile_pool(2, 1, 18, 8, MU as u32), 2 * 8 * 24 * MU), entry.name);
        configure(&mut setup, &[("slc_blocks", json!(6)), ("initial_slc_blocks", json!(6))]);
        configure(&mut setup, &[("fast_blocks", json!(6)), ("destage", json!("background"))]);
        let (sim, _) = ended(&setup, &writes);
        // The time of the mode in which the scheme writes first.
        let dense_ns = if sim.ops()[0].mode == CellMode::Slc { 0 } else { 600_000 };
        assert_eq!(write_latencies(&sim), [program_ns(1) + dense_ns; 64], "{}", entry.name);
    }
}

#[test]
fn the_load_of_an_idle_device_is_zero() {
    for entry in using_flash() {
        let mut setup = setup(device(versatile_pool(2, 2, 24, 8, PAGE as u32), 16 << 20), entry.name);
        configure(&mut setup, &[("slc_blocks", json!(6))]);
        let mut sim = Simulation::new(&setup).unwrap();
        sim.feed(&random(1000, 16 << 20, 6, 0.4, 100_000.0, 1)).unwrap();
        assert!((0..4).any(|unit| sim.timing().load_ns(unit) > 0), "{}", entry.name);
        sim.finish().unwrap();
        assert!((0..4).all(|unit| sim.timing().load_ns(unit) == 0), "{}", entry.name);
    }
}
