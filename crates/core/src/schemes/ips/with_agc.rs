//! In-place switch assisted by advanced garbage collection.
//!
//! **What it does.** As `ips`; in idle time, live pages of blocks with invalid ones are read and
//! used to switch wordlines, so that SLC pages are ready when the host comes back. Each page move
//! and each erase is a step of its own, after which the host goes first.
//! **Paper.** "In-place Switch: Reprogramming based SLC Cache Design for Hybrid 3D SSDs", section
//! IV-B and Fig. 7.
//! **What the paper leaves open and what we chose.** What AGC may collect: blocks that offer no SLC
//! pages and hold at least three invalid pages, which win back more than they cost (`agc.eligible`,
//! `agc.min_invalid`); the letter of the paper is any block with an invalid page. How long a plane must be idle: 50 ms (`idle`). An emptied block offers its first
//! window again.
//! **Knobs.** `idle.threshold_ns`, `agc.min_invalid`.

use super::super::common::dials::{Dials, IDLE_THRESHOLD, MIN_INVALID};
use super::cache::{self, AgcConfig, Cache, CacheSpec};
use crate::base::{PlaneId, Problem};
use crate::ftl::answer::{DeviceFull, Idle};
use crate::ftl::config::{Placement, PlaneOrder};
use crate::ftl::io::Io;
use crate::ftl::knob::{Knob, KnobSpec};
use crate::ftl::piece::Piece;
use crate::ftl::scheme::{regions, Parameters, Scheme};
use crate::hw::config::IdleRule;
use crate::hw::device_config::DeviceConfig;
use crate::metrics::report::SchemeReport;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use smart_default::SmartDefault;

/// Parameters of `ips-agc`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, SmartDefault)]
#[serde(default)]
pub struct IpsAgcConfig {
    /// Order in which consecutive writes go to planes.
    #[default(PlaneOrder::Cwdp)]
    pub plane_order: PlaneOrder,
    /// How a write's plane is chosen.
    #[default(Placement::RoundRobin)]
    pub placement: Placement,
    /// When advanced garbage collection starts.
    pub idle: IdleRule,
    /// What it collects.
    pub agc: AgcConfig,
}

impl Parameters for IpsAgcConfig {
    fn keeps_places(&self) -> Option<&'static str> {
        Some("its blocks are reprogrammed in place, window by window")
    }

    fn check(&self, device: &DeviceConfig, problems: &mut Vec<Problem>) {
        self.idle.check("scheme.ips-agc.idle", problems);
        cache::check("ips-agc", 0, device, problems);
    }
}

/// In-place switch with advanced garbage collection.
#[derive(Clone, Serialize, Deserialize)]
pub struct IpsAgc {
    cache: Cache,
    agc: AgcConfig,
    dials: Dials,
}

impl IpsAgc {
    pub fn new(config: &IpsAgcConfig, device: &DeviceConfig, io: &mut Io) -> Self {
        io.set_idle_rule(config.idle);
        let (plane_order, placement) = (config.plane_order, config.placement);
        let cache = Cache::new(&CacheSpec { device, others: 0, bank: None, plane_order, placement }, io);
        Self { dials: Dials::new(cache.dials(config.idle, &config.agc)), cache, agc: config.agc }
    }
}

impl Scheme for IpsAgc {
    const KNOBS: &'static [KnobSpec] = &[IDLE_THRESHOLD, MIN_INVALID];

    regions! { Cache cache.region }

    fn preload(&mut self, page: u32, mask: u32, io: &mut Io) -> Result<(), DeviceFull> {
        self.cache.preload(page, mask, io)
    }

    /// As without AGC (section IV-A).
    #[inline]
    fn write(&mut self, piece: Piece, io: &mut Io) -> Result<(), DeviceFull> {
        self.cache.note_overwrite(&piece, io);
        let plane = self.cache.write(&piece, io)?;
        io.mark_idle_work(plane);
        Ok(())
    }

    fn trim(&mut self, first: u32, end: u32, io: &mut Io) {
        self.cache.trim(first, end, io);
    }

    /// Section IV-B: one page move or one erase.
    fn idle(&mut self, plane: PlaneId, io: &mut Io) -> Idle {
        self.cache.agc_step(plane, &self.agc, io)
    }

    fn knobs(&self, _io: &Io) -> Vec<Knob> {
        self.dials.knobs(Self::KNOBS)
    }

    fn turn(&mut self, knob: usize, value: f64, io: &mut Io) -> Result<(), DeviceFull> {
        if self.dials.turn(knob, value) {
            self.agc.min_invalid = self.dials.count(&MIN_INVALID) as u32;
            self.dials.set_idle_threshold(io);
            if Self::KNOBS[knob] == MIN_INVALID {
                // Blocks that were not worth it may be now.
                io.mark_all_idle_work();
            }
        }
        Ok(())
    }

    fn report(&self, io: &Io) -> SchemeReport {
        let mut report = self.cache.report("ips-agc", io);
        self.cache.report_agc(&mut report, io);
        report
    }
}
