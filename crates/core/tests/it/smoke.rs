//! Does it run at all?

use crate::it::common::{configure, device, foresee, random, setup, versatile_pool};
use slcache_core::device::Simulation;
use slcache_core::schemes::CATALOG;

#[test]
fn every_scheme_runs_cleans_and_keeps_its_data() {
    for entry in CATALOG {
        let mut config = device(versatile_pool(2, 2, 24, 16, 16384), 24 << 20);
        config.pool[0].slc.as_mut().unwrap().endurance_cycles = None;
        let mut s = setup(config, entry.name);
        configure(&mut s, &[("slc_blocks", 6.into())]);
        let mut sim = Simulation::new(&s).unwrap_or_else(|p| panic!("{p:?}"));
        sim.track_versions();
        let requests = random(20_000, 24 << 20, 8, 0.4, 300_000.0, 0);
        foresee(&mut sim, &requests);
        for batch in requests.chunks(1000) {
            sim.feed(batch).unwrap();
            sim.audit().unwrap();
        }
        let report = sim.finish().unwrap();
        sim.audit().unwrap();
        assert_eq!(report.host.requests, 20_000);
        let writes_flash = entry.name != "disk-only";
        assert_eq!(report.waf.total > 1.0, writes_flash, "{}: {}", entry.name, report.waf.total);
    }
}
