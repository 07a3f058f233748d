//! What looks wrong with a device, in sentences.

use super::caches::SchemeFit;
use super::{flash, over_provisioning};
use crate::notes;
use slcache_core::base::CellMode;
use slcache_core::device::config::{DeviceConfig, HostConfig};
use slcache_core::hw::config::PoolConfig;

/// Less flash beyond the user's data leaves cleaning little room.
const SPARE_LEAST: f64 = 0.05;
/// More flash for the user's data than this suggests a number in other units.
const RAW_TIMES_MOST: f64 = 2.5;
/// A cache of more than this share of a plane's blocks.
const CACHE_SHARE_MOST: f64 = 1.0 / 3.0;

/// Everything that looks wrong.
pub fn all(device: &DeviceConfig, host: &HostConfig, fits: &[SchemeFit]) -> Vec<String> {
    let mut found = notes::of_device(device);
    found.extend(capacity(device));
    device.pool.iter().for_each(|pool| found.extend(speeds(pool)));
    found.extend(link(device, host));
    found.extend(caches(device, fits));
    if fits.iter().all(|fit| fit.cache().is_none()) {
        found.push("no scheme can run on this device; the table of schemes says why".to_owned());
    }
    found
}

/// Raw capacity that does not go with the user's.
fn capacity(device: &DeviceConfig) -> Option<String> {
    let spare = over_provisioning(device)?;
    let times = spare + 1.0;
    if spare < SPARE_LEAST {
        return Some(format!(
            "over-provisioning is {:.1} %: cleaning has little room, and random writes are amplified much",
            100.0 * spare
        ));
    }
    (times > RAW_TIMES_MOST).then(|| {
        format!(
            "the flash holds {times:.1} times the user's data: wordlines are counted per block, once and not \
             once for each page they hold in a dense mode; check blocks, wordlines and user_bytes"
        )
    })
}

/// An SLC mode that is no faster than what it is a cache for.
fn speeds(pool: &PoolConfig) -> Option<String> {
    let dense = pool.densest();
    let (program, dense_program) = (pool.slc.as_ref()?.program_ns[0], pool.mode(dense)?.program_ns[0]);
    (dense != CellMode::Slc && program >= dense_program).then(|| {
        format!(
            "pool {}: slc programs in {program} ns, no faster than {} in {dense_program} ns",
            pool.name,
            dense.name()
        )
    })
}

/// A link that carries less than the chips read or program in their fastest modes.
fn link(device: &DeviceConfig, host: &HostConfig) -> Option<String> {
    let carried = flash::link_mb_per_s(host)?;
    let fastest = |peak: fn(&PoolConfig, CellMode) -> flash::Peak| -> f64 {
        let of_pool = |pool: &PoolConfig| {
            let offered = CellMode::ALL.into_iter().filter(|&mode| pool.mode(mode).is_some());
            offered.map(|mode| peak(pool, mode).mb_per_s).fold(0.0, f64::max)
        };
        device.pool.iter().map(of_pool).sum()
    };
    let speeds = [("read", fastest(flash::peak_read)), ("program", fastest(flash::peak_program))];
    let beyond = speeds.iter().filter(|(_, mb_per_s)| *mb_per_s > carried);
    let told: Vec<_> = beyond.map(|(verb, mb_per_s)| format!("{verb} {mb_per_s:.0} MB/s")).collect();
    (!told.is_empty()).then(|| {
        let told = told.join(" and ");
        format!("the chips {told}, and the host link carries {carried:.0} MB/s: the link sets the speed")
    })
}

/// Caches of a given size that leave little flash for data.
fn caches(device: &DeviceConfig, fits: &[SchemeFit]) -> Vec<String> {
    let blocks = device.pool.iter().map(|pool| u64::from(pool.blocks)).max().unwrap_or(0);
    let mut large = Vec::new();
    // In front of a disk, flash is all cache.
    for cache in fits.iter().filter_map(SchemeFit::cache).filter(|_| device.disk.is_none()) {
        let Some(slc_blocks) = cache.slc_blocks() else { continue };
        if slc_blocks as f64 > CACHE_SHARE_MOST * blocks as f64 {
            large.push(format!(
                "the cache of {} takes {slc_blocks} of the {blocks} blocks of a plane by default: more than a \
                 third of the device",
                cache.scheme
            ));
        }
    }
    large
}
