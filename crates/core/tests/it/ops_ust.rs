//! `ust` operation for operation.
//!
//! One plane, pages of 4 mapping units, SLC blocks of 4 pages, TLC blocks of 12: a logical block is 12
//! logical pages.

use crate::it::common::ops::{after, and_then, counters, homes, modes, partial, writes, LATER, PAGE};
use crate::it::common::*;

/// Logical pages of a logical block.
const LOGICAL: u64 = 12;

/// 16 blocks, of which a logical block may have two as SLC; ten logical blocks.
fn ust(values: &[(&str, Value)]) -> Setup {
    let setup = setup(device(pool(1, 1, 16, 4, PAGE as u32), 10 * LOGICAL * PAGE), "ust");
    with(setup, &[&[("max_slc_blocks", json!(2)), ("free_blocks", json!(3))], values].concat())
}

/// Whole logical pages, one by one.
fn pages(from: u64, pages: &[u64]) -> Vec<Request> {
    let mut requests = writes(pages.iter().copied());
    requests.iter_mut().for_each(|request| request.at_ns += from * LATER);
    requests
}

#[test]
fn a_block_without_hot_units_goes_dense_as_a_whole() {
    // Block A: 0 1 2 3. Block B: 0 4 5 6, so that 0 is hot and 1, 2, 3 are what lives in A.
    let mut sim = after(&ust(&[]), 0, &pages(0, &[0, 1, 2, 3, 0, 4, 5, 6]));
    assert_eq!(counters(&sim), [("program", "slc", "host", 8, 8)]);
    // A third block may not be: A has fewer live units than B.
    and_then(&mut sim, &pages(10, &[7]));
    let want = [
        ("read", "slc", "migration", 3, 3),
        ("program", "slc", "host", 9, 9),
        ("program", "tlc", "migration", 3, 3),
        ("erase", "slc", "migration", 1, 0),
    ];
    assert_eq!(counters(&sim), want);
    for (page, mode) in [(0, CellMode::Slc), (1, CellMode::Tlc), (3, CellMode::Tlc), (4, CellMode::Slc)] {
        assert_eq!(modes(&sim, page), [mode; 4], "page {page}");
    }
}

#[test]
fn hot_units_stay_in_slc_and_cold_ones_go_dense() {
    let mut sim = after(&ust(&[]), 0, &pages(0, &[0, 1, 2, 3, 0, 4, 5, 6, 7]));
    // Block C: 7 4 8 9. In B live 0, which is hot, and 5 and 6.
    and_then(&mut sim, &pages(10, &[4, 8, 9, 10]));
    let want = [
        ("read", "slc", "migration", 5, 5),
        ("read", "slc", "gc", 1, 1),
        ("program", "slc", "host", 13, 13),
        ("program", "slc", "gc", 1, 1),
        ("program", "tlc", "migration", 5, 5),
        ("erase", "slc", "migration", 1, 0),
        ("erase", "slc", "gc", 1, 0),
    ];
    assert_eq!(counters(&sim), want);
    assert_eq!((modes(&sim, 0), modes(&sim, 5)), (vec![CellMode::Slc; 4], vec![CellMode::Tlc; 4]));
    // The next page lies behind the copy.
    let next = homes(&sim, 0)[0].map(|page| page.0 + 1);
    assert_eq!(homes(&sim, 10)[0].map(|page| page.0), next);
    // A copy stays hot: 0 is copied again once block D (0 10 11 1) has the fewest live units.
    and_then(&mut sim, &pages(20, &[11, 1, 10, 11, 1, 2]));
    assert_eq!(modes(&sim, 0), [CellMode::Slc; 4]);
    let report = sim.finish().unwrap();
    assert_eq!(figure(&report, "hot_units_copied") % 4.0, 0.0);
    assert!(figure(&report, "hot_units_copied") >= 8.0);
}

#[test]
fn a_page_of_hot_and_cold_units_is_read_once_and_short_pages_are_padded() {
    let mut requests = pages(0, &[0, 1, 2, 3]);
    // One flash page: unit 0 of pages 0, 1 and 2, which is hot, and of page 4, which is new.
    requests.extend(partial(10 * LATER, &[(0, 0, 1), (1, 0, 1), (2, 0, 1), (4, 0, 1)]));
    requests.extend(pages(20, &[5, 6, 8, 7]));
    // 13 units left the first block: three pages, and a fourth with one unit.
    let mut sim = after(&ust(&[]), 0, &requests);
    let want = [
        ("read", "slc", "migration", 4, 4),
        ("program", "slc", "host", 9, 9),
        ("program", "tlc", "migration", 4, 4),
        ("erase", "slc", "migration", 1, 0),
    ];
    assert_eq!(counters(&sim), want);
    // Of two blocks without dead units the older one is collected.
    and_then(&mut sim, &pages(40, &[9, 10, 11, 3]));
    let want = [
        ("read", "slc", "migration", 8, 8),
        ("program", "slc", "host", 13, 13),
        ("program", "slc", "gc", 1, 1),
        ("program", "tlc", "migration", 8, 8),
        ("erase", "slc", "migration", 1, 0),
        ("erase", "slc", "gc", 1, 0),
    ];
    assert_eq!(counters(&sim), want);
    assert_eq!(homes(&sim, 0)[0], homes(&sim, 2)[0]);
    assert_eq!(modes(&sim, 0)[..2], [CellMode::Slc, CellMode::Tlc]);
    let report = sim.finish().unwrap();
    assert_eq!(figure(&report, "hot_units_copied"), 3.0);
    assert_eq!(figure(&report, "cold_units_moved"), 26.0);
    assert_eq!(figure(&report, "padded_units"), 3.0 + 3.0 + 1.0);
}

#[test]
fn where_all_is_hot_the_oldest_block_goes_dense() {
    // One block: 0 1 2 3; all of it again, and it is full of hot units.
    let setup = ust(&[("max_slc_blocks", json!(1))]);
    let sim = after(&setup, 0, &pages(0, &[0, 1, 2, 3, 0, 1, 2, 3, 4]));
    // 0 finds the block full of units written once; they go dense, and 0 is hot in its place.
    // 1, 2 and 3 come anew from there. Then only 0 is hot.
    let want = [
        ("read", "slc", "migration", 7, 7),
        ("read", "slc", "gc", 1, 1),
        ("program", "slc", "host", 9, 9),
        ("program", "slc", "gc", 1, 1),
        ("program", "tlc", "migration", 7, 7),
        ("erase", "slc", "migration", 1, 0),
        ("erase", "slc", "gc", 1, 0),
    ];
    assert_eq!(counters(&sim), want);
    let mut sim = after(&setup, 0, &pages(0, &[0, 1, 2, 0]));
    // In the block: 1 2 0; with 0 hot again and again it is full of one live page, then copied.
    and_then(&mut sim, &pages(10, &[0, 1, 2, 0, 1, 2, 0, 1]));
    assert_eq!(modes(&sim, 0), [CellMode::Slc; 4]);
}

#[test]
fn the_logical_blocks_written_longest_ago_are_reclaimed() {
    let setup = ust(&[("free_blocks", json!(10))]);
    // Seven blocks are opened while ten or more of 16 are free; logical block 0 is written again.
    let first = |logical: u64| logical * LOGICAL;
    let mut requests = pages(0, &(0..7).map(first).collect::<Vec<_>>());
    requests.extend(pages(10, &[1]));
    let mut sim = after(&setup, 0, &requests);
    assert_eq!(counters(&sim), [("program", "slc", "host", 8, 8)]);
    // The eighth finds nine: 1 goes, for which a dense block is opened; and 2, so that ten are free.
    and_then(&mut sim, &pages(20, &[first(7)]));
    let in_slc = |sim: &Simulation, logical: u64| modes(sim, first(logical) as u32)[0] == CellMode::Slc;
    let kept: Vec<u64> = (0..8).filter(|&logical| in_slc(&sim, logical)).collect();
    assert_eq!(kept, [0, 3, 4, 5, 6, 7]);
    let want = [
        ("read", "slc", "migration", 2, 2),
        ("program", "slc", "host", 9, 9),
        ("program", "tlc", "migration", 2, 2),
        ("erase", "slc", "migration", 2, 0),
    ];
    assert_eq!(counters(&sim), want);
    let report = sim.finish().unwrap();
    assert_eq!(figure(&report, "logical_blocks_reclaimed"), 2.0);
    assert_eq!((figure(&report, "slc_blocks"), figure(&report, "slc_blocks_max")), (6.0, 7.0));
}

#[test]
fn units_wait_for_their_logical_block_and_the_write_that_needs_room_waits() {
    let unit = |logical: u64| (logical * LOGICAL, 0, 1);
    // Four units fill the buffer; the second of logical block 1 is absorbed; that of 4 needs room.
    let mut sim = watched(&closed(ust(&[]), 1));
    sim.feed(&partial(0, &[unit(0), unit(1), unit(2), unit(3), unit(1), unit(4)])).unwrap();
    let report = sim.finish().unwrap();
    let latencies: Vec<u64> = sim.log().iter().take(6).map(|&(_, ns)| ns).collect();
    assert_eq!(latencies, [0, 0, 0, 0, 0, 100 + 4096 + 200_000]);
    // The oldest is programmed, alone; what is left is written at the end, a page for each.
    assert_eq!(counters(&sim)[0], ("program", "slc", "host", 5, 5));
    assert_eq!((figure(&report, "absorbed_units"), figure(&report, "padded_units")), (1.0, 15.0));
}

/// The SLC blocks in use, with the logical block that the data in each belong to, if there are any.
fn slc_blocks(sim: &Simulation) -> Vec<Option<u32>> {
    let array = sim.media().array();
    let used = array.used_blocks().filter(|&block| array.block(block).mode() == CellMode::Slc);
    used.filter(|&block| array.block(block).state() != BlockState::Free)
        .map(|block| {
            let pages = (0..array.block(block).write_ptr()).map(|page| array.geometry.page(block, page));
            let tags = pages.flat_map(|page| array.page_tags(page).iter().copied()).filter(|&tag| tag != 0);
            let mut owners = tags.map(|tag| (tag - 1) / 4 / LOGICAL as u32);
            let owner = owners.next();
            assert!(owners.all(|other| Some(other) == owner), "{block:?} is of two logical blocks");
            owner
        })
        .collect()
}

#[test]
fn no_logical_block_has_more_slc_blocks_than_it_may_and_a_lower_limit_is_kept_in_time() {
    let mut sim = watched(&closed(ust(&[("max_slc_blocks", json!(3))]), 1));
    // Three logical blocks, so that free blocks suffice.
    let requests = random(4_000, 3 * LOGICAL * PAGE, 6, 0.0, 1.0, 5);
    let mut most = 0;
    for (i, request) in requests.iter().enumerate() {
        if i == 2_000 {
            assert_eq!((most, sim.turn(0, 1.0)), (3, Ok(())));
        }
        sim.feed(std::slice::from_ref(request)).unwrap();
        let blocks = slc_blocks(&sim);
        let count = |logical| blocks.iter().filter(|&&owner| owner == Some(logical)).count();
        most = most.max((0..10).map(count).max().unwrap_or(0));
        assert!(i < 2_200 || (0..3).all(|logical| count(logical) <= 1), "request {i}: {blocks:?}");
    }
    assert_eq!(most, 3);
    sim.finish().unwrap();
    sim.audit().unwrap();
}

#[test]
fn trimmed_units_come_back_cold() {
    let mut sim = after(&ust(&[]), 0, &pages(0, &[0, 0, 1, 2]));
    sim.feed(&[request(10 * LATER, HostOp::Trim, 0, PAGE)]).unwrap();
    // A: - - 1 2, and B: 0 3 4 5. With 0 cold nothing of B is kept once A is gone.
    and_then(&mut sim, &pages(20, &[0, 3, 4, 5, 6, 7, 8, 9, 10]));
    assert_eq!(modes(&sim, 0), [CellMode::Tlc; 4]);
    assert!(counters(&sim).iter().all(|row| row.2 != "gc"));
}
