//! What lies on a device before time 0 costs nothing later, on shipped devices.

use crate::common::{few, layers};
use slcache_core::base::request::{HostOp, Request};
use slcache_core::device::config::Prefill;
use slcache_core::device::Simulation;
use slcache_core::hw::config::ProgramRule;
use slcache_core::metrics::report::Report;
use slcache_core::schemes::CATALOG;
use slcache_sim::config::{scaled, DeviceSource};
use slcache_sim::preset::PRESETS;
use slcache_sim::{resolve, Layers, RunConfig};

/// A number of logical pages that fills no wordlines.
const PAGES: u32 = 7;

/// Shipped devices under schemes that fit, with their chips as they are or of another rule.
fn devices(mut each: impl FnMut(&str, RunConfig)) {
    let pairs = PRESETS.iter().flat_map(|preset| CATALOG.iter().map(move |entry| (preset, entry)));
    for (preset, entry) in pairs.step_by(few(3)) {
        let whole = layers(preset.name, entry.name, &[]);
        // Of the large ones a part: what is asked does not depend on the number of blocks.
        let part = scaled(&whole.device, 16)
            .map(|part| Layers { device: DeviceSource::Content(part), ..whole.clone() });
        let part = part.ok().and_then(|part| resolve(&part).ok());
        let Some(config) = part.or_else(|| resolve(&whole).ok()) else { continue };
        for rule in [ProgramRule::PerPage, ProgramRule::OneShot] {
            let mut config = config.clone();
            let pools = config.device.pool.iter_mut();
            for mode in pools.flat_map(|pool| [&mut pool.mlc, &mut pool.tlc, &mut pool.qlc]).flatten() {
                mode.program = rule;
                mode.program_ns.truncate(1);
            }
            each(&format!("{} on {}, {rule:?}", entry.name, preset.name), config);
        }
    }
}

/// Flash operations that change what is stored.
fn changes(report: &Report) -> u64 {
    report.flash.ops.iter().filter(|row| row.kind != "read").map(|row| row.count).sum()
}

/// Pages programmed to fill wordlines.
fn padding(report: &Report) -> u64 {
    report.flash.ops.iter().filter(|row| row.cause == "pad").map(|row| row.pages).sum()
}

#[test]
fn data_from_before_cost_nothing_without_requests() {
    let mut runs = 0;
    devices(|name, config| {
        let Ok(mut sim) = Simulation::new(&config.setup()) else { return };
        if sim.preload(&[(0, PAGES)]).is_err() {
            return;
        }
        sim.preload_units(&[(4 * PAGES * 8, 4 * PAGES * 8 + 3)]).unwrap();
        assert_eq!(changes(&sim.finish().unwrap()), 0, "{name}");
        runs += 1;
    });
    assert!(runs * few(3) > 120, "{runs}");
}

#[test]
fn a_filled_device_costs_nothing_without_requests() {
    let mut runs = 0;
    devices(|name, mut config| {
        let pages = config.device.user_bytes / u64::from(config.device.piece_bytes());
        config.precondition.fill = f64::from(PAGES) / pages as f64;
        let Ok(mut sim) = Simulation::new(&config.setup()) else { return };
        if sim.precondition(&mut |_, _| true).is_err() {
            return;
        }
        // What lies in a cache may be moved at the end of a run; it is not padding.
        assert_eq!(padding(&sim.finish().unwrap()), 0, "{name}");
        runs += 1;
    });
    assert!(runs * few(3) > 100, "{runs}");
}

/// Requests are run with and without data from before elsewhere.
#[test]
fn the_first_writes_pay_for_themselves_alone() {
    let mut runs = 0;
    devices(|name, config| {
        // Its fast tier destages what lay there before.
        if config.scheme.name() == "hyssd" {
            return;
        }
        let padded = |preloaded: &[(u32, u32)]| -> Option<u64> {
            let mut sim = Simulation::new(&config.setup()).ok()?;
            sim.preload(preloaded).ok()?;
            let sectors = config.device.piece_bytes() / 512;
            let write = |i: u64| Request {
                hint: 0,
                at_ns: i * 1_000_000_000,
                sector: (100 + i) * u64::from(sectors),
                sectors,
                stream: 0,
                op: HostOp::Write,
            };
            sim.feed(&[write(0), write(1)]).unwrap();
            Some(padding(&sim.finish().unwrap()))
        };
        let (Some(none), Some(some)) = (padded(&[]), padded(&[(0, PAGES)])) else { return };
        assert_eq!(some, none, "{name}");
        runs += 1;
    });
    assert!(runs * few(3) > 100, "{runs}");
}

#[test]
fn data_mapped_at_their_first_read_are_not_padded() {
    let mut runs = 0;
    devices(|name, mut config| {
        // Reads fill a flash cache from the disk, which programs pages.
        if config.device.disk.is_some() {
            return;
        }
        config.trace.prefill = Prefill::OnRead;
        let Ok(mut sim) = Simulation::new(&config.setup()) else { return };
        let read = |i: u32| Request {
            hint: 0,
            at_ns: u64::from(i),
            sector: u64::from(i * 8),
            sectors: 8,
            stream: 0,
            op: HostOp::Read,
        };
        sim.feed(&(0..PAGES).map(read).collect::<Vec<_>>()).unwrap();
        assert_eq!(padding(&sim.finish().unwrap()), 0, "{name}");
        runs += 1;
    });
    assert!(runs * few(3) > 120, "{runs}");
}
