//! Schemes whose policy is elsewhere: like the native ones where they decide alike, and ended in words.

use crate::it::common::hosted;
use crate::it::common::*;
use crate::it::conformance;
use slcache_core::device::RunError;

const BYTES: u64 = 24 << 20;

fn small(scheme: &str, values: &[(&str, Value)]) -> Setup {
    hosted::register();
    with(conformance::small(scheme, BYTES), values)
}

fn requests(seed: u64) -> Vec<Request> {
    random(6000, BYTES, 8, 0.3, 400_000.0, seed)
}

/// The report without what says whose it is.
fn figures(setup: &Setup, requests: &[Request]) -> Value {
    let mut sim = Simulation::new(setup).unwrap();
    sim.feed(requests).unwrap();
    let mut report = serde_json::to_value(sim.finish().unwrap()).unwrap();
    report.as_object_mut().unwrap().remove("scheme");
    report
}

#[test]
fn the_defaults_are_those_of_the_baseline_with_one_block_kept() {
    for seed in 1..4 {
        let requests = requests(seed);
        // It empties a block when none is free, and so does `baseline` where it keeps one.
        let native =
            small("baseline", &[("slc.start_free_blocks", 1.into()), ("slc.start_free_ratio", 0.0.into())]);
        assert_eq!(figures(&small("custom", &[]), &requests), figures(&native, &requests), "seed {seed}");
    }
}

#[test]
fn what_a_policy_cannot_do_ends_the_run_in_its_words() {
    let (first, rest) = (&requests(1)[..2000], &requests(1)[2000..]);
    for method in ["new", "place", "reclaim", "destination", "window", "figures", "copy", "save"] {
        let setup = small("custom", &[("source", format!("broken:{method}").into())]);
        let mut sim = Simulation::new(&setup).unwrap_or_else(|problems| panic!("{problems:?}"));
        let mut ended = sim.feed(first);
        if method == "copy" {
            sim = sim.clone();
        }
        ended = ended.and_then(|()| sim.feed(rest)).and_then(|()| sim.finish().map(|_| ()));
        match ended {
            Err(RunError::Policy { index, message }) => {
                assert_eq!(message, format!("{method}: broken"));
                assert!(index <= 6000, "{method}: request {index}");
            }
            Ok(()) if method == "save" => {
                serde_json::to_string(&sim.save()).unwrap();
                assert_eq!(sim.save_failure().as_deref(), Some("save: broken"));
            }
            other => panic!("{method}: {other:?}"),
        }
    }
}
