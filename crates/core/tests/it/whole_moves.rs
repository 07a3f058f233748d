//! Does the short cut for page moves change anything? A move that runs as one event must give what
//! its two halves give, also when a host operation comes between them.

use crate::common::{device, pool, random, setup};
use slcache_core::device::Simulation;
use slcache_core::hw::config::PlaneParallelism;

fn report(parallelism: PlaneParallelism, gap_ns: f64, seed: u64, split: bool) -> String {
    let user = 11 << 20;
    // One die per channel, so that moves may run whole; planes share the die.
    let mut p = pool(2, 2, 20, 16, 4096);
    p.plane_parallelism = parallelism;
    let mut sim = Simulation::new(&setup(device(p, user), "tlc-only")).unwrap();
    if split {
        sim.split_all_moves();
    }
    sim.feed(&random(30_000, user, 3, 0.5, gap_ns, seed)).unwrap();
    serde_json::to_string(&sim.finish().unwrap()).unwrap()
}

#[test]
fn whole_moves_give_what_their_halves_give() {
    for parallelism in [PlaneParallelism::Serial, PlaneParallelism::MultiPlane] {
        for (seed, gap_ns) in [(1, 5e6), (2, 2e6), (3, 5e5)] {
            let whole = report(parallelism, gap_ns, seed, false);
            assert!(whole.contains("\"cause\":\"gc\""), "the device must be cleaned");
            assert_eq!(whole, report(parallelism, gap_ns, seed, true), "{parallelism:?} {gap_ns} ns apart");
        }
    }
}
