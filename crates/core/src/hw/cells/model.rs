//! How the cells of a block err by what it went through: its cycles, age and reads, and when it needs a move.

use super::bad_blocks::BadBlocks;
use super::rates::{of_kinds, Condition, ModeRates, Rates};
use crate::base::{BlockId, CellMode, PlaneId};
use crate::hw::config::{CellsConfig, ErrorsPerRead, PoolConfig, StartConfig, WearRule, DAY_NS};
use crate::hw::geometry::Geometry;
use bytemuck::{Pod, Zeroable};
use serde::{Deserialize, Serialize};

pub const MODES: usize = CellMode::COUNT;
/// The place of SLC pages among page kinds.
pub const SLC: usize = 4;
/// The chance that the worst codeword of a read has at most the errors that are expected.
const MEDIAN: f64 = 0.5;

/// What is kept of one block (zero: never opened).
#[derive(Clone, Copy, Debug, Default, PartialEq, Zeroable, Pod)]
#[repr(C)]
pub struct Cell {
    /// When the block, or its window of layers, was opened, ns; before the device was restored below 0.
    pub opened_ns: i64,
    /// When what reads take is to be found anew, ns; 0: at the next read.
    pub due_ns: u64,
    pub reads: u32,
    /// Reads at which it is to be found anew.
    pub due_reads: u32,
    /// Pages programmed when it was found.
    pub pages: u16,
    /// Whether it was opened before time 0: then it has the age and the reads of the start.
    pub before: u8,
    /// Whether no read takes anything more than usual.
    pub quiet: u8,
    /// The needs of a move that it was found to have since it was opened, a bit each.
    pub found: u8,
    /// Whether it was ever opened.
    pub opened: u8,
    pub unused: [u8; 2],
}

/// A mode of a pool as the model has it.
#[derive(Clone, Debug)]
pub struct ModeModel {
    pub rates: ModeRates,
    /// The same of wordlines that were reprogrammed.
    pub reprogrammed: ModeRates,
    pub kinds: Vec<f64>,
    pub start: StartConfig,
    /// The kind of each page.
    pub pages: Vec<u8>,
}

impl ModeModel {
    fn new(pool: &PoolConfig, mode: CellMode, config: &CellsConfig) -> Option<Self> {
        let chips = pool.mode(mode)?;
        let mut cells = chips.cells.clone().unwrap_or_default();
        cells.settle(mode);
        let eps = cells.eps.unwrap_or(0.0);
        let endurance_cycles = chips.endurance_cycles.map_or(f64::INFINITY, f64::from);
        let rates = ModeRates { eps, endurance_cycles };
        let kind = |page| chips.page_kind(mode, page) as u8;
        Some(Self {
            rates,
            reprogrammed: ModeRates { eps: eps * config.reprogrammed_eps_factor, ..rates },
            kinds: of_kinds(cells.senses.as_deref().unwrap_or(&[1])),
            start: *config.start.of(mode),
            pages: (0..pool.pages_per_block(mode)).map(kind).collect(),
        })
    }
}

/// What of a block decides how its cells err.
#[derive(Clone, Copy, Debug)]
pub struct Life {
    pub block: BlockId,
    pub pool: usize,
    /// The mode it was opened in.
    pub mode: CellMode,
    pub is_two_layer: bool,
    /// Pages programmed.
    pub pages: u32,
    /// Erases by mode.
    pub erases: [u32; MODES],
    pub now_ns: u64,
}

/// Why the data of a block are to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Need {
    /// They were read often.
    Reclaim,
    /// They have aged.
    Refresh,
}

impl Need {
    pub const ALL: [Self; 2] = [Self::Reclaim, Self::Refresh];

    pub fn bit(self) -> u8 {
        1 << self as u8
    }

    /// Whether it is met at once, and not in idle time.
    pub fn is_urgent(self) -> bool {
        self == Self::Reclaim
    }
}

/// What decides how cells err, and when.
#[derive(Clone, Debug, Default)]
pub struct Model {
    pub rates: Rates,
    pub rule: WearRule,
    pub is_sampled: bool,
    /// By pool and mode.
    pub modes: Vec<Option<ModeModel>>,
    /// Endurance of the densest mode of each pool.
    pub densest: Vec<f64>,
    /// Deviations of the worst codeword of so many mapping units, less one, that are expected.
    pub zs: Vec<f64>,
    pub mu_bytes: u32,
    pub days_per_ns: f64,
    /// Numbers that blocks may have: those of spare ones follow.
    pub blocks: u64,
    pub bad_blocks: Option<Box<BadBlocks>>,
    /// Reads since a block was opened at which its data are to move.
    pub reclaim_reads: Option<f64>,
    /// Steps that age may add to a read before the data are to move.
    pub refresh_steps: Option<u32>,
}

impl Model {
    pub fn new(config: &CellsConfig, geometry: &Geometry) -> Self {
        let rates = Rates::new(config);
        let slots = 1 << geometry.slot_bits;
        let mode = |pool, mode| ModeModel::new(pool, mode, config);
        let pools = || geometry.pools.iter().map(|pool| &pool.config);
        let endurance = |pool: &PoolConfig| pool.mode(pool.densest()).and_then(|mode| mode.endurance_cycles);
        Self {
            rule: config.wear,
            is_sampled: config.mode == ErrorsPerRead::Sampled,
            modes: pools().flat_map(|pool| CellMode::ALL.map(|m| mode(pool, m))).collect(),
            densest: pools().map(|pool| endurance(pool).map_or(f64::INFINITY, f64::from)).collect(),
            zs: (1..=slots).map(|units| rates.worst_of(units * geometry.mu_bytes, MEDIAN)).collect(),
            mu_bytes: geometry.mu_bytes,
            days_per_ns: config.age_scale / DAY_NS,
            blocks: geometry.block_numbers() as u64,
            bad_blocks: config.bad_blocks.map(|config| {
                let planes = (0..geometry.planes.len() as u32).map(PlaneId);
                let blocks = |plane: PlaneId| {
                    (0..geometry.pool_of(plane).blocks).map(move |i| geometry.block(plane, i))
                };
                let share = config.factory_bad;
                let is_bad = |block: BlockId| rates.is_factory_bad(block.0.into(), share);
                let first_spare = geometry.block_numbers() as u64;
                Box::new(BadBlocks::new(&config, planes.map(blocks), is_bad, first_spare))
            }),
            reclaim_reads: config.reclaim.map(|reclaim| reclaim.reads.into()),
            refresh_steps: config.refresh.map(|refresh| refresh.steps),
            rates,
        }
    }

    pub fn mode(&self, pool: usize, mode: CellMode) -> &ModeModel {
        self.modes[pool * MODES + mode as usize].as_ref().expect("Invariant: blocks are of modes there are")
    }

    /// The number of the cells in a block's place, and whether they are a spare block's.
    pub fn cells_of(&self, block: BlockId) -> (u64, bool) {
        let spare = self.bad_blocks.as_ref().and_then(|bad| bad.spare_at(block));
        (spare.unwrap_or(block.0.into()), spare.is_some())
    }

    /// Cycles of `mode` that the block had at time 0: a spare one had none.
    fn start_cycles(&self, life: &Life, mode: CellMode) -> f64 {
        match self.cells_of(life.block) {
            (_, true) => 0.0,
            (_, false) => self.mode(life.pool, mode).start.cycles.into(),
        }
    }

    /// What a block that was opened has used of its life, in the mode in which that is most.
    pub fn damage(&self, life: &Life) -> f64 {
        let is_worn = |mode: &CellMode| life.erases[*mode as usize] > 0 || *mode == life.mode;
        let erased = CellMode::ALL.into_iter().filter(is_worn);
        let used = |mode| self.cycles(life, mode) / self.mode(life.pool, mode).rates.endurance_cycles;
        erased.map(used).fold(0.0, f64::max)
    }

    /// Cycles of `mode` that the block's wear comes to.
    fn cycles(&self, life: &Life, mode: CellMode) -> f64 {
        let own = self.mode(life.pool, mode);
        let all = CellMode::ALL.into_iter().filter(|&mode| life.erases[mode as usize] > 0);
        let worn: f64 = match self.rule {
            WearRule::Damage => {
                let endurance = |mode| self.mode(life.pool, mode).rates.endurance_cycles;
                let damage: f64 =
                    all.map(|mode| f64::from(life.erases[mode as usize]) / endurance(mode)).sum();
                damage * own.rates.endurance_cycles
            }
            WearRule::Same => {
                let cycles: u32 = all.map(|mode| life.erases[mode as usize]).sum();
                f64::from(cycles) * own.rates.endurance_cycles / self.densest[life.pool]
            }
            WearRule::Apart => life.erases[mode as usize].into(),
        };
        self.start_cycles(life, mode) + worn
    }

    /// Cycles of the densest mode that so many erases by mode come to.
    pub fn worn_cycles(&self, pool: usize, erases: [u32; MODES]) -> f64 {
        let densest = self.densest[pool];
        let worn = CellMode::ALL.into_iter().zip(erases).filter(|&(_, erases)| erases > 0);
        let weighed = worn.map(|(mode, erases)| {
            let own = match self.rule {
                WearRule::Same => densest,
                WearRule::Damage | WearRule::Apart => self.mode(pool, mode).rates.endurance_cycles,
            };
            f64::from(erases) * (densest / own)
        });
        match self.rule {
            WearRule::Apart => weighed.fold(0.0, f64::max),
            WearRule::Damage | WearRule::Same => weighed.sum(),
        }
    }

    pub fn condition(&self, life: &Life, cell: &Cell, mode: CellMode) -> Condition {
        let (days, reads) = self.begun(life.pool, cell, mode);
        let age_ns = life.now_ns as f64 - cell.opened_ns as f64;
        Condition {
            cycles: self.cycles(life, mode),
            days: days + age_ns.max(0.0) * self.days_per_ns,
            reads: reads + f64::from(cell.reads) / f64::from(life.pages.max(1)),
        }
    }

    /// Age in days and reads of each page with which a block begins.
    pub fn begun(&self, pool: usize, cell: &Cell, mode: CellMode) -> (f64, f64) {
        let start = self.mode(pool, mode).start;
        match cell.before {
            0 => (0.0, 0.0),
            _ => (start.days, start.reads),
        }
    }

    /// When a block needs a move, ns, and at how many reads since it was opened.
    pub fn due(&self, need: Need, life: &Life, cell: &Cell) -> (f64, f64) {
        match need {
            Need::Reclaim => (f64::INFINITY, self.reclaim_due(life, cell)),
            Need::Refresh => (self.refresh_due(life, cell), f64::INFINITY),
        }
    }

    /// The reads that make a block one that was read often; those before time 0 count.
    fn reclaim_due(&self, life: &Life, cell: &Cell) -> f64 {
        let (_, begun) = self.begun(life.pool, cell, life.mode);
        self.reclaim_reads.map_or(f64::INFINITY, |reads| reads - begun * f64::from(life.pages))
    }

    /// When the data of a block have aged as it is read now, ns.
    fn refresh_due(&self, life: &Life, cell: &Cell) -> f64 {
        let (Some(steps), Some(&z)) = (self.refresh_steps, self.zs.last()) else { return f64::INFINITY };
        let due = |(mode, rates, _): (CellMode, ModeRates, usize)| {
            let at = self.condition(life, cell, mode);
            let days = self.rates.refresh_days(rates, &self.mode(life.pool, mode).kinds, z, at, steps);
            let (begun, _) = self.begun(life.pool, cell, mode);
            cell.opened_ns as f64 + (days - begun) / self.days_per_ns
        };
        self.read_modes(life).map(due).fold(f64::INFINITY, f64::min)
    }

    /// The modes in which pages of the block are read, each with its rates and the place of its kinds.
    pub fn read_modes(&self, life: &Life) -> impl Iterator<Item = (CellMode, ModeRates, usize)> + '_ {
        let own = self.rates.of_block(self.cells_of(life.block).0);
        let scaled = move |rates: ModeRates| ModeRates { eps: rates.eps * own, ..rates };
        let dense = self.mode(life.pool, life.mode);
        let rates = if life.is_two_layer { dense.reprogrammed } else { dense.rates };
        let place = if life.mode == CellMode::Slc { SLC } else { 0 };
        let single = life.is_two_layer.then(|| self.mode(life.pool, CellMode::Slc).rates);
        let single = single.map(|rates| (CellMode::Slc, scaled(rates), SLC));
        [(life.mode, scaled(rates), place)].into_iter().chain(single)
    }
}
