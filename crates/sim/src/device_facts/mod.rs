//! What can be told of a device before anything runs on it: sizes, unloaded latencies, peaks, what the
//! schemes' caches take, and what looks wrong.

mod caches;
mod cells;
mod flash;
mod warnings;

use crate::config::{device_config, evidence_of, ConfigErrors, Ground, RunConfig};
use crate::SimError;
pub use caches::{config_cache_bytes, RangeEnd, SchemeCache, SchemeFit, SizeRange, UnfitScheme};
pub use cells::{CacheCells, Counts};
pub use flash::{IdleLatency, LatencyPart, Peak, PeakBound};
use schemars::JsonSchema;
use serde::Serialize;
use slcache_core::base::CellMode;
use slcache_core::device::config::{DeviceConfig, HostConfig};
use slcache_core::hw::config::PoolConfig;
use slcache_core::hw::map_config::MapConfig;
use std::collections::BTreeMap;

/// Everything there is to tell of a preset or device file.
#[derive(Serialize, JsonSchema)]
pub struct DeviceFacts {
    pub name: String,
    pub summary: String,
    pub source: String,
    /// What whoever sees the device is told.
    pub statement: Option<String>,
    /// On what each key stands.
    pub evidence: BTreeMap<String, Ground>,
    pub user_bytes: u64,
    /// Bytes of the flash with every block in its densest mode.
    pub raw_bytes: u64,
    /// Flash beyond the user's data, as a share of them; none where a disk holds the data.
    pub over_provisioning: Option<f64>,
    /// What cleaning in FIFO order amplifies uniform random page writes to on the full device.
    pub random_write_waf: Option<f64>,
    /// Whether a disk holds the data.
    pub disk: bool,
    pub pools: Vec<PoolFacts>,
    /// None where the whole map is in memory.
    pub map: Option<MapFacts>,
    /// What the host link carries of requests of 128 KiB.
    pub link_mb_per_s: Option<f64>,
    /// Every scheme, and its cache here.
    pub schemes: Vec<SchemeFit>,
    /// What looks wrong, in sentences.
    pub warnings: Vec<String>,
}

/// A pool of alike chips.
#[derive(Serialize, JsonSchema)]
pub struct PoolFacts {
    pub name: String,
    pub channels: u32,
    /// What runs one array operation at a time.
    pub units: u32,
    pub planes: u32,
    /// On each plane.
    pub blocks: u32,
    /// Of a block.
    pub wordlines: u32,
    pub page_bytes: u32,
    pub modes: Vec<ModeFacts>,
}

/// A cell mode of a pool.
#[derive(Serialize, JsonSchema)]
pub struct ModeFacts {
    pub mode: &'static str,
    /// With every block in this mode.
    pub raw_bytes: u64,
    pub block_bytes: u64,
    /// How many times of reads and programs its pages have.
    pub page_kinds: usize,
    /// A read of 4 KiB.
    pub read: IdleLatency,
    /// A write of 4 KiB that replaces nothing.
    pub write: IdleLatency,
    pub peak_read: Peak,
    pub peak_program: Peak,
}

/// What the mapping cache holds.
#[derive(Serialize, JsonSchema)]
pub struct MapFacts {
    pub cache_bytes: u64,
    /// Data whose places it holds.
    pub covered_bytes: u64,
    /// The whole map.
    pub map_bytes: u64,
}

/// What there is to tell of a preset or device file.
pub fn device_facts(name: &str) -> Result<DeviceFacts, SimError> {
    let (device, host, buffered) = device_config(name)?;
    let mut problems = Vec::new();
    device.check(&mut problems);
    if !problems.is_empty() {
        return Err(ConfigErrors::from_problems(&problems).into());
    }
    let fits = caches::fits(name)?;
    let evidence = evidence_of(name)?;
    Ok(DeviceFacts {
        statement: evidence.statement,
        evidence: evidence.keys,
        user_bytes: device.user_bytes,
        raw_bytes: densest_bytes(&device),
        over_provisioning: over_provisioning(&device),
        random_write_waf: random_write_waf(&device),
        disk: device.disk.is_some(),
        pools: pools(&device, &host, buffered),
        map: device.map.map(|map| map_facts(&map, &device)),
        link_mb_per_s: flash::link_mb_per_s(&host),
        warnings: warnings::all(&device, &host, &fits),
        schemes: fits,
        name: device.name,
        summary: device.summary,
        source: device.source,
    })
}

/// What is as good as a peak.
const NEAR: f64 = 0.9;

/// A peak of programs that writes without a buffer do not reach, MB/s.
pub struct Missed {
    /// The cells that are programmed.
    pub mode: CellMode,
    /// What writes reach, each waiting for its program.
    pub most_mb_per_s: f64,
    /// The peak of the chips and the host link.
    pub peak_mb_per_s: f64,
}

/// Which peaks sequential writes of 128 KiB miss where no buffer acknowledges them, `depth` outstanding; none
/// of a configuration that cannot run.
pub fn missed(config: &RunConfig, depth: u32) -> Vec<Missed> {
    if config.buffer.is_some() || !config.setup().check().is_empty() {
        return Vec::new();
    }
    let carried = flash::link_mb_per_s(&config.host).unwrap_or(f64::INFINITY);
    let offered = |pool| CellMode::ALL.into_iter().map(move |mode| (pool, mode));
    let modes = config.device.pool.iter().flat_map(offered).filter(|(pool, mode)| pool.mode(*mode).is_some());
    let each = modes.map(|(pool, mode)| Missed {
        mode,
        most_mb_per_s: flash::unbuffered(pool, mode, depth, config.device.stage_timeout_ns),
        peak_mb_per_s: flash::peak_program(pool, mode).mb_per_s.min(carried),
    });
    each.filter(|missed| missed.most_mb_per_s < NEAR * missed.peak_mb_per_s).collect()
}

/// Bytes of the flash with every block in its densest mode.
fn densest_bytes(device: &DeviceConfig) -> u64 {
    device.pool.iter().map(|pool| pool.raw_bytes(pool.densest())).sum()
}

/// Flash beyond the user's data, as a share of them; none where a disk holds the data.
fn over_provisioning(device: &DeviceConfig) -> Option<f64> {
    let user = device.user_bytes.max(1) as f64;
    device.disk.is_none().then(|| densest_bytes(device) as f64 / user - 1.0)
}

/// What cleaning in FIFO order amplifies uniform random page writes to on the full device, where every
/// block is in its densest mode: `1 / (1 - U)` with `(U - 1) / ln U` the share of live data.
fn random_write_waf(device: &DeviceConfig) -> Option<f64> {
    let live = 1.0 / (1.0 + over_provisioning(device)?);
    let (mut low, mut high) = (1e-12, 1.0 - 1e-12);
    if live <= 0.0 || live >= 1.0 {
        return None;
    }
    for _ in 0..200 {
        let middle: f64 = (low + high) / 2.0;
        if (middle - 1.0) / middle.ln() < live {
            low = middle;
        } else {
            high = middle;
        }
    }
    Some(1.0 / (1.0 - low))
}

fn map_facts(map: &MapConfig, device: &DeviceConfig) -> MapFacts {
    let all = u64::from(map.translations(device.user_bytes.div_ceil(device.mu_bytes.into())));
    let held = (map.cache_bytes / u64::from(map.page_bytes)).min(all);
    let covered = held * u64::from(map.entries()) * u64::from(device.mu_bytes);
    MapFacts {
        cache_bytes: map.cache_bytes,
        covered_bytes: covered.min(device.user_bytes),
        map_bytes: all * u64::from(map.page_bytes),
    }
}

/// What is told of every pool; `buffered` writes wait for nothing that is staged.
pub fn pools(device: &DeviceConfig, host: &HostConfig, buffered: bool) -> Vec<PoolFacts> {
    device.pool.iter().map(|pool| pool_facts(pool, device, host, buffered)).collect()
}

fn pool_facts(pool: &PoolConfig, device: &DeviceConfig, host: &HostConfig, buffered: bool) -> PoolFacts {
    let offered = CellMode::ALL.into_iter().filter_map(|mode| Some((mode, pool.mode(mode)?)));
    let modes = offered.map(|(mode, config)| ModeFacts {
        mode: mode.name(),
        raw_bytes: pool.raw_bytes(mode),
        block_bytes: u64::from(pool.pages_per_block(mode)) * u64::from(pool.page_bytes),
        page_kinds: config.read_ns.len().max(config.program_ns.len()),
        read: flash::read(pool, mode, 4096, device, host),
        write: flash::write(pool, mode, 4096, device, host, buffered),
        peak_read: flash::peak_read(pool, mode),
        peak_program: flash::peak_program(pool, mode),
    });
    PoolFacts {
        name: pool.name.clone(),
        channels: pool.channels,
        units: flash::units_per_channel(pool) * pool.channels,
        planes: pool.plane_count(),
        blocks: pool.blocks,
        wordlines: pool.wordlines,
        page_bytes: pool.page_bytes,
        modes: modes.collect(),
    }
}
