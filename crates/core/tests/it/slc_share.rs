//! `slc-share` against a plain second telling of its rule, and the worked example of its table.

use crate::it::common::*;
use std::collections::HashMap;
use std::iter;

const UNIT: u64 = 4096;
const PAGE: u64 = 4 * UNIT;
/// Pages of an SLC block, and blocks of a plane.
const PAGES: usize = 16;
const BLOCKS: usize = 40;
const TABLE: [usize; 11] = [56, 56, 50, 40, 30, 25, 20, 10, 10, 10, 10];

fn chip(dies: u32, planes: u32) -> PoolConfig {
    let mut chip = pool(dies, planes, BLOCKS as u32, PAGES as u32, PAGE as u32);
    chip.slc = Some(mode(30_000, 160_000, 3_000_000));
    chip.tlc = None;
    chip.qlc = Some(mode(140_000, 3_102_000, 3_500_000));
    chip
}

fn one_by_one(chip: PoolConfig, user_bytes: u64, sets: &[(&str, serde_json::Value)]) -> Setup {
    closed(with(setup(device(chip, user_bytes), "slc-share"), sets), 1)
}

/// The rule, of one plane: a zone is a block, pages are written whole.
struct Rule {
    /// Of each zone by number its pages and whether it was accessed; none where there is no zone.
    zones: Vec<Option<(Vec<u64>, bool)>>,
    open: Option<usize>,
    /// The zone of each page in SLC mode; none: it is dense.
    home: HashMap<u64, Option<usize>>,
    quota: usize,
    accesses: usize,
    clear: usize,
    /// Zones rewritten, and those that were accessed.
    rewritten: (u64, u64),
}

impl Rule {
    fn slc_live(&self) -> usize {
        self.home.values().filter(|home| home.is_some()).count()
    }

    fn wanted(&self) -> usize {
        // Page by page: four cells' worth in SLC mode, of all those in QLC mode.
        let used = self.slc_live() * 4 + self.home.len() - self.slc_live();
        let share = TABLE[(used * 10 / (BLOCKS * PAGES * 4)).min(10)];
        BLOCKS * share / 100
    }

    fn blocks(&self) -> usize {
        self.zones.iter().flatten().count()
    }

    fn rewrite(&mut self) {
        let closed = |i: &usize| Some(*i) != self.open && self.zones[*i].is_some();
        let all: Vec<usize> = (0..self.zones.len()).filter(closed).collect();
        let cold = all.iter().find(|&&i| !self.zones[i].as_ref().unwrap().1);
        let zone = *cold.unwrap_or(&all[0]);
        let (pages, accessed) = self.zones[zone].take().unwrap();
        self.rewritten.0 += 1;
        self.rewritten.1 += u64::from(accessed);
        for page in pages {
            if self.home[&page] == Some(zone) {
                self.home.insert(page, None);
            }
        }
    }

    fn count(&mut self) {
        self.accesses += 1;
        if self.accesses > self.clear {
            self.accesses = 0;
            self.zones.iter_mut().flatten().for_each(|zone| zone.1 = false);
        }
    }

    fn write(&mut self, page: u64) {
        let wanted = self.wanted();
        if self.open.is_none() {
            if self.blocks() == self.quota && self.quota < wanted {
                self.quota += 1;
            } else if self.blocks() == self.quota {
                self.rewrite();
            }
            let free = self.zones.iter().position(Option::is_none).unwrap_or(self.zones.len());
            self.zones.resize(self.zones.len().max(free + 1), None);
            self.zones[free] = Some((Vec::new(), false));
            self.open = Some(free);
        }
        let open = self.open.unwrap();
        let zone = self.zones[open].as_mut().unwrap();
        zone.0.push(page);
        zone.1 = true;
        if zone.0.len() == PAGES {
            self.open = None;
        }
        self.home.insert(page, Some(open));
        self.count();
        // The table is looked up once.
        let wanted = self.wanted();
        while self.quota > wanted {
            if self.blocks() == self.quota {
                self.rewrite();
            }
            self.quota -= 1;
        }
    }

    fn read(&mut self, page: u64) {
        if let Some(Some(zone)) = self.home.get(&page) {
            self.zones[*zone].as_mut().unwrap().1 = true;
        }
        self.count();
    }
}

#[test]
fn zones_are_rewritten_as_a_second_telling_of_the_rule_has_it() {
    for (seed, clear, span) in [(1u64, 7usize, 600u64), (2, 60, 900), (3, 1000, 1100), (4, 300, 60)] {
        // Room for the data beside any table.
        let user_bytes = 1200 * PAGE;
        let sets = [("clear_accesses", json!(clear)), ("dense_spare_share", json!(0.0))];
        let mut sim = watched(&one_by_one(chip(1, 1), user_bytes, &sets));
        let mut rule = Rule {
            zones: Vec::new(),
            open: None,
            home: HashMap::new(),
            quota: BLOCKS * TABLE[0] / 100,
            accesses: 0,
            clear,
            rewritten: (0, 0),
        };
        let mut state = seed;
        for step in 0..4000 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let page = (state >> 33) % span;
            let reads = step % 3 == 2 && rule.home.contains_key(&page);
            let op = if reads { HostOp::Read } else { HostOp::Write };
            sim.feed(&[request(0, op, page * PAGE, PAGE)]).unwrap();
            match reads {
                true => rule.read(page),
                false => rule.write(page),
            }
        }
        let report = sim.finish().unwrap();
        sim.audit().unwrap();
        let ours = |name: &str| report.scheme.figures[name] as u64;
        let told = (ours("zones_migrated"), ours("accessed_zones_migrated"), ours("slc_blocks"));
        assert!(rule.rewritten.0 > 50, "seed {seed}: {:?}", rule.rewritten);
        assert_eq!(told, (rule.rewritten.0, rule.rewritten.1, rule.quota as u64), "seed {seed}");
    }
}

#[test]
fn zones_span_the_planes_and_a_full_device_goes_on() {
    let user_bytes = 4 * 33 * PAGES as u64 * 4 * PAGE;
    for (unit_writes, clear) in [(1, 100_000), (3, 10), (8, 1000)] {
        let setup = one_by_one(chip(2, 2), user_bytes, &[("clear_accesses", json!(clear))]);
        let fill = (0..user_bytes / PAGE).map(|page| request(0, HostOp::Write, page * PAGE, PAGE));
        let units = user_bytes / UNIT - unit_writes;
        let over = (0..8_000u64).map(|i| {
            let at = i.wrapping_mul(0x9e37_79b9_7f4a_7c15) % units;
            let op = if i % 5 == 0 { HostOp::Read } else { HostOp::Write };
            request(0, op, at * UNIT, unit_writes * UNIT)
        });
        let (sim, report) = ended(&setup, &fill.chain(over).collect::<Vec<Request>>());
        let figure = |name: &str| report.scheme.figures[name];
        assert!(figure("zones_migrated") > 0.0);
        // All blocks of a zone go together.
        assert_eq!(figure("slc_blocks_migrated"), 4.0 * figure("zones_migrated"));
        assert_eq!(sim.media().mapped() * UNIT, user_bytes);
    }
}

#[test]
fn a_region_that_may_grow_takes_no_blocks_in_which_dense_data_lie() {
    let user_bytes = 4 * 33 * PAGES as u64 * 4 * PAGE;
    let mut setup = one_by_one(chip(2, 2), user_bytes, &[]);
    (setup.precondition.fill, setup.precondition.overwrite) = (0.9, 1.0);
    // The table allows more at once; the blocks are full of what was trimmed.
    let trim = request(0, HostOp::Trim, 0, user_bytes / 10 * 7 / PAGE * PAGE);
    let writes = (0..8).map(|i| request(0, HostOp::Write, i * PAGE, PAGE));
    let (sim, _) = ended(&setup, &iter::once(trim).chain(writes).collect::<Vec<Request>>());
    sim.audit().unwrap();
}
