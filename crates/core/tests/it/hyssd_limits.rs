//! Which options of the two-tier schemes are refused on which devices, and what is said of them: one
//! mistake, one problem, and that names what is to be changed.

use crate::it::common::{configure, device, pool, setup};
use serde_json::{json, Value};
use slcache_core::device::Setup;
use slcache_core::hw::config::PoolConfig;

const MIB: u64 = 1 << 20;

/// `scheme` on 64 blocks of 8 SLC or 24 TLC pages of 4 KiB, which both tiers share.
fn shared(scheme: &str, values: &[(&str, Value)]) -> Setup {
    let mut setup = setup(device(pool(1, 1, 64, 8, 4096), 2 * MIB), scheme);
    configure(&mut setup, values);
    setup
}

/// `hyssd-static` on a pool of `blocks` SLC blocks beside one of TLC blocks.
fn apart(blocks: u32) -> Setup {
    let fast = PoolConfig { name: "fast".into(), tlc: None, ..pool(1, 1, blocks, 8, 4096) };
    let dense = PoolConfig { slc: None, ..pool(1, 1, 64, 8, 4096) };
    let mut setup = setup(device(dense.clone(), 2 * MIB), "hyssd-static");
    setup.device.pool = vec![dense, fast];
    setup
}

/// What is said of `setup`, as a user gives it and as it is settled.
fn problems(setup: &Setup) -> Vec<String> {
    let mut settled = setup.clone();
    settled.scheme.settle(&setup.device);
    let told = |setup: &Setup| setup.check().iter().map(ToString::to_string).collect::<Vec<_>>();
    let [given, settled] = [setup, &settled].map(told);
    assert_eq!(given, settled);
    given
}

fn refused(setup: &Setup, told: &str) {
    let problems = problems(setup);
    assert!(problems.len() == 1 && problems[0].starts_with(told), "{problems:?}");
}

#[test]
fn an_option_out_of_its_range_is_told_once() {
    for (scheme, key, value, allowed) in [
        ("hyssd", "utilisation_min", json!(-0.5), "between 0 and 0.5"),
        ("hyssd", "utilisation_min", json!(0.6), "between 0 and 0.5"),
        ("hyssd", "initial_utilisation", json!(0.6), "between 0 and 0.5"),
        ("hyssd", "utilisation_step", json!(0), "between 0.0001 and 1"),
        ("hyssd", "min_writes", json!(0), "between 1 and 1000000000"),
        ("hyssd", "utilisation_max", json!(0.6), "enough for two logical pages and at most 0.5: of the fast"),
        ("hyssd", "utilisation_max", json!(0.001), "enough for two logical pages and at most 0.5: of the"),
        ("hyssd", "utilisation_max", json!(-1), "enough for two logical pages and at most 0.5: of the fast"),
        ("hyssd-static", "utilisation", json!(-0.5), "between 0 and 0.5"),
        ("hyssd-static", "utilisation", json!(0.6), "between 0 and 0.5"),
        ("hyssd-static", "period_writes", json!(0), "between 1 and 1000000000"),
        ("hyssd-static", "fast/start_free_blocks", json!(2000), "between 1 and 1024"),
        ("hyssd-static", "dense/start_free_blocks", json!(2000), "between 1 and 1024"),
    ] {
        let given = match &value {
            Value::Number(number) => number.to_string(),
            other => panic!("{other} is no number"),
        };
        let told = format!("scheme.{scheme}.{} = {given}: must be {allowed}", key.replace('/', "."));
        refused(&shared(scheme, &[(key, value)]), &told);
    }
}

#[test]
fn a_fast_tier_without_room_for_data_names_its_blocks() {
    let held = "must be more: 4 blocks of";
    refused(
        &shared("hyssd", &[("fast_blocks", json!(4))]),
        &format!("scheme.hyssd.fast_blocks = 4: {held} the fast tier"),
    );
    assert_eq!(problems(&shared("hyssd", &[("fast_blocks", json!(5))])), [""; 0]);
    refused(&apart(4), &format!("device.pool[1].blocks = 4: {held} a plane of the fast tier"));
    assert_eq!(problems(&apart(5)), [""; 0]);
}

#[test]
fn more_data_than_both_tiers_hold_are_refused_with_what_they_hold() {
    let most = |setup: &Setup| {
        let mut setup = setup.clone();
        let raw: u64 = setup.device.pool.iter().map(|pool| pool.raw_bytes(pool.densest())).sum();
        setup.device.user_bytes = raw - 4096;
        let told = problems(&setup).concat();
        let most =
            told.split_once(": must be at most ").filter(|(key, _)| key.starts_with("device.user_bytes"));
        let most: u64 = most.and_then(|(_, rest)| rest.split_once(": ")).expect(&told).0.parse().unwrap();
        for (bytes, is_refused) in [(most, false), (most + 4096, true)] {
            setup.device.user_bytes = bytes;
            assert_eq!(!problems(&setup).is_empty(), is_refused, "{bytes}");
        }
        (most, told)
    };
    // 60 dense blocks of 24 pages with 4 held back, and a twentieth of the 4 x 8 fast pages there are.
    let (bytes, told) = most(&shared("hyssd", &[("fast_blocks", json!(5))]));
    assert!(told.ends_with("fewer scheme.hyssd.fast_blocks leave it more"), "{told}");
    assert_eq!(bytes, ((59 - 4) * 24 + 2 - 1) * 4096);
    let (_, told) = most(&apart(16));
    assert!(told.ends_with("held back for frontiers and cleaning"), "{told}");
}
