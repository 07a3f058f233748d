//! The presets make the requests they have always made: results hang on them.

use slcache_core::device::request::{HostOp, Request};
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
    ("hierarchy-web_0", 0x8c96_66d6_644d_849d),
    ("hierarchy-hm_0", 0xbcc4_dc94_d995_e72f),
    ("hierarchy-lun1", 0x16e0_c735_6c19_95a0),
    ("hierarchy-usr_0", 0xf139_0467_2080_bddd),
    ("hierarchy-lun2", 0xb2e2_424e_1a2b_6be3),
    ("hierarchy-lun3", 0xccdf_0287_fff3_ae4a),
    ("hierarchy-lun4", 0x7eab_9fe3_4800_c3f7),
    ("hierarchy-web_1", 0xf526_b564_f40c_98a0),
    ("ips-bursty", 0x1d25_f472_ef7b_81c5),
    ("ips-hm_0", 0xe6eb_4399_a690_54e8),
    ("ips-hm_1", 0xe585_7b68_e70b_16ec),
    ("ips-mds_0", 0x33f9_3efb_f031_d7cf),
    ("ips-proj_4", 0x1cca_1cf9_611a_beae),
    ("ips-rsrch_0", 0x5f3b_d646_fd70_7a3f),
    ("ips-src2_0", 0x2086_c6ff_45e7_f0de),
    ("ips-stg_0", 0x81b6_6450_7036_4873),
    ("ips-ts_0", 0x0663_ab02_ef71_070b),
    ("ips-usr_0", 0x9ced_f0ac_a1c3_42ab),
    ("ips-wdev_0", 0x79f8_d95c_c4f8_7634),
    ("ips-web_0", 0x246b_5e7a_3481_ccf5),
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
