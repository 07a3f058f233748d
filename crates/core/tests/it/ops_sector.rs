//! `sector` operation for operation.
//!
//! One plane, pages of 4 mapping units, SLC blocks of 8 pages, TLC blocks of 24 pages programmed
//! three at a time.

use crate::it::common::ops::*;
use crate::it::common::*;

/// 4 SLC blocks, reclaimed when fewer than 2 are free, without classes of hotness; 12 TLC blocks.
fn sector() -> Setup {
    with(cached("sector", 1, 4), &[("hotness_classes", json!(1))])
}

/// Writes unit `unit` of page 0 and the same of pages 1, 2 and 3: one flash page each time.
fn scattered() -> Vec<slcache_core::base::request::Request> {
    let round = |unit: u64| partial(unit * LATER, &[0, 1, 2, 3].map(|page| (page, unit, 1)));
    (0..4).flat_map(round).collect()
}

#[test]
fn a_page_scattered_over_four_flash_pages_is_read_with_four_reads() {
    let mut requests = scattered();
    requests.push(read(10 * LATER, 0));
    let sim = after(&sector(), 8, &requests);
    assert_eq!(counters(&sim), [("read", "slc", "host", 4, 4), ("program", "slc", "host", 4, 4)]);
    assert_eq!(bytes(&sim, OpKind::Read, Cause::Host), PAGE);
    assert_eq!(slots(&sim, Cause::Rmw), 0);
}

#[test]
fn what_the_cache_lacks_is_one_more_read_from_the_store() {
    let mut requests = partial(0, &[0, 1, 2, 3].map(|page| (page, 1, 1)));
    requests.push(read(10 * LATER, 0));
    let sim = after(&sector(), 8, &requests);
    let want =
        [("read", "slc", "host", 1, 1), ("read", "tlc", "host", 1, 1), ("program", "slc", "host", 1, 1)];
    assert_eq!(counters(&sim), want);
}

#[test]
fn a_piece_is_cut_at_the_end_of_a_page() {
    // 3 + 3: the page takes the first piece and a unit of the second, whose write ends only when
    // the rest of it, whose time is over meanwhile, is programmed behind it.
    let sim = after(&sector(), 8, &partial(0, &[(0, 0, 3), (1, 0, 3)]));
    assert_eq!(counters(&sim), [("program", "slc", "host", 2, 2)]);
    assert_eq!(homes(&sim, 0)[0], homes(&sim, 1)[0]);
    assert_ne!(homes(&sim, 1)[0], homes(&sim, 1)[1]);
    let latencies: Vec<u64> = sim.log().iter().take(2).map(|&(_, ns)| ns).collect();
    let full_ns = 100 + 16384 + 200_000;
    assert_eq!(latencies, [1000 + full_ns, full_ns + 100 + 2 * 4096 + 200_000]);
}

#[test]
fn a_full_page_is_packed_like_any_other_or_alone() {
    // One unit waits; a full page follows.
    let requests = partial(0, &[(0, 0, 1), (1, 0, 4)]);
    let sim = after(&sector(), 8, &requests);
    assert_eq!(homes(&sim, 0)[0], homes(&sim, 1)[0]);
    assert_ne!(homes(&sim, 1)[0], homes(&sim, 1)[3]);
    let sim = after(&with(sector(), &[("full_pieces", json!("own-page"))]), 8, &requests);
    assert!(homes(&sim, 1).windows(2).all(|pair| pair[0] == pair[1]));
}

#[test]
fn hot_and_cold_units_share_no_page() {
    let setup = with(sector(), &[("hotness_classes", json!(2)), ("window_writes", json!(20))]);
    // Unit 0 of pages 0-3 five times makes them hot, at a mean of 3 per write; new units are cold.
    let round = |i: u64| partial(i * LATER, &[0, 1, 2, 3].map(|page| (page, 0, 1)));
    let mut requests: Vec<_> = (0..5).flat_map(round).collect();
    let mixed = [(0, 0, 1), (4, 0, 1), (1, 0, 1), (5, 0, 1), (2, 0, 1), (6, 0, 1), (3, 0, 1), (7, 0, 1)];
    requests.extend(partial(10 * LATER, &mixed));
    let sim = after(&setup, 8, &requests);
    assert!((0..4).all(|page| homes(&sim, page)[0] == homes(&sim, 0)[0]));
    assert!((4..8).all(|page| homes(&sim, page)[0] == homes(&sim, 4)[0]));
    assert_ne!(homes(&sim, 0)[0], homes(&sim, 4)[0]);
}

#[test]
fn reclaiming_brings_scattered_pages_together_with_up_to_four_reads_each() {
    // 32 logical pages, their units 0, 1 and 2 in the first three blocks; unit 3 stays in TLC. The
    // next page finds one free block and reclaims the first.
    let round = |unit: u64, i: u64| {
        partial(unit * LATER * 20 + i * LATER, &[0, 1, 2, 3].map(|j| (i * 4 + j, unit, 1)))
    };
    let mut requests: Vec<_> = (0..3).flat_map(|unit| (0..8).flat_map(move |i| round(unit, i))).collect();
    requests.extend(partial(100 * LATER, &[100, 101, 102, 103].map(|page| (page, 0, 1))));
    let mut sim = after(&sector(), 192, &requests);
    // Each flash page of the three blocks is read once, for the four logical pages it has parts of.
    let want = [
        ("read", "slc", "migration", 24, 24),
        ("read", "tlc", "migration", 32, 32),
        ("program", "slc", "host", 25, 25),
        ("program", "tlc", "migration", 10, 32),
        ("erase", "slc", "migration", 1, 0),
    ];
    assert_eq!(counters(&sim), want);
    for page in 0..32 {
        assert_eq!(modes(&sim, page), [CellMode::Tlc; 4]);
        assert!(homes(&sim, page).windows(2).all(|pair| pair[0] == pair[1]));
    }
    // The table has an entry per unit in the cache: 96 at the peak.
    let report = sim.finish().unwrap();
    assert_eq!(
        (report.scheme.tables[1].name.as_str(), report.scheme.tables[1].entries),
        ("sector mapping table", 96)
    );
}
