//! The configuration of a run: what it holds, and how it comes together from
//! a device file, the scheme's defaults there and single settings.

mod config_file;
mod device_file;
mod duplicates;
mod error;
mod evidence;
mod json;
mod keys;
mod layers;
mod moot;
mod scale;
mod setting;
pub(crate) mod sizes;
mod source;

pub use config_file::{config_file, placed};
pub(crate) use device_file::{device_config, evidence_of};
pub use device_file::{line_with, DeviceSource};
pub use error::{Argument, ConfigError, ConfigErrors, Origin, Statement, Words};
pub use evidence::Ground;
pub use layers::{resolve, Layers};
pub use scale::scaled;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use slcache_base::document::shape;
use slcache_base::document::tree::Key;
use slcache_core::device::config::{BufferConfig, DeviceConfig, HostConfig, PreconditionConfig, TracePolicy};
use slcache_core::device::setup::MemoryNeed;
use slcache_core::device::Setup;
use slcache_core::schemes::SchemeConfig;
use std::num::NonZeroU64;
use toml::Value;

/// Everything that decides a run's result, apart from the trace.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RunConfig {
    /// The flash device.
    pub device: DeviceConfig,
    /// The scheme and its parameters.
    pub scheme: SchemeConfig,
    /// How the host drives the device.
    #[serde(default)]
    pub host: HostConfig,
    /// The DRAM buffer; absent = none.
    #[serde(default)]
    pub buffer: Option<BufferConfig>,
    /// The state of the device before time 0.
    #[serde(default)]
    pub precondition: PreconditionConfig,
    /// What the trace does not say.
    #[serde(default)]
    pub trace: TracePolicy,
    /// The run itself.
    #[serde(default)]
    pub run: RunSection,
}

/// Settings of the run itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct RunSection {
    /// Seed of every random stream, 0 to 2^63 - 1.
    pub seed: u64,
    /// Length of the windows of the time series, ns; absent = 1 ms, doubled so that there are at most
    /// 1,024. A length that is asked for is doubled where there would be more than 65,536.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub series_window_ns: Option<NonZeroU64>,
    /// Counts how much any scheme with such a cache must program dense, for the result's `bound`; a run takes
    /// 5 to 20 % longer, and 4 bytes more per mapping unit.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub bound: bool,
}

impl Default for RunSection {
    fn default() -> Self {
        Self { seed: 1, series_window_ns: None, bound: false }
    }
}

impl RunConfig {
    /// What the run's tables take.
    pub fn memory(&self) -> MemoryNeed {
        let mut need = self.setup().memory();
        if self.run.bound {
            need.tables_bytes +=
                self.device.user_bytes / u64::from(self.device.mu_bytes) * size_of::<u32>() as u64;
        }
        need
    }

    /// Writes out the defaults that depend on the device.
    fn settle(&mut self) {
        self.device.settle();
        self.scheme.settle(&self.device);
    }

    /// The configuration as the simulated device takes it.
    pub fn setup(&self) -> Setup {
        Setup {
            device: self.device.clone(),
            scheme: self.scheme.clone(),
            host: self.host.clone(),
            buffer: self.buffer,
            precondition: self.precondition.clone(),
            trace: self.trace,
            seed: self.run.seed,
        }
    }

    /// The configuration that a document holds; none where this version cannot read it, or where somebody
    /// wrote numbers into it that its schema does not allow.
    pub fn of_json(text: &str) -> Option<Self> {
        let (tree, _) = json::parse("", text).ok()?;
        let whole = Value::Table(tree);
        let fits = shape::faults(keys::schema(), &whole, &Key::default()).is_empty();
        fits.then(|| whole.try_into().ok()).flatten()
    }

    /// The configuration as JSON; object keys come out sorted.
    pub fn to_json(&self) -> serde_json::Value {
        // Only maps with non-text keys and failing `Serialize` impls can make this fail; there are none.
        serde_json::to_value(self).expect("a configuration is plain data")
    }
}
