//! Do commands take along from the front of a queue laid out what they take from the queue itself?

use super::engine::Timing;
use super::twins::Twins;
use crate::base::op::Class;

/// Whether what is laid out is the front of the queue; how many fronts are.
fn check_windows(timing: &Timing) -> u32 {
    let mut laid_out = 0;
    for u in timing.units.iter() {
        for class in [Class::HostRead as usize, Class::HostWrite as usize] {
            let window = u.queues.laid_out(class);
            assert_eq!(window.is_empty(), !u.queues.has_window(class));
            let mut next = u.queues.head(class);
            for &id in window {
                assert_eq!(id, next);
                next = timing.ops[id].next;
            }
            laid_out += u32::from(u.queues.has_window(class));
        }
    }
    laid_out
}

/// Random orders to long queues; how often fronts were laid out.
fn check(set: impl Fn(&mut Twins)) -> u32 {
    let mut seen = 0;
    for seed in 0..24 {
        let mut twins = Twins::new(seed, 1, 1 + seed as u32 % 2);
        set(&mut twins);
        for round in 0..1500 {
            // Now and then the queues empty.
            let most = if round % 500 < 300 { 400 } else { 20 };
            if twins.runs.ops_in_flight() < most {
                twins.disturb();
                twins.disturb();
            }
            let ns = u64::from(twins.rng.below(60));
            twins.pass(ns);
            seen += check_windows(&twins.runs) + check_windows(&twins.plain);
        }
        twins.end();
    }
    seen
}

fn search_plainly(timing: &mut Timing) {
    timing.units.iter_mut().for_each(|unit| unit.queues.search_plainly());
}

#[test]
fn what_is_taken_along_is_the_same_without_runs() {
    let seen = check(|twins| search_plainly(&mut twins.runs));
    assert!(seen > 3_000, "{seen}");
}

#[test]
fn what_is_taken_along_is_the_same_beside_runs() {
    let seen = check(|twins| search_plainly(&mut twins.plain));
    assert!(seen > 3_000, "{seen}");
}
