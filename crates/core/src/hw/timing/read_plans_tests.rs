//! Do reads whose data are coming end as if the end of each array phase were an event?

use super::twins::Twins;

/// Random orders on channels of `chips` units each; how often data were coming when something was ordered.
fn check(chips: u32, at_most_ns: u32, set: impl Fn(&mut Twins)) -> u32 {
    let mut seen = 0;
    for seed in 0..60 {
        let mut twins = Twins::new(seed, 1 + seed as u32 % 2, chips);
        twins.plain.plan_reads(false);
        set(&mut twins);
        for _ in 0..800 {
            if twins.runs.ops_in_flight() < 40 {
                seen += twins.runs.channels.iter().map(|channel| channel.coming.count_ones()).sum::<u32>();
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
fn data_that_come_cross_the_channel_as_data_that_wait_for_it() {
    assert!(check(2, 100, |_| ()) > 2_000);
    assert!(check(5, 20, |_| ()) > 2_000);
}

#[test]
fn they_do_so_where_much_happens_at_once() {
    assert!(check(2, 100, |twins| twins.coarse = true) > 2_000);
    assert!(check(5, 20, |twins| twins.coarse = true) > 2_000);
}

/// What was emitted without a kick starts before time goes on, behind an end of an array phase that is due now.
#[test]
fn what_waits_for_the_next_event_starts_as_early() {
    assert!(check(3, 50, |twins| twins.lazy = true) > 400);
}
