//! A block of an idle unit whose data the host supersedes on a busy one: when is it erased?

use super::super::{Driver, IoPolicy};
use crate::base::op::{Cause, Class};
use crate::base::{CellMode, PlaneId};
use crate::ftl::config::{CleanConfig, Placement};
use crate::ftl::mixed::{self, Carry};
use crate::ftl::pack::Picks;
use crate::ftl::page_level::{part_of_page, write};
use crate::ftl::piece::Job;
use crate::ftl::region::{Pack, Region, RegionSpec, Writer};
use crate::ftl::relocate::erase_block;
use crate::ftl::unit_level;
use crate::hw::array::FlashArray;
use crate::hw::config::PoolConfig;
use crate::hw::geometry::Geometry;
use crate::hw::timing::{OpId, RequestId, Timing};
use serde_json::json;

const IDLE: PlaneId = PlaneId(0);
const BUSY: PlaneId = PlaneId(1);
const PROGRAM_NS: u64 = 100_000;

/// How the host supersedes what lies in a block.
#[derive(Clone, Copy, Debug)]
enum Way {
    Whole,
    /// Units that it does not write come along.
    Merged,
    Unit,
    Packed,
    PackedAlone,
}

struct Rig {
    io: Driver,
    region: Region,
}

impl Rig {
    fn new(plp: bool, inflight_from_buffer: bool, one_shot: bool) -> Self {
        let times = |rule: &str| json!({"read_ns": [10], "program_ns": [PROGRAM_NS], "erase_ns": 1000, "program": rule});
        let chips = json!({
            "name": "nand", "channels": 2, "chips": 1, "dies": 1, "planes": 1, "blocks": 4,
            "wordlines": 4, "page_bytes": 16384, "bus": {"ps_per_byte": 0},
            "slc": times("per-page"), "tlc": times("one-shot"),
        });
        let pool: PoolConfig = serde_json::from_value(chips).unwrap();
        let geometry = Geometry::new(&[pool], 4096).unwrap();
        let timing = Timing::new(&geometry, 0);
        let policy = IoPolicy {
            rmw_whole_page: true,
            reads_whole_pages: false,
            parts_in_turn: false,
            inflight_from_buffer,
            plp,
            stage_timeout_ns: u64::MAX / 2,
            mus_per_page: 4,
        };
        let mut io = Driver::new(FlashArray::new(geometry), 64, timing, 1, policy);
        let spec = RegionSpec {
            pack: Pack::Page,
            bank: None,
            pool: 0,
            mode: if one_shot { CellMode::Tlc } else { CellMode::Slc },
            first_block: 0,
            blocks: 1,
            order: "CWDP".into(),
            placement: Placement::RoundRobin,
            clean: CleanConfig::default(),
        };
        let region = Region::new(spec, &mut io);
        Self { io, region }
    }

    /// Writes logical page `page`, or only its first unit, to `plane`.
    fn write(&mut self, way: Way, page: u32, plane: PlaneId) {
        let (io, region) = (&mut *self.io, &mut self.region);
        let piece = part_of_page(page, if matches!(way, Way::Merged) { 1 } else { 0b1111 }, 4096);
        if matches!(way, Way::Whole | Way::Merged) {
            return write(&piece, region, plane, 0, io).unwrap();
        }
        let to = region.take_page(io, plane, Writer::Host, 0).unwrap();
        match way {
            Way::Unit => unit_level::write(&piece, region, Writer::Host, to, io),
            Way::PackedAlone => {
                mixed::program_alone(&piece, region, to, (RequestId::NONE, OpId::NONE), io);
            }
            _ => {
                let entry = io.hold_piece(&piece, 0, 4);
                let picks = Picks::one(io.held(), entry);
                mixed::program(&picks, Carry::Nothing, region, to, (RequestId::NONE, OpId::NONE), io);
            }
        }
    }

    /// Lets everything happen; when each of the two units had nothing left, ns.
    fn run(&mut self) -> [u64; 2] {
        let mut ends_ns = [0; 2];
        self.io.timing_mut().kick();
        while self.io.timing().next_ns() < u64::MAX / 4 {
            for unit in 0..2 {
                if self.io.queued_ops(unit) > 0 {
                    ends_ns[unit as usize] = self.io.timing().next_ns();
                }
            }
            if self.io.timing_mut().step().is_some() {
                self.region.pad(&mut self.io, BUSY, false);
                self.io.timing_mut().kick();
            }
            while self.io.timing_mut().take_finished().is_some() {}
        }
        assert_eq!(self.io.timing().ops_in_flight(), 0);
        ends_ns
    }

    /// Supersedes the only page of a block of an idle unit on a busy one, and erases the block.
    fn supersede_and_erase(&mut self, way: Way) -> [u64; 2] {
        let old = self.region.pages_per_program();
        (0..old).for_each(|page| self.write(Way::Whole, page, IDLE));
        self.run();
        (0..2 * old).for_each(|page| self.write(Way::Whole, 8 + page, BUSY));
        (0..old).for_each(|page| self.write(way, page, BUSY));
        self.erase()
    }

    fn erase(&mut self) -> [u64; 2] {
        self.erase_block();
        self.run()
    }

    /// Erases the block of the idle unit.
    fn erase_block(&mut self) {
        let block = self.region.open_block(IDLE, Writer::Host).unwrap();
        self.region.close_open(&mut self.io, IDLE, Writer::Host);
        let job = Job { cause: Cause::Gc, class: Class::Background };
        erase_block(&mut self.io, block, job);
        self.region.give_back(&mut self.io, block);
    }
}

#[test]
fn an_erase_waits_for_the_programs_that_supersede_what_lay_in_its_block() {
    for one_shot in [false, true] {
        for way in [Way::Whole, Way::Merged, Way::Unit, Way::Packed, Way::PackedAlone] {
            let [idle_ns, busy_ns] = Rig::new(false, true, one_shot).supersede_and_erase(way);
            assert_eq!((idle_ns, busy_ns), (4 * PROGRAM_NS + 1000, 4 * PROGRAM_NS), "{way:?} {one_shot}");
            // What the controller holds is safe: nothing to wait for.
            let [idle_ns, busy_ns] = Rig::new(true, true, one_shot).supersede_and_erase(way);
            assert!(idle_ns < 2 * PROGRAM_NS && busy_ns == 4 * PROGRAM_NS, "{way:?} {one_shot}");
        }
    }
}

#[test]
fn a_wordline_that_an_erase_waits_for_is_padded_at_once() {
    let mut rig = Rig::new(false, true, true);
    rig.write(Way::Whole, 0, IDLE);
    rig.region.pad(&mut rig.io, IDLE, true);
    rig.run();
    // One page of three; nobody else would ever fill or pad the wordline.
    rig.write(Way::Whole, 0, BUSY);
    assert_eq!(rig.erase(), [2 * PROGRAM_NS + 1000, 2 * PROGRAM_NS]);
}

#[test]
fn an_erase_and_a_wordline_do_not_wait_for_each_other() {
    let mut rig = Rig::new(false, false, true);
    (0..3).for_each(|page| rig.write(Way::Whole, page, IDLE));
    rig.run();
    rig.io.trim(8, 12);
    // A wordline that is not full supersedes what the block held. It is erased and written again, and
    // before that happens a page of its new life joins the wordline.
    (0..2).for_each(|page| rig.write(Way::Whole, page, BUSY));
    rig.erase_block();
    (9..12).for_each(|page| rig.write(Way::Whole, page, IDLE));
    rig.write(Way::Merged, 9, BUSY);
    rig.run();
}

#[test]
fn what_is_superseded_before_time_0_has_nothing_to_wait_for() {
    for way in [Way::Whole, Way::Merged, Way::Unit, Way::Packed, Way::PackedAlone] {
        let mut rig = Rig::new(false, true, true);
        rig.io.clockless = true;
        rig.write(Way::Whole, 0, IDLE);
        rig.write(way, 0, BUSY);
        rig.io.clockless = false;
        // Else it would be booked to the next program, whatever that stores.
        assert_eq!(rig.io.superseded.len, 0, "{way:?}");
    }
}
