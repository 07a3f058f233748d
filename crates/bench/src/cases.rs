//! What the bench runs: schemes on devices, and the requests they are asked.

use super::size::Size;
use super::{disk, engine, two_pools};
use slcache_core::device::request::Request;
use slcache_core::schemes::CATALOG;
use slcache_sim::RunConfig;
use slcache_traces::synthetic::{heavy_gc, synth1m, SYNTH1M_REQUESTS};

/// Random writes of heavy_gc, and their mean distance in time.
const RANDOM_WRITES: usize = 2_000_000;
const RANDOM_GAP_NS: u64 = 4_000_000;
const SYNTH1M_FOOTPRINT_BYTES: u64 = 4 << 30;

/// Devices of two papers, on which all schemes are compared.
pub const COMPARED_ON: [&str; 2] = ["hierarchy-44g", "ips-384g"];

/// Requests of one kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Workload {
    Synth1m,
    HeavyGc,
    Synth1mSlower,
    Database,
}

impl Workload {
    pub fn name(self) -> &'static str {
        match self {
            Self::Synth1m => "synth1m",
            Self::HeavyGc => "heavy_gc",
            Self::Synth1mSlower => "synth1m, slower",
            Self::Database => "database",
        }
    }

    /// All requests; those of heavy_gc begin with a fill.
    pub fn requests(self, size: Size) -> Result<Vec<Request>, String> {
        match self {
            Self::HeavyGc => Ok(heavy_gc(size.of(RANDOM_WRITES), RANDOM_GAP_NS, true)),
            other => other.first(size.of(SYNTH1M_REQUESTS)),
        }
    }

    /// The first so many requests, without a fill.
    pub fn first(self, count: usize) -> Result<Vec<Request>, String> {
        match self {
            Self::Synth1m => Ok(synth1m(count)),
            Self::HeavyGc => Ok(heavy_gc(count, RANDOM_GAP_NS, false)),
            Self::Synth1mSlower => Ok(two_pools::requests(count)),
            Self::Database => disk::requests(count),
        }
    }

    /// Requests before those whose write amplification is told apart.
    pub fn fill(self, size: Size, requests: usize) -> usize {
        match self {
            Self::HeavyGc => requests - size.of(RANDOM_WRITES),
            _ => 0,
        }
    }
}

/// A workload on a device under a scheme.
#[derive(Clone, Copy, Debug)]
pub struct Case {
    pub workload: Workload,
    pub device: &'static str,
    pub scheme: &'static str,
    /// Whether the workload's footprint lies on the device beforehand.
    pub preloaded: bool,
}

/// Everything whose requests per second are measured.
pub fn all() -> Vec<Case> {
    let new = |workload, device, scheme| Case { workload, device, scheme, preloaded: false };
    let mut cases = vec![
        new(Workload::Synth1m, "mqsim-512g", "tlc-only"),
        new(Workload::HeavyGc, "gc-8g", "tlc-only"),
        Case { preloaded: true, ..new(Workload::Synth1mSlower, two_pools::DEVICE, "hyssd") },
    ];
    for device in COMPARED_ON {
        for scheme in CATALOG.iter().filter(|scheme| !scheme.on_disk) {
            cases.push(Case { preloaded: true, ..new(Workload::Synth1m, device, scheme.name) });
        }
    }
    cases.extend(disk::SCHEMES.map(|scheme| new(Workload::Database, disk::DEVICE, scheme)));
    cases
}

impl Case {
    /// Whether the bare loop over the same requests is measured beside it.
    pub fn has_floor(self) -> bool {
        ["mqsim-512g", "gc-8g"].contains(&self.device)
    }

    /// The configuration, with further settings.
    pub fn config(self, sets: &[String]) -> Result<RunConfig, String> {
        engine::config(self.device, self.scheme, sets)
    }

    /// The logical pages of `config`'s device that hold data beforehand.
    pub fn preload(self, config: &RunConfig) -> Vec<(u32, u32)> {
        let pages = SYNTH1M_FOOTPRINT_BYTES / u64::from(config.device.piece_bytes());
        self.preloaded.then_some((0, pages as u32)).into_iter().collect()
    }
}
