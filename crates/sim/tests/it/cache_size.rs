//! What a run says its scheme's cache takes in SLC mode.

use slcache_core::device::Simulation;

const GIB: u64 = 1 << 30;

#[test]
fn caches_are_as_large_as_their_papers_say() {
    for (device, schemes, sets, slc_bytes) in [
        // 64 blocks of 128 pages in each of 128 planes; windows of four pages in 2,048 blocks; both.
        ("ips-384g", "baseline sa sector hierarchy turbo-write hyssd ips ips-agc", &[][..], 4 * GIB),
        ("ips-384g", "ips-coop", &[], 47 * GIB / 4),
        ("ips-384g", "baseline", &["slc_blocks=188", "device.user_bytes=340GiB"], 47 * GIB / 4),
        ("ips-coop", "ips-coop", &[], 64 * GIB),
        ("hyssd-st", "hyssd", &[], 2 * GIB),
        // One that changes its size counts with the largest: of 2,138 blocks of 4 MiB at most 56 %, or what the
        // table gives an empty device; all but five.
        ("rl-32g", "rl dwa", &[], 1197 << 22),
        ("rl-32g", "dwa", &["scheme.dwa.setting=\"2\""], 855 << 22),
        ("rl-32g", "ust", &[], 2133 << 22),
        ("nvc-hdd", "nvc-slc-only", &[], GIB / 2),
        ("nvc-hdd", "nvc", &[], GIB / 4),
        // What is no SLC cache counts nothing.
        ("ips-384g", "tlc-only", &[], 0),
        ("ips-384g", "slc-only", &["device.user_bytes=1GiB"], 0),
        ("hyssd-mt", "hyssd", &[], 0),
        ("nvc-hdd", "disk-only nvc-mlc-only", &[], 0),
    ] {
        for scheme in schemes.split(' ') {
            let setup = crate::common::resolved(device, scheme, sets).setup();
            let report = Simulation::new(&setup).unwrap().finish().unwrap();
            assert_eq!(report.cache.slc_bytes, slc_bytes, "{scheme} on {device}");
        }
    }
}
