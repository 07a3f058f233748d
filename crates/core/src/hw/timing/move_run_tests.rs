//! Are moves emitted as runs what they are emitted one by one?

use super::twins::Twins;
use super::unit::OneGo;
use super::{PageMove, Timing};
use crate::base::op::{Class, OpKind};
use crate::base::PlaneId;

#[test]
fn moves_emitted_as_runs_go_as_if_emitted_one_by_one() {
    for seed in 0..120 {
        let mut twins = Twins::new(seed, 1, 1 + seed as u32 % 2);
        // Event by event they are the same without stretches only.
        twins.runs.limit_moves(OneGo::Pair);
        for _ in 0..1500 {
            let idle = twins.runs.next_ns() == u64::MAX;
            if idle || (twins.runs.ops_in_flight() < 60 && twins.rng.below(3) == 0) {
                twins.disturb();
            } else {
                twins.step();
            }
            twins.compare();
        }
        while twins.runs.next_ns() != u64::MAX {
            twins.step();
            twins.compare();
        }
        assert_eq!((twins.runs.ops_in_flight(), twins.runs.ops.runs()), (0, 0), "seed {seed}");
    }
}

/// Random orders, of which some wait for what another unit does, some at the very moment at which that ends.
fn goes_alike(one: OneGo, other: OneGo, channels: u32) {
    for seed in 0..120 {
        let mut twins = Twins::new(seed, channels, 1 + seed as u32 % 2);
        twins.runs.limit_moves(one);
        match other {
            OneGo::Never => twins.plain.split_all_moves(),
            _ => twins.plain.limit_moves(other),
        }
        twins.coarse = channels > 1;
        twins.free_bus = seed % 5 == 4;
        for _ in 0..600 {
            if twins.runs.ops_in_flight() < 60 && twins.rng.below(2) == 0 {
                twins.disturb();
            }
            let ns = u64::from(twins.rng.below(150));
            twins.pass(ns);
        }
        twins.end();
    }
}

#[test]
fn moves_that_could_take_others_along_go_in_one_as_in_two() {
    goes_alike(OneGo::Pair, OneGo::Move, 1);
    goes_alike(OneGo::Pair, OneGo::Move, 2);
}

#[test]
fn whole_moves_go_as_their_halves() {
    goes_alike(OneGo::Move, OneGo::Never, 1);
    goes_alike(OneGo::Move, OneGo::Never, 2);
}

#[test]
fn a_program_queued_during_the_read_of_a_whole_move_goes_along_with_its_program() {
    let mut along = 0;
    for seed in 0..20 {
        let mut twins = Twins::new(seed, 1, 1);
        for timing in [&mut twins.runs, &mut twins.plain] {
            timing.starvation_ns = 0;
            timing.units[0].suspend.program = false;
            timing.units[0].queues.set_takes_along();
            timing.plan_moves();
        }
        twins.runs.limit_moves(OneGo::Move);
        twins.plain.limit_moves(OneGo::Never);
        let [source, target] = [0, 2].map(|index| twins.geometry.block(PlaneId(0), index));
        let page = PageMove { from: 7, to: 0, read_ns: 20, program_ns: 200, transfer_ns: 1 };
        twins.emit_moves(Class::HostWrite, source, target, &[page]);
        twins.runs.kick();
        twins.plain.kick();
        twins.pass(10);
        let other = twins.geometry.block(PlaneId(1), 2);
        let program = twins.spec(OpKind::Program, Class::HostWrite, other, 0);
        twins.emit(program, false);
        twins.runs.kick();
        twins.plain.kick();
        let one_by_one_ns = twins.runs.now_ns() + twins.runs.load_ns(0);
        twins.end();
        along += u32::from(twins.runs.ended_ns() + 100 < one_by_one_ns);
    }
    // Moves of the cause migration fold: they are never whole.
    assert!(along > 5, "{along}");
}

/// The serials of what is queued of a unit's classes in the order of the queue, of runs those of all moves
/// that are left; how many of a queue are runs.
fn queued(timing: &Timing, unit: usize) -> (Vec<Vec<u64>>, usize) {
    let (mut classes, mut most_runs) = (Vec::new(), 0);
    for head in timing.units[unit].queues.heads() {
        let (mut id, mut serials, mut runs) = (head, Vec::new(), 0);
        while !id.is_none() {
            let op = &timing.ops[id];
            let moves = if op.is_run() { u64::from(timing.ops.moves_left(id)) } else { 1 };
            serials.extend(op.serial + 1 - moves..=op.serial);
            runs += usize::from(moves > 1);
            id = op.next;
        }
        classes.push(serials);
        most_runs = most_runs.max(runs);
    }
    (classes, most_runs)
}

#[test]
fn moves_of_raised_runs_queue_in_the_order_in_which_they_do_one_by_one() {
    let (mut raised, mut among_others) = (0, 0);
    for seed in 0..120 {
        let mut twins = Twins::new(seed, 1, 1);
        twins.runs.limit_moves(OneGo::Pair);
        for _ in 0..800 {
            if twins.runs.ops_in_flight() < 40 {
                let before = queued(&twins.runs, 0);
                twins.disturb();
                let after = queued(&twins.runs, 0);
                assert_eq!(after.0, queued(&twins.plain, 0).0, "seed {seed}");
                // What is raised joins another class: nothing else leaves one meanwhile.
                let is_raise = before.0 != after.0
                    && before.0.iter().flatten().count() == after.0.iter().flatten().count();
                raised += u32::from(is_raise && after.1 > 0);
                among_others += u32::from(is_raise && after.1 > 1);
            }
            let ns = u64::from(twins.rng.below(60));
            twins.pass(ns);
        }
        twins.end();
    }
    assert!(raised > 200 && among_others > 100, "{raised} {among_others}");
}

/// Two reads of the other plane take moves out of the middle of a run along, which leaves it in parts; then
/// it is raised.
#[test]
fn the_parts_of_a_run_that_is_raised_keep_their_order() {
    let mut twins = Twins::new(0, 1, 1);
    for timing in [&mut twins.runs, &mut twins.plain] {
        timing.starvation_ns = 0;
        timing.units[0].queues.set_takes_along();
        timing.plan_moves();
    }
    twins.runs.limit_moves(OneGo::Pair);
    let [source, target] = [0, 2].map(|index| twins.geometry.block(PlaneId(0), index));
    let other = twins.geometry.block(PlaneId(1), 0);
    for page in [16, 13, 11] {
        let read = twins.spec(OpKind::Read, Class::HostWrite, other, page);
        twins.emit(read, false);
    }
    let moves: Vec<PageMove> = (0..10)
        .map(|to| PageMove {
            from: 10 + to,
            to,
            read_ns: 20 + u32::from(to),
            program_ns: 200,
            transfer_ns: 1,
        })
        .collect();
    let (run, plain) = twins.emit_moves(Class::HostWrite, source, target, &moves);
    twins.runs.kick();
    twins.plain.kick();
    // The first read has taken a move along, and now the second does.
    twins.step();
    twins.compare();
    twins.runs.raise(run, Class::HostRead);
    twins.plain.raise(plain, Class::HostRead);
    while twins.runs.next_ns() != u64::MAX {
        twins.step();
        twins.compare();
    }
    assert_eq!(twins.runs.ops_in_flight(), 0);
}
