//! What `client` refuses, with key, value and range.

use crate::it::common::{configure, device, pool, setup};
use serde_json::{json, Value};
use slcache_core::device::Setup;

/// Two planes of 32 blocks, 8 wordlines of 4 KiB each: 2 MiB in SLC mode.
fn client(values: &[(&str, Value)]) -> Setup {
    let mut setup = setup(device(pool(1, 2, 32, 8, 4096), 1 << 20), "client");
    assert_eq!(configure(&mut setup, values), values.len());
    setup
}

fn told(values: &[(&str, Value)]) -> Vec<String> {
    client(values).check().iter().map(ToString::to_string).collect()
}

#[test]
fn a_rising_or_crooked_table_is_refused() {
    let table = |pairs: Value| told(&[("dynamic.rule", json!("table")), ("dynamic.table", pairs)]);
    let key = "scheme.client.dynamic.table";
    assert!(table(json!([[0.0, 1 << 20], [0.5, 1 << 19], [1.0, 0]])).is_empty());
    let rising = table(json!([[0.0, 1000], [0.5, 2000]]));
    let rule = "bytes that never rise: a fuller device has no larger cache";
    assert_eq!(rising, [format!("{key} = (0.0, 1000) before (0.5, 2000): must be {rule}")]);
    assert!(table(json!([[0.5, 1000], [0.5, 900]]))[0].contains("none twice"));
    assert_eq!(table(json!([[0.0, 3 << 20]])), [format!("{key} = 3145728: must be between 0 and 2097152")]);
    assert_eq!(table(json!([[1.5, 0]])), [format!("{key} = 1.5: must be between 0 and 1")]);
    assert_eq!(table(json!([])), [format!("{key} = empty: must be at least one pair")]);
    assert!(told(&[("dynamic.rule", json!("table"))])[0].starts_with(&format!("{key} = absent")));
}

#[test]
fn a_number_out_of_its_range_is_refused() {
    let cases = [
        ("dynamic.max_bytes", json!((2 << 20) + 1), "2097153: must be between 0 and 2097152"),
        ("dynamic.share", json!(0.0), "0: must be between 0.01 and 1"),
        ("fold.keep_blocks", json!(1), "1: must be between 2 and 30"),
        ("fold.keep_blocks", json!(31), "31: must be between 2 and 30"),
        ("fold.stop_blocks", json!(2), "2: must be between 3 and 32"),
        ("fold.ratio", json!(9.0), "9: must be between 0 and 8"),
        ("fold.overhead_ns", json!(1_000_000_001), "1000000001: must be between 0 and 1000000000"),
        ("static_blocks", json!(30), "30: must be between 0 and 29"),
        ("reopen", json!(1.5), "1.5: must be between 0 and 1"),
        ("flush.reopen", json!(-0.1), "-0.1: must be between 0 and 1"),
        ("flush.high", json!(-0.5), "-0.5: must be between 0 and 1"),
        ("flush.low", json!(0.8), "0.8: must be at most flush.high, which is 0.75"),
        ("flush.busy_ratio", json!(5.0), "5: must be between 0 and 4"),
    ];
    for (key, value, want) in cases {
        assert_eq!(told(&[(key, value)]), [format!("scheme.client.{key} = {want}")]);
    }
}

#[test]
fn what_the_chips_or_another_key_rule_out_is_refused() {
    let chip = told(&[("fold.path", json!("chip"))]);
    let allowed = "auto or controller: pool \"nand\" has no section tlc.fold";
    assert_eq!(chip, [format!("scheme.client.fold.path = chip: must be {allowed}")]);
    let both = told(&[("full", json!("through")), ("fold.host", json!("dense"))]);
    assert!(both[0].starts_with("scheme.client.fold.host = dense: must be slc"), "{both:?}");
    // Static blocks leave the user's data no room.
    assert!(told(&[("static_blocks", json!(29))])[0].starts_with("device.user_bytes"));
}

#[test]
fn a_fold_of_chips_without_slc_or_beyond_a_second_is_refused() {
    let with_fold = |fold: Value| {
        let mut setup = client(&[]);
        setup.device.pool[0].tlc.as_mut().unwrap().fold = serde_json::from_value(fold).unwrap();
        setup
    };
    assert!(with_fold(json!({})).check().is_empty());
    let long = with_fold(json!({ "program_ns": 999_999_999 })).check();
    assert!(long[0].to_string().starts_with("device.pool[0].tlc.fold = 1000059999 ns"), "{long:?}");
    let zero = with_fold(json!({ "read_ns": 0 })).check();
    assert!(zero[0].to_string().starts_with("device.pool[0].tlc.fold.read_ns = 0"), "{zero:?}");
    let mut slc = client(&[]);
    slc.device.pool[0].slc.as_mut().unwrap().fold = Some(Default::default());
    assert!(slc.check()[0].to_string().starts_with("device.pool[0].slc.fold = present"));
}
