//! Do the short cuts for page moves change anything? A move that runs as one event must give what
//! its two halves give, also when a host operation comes between them; and moves that are looked up and
//! counted together for a victim what they give one by one, as they go where operations are kept.

use crate::it::cells::{self, cells};
use crate::it::common::*;
use crate::it::upkeep::{busy, mix};

const USER: u64 = 11 << 20;

/// One die per channel, so that moves may run whole; planes share the die.
fn plain(parallelism: PlaneParallelism) -> Setup {
    let mut p = pool(2, 2, 20, 16, 4096);
    p.plane_parallelism = parallelism;
    setup(device(p, USER), "tlc-only")
}

fn report(setup: &Setup, requests: &[Request], prepare: fn(&mut Simulation)) -> String {
    let mut sim = begin(setup);
    prepare(&mut sim);
    sim.feed(requests).unwrap();
    serde_json::to_string(&sim.finish().unwrap()).unwrap()
}

/// Devices that are cleaned or whose blocks move because of their cells, with what they are asked.
fn cases() -> Vec<(Setup, Vec<Request>)> {
    let mut cases = Vec::new();
    for parallelism in [PlaneParallelism::Serial, PlaneParallelism::MultiPlane] {
        // Pages of one unit, and of four, of which some are dead: with these, what a die ends another waits for.
        for (page_bytes, seed, gap_ns) in [(4096, 1, 5e6), (4096, 2, 2e6), (4096, 3, 5e5), (16_384, 4, 2e6)] {
            let mut setup = plain(parallelism);
            setup.device.pool[0].page_bytes = page_bytes;
            setup.device.user_bytes = USER / 4096 * u64::from(page_bytes);
            let requests = random(30_000, setup.device.user_bytes, 3, 0.5, gap_ns, seed);
            cases.push((setup, requests));
        }
        // What a die is asked for, and how long its channel is held, decides where pages go; on a bus that takes
        // no time too.
        for chips in [pool(4, 1, 20, 16, 4096), free_bus(pool(4, 2, 20, 16, 4096))] {
            let user_bytes = USER * u64::from(chips.planes);
            let mut setup = setup(device(chips, user_bytes), "tlc-only");
            setup.device.pool[0].plane_parallelism = parallelism;
            configure(&mut setup, &[("placement", json!("least-loaded"))]);
            cases.push((setup, random(12_000, user_bytes, 3, 0.5, 5e5, 5)));
        }
        // Some blocks take steps to read and some do not: those opened lately.
        for (mode, days, scale) in
            [("expected", 30.0, 8_640.0), ("sampled", 5.0, 8_640.0), ("expected", 0.0, 0.0)]
        {
            let mut setup = plain(parallelism);
            let start = json!({ "tlc": { "cycles": 800, "days": days } });
            setup.device.cells = cells(json!({ "mode": mode, "age_scale": scale, "start": start }));
            setup.precondition.fill = 0.9;
            cases.push((setup, random(12_000, USER, 3, 0.5, 2e6, 2)));
        }
    }
    cases.push((cells::small("tlc-only", busy()), mix(4000, 300_000.0)));
    cases
}

#[test]
fn moves_give_together_and_whole_what_they_give_one_by_one_and_in_halves() {
    for (setup, requests) in cases() {
        let what = format!("{:?} {:?}", setup.device.pool[0].plane_parallelism, setup.device.cells);
        let short = report(&setup, &requests, |_| ());
        let moves = ["gc", "reclaim"].map(|cause| format!("\"cause\":\"{cause}\""));
        assert!(moves.iter().any(|cause| short.contains(cause)), "{what}: nothing moves");
        let apart: [fn(&mut Simulation); 2] = [Simulation::split_all_moves, Simulation::keep_ops];
        for prepare in apart {
            assert_eq!(short, report(&setup, &requests, prepare), "{what}");
        }
    }
}
