//! What a run did to the blocks, and how long they last.

use super::Simulation;
use crate::base::op::OpKind;
use crate::base::CellMode;
use crate::ftl::bank::Bank;
use crate::ftl::scheme::Scheme;
use crate::hw::array::FlashArray;
use crate::hw::cells::BadBlocks;
use crate::hw::config::WearRule;
use crate::hw::geometry::Pool;
use crate::metrics::report::{Damage, ModeWear, RuleLife, WearReport, WearRow, DAYS_PER_YEAR};
use std::collections::BTreeMap;

/// Years for which the writes of a day are reckoned, as makers of drives mostly warrant them.
const WARRANTED_YEARS: f64 = 5.0;

/// Pages by cell mode that cycles took.
type Pages = [u64; CellMode::COUNT];

/// The blocks of a pool with wear in a mode.
#[derive(Default)]
struct Tally {
    /// Blocks by their erases.
    by_erases: BTreeMap<u32, u64>,
    /// Pages that their cycles took.
    pages: u64,
    /// Those of the blocks that a spare one has the place of.
    replaced: u64,
}

/// The wear of the blocks of a bank, which its regions share, by one rule.
struct BankWear<'a> {
    rule: WearRule,
    pool: &'a Pool,
    blocks: u64,
    pages: Pages,
    /// What the most worn block has used of its life; none where an endurance is not known.
    most: Option<f64>,
}

impl<'a> BankWear<'a> {
    fn of(bank: &Bank, array: &'a FlashArray, rule: WearRule) -> Self {
        let pool = array.geometry.pool_of(bank.first_plane());
        let mut wear = Self { rule, pool, blocks: 0, pages: Pages::default(), most: Some(0.0) };
        for block in bank.blocks(array) {
            wear.blocks += 1;
            // What was never opened stays untouched in memory.
            if array.was_used(block) {
                wear.add(CellMode::ALL.map(|mode| array.worn_pages(block, mode)));
            }
        }
        for replaced in bank.replaced(array) {
            wear.blocks += 1;
            wear.add(replaced.pages);
        }
        wear
    }

    fn add(&mut self, block: Pages) {
        self.pages.iter_mut().zip(block).for_each(|(sum, pages)| *sum += pages);
        self.most = self.damage(&block).zip(self.most).map(|(used, most)| used.max(most));
    }

    fn cycles<'b>(&'b self, pages: &'b Pages) -> impl Iterator<Item = (CellMode, f64)> + 'b {
        let worn = CellMode::ALL.into_iter().filter(|&mode| pages[mode as usize] > 0);
        worn.map(|mode| (mode, pages[mode as usize] as f64 / f64::from(self.pool.mode(mode).pages)))
    }

    /// What of their life blocks with such cycles have used; none where an endurance is not known.
    fn damage(&self, pages: &Pages) -> Option<f64> {
        let mut parts = self.cycles(pages).map(|(mode, cycles)| Some(cycles / self.endurance(mode)?));
        match self.rule {
            WearRule::Damage => parts.sum(),
            WearRule::Same => {
                let cycles: f64 = self.cycles(pages).map(|(_, cycles)| cycles).sum();
                Some(cycles / self.endurance(self.pool.config.densest())?)
            }
            WearRule::Apart => parts.try_fold(0.0, |most, used| Some(f64::max(most, used?))),
        }
    }

    fn endurance(&self, mode: CellMode) -> Option<f64> {
        self.pool.modes[mode as usize].as_ref()?.endurance_cycles.map(f64::from)
    }

    /// What its blocks have used of their life; none where an endurance is not known.
    fn report(&self) -> Option<Damage> {
        let blocks = self.blocks as f64;
        Some(Damage {
            pool: self.pool.name.clone(),
            modes: self.cycles(&self.pages).map(|(mode, _)| mode.name()).collect(),
            blocks: self.blocks,
            cycles: self.cycles(&self.pages).map(|(_, cycles)| cycles).sum::<f64>() / blocks,
            mean: self.damage(&self.pages)? / blocks,
            max: self.most?,
        })
    }
}

impl Simulation {
    pub(super) fn wear_report(&self) -> WearReport {
        let cells = self.setup.device.cells.as_ref();
        let rule = cells.map_or_else(WearRule::default, |cells| cells.wear);
        let banks = self.bank_wear(rule);
        let pools = self.wear_rows();
        let damage = worn_first(&banks);
        let host = self.stats.write.bytes() as f64;
        let life = |used: fn(&Damage) -> f64| damage.as_ref().filter(|_| host > 0.0).map(|d| host / used(d));
        let lifetime_host_bytes = life(|damage| damage.mean);
        WearReport {
            rule: cells.map(|_| rule.name()),
            by_rule: cells.map(|_| self.life_by_rule()).unwrap_or_default(),
            by_mode: self.wear_by_mode(&pools, &banks),
            lifetime_host_bytes,
            lifetime_most_worn_host_bytes: life(|damage| damage.max),
            drive_writes_per_day: lifetime_host_bytes
                .map(|bytes| bytes / self.setup.device.user_bytes as f64 / (WARRANTED_YEARS * DAYS_PER_YEAR)),
            damage,
            pools,
            life: None,
        }
    }

    fn bank_wear(&self, rule: WearRule) -> Vec<BankWear<'_>> {
        self.io.media().banks().iter().map(|bank| BankWear::of(bank, self.io.array(), rule)).collect()
    }

    /// How long the device lives by each rule, where it is told.
    fn life_by_rule(&self) -> BTreeMap<&'static str, RuleLife> {
        let host = self.stats.write.bytes() as f64;
        let life = |rule: WearRule| {
            let damage = worn_first(&self.bank_wear(rule)).filter(|_| host > 0.0)?;
            let lifetime_host_bytes = host / damage.mean;
            Some((rule.name(), RuleLife { mean: damage.mean, max: damage.max, lifetime_host_bytes }))
        };
        WearRule::ALL.into_iter().filter_map(life).collect()
    }

    /// What the blocks of each mode went through, those of translation pages too in what was erased.
    fn wear_by_mode(&self, rows: &[WearRow], banks: &[BankWear<'_>]) -> BTreeMap<&'static str, ModeWear> {
        let host = self.stats.write.bytes() as f64;
        let mut modes: BTreeMap<&'static str, ModeWear> = BTreeMap::new();
        for row in rows {
            let mode = modes.entry(row.mode).or_default();
            mode.erase_factor = (host > 0.0).then_some(0.0);
            mode.percent_used = row.endurance_cycles.map(|_| 0.0).or(mode.percent_used);
        }
        for bank in banks {
            for (mode, cycles) in bank.cycles(&bank.pages) {
                let used =
                    bank.endurance(mode).map(|endurance| 100.0 * cycles / endurance / bank.blocks as f64);
                let told = &mut modes.entry(mode.name()).or_default().percent_used;
                *told = told.take().into_iter().chain(used).max_by(f64::total_cmp);
            }
        }
        for row in self.io.counters().iter().filter(|row| row.kind == OpKind::Erase && host > 0.0) {
            let pool = &self.io.geometry().pools[row.pool];
            let block = u64::from(pool.mode(row.mode).pages) * u64::from(pool.page_bytes);
            let factor = &mut modes.entry(row.mode.name()).or_default().erase_factor;
            *factor = Some(factor.unwrap_or(0.0) + (row.totals.count * block) as f64 / host);
        }
        modes
    }

    /// One row per pool and mode in use; a block counts with the mode it was last opened in, and with
    /// every other it was erased in.
    fn wear_rows(&self) -> Vec<WearRow> {
        let array = self.io.array();
        let mut tallies: BTreeMap<(usize, CellMode), Tally> = BTreeMap::new();
        for block in array.used_blocks() {
            let pool = array.geometry.planes[array.geometry.plane_of(block).index()].pool as usize;
            let last = array.block(block).mode();
            for mode in CellMode::ALL.into_iter().filter(|&m| m == last || array.erases(block, m) > 0) {
                let tally = tallies.entry((pool, mode)).or_default();
                *tally.by_erases.entry(array.erases(block, mode)).or_default() += 1;
                tally.pages += array.worn_pages(block, mode);
            }
        }
        for replaced in self.io.bad_blocks().into_iter().flat_map(BadBlocks::replaced) {
            let pool = array.geometry.planes[array.geometry.plane_of(replaced.place).index()].pool as usize;
            for mode in CellMode::ALL.into_iter().filter(|&mode| replaced.erases[mode as usize] > 0) {
                let tally = tallies.entry((pool, mode)).or_default();
                *tally.by_erases.entry(replaced.erases[mode as usize]).or_default() += 1;
                tally.pages += replaced.pages[mode as usize];
                tally.replaced += 1;
            }
        }
        tallies.into_iter().map(|((pool, mode), tally)| self.wear_row(pool, mode, tally)).collect()
    }

    fn wear_row(&self, pool: usize, mode: CellMode, tally: Tally) -> WearRow {
        let Tally { by_erases: mut tally, pages, replaced } = tally;
        let place = &self.io.geometry().pools[pool];
        let used: u64 = tally.values().sum();
        // Blocks never opened count where the pool has one mode in use, as unworn ones.
        let total = (self.scheme_blocks(pool, mode) + replaced).max(used);
        if total > used {
            *tally.entry(0).or_default() += total - used;
        }
        let erases: u64 = tally.iter().map(|(&n, &blocks)| u64::from(n) * blocks).sum();
        let mean = erases as f64 / total as f64;
        let variance: f64 = tally
            .iter()
            .map(|(&n, &blocks)| (f64::from(n) - mean) * (f64::from(n) - mean) * blocks as f64)
            .sum();
        WearRow {
            pool: place.name.clone(),
            mode: mode.name(),
            blocks: total,
            erases,
            cycles: pages as f64 / f64::from(place.mode(mode).pages),
            mean,
            min: tally.keys().next().copied().unwrap_or(0),
            max: tally.keys().next_back().copied().unwrap_or(0),
            stddev: libm::sqrt(variance / total as f64),
            endurance_cycles: place.modes[mode as usize].as_ref().and_then(|m| m.endurance_cycles),
            histogram: tally.into_iter().collect(),
        }
    }

    fn scheme_blocks(&self, pool: usize, mode: CellMode) -> u64 {
        let shares = self.scheme.blocks();
        shares.iter().filter(|share| share.pool == pool && share.mode == mode).map(|share| share.blocks).sum()
    }
}

/// The damage of the bank whose mean block has used most of its life. None where an endurance is not known,
/// and where less than a block was programmed: that would be nothing but what was free at first.
fn worn_first(banks: &[BankWear<'_>]) -> Option<Damage> {
    let worn =
        banks.iter().filter(|bank| bank.cycles(&bank.pages).map(|(_, cycles)| cycles).sum::<f64>() >= 1.0);
    let damages: Option<Vec<Damage>> = worn.map(BankWear::report).collect();
    damages?.into_iter().max_by(|one, other| one.mean.total_cmp(&other.mean))
}
