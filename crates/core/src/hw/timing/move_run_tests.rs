//! Are moves emitted as runs what they are emitted one by one?

use super::twins::Twins;
use super::PageMove;
use crate::base::op::{Class, OpKind};
use crate::base::PlaneId;
use crate::hw::config::PlaneParallelism;

#[test]
fn moves_emitted_as_runs_go_as_if_emitted_one_by_one() {
    for seed in 0..120 {
        let mut twins = Twins::new(seed, 1, 1 + seed as u32 % 2);
        // Event by event they are the same without stretches only.
        twins.runs.stretches = false;
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
        assert_eq!((twins.runs.ops_in_flight(), twins.runs.runs.len()), (0, 0), "seed {seed}");
    }
}

#[test]
fn moves_that_could_take_others_along_go_in_one_as_in_two() {
    for seed in 0..120 {
        let mut twins = Twins::new(seed, 1, 1 + seed as u32 % 2);
        twins.runs.stretches = false;
        twins.plain.pairs = false;
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

/// Two reads of the other plane take moves out of the middle of a run along, which leaves it in parts; then
/// it is raised.
#[test]
fn the_parts_of_a_run_that_is_raised_keep_their_order() {
    let mut twins = Twins::new(0, 1, 1);
    twins.runs.stretches = false;
    for timing in [&mut twins.runs, &mut twins.plain] {
        timing.starvation_ns = 0;
        timing.units[0].parallelism = PlaneParallelism::MultiPlane;
    }
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
