//! SLC blocks in zones: all data go there first, and how much of the cells they take follows a table.
//!
//! **What it does.** All new data go to SLC mode. A table says for the share of the cells in use which
//! share may be in SLC mode. What is above is rewritten in the dense mode a zone at a time, one block of
//! each plane: the first zone that was not accessed lately, else the first one. The write that goes
//! beyond the table waits.
//! **Paper.** ZnH2 (hybrid zoned storage), its device-managed mode, by its public code.
//! **What the code leaves open and what we chose.** It has zones that the host resets, here units are
//! overwritten: a unit in use is a live one, dead ones of the SLC blocks count as SLC. A zone still
//! open is not taken. One count of accesses clears the bits (`clear_accesses`), where the code compares it
//! with 100,000 at a write and with 10,000 at a read, marked there as to be mended; an access is a piece of
//! a request in one logical page. A zone that is rewritten gets its number again before a new one does.
//! **Knobs.** None.

use super::zones::Zones;
use super::{of_hybrid, Hybrid, HybridConfig, Limits, Packed};
use crate::base::{Mu, Problem};
use crate::ftl::answer::DeviceFull;
use crate::ftl::io::Io;
use crate::ftl::media::bits;
use crate::ftl::page_level;
use crate::ftl::piece::Piece;
use crate::ftl::scheme::{Parameters, Scheme};
use crate::hw::device_config::DeviceConfig;
use crate::metrics::report::SchemeReport;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use smart_default::SmartDefault;

/// Percent of the cells that may be in SLC mode, by tenths of the cells in use: the code's table.
const SHARES_PERCENT: [u32; 11] = [56, 56, 50, 40, 30, 25, 20, 10, 10, 10, 10];
/// Shares that can be asked for, percent.
const PERCENT_MAX: u32 = 95;

/// Parameters of `slc-share`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, SmartDefault)]
#[serde(default)]
pub struct SlcShareConfig {
    /// What every scheme with an SLC region of changing size has.
    #[serde(flatten)]
    pub hybrid: HybridConfig,
    /// Percent of the cells that may be in SLC mode while 0, 1, ... 10 tenths of the cells are in use: 11
    /// whole numbers from 1 to 95. A live unit in SLC mode uses as many cells as the dense mode has bits.
    #[default(SHARES_PERCENT.to_vec())]
    pub shares_percent: Vec<u32>,
    /// Accesses of the host after which no zone counts as accessed.
    #[schemars(range(min = 1, max = 1_000_000_000))]
    #[default(100_000)]
    pub clear_accesses: u32,
}

impl SlcShareConfig {
    fn limits(&self) -> Limits {
        let most = self.shares_percent.iter().copied().max().unwrap_or(0);
        Limits { slc_share_max: f64::from(most) / 100.0, ..Limits::default() }
    }
}

impl Parameters for SlcShareConfig {
    fn keeps_places(&self) -> Option<&'static str> {
        Some("its zones are certain blocks")
    }

    fn check(&self, device: &DeviceConfig, problems: &mut Vec<Problem>) {
        let shares = &self.shares_percent;
        if shares.len() != SHARES_PERCENT.len() || !shares.iter().all(|s| (1..=PERCENT_MAX).contains(s)) {
            let allowed = format!("{} whole numbers from 1 to {PERCENT_MAX}", SHARES_PERCENT.len());
            problems.push(Problem::new("scheme.slc-share.shares_percent", format!("{shares:?}"), allowed));
            return;
        }
        self.hybrid.check("slc-share", &self.limits(), device, problems);
    }

    fn settle(&mut self, device: &DeviceConfig) {
        // Zones are rewritten for the table's sake; beside it one block is room enough.
        self.hybrid.slc.start_free_blocks.get_or_insert(1);
        self.hybrid.settle(device);
    }
}

/// SLC region in zones, dense region, and the table.
#[derive(Clone, Serialize, Deserialize)]
pub struct SlcShare {
    hybrid: Hybrid,
    shares_percent: Vec<u32>,
}

impl SlcShare {
    pub fn new(config: &SlcShareConfig, device: &DeviceConfig, io: &mut Io) -> Self {
        let mut hybrid = Hybrid::new(&config.hybrid, config.limits(), 0, u64::MAX, device, io);
        let first = io.bank(hybrid.bank).first_plane();
        let planes = hybrid.slc.planes().len();
        hybrid.zones = Some(Zones::new(first, planes, hybrid.plane_blocks(), config.clear_accesses));
        let mut scheme = Self { hybrid, shares_percent: config.shares_percent.clone() };
        scheme.hybrid.begin_with(scheme.wanted(io));
        scheme
    }

    /// SLC blocks per plane for the cells in use.
    fn wanted(&self, io: &Io) -> u32 {
        let hybrid = &self.hybrid;
        let slc_units = io.array().live_in(hybrid.slc.id());
        let bits = u64::from(hybrid.dense.region.spec.mode.bits());
        let used = io.mapped() + (bits - 1) * slc_units;
        let planes = hybrid.slc.planes().len() as u64;
        let cells = planes * u64::from(hybrid.plane_blocks()) * u64::from(hybrid.dense.region.full_block(io));
        let tenths = (used * 10 / cells).min(10) as usize;
        let blocks = u64::from(hybrid.plane_blocks()) * u64::from(self.shares_percent[tenths]) / 100;
        (blocks as u32).clamp(hybrid.slc_blocks_min(), hybrid.slc_blocks_max(io))
    }

    /// Counts an access, and the zones that `piece` is read out of.
    fn note_read(&mut self, piece: &Piece, io: &Io) {
        let Some(zones) = &mut self.hybrid.zones else { return };
        let first = piece.page * io.policy().mus_per_page;
        for slot in bits(piece.mask).filter_map(|unit| io.lookup(Mu(first + unit))) {
            zones.read(io.geometry().block_of(io.geometry().page_of(slot)), io);
        }
        zones.count();
    }
}

impl Scheme for SlcShare {
    of_hybrid! {}

    fn preload(&mut self, page: u32, mask: u32, io: &mut Io) -> Result<(), DeviceFull> {
        self.hybrid.preload(page, mask, io)
    }

    fn write(&mut self, piece: Piece, io: &mut Io) -> Result<(), DeviceFull> {
        let wanted = self.wanted(io);
        self.hybrid.wanted = wanted;
        if self.hybrid.is_slc_unused() {
            self.hybrid.begin_with(wanted);
        }
        self.hybrid.write(&piece, io)?;
        if io.clockless() {
            return Ok(());
        }
        if let Some(zones) = &mut self.hybrid.zones {
            zones.count();
        }
        let wanted = self.wanted(io);
        if self.hybrid.slc_blocks() > wanted {
            self.hybrid.set_slc_blocks(wanted, io);
        }
        Ok(())
    }

    fn read(&mut self, piece: Piece, io: &mut Io) -> Result<(), DeviceFull> {
        self.note_read(&piece, io);
        page_level::read(&piece, io);
        Ok(())
    }

    fn slc_cache_limit_bytes(&self, io: &Io) -> u64 {
        self.hybrid.slc.slc_bytes(self.wanted(io), io)
    }

    /// The size that the table gives an empty device.
    fn slc_cache_bytes(&self, io: &Io) -> u64 {
        let wanted = self.hybrid.plane_blocks() * self.shares_percent[0] / 100;
        self.hybrid.slc.slc_bytes(wanted.min(self.hybrid.slc_blocks_beside(0)), io)
    }

    fn audit_own(&self, io: &Io) -> Result<(), String> {
        let hybrid = &self.hybrid;
        hybrid.zones.as_ref().map_or(Ok(()), |zones| zones.audit(|block| hybrid.slc.holds(block, io), io))
    }

    fn report(&self, io: &Io) -> SchemeReport {
        let mut report = self.hybrid.report("slc-share", io);
        // There is no threshold.
        report.figures.remove("theta_bytes");
        report
    }
}
