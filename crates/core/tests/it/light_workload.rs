//! A workload that fills little of the cache causes no migration: the hierarchy paper's Fig. 6 shows
//! none for web_1, under all four schemes.
//!
//! The workload has web_1's figures (Table II), of which a plane of the device has a sixteenth: 10,056 requests, 45.8 % of them
//! writes, of 9.2 KB on average. The paper does not say how much of the volume is written; here it is a quarter
//! of the cache.

use crate::it::common::*;

const REQUESTS: u64 = 10_056;
const FOOTPRINT: u64 = 32 << 20;
const SCHEMES: [&str; 4] = ["baseline", "sa", "sector", "hierarchy"];

/// Requests in bursts of `burst`, 50 us apart within one, 3 ms apart on average.
fn web_1(burst: u64) -> Vec<Request> {
    let mut rng = RngStream::new(1, "light workload");
    let one = |i: u64| {
        // Sizes in mapping units by how many of 100 writes have them.
        let write = match rng.below(100) {
            0..=53 => 1,
            54..=69 => 2,
            70..=72 => 3,
            73..=92 => 4,
            _ => 8,
        };
        let (op, units) = if rng.below(1000) < 458 { (HostOp::Write, write) } else { (HostOp::Read, 11) };
        let at = u64::from(rng.below((FOOTPRINT / 4096) as u32 - units)) * 4096;
        request(i / burst * burst * 3_000_000 + i % burst * 50_000, op, at, u64::from(units) * 4096)
    };
    (0..REQUESTS).map(one).collect()
}

/// Pages migrated by `scheme` on the paper's device.
fn migrated(scheme: &str, values: &[(&str, &str)], requests: &[Request]) -> f64 {
    let mut flash = pool(1, 1, 512, 128, 16384);
    flash.tlc.as_mut().unwrap().program = ProgramRule::OneShot;
    let values: Vec<_> = values.iter().map(|&(key, value)| (key, json!(value))).collect();
    let setup = with(setup(device(flash, (38 << 30) / 16), scheme), &values);
    let mut sim = Simulation::new(&setup).unwrap();
    sim.preload(&[(0, (FOOTPRINT / 16384) as u32)]).unwrap();
    sim.feed(requests).unwrap();
    sim.finish().unwrap().scheme.figures["slc_pages_migrated"]
}

#[test]
fn by_valid_share_no_scheme_migrates_and_by_free_blocks_all_do() {
    let (bursts, singles) = (web_1(32), web_1(1));
    for scheme in SCHEMES {
        assert_eq!(migrated(scheme, &[("trigger", "valid-share")], &bursts), 0.0, "{scheme}");
        assert!(migrated(scheme, &[("trigger", "free-blocks")], &singles) > 0.0, "{scheme}");
    }
}

/// Where requests come one by one, partial writes find no company: a page of L1 for each of them
/// uses up L1's half of the cache, which is reclaimed unless the quota is soft.
#[test]
fn a_hard_quota_makes_l1_migrate_where_partial_writes_find_no_company() {
    let migrated = |quota| migrated("hierarchy", &[("trigger", "valid-share"), ("quota", quota)], &web_1(1));
    assert!(migrated("hard") > 0.0);
    assert_eq!(migrated("soft"), 0.0);
}
