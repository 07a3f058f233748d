//! What a run says its scheme's cache takes in SLC mode.

use slcache_core::device::Simulation;

const GIB: u64 = 1 << 30;

fn slc_bytes(device: &str, scheme: &str, sets: &[&str]) -> u64 {
    let config = crate::common::resolved(device, scheme, sets);
    Simulation::new(&config.setup()).unwrap().finish().unwrap().cache.slc_bytes
}

#[test]
fn caches_are_as_large_as_their_papers_say() {
    let on = |scheme| slc_bytes("ips-384g", scheme, &[]);
    // 64 blocks of 128 pages in each of 128 planes; windows of four pages in 2,048 blocks; both.
    for scheme in ["baseline", "sa", "sector", "hierarchy", "turbo-write", "hyssd", "ips", "ips-agc"] {
        assert_eq!(on(scheme), 4 * GIB, "{scheme}");
    }
    assert_eq!(on("ips-coop"), 47 * GIB / 4);
    assert_eq!(
        slc_bytes("ips-384g", "baseline", &["scheme.baseline.slc_blocks=188", "device.user_bytes=340GiB"]),
        47 * GIB / 4
    );
    assert_eq!(slc_bytes("ips-coop", "ips-coop", &[]), 64 * GIB);
    assert_eq!(slc_bytes("hyssd-st", "hyssd", &[]), 2 * GIB);
}

#[test]
fn a_cache_that_changes_its_size_counts_with_the_largest() {
    // Of 2,138 blocks of 4 MiB at most 56 %, or what the table gives an empty device; all but five.
    assert_eq!(slc_bytes("rl-32g", "rl", &[]), 1197 << 22);
    assert_eq!(slc_bytes("rl-32g", "dwa", &[]), 1197 << 22);
    assert_eq!(slc_bytes("rl-32g", "dwa", &["scheme.dwa.setting=\"2\""]), 855 << 22);
    assert_eq!(slc_bytes("rl-32g", "ust", &[]), 2133 << 22);
}

#[test]
fn what_is_no_slc_cache_counts_nothing() {
    assert_eq!(slc_bytes("ips-384g", "tlc-only", &[]), 0);
    assert_eq!(slc_bytes("ips-384g", "slc-only", &["device.user_bytes=1GiB"]), 0);
    assert_eq!(slc_bytes("hyssd-mt", "hyssd", &[]), 0);
    assert_eq!(slc_bytes("nvc-hdd", "disk-only", &[]), 0);
    assert_eq!(slc_bytes("nvc-hdd", "nvc-mlc-only", &[]), 0);
    assert_eq!(slc_bytes("nvc-hdd", "nvc-slc-only", &[]), GIB / 2);
    assert_eq!(slc_bytes("nvc-hdd", "nvc", &[]), GIB / 4);
}
