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
