//! What is kept of each block's cells: when it was opened, how often it was read, what its reads take, and
//! until when they do.

use super::bad_blocks::{BadBlocks, Fate};
use super::model::{Cell, Life, Model, Need, MODES, SLC};
use super::rates::{Condition, ModeRates, Outcome, Until, Z_MAX};
use crate::base::rng::RngStream;
use crate::base::sparse;
use crate::base::{BlockId, CellMode, PlaneId};
use crate::hw::config::CellsConfig;
use crate::hw::geometry::Geometry;
use serde::{Deserialize, Serialize};

/// Page kinds of the densest mode, and SLC pages, which two-layer blocks have beside them.
const KINDS: usize = 5;

/// A page as reads see it.
#[derive(Clone, Copy, Debug)]
pub struct PageAt {
    /// Its number in the block, of a two-layer block its bit.
    pub index: u32,
    /// Whether it is of a wordline of a two-layer block with one bit.
    pub is_single: bool,
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

impl Cells {
    /// Bytes that they take.
    pub fn bytes(geometry: &Geometry) -> u64 {
        let slots = 1 << geometry.slot_bits;
        (geometry.block_numbers() * (size_of::<Cell>() + KINDS * slots)) as u64
    }

    /// Of blocks never opened.
    pub fn new(config: &CellsConfig, geometry: &Geometry) -> Self {
        let slots = 1 << geometry.slot_bits;
        Self {
            model: Model::new(config, geometry),
            kept: bytemuck::zeroed_slice_box(geometry.block_numbers()),
            outcomes: vec![0; geometry.block_numbers() * KINDS * slots],
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
