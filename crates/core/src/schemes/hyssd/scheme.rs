//! The contract of a scheme, for both: the tiers do the work, a policy says how full the fast one is
//! to be.

use super::super::common::tables::page_table;
use super::analysis::Analysis;
use super::capacity::Capacity;
use super::model::cost_model;
use super::policy::FillPolicy;
use super::two_tier::TwoTier;
use super::wear::Lifetimes;
use crate::base::PlaneId;
use crate::ftl::answer::{DeviceFull, Idle};
use crate::ftl::io::Io;
use crate::ftl::knob::{Knob, KnobSpec};
use crate::ftl::page_level;
use crate::ftl::piece::Piece;
use crate::ftl::scheme::{regions, Scheme};
use crate::ftl::window::{WindowCounters, WindowLength, WindowUnit};
use crate::hw::device_config::DeviceConfig;
use crate::metrics::report::SchemeReport;
use serde::{Deserialize, Serialize};

/// Two tiers, and who says how full the fast one is to be.
#[derive(Clone, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct Hyssd<P: FillPolicy> {
    tiers: TwoTier,
    policy: P,
    analysis: Analysis,
    window: WindowLength,
}

impl<P: FillPolicy> Hyssd<P> {
    pub fn new(config: &P::Config, device: &DeviceConfig, io: &mut Io) -> Self {
        let spec = P::spec(config);
        let layout = spec.layout(device).expect("Invariant: the configuration was checked");
        let max = Capacity::of(&spec, device, &layout).utilisation_max;
        let policy = P::new(config, device);
        let lifetimes = Lifetimes::new(spec.wear, &layout, device);
        let model = cost_model(&spec, &layout, device);
        Self {
            tiers: TwoTier::new(&spec, policy.first_target(), device, io),
            analysis: Analysis::new(P::search(config), max, model, lifetimes),
            window: WindowLength { unit: WindowUnit::WriteRequests, count: spec.tiers.period_writes },
            policy,
        }
    }
}

impl<P: FillPolicy> Scheme for Hyssd<P> {
    const KNOBS: &'static [KnobSpec] = P::KNOBS;

    regions! { Cache tiers.fast.region, Store tiers.dense.region }

    fn audit_own(&self, io: &Io) -> Result<(), String> {
        self.tiers.audit(io)
    }

    fn resume(&mut self, _fresh: Self) -> Result<(), String> {
        self.analysis.lifetimes.resume();
        Ok(())
    }

    fn preload(&mut self, page: u32, mask: u32, io: &mut Io) -> Result<(), DeviceFull> {
        self.tiers.preload(page, mask, io)
    }

    fn write(&mut self, piece: Piece, io: &mut Io) -> Result<(), DeviceFull> {
        self.tiers.write(&piece, io)
    }

    fn read(&mut self, piece: Piece, io: &mut Io) -> Result<(), DeviceFull> {
        self.tiers.count_read(&piece, io);
        page_level::read(&piece, io);
        Ok(())
    }

    fn trim(&mut self, first: u32, end: u32, io: &mut Io) {
        self.tiers.trim(first, end, io);
    }

    fn idle(&mut self, plane: PlaneId, io: &mut Io) -> Idle {
        self.tiers.idle(plane, io)
    }

    #[inline]
    fn write_request(&mut self, _first: u32, _last: u32, _io: &Io) {
        self.tiers.write_request();
    }

    fn window_length(&self) -> WindowLength {
        self.window
    }

    fn window(&mut self, counters: &WindowCounters, io: &mut Io) -> Result<(), DeviceFull> {
        let found = self.analysis.end_window(counters, &mut self.tiers, io);
        if let Some(target) = self.policy.next_target(&found) {
            self.tiers.set_target(target, io);
        }
        self.tiers.freeze_hot();
        Ok(())
    }

    fn knobs(&self, _io: &Io) -> Vec<Knob> {
        self.policy.knobs()
    }

    fn turn(&mut self, knob: usize, value: f64, io: &mut Io) -> Result<(), DeviceFull> {
        let target = self.policy.turn(knob, value);
        self.tiers.set_target(target, io);
        Ok(())
    }

    /// A snapshot may follow, which tells what was programmed until then.
    fn finish(&mut self, io: &mut Io) -> Result<(), DeviceFull> {
        self.regions_mut(&mut |region| region.pad_all(io));
        self.tiers.forced_to = None;
        self.analysis.lifetimes.note(io);
        Ok(())
    }

    fn report(&self, io: &Io) -> SchemeReport {
        let mut report = SchemeReport { name: P::NAME.into(), ..SchemeReport::default() };
        self.analysis.report(&self.tiers, self.window, io, &mut report);
        report.tables.push(page_table(io));
        report
    }
}
