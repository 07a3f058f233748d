//! Pieces that wait to be packed: which write waits for which program, to the nanosecond, under every
//! `merge.wait` and `merge.acknowledge`; what bounds them, what ends them, and that all are programmed.
//!
//! One plane, pages of 4 mapping units, SLC blocks of 8 pages.

use crate::it::common::ops::*;
use crate::it::common::turning;
use crate::it::common::*;
use crate::it::conformance::using_flash;
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
fn emitted_ns(sim: &Simulation) -> Vec<u64> {
    sim.ops().iter().map(|op| op.at_ns).collect()
}

/// What each write waits for, and when the first program is emitted and how many there are to the end of the run.
#[test]
fn a_write_waits_for_what_its_rule_says() {
    assert_eq!(MergeConfig::default().timeout_ns, 100_000);
    let [full_ns, first_end_ns] = [0, 1000].map(|at_ns| at_ns + program_ns(4));
    let (on_fill, fills) = (&EARLY[3..], &[EARLY[1], EARLY[3]][..]);
    let own_page = &["sa", "hierarchy"][..];
    let late =
        |pieces: &[(u64, u64, u64)], at_ns, piece| [partial(0, pieces), partial(at_ns, &[piece])].concat();
    let quarters = late(&[(0, 0, 1), (1, 0, 1), (2, 0, 1)], LATER, (3, 0, 1));
    let halves = partial(0, &[(0, 0, 2), (1, 0, 2), (2, 0, 2), (3, 0, 2)]);
    let threes = partial(0, &[(0, 0, 3), (1, 0, 3), (2, 0, 3)]);
    // The second request ends page 1 with two units and begins page 2 with two: the former fill a page.
    let across = vec![partial(0, &[(0, 0, 2)])[0], request(1000, HostOp::Write, 2 * PAGE - 2 * MU, 4 * MU)];
    let waits = |ns: u64| ns - 3000;
    for (schemes, rules, room, requests, want, emitted) in [
        // A rewrite of what waits joins it.
        (
            &SCHEMES[..],
            &[LATE][..],
            64,
            partial(0, &[(0, 0, 1), (0, 0, 1), (0, 0, 1)]),
            [0, 1000, 2000].map(|ns| 100_000 + program_ns(1) - ns).to_vec(),
            (100_000, 1),
        ),
        (&SCHEMES, &[LATE], 64, partial(0, &[(0, 0, 2), (1, 0, 2)]), vec![first_end_ns, full_ns], (1000, 1)),
        // Three quarters of a page wait for the fourth however long.
        (&SCHEMES, &EARLY[2..3], 64, quarters.clone(), vec![0; 4], (LATER, 1)),
        (&SCHEMES, on_fill, 64, quarters, vec![0, 0, 0, full_ns], (LATER, 1)),
        // Two units fill no page; the third comes when they are on their way, and waits for its own time.
        (
            &SCHEMES,
            &EARLY[1..2],
            64,
            late(&[(0, 0, 1), (1, 0, 1)], 150_000, (2, 0, 1)),
            vec![0; 3],
            (100_000, 2),
        ),
        (&SCHEMES, on_fill, 64, across, vec![0, full_ns], (1000, 2)),
        (own_page, &EARLY, 64, partial(0, &[(0, 0, 4)]), vec![full_ns], (0, 1)),
        // Room for six units; four are being programmed when the third piece of two comes, and all eight when the
        // fourth does. Its page is programmed behind the first.
        (&SCHEMES, &EARLY[..1], 6, halves.clone(), vec![0, 0, 0, waits(first_end_ns + full_ns)], (1000, 2)),
        (&SCHEMES, &EARLY[2..3], 6, halves.clone(), vec![0, 0, 0, waits(first_end_ns)], (1000, 2)),
        (&SCHEMES, fills, 6, halves, vec![0, full_ns, 0, waits(first_end_ns + full_ns)], (1000, 2)),
        // Nine units are held or being programmed: the oldest are, and the third waits for that room. `sector` would
        // fill a page with them.
        (own_page, on_fill, 6, threes, vec![0, 0, program_ns(3)], (2000, 3)),
    ] {
        for (scheme, &(wait, acknowledge)) in schemes.iter().flat_map(|s| rules.iter().map(move |r| (s, r))) {
            let room = [("merge.buffer_bytes", json!(room * MU))];
            let sim = served(&merging(scheme, wait, acknowledge, &room), &requests);
            let what = format!("{scheme} {wait} {acknowledge} {requests:?}");
            assert_eq!(write_latencies(&sim), want, "{what}");
            assert_eq!((emitted_ns(&sim)[0], emitted_ns(&sim).len()), emitted, "{what}");
        }
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
        assert_eq!(emitted_ns(&served(&setup, &alone)).len(), 1, "{scheme} {wait} {acknowledge}");
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
        assert_eq!((emitted_ns(&sim), sim.media().mapped()), (vec![LATER + 1000], 4), "{scheme}");
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
