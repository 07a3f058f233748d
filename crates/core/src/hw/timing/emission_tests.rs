//! Does what finds its unit free, and is in no queue, go as if it were in one?

use super::twins::Twins;

#[test]
fn what_starts_at_once_goes_as_out_of_its_queue() {
    let mut at_hand = 0;
    for seed in 0..90 {
        let mut twins = Twins::new(seed, 1 + seed as u32 % 2, 1 + seed as u32 % 3);
        (twins.queues_all, twins.lazy) = (true, seed % 4 == 0);
        for _ in 0..500 {
            if twins.runs.ops_in_flight() < 20 {
                twins.disturb();
            }
            let ns = u64::from(twins.rng.below(300));
            twins.pass(ns);
        }
        // What was emitted last may wait for an event that never comes.
        twins.runs.kick();
        twins.plain.kick();
        twins.end();
        at_hand += twins.at_hand;
    }
    assert!(at_hand > 1_000, "{at_hand}");
}
