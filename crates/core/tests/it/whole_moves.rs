//! Do the short cuts for page moves change anything? A move that runs as one event must give what
//! its two halves give, also when a host operation comes between them; and moves that are looked up and
//! counted together for a victim what they give one by one, as they go where operations are kept.

use crate::it::common::{device, pool, random, setup};
use slcache_core::device::Simulation;
use slcache_core::hw::config::PlaneParallelism;

fn report(parallelism: PlaneParallelism, gap_ns: f64, seed: u64, prepare: fn(&mut Simulation)) -> String {
    let user = 11 << 20;
    // One die per channel, so that moves may run whole; planes share the die.
    let mut p = pool(2, 2, 20, 16, 4096);
    p.plane_parallelism = parallelism;
    let mut sim = Simulation::new(&setup(device(p, user), "tlc-only")).unwrap();
    prepare(&mut sim);
    sim.feed(&random(30_000, user, 3, 0.5, gap_ns, seed)).unwrap();
    serde_json::to_string(&sim.finish().unwrap()).unwrap()
}

fn check(plain_way: fn(&mut Simulation)) {
    for parallelism in [PlaneParallelism::Serial, PlaneParallelism::MultiPlane] {
        for (seed, gap_ns) in [(1, 5e6), (2, 2e6), (3, 5e5)] {
            let short = report(parallelism, gap_ns, seed, |_| ());
            assert!(short.contains("\"cause\":\"gc\""), "the device must be cleaned");
            let plain = report(parallelism, gap_ns, seed, plain_way);
            assert_eq!(short, plain, "{parallelism:?} {gap_ns} ns apart");
        }
    }
}

#[test]
fn whole_moves_give_what_their_halves_give() {
    check(Simulation::split_all_moves);
}

#[test]
fn moves_of_a_victim_give_together_what_they_give_one_by_one() {
    check(Simulation::keep_ops);
}
