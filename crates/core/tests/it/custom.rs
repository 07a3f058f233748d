//! Schemes whose policy is elsewhere: like the native ones where they decide alike, and ended in words.

use crate::it::common::restart::restore;
use crate::it::common::{configure, device, hosted, random, setup, versatile_pool};
use serde_json::{json, Value};
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
    assert_eq!(configure(&mut setup, values), values.len(), "{values:?}");
    setup
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
    for seed in 0..40 {
        let setup = small("custom", &[("source", format!("random:{seed}").into())]);
        let (before, after) = (requests(seed), requests(seed + 100));
        let mut original = Simulation::new(&setup).unwrap();
        original.feed(&before).unwrap();
        let shifted: Vec<Request> = after
            .iter()
            .map(|request| Request { at_ns: request.at_ns + original.now_ns(), ..*request })
            .collect();
        let mut copy = original.clone();
        for sim in [&mut original, &mut copy] {
            sim.feed(&shifted).unwrap();
        }
        let reports =
            [original.finish().unwrap(), copy.finish().unwrap()].map(|r| serde_json::to_value(r).unwrap());
        assert!(reports[0] == reports[1], "seed {seed}");
        let state = serde_json::to_string(&original.save()).unwrap();
        let restored = restore(&setup, &state).unwrap();
        assert!(serde_json::to_string(&restored.save()).unwrap() == state, "seed {seed}");
    }
}

#[test]
fn what_a_policy_cannot_do_ends_the_run_in_its_words() {
    for method in ["new", "place", "reclaim", "destination", "window", "figures"] {
        let setup = small("custom", &[("source", format!("broken:{method}").into())]);
        let mut sim = Simulation::new(&setup).unwrap_or_else(|problems| panic!("{problems:?}"));
        let ended = sim.feed(&requests(1)).and_then(|()| sim.finish().map(|_| ()));
        match ended {
            Err(RunError::Policy { index, message }) => {
                assert_eq!(message, format!("{method}: broken"));
                assert!(index <= 6000, "{method}: request {index}");
            }
            other => panic!("{method}: {other:?}"),
        }
    }
}

#[test]
fn a_policy_that_cannot_be_saved_or_copied_says_so() {
    let run = |method: &str| {
        let setup = small("custom", &[("source", format!("broken:{method}").into())]);
        let mut sim = Simulation::new(&setup).unwrap();
        sim.feed(&requests(1)[..100]).unwrap();
        (setup, sim)
    };
    let (_, mut unsaved) = run("save");
    unsaved.finish().unwrap();
    serde_json::to_string(&unsaved.save()).unwrap();
    assert_eq!(unsaved.save_failure().as_deref(), Some("save: broken"));
    let (_, original) = run("copy");
    let ended = original.clone().feed(&requests(2)[..100]);
    assert!(
        matches!(&ended, Err(RunError::Policy { message, .. }) if message == "copy: broken"),
        "{ended:?}"
    );
}

#[test]
fn regions_that_cannot_be_are_refused_by_key() {
    let slc = |name: &str, blocks: u32| json!({ "name": name, "mode": "slc", "blocks": blocks });
    let cases = [
        (json!([slc("a", 2), slc("a", 2), { "name": "b" }]), "scheme.custom.regions[1].name"),
        (json!([slc("", 2), { "name": "b" }]), "scheme.custom.regions[0].name"),
        (json!([slc("a", 2)]), "scheme.custom.regions"),
        (json!([slc("a", 2), { "name": "b" }, { "name": "c", "mode": "mlc" }]), "scheme.custom.regions"),
        (json!([slc("a", 0), { "name": "b" }]), "scheme.custom.slc_blocks"),
        (
            json!([slc("a", 4_000_000_000), slc("c", 4_000_000_000), { "name": "b" }]),
            "scheme.custom.slc_blocks",
        ),
        (json!([slc("a", 14), { "name": "b" }]), "device.user_bytes"),
    ];
    for (regions, key) in cases {
        let keys: Vec<_> = small("custom", &[("regions", regions.clone())]).check();
        assert!(keys.iter().any(|problem| problem.key == key), "{regions}: {keys:?}");
    }
    let both =
        small("custom", &[("source", "random:1".into()), ("regions", json!([{ "name": "b" }]))]).check();
    assert!(both.iter().any(|problem| problem.key == "scheme.custom.regions"), "{both:?}");
}
