//! One dense region of packed units, without an SLC region.
//!
//! **What it does.** Every write waits until its units fill a page and goes to the one region of the
//! device, mapped by unit; cleaning packs what lives.
//! **Paper.** The reinforcement-learning paper's reference: "QLC-only".
//! **What the paper leaves open and what we chose.** As `dwa`: packing, and when cleaning runs.
//! **Knobs.** None.

use super::super::common::device_fit::{check_capacity, check_page, densest, largest_pool, offered_modes};
use super::super::common::tables::unit_table;
use super::{Dense, DenseRule, Packed, Packing, Reclaim, TakenPage, TimeSplit};
use crate::base::{CellMode, Problem};
use crate::ftl::answer::DeviceFull;
use crate::ftl::config::{Placement, PlaneOrder, WearLevelling};
use crate::ftl::io::Io;
use crate::ftl::piece::Piece;
use crate::ftl::region::{Pack, Region, RegionSpec};
use crate::ftl::scheme::{regions, Parameters, Scheme};
use crate::ftl::write_buffer::DENSE;
use crate::hw::device_config::DeviceConfig;
use crate::hw::timing::OpId;
use crate::metrics::report::SchemeReport;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use smart_default::SmartDefault;

/// Parameters of `qlc-only`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, SmartDefault)]
#[serde(default)]
pub struct QlcOnlyConfig {
    /// Cell mode of the whole device; default: the densest it offers, which need not be QLC.
    pub mode: Option<CellMode>,
    /// Order in which consecutive pages go to planes.
    #[default(PlaneOrder::Cwdp)]
    pub plane_order: PlaneOrder,
    /// How a page's plane is chosen.
    #[default(Placement::RoundRobin)]
    pub placement: Placement,
    /// Which free block is opened next.
    #[default(WearLevelling::Fifo)]
    pub wear_levelling: WearLevelling,
    /// Cleaning.
    pub dense: DenseRule,
    /// When the host's requests meet the work that makes room for them.
    pub reclaim: Reclaim,
}

impl QlcOnlyConfig {
    fn mode(&self, device: &DeviceConfig) -> CellMode {
        self.mode.unwrap_or_else(|| densest(device))
    }

    fn pool(&self, device: &DeviceConfig) -> Option<usize> {
        largest_pool(self.mode(device), device)
    }
}

impl Parameters for QlcOnlyConfig {
    fn settle(&mut self, device: &DeviceConfig) {
        self.mode = Some(self.mode(device));
    }

    fn check(&self, device: &DeviceConfig, problems: &mut Vec<Problem>) {
        let Some(index) = self.pool(device) else {
            let allowed = format!("one of {}", offered_modes(device));
            problems.push(Problem::new("scheme.qlc-only.mode", self.mode(device).name(), allowed));
            return;
        };
        let pool = &device.pool[index];
        check_page(device, pool, "scheme.qlc-only", problems);
        let held = self.dense.held_back();
        check_capacity(device, pool, self.mode(device), pool.blocks, held, problems);
    }
}

/// A device with one region of packed units.
#[derive(Clone, Serialize, Deserialize)]
pub struct QlcOnly {
    dense: Dense,
    packing: Packing,
}

impl QlcOnly {
    pub fn new(config: &QlcOnlyConfig, device: &DeviceConfig, io: &mut Io) -> Self {
        let pool = config.pool(device).expect("Invariant: the configuration was checked");
        let blocks = device.pool[pool].blocks;
        let spec = RegionSpec {
            pack: Pack::Mu,
            bank: None,
            pool,
            mode: config.mode(device),
            first_block: 0,
            blocks,
            order: config.plane_order.letters(),
            placement: config.placement,
            clean: config.dense.clean(config.wear_levelling),
        };
        let dense = Dense::new(spec, config.dense.threshold(), config.reclaim.class(), io);
        let packing = Packing::new(dense.slots(io), dense.region.spec.mode.bits());
        Self { dense, packing }
    }
}

impl Packed for QlcOnly {
    fn packing(&mut self) -> &mut Packing {
        &mut self.packing
    }

    fn take_page(&mut self, stream: u8, page: u32, io: &mut Io) -> Result<TakenPage, DeviceFull> {
        let (page, fills) = self.dense.host_page(page, io)?;
        Ok(TakenPage { region: stream, page, fills, after: OpId::NONE })
    }

    fn region(&mut self, _stream: u8) -> &mut Region {
        &mut self.dense.region
    }
}

impl Scheme for QlcOnly {
    regions! { Store dense.region }

    fn preload(&mut self, page: u32, mask: u32, io: &mut Io) -> Result<(), DeviceFull> {
        self.dense.preload(page, mask, io)
    }

    fn write(&mut self, piece: Piece, io: &mut Io) -> Result<(), DeviceFull> {
        self.pack(&piece, DENSE, io)
    }

    fn program_held(&mut self, all: bool, io: &mut Io) -> Result<(), DeviceFull> {
        self.program_all_held(all, io)
    }

    fn packs_units(&self) -> bool {
        true
    }

    fn held_units_max(&self) -> u32 {
        self.packing.units_max()
    }

    fn report(&self, io: &Io) -> SchemeReport {
        let mut report = SchemeReport { name: "qlc-only".into(), ..SchemeReport::default() };
        self.dense.report(&mut report);
        self.packing.report(self.dense.cleaned.padded, &mut report);
        TimeSplit::of(io.counters()).report(&mut report);
        report.tables.push(unit_table(io));
        report
    }
}
