//! An SLC region whose size follows how full the device is.
//!
//! **What it does.** Requests not larger than a threshold go to the SLC region, others to the dense one.
//! After every window the SLC region gets the share of the blocks that a table says for the data held.
//! **Paper.** The reinforcement-learning paper's rival "DWA" (dynamic write acceleration), its Table 2.
//! **What the paper leaves open and what we chose.** How often the size is set anew (`window_bytes`, as
//! often as the paper's own scheme decides); that the dense region keeps room for the data; how units
//! are packed (decisions).
//! **Knobs.** `theta_bytes`; the table decides the size.

use super::{of_hybrid, Hybrid, HybridConfig, Limits, Packed, Setting, SIGNALS, THETA_BYTES};
use crate::base::{units, Problem};
use crate::ftl::answer::DeviceFull;
use crate::ftl::io::Io;
use crate::ftl::knob::{Knob, KnobSpec, SignalSpec};
use crate::ftl::piece::Piece;
use crate::ftl::scheme::{Parameters, Scheme};
use crate::ftl::window::{WindowCounters, WindowLength, WindowUnit};
use crate::hw::device_config::DeviceConfig;
use crate::metrics::report::SchemeReport;
use crate::metrics::series::{PerValue, WindowSeries};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use smart_default::SmartDefault;

/// Parameters of `dwa`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, SmartDefault)]
#[serde(default)]
pub struct DwaConfig {
    /// What every scheme with an SLC region of changing size has.
    #[serde(flatten)]
    pub hybrid: HybridConfig,
    /// Row of the paper's table: "1" (more SLC blocks) or "2".
    #[default(Setting::One)]
    pub setting: Setting,
    /// Largest write request that goes to the SLC region, bytes (integer or a string such as
    /// "32KiB"): 0 (none) to 1 GiB.
    #[serde(deserialize_with = "units::bytes")]
    #[schemars(with = "units::Bytes")]
    #[schemars(range(max = 1 << 30))]
    #[default(32 << 10)]
    pub theta_bytes: u64,
    /// Bytes that the host writes until the size is set anew (integer or a string such as "32MiB"):
    /// 4 KiB to 1 TiB.
    #[serde(deserialize_with = "units::bytes")]
    #[schemars(with = "units::Bytes")]
    #[schemars(range(min = 4096, max = 1u64 << 40))]
    #[default(32 << 20)]
    pub window_bytes: u64,
}

impl Parameters for DwaConfig {
    fn check(&self, device: &DeviceConfig, problems: &mut Vec<Problem>) {
        self.hybrid.check("dwa", &Limits::default(), device, problems);
    }

    fn settle(&mut self, device: &DeviceConfig) {
        self.hybrid.settle(device);
    }
}

/// SLC and dense region, the size of the first by a table.
#[derive(Clone, Serialize, Deserialize)]
pub struct Dwa {
    hybrid: Hybrid,
    setting: Setting,
    window_bytes: u64,
    #[serde(skip)]
    slc_series: WindowSeries,
    #[serde(skip)]
    theta_series: WindowSeries,
}

impl Dwa {
    pub fn new(config: &DwaConfig, device: &DeviceConfig, io: &mut Io) -> Self {
        let mut dwa = Self {
            hybrid: Hybrid::new(&config.hybrid, Limits::default(), 0, config.theta_bytes, device, io),
            setting: config.setting,
            window_bytes: config.window_bytes,
            slc_series: WindowSeries::default(),
            theta_series: WindowSeries::default(),
        };
        dwa.hybrid.begin_with(dwa.wanted(io));
        dwa
    }

    /// SLC blocks per plane for the data there are.
    fn wanted(&self, io: &Io) -> u32 {
        let percent = u64::from(self.setting.percent(io.mapped(), u64::from(io.mus())));
        let blocks = u64::from(self.hybrid.plane_blocks()) * percent / 100;
        (blocks as u32).clamp(self.hybrid.slc_blocks_min(), self.hybrid.slc_blocks_max(io))
    }

    /// Before the first write to it, the SLC region is no larger than the data there are want it.
    fn follow(&mut self, io: &Io) {
        if self.hybrid.is_slc_unused() && self.hybrid.slc_blocks() > self.wanted(io) {
            self.hybrid.begin_with(self.wanted(io));
        }
    }
}

impl Scheme for Dwa {
    const KNOBS: &'static [KnobSpec] = &[THETA_BYTES];

    const SIGNALS: &'static [SignalSpec] = &SIGNALS;

    of_hybrid! {}

    fn preload(&mut self, page: u32, mask: u32, io: &mut Io) -> Result<(), DeviceFull> {
        self.follow(io);
        self.hybrid.preload(page, mask, io)
    }

    fn write(&mut self, piece: Piece, io: &mut Io) -> Result<(), DeviceFull> {
        self.follow(io);
        self.hybrid.write(&piece, io)
    }

    fn window_length(&self) -> WindowLength {
        WindowLength { unit: WindowUnit::WriteBytes, count: self.window_bytes }
    }

    fn window(&mut self, _counters: &WindowCounters, io: &mut Io) -> Result<(), DeviceFull> {
        self.hybrid.end_window();
        self.hybrid.set_slc_blocks(self.wanted(io), io);
        self.slc_series.push(f64::from(self.hybrid.slc_blocks()));
        self.theta_series.push(self.hybrid.theta_bytes() as f64);
        Ok(())
    }

    fn knobs(&self, _io: &Io) -> Vec<Knob> {
        vec![self.hybrid.theta_knob()]
    }

    fn turn(&mut self, _knob: usize, value: f64, _io: &mut Io) -> Result<(), DeviceFull> {
        self.hybrid.set_theta(value as u64);
        Ok(())
    }

    fn signals(&self, io: &Io) -> Vec<f64> {
        self.hybrid.signals(io).to_vec()
    }

    fn slc_cache_limit_bytes(&self, io: &Io) -> u64 {
        self.hybrid.slc.slc_bytes(self.wanted(io), io)
    }

    /// The size that the table gives an empty device.
    fn slc_cache_bytes(&self, io: &Io) -> u64 {
        let percent = self.setting.percent(0, u64::from(io.mus()));
        let wanted = self.hybrid.plane_blocks() * percent / 100;
        self.hybrid.slc.slc_bytes(wanted.min(self.hybrid.slc_blocks_beside(0)), io)
    }

    fn report(&self, io: &Io) -> SchemeReport {
        let mut report = self.hybrid.report("dwa", io);
        let window = PerValue::WriteBytes(self.window_bytes);
        report.series.push(self.slc_series.report("slc_blocks", window));
        report.series.push(self.theta_series.report("theta_bytes", window));
        report
    }
}
