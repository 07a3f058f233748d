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

/// What `ask` gives of a new device, if it can be made and can do that.
fn asked<T>(config: &RunConfig, ask: impl FnOnce(&mut Simulation) -> Option<T>) -> Option<T> {
    ask(&mut Simulation::new(&config.setup()).ok()?)
}

/// Pages filled by two writes of new pages, on a device that holds `preloaded`.
fn padded(config: &RunConfig, preloaded: &[(u32, u32)]) -> Option<u64> {
    let sectors = config.device.piece_bytes() / 512;
    let write = |i: u64| Request {
        hint: 0,
        at_ns: i * 1_000_000_000,
        sector: (100 + i) * u64::from(sectors),
        sectors,
        stream: 0,
        op: HostOp::Write,
    };
    asked(config, |sim| {
        sim.preload(preloaded).ok()?;
        sim.feed(&[write(0), write(1)]).unwrap();
        Some(padding(&sim.finish().unwrap()))
    })
}

#[test]
fn what_was_there_before_costs_nothing_later() {
    let mut runs = [0; 4];
    devices(|name, config| {
        let without_requests = asked(&config, |sim| {
            sim.preload(&[(0, PAGES)]).ok()?;
            sim.preload_units(&[(4 * PAGES * 8, 4 * PAGES * 8 + 3)]).unwrap();
            Some(changes(&sim.finish().unwrap()))
        });
        // What lies in a cache that was filled may be moved at the end of a run; it is not padding.
        let mut filled = config.clone();
        let pages = config.device.user_bytes / u64::from(config.device.piece_bytes());
        filled.precondition.fill = f64::from(PAGES) / pages as f64;
        let filled = asked(&filled, |sim| {
            sim.precondition(&mut |_, _| true).ok()?;
            Some(padding(&sim.finish().unwrap()))
        });
        // The first writes pay for themselves alone; the fast tier of one scheme destages what lay there before.
        let first_writes = (config.scheme.name() != "hyssd").then(|| {
            let (none, some) = (padded(&config, &[])?, padded(&config, &[(0, PAGES)])?);
            Some(none.abs_diff(some))
        });
        // Data that are mapped at their first read; from a disk, reads fill a cache, which programs pages.
        let mut on_read = config.clone();
        on_read.trace.prefill = Prefill::OnRead;
        let read = |i: u32| Request {
            hint: 0,
            at_ns: u64::from(i),
            sector: u64::from(i * 8),
            sectors: 8,
            stream: 0,
            op: HostOp::Read,
        };
        let at_first_read = config.device.disk.is_none().then(|| {
            asked(&on_read, |sim| {
                sim.feed(&(0..PAGES).map(read).collect::<Vec<_>>()).unwrap();
                Some(padding(&sim.finish().unwrap()))
            })
        });
        let all = [without_requests, filled, first_writes.flatten(), at_first_read.flatten()];
        for (count, cost) in runs.iter_mut().zip(all) {
            assert_eq!(cost.unwrap_or(0), 0, "{name}: {all:?}");
            *count += usize::from(cost.is_some());
        }
    });
    assert!(runs.iter().all(|count| count * few(3) > 100), "{runs:?}");
}
