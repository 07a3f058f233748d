//! What every knob of every scheme owes whoever turns it.

use crate::it::common::turning;
use crate::it::common::*;
use crate::it::conformance::{mixed, small};
use slcache_core::device::TurnError;
use slcache_core::ftl::knob::KnobRange;

const BYTES: u64 = 24 << 20;

/// Knobs that are not at first what the configuration's key makes of the device: blocks that a cache
/// gives up lie idle, and a division drifts to its bounds.
const ON_THE_WAY: [&str; 2] = ["slc_blocks", "l1_share_max"];

fn fresh(setup: &Setup) -> Simulation {
    let mut sim = Simulation::new(setup).unwrap_or_else(|problems| panic!("{problems:?}"));
    sim.precondition(&mut |_, _| true).unwrap();
    sim.keep_ops();
    sim
}

/// The operations of a run of which `turn` is asked before each request.
fn ops(setup: &Setup, requests: &[Request], turn: impl Fn(usize, &mut Simulation)) -> Vec<LoggedOp> {
    let mut sim = fresh(setup);
    foresee(&mut sim, requests);
    for (i, request) in requests.iter().enumerate() {
        turn(i, &mut sim);
        sim.feed(std::slice::from_ref(request)).unwrap();
    }
    sim.finish().unwrap();
    sim.audit().unwrap();
    sim.ops().to_vec()
}

/// Half full, so that the store is cleaned, and the cache reclaimed, a little.
fn half_full(scheme: &str) -> Setup {
    let mut setup = small(scheme, BYTES);
    setup.precondition.fill = 0.5;
    setup
}

#[test]
fn knobs_stand_within_their_range_and_are_called_as_the_catalogue_says() {
    for entry in CATALOG {
        let sim = fresh(&small(entry.name, BYTES));
        let knobs = sim.knobs();
        assert_eq!(knobs.iter().map(|knob| *knob.spec).collect::<Vec<_>>(), entry.knobs);
        for knob in knobs {
            assert!(knob.range.contains(knob.value), "{}: {knob:?}", entry.name);
            assert!(knob.spec.summary.len() > 10 && !knob.spec.unit.is_empty());
        }
        assert_eq!(sim.signals().len(), entry.signals.len());
    }
}

/// Values that no knob of `range` may have.
fn refused(range: &KnobRange) -> Vec<f64> {
    let (min, max, between) = match range {
        KnobRange::Ladder(values) => (values[0], values[values.len() - 1], values[0] + 1e-3),
        KnobRange::Steps { min, max, step } => (*min, *max, min + step / 2.0),
    };
    vec![f64::NAN, f64::INFINITY, f64::NEG_INFINITY, min - 1.0, max + 1.0, between]
}

#[test]
fn a_turn_to_where_a_knob_stands_and_a_refused_one_change_nothing() {
    for entry in CATALOG {
        let setup = half_full(entry.name);
        let requests = &mixed(BYTES, 4)[..1500];
        let turn = |i: usize, sim: &mut Simulation| {
            let knobs = sim.knobs();
            for (number, knob) in knobs.iter().enumerate().filter(|_| i % 50 == 0) {
                sim.turn(number, knob.value).unwrap();
                for value in refused(&knob.range).into_iter().filter(|_| i % 500 == 0) {
                    let error = sim.turn(number, value).unwrap_err();
                    assert!(matches!(error, TurnError::Refused(_)), "{error}");
                    assert!(error.to_string().starts_with(knob.spec.name), "{error}");
                }
            }
            let unknown = Err(TurnError::Unknown { knob: knobs.len(), count: knobs.len() });
            assert_eq!(sim.turn(knobs.len(), 1.0), unknown);
            assert_eq!(sim.knobs(), knobs);
        };
        assert!(ops(&setup, requests, turn) == ops(&setup, requests, |_, _| {}), "{}", entry.name);
    }
}

/// A value as a configuration has it: whole numbers without a point.
fn configured(value: f64) -> Value {
    match value.fract() == 0.0 {
        true => json!(value as u64),
        false => json!(value),
    }
}

/// `setup` with `key` at `value`, and the other half of a threshold out of the way; none if the scheme
/// has no such key.
fn with(setup: &Setup, key: &str, value: f64) -> Option<Setup> {
    let mut setup = setup.clone();
    if key == "clean.start_free_blocks" {
        configure(&mut setup, &[("clean.start_free_ratio", json!(0.0))]);
    }
    let found = configure(&mut setup, &[(key, configured(value))]);
    assert!(setup.check().is_empty(), "{key} = {value}: {:?}", setup.check());
    (found == 1).then_some(setup)
}

#[test]
fn a_knob_turned_before_the_first_request_does_what_its_key_does() {
    for entry in CATALOG {
        // Nothing lies there, for a configuration has its say before time 0, too.
        let setup = small(entry.name, BYTES);
        let requests = &mixed(BYTES, 5)[..1200];
        for (number, knob) in fresh(&setup).knobs().iter().enumerate() {
            let values = turning::values(&knob.range);
            let step = few(3).min(values.len());
            for value in values.into_iter().skip(number % step).step_by(step) {
                let name = knob.spec.name;
                if ON_THE_WAY.contains(&name) {
                    continue;
                }
                let Some(key) = with(&setup, name, value) else { continue };
                let turn = |i: usize, sim: &mut Simulation| {
                    if i == 0 {
                        sim.turn(number, value).unwrap();
                    }
                };
                let alike = ops(&setup, requests, turn) == ops(&key, requests, |_, _| {});
                assert!(alike, "{}: {name} = {value}", entry.name);
            }
        }
    }
}

/// With a pause of a second after every hundred requests: idle work comes to its end.
fn calm(requests: &[Request]) -> Vec<Request> {
    let later = |(i, r): (usize, &Request)| Request { at_ns: r.at_ns + i as u64 / 100 * 1_000_000_000, ..*r };
    requests.iter().enumerate().map(later).collect()
}

#[test]
fn every_knob_moves_something() {
    for entry in CATALOG {
        let mut setup = half_full(entry.name);
        // Else one learns that the cache is better left alone, and cells that do not err need none.
        configure(&mut setup, &[("rate", json!(0.0)), ("min_retries", json!([0, 0]))]);
        let busy = mixed(BYTES, 6);
        let loads = [busy[..2000].to_vec(), calm(&busy)];
        let before = loads.each_ref().map(|requests| ops(&setup, requests, |_, _| {}));
        for (number, knob) in fresh(&setup).knobs().iter().enumerate() {
            let moves = |value: f64| {
                let turn = |i: usize, sim: &mut Simulation| {
                    if i == 1000 {
                        sim.turn(number, value).unwrap();
                    }
                };
                loads.iter().zip(&before).any(|(requests, before)| ops(&setup, requests, turn) != *before)
            };
            let all = turning::values(&knob.range);
            assert!(all.into_iter().any(moves), "{}: {}", entry.name, knob.spec.name);
        }
    }
}

fn knob(sim: &Simulation, name: &str) -> usize {
    sim.knobs().iter().position(|knob| knob.spec.name == name).unwrap()
}

/// Overwrites the cache of ips-agc, then turns its idle threshold from a second to 1 ms or 3 s, and
/// says whether it works in idle time within 100 ms, and within 2 s.
fn works_within(threshold_ns: f64) -> [bool; 2] {
    let mut setup = literally(small("ips-agc", BYTES));
    configure(&mut setup, &[("idle.threshold_ns", json!(1_000_000_000))]);
    let mut sim = fresh(&setup);
    let writes = mixed(BYTES / 8, 7).into_iter().take(480).collect::<Vec<_>>();
    sim.feed(&writes).unwrap();
    // All writes are done, and their units wait for the second to pass.
    let start_ns = writes[479].at_ns + 50_000_000;
    rest(&mut sim, start_ns);
    let number = knob(&sim, "idle.threshold_ns");
    sim.turn(number, threshold_ns).unwrap();
    [100_000_000, 2_000_000_000].map(|after_ns| {
        rest(&mut sim, start_ns + after_ns);
        sim.ops().iter().any(|op| op.cause == Cause::Agc)
    })
}

#[test]
fn a_new_idle_threshold_holds_for_units_that_wait_already() {
    assert_eq!(works_within(1_000_000.0), [true, true]);
    assert_eq!(works_within(1_000_000_000.0), [false, true]);
    assert_eq!(works_within(3_000_000_000.0), [false, false]);
}

#[test]
fn a_report_says_where_a_turned_knob_stood_last() {
    let setup = small("baseline", BYTES);
    let figure = |turns: &[f64]| {
        let mut sim = fresh(&setup);
        turns.iter().for_each(|value| sim.turn(0, *value).unwrap());
        sim.finish().unwrap().scheme.figures.get("knob_slc_start_free_ratio").copied()
    };
    assert_eq!(figure(&[]), None);
    assert_eq!(figure(&[0.2, 0.7]), Some(0.7));
}

#[test]
fn a_threshold_leaves_the_blocks_that_data_fill() {
    let most = |bytes| match fresh(&small("tlc-only", bytes)).knobs()[0].range {
        KnobRange::Steps { max, .. } => max,
        KnobRange::Ladder(_) => unreachable!(),
    };
    // 24 blocks per plane in 4 planes: 1 and then 19 of them hold data, 2 are written to.
    let block = 48 * 16384;
    assert_eq!((most(block), most(4 * 19 * block)), (21.0, 3.0));
}
