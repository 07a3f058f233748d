//! `merge.wait` and `merge.acknowledge`: which write waits for which program, to the nanosecond, and
//! that everything held is programmed in the end.
//!
//! One plane, pages of 4 mapping units, SLC blocks of 8 pages.

use crate::it::common::ops::*;
use crate::it::common::{configure, device, pool, random, request, setup};
use serde_json::{json, Value};
use slcache_core::base::request::{HostOp, Request};
use slcache_core::device::config::Replay;
use slcache_core::device::{Setup, Simulation};
use slcache_core::ftl::config::MergeConfig;

const SCHEMES: [&str; 3] = ["sa", "sector", "hierarchy"];

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
    let mut setup = setup(device(pool(1, 1, 18, 8, PAGE as u32), 8 * 24 * PAGE), scheme);
    let rules = [
        ("slc_blocks", json!(6)),
        ("slc.start_free_ratio", json!(0.0)),
        ("merge.wait", json!(wait)),
        ("merge.acknowledge", json!(acknowledge)),
    ];
    assert_eq!(configure(&mut setup, &rules), 4);
    assert_eq!(configure(&mut setup, more), more.len());
    setup
}

/// The device after `requests` and the end of the run.
fn ended(setup: &Setup, requests: &[Request]) -> Simulation {
    let mut sim = Simulation::new(setup).unwrap_or_else(|problems| panic!("{problems:?}"));
    sim.track_versions();
    sim.keep_log();
    sim.keep_ops();
    for request in requests {
        sim.feed(std::slice::from_ref(request)).unwrap();
        sim.audit().unwrap();
    }
    sim.finish().unwrap();
    sim.audit().unwrap();
    sim
}

/// Latencies of the writes in the order of their arrival, ns.
fn write_latencies(sim: &Simulation) -> Vec<u64> {
    let mut log: Vec<_> = sim.log().iter().filter(|(r, _)| r.op == HostOp::Write).copied().collect();
    log.sort_by_key(|(r, _)| r.at_ns);
    log.into_iter().map(|(_, ns)| ns).collect()
}

/// When each program was emitted, ns.
fn emitted(sim: &Simulation) -> Vec<u64> {
    sim.ops().iter().map(|op| op.at_ns).collect()
}

#[test]
fn by_default_a_piece_waits_a_tenth_of_a_millisecond_for_others() {
    assert_eq!(MergeConfig::default().timeout_ns, 100_000);
    for scheme in SCHEMES {
        let sim = ended(&merging(scheme, "timeout", "on-program", &[]), &partial(0, &[(0, 0, 1)]));
        assert_eq!(write_latencies(&sim), [100_000 + program_ns(1)], "{scheme}");
    }
}

#[test]
fn until_full_three_quarters_of_a_page_wait_for_the_fourth_however_long() {
    let mut requests = partial(0, &[(0, 0, 1), (1, 0, 1), (2, 0, 1)]);
    requests.extend(partial(LATER, &[(3, 0, 1)]));
    for scheme in SCHEMES {
        for (acknowledge, filler_ns) in [("on-buffer", 0), ("on-fill", program_ns(4))] {
            let sim = ended(&merging(scheme, "until-full", acknowledge, &[]), &requests);
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
        let sim = ended(&merging(scheme, "timeout", "on-fill", &[]), &requests);
        assert_eq!(write_latencies(&sim), [0, 0, 0], "{scheme}");
        assert_eq!(emitted(&sim), [100_000, 250_000], "{scheme}");
    }
}

#[test]
fn on_fill_a_request_waits_for_the_page_that_one_of_its_pieces_fills() {
    // The second request ends page 1 with two units and begins page 2 with two: the former fill a page.
    let requests = [partial(0, &[(0, 0, 2)])[0], request(1000, HostOp::Write, 2 * PAGE - 2 * MU, 4 * MU)];
    for scheme in SCHEMES {
        let sim = ended(&merging(scheme, "until-full", "on-fill", &[]), &requests);
        assert_eq!(write_latencies(&sim), [0, program_ns(4)], "{scheme}");
        assert_eq!(emitted(&sim)[0], 1000, "{scheme}");
        assert_eq!(emitted(&sim).len(), 2, "{scheme}: the end of the run programs the rest");
    }
}

#[test]
fn a_write_that_becomes_a_page_of_its_own_waits_for_it_whatever_the_rule() {
    for scheme in ["sa", "hierarchy"] {
        for (wait, acknowledge) in EARLY {
            let sim = ended(&merging(scheme, wait, acknowledge, &[]), &partial(0, &[(0, 0, 4)]));
            assert_eq!(write_latencies(&sim), [program_ns(4)], "{scheme} {wait} {acknowledge}");
        }
    }
}

#[test]
fn a_write_that_finds_the_buffer_full_has_the_oldest_programmed_and_on_fill_waits_for_it() {
    // Room for six units; pieces of three of one logical page each. sector would fill a page with them.
    let writes = partial(0, &[(0, 0, 3), (1, 0, 3), (2, 0, 3)]);
    let room = [("merge.buffer_bytes", json!(6 * MU))];
    for scheme in ["sa", "hierarchy"] {
        let sim = ended(&merging(scheme, "until-full", "on-fill", &room), &writes);
        // Nine units are held or being programmed meanwhile: it waits for that room, which is free at
        // the same time.
        assert_eq!(write_latencies(&sim), [0, 0, program_ns(3)], "{scheme}");
        assert_eq!(emitted(&sim)[0], 2000, "{scheme}");
        assert_eq!(emitted(&sim).len(), 3, "{scheme}: the end of the run programs the others");
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
            let sim = ended(&merging(scheme, wait, acknowledge, &room), &writes);
            let filler_ns = if acknowledge == "on-fill" { program_ns(4) } else { 0 };
            let want = [0, filler_ns, 0, fourth(acknowledge, wait)];
            assert_eq!(write_latencies(&sim), want, "{scheme} {wait} {acknowledge}");
        }
    }
}

#[test]
fn a_flush_programs_what_waits_until_a_page_is_full_and_waits_for_it() {
    for scheme in SCHEMES {
        for acknowledge in ["on-buffer", "on-fill"] {
            let mut setup = merging(scheme, "until-full", acknowledge, &[]);
            let mut requests = partial(0, &[(0, 0, 1)]);
            requests.push(request(10_000, HostOp::Flush, 0, 0));
            let flush_ns = |setup: &Setup| {
                let sim = ended(setup, &requests);
                let flush = sim.log().iter().find(|(r, _)| r.op == HostOp::Flush).copied();
                (flush.map(|(_, ns)| ns), write_latencies(&sim), emitted(&sim).len())
            };
            assert_eq!(flush_ns(&setup), (Some(0), vec![0], 1), "{scheme}: power loss is covered");
            setup.device.plp = false;
            assert_eq!(flush_ns(&setup), (Some(program_ns(1)), vec![0], 1), "{scheme} {acknowledge}");
        }
    }
}

#[test]
fn a_trim_of_what_waits_leaves_nothing_to_program() {
    for scheme in SCHEMES {
        let mut requests = partial(0, &[(0, 0, 1), (1, 0, 2)]);
        requests.push(request(5000, HostOp::Trim, 0, 2 * PAGE));
        requests.extend(partial(LATER, &[(2, 0, 2), (3, 0, 2)]));
        let sim = ended(&merging(scheme, "until-full", "on-fill", &[]), &requests);
        assert_eq!(write_latencies(&sim), [0, 0, 0, program_ns(4)], "{scheme}");
        assert_eq!((emitted(&sim), sim.media().mapped()), (vec![LATER + 1000], 4), "{scheme}");
    }
}

/// A buffer of a page and one of many, requests one at a time and many at once.
#[test]
fn closed_replay_comes_to_its_end_under_every_rule() {
    for scheme in SCHEMES {
        for (wait, acknowledge) in EARLY {
            for (bytes, depth) in [(PAGE, 1), (256 << 10, 1), (PAGE, 16), (256 << 10, 16)] {
                let room = [("merge.buffer_bytes", json!(bytes))];
                let mut setup = merging(scheme, wait, acknowledge, &room);
                (setup.host.replay, setup.host.queue_depth) = (Replay::Closed, depth);
                setup.device.plp = false;
                let mut requests = random(2000, setup.device.user_bytes, 5, 0.3, 0.0, 3);
                (0..2000).step_by(97).for_each(|i| requests[i].op = HostOp::Flush);
                let mut sim = Simulation::new(&setup).unwrap();
                sim.track_versions();
                sim.feed(&requests).unwrap();
                let report = sim.finish().unwrap();
                sim.audit().unwrap();
                let of = format!("{scheme} {wait} {acknowledge} {bytes} {depth}");
                assert!(sim.media().held().is_empty(), "{of}");
                assert_eq!(report.host.requests, 2000 - 21, "{of}");
            }
        }
    }
}

#[test]
fn a_write_that_would_wait_for_ever_is_refused() {
    for scheme in SCHEMES {
        let setup = merging(scheme, "until-full", "on-program", &[]);
        let told: Vec<String> = setup.check().iter().map(ToString::to_string).collect();
        let key = format!("scheme.{scheme}.merge");
        let want = format!(
            "{key}.acknowledge = on-program: must be on-buffer or on-fill beside {key}.wait = \"until-full\": \
             a write could wait for ever"
        );
        assert_eq!(told, [want]);
    }
}

#[test]
fn where_nothing_is_timed_the_knob_of_the_time_stays_where_it_is() {
    for scheme in SCHEMES {
        let places = |wait: &str| {
            let sim = Simulation::new(&merging(scheme, wait, "on-fill", &[])).unwrap();
            let knobs = sim.knobs();
            let knob = knobs.iter().find(|knob| knob.spec.name == "merge.timeout_ns").unwrap();
            assert_eq!(knob.value, 100_000.0);
            crate::it::common::turning::values(&knob.range)
        };
        assert!(places("timeout").len() > 1);
        assert_eq!(places("until-full"), [100_000.0]);
    }
}
