//! When do planes of a die share the commands with which they fold?

use super::{MoveTarget, OpId, OpSpec, PageMove, Timing};
use crate::base::op::{Cause, Class, OpKind};
use crate::base::{BlockId, CellMode, PlaneId};
use crate::hw::config::PoolConfig;
use crate::hw::geometry::Geometry;
use serde_json::json;

const READ_NS: u64 = 20;
const PROGRAM_NS: u64 = 300;
const MOVE_NS: u64 = READ_NS + PROGRAM_NS;
/// Pages that each plane moves.
const PAGES: u16 = 30;

struct Rig {
    timing: Timing,
    geometry: Geometry,
    cause: Cause,
    class: Class,
}

impl Rig {
    /// A die of so many planes on a bus that takes no time.
    fn new(planes: u32, cause: Cause, class: Class) -> Self {
        let chips = json!({
            "name": "nand", "channels": 1, "chips": 1, "dies": 1, "planes": planes, "blocks": 4,
            "wordlines": 64, "page_bytes": 4096, "bus": {"ps_per_byte": 0}, "plane_parallelism": "multi-plane",
            "slc": {"read_ns": [1], "program_ns": [1], "erase_ns": 1},
        });
        let pool: PoolConfig = serde_json::from_value(chips).unwrap();
        let geometry = Geometry::new(&[pool], 4096).unwrap();
        Self { timing: Timing::new(&geometry, 0), geometry, cause, class }
    }

    fn block(&self, plane: u8, index: u32) -> BlockId {
        self.geometry.block(PlaneId(u32::from(plane)), index)
    }

    fn spec(&self, kind: OpKind, plane: u8, index: u32, page: u16) -> OpSpec {
        let array_ns = if kind == OpKind::Read { READ_NS } else { PROGRAM_NS } as u32;
        let place = (kind, self.cause, self.class, self.block(plane, index));
        let spec = OpSpec::new(place.0, place.1, place.2, place.3, 0);
        OpSpec { plane_in_die: plane, page, array_ns, ..spec }
    }

    /// Moves pages of a block of `plane` to the pages of another from `to` on.
    fn moves(&mut self, plane: u8, from: impl Iterator<Item = u16>, to: u16) {
        let (read_ns, program_ns) = (READ_NS as u32, PROGRAM_NS as u32);
        let pages =
            from.zip(to..).map(|(from, to)| PageMove { from, to, read_ns, program_ns, transfer_ns: 0 });
        let pages: Vec<PageMove> = pages.collect();
        let last = pages[pages.len() - 1];
        let block = self.block(plane, 1);
        let then = MoveTarget {
            kind: OpKind::Program,
            mode: CellMode::Slc,
            block,
            page: last.to,
            array_ns: program_ns,
            in_ns: 0,
        };
        let spec = OpSpec { then: Some(then), ..self.spec(OpKind::Read, plane, 0, last.from) };
        self.timing.emit_moves(spec, &pages);
    }

    /// Moves pages by reads and programs of their own.
    fn copies(&mut self, plane: u8, from: impl Iterator<Item = u16>, to: u16) {
        let emit = |rig: &mut Self, spec: OpSpec, after: &[OpId]| rig.timing.emit(spec, after);
        for (from, to) in from.zip(to..) {
            let read = self.spec(OpKind::Read, plane, 0, from);
            let read = emit(self, read, &[]);
            let program = self.spec(OpKind::Program, plane, 1, to);
            emit(self, program, &[read]);
        }
    }

    /// Lets time pass until `until_ns`, or to the end; when that is, ns.
    fn run(&mut self, until_ns: u64) -> u64 {
        self.timing.kick();
        while self.timing.next_ns() <= until_ns && self.timing.next_ns() < u64::MAX {
            assert!(self.timing.step().is_none());
        }
        self.timing.now_ns()
    }

    fn end(&mut self) -> u64 {
        let end_ns = self.run(u64::MAX);
        assert_eq!((self.timing.ops_in_flight(), self.timing.is_folding(0)), (0, false));
        end_ns
    }
}

const ALL: u64 = PAGES as u64;

#[test]
fn planes_that_fold_the_same_pages_take_the_time_of_one() {
    for class in [Class::Run, Class::HostWrite, Class::Urgent, Class::Background] {
        for planes in [1, 2, 4] {
            let mut rig = Rig::new(planes, Cause::Migration, class);
            (0..planes as u8).for_each(|plane| rig.moves(plane, 0..PAGES, 7));
            assert_eq!(rig.end(), ALL * MOVE_NS, "{planes} planes, {class:?}");
            let mut rig = Rig::new(planes, Cause::Migration, class);
            (0..planes as u8).for_each(|plane| rig.copies(plane, 0..PAGES, 7));
            assert_eq!(rig.end(), ALL * MOVE_NS, "{planes} planes, {class:?}");
        }
    }
}

#[test]
fn cleaning_within_a_region_goes_plane_by_plane() {
    for cause in [Cause::Gc, Cause::Agc] {
        let mut rig = Rig::new(2, cause, Class::Urgent);
        (0..2).for_each(|plane| rig.moves(plane, 0..PAGES, 0));
        assert_eq!(rig.end(), 2 * ALL * MOVE_NS);
    }
}

#[test]
fn a_plane_that_begins_later_catches_up_first() {
    for late in [1, 7, 20] {
        let mut rig = Rig::new(2, Cause::Migration, Class::Urgent);
        rig.moves(0, 0..PAGES, 0);
        // The first plane is in the middle of a program when the other begins.
        rig.run(late * MOVE_NS - 1);
        rig.moves(1, 0..PAGES, 0);
        assert_eq!(rig.end(), (late + ALL) * MOVE_NS);
    }
}

#[test]
fn a_plane_whose_frontier_is_behind_goes_first() {
    for ahead in [0, 1] {
        let mut rig = Rig::new(2, Cause::Migration, Class::Background);
        // One frontier is five pages ahead: so many programs have no mate, before and after.
        rig.moves(0, 0..PAGES, 5 * (1 - ahead));
        rig.moves(1, 0..PAGES, 5 * ahead);
        // The first pages are read together; later what is read for a program is never the same page.
        assert_eq!(rig.end(), (ALL + 5) * PROGRAM_NS + (2 * ALL - 1) * READ_NS, "{ahead}");
    }
}

#[test]
fn blocks_with_other_live_pages_share_the_programs() {
    for moves in [true, false] {
        let mut rig = Rig::new(2, Cause::Migration, Class::Urgent);
        for plane in 0..2 {
            let live = (0..2 * PAGES).filter(|page| page % 2 == u16::from(plane));
            match moves {
                true => rig.moves(plane, live, 0),
                false => rig.copies(plane, live, 0),
            }
        }
        assert_eq!(rig.end(), ALL * PROGRAM_NS + 2 * ALL * READ_NS, "{moves}");
    }
}

#[test]
fn erases_of_emptied_blocks_are_one_command() {
    for (cause, commands) in [(Cause::Migration, 1), (Cause::Gc, 4)] {
        let mut rig = Rig::new(4, cause, Class::Background);
        for plane in 0..4 {
            let erase = rig.spec(OpKind::Erase, plane, 0, 0);
            rig.timing.emit(erase, &[]);
        }
        assert_eq!(rig.end(), commands * PROGRAM_NS);
    }
}

#[test]
fn the_host_goes_before_the_next_command_of_a_fold() {
    let mut rig = Rig::new(2, Cause::Migration, Class::Urgent);
    (0..2).for_each(|plane| rig.moves(plane, 0..PAGES, 0));
    rig.run(3 * MOVE_NS + 1);
    let read = OpSpec { class: Class::HostRead, cause: Cause::Host, ..rig.spec(OpKind::Read, 0, 2, 3) };
    let read = rig.timing.emit(read, &[]);
    let serial = rig.timing.serial(read);
    // It waits for the read of a move, not for the program.
    rig.run(3 * MOVE_NS + 2 * READ_NS);
    assert!(!rig.timing.is_in_flight(read, serial));
    assert_eq!(rig.end(), ALL * MOVE_NS + READ_NS);
}
