//! What whoever reads the figures of a configuration should know of it. Nothing here is an error.

use crate::config::RunConfig;
use slcache_core::base::CellMode;
use slcache_core::device::config::{BufferConfig, DeviceConfig};
use slcache_core::device::Simulation;
use slcache_core::hw::config::{ModeConfig, PoolConfig};
use std::ops::RangeInclusive;

/// From the fastest chips that were sold to several times the slowest, in ns.
const READS: RangeInclusive<u32> = 1_000..=10_000_000;
const PROGRAMS: RangeInclusive<u32> = 10_000..=50_000_000;
const ERASES: RangeInclusive<u32> = 100_000..=200_000_000;
/// Commands, address cycles and status polls, and what suspension costs; 0 where that is left out.
const COMMANDS: RangeInclusive<u32> = 0..=1_000_000;

/// Everything worth a note, in sentences.
pub fn notes(config: &RunConfig) -> Vec<String> {
    let mut found = of_device(&config.device);
    found.extend(shared_tiers(config));
    found.extend(unused_pools(config));
    found.extend(always_short(config));
    found.extend(borrowed_cache(config));
    found.extend(one_plane_at_a_time(config));
    found.extend(short_of_a_stripe(config));
    found
}

/// The blocks that a scheme's regions have before the first write: pool, mode, and how many in all planes.
/// None where there is no such device.
pub fn regions(config: &RunConfig) -> Vec<(usize, &'static str, u64)> {
    let simulation = Simulation::new(&config.setup()).ok();
    let blocks = simulation.map(|simulation| simulation.blocks()).unwrap_or_default();
    blocks.iter().map(|share| (share.pool, share.mode.name(), share.blocks)).collect()
}

/// A cache that shares its free blocks with the dense region, and is emptied while the host goes on.
fn borrowed_cache(config: &RunConfig) -> Option<String> {
    let name = config.scheme.name();
    let deferred = config.to_json()["scheme"][name]["reclaim"] == "deferred";
    (deferred && matches!(name, "dwa" | "rl" | "slc-share" | "ust")).then(|| {
        format!(
            "scheme.{name}.reclaim = deferred: while full SLC blocks wait to be moved, the host writes on into other \
             erased blocks, so that more than cache.slc_bytes may hold data in SLC mode"
        )
    })
}

/// A scheme that keeps what is addressed together in one plane.
fn one_plane_at_a_time(config: &RunConfig) -> Option<String> {
    let planes: u32 = config.device.pool.iter().map(PoolConfig::plane_count).sum();
    (config.scheme.name() == "ust" && planes > 1).then(|| {
        format!(
            "ust: a logical block lies in one plane, so that writes in order use one of the {planes} planes at a \
             time; other schemes spread them"
        )
    })
}

/// Schemes whose host writes fill one-shot wordlines.
const DIRECT: [&str; 5] = ["client", "tlc-only", "qlc-only", "dwa", "rl"];

/// One-shot wordlines that fill side by side, and less room for what is written than they take.
fn short_of_a_stripe(config: &RunConfig) -> Option<String> {
    let name = config.scheme.name();
    let scheme = &config.to_json()["scheme"][name];
    if !DIRECT.contains(&name) || scheme["placement"] != "striped" || scheme["full"] == "through" {
        return None;
    }
    let pool = config.device.pool.iter().find(|pool| pool.program_bytes() > u64::from(pool.page_bytes))?;
    let all = u64::from(pool.plane_count());
    let planes = scheme["dense"]["parallel"].as_u64().map_or(all, |few| few.min(all));
    let stripe = planes * pool.program_bytes();
    // With more than this some wordline fills, whatever page comes next.
    let fills = stripe - (planes - 1) * u64::from(pool.page_bytes);
    let told = format!("a wordline in each of {planes} planes, {stripe} bytes");
    let padded = "so that they are padded and writes wait for device.stage_timeout_ns";
    let wordline = pool.program_bytes() / u64::from(pool.page_bytes);
    let needed = |buffer: &BufferConfig| {
        let most = u64::from(buffer.stripes_in_flight?);
        let needed = stripes_until_one_ends(planes, wordline, u64::from(buffer.stripe_planes) * wordline);
        (most < needed).then_some((most, needed))
    };
    match &config.buffer {
        Some(buffer) if buffer.is_striped() && needed(buffer).is_some() => {
            let (most, needed) = needed(buffer)?;
            Some(format!(
                "buffer.stripes_in_flight = {most}: with scheme.{name}.placement = \"striped\" writes to one-shot \
                 wordlines fill {told}, of which stripes of {} never fill all of their own, {padded}: at least \
                 {needed} such stripes are needed",
                buffer.stripe_planes
            ))
        }
        Some(buffer) if buffer.is_striped() && buffer.bytes >= 2 * stripe => None,
        Some(buffer) if buffer.is_striped() => Some(format!(
            "buffer.bytes = {}: with scheme.{name}.placement = \"striped\" writes to one-shot wordlines fill \
             {told}; {}: at least {} are needed",
            buffer.bytes,
            if buffer.bytes < fills { padded } else { "none is gathered while another is programmed" },
            2 * stripe
        )),
        _ => Some(format!(
            "scheme.{name}.placement = \"striped\": writes to one-shot wordlines fill {told}, {padded} unless as \
             much is outstanding: a buffer with write_back = \"at-once\" and {} bytes gathers them",
            2 * stripe
        )),
    }
}

/// How many stripes of so many pages must be on their way so that one ends: its wordlines, of `wordline` pages
/// each, fill side by side in all `planes`.
fn stripes_until_one_ends(planes: u64, wordline: u64, stripe: u64) -> u64 {
    let row = planes * wordline;
    let filled_with = |page: u64| page / row * row + row - planes + page % planes;
    // Beginnings of stripes repeat after `row` of them.
    let pages = |begin: u64| (begin..begin + stripe).map(filled_with).max().unwrap_or(0) + 1 - begin;
    (0..row).map(|number| pages(number * stripe)).max().unwrap_or(0).div_ceil(stripe)
}

/// An SLC region that is to keep more blocks free than it has.
fn always_short(config: &RunConfig) -> Option<String> {
    let name = config.scheme.name();
    let scheme = &config.to_json()["scheme"][name];
    let (blocks, start) = (scheme["slc_blocks"].as_u64()?, scheme["slc"]["start_free_blocks"].as_u64()?);
    (start > blocks).then(|| {
        format!(
            "scheme.{name}.slc.start_free_blocks = {start}: the region has {blocks} blocks per plane, so that \
             cleaning is always due"
        )
    })
}

/// Pools of which the scheme takes no block, as one that has both its regions in one pool.
fn unused_pools(config: &RunConfig) -> Option<String> {
    if config.device.pool.len() < 2 {
        return None;
    }
    let unused = Simulation::new(&config.setup()).ok()?.unused_pools();
    (!unused.is_empty()).then(|| {
        format!(
            "{}: stores nothing in device pool {}: its capacity and its chips are left out",
            config.scheme.name(),
            unused.join(", ")
        )
    })
}

/// What concerns the device, whatever runs on it.
pub fn of_device(device: &DeviceConfig) -> Vec<String> {
    let mut found: Vec<String> = rounded(device).into_iter().collect();
    for (i, pool) in device.pool.iter().enumerate() {
        found.extend(magnitudes(&format!("device.pool[{i}]"), pool));
    }
    found
}

/// A capacity that is no whole number of logical pages, as those on labels are not.
fn rounded(device: &DeviceConfig) -> Option<String> {
    device.stated_user_bytes.map(|stated| {
        format!(
            "device.user_bytes = {stated} is no whole number of logical pages of {} bytes: rounded down to {}",
            device.piece_bytes(),
            device.user_bytes
        )
    })
}

/// Two tiers on one pool, which the paper's are not.
fn shared_tiers(config: &RunConfig) -> Option<String> {
    let name = config.scheme.name();
    let shares = matches!(name, "hyssd" | "hyssd-static") && config.device.pool.len() == 1;
    shares.then(|| {
        format!(
            "{name}: both tiers are on the same dies, so that writes wait for destaging; the paper has two \
             separate SSDs, as a device of two pools has"
        )
    })
}

/// Times that no chip has: mostly a number in another unit.
fn magnitudes(at: &str, pool: &PoolConfig) -> Vec<String> {
    let mut found = Vec::new();
    for mode in CellMode::ALL {
        if let Some(config) = pool.mode(mode) {
            of_mode(&format!("{at}.{}", mode.name()), config, &mut found);
        }
    }
    if let Some(reprogram) = &pool.reprogram {
        look(&mut found, format!("{at}.reprogram.program_ns"), &[reprogram.program_ns], &PROGRAMS);
        // 0 where programming includes it.
        let read = Some(reprogram.read_ns).filter(|&ns| ns != 0);
        look(&mut found, format!("{at}.reprogram.read_ns"), read.as_slice(), &READS);
    }
    let (bus, suspend) = (&pool.bus, &pool.suspend);
    for (key, ns) in [
        ("bus.read_command_ns", bus.read_command_ns),
        ("bus.read_data_ns", bus.read_data_ns),
        ("bus.program_command_ns", bus.program_command_ns),
        ("bus.erase_command_ns", bus.erase_command_ns),
        ("bus.extra_plane_read_ns", bus.extra_plane_read_ns),
        ("bus.extra_plane_program_ns", bus.extra_plane_program_ns),
        ("bus.extra_plane_erase_ns", bus.extra_plane_erase_ns),
        ("suspend.suspend_ns", suspend.suspend_ns),
        ("suspend.resume_ns", suspend.resume_ns),
    ] {
        look(&mut found, format!("{at}.{key}"), &[ns], &COMMANDS);
    }
    found
}

fn of_mode(at: &str, mode: &ModeConfig, found: &mut Vec<String>) {
    look(found, format!("{at}.read_ns"), &mode.read_ns, &READS);
    look(found, format!("{at}.program_ns"), &mode.program_ns, &PROGRAMS);
    look(found, format!("{at}.erase_ns"), &[mode.erase_ns], &ERASES);
    look(found, format!("{at}.copyback_ns"), mode.copyback_ns.as_slice(), &PROGRAMS);
}

fn look(found: &mut Vec<String>, key: String, times: &[u32], usual: &RangeInclusive<u32>) {
    if let Some(ns) = times.iter().find(|ns| !usual.contains(ns)) {
        let (least, most) = (usual.start(), usual.end());
        found.push(format!("{key}: {ns} ns is no time of NAND flash, which is {least} to {most} ns"));
    }
}
