//! The presets make the requests they have always made: results hang on them.

use crate::it::workload_presets::overrides;
use slcache_base::request::{HostOp, Request};
use slcache_traces::workload::{presets, Workload};
use std::collections::BTreeMap;

/// FNV-1a over the fields of requests.
fn digest(requests: impl Iterator<Item = Request>) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for request in requests {
        let op = u64::from(request.op == HostOp::Write);
        let fields =
            [request.at_ns, request.sector, u64::from(request.sectors), u64::from(request.stream), op];
        for byte in fields.into_iter().flat_map(u64::to_le_bytes) {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
    hash
}

/// Digest of the first 20 000 requests of each preset with seed 1.
const DIGESTS: [(&str, u64); 39] = [
    ("uniform-4k", 0x0371_7ee7_e376_1614),
    ("zipf-4k", 0x8ea7_3b61_44af_b553),
    ("hotcold", 0x1dda_2d9e_682e_51fd),
    ("sequential", 0x8470_0dcb_5a12_7625),
    ("mixed-oltp", 0x4410_7467_8f98_59dd),
    ("bursty-desktop", 0x169a_f495_7d51_f4ba),
    ("daily-server", 0xad5b_d913_732c_cb21),
    ("hierarchy-web_0", 0xc313_c7e3_0d15_2ba2),
    ("hierarchy-hm_0", 0xd005_d0ac_ff14_92d9),
    ("hierarchy-lun1", 0xa8c5_f61d_3253_bb69),
    ("hierarchy-usr_0", 0x5585_b052_d59d_46e3),
    ("hierarchy-lun2", 0xea8c_f0fa_c0a1_58f1),
    ("hierarchy-lun3", 0xec26_fbf8_e817_ab12),
    ("hierarchy-lun4", 0x04ee_8ada_8ca4_f4ed),
    ("hierarchy-web_1", 0x7709_e283_f02e_bef6),
    ("ips-bursty", 0x1d25_f472_ef7b_81c5),
    ("ips-hm_0", 0x7922_1cde_ff52_5fbe),
    ("ips-hm_1", 0x2c28_16da_5573_8b5c),
    ("ips-mds_0", 0x3100_0342_d6bb_5db6),
    ("ips-proj_4", 0xb19d_1d32_1942_1b56),
    ("ips-rsrch_0", 0x0a3f_7056_b5c2_fbcf),
    ("ips-src2_0", 0x31d7_4f68_6f72_1ed2),
    ("ips-stg_0", 0x7fdd_6db9_3b86_e11f),
    ("ips-ts_0", 0xc2e2_8154_9723_7418),
    ("ips-usr_0", 0x6dca_1918_5dc8_08ac),
    ("ips-wdev_0", 0x8ff5_3cf2_ff8f_745d),
    ("ips-web_0", 0xc53b_8b1e_b81e_4411),
    ("rl-pc", 0x4e11_a876_5a0e_6484),
    ("rl-phone", 0x11f0_8435_605f_d16a),
    ("rl-tpcc", 0x72db_9b08_56a8_4692),
    ("rl-oltp", 0xfe17_847d_99b3_d2ed),
    ("rl-linkbench", 0xe2a0_0cf5_71b0_bf26),
    ("rl-ycsb-a", 0x8c3c_17fc_0e1f_a39d),
    ("hyssd-financial", 0x6f55_a709_feff_6049),
    ("hyssd-exchange", 0x8151_bcac_de4d_4ce7),
    ("nvc-bonnie", 0xf92c_da83_576c_d5ba),
    ("nvc-desktop", 0x7aed_8586_deb1_0f40),
    ("nvc-financial1", 0x91b7_48f8_a081_62a2),
    ("nvc-financial2", 0x1202_b56e_3bd1_2fc2),
];

#[test]
fn presets_make_the_same_requests_as_ever() {
    let known = BTreeMap::from(DIGESTS);
    let mut moved = String::new();
    for preset in presets() {
        let workload = Workload::load(preset.name, &BTreeMap::new()).unwrap_or_else(|e| panic!("{e}"));
        let made = digest(workload.generate(1).take(20_000));
        if known.get(preset.name) != Some(&made) {
            moved += &format!("    (\"{}\", 0x{made:016x}),\n", preset.name);
        }
    }
    assert!(moved.is_empty(), "requests moved:\n{moved}");
}

#[test]
fn a_twin_without_what_was_measured_makes_the_requests_it_once_made() {
    for (preset, idle, once) in [
        ("hierarchy-lun1", ("0.9", "50ms"), 0x16e0_c735_6c19_95a0),
        ("hierarchy-web_1", ("0.99", "100ms"), 0xf526_b564_f40c_98a0),
        ("ips-hm_0", ("0.99", "100ms"), 0xe6eb_4399_a690_54e8),
    ] {
        let set = overrides(&[
            ("twin.class", "none"),
            ("twin.burst_requests", "64"),
            ("twin.idle_share", idle.0),
            ("twin.idle_over_ns", idle.1),
            ("twin.repeated_extent_share", "none"),
            ("twin.writers_per_16kib_page", "none"),
            ("twin.sequential_share", "0.1"),
        ]);
        let workload = Workload::load(preset, &set).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(digest(workload.generate(1).take(20_000)), once, "{preset}");
    }
}
