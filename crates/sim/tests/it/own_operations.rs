//! On every shipped device a request that is alone waits behind no other of the host.

use crate::common::layers;
use slcache_core::base::request::{HostOp, Request};
use slcache_core::base::rng::RngStream;
use slcache_core::device::Simulation;
use slcache_core::hw::config::ProgramRule;
use slcache_core::schemes::CATALOG;
use slcache_sim::preset::PRESETS;
use slcache_sim::{resolve, RunConfig};

/// Reads and writes, most of part of a page, many of several and some of very many.
fn mix(user_bytes: u64) -> Vec<Request> {
    let mut rng = RngStream::new(5, "alone");
    let span = (user_bytes / 512).min(1 << 16) as u32;
    (0..300)
        .map(|at_ns| {
            let most = if rng.below(4) == 0 { 1024 } else { 64 };
            let sectors = 1 + rng.below(most);
            let op = if rng.below(2) == 0 { HostOp::Read } else { HostOp::Write };
            let sector = u64::from(rng.below(span - sectors));
            Request { at_ns, sector, sectors, stream: 0, hint: 0, op }
        })
        .collect()
}

/// Whether the scheme lets only the write wait that fills a wordline: those before it are acknowledged.
fn acknowledges_early(config: &RunConfig) -> bool {
    let one_shot = |pool: &slcache_core::hw::config::PoolConfig| {
        let dense = [&pool.mlc, &pool.tlc, &pool.qlc];
        dense.iter().any(|mode| mode.as_ref().is_some_and(|m| m.program == ProgramRule::OneShot))
    };
    ["qlc-only", "dwa", "rl", "client"].contains(&config.scheme.name())
        && config.device.pool.iter().any(one_shot)
}

#[test]
fn a_request_that_is_alone_waits_behind_no_other() {
    let (mut runs, mut found) = (0, Vec::new());
    for preset in PRESETS {
        for entry in CATALOG {
            let sets = ["host.replay=closed", "host.queue_depth=1"];
            let Ok(config) = resolve(&layers(preset.name, entry.name, &sets)) else { continue };
            let mut setup = config.setup();
            setup.buffer = None;
            if acknowledges_early(&config) {
                continue;
            }
            let Ok(mut sim) = Simulation::new(&setup) else { continue };
            sim.feed(&mix(config.device.user_bytes)).unwrap();
            let host = sim.finish().unwrap().host;
            for (kind, side) in [("read", &host.read), ("write", &host.write)] {
                for cause in ["host", "rmw"] {
                    if let Some(&us) = side.attribution_us.wait.get(cause).filter(|&&us| us > 0.0) {
                        let run = format!("{} on {}", entry.name, preset.name);
                        found.push(format!("{run}: {kind}s wait {us} us behind {cause}"));
                    }
                }
            }
            runs += 1;
        }
    }
    assert!(found.is_empty() && runs > 80, "{runs} runs: {found:#?}");
}
