//! A log under a naive host: every page is written to it, some are written again, and the cold span is
//! moved to the frontier or dropped.

use super::*;
use crate::base::op::{Cause, Class};
use crate::base::rng::RngStream;
use crate::base::{CellMode, Mu};
use crate::ftl::any_region::AnyRegion;
use crate::ftl::audit::Claims;
use crate::ftl::config::Placement;
use crate::ftl::destination::Destination;
use crate::ftl::io::{Driver, IoPolicy};
use crate::ftl::piece::{Job, PageWrite};
use crate::ftl::region::Pack;
use crate::ftl::relocate::{empty_block, erase_block};
use crate::hw::array::FlashArray;
use crate::hw::config::PoolConfig;
use crate::hw::geometry::Geometry;
use crate::hw::timing::{RequestId, Timing};
use serde_json::json;

const CLEAN: Job = Job { cause: Cause::Gc, class: Class::Urgent };

/// The chips, how a log is placed on them, and its size.
#[derive(Clone, Copy, Debug)]
struct Case {
    planes: u32,
    /// Of three pages each, written at once; else of one page.
    one_shot: bool,
    blocks: u32,
    wordlines: u32,
    placement: Placement,
}

/// One plane, four, and both with one-shot wordlines.
fn cases(blocks: u32, wordlines: u32) -> Vec<Case> {
    let mut cases = Vec::new();
    for (planes, one_shot) in [(1, false), (4, false), (1, true), (4, true)] {
        for placement in
            [Placement::RoundRobin, Placement::Striped, Placement::Static, Placement::LeastLoaded]
        {
            cases.push(Case { planes, one_shot, blocks, wordlines, placement });
        }
    }
    cases
}

/// A device with a log, and what was written to it.
struct Rig {
    io: Driver,
    log: LogRegion,
    cold: Vec<BlockId>,
}

impl Rig {
    fn new(case: Case) -> Self {
        let times = json!({"read_ns": [1], "program_ns": [1], "erase_ns": 1});
        let rule = if case.one_shot { "one-shot" } else { "per-page" };
        let tlc = json!({"read_ns": [1], "program_ns": [1], "erase_ns": 1, "program": rule});
        // The log does not begin with a plane's first block.
        let chips = json!({
            "name": "nand", "channels": 1, "chips": 1, "dies": 1, "planes": case.planes,
            "blocks": case.blocks + 3, "wordlines": case.wordlines, "page_bytes": 4096,
            "bus": {"ps_per_byte": 1000}, "slc": times, "tlc": tlc,
        });
        let pool: PoolConfig = serde_json::from_value(chips).unwrap();
        let geometry = Geometry::new(&[pool], 4096).unwrap();
        let timing = Timing::new(&geometry, 0);
        let policy = IoPolicy {
            rmw_whole_page: true,
            reads_whole_pages: false,
            parts_in_turn: false,
            inflight_from_buffer: true,
            plp: false,
            stage_timeout_ns: 1,
            mus_per_page: 1,
        };
        let mut io = Driver::new(FlashArray::new(geometry), 4096, timing, 1, policy);
        let region = RegionSpec {
            pack: Pack::Page,
            bank: None,
            pool: 0,
            mode: if case.one_shot { CellMode::Tlc } else { CellMode::Slc },
            first_block: 2,
            blocks: case.blocks,
            order: "CWDP".into(),
            placement: case.placement,
            clean: CleanConfig::default(),
        };
        let log = LogRegion::new(LogSpec { region, cold_share: 0.3, reserve_share: 0.1 }, &mut io);
        Self { io, log, cold: Vec::new() }
    }

    /// Writes logical page `page` as the host's; the log must not be due.
    fn write(&mut self, page: u32) {
        let to = self.log.next_page(&mut self.io, page).expect("a page for the host");
        self.io.write_page(to, &[page + 1], 1, 0);
        let write = PageWrite {
            bytes: 4096,
            fresh_slots: 1,
            slots: 1,
            cause: Cause::Host,
            class: Class::HostWrite,
            request: RequestId::NONE,
        };
        self.log.program(&mut self.io, to, Writer::Host, &write, &[]);
    }

    /// Cleans the cold span: what lives there goes to the frontier, or is dropped.
    fn clean(&mut self, stay: bool) {
        self.log.cold_blocks(&self.io, &mut self.cold);
        for block in self.cold.clone() {
            if stay {
                let plane = self.io.geometry().plane_of(block);
                empty_block(&mut self.log, &mut self.io, block, plane, CLEAN, Writer::Clean).unwrap();
            } else {
                self.drop_live(block);
                erase_block(&mut self.io, block, CLEAN);
            }
            self.log.release(&mut self.io, block);
        }
        self.log.pad_unprotected(&mut self.io);
    }

    fn drop_live(&mut self, block: BlockId) {
        for page in 0..self.io.array().block(block).write_ptr() {
            let tags = self.io.array().page_tags(self.io.geometry().page(block, page));
            if tags[0] != 0 {
                let unit = tags[0] - 1;
                self.io.trim(unit, unit + 1);
            }
        }
    }

    fn erases(&self) -> Vec<u32> {
        let planes = self.log.region().planes().iter();
        let blocks = planes.flat_map(|&plane| self.log.region().blocks(plane, &self.io));
        blocks.map(|block| self.io.array().wear(block)).collect()
    }

    /// Order T -> C -> H -> G -> T, and how long each span is.
    fn check_circle(&self) {
        let LogSpans { rows, reserve, cold } = self.log.spans;
        let (tail, used) = (self.log.tail, self.log.used);
        assert!(used + reserve <= rows, "{used} rows are written, {reserve} of {rows} are the reserve's");
        for &plane in self.log.region().planes() {
            let is_free = |row| !self.log.region().holds(self.log.block_in(plane, row, &self.io), &self.io);
            assert!((used..rows).all(is_free), "{used} rows from {tail} on are written");
        }
        let mut blocks = Vec::new();
        self.log.cold_blocks(&self.io, &mut blocks);
        let planes = self.log.region().planes();
        assert_eq!(blocks.len() as u32, cold.min(used) * planes.len() as u32);
        let place = |block: &BlockId| block.0 & ((1 << self.io.geometry().block_bits) - 1);
        for (i, row) in blocks.chunks(planes.len()).enumerate() {
            assert!(row.iter().all(|block| place(block) == 2 + (tail + i as u32) % rows), "row {i}: {row:?}");
        }
    }

    /// Writes pages drawn from `pages` for `laps` times the size of the log, cleaning when it is due.
    fn run(&mut self, pages: u32, laps: u32, seed: u64) {
        let mut rng = RngStream::new(seed, "log");
        let size = self.log.room(&self.io, PlaneId(0), Writer::Clean) + self.written();
        for _ in 0..laps * size {
            let mut cleanings = 0;
            while self.log.is_due() {
                let before = self.log.tail;
                // What lives stays, unless that wins nothing.
                let (invalid, all) = self.log.cold_census(&self.io);
                self.clean(10 * invalid >= 4 * all && cleanings == 0);
                cleanings += 1;
                let spans = self.log.spans;
                assert_eq!(self.log.tail, (before + spans.cold) % spans.rows, "T moves on to C");
                self.check_circle();
            }
            self.write(rng.below(pages));
        }
    }

    fn written(&self) -> u32 {
        let planes = self.log.region().planes().iter();
        let blocks = planes.flat_map(|&plane| self.log.region().blocks(plane, &self.io));
        blocks.map(|block| self.io.array().block(block).write_ptr()).sum()
    }
}

#[test]
fn the_circle_keeps_its_order_and_spans() {
    for case in cases(10, 4) {
        let mut rig = Rig::new(case);
        rig.check_circle();
        rig.run(60, 8, 1);
        let erases = rig.erases();
        assert!(*erases.iter().min().unwrap() >= 2, "the circle came round: {erases:?}");
    }
}

#[test]
fn no_block_wears_more_than_once_ahead_of_another() {
    for case in cases(10, 4) {
        let mut rig = Rig::new(case);
        for seed in 0..20 {
            rig.run(200, 1, seed);
            let erases = rig.erases();
            let (least, most) = (erases.iter().min().unwrap(), erases.iter().max().unwrap());
            assert!(most - least <= 1, "{case:?}: {erases:?}");
        }
    }
}

#[test]
fn the_host_never_gets_the_reserve() {
    for case in cases(10, 4) {
        let mut rig = Rig::new(case);
        let pages = rig.log.room(&rig.io, PlaneId(0), Writer::Host);
        assert_eq!(pages, rig.log.room(&rig.io, PlaneId(0), Writer::Clean) / 10 * 9, "one row of ten");
        for page in 0..pages {
            assert!(!rig.log.is_due(), "{case:?}: due at page {page} of {pages}");
            rig.write(page);
        }
        assert!(rig.log.is_due());
        assert_eq!(rig.log.next_page(&mut rig.io, 0), None);
        assert_eq!(rig.log.used, 9);
        rig.check_circle();
    }
}

/// The worst case: everything lives and stays. Nothing is won, and nothing is lost, in the smallest log
/// and in every larger one, whatever is cleaned, for several times round.
#[test]
fn the_reserve_holds_whatever_stays() {
    for blocks in 2..=12 {
        for case in [1, 3].into_iter().flat_map(|wordlines| cases(blocks, wordlines)) {
            let mut rig = Rig::new(case);
            let pages = rig.log.room(&rig.io, PlaneId(0), Writer::Host);
            (0..pages).for_each(|page| rig.write(page));
            for _ in 0..3 * blocks {
                assert_eq!(rig.log.cold_census(&rig.io).0, 0);
                rig.clean(true);
                assert!(rig.log.is_due(), "{case:?}: nothing can be won");
                rig.check_circle();
            }
            assert!((0..pages).all(|page| rig.io.lookup(Mu(page)).is_some()));
            // Half of it stays: that is won.
            (0..pages).filter(|page| page % 2 == 0).for_each(|page| rig.io.trim(page, page + 1));
            let (invalid, all) = rig.log.cold_census(&rig.io);
            rig.clean(true);
            let pulse = if case.one_shot { 3 } else { 1 };
            let won = all / pulse - (all - invalid).div_ceil(pulse);
            assert_eq!(rig.log.is_due(), won == 0, "{case:?}: {invalid} of {all} pages were invalid");
        }
    }
}

#[test]
fn a_census_counts_pages_of_the_cold_span_only() {
    let mut rig = Rig::new(cases(10, 4)[0]);
    (0..36).for_each(|page| rig.write(page));
    assert_eq!(rig.log.cold_census(&rig.io), (0, 12));
    // Nine of the oldest twelve pages, and some that are younger.
    rig.io.trim(2, 11);
    rig.io.trim(12, 20);
    assert_eq!(rig.log.cold_census(&rig.io), (9, 12));
}

#[test]
fn what_is_written_and_counted_agree_unless_a_block_is_freed_out_of_turn() {
    for case in cases(10, 4) {
        let mut rig = Rig::new(case);
        let mut rng = RngStream::new(7, "writes");
        let audit = |rig: &Rig| AnyRegion::audit(&rig.log, &mut Claims::new(&rig.io).unwrap());
        for _ in 0..1000 {
            while rig.log.is_due() {
                rig.clean(false);
            }
            rig.write(rng.below(500));
            assert_eq!(audit(&rig), Ok(()), "{case:?}");
        }
        for row in [1, 2] {
            let block = rig.log.block_in(PlaneId(0), row, &rig.io);
            rig.drop_live(block);
            erase_block(&mut rig.io, block, CLEAN);
            rig.log.region.give_back(&mut rig.io, block);
        }
        assert!(audit(&rig).unwrap_err().starts_with("log 0"), "{case:?}");
    }
}

fn spans(rows: u32, cold_share: f64, reserve_share: f64) -> (u32, u32) {
    let spans = LogSpans::new(rows, cold_share, reserve_share);
    (spans.reserve, spans.cold)
}

#[test]
fn spans_are_rounded_to_the_nearest_row() {
    // The paper's ten blocks: one in reserve, and 0.3 * 9 = 2.7 of the others are cold.
    assert_eq!(spans(10, 0.3, 0.1), (1, 3));
    assert_eq!(spans(10, 0.4, 0.1), (1, 4));
    // Half of 2,048: 102.4 and 0.3 * 922 = 276.6; 0.4 * 922 = 368.8.
    assert_eq!(spans(1024, 0.3, 0.1), (102, 277));
    assert_eq!(spans(1024, 0.4, 0.1), (102, 369));
    // At least one of each, however few.
    assert_eq!(spans(2, 0.3, 0.1), (1, 1));
    assert_eq!(spans(2, 0.0, 0.0), (1, 1));
    assert_eq!(spans(100, 1.0, 0.0), (1, 99));
}

#[test]
fn whatever_the_check_lets_through_leaves_a_row_to_write() {
    for rows in 0..50 {
        for share in [0.0, 0.1, 0.25, 0.5] {
            let mut problems = Vec::new();
            LogSpans::check(("scheme.nvc.slc_blocks", rows), &mut problems);
            let spans = LogSpans::new(rows, 1.0, share);
            let works = spans.reserve + spans.cold <= rows;
            assert_eq!(problems.is_empty(), works, "{rows} rows, {share}: {spans:?}");
        }
    }
}
