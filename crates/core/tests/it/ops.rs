//! `baseline` operation for operation: short request lists and exactly what they do to the flash.
//!
//! One plane, pages of 4 mapping units, SLC blocks of 8 pages and TLC blocks of 24 pages that are
//! programmed three at a time; 4 SLC blocks, reclaimed when fewer than 2 are free; 12 TLC blocks.

use crate::it::common::ops::{after, bytes, cached, counters, slots, writes, MU};
use crate::it::common::*;
use slcache_core::device::config::RmwTransfer;

/// Units of the first three logical pages, which are resident, or of new ones.
#[test]
fn a_request_costs_what_its_pages_lack() {
    let program = ("program", "slc", "host", 1, 1);
    let read = ("read", "tlc", "rmw", 1, 1);
    for (resident, first, units, ops, own, kept, read_whole) in [
        (3, 1, 1, vec![read, program], 1, 3, 4),
        (3, 4, 4, vec![program], 4, 0, 0),
        (0, 1, 1, vec![program], 1, 0, 0),
        // The last unit of page 0 and the first two of page 1.
        (3, 3, 3, vec![("read", "tlc", "rmw", 2, 2), ("program", "slc", "host", 2, 2)], 3, 3 + 2, 8),
    ] {
        let mut setup = cached("baseline", 1, 4);
        // Where only the request crosses the bus, only the other units are read.
        for (transfer, read) in [(RmwTransfer::Page, read_whole), (RmwTransfer::Request, kept)] {
            setup.device.rmw_transfer = transfer;
            let sim = after(&setup, resident, &[request(0, HostOp::Write, first * MU, units * MU)]);
            assert_eq!(counters(&sim), ops);
            assert_eq!((slots(&sim, Cause::Host), slots(&sim, Cause::Rmw)), (own, kept));
            assert_eq!(bytes(&sim, OpKind::Read, Cause::Rmw), read * MU);
        }
    }
    let sim = after(&cached("baseline", 1, 4), 3, &[request(0, HostOp::Read, 512, 1024)]);
    assert_eq!(counters(&sim), [("read", "tlc", "host", 1, 1)]);
    assert_eq!(bytes(&sim, OpKind::Read, Cause::Host), 1024);
}

#[test]
fn a_reclaim_reads_the_live_pages_pulses_full_wordlines_and_erases_once() {
    // Writes 1, 9 and 17 open SLC blocks and leave one free: write 25 reclaims the first block,
    // all of whose 8 pages are live. Two wordlines are full, two pages stay staged.
    let mut sim = after(&cached("baseline", 1, 4), 0, &writes(0..25));
    let reclaim = [
        ("read", "slc", "migration", 8, 8),
        ("program", "slc", "host", 25, 25),
        ("program", "tlc", "migration", 2, 8),
        ("erase", "slc", "migration", 1, 0),
    ];
    assert_eq!(counters(&sim), reclaim);
    // The end of the run pads the third wordline.
    sim.finish().unwrap();
    assert_eq!(counters(&sim)[..3], reclaim[..3]);
    assert_eq!(counters(&sim)[3..], [("program", "tlc", "pad", 1, 1), reclaim[3]]);
    assert_eq!(sim.timing().ops_in_flight(), 0);
}

#[test]
fn a_reclaim_moves_only_what_is_still_live() {
    // Five of the first block's eight pages are overwritten before write 25: three are live.
    let sim = after(&cached("baseline", 1, 4), 0, &writes((0..8).chain(0..5).chain(8..20)));
    let want = [
        ("read", "slc", "migration", 3, 3),
        ("program", "slc", "host", 25, 25),
        ("program", "tlc", "migration", 1, 3),
        ("erase", "slc", "migration", 1, 0),
    ];
    assert_eq!(counters(&sim), want);
}

#[test]
fn a_fully_invalid_victim_costs_only_its_erase() {
    let sim = after(&cached("baseline", 1, 4), 0, &writes((0..25).map(|i| i % 8)));
    assert_eq!(counters(&sim), [("program", "slc", "host", 25, 25), ("erase", "slc", "migration", 1, 0)]);
}

#[test]
fn dense_cleaning_moves_within_the_dense_region() {
    // TLC holds all 192 pages in 8 of 12 blocks; every second page is rewritten. Write 17 + 8r
    // reclaims 8 pages for the r-th time. Seven reclaims move 56 pages into 3 of the 4 free blocks,
    // so the eighth, at write 81, finds one free block, less than two. By then pages 0 to 158 are
    // half dead: two victims with 12 live pages each fill one block and leave two free.
    let sim = after(&cached("baseline", 1, 4), 192, &writes((0..81).map(|i| 2 * i)));
    let want = [
        ("read", "slc", "migration", 64, 64),
        ("read", "tlc", "gc", 24, 24),
        ("program", "slc", "host", 81, 81),
        ("program", "tlc", "migration", 21, 64),
        ("program", "tlc", "gc", 8, 24),
        ("erase", "slc", "migration", 8, 0),
        ("erase", "tlc", "gc", 2, 0),
    ];
    assert_eq!(counters(&sim), want);
}

/// Reclaimed SLC blocks, of 8, and pages moved, after rewriting `pages` in turn with 41 writes.
fn reclaimed(trigger: &str, pages: u64) -> (u64, u64) {
    let values = [("slc.start_free_ratio", json!(0.5)), ("trigger", json!(trigger))];
    let setup = with(cached("baseline", 1, 8), &values);
    let ops = counters(&after(&setup, 0, &writes((0..41).map(|i| i % pages))));
    let of = |kind: &str| ops.iter().find(|c| c.0 == kind && c.2 == "migration").map_or(0, |c| c.3);
    (of("erase"), of("read"))
}

#[test]
fn the_trigger_counts_free_blocks_or_live_pages() {
    // Write 41 finds 3 of 8 blocks free, less than half: one block without live pages is erased.
    assert_eq!(reclaimed("free-blocks", 8), (1, 0));
    // 8 live pages are no half of 64, and more than two blocks are free.
    assert_eq!(reclaimed("valid-share", 8), (0, 0));
    // 40 live pages are more than half; moving 8 of them is enough under either reading.
    assert_eq!(reclaimed("free-blocks", 64), (1, 8));
    assert_eq!(reclaimed("valid-share", 64), (1, 8));
}
