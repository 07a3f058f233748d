//! What can be told of a device before anything runs on it: sizes, unloaded latencies, peaks, what the
//! schemes' caches take, and what looks wrong.

mod caches;
mod cells;
mod flash;
mod warnings;

pub use flash::{Latency, Peak};

use crate::config::{device_config, evidence_of, ConfigErrors, RunConfig};
use crate::SimError;
pub use caches::config_cache_bytes;
use caches::Fit;
pub use cells::{CacheCells, Counts};
use serde_json::{json, Value};
use slcache_core::base::CellMode;
use slcache_core::device::config::{DeviceConfig, HostConfig};
use slcache_core::hw::config::PoolConfig;
use slcache_core::hw::map_config::MapConfig;

/// Everything there is to tell of a preset or device file, as JSON.
pub fn device_facts(name: &str) -> Result<Value, SimError> {
    let (device, host, buffered) = device_config(name)?;
    let mut problems = Vec::new();
    device.check(&mut problems);
    if !problems.is_empty() {
        return Err(ConfigErrors::from_problems(&problems).into());
    }
    let fits = caches::fits(name)?;
    let evidence = evidence_of(name)?;
    let raw_bytes = densest_bytes(&device);
    Ok(json!({
        "name": device.name,
        "summary": device.summary,
        "source": device.source,
        "statement": evidence.statement,
        "evidence": evidence.keys,
        "user_bytes": device.user_bytes,
        "raw_bytes": raw_bytes,
        "over_provisioning": over_provisioning(&device),
        "random_write_waf": random_write_waf(&device),
        "disk": device.disk.is_some(),
        "pools": pools(&device, &host, buffered),
        "map": device.map.map(|map| map_facts(&map, &device)),
        "link_mb_per_s": flash::link_mb_per_s(&host),
        "schemes": fits.iter().map(Fit::to_json).collect::<Vec<_>>(),
        "warnings": warnings::all(&device, &host, &fits),
    }))
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

/// What the mapping cache holds: its own bytes, the data whose places they are, and those of the whole map.
fn map_facts(map: &MapConfig, device: &DeviceConfig) -> Value {
    let all = u64::from(map.translations(device.user_bytes.div_ceil(device.mu_bytes.into())));
    let held = (map.cache_bytes / u64::from(map.page_bytes)).min(all);
    let covered = held * u64::from(map.entries()) * u64::from(device.mu_bytes);
    json!({
        "cache_bytes": map.cache_bytes,
        "covered_bytes": covered.min(device.user_bytes),
        "map_bytes": all * u64::from(map.page_bytes),
    })
}

/// What is told of every pool; `buffered` writes wait for nothing that is staged.
pub fn pools(device: &DeviceConfig, host: &HostConfig, buffered: bool) -> Value {
    device.pool.iter().map(|pool| pool_facts(pool, device, host, buffered)).collect()
}

fn pool_facts(pool: &PoolConfig, device: &DeviceConfig, host: &HostConfig, buffered: bool) -> Value {
    let offered = CellMode::ALL.into_iter().filter(|&mode| pool.mode(mode).is_some());
    let modes = offered.map(|mode| {
        let page_kinds =
            pool.mode(mode).map_or(0, |config| config.read_ns.len().max(config.program_ns.len()));
        json!({
            "mode": mode.name(),
            "raw_bytes": pool.raw_bytes(mode),
            "block_bytes": u64::from(pool.pages_per_block(mode)) * u64::from(pool.page_bytes),
            "page_kinds": page_kinds,
            "read": flash::read(pool, mode, 4096, device, host).to_json(),
            "write": flash::write(pool, mode, 4096, device, host, buffered).to_json(),
            "peak_read": flash::peak_read(pool, mode).to_json(),
            "peak_program": flash::peak_program(pool, mode).to_json(),
        })
    });
    json!({
        "name": pool.name,
        "channels": pool.channels,
        "units": flash::units_per_channel(pool) * pool.channels,
        "planes": pool.plane_count(),
        "blocks": pool.blocks,
        "wordlines": pool.wordlines,
        "page_bytes": pool.page_bytes,
        "modes": modes.collect::<Vec<_>>(),
    })
}
