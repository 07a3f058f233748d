//! The devices that ship with slcache.

use serde::Deserialize;
use serde_json::{json, Value};
use slcache_base::document::nearest::nearest;
use slcache_core::base::CellMode;
use slcache_core::device::config::DeviceConfig;
use slcache_core::hw::config::PoolConfig;

/// A device that ships with slcache.
#[derive(Clone, Copy, Debug)]
pub struct Preset {
    pub name: &'static str,
    /// Its device file.
    pub text: &'static str,
}

macro_rules! presets {
    ($($name:literal),* $(,)?) => {
        &[$(Preset {
            name: $name,
            text: include_str!(concat!("../../../presets/devices/", $name, ".toml")),
        }),*]
    };
}

/// The devices of papers, and small ones.
pub static PRESETS: &[Preset] = presets![
    "tiny",
    "hierarchy-44g",
    "hierarchy-44g-mqsim",
    "ips-384g",
    "ips-coop",
    "rl-32g",
    "hyssd-st",
    "hyssd-mt",
    "mqsim-like",
    "mqsim-512g",
    "gc-8g",
    "nvc-hdd",
    "nvc-7200",
];

/// Devices that are like drives that are sold, calibrated to what was published of those. They are large.
pub static DRIVES: &[Preset] = presets![
    "samsung-980-1tb-like",
    "samsung-980-pro-1tb-like",
    "samsung-970-evo-500gb-like",
    "samsung-970-evo-plus-500gb-like",
    "samsung-870-qvo-4tb-like",
    "intel-660p-1tb-like",
    "crucial-p1-1tb-like",
    "wd-sn580-1tb-like",
    "crucial-t500-2tb-like",
    "corsair-mp600-elite-2tb-like",
    "adata-atom-50-1tb-like",
    "lexar-nm790-2tb-like",
    "msi-m480-play-2tb-like",
    "kioxia-exceria-plus-g3-2tb-like",
    "hp-fx700-2tb-like",
];

pub fn all() -> impl Iterator<Item = &'static Preset> {
    PRESETS.iter().chain(DRIVES)
}

pub fn find(name: &str) -> Option<&'static Preset> {
    all().find(|preset| preset.name == name)
}

/// What to say about a device that is neither a preset nor a file.
pub(crate) fn not_found(name: &str) -> String {
    let names: Vec<&str> = all().map(|preset| preset.name).collect();
    let near = nearest(name, names.iter().copied());
    let near = near.map(|near| format!(" Did you mean {near}?")).unwrap_or_default();
    format!("no such preset and no such file; presets: {}.{near}", names.join(", "))
}

#[derive(Deserialize)]
struct DeviceSection {
    device: DeviceConfig,
}

impl Preset {
    /// The device it describes.
    pub fn device(&self) -> DeviceConfig {
        let parsed: Result<DeviceSection, _> = toml::from_str(self.text);
        // A test resolves every preset, so one that does not parse is never shipped.
        parsed.expect("a shipped preset parses").device
    }
}

/// The catalogue of presets as JSON.
pub fn catalogue() -> Value {
    all().map(|preset| describe(preset.name, &preset.device())).collect()
}

fn describe(name: &str, device: &DeviceConfig) -> Value {
    let capacity: u64 = device.pool.iter().map(|pool| pool.raw_bytes(pool.densest())).sum();
    json!({
        "name": name,
        "summary": device.summary,
        "source": device.source,
        "capacity_bytes": capacity,
        "user_bytes": device.user_bytes,
        "pools": device.pool.iter().map(describe_pool).collect::<Vec<_>>(),
    })
}

fn describe_pool(pool: &PoolConfig) -> Value {
    let offered = CellMode::ALL.into_iter().filter(|&mode| pool.mode(mode).is_some());
    json!({
        "name": pool.name,
        "channels": pool.channels,
        "chips": pool.chips,
        "dies": pool.dies,
        "planes": pool.planes,
        "blocks": pool.blocks,
        "wordlines": pool.wordlines,
        "page_bytes": pool.page_bytes,
        "modes": offered.map(CellMode::name).collect::<Vec<_>>(),
    })
}
