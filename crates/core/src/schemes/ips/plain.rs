//! In-place switch: used SLC pages become TLC pages where they are.
//!
//! **What it does.** Every block offers the SLC pages of two layers. When all of a plane are used,
//! host data reprogram the wordlines of the oldest used window, which then hold three pages each,
//! and the next two layers of that block are new SLC pages. Nothing is copied.
//! **Paper.** "In-place Switch: Reprogramming based SLC Cache Design for Hybrid 3D SSDs", section
//! IV-A (steps 1 to 3 of Fig. 6a).
//! **What the paper leaves open and what we chose.** Cleaning when room is short: the block with
//! the most invalid pages, partly written ones included; its live pages switch wordlines first. A
//! plane keeps the pages of one block for this. Data from before time 0 fill whole blocks.
//! **Knobs.** None: each write follows steps 1 to 3, and cleaning begins where no page is left.

use super::cache::{self, Cache, CacheSpec};
use crate::base::Problem;
use crate::ftl::answer::DeviceFull;
use crate::ftl::config::{Placement, PlaneOrder};
use crate::ftl::io::Io;
use crate::ftl::piece::Piece;
use crate::ftl::scheme::{regions, Parameters, Scheme};
use crate::hw::device_config::DeviceConfig;
use crate::metrics::report::SchemeReport;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use smart_default::SmartDefault;

/// Parameters of `ips`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, SmartDefault)]
#[serde(default)]
pub struct IpsConfig {
    /// Order in which consecutive writes go to planes.
    #[default(PlaneOrder::Cwdp)]
    pub plane_order: PlaneOrder,
    /// How a write's plane is chosen.
    #[default(Placement::RoundRobin)]
    pub placement: Placement,
}

impl Parameters for IpsConfig {
    fn keeps_places(&self) -> Option<&'static str> {
        Some("its blocks are reprogrammed in place, window by window")
    }

    fn check(&self, device: &DeviceConfig, problems: &mut Vec<Problem>) {
        cache::check("ips", 0, device, problems);
    }
}

/// In-place switch without idle work.
#[derive(Clone, Serialize, Deserialize)]
pub struct Ips {
    cache: Cache,
}

impl Ips {
    pub fn new(config: &IpsConfig, device: &DeviceConfig, io: &mut Io) -> Self {
        let (plane_order, placement) = (config.plane_order, config.placement);
        Self { cache: Cache::new(&CacheSpec { device, others: 0, bank: None, plane_order, placement }, io) }
    }
}

impl Scheme for Ips {
    regions! { Cache cache.region }

    fn preload(&mut self, page: u32, mask: u32, io: &mut Io) -> Result<(), DeviceFull> {
        self.cache.preload(page, mask, io)
    }

    #[inline]
    fn write(&mut self, piece: Piece, io: &mut Io) -> Result<(), DeviceFull> {
        self.cache.write(&piece, io).map(|_| ())
    }

    fn report(&self, io: &Io) -> SchemeReport {
        self.cache.report("ips", io)
    }
}
