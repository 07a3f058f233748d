//! The four orders time must keep, each with operations emitted so that another order would be quicker:
//! (a) a block's programs and erases run in emission order; (b) an erase waits for the block's
//! reads and for the programs of what was moved out of it; (c) an operation inherits the class of
//! what waits for it; (d) a read returns the version current at its emission. And suspension and
//! starvation, which bend priorities.

use crate::it::common::*;
use crate::it::timing::{slc_only, LATER, PAGE, PROGRAM, READ};
use slcache_core::hw::geometry::Geometry;
use slcache_core::hw::timing::{OpId, OpSpec, RequestId, Timing, Waiter};

const A: BlockId = BlockId(0);
const B: BlockId = BlockId(1);
/// A block in the second plane (16 blocks per plane).
const OTHER: BlockId = BlockId(16);

/// The clock of two planes that share nothing, and who has finished.
struct Clock {
    timing: Timing,
    names: Vec<(RequestId, &'static str)>,
    done: Vec<&'static str>,
}

impl Clock {
    fn new() -> Self {
        let geometry = Geometry::new(&[pool(2, 1, 16, 8, 4096)], 4096).unwrap();
        Self { timing: Timing::new(&geometry, 0), names: Vec::new(), done: Vec::new() }
    }

    /// Emits an operation that takes 1 us and waits for `after`, under a name.
    fn emit(
        &mut self,
        name: &'static str,
        kind: OpKind,
        block: BlockId,
        page: u16,
        class: Class,
        after: &[OpId],
    ) -> OpId {
        let id = self.timing.add_request();
        let spec = OpSpec {
            page,
            array_ns: 1000,
            in_ns: 10,
            out_ns: if kind == OpKind::Read { 10 } else { 0 },
            request: id,
            counts: true,
            ..OpSpec::new(kind, Cause::Host, class, block, u32::from(block == OTHER))
        };
        let op = self.timing.emit(spec, after);
        self.timing.release_request(id);
        self.names.push((id, name));
        op
    }

    /// Runs to the end; until then `page` counts as not programmed.
    fn run_with_page_in_flight(&mut self, block: BlockId, page: u32) {
        self.timing.kick();
        while self.timing.ops_in_flight() > 0 {
            assert!(self.timing.in_flight(block, page), "at {} ns", self.timing.now_ns());
            self.timing.step();
        }
    }

    fn program(&mut self, name: &'static str, block: BlockId, page: u16, class: Class) -> OpId {
        self.emit(name, OpKind::Program, block, page, class, &[])
    }

    /// Runs until nothing happens any more; the names in the order in which they finished.
    fn run(mut self) -> Vec<&'static str> {
        self.timing.kick();
        loop {
            while let Some(waiter) = self.timing.take_finished() {
                self.done.push(self.names.iter().find(|(r, _)| Waiter::Request(*r) == waiter).unwrap().1);
            }
            if self.timing.next_ns() == u64::MAX {
                break;
            }
            self.timing.step();
        }
        assert_eq!(self.timing.ops_in_flight(), 0, "only {:?} ended", self.done);
        self.done
    }
}

#[test]
fn a_programs_of_a_block_run_in_emission_order_though_a_later_one_is_ready_first() {
    let mut clock = Clock::new();
    let slow = clock.emit("source", OpKind::Read, OTHER, 0, Class::Background, &[]);
    clock.emit("first", OpKind::Program, A, 0, Class::Background, &[slow]);
    clock.program("second", A, 1, Class::HostWrite);
    clock.program("elsewhere", B, 0, Class::Background);
    // The unit does not stand idle meanwhile: the other block's program goes.
    assert_eq!(clock.run(), ["elsewhere", "source", "first", "second"]);
}

#[test]
fn a_an_erase_and_the_programs_of_the_next_life_keep_their_order() {
    let mut clock = Clock::new();
    clock.program("old", A, 0, Class::Background);
    let source = clock.emit("source", OpKind::Read, OTHER, 0, Class::Background, &[]);
    clock.emit("erase", OpKind::Erase, A, 0, Class::Background, &[source]);
    clock.program("new", A, 0, Class::HostWrite);
    let order = clock.run();
    let place = |name| order.iter().position(|&n| n == name).unwrap();
    assert!(place("old").max(place("source")) < place("erase") && place("erase") < place("new"), "{order:?}");
}

#[test]
fn b_an_erase_waits_for_earlier_reads_of_its_block_whatever_its_class() {
    let mut clock = Clock::new();
    clock.program("busy", B, 0, Class::Background);
    clock.emit("read 1", OpKind::Read, A, 0, Class::Background, &[]);
    clock.emit("read 2", OpKind::Read, A, 1, Class::Background, &[]);
    clock.emit("erase", OpKind::Erase, A, 0, Class::HostRead, &[]);
    clock.program("new", A, 0, Class::HostRead);
    assert_eq!(clock.run()[3..], ["erase", "new"]);
    // Also for one that waits for a program of the block.
    let mut clock = Clock::new();
    let program = clock.program("program", A, 0, Class::Background);
    clock.emit("read", OpKind::Read, A, 0, Class::Background, &[program]);
    clock.emit("erase", OpKind::Erase, A, 0, Class::HostRead, &[]);
    assert_eq!(clock.run(), ["program", "read", "erase"]);
}

#[test]
fn c_what_a_block_has_queued_inherits_the_class_of_what_follows() {
    let mut clock = Clock::new();
    clock.program("busy", B, 0, Class::Background);
    for (page, name) in ["b1", "b2", "b3"].into_iter().enumerate() {
        clock.program(name, B, page as u16 + 1, Class::Background);
    }
    clock.program("a0", A, 0, Class::Background);
    clock.program("a1", A, 1, Class::Background);
    clock.program("host", A, 2, Class::HostWrite);
    let order = clock.run();
    // Nothing runs before all are emitted, so the whole chain passes what came before it.
    assert_eq!(order[..3], ["a0", "a1", "host"], "{order:?}");
}

#[test]
fn c_a_source_on_another_unit_inherits_the_class_through_its_program() {
    let mut clock = Clock::new();
    for (page, name) in ["o1", "o2", "o3"].into_iter().enumerate() {
        clock.program(name, OTHER, page as u16, Class::Background);
    }
    let source = clock.emit("source", OpKind::Read, OTHER, 7, Class::Background, &[]);
    clock.emit("moved", OpKind::Program, A, 0, Class::Background, &[source]);
    clock.program("host", A, 1, Class::HostWrite);
    let order = clock.run();
    assert_eq!(order[..3], ["source", "moved", "o1"], "{order:?}");
}

#[test]
fn d_a_page_is_in_flight_until_its_own_program_ends_even_in_a_block_used_before() {
    let before: [fn(&mut Clock); 3] = [
        // The block's former pages were done; page 0 of its next life is not, nor once it is erased.
        |clock| {
            clock.timing.set_done(A, 8);
            clock.emit("erase", OpKind::Erase, A, 0, Class::Urgent, &[]);
        },
        // A program of a former life says nothing of the next.
        |clock| {
            clock.program("old", A, 0, Class::Urgent);
            clock.emit("erase", OpKind::Erase, A, 0, Class::Urgent, &[]);
        },
        // The same where the erase took no time.
        |clock| {
            clock.program("old", A, 0, Class::Urgent);
            clock.timing.set_erased(A);
        },
    ];
    for life in before {
        let mut clock = Clock::new();
        life(&mut clock);
        clock.program("new", A, 0, Class::Urgent);
        clock.run_with_page_in_flight(A, 0);
        assert!(!clock.timing.in_flight(A, 0) && clock.timing.in_flight(A, 1));
    }
}

/// One die in SLC mode.
fn one_die() -> Setup {
    slc_only(pool(1, 1, 64, 64, 4096))
}

/// Latencies by (operation, address), after page 0 was written long before.
fn latencies(setup: &Setup, requests: &[(u64, HostOp, u64)]) -> Vec<u64> {
    let mut sim = Simulation::new(setup).unwrap();
    sim.preload(&[(0, 8)]).unwrap();
    sim.keep_log();
    let requests: Vec<_> =
        requests.iter().map(|&(at, op, page)| request(at, op, page * PAGE, PAGE)).collect();
    sim.feed(&requests).unwrap();
    sim.finish().unwrap();
    let of = |wanted: &_| sim.log().iter().find(|(request, _)| request == wanted).unwrap().1;
    requests.iter().map(of).collect()
}

#[test]
fn a_read_suspends_a_program_which_ends_later_by_all_of_it() {
    let mut setup = one_die();
    let requests = [(0, HostOp::Write, 9), (100_000, HostOp::Read, 0)];
    // Without suspension the read waits for the program.
    assert_eq!(latencies(&setup, &requests), [PROGRAM, PROGRAM - 100_000 + READ]);
    let suspend = &mut setup.device.pool[0].suspend;
    (suspend.program, suspend.max_suspends) = (true, 1);
    (suspend.suspend_ns, suspend.resume_ns) = (5_000, 7_000);
    assert_eq!(latencies(&setup, &requests), [PROGRAM + 5_000 + READ + 7_000, 5_000 + READ]);
    // The second read may not suspend again: it waits for the resumed program.
    let again = [requests[0], requests[1], (150_000, HostOp::Read, 1)];
    let end = PROGRAM + 5_000 + READ + 7_000;
    assert_eq!(latencies(&setup, &again), [end, 5_000 + READ, end - 150_000 + READ]);
    // Nothing is suspended while its data are transferred.
    let early = [(0, HostOp::Write, 9), (2_000, HostOp::Read, 0)];
    assert_eq!(latencies(&setup, &early), [PROGRAM, PROGRAM - 2_000 + READ]);
}

#[test]
fn a_read_suspends_an_erase() {
    // As in the closed forms: of 8 blocks of one page the eighth write erases a dead one.
    let mut setup = one_die();
    (setup.device.pool[0].blocks, setup.device.pool[0].wordlines) = (8, 1);
    setup.device.user_bytes = 2 * PAGE;
    let suspend = &mut setup.device.pool[0].suspend;
    (suspend.erase, suspend.max_suspends) = (true, 1);
    (suspend.suspend_ns, suspend.resume_ns) = (5_000, 7_000);
    let mut sim = Simulation::new(&setup).unwrap();
    sim.keep_log();
    let mut requests: Vec<_> = (0..8).map(|i| request(i * LATER, HostOp::Write, 0, PAGE)).collect();
    let erasing = 7 * LATER + PROGRAM + 1_000_000;
    requests.push(request(erasing, HostOp::Read, 0, PAGE));
    sim.feed(&requests).unwrap();
    sim.finish().unwrap();
    assert_eq!(sim.log()[8].1, 5_000 + READ);
    // 3,000,100 ns of erasing, the suspension, the read, the resumption.
    assert_eq!(sim.now_ns(), 7 * LATER + PROGRAM + 3_000_100 + 5_000 + READ + 7_000);
}

#[test]
fn a_starved_program_is_served_once_it_is_old_enough() {
    let mut setup = one_die();
    let mut requests = vec![(0, HostOp::Read, 0)];
    requests.push((1, HostOp::Write, 9));
    // Reads without end, always more than the die can serve.
    requests.extend((0..1000).map(|i| (2 + i, HostOp::Read, i % 8)));
    let write = |setup: &Setup| latencies(setup, &requests)[1];
    assert_eq!(write(&setup), 1001 * READ - 1 + PROGRAM);
    // It is served at the end of the first read that finds it 100,000 ns old: the fifth.
    setup.device.starvation_ns = 100_000;
    assert_eq!(write(&setup), 5 * READ - 1 + PROGRAM);
}
