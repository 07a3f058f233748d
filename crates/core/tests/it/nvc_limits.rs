//! What the flash cache of a disk refuses, by key and value.

use crate::it::common::{configure, device, disk, mode, pool, setup};
use serde_json::{json, Value};
use slcache_core::schemes::CATALOG;

/// The problems of a scheme on planes of 20 blocks in SLC, MLC and TLC mode, in front of a disk.
fn problems(scheme: &str, values: &[(&str, Value)]) -> Vec<String> {
    let mut chips = pool(1, 2, 20, 4, 16384);
    chips.mlc = Some(mode(40_000, 400_000, 3_000_000));
    let mut setup = setup(device(chips, 1 << 20), scheme);
    assert_eq!(configure(&mut setup, values), values.len());
    setup.check().iter().map(ToString::to_string).collect()
}

#[test]
fn a_region_without_room_is_refused() {
    let blocks = |blocks: u32| problems("nvc", &[("slc_blocks", json!(blocks))]);
    assert_eq!(blocks(1), ["scheme.nvc.slc_blocks = 1: must be between 2 and 18"]);
    assert_eq!(blocks(19), ["scheme.nvc.slc_blocks = 19: must be between 2 and 18"]);
    assert_eq!([2, 18].map(|n| blocks(n).len()), [0, 0]);
    let share = [("slc.reserve_share", json!(0.51)), ("dense.cold_share", json!(-0.1))];
    let told = [
        "scheme.nvc.dense.cold_share = -0.1: must be between 0 and 1",
        "scheme.nvc.slc.reserve_share = 0.51: must be between 0 and 0.5",
    ];
    assert_eq!(problems("nvc", &share), told);
    let blocks = |blocks: u32| problems("nvc-slc-only", &[("blocks", json!(blocks))]);
    assert_eq!(blocks(1), ["scheme.nvc-slc-only.blocks = 1: must be between 2 and 20"]);
    assert_eq!(blocks(21), ["scheme.nvc-slc-only.blocks = 21: must be between 2 and 20"]);
}

#[test]
fn limits_out_of_order_or_range_are_refused() {
    let told = |values: &[(&str, Value)], text: &str| assert_eq!(problems("nvc", values), [text]);
    told(&[("policy", json!(4))], "scheme.nvc.policy = 4: must be between 0 and 3");
    told(
        &[("slc.stay_invalid", json!(0.3))],
        "scheme.nvc.slc.stay_marked_invalid = 0.4: must be between 0 and 0.3",
    );
    told(
        &[("dense.stay_invalid_standby", json!(1.1))],
        "scheme.nvc.dense.stay_invalid_standby = 1.1: must be between 0 and 1",
    );
    told(
        &[("large_request_bytes", json!(100))],
        "scheme.nvc.large_request_bytes = 100: must be between 512 and 1073741824",
    );
}

#[test]
fn a_mode_that_is_not_dense_is_refused() {
    for scheme in ["nvc", "nvc-mlc-only"] {
        assert_eq!(problems(scheme, &[]), [""; 0]);
        assert_eq!(problems(scheme, &[("dense_mode", json!("mlc"))]), [""; 0]);
        for mode in ["slc", "qlc"] {
            let told = problems(scheme, &[("dense_mode", json!(mode))]);
            assert!(
                told.len() == 1 && told[0].starts_with(&format!("scheme.{scheme}.dense_mode = {mode}: "))
            );
        }
    }
}

#[test]
fn a_scheme_is_refused_where_its_data_have_no_home() {
    for entry in CATALOG {
        let mut setup = setup(device(pool(1, 2, 20, 4, 16384), 1 << 20), entry.name);
        (setup.device.disk, setup.device.user_bytes) = match setup.device.disk {
            Some(_) => (None, 1 << 20),
            None => (Some(disk()), 1 << 30),
        };
        let told: Vec<String> = setup.check().iter().map(ToString::to_string).collect();
        let home = if entry.on_disk { "device.disk = absent" } else { "device.disk = present" };
        assert!(told.iter().any(|problem| problem.starts_with(home)), "{}: {told:?}", entry.name);
    }
}
