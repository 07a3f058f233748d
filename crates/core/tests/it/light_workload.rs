//! A workload that fills little of the cache causes no migration: the hierarchy paper's Fig. 6 shows
//! none for web_1, under all four schemes.
//!
//! The workload has web_1's figures (Table II): 160,891 requests, 45.8 % of them writes, of 9.21 KB
//! on average. The paper does not say how much of the volume is written; here it is a quarter of
//! the cache.

use crate::it::common::{configure, device, pool, request, setup};
use serde_json::json;
use slcache_core::base::request::{HostOp, Request};
use slcache_core::base::rng::RngStream;
use slcache_core::device::Simulation;
use slcache_core::hw::config::ProgramRule;

const REQUESTS: u32 = 160_891;
const WRITES: u32 = 73_688;
const FOOTPRINT: u64 = 512 << 20;

/// Sizes in mapping units and how many of 100 writes have them: 9.2 KB on average.
const SIZES: [(u32, u32); 5] = [(1, 54), (2, 16), (3, 3), (4, 20), (8, 7)];

/// Requests in bursts of `burst`, 50 us apart within one, 3 ms apart on average.
fn web_1(burst: u32) -> Vec<Request> {
    let mut rng = RngStream::new(1, "light workload");
    let mut writes_left = WRITES;
    let mus = (FOOTPRINT / 4096) as u32;
    (0..REQUESTS)
        .map(|i| {
            let is_write = rng.below(REQUESTS - i) < writes_left;
            writes_left -= u32::from(is_write);
            let (op, size) =
                if is_write { (HostOp::Write, size(rng.below(100))) } else { (HostOp::Read, 11) };
            let at = u64::from(rng.below(mus - size)) * 4096;
            let at_ns = u64::from(i / burst) * u64::from(burst) * 3_000_000 + u64::from(i % burst) * 50_000;
            request(at_ns, op, at, u64::from(size) * 4096)
        })
        .collect()
}

/// The size of a write by a number below 100.
fn size(mut draw: u32) -> u32 {
    for (mus, share) in SIZES {
        if draw < share {
            return mus;
        }
        draw -= share;
    }
    unreachable!("the shares add up to 100")
}

/// Pages migrated by `scheme` on the paper's device.
fn migrated(scheme: &str, values: &[(&str, &str)], requests: &[Request]) -> f64 {
    let mut flash = pool(4, 4, 512, 128, 16384);
    flash.tlc.as_mut().unwrap().program = ProgramRule::OneShot;
    let mut setup = setup(device(flash, 38 << 30), scheme);
    for (key, value) in values {
        assert_eq!(configure(&mut setup, &[(key, json!(value))]), 1);
    }
    let mut sim = Simulation::new(&setup).unwrap();
    sim.preload(&[(0, (FOOTPRINT / 16384) as u32)]).unwrap();
    sim.feed(requests).unwrap();
    sim.finish().unwrap().scheme.figures["slc_pages_migrated"]
}

#[test]
fn the_workload_has_the_figures_of_web_1() {
    let requests = web_1(1);
    let writes: Vec<_> = requests.iter().filter(|r| r.op == HostOp::Write).collect();
    assert_eq!((requests.len(), writes.len()), (REQUESTS as usize, WRITES as usize));
    let mean_kib = writes.iter().map(|r| r.bytes()).sum::<u64>() as f64 / f64::from(WRITES) / 1024.0;
    assert!((mean_kib - 9.21).abs() < 0.1, "{mean_kib}");
}

#[test]
fn by_valid_share_no_scheme_migrates() {
    for scheme in ["baseline", "sa", "sector", "hierarchy"] {
        assert_eq!(migrated(scheme, &[("trigger", "valid-share")], &web_1(32)), 0.0, "{scheme}");
    }
}

#[test]
fn by_free_blocks_schemes_migrate() {
    for scheme in ["baseline", "sa", "sector", "hierarchy"] {
        let pages = migrated(scheme, &[("trigger", "free-blocks")], &web_1(1));
        assert!(pages > 0.0, "{scheme}: {pages}");
    }
}

/// Where requests come one by one, partial writes find no company: a page of L1 for each of them
/// uses up L1's half of the cache, which is reclaimed unless the quota is soft.
#[test]
fn a_hard_quota_makes_l1_migrate_where_partial_writes_find_no_company() {
    let requests = web_1(1);
    let hard = [("trigger", "valid-share"), ("quota", "hard")];
    let soft = [("trigger", "valid-share"), ("quota", "soft")];
    assert!(migrated("hierarchy", &hard, &requests) > 0.0);
    assert_eq!(migrated("hierarchy", &soft, &requests), 0.0);
}
