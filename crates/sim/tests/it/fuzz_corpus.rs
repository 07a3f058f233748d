//! The check of the fuzz target for snapshots; see the one of the trace readers.

#[path = "../../../traces/fuzz/src/runner.rs"]
mod runner;
#[path = "../../../traces/fuzz/src/snapshots.rs"]
mod snapshots;

#[test]
fn snapshots_behind_a_right_checksum() {
    runner::run("snapshot", &snapshots::seeds(), snapshots::check);
}

#[test]
fn seeds_are_valid() {
    for seed in snapshots::seeds() {
        assert_eq!(snapshots::restored(&seed), Ok(()));
    }
}

/// Bits of a state all over it: most are bound by something else. Free are random streams, turns,
/// links out of use, counters of updates within their range, and nearly all of a Q-table.
#[test]
fn hardly_a_byte_of_a_state_is_free() {
    for seed in snapshots::seeds().into_iter().filter(|seed| !snapshots::has_learned(seed)) {
        let places: Vec<usize> = (1..seed.len()).step_by(37).collect();
        let loads = |&place: &usize| {
            let mut state = seed.clone();
            state[place] ^= 1;
            snapshots::restored(&state).is_ok()
        };
        let loaded = places.iter().filter(|place| loads(place)).count();
        assert!(loaded * 4 < places.len(), "case {}: {loaded} of {} load", seed[0], places.len());
    }
}
