//! Separation by lifetime in the dense store: with every scheme that has the store.

mod gains;
mod replica;

use crate::it::common::*;

const PAGE: u64 = 16384;

/// Schemes with the store.
const SCHEMES: [&str; 7] =
    ["tlc-only", "baseline", "clairvoyant", "sa", "sector", "hierarchy", "turbo-write"];

/// Every rule, with as many classes as may be.
fn rules() -> [Value; 8] {
    [
        json!("sepbit"),
        json!({"streams": {"classes": 6}}),
        json!({"age-chain": {"classes": 4}}),
        json!("oracle"),
        json!("oracle-linear"),
        json!({"hint": {"classes": 3, "isolated": "initially"}}),
        json!({"hint": {"classes": 3, "isolated": "persistently"}}),
        json!({"streams": {"classes": 3}}),
    ]
}

/// Has the region of `key` separate its data by `rule`.
pub fn separate(setup: &mut Setup, key: &str, rule: &Value) {
    let mut config = serde_json::to_value(&setup.scheme).unwrap();
    let (section, key) = key.split_once('.').expect("a section");
    config[setup.scheme.name()][section][key] = rule.clone();
    setup.scheme = serde_json::from_value(config).unwrap();
}

/// Has the store of `setup` separate its data by `rule`.
fn separate_store(setup: &mut Setup, rule: &Value) {
    let key = if setup.scheme.name() == "tlc-only" { "clean.separation" } else { "dense.separation" };
    separate(setup, key, rule);
}

/// Two planes of 128 blocks with 6 pages of 4 units, or 2 SLC pages; 12 blocks of each are a cache.
fn small(scheme: &str, user_pages: u64, rule: &Value) -> Setup {
    let chips = versatile_pool(1, 2, 128, 2, PAGE as u32);
    let mut setup = setup(device(chips, user_pages * PAGE), scheme);
    configure(&mut setup, &[("slc_blocks", json!(12)), ("slc.start_free_blocks", json!(2))]);
    configure(&mut setup, &[("slc.start_free_ratio", json!(0.2))]);
    separate_store(&mut setup, rule);
    setup
}

/// Writes of a page or of a part of one, half of them to a tenth of the device, each with a hint, and reads.
fn mixed(setup: &Setup, count: usize, seed: u64) -> Vec<Request> {
    let mut rng = RngStream::new(seed, "separation");
    let units = (setup.device.user_bytes / 4096) as u32;
    let one = |i: usize| {
        let within = if rng.below(2) == 0 { units / 10 } else { units };
        let count = [1, 2, 4, 4][rng.below(4) as usize];
        let first = rng.below(within - count) / count * count;
        let op = [HostOp::Write, HostOp::Write, HostOp::Write, HostOp::Read][rng.below(4) as usize];
        let request = request(i as u64 * 400_000, op, u64::from(first) * 4096, u64::from(count) * 4096);
        Request { hint: (first / 4 % 5) as u8, ..request }
    };
    (0..count).map(one).collect()
}

/// A device of `setup` that holds all of its data.
fn full(setup: &Setup) -> Simulation {
    let mut sim = watched(setup);
    sim.preload(&[(0, (setup.device.user_bytes / PAGE) as u32)]).unwrap();
    sim
}

/// The most data that the device of `setup` may hold, in pages.
fn most(setup: &Setup) -> u64 {
    let fits = |pages: &u64| {
        let mut tried = setup.clone();
        tried.device.user_bytes = pages * PAGE;
        tried.check().is_empty()
    };
    (1..=2 * 128 * 6).rev().find(fits).expect("a device")
}

#[test]
fn nothing_is_lost_on_nearly_full_devices() {
    for (i, scheme) in SCHEMES.into_iter().enumerate() {
        for (j, rule) in rules().into_iter().enumerate() {
            for staged in [false, true].into_iter().skip((i + j) % few(2)).step_by(few(2)) {
                let mut setup = small(scheme, 1, &rule);
                setup.device.plp = !staged;
                if staged {
                    setup.device.pool[0].tlc.as_mut().unwrap().program = ProgramRule::OneShot;
                }
                setup.device.user_bytes = most(&setup) * PAGE;
                let mut sim = full(&setup);
                let requests = mixed(&setup, 1200, 1);
                foresee(&mut sim, &requests);
                for part in requests.chunks(400) {
                    sim.feed(part).unwrap_or_else(|error| panic!("{scheme} {rule}: {error:?}"));
                    sim.audit().unwrap_or_else(|error| panic!("{scheme} {rule}: {error}"));
                }
                sim.finish().unwrap();
                sim.audit().unwrap();
            }
        }
    }
}

#[test]
fn with_a_class_for_the_host_and_one_for_cleaning_nothing_differs() {
    let one = [json!({"streams": {"classes": 2}}), json!({"hint": {"classes": 1, "isolated": "initially"}})];
    for scheme in SCHEMES {
        let outcome = |rule: &Value| {
            let setup = small(scheme, 1100, rule);
            let mut sim = full(&setup);
            let requests = mixed(&setup, 2500, 2);
            foresee(&mut sim, &requests);
            sim.feed(&requests).unwrap();
            let mut report = serde_json::to_value(sim.finish().unwrap()).unwrap();
            let figures = report["scheme"]["figures"].as_object_mut().unwrap();
            figures.retain(|name, _| !name.starts_with("separation_"));
            (report, sim.ops().to_vec())
        };
        let none = outcome(&json!("none"));
        assert!(none.1.len() > 2500, "{scheme}");
        for rule in &one {
            let found = outcome(rule);
            assert!(found.1 == none.1, "{scheme} {rule}");
            assert_eq!(found.0, none.0, "{scheme} {rule}");
        }
    }
}

#[test]
fn a_separated_store_goes_on_out_of_a_snapshot() {
    for (i, scheme) in SCHEMES.into_iter().enumerate() {
        for rule in rules().into_iter().skip(i % few(4)).step_by(few(4)) {
            let setup = small(scheme, 1100, &rule);
            let requests = mixed(&setup, 1600, 3);
            let (first, second) = requests.split_at(800);
            let last_ns = first[799].at_ns;
            let second: Vec<_> =
                second.iter().map(|request| Request { at_ns: request.at_ns - last_ns, ..*request }).collect();
            let mut sim = Simulation::new(&setup).unwrap();
            sim.preload(&[(0, 1100)]).unwrap();
            restart::goes_on_alike(&setup, &mut sim, first, &second, |_| ());
        }
    }
}

#[test]
fn idle_cleaning_ends() {
    for rule in rules() {
        for one_shot in [false, true] {
            let mut setup = small("tlc-only", 1000, &rule);
            (setup.device.plp, setup.trace.prefill) = (!one_shot, Default::default());
            configure(&mut setup, &[("clean.idle_free_ratio", json!(0.25))]);
            configure(&mut setup, &[("idle.threshold_ns", json!(1_000_000_000u64))]);
            if one_shot {
                setup.device.pool[0].tlc.as_mut().unwrap().program = ProgramRule::OneShot;
            }
            let mut sim = full(&setup);
            let requests = mixed(&setup, 1500, 4);
            foresee(&mut sim, &requests);
            sim.feed(&requests).unwrap();
            let end_ns = sim.now_ns();
            rest(&mut sim, end_ns + 60_000_000_000);
            let programmed = sim.counters().iter().map(|row| row.totals.pages).sum::<u64>();
            rest(&mut sim, end_ns + 120_000_000_000);
            assert_eq!(programmed, sim.counters().iter().map(|row| row.totals.pages).sum::<u64>(), "{rule}");
            sim.audit().unwrap();
        }
    }
}

/// The hints, modulo 3, of what lives in each block of the store.
fn hints_by_block(sim: &Simulation, hint: &[u8]) -> BTreeMap<u32, BTreeSet<u8>> {
    let geometry = &sim.media().array().geometry;
    let mut found = BTreeMap::<u32, BTreeSet<u8>>::new();
    for (page, hint) in hint.iter().enumerate() {
        let slot = sim.media().lookup(Mu(page as u32 * 4)).expect("all is written");
        let block = geometry.block_of(geometry.page_of(slot));
        if sim.media().array().block(block).mode() == slcache_core::base::CellMode::Tlc {
            found.entry(block.0).or_default().insert(hint % 3);
        }
    }
    found
}

#[test]
fn hints_stay_apart_as_long_as_they_are_to() {
    for scheme in ["tlc-only", "baseline", "turbo-write"] {
        for (isolated, stays) in [("persistently", true), ("initially", false)] {
            let mut setup = small(scheme, 900, &json!({"hint": {"classes": 3, "isolated": isolated}}));
            // As many free blocks as cleaning opens at a time: no class has to borrow.
            let free = ["dense.start_free_blocks", "clean.start_free_blocks"].map(|key| (key, json!(4)));
            assert_eq!(configure(&mut setup, &free), 1);
            let mut sim = Simulation::new(&setup).unwrap();
            let mut rng = RngStream::new(5, "hints");
            let hint: Vec<u8> = (0..900).map(|page| (page % 7) as u8).collect();
            let pages = (0..900).chain((0..6000).map(|_| rng.below(900)));
            let write = |(i, page): (usize, u32)| Request {
                hint: hint[page as usize],
                ..request(i as u64 * 2_000_000, HostOp::Write, u64::from(page) * PAGE, PAGE)
            };
            sim.feed(&pages.enumerate().map(write).collect::<Vec<_>>()).unwrap();
            let mixed = hints_by_block(&sim, &hint).values().filter(|hints| hints.len() > 1).count();
            let report = sim.finish().unwrap();
            assert_eq!(report.scheme.figures["separation_lent_blocks"], 0.0, "{scheme}");
            assert_eq!(mixed == 0, stays, "{scheme} {isolated}: {mixed} blocks hold several");
        }
    }
}
