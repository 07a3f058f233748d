//! Do moves that are booked together at the end of a stretch go as if each had been an event of its own?

use super::twins::Twins;
use super::unit::OneGo;
use super::PageMove;
use crate::base::op::Class;
use crate::base::PlaneId;
use crate::hw::config::{IdleRule, IdleScope};

/// Random orders, some at the very moment at which something ends; how often a unit was in a stretch then.
fn check(coarse: bool, often: u32, at_most_ns: u32) -> u32 {
    let mut seen = 0;
    for seed in 0..150 {
        let mut twins = Twins::new(seed, 2, 1);
        twins.plain.limit_moves(OneGo::Move);
        twins.coarse = coarse;
        twins.free_bus = seed % 5 == 4;
        for _ in 0..800 {
            if twins.runs.ops_in_flight() < 60 && twins.rng.below(often) == 0 {
                seen += twins.runs.stretching;
                twins.disturb();
            }
            let ns = u64::from(twins.rng.below(at_most_ns));
            twins.pass(ns);
        }
        twins.end();
    }
    seen
}

#[test]
fn a_stretch_gives_what_its_moves_give_one_by_one() {
    assert!(check(false, 2, 1000) > 1000);
}

#[test]
fn a_stretch_gives_the_same_where_much_happens_at_once() {
    assert!(check(true, 3, 3000) > 1000);
}

/// Idle time of the device counts from the last of a stretch's moves that is over, also for another unit.
#[test]
fn idle_time_counts_from_what_is_over_of_a_stretch() {
    let mut twins = Twins::new(0, 2, 1);
    let [source, target] = [0, 2].map(|index| twins.geometry.block(PlaneId(2), index));
    let pages = 0..10;
    let moves: Vec<PageMove> = pages
        .map(|page| PageMove { from: page, to: page, read_ns: 20, program_ns: 200, transfer_ns: 1 })
        .collect();
    twins.emit_moves(Class::HostWrite, source, target, &moves);
    let idle_ns = [&mut twins.runs, &mut twins.plain].map(|timing| {
        timing.starvation_ns = 0;
        timing.units[1].suspend.program = false;
        timing.plan_moves();
        timing.set_idle_rule(IdleRule { threshold_ns: 600, scope: IdleScope::Device });
        timing.kick();
        while timing.next_ns() <= 1100 {
            timing.step();
        }
        timing.set_now(1100);
        timing.mark_idle_work(0, 0, true);
        while timing.take_idle_due().is_none() {
            timing.step();
        }
        timing.now_ns()
    });
    assert_eq!(idle_ns[0], idle_ns[1]);
}
