//! `sa` operation for operation.
//!
//! One plane, pages of 4 mapping units, SLC blocks of 8 pages, TLC blocks of 24 pages programmed
//! three at a time; 4 SLC blocks, reclaimed when fewer than 2 are free; 12 TLC blocks.

use crate::it::common::ops::*;
use crate::it::common::*;

#[test]
fn an_update_of_a_full_page_reads_the_rest_and_is_programmed_alone() {
    let sim = after(&cached("sa", 1, 4), 8, &partial(0, &[(0, 0, 1)]));
    assert_eq!(counters(&sim), [("read", "tlc", "rmw", 1, 1), ("program", "slc", "host", 1, 1)]);
    assert_eq!((slots(&sim, Cause::Host), slots(&sim, Cause::Rmw)), (1, 3));
    assert_eq!(modes(&sim, 0), [CellMode::Slc; 4]);
}

#[test]
fn first_writes_are_packed_without_a_read_and_a_page_is_read_with_one() {
    let mut requests = partial(0, &[(0, 0, 1), (1, 0, 2), (2, 0, 1)]);
    requests.push(read(LATER, 1));
    let sim = after(&cached("sa", 1, 4), 0, &requests);
    assert_eq!(counters(&sim), [("read", "slc", "host", 1, 1), ("program", "slc", "host", 1, 1)]);
    assert_eq!((slots(&sim, Cause::Host), slots(&sim, Cause::Rmw)), (4, 0));
    assert_eq!(homes(&sim, 0)[0], homes(&sim, 2)[0]);
}

#[test]
fn an_update_that_covers_all_there_is_needs_no_read() {
    // Page 0 holds units 0 and 1 only; rewriting both is no read-modify-write.
    let mut requests = partial(0, &[(0, 0, 2), (1, 0, 2)]);
    requests.extend(partial(LATER, &[(0, 0, 2), (2, 0, 2)]));
    let sim = after(&cached("sa", 1, 4), 0, &requests);
    assert_eq!(counters(&sim), [("program", "slc", "host", 2, 2)]);
    assert_eq!(slots(&sim, Cause::Rmw), 0);
}

#[test]
fn an_update_of_a_part_of_a_short_page_carries_the_rest_along() {
    // Page 0 holds units 0 and 1; rewriting unit 0 reads unit 1, and both are packed with page 2.
    let mut requests = partial(0, &[(0, 0, 2), (1, 0, 2)]);
    requests.extend(partial(LATER, &[(0, 0, 1), (2, 0, 2)]));
    let sim = after(&cached("sa", 1, 4), 0, &requests);
    assert_eq!(counters(&sim), [("read", "slc", "rmw", 1, 1), ("program", "slc", "host", 2, 2)]);
    assert_eq!((slots(&sim, Cause::Host), slots(&sim, Cause::Rmw)), (4 + 3, 1));
    assert_eq!(homes(&sim, 0)[0], homes(&sim, 0)[1]);
    assert_eq!(homes(&sim, 0)[0], homes(&sim, 2)[0]);
}

#[test]
fn what_becomes_full_while_it_waits_is_programmed_at_once() {
    let sim = after(&cached("sa", 1, 4), 0, &partial(0, &[(0, 0, 1), (0, 1, 3)]));
    assert_eq!(counters(&sim), [("program", "slc", "host", 1, 1)]);
    let latencies: Vec<u64> = sim.log().iter().take(2).map(|&(_, ns)| ns).collect();
    assert_eq!(latencies.into_iter().max(), Some(1000 + 100 + 16384 + 200_000));
}

#[test]
fn reclaiming_reads_each_page_once_and_writes_a_page_for_each_logical_page() {
    // A block of 8 flash pages with four logical pages of one unit each, then two blocks of full ones.
    let short = |i: u64| partial(i * LATER, &[0, 1, 2, 3].map(|j| (i * 4 + j, 0, 1)));
    let mut requests: Vec<_> = (0..8).flat_map(short).collect();
    requests.extend((0..17).flat_map(|i| partial((20 + i) * LATER, &[(40 + i, 0, 4)])));
    let mut sim = after(&cached("sa", 1, 4), 0, &requests);
    let want = [
        ("read", "slc", "migration", 8, 8),
        ("program", "slc", "host", 8 + 17, 8 + 17),
        ("program", "tlc", "migration", 10, 32),
        ("erase", "slc", "migration", 1, 0),
    ];
    assert_eq!(counters(&sim), want);
    assert_eq!(slots(&sim, Cause::Migration), 32);
    let report = sim.finish().unwrap();
    let table = &report.scheme.tables[1];
    // 32 short and 16 full pages at the peak, 4 + 2 bits each.
    assert_eq!((table.entries, table.bytes), (48, 36));
}
