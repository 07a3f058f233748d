//! Schemes whose policy is elsewhere: like the native ones where they decide alike, and ended in words.

use crate::it::common::restart::again;
use crate::it::common::{configure, device, hosted, random, setup, versatile_pool, with};
use serde_json::Value;
use slcache_core::base::request::Request;
use slcache_core::device::{RunError, Setup, Simulation};
use slcache_core::hw::config::ProgramRule;

const BYTES: u64 = 24 << 20;

fn small(scheme: &str, values: &[(&str, Value)]) -> Setup {
    hosted::register();
    let mut flash = versatile_pool(2, 2, 24, 16, 16384);
    flash.tlc.as_mut().unwrap().program = ProgramRule::OneShot;
    let mut setup = setup(device(flash, BYTES), scheme);
    configure(&mut setup, &[("slc_blocks", 6.into())]);
    with(setup, values)
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
fn a_copy_and_a_restored_device_decide_as_the_original_does() {
    for seed in 0..8 {
        let setup = small("custom", &[("source", format!("random:{seed}").into())]);
        let mut original = Simulation::new(&setup).unwrap();
        original.feed(&requests(seed)[..2000]).unwrap();
        let start_ns = original.now_ns();
        let later = |request: &Request| Request { at_ns: request.at_ns + start_ns, ..*request };
        let more: Vec<Request> = requests(seed + 100)[..2000].iter().map(later).collect();
        let mut copy = original.clone();
        let [own, copied] = [&mut original, &mut copy].map(|sim| {
            sim.feed(&more).unwrap();
            serde_json::to_value(sim.finish().unwrap()).unwrap()
        });
        assert!(own == copied, "seed {seed}");
        again(&setup, &original);
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
