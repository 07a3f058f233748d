//! Configuration of the flash hardware: pools of chips, cell modes and bus timing.

mod cells;
mod mode;
mod upkeep;

pub use cells::{
    BadBlocksConfig, CellsConfig, CodeConfig, ErrorsPerRead, ModeCells, RetryConfig, RetryTransfer,
    ShapeConfig, StartConfig, StartsConfig, WearRule, DAY_NS,
};
pub use mode::{FoldTimes, ModeConfig, PageKinds, ProgramRule};
pub use upkeep::{IdleRule, IdleScope, LevellingConfig, ReclaimConfig, RefreshConfig, Scrub, Uneven};

use crate::base::defaults::number;
use crate::base::{CellMode, Problem};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Longest time that one command may hold the channel, with all it carries, ns.
const HOLD_NS_MAX: u32 = 1_000_000_000;

/// What planes of one die may do at the same time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PlaneParallelism {
    /// Every plane runs its own operations.
    #[default]
    Independent,
    /// The die runs one command, which takes along ready operations of the same kind and page offset on other planes.
    MultiPlane,
    /// The die runs one operation at a time.
    Serial,
}

/// Channel and command timing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct BusConfig {
    /// Transfer time per byte in picoseconds (2000 = 500 MB/s); a transfer is rounded up to whole ns once.
    #[schemars(range(max = 1_000_000))]
    pub ps_per_byte: u32,
    /// Channel time of a read command and its address cycles, ns.
    #[serde(default)]
    pub read_command_ns: u32,
    /// Channel time before read data leave, ns.
    #[serde(default)]
    pub read_data_ns: u32,
    /// Channel time of a program command, held together with its data, ns.
    #[serde(default)]
    pub program_command_ns: u32,
    /// Channel time of an erase command, ns.
    #[serde(default)]
    pub erase_command_ns: u32,
    /// Extra channel time per further plane of a multi-plane read, ns.
    #[serde(default)]
    pub extra_plane_read_ns: u32,
    /// Extra channel time per further plane of a multi-plane program, ns.
    #[serde(default)]
    pub extra_plane_program_ns: u32,
    /// Extra channel time per further plane of a multi-plane erase, ns.
    #[serde(default)]
    pub extra_plane_erase_ns: u32,
    /// Whether a read or erase command goes before read data that wait for the channel; else those leave
    /// first, and the chips of a channel read in step.
    #[serde(default, skip_serializing_if = "is_false")]
    pub commands_first: bool,
}

#[allow(clippy::trivially_copy_pass_by_ref)] // as serde calls it
fn is_false(flag: &bool) -> bool {
    !*flag
}

impl BusConfig {
    /// Transfer time of `bytes`, rounded up to whole ns.
    #[inline(always)]
    #[allow(clippy::manual_div_ceil)]
    pub fn transfer_ns(&self, bytes: u32) -> u32 {
        // The factors have 32 bits each: the sum fits, and `div_ceil`, which cannot know, takes twice the steps.
        ((u64::from(bytes) * u64::from(self.ps_per_byte) + 999) / 1000) as u32
    }
}

/// Program and erase suspension by host reads; off unless listed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct SuspendConfig {
    /// A host read may suspend a program.
    pub program: bool,
    /// A host read may suspend an erase.
    pub erase: bool,
    /// Time to suspend, ns.
    pub suspend_ns: u32,
    /// Time to resume, ns.
    pub resume_ns: u32,
    /// How often one operation may be suspended: not 0 with suspension on.
    #[schemars(range(max = 1000))]
    pub max_suspends: u32,
}

/// Chips that can give a wordline further bits after it was used as SLC.
///
/// Only a window of neighbouring layers is reprogrammed at a time: all its wordlines are written
/// as SLC, then each gains its other bits, before the next window is begun.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ReprogramConfig {
    /// Time of one reprogram, which adds one bit per cell, ns.
    #[schemars(range(min = 1, max = 1_000_000_000))]
    pub program_ns: u32,
    /// Time to read what the wordline holds before each reprogram, ns; 0 where `program_ns` includes it.
    #[serde(default)]
    #[schemars(range(max = 1_000_000_000))]
    pub read_ns: u32,
    /// Mode a wordline ends in: its number of bits and its read times; default: the pool's densest.
    #[serde(default)]
    pub mode: Option<CellMode>,
    /// Wordlines in one layer of a block.
    #[serde(default = "number::<1, u32>")]
    #[schemars(range(min = 1, max = 64))]
    pub wordlines_per_layer: u32,
    /// Neighbouring layers that may be reprogrammed.
    #[serde(default = "number::<2, u32>")]
    #[schemars(range(min = 1, max = 16))]
    pub layers: u32,
    /// Reprograms that a wordline stands between two erases.
    #[serde(default = "number::<4, u32>")]
    #[schemars(range(min = 1, max = 16))]
    pub max_reprograms: u32,
}

impl ReprogramConfig {
    /// The mode that a wordline of `pool` ends in.
    pub fn final_mode(&self, pool: &PoolConfig) -> CellMode {
        self.mode.unwrap_or_else(|| pool.densest())
    }

    /// Wordlines of the window that is written as SLC and reprogrammed as one.
    pub fn window_wordlines(&self) -> u32 {
        self.wordlines_per_layer * self.layers
    }

    fn check(&self, key: &str, pool: &PoolConfig, problems: &mut Vec<Problem>) {
        let mode = self.final_mode(pool);
        if mode == CellMode::Slc || pool.mode(mode).is_none() || pool.slc.is_none() {
            let allowed = "mlc, tlc or qlc, and a mode that the pool offers beside slc";
            problems.push(Problem::new(format!("{key}.mode"), mode.name(), allowed));
        }
        if self.max_reprograms + 1 < mode.bits() {
            let allowed = format!("at least {}: {} needs as many", mode.bits() - 1, mode.name());
            problems.push(Problem::new(format!("{key}.max_reprograms"), self.max_reprograms, allowed));
        }
        if pool.wordlines % self.window_wordlines().max(1) != 0 {
            let allowed =
                format!("a divisor of the {} wordlines of a block, with wordlines_per_layer", pool.wordlines);
            problems.push(Problem::new(format!("{key}.layers"), self.layers, allowed));
        }
    }
}

/// A pool of identical flash chips.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PoolConfig {
    /// Name used in results.
    pub name: String,
    /// Channels of this pool.
    #[schemars(range(min = 1, max = 256))]
    pub channels: u32,
    /// Chips per channel.
    #[schemars(range(min = 1, max = 64))]
    pub chips: u32,
    /// Dies per chip.
    #[schemars(range(min = 1, max = 16))]
    pub dies: u32,
    /// Planes per die.
    #[schemars(range(min = 1, max = 16))]
    pub planes: u32,
    /// Blocks per plane.
    #[schemars(range(min = 4, max = 65_536))]
    pub blocks: u32,
    /// Wordlines per block (pages in SLC mode).
    #[schemars(range(min = 1, max = 4096))]
    pub wordlines: u32,
    /// Page size in bytes, a multiple of the mapping unit.
    pub page_bytes: u32,
    /// Channel and command timing.
    pub bus: BusConfig,
    /// What planes of one die may do at once.
    #[serde(default)]
    pub plane_parallelism: PlaneParallelism,
    /// Program and erase suspension.
    #[serde(default)]
    pub suspend: SuspendConfig,
    /// SLC mode, if the chips offer it.
    #[serde(default)]
    pub slc: Option<ModeConfig>,
    /// MLC mode, if the chips offer it.
    #[serde(default)]
    pub mlc: Option<ModeConfig>,
    /// TLC mode, if the chips offer it.
    #[serde(default)]
    pub tlc: Option<ModeConfig>,
    /// QLC mode, if the chips offer it.
    #[serde(default)]
    pub qlc: Option<ModeConfig>,
    /// Reprogramming in place, if the chips offer it.
    #[serde(default)]
    pub reprogram: Option<ReprogramConfig>,
}

impl PoolConfig {
    /// The parameters of `mode`, if the pool offers it.
    pub fn mode(&self, mode: CellMode) -> Option<&ModeConfig> {
        match mode {
            CellMode::Slc => self.slc.as_ref(),
            CellMode::Mlc => self.mlc.as_ref(),
            CellMode::Tlc => self.tlc.as_ref(),
            CellMode::Qlc => self.qlc.as_ref(),
        }
    }

    pub(super) fn mode_mut(&mut self, mode: CellMode) -> Option<&mut ModeConfig> {
        match mode {
            CellMode::Slc => self.slc.as_mut(),
            CellMode::Mlc => self.mlc.as_mut(),
            CellMode::Tlc => self.tlc.as_mut(),
            CellMode::Qlc => self.qlc.as_mut(),
        }
    }

    /// The densest mode offered; a pool without any mode is refused by `check`.
    pub fn densest(&self) -> CellMode {
        CellMode::ALL.into_iter().rev().find(|&m| self.mode(m).is_some()).unwrap_or(CellMode::Slc)
    }

    /// Bytes of the largest program of a plane: a page, or a wordline in one shot.
    pub fn program_bytes(&self) -> u64 {
        let pages = |mode: CellMode| match self.mode(mode).map(|config| config.program) {
            Some(ProgramRule::OneShot) => mode.bits(),
            _ => 1,
        };
        u64::from(self.page_bytes) * u64::from(CellMode::ALL.into_iter().map(pages).max().unwrap_or(1))
    }

    /// Planes of the whole pool.
    pub fn plane_count(&self) -> u32 {
        self.channels * self.chips * self.dies * self.planes
    }

    /// Array time of a fold into a wordline of `mode`, ns; none where the chips have no fold.
    pub fn fold_ns(&self, mode: CellMode) -> Option<u64> {
        let (dense, slc) = (self.mode(mode)?, self.slc.as_ref()?);
        let fold = dense.fold?;
        let bits = u64::from(mode.bits());
        let sum = |times: &[u32]| times.iter().map(|&ns| u64::from(ns)).sum::<u64>();
        let own_ns = match (dense.program, dense.program_ns.as_slice()) {
            (ProgramRule::PerPage, [page_ns]) => bits * u64::from(*page_ns),
            (_, times) => sum(times),
        };
        let slc_ns = slc.read_ns.first().copied().unwrap_or(0);
        let read_ns = bits * u64::from(fold.read_ns.unwrap_or(slc_ns));
        Some(fold.program_ns.map_or(own_ns, u64::from) + read_ns)
    }

    /// Longest channel time of a read's data, of every plane that a command takes along, ns.
    fn read_out_ns(&self) -> u64 {
        let planes = match self.plane_parallelism {
            PlaneParallelism::MultiPlane => u64::from(self.planes),
            PlaneParallelism::Independent | PlaneParallelism::Serial => 1,
        };
        let page_ns = (u64::from(self.page_bytes) * u64::from(self.bus.ps_per_byte)).div_ceil(1000);
        planes * (u64::from(self.bus.read_data_ns) + page_ns)
    }

    pub fn pages_per_block(&self, mode: CellMode) -> u32 {
        self.wordlines * mode.bits()
    }

    /// Bytes of the pool with every block in `mode`.
    pub fn raw_bytes(&self, mode: CellMode) -> u64 {
        u64::from(self.plane_count())
            * u64::from(self.blocks)
            * u64::from(self.pages_per_block(mode))
            * u64::from(self.page_bytes)
    }

    /// Adds every problem of this pool; `key` is its dotted place.
    pub fn check(&self, key: &str, mu_bytes: u32, problems: &mut Vec<Problem>) {
        let page = self.page_bytes;
        if mu_bytes == 0 || page == 0 || page % mu_bytes != 0 || page / mu_bytes > 16 {
            let allowed = format!("1 to 16 mapping units of {mu_bytes} bytes");
            problems.push(Problem::new(format!("{key}.page_bytes"), page, allowed));
        }
        if CellMode::ALL.iter().all(|&m| self.mode(m).is_none()) {
            problems.push(Problem::new(key, "no cell mode", "given at least one of slc, mlc, tlc, qlc"));
        }
        self.check_bus(key, problems);
        let suspends = self.suspend.program || self.suspend.erase;
        if suspends && self.suspend.max_suspends == 0 {
            let key = format!("{key}.suspend.max_suspends");
            problems.push(Problem::new(key, 0, "between 1 and 1000 with suspension on"));
        }
        for mode in CellMode::ALL {
            if let Some(config) = self.mode(mode) {
                config.check(&format!("{key}.{}", mode.name()), mode, problems);
            }
        }
        self.check_folds(key, problems);
        if let Some(reprogram) = &self.reprogram {
            reprogram.check(&format!("{key}.reprogram"), self, problems);
        }
    }
}

impl PoolConfig {
    /// A fold is one operation: its time is counted in 32 bits, with whatever a scheme adds.
    fn check_folds(&self, key: &str, problems: &mut Vec<Problem>) {
        let with_fold = |mode: &CellMode| self.mode(*mode).is_some_and(|config| config.fold.is_some());
        for mode in CellMode::ALL.into_iter().filter(with_fold) {
            let key = format!("{key}.{}.fold", mode.name());
            if mode == CellMode::Slc || self.slc.is_none() {
                let allowed = "left out: SLC pages are folded into a denser mode of the same pool";
                problems.push(Problem::new(key, "present", allowed));
                continue;
            }
            let all_ns = self.fold_ns(mode).unwrap_or(0);
            if all_ns > 1_000_000_000 {
                let allowed = "times that come to at most 1000000000 ns, reads and program together";
                problems.push(Problem::new(key, format!("{all_ns} ns"), allowed));
            }
        }
    }

    /// No command, with its data and those of every plane it takes along, may hold the channel for
    /// longer than an array operation may take: times of one operation are counted in 32 bits.
    fn check_bus(&self, key: &str, problems: &mut Vec<Problem>) {
        let bus = &self.bus;
        let planes = match self.plane_parallelism {
            PlaneParallelism::MultiPlane => u128::from(self.planes),
            PlaneParallelism::Independent | PlaneParallelism::Serial => 1,
        };
        let modes = CellMode::ALL.into_iter().filter_map(|mode| Some((mode, self.mode(mode)?)));
        let pages =
            modes.filter(|(_, config)| config.program == ProgramRule::OneShot).map(|(mode, _)| mode.bits());
        let pages = u128::from(pages.max().unwrap_or(1));
        let page_ns = (u128::from(self.page_bytes) * u128::from(bus.ps_per_byte)).div_ceil(1000);
        let whole = |command_ns: u32, extra_ns: u32, data_ns: u128| {
            u128::from(command_ns) + (planes.max(1) - 1) * u128::from(extra_ns) + planes * data_ns
        };
        let read_ns = u128::from(bus.read_data_ns) + page_ns;
        let holds = [
            (
                "read",
                "read_command_ns, read_data_ns, extra_plane_read_ns",
                whole(bus.read_command_ns, bus.extra_plane_read_ns, read_ns),
            ),
            (
                "program",
                "program_command_ns, extra_plane_program_ns",
                whole(bus.program_command_ns, bus.extra_plane_program_ns, pages * page_ns),
            ),
            (
                "erase",
                "erase_command_ns, extra_plane_erase_ns",
                whole(bus.erase_command_ns, bus.extra_plane_erase_ns, 0),
            ),
        ];
        for (what, keys, ns) in holds {
            if ns > u128::from(HOLD_NS_MAX) {
                let allowed = format!(
                    "at most {HOLD_NS_MAX} ns: {keys}, ps_per_byte, page_bytes or planes are too large"
                );
                problems.push(Problem::new(
                    format!("{key}.bus"),
                    format!("a {what} that holds the channel for {ns} ns"),
                    allowed,
                ));
            }
        }
    }
}
