//! No share of time is more than all of it, on every shipped device.

use crate::common::layers;
use slcache_core::base::request::{HostOp, Request};
use slcache_core::base::rng::RngStream;
use slcache_core::device::Simulation;
use slcache_core::hw::config::{PlaneParallelism, PoolConfig};
use slcache_core::schemes::CATALOG;
use slcache_sim::preset::PRESETS;
use slcache_sim::resolve;

/// Writes and some reads of some pages: a burst, a pause of hours, and another.
fn bursts(user_bytes: u64) -> Vec<Request> {
    let mut rng = RngStream::new(9, "bursts");
    let span = (user_bytes / 512).min(1 << 17) as u32;
    (0..2000)
        .map(|i| {
            let sectors = 8 * (1 + rng.below(32));
            let op = if rng.below(4) == 0 { HostOp::Read } else { HostOp::Write };
            let at_ns = if i < 1000 { 0 } else { 10_000_000_000_000 };
            Request { at_ns, sector: u64::from(rng.below(span - sectors)), sectors, stream: 0, hint: 0, op }
        })
        .collect()
}

/// How many operations a pool's arrays do at a time.
fn units(pool: &PoolConfig) -> u64 {
    let planes = if pool.plane_parallelism == PlaneParallelism::Serial { 1 } else { pool.planes };
    u64::from(pool.channels) * u64::from(pool.chips) * u64::from(pool.dies) * u64::from(planes)
}

#[test]
fn operations_take_no_more_than_the_time_there_is() {
    let (mut runs, mut most) = (0, 0.0_f64);
    for preset in PRESETS {
        for entry in CATALOG {
            for sets in [&[][..], &["host.replay=closed", "host.queue_depth=32", "precondition.fill=0.5"]] {
                let Ok(config) = resolve(&layers(preset.name, entry.name, sets)) else { continue };
                if config.precondition.fill > 0.0 && config.device.user_bytes > 1 << 30 {
                    continue;
                }
                let Ok(mut sim) = Simulation::new(&config.setup()) else { continue };
                sim.precondition(&mut |_, _| true).unwrap();
                sim.feed(&bursts(config.device.user_bytes)).unwrap();
                let report = sim.finish().unwrap();
                let until_us = report.flash.ops_until_ns as f64 / 1e3;
                for pool in &config.device.pool {
                    let rows = report.flash.ops.iter().filter(|row| row.pool == pool.name);
                    let share = rows.map(|row| row.time_us).sum::<f64>() / until_us / units(pool) as f64;
                    assert!(share <= 1.0 + 1e-9, "{} on {}: {share}", entry.name, preset.name);
                    most = most.max(share);
                }
                let disk = report.disk.iter().flat_map(|disk| &disk.ops).map(|op| op.time_us).sum::<f64>();
                assert!(disk <= until_us + 1e-3, "{} on {}: {disk} of {until_us}", entry.name, preset.name);
                assert!(report.host.duration_ns <= report.flash.ops_until_ns || report.flash.ops.is_empty());
                runs += 1;
            }
        }
    }
    // Some must be near it, or nothing was tried.
    assert!(runs > 80 && most > 0.5, "{runs} runs, at most {most}");
}
