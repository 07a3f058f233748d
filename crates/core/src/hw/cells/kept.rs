//! What is kept of each block's cells: when it was opened, how often it was read, what its reads take, and
//! until when they do.

use super::bad_blocks::{BadBlocks, Fate};
use super::rates::{of_kinds, Condition, ModeRates, Outcome, Rates, Until, Z_MAX};
use crate::base::rng::RngStream;
use crate::base::sparse;
use crate::base::{BlockId, CellMode, PlaneId};
use crate::hw::config::{CellsConfig, ErrorsPerRead, PoolConfig, StartConfig, WearRule, DAY_NS};
use crate::hw::geometry::Geometry;
use bytemuck::{Pod, Zeroable};
use serde::{Deserialize, Serialize};

const MODES: usize = CellMode::COUNT;
/// Page kinds of the densest mode, and SLC pages, which two-layer blocks have beside them.
const KINDS: usize = 5;
/// The place of SLC pages among them.
const SLC: usize = 4;
/// The chance that the worst codeword of a read has at most the errors that are expected.
const MEDIAN: f64 = 0.5;

/// What is kept of one block (zero: never opened).
#[derive(Clone, Copy, Debug, Default, PartialEq, Zeroable, Pod)]
#[repr(C)]
struct Cell {
    /// When the block, or its window of layers, was opened, ns; before the device was restored below 0.
    opened_ns: i64,
    /// When what reads take is to be found anew, ns; 0: at the next read.
    due_ns: u64,
    reads: u32,
    /// Reads at which it is to be found anew.
    due_reads: u32,
    /// Pages programmed when it was found.
    pages: u16,
    /// Whether it was opened before time 0: then it has the age and the reads of the start.
    before: u8,
    /// Whether no read takes anything more than usual.
    quiet: u8,
    /// The needs of a move that it was found to have since it was opened, a bit each.
    found: u8,
    /// Whether it was ever opened.
    opened: u8,
    unused: [u8; 2],
}

/// A mode of a pool as the model has it.
#[derive(Clone, Debug)]
struct Mode {
    rates: ModeRates,
    /// The same of wordlines that were reprogrammed.
    reprogrammed: ModeRates,
    kinds: Vec<f64>,
    start: StartConfig,
    /// The kind of each page.
    pages: Vec<u8>,
}

impl Mode {
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

/// A page as reads see it.
#[derive(Clone, Copy, Debug)]
pub struct PageAt {
    /// Its number in the block, of a two-layer block its bit.
    pub index: u32,
    /// Whether it is of a wordline of a two-layer block with one bit.
    pub is_single: bool,
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
    const ALL: [Self; 2] = [Self::Reclaim, Self::Refresh];

    fn bit(self) -> u8 {
        1 << self as u8
    }

    /// Whether it is met at once, and not in idle time.
    pub fn is_urgent(self) -> bool {
        self == Self::Reclaim
    }
}

/// The cells of all blocks.
#[derive(Clone)]
pub struct Cells {
    model: Model,
    kept: Box<[Cell]>,
    /// What reads of each block take, packed, by page kind and mapping units.
    outcomes: Vec<u8>,
    /// Blocks that were found to need a move, until they are taken.
    found: Vec<(BlockId, Need)>,
}

/// What a snapshot holds of them: times count from when it was made.
#[derive(Clone, Serialize, Deserialize)]
pub struct SavedCells {
    #[serde(with = "sparse")]
    kept: Box<[Cell]>,
    bad_blocks: Option<Box<BadBlocks>>,
}

#[derive(Clone, Debug, Default)]
struct Model {
    rates: Rates,
    rule: WearRule,
    is_sampled: bool,
    /// By pool and mode.
    modes: Vec<Option<Mode>>,
    /// Endurance of the densest mode of each pool.
    densest: Vec<f64>,
    /// Deviations of the worst codeword of so many mapping units, less one, that are expected.
    zs: Vec<f64>,
    mu_bytes: u32,
    days_per_ns: f64,
    /// Numbers that blocks may have: those of spare ones follow.
    blocks: u64,
    bad_blocks: Option<Box<BadBlocks>>,
    /// Reads since a block was opened at which its data are to move.
    reclaim_reads: Option<f64>,
    /// Steps that age may add to a read before the data are to move.
    refresh_steps: Option<u32>,
}

impl Model {
    fn mode(&self, pool: usize, mode: CellMode) -> &Mode {
        self.modes[pool * MODES + mode as usize].as_ref().expect("Invariant: blocks are of modes there are")
    }

    /// The number of the cells in a block's place, and whether they are a spare block's.
    fn cells_of(&self, block: BlockId) -> (u64, bool) {
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
    fn damage(&self, life: &Life) -> f64 {
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
    fn worn_cycles(&self, pool: usize, erases: [u32; MODES]) -> f64 {
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

    fn condition(&self, life: &Life, cell: &Cell, mode: CellMode) -> Condition {
        let (days, reads) = self.begun(life.pool, cell, mode);
        let age_ns = life.now_ns as f64 - cell.opened_ns as f64;
        Condition {
            cycles: self.cycles(life, mode),
            days: days + age_ns.max(0.0) * self.days_per_ns,
            reads: reads + f64::from(cell.reads) / f64::from(life.pages.max(1)),
        }
    }

    /// Age in days and reads of each page with which a block begins.
    fn begun(&self, pool: usize, cell: &Cell, mode: CellMode) -> (f64, f64) {
        let start = self.mode(pool, mode).start;
        match cell.before {
            0 => (0.0, 0.0),
            _ => (start.days, start.reads),
        }
    }

    /// When a block needs a move, ns, and at how many reads since it was opened.
    fn due(&self, need: Need, life: &Life, cell: &Cell) -> (f64, f64) {
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
    fn read_modes(&self, life: &Life) -> impl Iterator<Item = (CellMode, ModeRates, usize)> + '_ {
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

impl Cells {
    /// Bytes that they take.
    pub fn bytes(geometry: &Geometry) -> u64 {
        let slots = 1 << geometry.slot_bits;
        (geometry.block_numbers() * (size_of::<Cell>() + KINDS * slots)) as u64
    }

    /// Of blocks never opened.
    pub fn new(config: &CellsConfig, geometry: &Geometry) -> Self {
        let rates = Rates::new(config);
        let slots = 1 << geometry.slot_bits;
        let mode = |pool, mode| Mode::new(pool, mode, config);
        let pools = || geometry.pools.iter().map(|pool| &pool.config);
        let endurance = |pool: &PoolConfig| pool.mode(pool.densest()).and_then(|mode| mode.endurance_cycles);
        let model = Model {
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
        };
        Self {
            model,
            kept: bytemuck::zeroed_slice_box(geometry.block_numbers()),
            outcomes: vec![0; geometry.block_numbers() * KINDS * slots as usize],
            found: Vec::new(),
        }
    }

    /// What a snapshot made at `now_ns` holds.
    pub fn save(&self, now_ns: u64) -> SavedCells {
        let mut kept = self.kept.clone();
        // What was opened at time 0 has aged too.
        for cell in kept.iter_mut().filter(|cell| cell.opened != 0) {
            let Cell { opened_ns, reads, before, found, opened, .. } = *cell;
            let opened_ns = opened_ns - now_ns as i64;
            *cell = Cell { opened_ns, reads, before, found, opened, ..Cell::default() };
        }
        let bad_blocks = self.model.bad_blocks.as_ref().map(|bad| Box::new(bad.at_rest()));
        SavedCells { kept, bad_blocks }
    }

    /// Takes what a snapshot holds, or says what does not fit; it is time 0.
    pub fn load(&mut self, saved: SavedCells) -> Result<(), String> {
        let is_past =
            |cell: &Cell| cell.opened_ns <= 0 && cell.before <= 1 && cell.found < 1 << Need::ALL.len();
        if self.kept.len() != saved.kept.len() || !saved.kept.iter().all(is_past) {
            return Err(format!("cells of {} blocks", saved.kept.len()));
        }
        let mut bad_blocks = saved.bad_blocks;
        match (&mut bad_blocks, &self.model.bad_blocks) {
            (Some(saved), Some(fresh)) => saved.resume(fresh, self.kept.len())?,
            (None, None) => {}
            _ => return Err("bad blocks, or none, unlike those of the device".into()),
        }
        self.model.bad_blocks = bad_blocks;
        for (cell, saved) in self.kept.iter_mut().zip(saved.kept) {
            let Cell { opened_ns, reads, before, found, opened, .. } = saved;
            *cell = Cell { opened_ns, reads, before, found, opened, ..Cell::default() };
        }
        Ok(())
    }

    /// The bad blocks, where there are or may be any.
    pub fn bad_blocks(&self) -> Option<&BadBlocks> {
        self.model.bad_blocks.as_deref()
    }

    pub fn bad_blocks_mut(&mut self) -> Option<&mut BadBlocks> {
        self.model.bad_blocks.as_deref_mut()
    }

    /// What a block has used of its life, by the rule in force.
    pub fn damage(&self, life: &Life) -> f64 {
        self.model.damage(life)
    }

    /// Cycles of the densest mode of `pool` that a block's erases by mode come to, those before time 0 left out.
    pub fn worn_cycles(&self, pool: usize, erases: [u32; MODES]) -> f64 {
        self.model.worn_cycles(pool, erases)
    }

    /// Whether a spare block has the place of `block`.
    pub fn is_spare(&self, block: BlockId) -> bool {
        self.model.cells_of(block).1
    }

    /// What becomes of a block that was erased with so much `damage`.
    pub fn retire(&mut self, life: &Life, damage: f64, plane: PlaneId, is_needed: bool) -> Fate {
        let model = &mut self.model;
        let is_worn_out = damage * model.rates.of_block(model.cells_of(life.block).0) >= 1.0;
        let bad = model.bad_blocks.as_mut().filter(|bad| is_worn_out && bad.end().is_none());
        bad.map_or(Fate::Stays, |bad| bad.retire(life.block, plane, life.now_ns, model.blocks, is_needed))
    }

    /// A block, or a window of its layers, is opened at `now_ns`; `before` time 0.
    pub fn open(&mut self, block: BlockId, now_ns: u64, before: bool) {
        let opened_ns = now_ns as i64;
        self.kept[block.index()] = Cell { opened_ns, before: before.into(), opened: 1, ..Cell::default() };
    }

    /// Takes the next block that was found to need a move.
    #[inline]
    pub fn take_found(&mut self) -> Option<(BlockId, Need)> {
        self.found.pop()
    }

    /// Whether a block was found to need a move since it was opened.
    pub fn was_found(&self, block: BlockId) -> bool {
        self.kept[block.index()].found != 0
    }

    /// Steps that a read of a whole page takes beyond those of data freshly written there, of the worst kind.
    pub fn aged_steps(&self, life: &Life) -> u32 {
        let (model, cell) = (&self.model, &self.kept[life.block.index()]);
        let z = model.zs.last().copied().unwrap_or(0.0);
        let aged = |(mode, rates, _): (CellMode, ModeRates, usize)| {
            let at = model.condition(life, cell, mode);
            let fresh = Condition { days: 0.0, reads: 0.0, ..at };
            let steps = move |kind, at| model.rates.outcome(model.rates.rates(rates, kind, at), z).steps;
            let kinds = model.mode(life.pool, mode).kinds.iter();
            kinds.map(|&kind| u32::from(steps(kind, at) - steps(kind, fresh))).max().unwrap_or(0)
        };
        model.read_modes(life).map(aged).max().unwrap_or(0)
    }

    /// Whether the next `count` reads of a block take nothing more than usual.
    pub fn is_quiet(&mut self, life: &Life, count: u32) -> bool {
        self.settle(life);
        let cell = &self.kept[life.block.index()];
        cell.quiet == 1 && cell.reads.saturating_add(count) < cell.due_reads
    }

    /// Whether a read of all of a page takes nothing more than usual.
    pub fn is_clean(&mut self, life: &Life, page: PageAt, units: u32) -> bool {
        self.settle(life);
        self.kept[life.block.index()].quiet == 1
            || (!self.model.is_sampled && self.outcomes[self.place(life, page, units)] == 0)
    }

    /// How many steps a read of all of a page takes, the expected ones; nothing is counted.
    pub fn steps(&mut self, life: &Life, page: PageAt, units: u32) -> u32 {
        self.settle(life);
        if self.kept[life.block.index()].quiet == 1 {
            return 0;
        }
        if self.model.is_sampled {
            return self.expected(life, page, units).steps.into();
        }
        Outcome::unpacked(self.outcomes[self.place(life, page, units)]).steps.into()
    }

    /// Counts reads of a block.
    pub fn count_reads(&mut self, block: BlockId, count: u32) {
        let reads = &mut self.kept[block.index()].reads;
        *reads = reads.saturating_add(count);
    }

    /// What a read of `units` mapping units of a page takes; it is counted.
    pub fn read(&mut self, life: &Life, page: PageAt, units: u32, rng: &mut RngStream) -> Outcome {
        self.count_reads(life.block, 1);
        self.settle(life);
        if self.kept[life.block.index()].quiet == 1 {
            return Outcome::default();
        }
        if self.model.is_sampled {
            return self.draw(life, page, units, rng);
        }
        Outcome::unpacked(self.outcomes[self.place(life, page, units)])
    }

    /// What a read takes whose worst codeword has the median of errors.
    fn expected(&self, life: &Life, page: PageAt, units: u32) -> Outcome {
        let z = self.model.zs[(units as usize).clamp(1, self.model.zs.len()) - 1];
        self.model.rates.outcome(self.rates(life, page), z)
    }

    fn draw(&self, life: &Life, page: PageAt, units: u32, rng: &mut RngStream) -> Outcome {
        let model = &self.model;
        let rates = self.rates(life, page);
        if model.rates.outcome(rates, Z_MAX) == Outcome::default() {
            return Outcome::default();
        }
        // Above 0, where the logarithm ends.
        let chance = rng.fraction().max(f64::MIN_POSITIVE);
        model.rates.outcome(rates, model.rates.worst_of(units * model.mu_bytes, chance))
    }

    /// The error rates of a page at the best references and at the default ones.
    fn rates(&self, life: &Life, page: PageAt) -> (f64, f64) {
        let model = &self.model;
        let is_single = page.is_single || life.mode == CellMode::Slc;
        let mut modes = model.read_modes(life);
        let (mode, rates, _) = modes
            .find(|(mode, ..)| (*mode == CellMode::Slc) == is_single)
            .expect("Invariant: a page is of one of its block's modes");
        let kind = if is_single { 1.0 } else { model.mode(life.pool, mode).kinds[self.kind(life, page)] };
        let at = model.condition(life, &self.kept[life.block.index()], mode);
        model.rates.rates(rates, kind, at)
    }

    fn kind(&self, life: &Life, page: PageAt) -> usize {
        match (life.is_two_layer, life.mode) {
            _ if page.is_single => SLC,
            (_, CellMode::Slc) => SLC,
            (true, _) => page.index as usize,
            (false, mode) => self.model.mode(life.pool, mode).pages[page.index as usize].into(),
        }
    }

    /// Where what a read takes is kept.
    fn place(&self, life: &Life, page: PageAt, units: u32) -> usize {
        let slots = self.model.zs.len();
        (life.block.index() * KINDS + self.kind(life, page)) * slots + (units as usize).clamp(1, slots) - 1
    }

    /// Finds what reads of a block take, if that is due.
    #[inline]
    fn settle(&mut self, life: &Life) {
        let cell = &self.kept[life.block.index()];
        if life.now_ns >= cell.due_ns || cell.reads >= cell.due_reads || u32::from(cell.pages) != life.pages {
            self.find(life);
        }
    }

    #[inline(never)]
    fn find(&mut self, life: &Life) {
        let Self { model, kept, outcomes, found } = self;
        let cell = &mut kept[life.block.index()];
        let slots = model.zs.len();
        let expected = &mut outcomes[life.block.index() * KINDS * slots..][..KINDS * slots];
        let zs = if model.is_sampled { &[Z_MAX][..] } else { &model.zs };
        let (mut due_ns, mut due_reads, mut quiet) = (f64::INFINITY, f64::INFINITY, true);
        for (mode, rates, place) in model.read_modes(life) {
            let at = model.condition(life, cell, mode);
            let kinds = &model.mode(life.pool, mode).kinds;
            let Until { days, reads } =
                model.rates.all_outcomes(rates, kinds, zs, at, |kind, units, outcome| {
                    expected[(place + kind) * slots + units] = outcome.packed();
                    quiet &= outcome == Outcome::default();
                });
            let (begun_days, begun_reads) = model.begun(life.pool, cell, mode);
            due_ns = due_ns.min(cell.opened_ns as f64 + (days - begun_days) / model.days_per_ns);
            due_reads = due_reads.min((reads - begun_reads) * f64::from(life.pages.max(1)));
        }
        for need in Need::ALL {
            if cell.found & need.bit() != 0 {
                continue;
            }
            let (at_ns, reads) = model.due(need, life, cell);
            if life.now_ns as f64 >= at_ns || f64::from(cell.reads) >= reads {
                cell.found |= need.bit();
                found.push((life.block, need));
            } else {
                (due_ns, due_reads) = (due_ns.min(at_ns), due_reads.min(reads));
            }
        }
        // At the latest where numbers end; a moment that rounding has passed comes at once.
        cell.due_ns = (due_ns as u64).max(life.now_ns + 1);
        cell.due_reads = (libm::ceil(due_reads) as u32).max(cell.reads.saturating_add(1));
        (cell.pages, cell.quiet) = (life.pages as u16, u8::from(quiet));
    }
}
